"""Tests of structured reports. `real/` holds reports of runners that were really run, and what their consoles said."""
