"""Raw job logs: which test runners closed with which counts, and whether that may count as green.

The log is the witness that nobody but the runner wrote, and also the one that the tested code can print into: every
summary counts, not only the last; what is cut, contradictory or unknown is never green. A further runner family is one
module with a `Reader`, the pattern `INTEREST` of the lines that it needs, and one line in `parse`.
"""
