"""Staying under GitHub's limits: the hourly budgets, the secondary limits, and a bucket for writes.

Part of each hourly budget is kept back for what is more urgent, see `Urgency`: whoever finds less than that left waits
for the next hour, and asks nothing.

Sources: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api and
https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api. Secondary limits cannot be
read in advance (80 content-generating requests a minute, 500 an hour are published), so writes stay well below them.
What counts as content is not listed. We take it for what people see and are notified of, and a check run for a state
that nobody is told of: check runs have a bucket of their own, within another published limit, which is 900 points a
minute for REST, 5 a write.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import IntEnum
from typing import Protocol

from app.github.errors import LeftAlone, RateLimited

LONGEST = 3700.0
"""No limit of GitHub's lasts longer than an hour; a longer wait means that a clock is wrong."""
SMALLEST_SKEW = 5.0  # seconds
LONGEST_DATE = 100  # characters
FIRST_WAIT = 60.0
FAILURES = 5
"""Requests in a row that GitHub fails before it is left alone for a moment, which grows while it goes on failing."""
LONGEST_REST = 30.0  # seconds
WIDEST_WAIT = 900.0
LONGEST_TAIL = 600.0
"""Seconds over which those who are put off are told to come, one after the other; they may be put off again then."""


class Urgency(IntEnum):
    """What a request is for; the higher ones may use what is kept back from the lower ones."""

    RESYNC = 0
    HEAD = 1
    COMMAND = 2
    GROUP = 3


KEPT_BACK: Mapping[Urgency, float] = {
    Urgency.RESYNC: 0.30,
    Urgency.HEAD: 0.15,
    Urgency.COMMAND: 0.05,
    Urgency.GROUP: 0.0,
}
"""The part of an hourly budget that a request must leave for more urgent ones."""

_urgency: ContextVar[Urgency] = ContextVar("github_urgency", default=Urgency.GROUP)


@contextmanager
def urgency(level: Urgency) -> Iterator[None]:
    """Everything that is asked inside, also by tasks started inside, is that urgent; outside nothing is kept back."""
    token = _urgency.set(level)
    try:
        yield
    finally:
        _urgency.reset(token)


def present_urgency() -> Urgency:
    return _urgency.get()


class Answered(Protocol):
    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def body(self) -> bytes: ...


@dataclass(frozen=True)
class Left:
    """What one resource has left: `remaining` of `limit` requests or points, until `reset` (seconds of our clock)."""

    remaining: int
    limit: int
    reset: float


class Budget:
    """What GitHub's headers say is left, for each resource (`core`, `graphql`), and when to speak again at all.

    GitHub's times are taken as distances from the time that its answer bears, so a clock of ours that is wrong moves
    no wait.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._silent_until = 0.0
        self._strikes = 0
        self._failures = 0
        self._resting_until = 0.0
        self.left: dict[str, Left] = {}
        self.ahead = 0.0  # seconds by which our clock was ahead of GitHub's at its last answer

    @property
    def remaining(self) -> dict[str, int]:
        return {resource: left.remaining for resource, left in self.left.items()}

    def admit(self, request: str, resource: str) -> None:
        """Raises RateLimited, without a request, while a limit is known to hold or the rest is for the more urgent.

        Raises LeftAlone while GitHub goes on failing.
        """
        now = self._now()
        if self._resting_until > now:
            because = f"GitHub failed {self._failures} times in a row and is left alone for a moment"
            raise LeftAlone(request, because, moment(self._resting_until))
        if self._silent_until > now:
            raise RateLimited(request, "GitHub asked for a pause (secondary limit)", moment(self._silent_until))
        left = self.left.get(resource)
        if left is None or left.reset <= now:
            return
        if left.remaining <= 0:
            raise RateLimited(request, f"the hourly {resource} budget is used up", moment(left.reset))
        if left.remaining <= left.limit * KEPT_BACK[present_urgency()]:
            because = f"the rest of the hourly {resource} budget ({left.remaining}) is kept for what is more urgent"
            raise RateLimited(request, because, moment(left.reset))

    def note(self, resource: str, answer: Answered) -> None:
        """Keep what the headers of an answer say. `resource` is used when the answer does not name its own."""
        self.ahead = skew(answer.headers.get("date"), self._now())
        named = answer.headers.get("x-ratelimit-resource", resource)
        remaining = _number(answer.headers.get("x-ratelimit-remaining"))
        reset = self._reset(answer)
        if remaining is not None and reset is not None:
            limit = _number(answer.headers.get("x-ratelimit-limit")) or 0
            self.left[named] = Left(remaining, limit, min(reset, self._now() + LONGEST))
        if answer.status < 400:
            self._strikes = 0
        if answer.status >= 500:
            self.failed()
        else:
            self._failures, self._resting_until = 0, 0.0

    def failed(self) -> None:
        """GitHub did not answer, or with a fault of its own."""
        self._failures += 1
        if self._failures >= FAILURES:
            rest = min(2.0 ** min(self._failures - FAILURES, 16), LONGEST_REST)
            self._resting_until = self._now() + rest

    def limited(self, request: str, answer: Answered) -> RateLimited | None:
        """The error for a 403 or 429 that is a limit, None when it is something else."""
        if answer.status not in (403, 429):
            return None
        after = _retry_after(answer, self._now())
        if after is not None:
            return self._pause(request, after)
        if _number(answer.headers.get("x-ratelimit-remaining")) == 0:
            return self.used_up(request, answer)
        if answer.status == 429 or b"rate limit" in answer.body[:4096].lower():
            return self._pause(request, self._growing())
        return None

    def used_up(self, request: str, answer: Answered) -> RateLimited:
        """The error for a limit that GraphQL reports inside a 200, or that the headers show."""
        now, reset = self._now(), self._reset(answer)
        spent = _number(answer.headers.get("x-ratelimit-remaining")) == 0
        if not spent or reset is None or reset <= now:
            return self._pause(request, self._growing())
        return RateLimited(request, "the hourly budget is used up", moment(min(reset, now + LONGEST)))

    def _reset(self, answer: Answered) -> float | None:
        """When the hour ends, by our clock."""
        reset = _number(answer.headers.get("x-ratelimit-reset"))
        return None if reset is None else reset + skew(answer.headers.get("date"), self._now())

    def _growing(self) -> float:
        self._strikes += 1
        return float(min(FIRST_WAIT * 2 ** (self._strikes - 1), WIDEST_WAIT))

    def _pause(self, request: str, seconds: float) -> RateLimited:
        self._silent_until = max(self._silent_until, self._now() + min(max(seconds, 1.0), LONGEST))
        return RateLimited(request, "GitHub asked for a pause (secondary limit)", moment(self._silent_until))


@dataclass(frozen=True)
class WriteLimits:
    """Writes of one installation: `burst` at once, then `per_second`, never more than the other two.

    Of those two a part is kept back for what is more urgent, as it is of the hourly budgets.
    A write that would wait longer than `patience` seconds is refused with RateLimited. None is no limit.
    """

    per_second: float = 1.0
    burst: int = 5
    per_minute: int | None = 60
    per_hour: int | None = 400
    patience: float = 3.0


CHECKS_PER_HOUR = 2_000
"""Writes of check runs, so that more than half of the hourly budget of 5,000 requests is left for all else."""


def for_checks(limits: WriteLimits) -> WriteLimits:
    """The same pace; of an hour's requests they may have more than content."""
    return limits if limits.per_hour is None else replace(limits, per_hour=max(limits.per_hour, CHECKS_PER_HOUR))


