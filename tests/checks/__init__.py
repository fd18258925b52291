"""Tests of the checks. `build` has a snapshot on which everything passes; a test states only how its own differs."""
