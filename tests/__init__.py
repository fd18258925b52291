"""Tests, the simulated GitHub they run against, and the demo."""
