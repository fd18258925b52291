"""Structured test reports: JUnit, CTRF, TRX and `go test -json`, each recounted from its test cases.

`formats.read_report` tells the format and reads one file, `artifacts.read_artifacts` all archives of a run. The files
are written by jobs that run a pull request's code: totals that a file states about itself are never taken over, and
what cannot be read in the limits is `Unread`, never a report without tests.
"""