UNLIMITED = WriteLimits(per_second=1e6, burst=1_000_000, per_minute=None, per_hour=None)
"""For servers without such limits."""


class WriteBucket:
    """Gives every write its moment. Times are seconds of `clock`, which never goes back."""

    def __init__(
        self,
        limits: WriteLimits,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._sleep = sleep
        self._next = 0.0
        self._tails: dict[Urgency, float] = {}
        windows = ((limits.per_minute, 60), (limits.per_hour, 3600))  # the most, and of how many seconds
        self._windows = [(most, seconds) for most, seconds in windows if most is not None]
        self._sent: deque[float] = deque(maxlen=max((most for most, _ in self._windows), default=0))

    async def turn(self, request: str, now: float) -> None:
        """Wait for this write's moment; `now` is the wall clock's time, for the error.

        Raises RateLimited, and takes no place, when it is further away than the limits' patience. Those who are put off
        are told to come one after the other: hundreds that came at the same moment would come for one place.
        """
        slot = self.check(request, now)
        wait = slot - self._clock()
        self._take(slot)
        if wait > 0:
            await self._sleep(wait)

    def check(self, request: str, now: float) -> float:
        """The moment that `turn` would wait for. Raises as it does."""
        slot, pace = self._slot()
        if slot - self._clock() > self._limits.patience:
            until = moment(now + self._put_off(slot, pace) - self._clock())
            raise RateLimited(request, "writes are spread over time to stay under GitHub's limits", until)
        return slot

    def _slot(self) -> tuple[float, float]:
        """The next moment for a write, and the seconds between two under the limit that says so."""
        limits, sent = self._limits, self._sent
        slot, pace = max(self._clock(), self._next - (limits.burst - 1) / limits.per_second), 1 / limits.per_second
        for most, seconds in self._windows:
            own = max(1, int(most * (1 - KEPT_BACK[present_urgency()])))
            if len(sent) >= own and sent[-own] + seconds > slot:
                slot, pace = sent[-own] + seconds, seconds / own
        return slot, pace

    def _put_off(self, slot: float, pace: float) -> float:
        """Behind those of the same urgency that were put off before."""
        urgency = present_urgency()
        tail = max(slot, min(self._tails.get(urgency, 0.0) + pace, slot + LONGEST_TAIL))
        self._tails[urgency] = tail
        return tail

    def _take(self, slot: float) -> None:
        self._next = max(slot, self._next) + 1 / self._limits.per_second
        self._sent.append(slot)


def moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 16 else None


def skew(date: str | None, now: float) -> float:
    """Seconds by which our clock is ahead of the one that wrote the `Date` header; 0 when there is none.

    The header has whole seconds and is a moment old, so a difference of a few seconds is no skew.
    """
    said = _date(date)
    return 0.0 if said is None or abs(now - said) < SMALLEST_SKEW else now - said


def other_clock(date: str | None, now: float, ahead: float) -> float | None:
    """How far ahead to take our clock to be once GitHub refused what was signed by `ahead`; None to leave it at that.

    The `Date` of the refusal may be of a machine in front of GitHub Enterprise: where signing by it was of no use, our
    own clock may be right.
    """
    others = (other for other in (skew(date, now), 0.0) if abs(other - ahead) >= SMALLEST_SKEW)
    return next(others, None)


def _retry_after(answer: Answered, now: float) -> float | None:
    """Seconds to wait: the header is a number of seconds or an HTTP date."""
    text = answer.headers.get("retry-after")
    if text is None:
        return None
    seconds = _number(text)
    if seconds is not None:
        return float(seconds)
    until = _date(text)
    return FIRST_WAIT if until is None else until + skew(answer.headers.get("date"), now) - now


def _date(text: str | None) -> float | None:
    if text is None or len(text) > LONGEST_DATE:
        return None
    try:
        said = parsedate_to_datetime(text)
        # Without a zone, as in one of the three forms, it is in universal time too.
        return (said if said.tzinfo is not None else said.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
