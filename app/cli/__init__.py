"""The `mergegate` command: run the service, judge locally, read logs, explain verdicts, check policies and bundles."""
