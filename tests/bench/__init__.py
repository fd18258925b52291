"""Measurements for `make bench`: intake, judging, log parsing and the work table. They assert nothing."""
