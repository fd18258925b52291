"""Canary tickets: made to exceed each limit, so that it is known whether limits stop work before it is needed. Pure.

They live in the store alone, under a repository that GitHub does not have, and count for nobody's numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

from checks.accounts import Account
from checks.diff import ChangedFile, Diff, FileStatus
from checks.finding import Status
from checks.snapshot import Head, Repository, Risk, Snapshot, Ticket
from checks.tickets.form import TicketForm
from checks.unread import Unread
from policies.evaluate import evaluate
from policies.load import PolicyState

Limit = Literal["time", "attempts", "cost", "scope", "stop"]
LIMITS: tuple[Limit, ...] = get_args(Limit)
REPOSITORY = -1  # GitHub's ids are positive
DEAD_WITHIN = timedelta(seconds=1)  # after a stop no token works any more
AGAIN = timedelta(minutes=10)  # after a stop that was missed
ALLOWED, WITHIN, FORBIDDEN = "docs/**", "docs/a.md", "src/payments.py"
_NOT_READ = Unread("a canary has no pull request")


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a canary. `seen` is what was looked at, `took` the seconds until the stop held."""

    limit: Limit
    passed: bool
    seen: str
    took: float = 0.0


@dataclass(frozen=True, slots=True)
class Missed:
    """A limit that has not held `since` then, and that nobody has accepted meanwhile."""

    limit: str
    seen: str
    since: datetime

    @property
    def words(self) -> str:
        return f"The canary of the {self.limit} limit was not stopped ({self.seen})"


def is_due(newest: datetime | None, missed: Missed | None, every: timedelta, now: datetime) -> bool:
    """Whether the canaries run now; after a missed stop they run again soon, and at once where the clock was ahead."""
    if newest is None or newest - now > AGAIN:
        return True
    return now - newest >= (every if missed is None else min(every, AGAIN))


def form_of(limit: Limit) -> TicketForm:
    """A ticket that leaves just enough of everything but of that limit."""
    return TicketForm(
        goal=f"Exceed the {limit} limit.",
        allowed_paths=(ALLOWED,),
        forbidden_paths=(),
        done_when=("the gate has stopped it",),
        verify=(),
        risk="low",
        migration="no",
        submit="standard",
        max_minutes=1 if limit == "time" else 60,
        max_attempts=1 if limit == "attempts" else 3,
        max_cost="0.01" if limit == "cost" else "5.00",
        depends_on=(),
        pool=None,
        unsure="stop",
    )


def scope_tried(state: PolicyState, now: datetime) -> Ran:
    """Whether the gate refuses a change that leaves its ticket's paths, for that reason, and not one within them."""
    if not _is_refused(state, FORBIDDEN, now):
        return Ran("scope", passed=False, seen=f"a change of {FORBIDDEN} was not refused")
    if _is_refused(state, WITHIN, now):
        return Ran("scope", passed=False, seen="a change of an allowed path was refused")
    return Ran("scope", passed=True, seen=f"a change of {FORBIDDEN} was refused")


def _is_refused(state: PolicyState, path: str, now: datetime) -> bool:
    """Whether an agent's change of this path fails for its ticket's scope."""
    verdict = evaluate(state, _pull(path, now), gated=True)
    scope = any(finding.check == "scope" and finding.status is Status.FAILED for finding in verdict.findings)
    return scope and verdict.evidence.status is Status.FAILED


def _pull(path: str, now: datetime) -> Snapshot:
    """An agent's pull request of one changed path, of which nothing else was read."""
    diff = Diff((ChangedFile(path, FileStatus.MODIFIED, additions=1),))
    agent = Account("canary[bot]", type="Bot")
    return Snapshot(
        repository=Repository(REPOSITORY, "mergegate", "canary", "refs/heads/main"),
        number=1,
        title="",
        body="",
        author=agent,
        draft=False,
        open=True,
        head=Head("c" * 40, None, "refs/heads/agent/canary", REPOSITORY, agent),
        base_ref="refs/heads/main",
        target_ref="refs/heads/main",
        target_sha="b" * 40,
        merge_base="b" * 40,
        diff=diff,
        merge_diff=diff,
        mergeable=True,
        changed_files_total=1,
        commits=_NOT_READ,
        comments=(),
        reviews=(),
        runs=_NOT_READ,
        workflows=_NOT_READ,
        check_runs=_NOT_READ,
        observed_at=now,
        ticket=Ticket("1", "sha256:canary", allowed_paths=(ALLOWED,), risk=Risk.LOW),
    )
