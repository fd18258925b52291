"""A build as its server's API tells it, with the raw output of its jobs, not yet read."""

from __future__ import annotations

from dataclasses import dataclass

from checks.unread import Unread

MOST_LOGS = 60  # of one build, as many as of a workflow run

# Headings of steps (may be empty) and raw output, in order.
Parts = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class FetchedJob:
    name: str
    succeeded: bool
    output: Parts | Unread


@dataclass(frozen=True, slots=True)
class FetchedBuild:
    """`commit` is what was tested; None where the server does not tell, or tells several."""

    url: str
    commit: str | None
    succeeded: bool
    jobs: tuple[FetchedJob, ...]


def too_many(count: int) -> Unread | None:
    return Unread(f"only the logs of the first {MOST_LOGS} jobs are read") if count >= MOST_LOGS else None
