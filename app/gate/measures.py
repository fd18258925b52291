"""What the loop counts of itself, for Prometheus. The names are in deploy/README.md."""

from __future__ import annotations

import structlog
from prometheus_client import Counter, Histogram

from policies.verdict import GroupVerdict, Verdict

log = structlog.get_logger(__name__)

DURATION = Histogram(
    "mergegate_reconcile_seconds",
    "One attempt on a key, by its kind",
    ["kind"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
)
REQUESTS = Histogram(
    "mergegate_reconcile_requests",
    "Requests to GitHub in one attempt on a key, minting and redirects left out",
    ["kind"],
    buckets=(0, 1, 2, 4, 8, 12, 20, 50, 100, 200),
)
PULL_REQUESTS = Histogram(
    "mergegate_pull_request_requests",
    "Requests to GitHub for one pull request from its opening to its end",
    buckets=(5, 10, 20, 40, 80, 160, 320, 640, 1280),
)
VERDICTS = Counter(
    "mergegate_verdicts", "Verdicts by check and status, one each time they are reached", ["check", "status"]
)

WAITS = Counter("mergegate_waits", "Attempts that ended waiting, by what for; waiting is no failure", ["reason"])


def note_verdict(verdict: Verdict | GroupVerdict, *, decision: int | None) -> None:
    """Count and log what was decided; `decision` is the record's id, None where nothing new was recorded."""
    statuses = {"evidence": verdict.evidence.status.value, "review": verdict.review.status.value}
    for check, status in statuses.items():
        VERDICTS.labels(check, status).inc()
    if decision is not None:
        log.info("decided", decision=decision, **statuses)
