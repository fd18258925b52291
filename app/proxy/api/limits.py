"""How much one session may ask of GitHub: requests by a bucket in this process, writes and comments by the ledger.

An installation has 5,000 requests an hour for all its sessions and the gate's courier, so one session gets a part:
https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.proxy.api.denied import Denied
from app.proxy.ledger import Entry
from app.proxy.refusal import Refusal

# Of git's and LFS's requests there is no such number of GitHub's; what one session takes, others wait for.
FETCHES = 3000  # in an hour
LFS_REQUESTS = 20_000  # in an hour: one for each object, and one for up to a hundred of them before
KEPT = 4096  # sessions whose buckets are remembered
HOUR = timedelta(hours=1)
COMMENTING = frozenset({"POST /repos/{owner}/{repo}/issues/{number}/comments", "GraphQL addComment"})


@dataclass(frozen=True, slots=True)
class Limits:
    """`burst` requests at once and `hourly` in an hour; `writes` and among them `comments` in an hour."""

    burst: int = 120
    hourly: int = 1500
    writes: int = 120
    comments: int = 30


@dataclass(frozen=True, slots=True)
class TooMany:
    """`seconds` until the next one is taken."""

    refusal: Refusal
    seconds: int

    @property
    def denied(self) -> Denied:
        return Denied(429, self.refusal, self.seconds)


class Requests:
    """A bucket for each session, filled with time; `now` is in seconds of any clock that does not go back.

    `what` is the word for them in refusals.
    """

    def __init__(self, limits: Limits, what: str = "requests") -> None:
        self._limits = limits
        self._what = what
        self._buckets: dict[int, tuple[float, float]] = {}

    def take(self, session: int, now: float, number: int = 1) -> TooMany | None:
        """None, and so many requests less, or as many as there are; or why not now."""
        rate = self._limits.hourly / HOUR.total_seconds()
        left, then = self._buckets.pop(session, (float(self._limits.burst), now))
        left = min(left + max(now - then, 0.0) * rate, float(self._limits.burst))
        self._buckets[session] = (max(left - number, 0.0) if left >= 1 else left, now)
        if len(self._buckets) > KEPT:
            del self._buckets[next(iter(self._buckets))]
        return None if left >= 1 else _too_many(self._what, self._limits.hourly, int((1 - left) / rate) + 1)


def too_many_writes(limits: Limits, entries: Sequence[Entry], comment: bool, now: datetime) -> TooMany | None:
    """Whether a session has written enough in the last hour, by its entries in the ledger."""
    recent = [one for one in entries if one.route != "push" and one.outcome != "failed" and now - one.began_at < HOUR]
    if len(recent) >= limits.writes:
        return _too_many("writes", limits.writes, _until(recent, limits.writes, now))
    comments = [one for one in recent if one.route in COMMENTING]
    if comment and len(comments) >= limits.comments:
        return _too_many("comments", limits.comments, _until(comments, limits.comments, now))
    return None


def _until(entries: Sequence[Entry], most: int, now: datetime) -> int:
    """Seconds until the oldest of the newest `most` is an hour old."""
    oldest = sorted((one.began_at for one in entries), reverse=True)[most - 1]
    return max(int((oldest + HOUR - now).total_seconds()) + 1, 1)


def _too_many(what: str, most: int, seconds: int) -> TooMany:
    because = f"This session has made its {most} {what} of an hour"
    return TooMany(Refusal(because, f"Go on in {seconds} seconds", retry=True), seconds)
