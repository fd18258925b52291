"""What happens next to a ticket by itself, told from what is known of its issue, its attempt and its pull request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from checks.finding import Status
from policies.ticket_section import TicketRules
from policies.tickets.limits import Limits, Used, hit, no_attempt
from policies.tickets.states import AT_WORK, Event, Position, State, step


@dataclass(frozen=True, slots=True)
class Attempt:
    """The attempt under way. `alive_at` is the newest sign of life.

    `session_live` is None where it has no session: such an agent cannot give signs, so only its time limit ends it.
    """

    claimed_at: datetime
    started_at: datetime | None
    alive_at: datetime
    session_live: bool | None = None


@dataclass(frozen=True, slots=True)
class PullFacts:
    """The ticket's pull request. `evidence` is the verdict on `head_sha`, None while there is none."""

    open: bool
    merged: bool
    draft: bool
    head_sha: str
    evidence: Status | None = None
    reason: str = ""  # of that verdict
    queued: bool = False
    reverted: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that decides what is next. `judged_sha` is the head of the last change that was about one."""

    now: datetime
    position: Position
    since: datetime
    entered_by: Event | None
    issue_open: bool
    limits: Limits
    used: Used
    rules: TicketRules
    paused: bool = False
    attempt: Attempt | None = None
    pull: PullFacts | None = None
    judged_sha: str | None = None
    failed_sha: str | None = None
    rejected_sha: str | None = None  # the head that a person sent back last
    open_questions: int = 0
    session_live: bool = False  # any of the ticket's
    failed_again: bool = False  # as it had failed before, since a person let it go on last


@dataclass(frozen=True, slots=True)
class Next:
    """An event with its reason, and the commit that it is about."""

    event: Event
    because: str
    sha: str | None = None


def next_event(facts: Facts) -> Next | None:
    """The first thing that changes the ticket; None where it stays as it is."""
    found = _fact(facts) or _limit(facts) or _BY_STATE.get(facts.position.state, _nothing)(facts)
    return found if found is not None and step(facts.position, found.event) is not None else None


def stalled(facts: Facts) -> bool:
    """Whether the agent has been silent for so long that its attempt may soon be ended."""
    attempt = facts.attempt
    if attempt is None or attempt.started_at is None or facts.position.state is not State.RUNNING:
        return False
    return facts.now - attempt.alive_at >= timedelta(minutes=facts.rules.silent_after)


def _nothing(_: Facts) -> Next | None:
    return None


def _fact(facts: Facts) -> Next | None:
    """What happened on GitHub, whatever was planned here."""
    pull, state = facts.pull, facts.position.state
    if pull is not None and pull.merged and step(facts.position, Event.MERGED) is not None:
        return Next(Event.MERGED, "its pull request was merged", pull.head_sha)
    if not facts.issue_open and step(facts.position, Event.CANCEL) is not None:
        return Next(Event.CANCEL, "its issue was closed")
    if facts.issue_open and state is State.CANCELLED:
        return Next(Event.REOPENED, "its issue was opened again")
    return None


def _limit(facts: Facts) -> Next | None:
    if facts.attempt is None or facts.position.state not in AT_WORK:
        return None
    because = hit(facts.limits, facts.used)
    return None if because is None else Next(Event.CAP, because)


def _waiting(facts: Facts) -> Next | None:
    because = no_attempt(facts.limits, facts.used)
    return None if because is None else Next(Event.EXHAUSTED, because)


def _running(facts: Facts) -> Next | None:
    pull, attempt = facts.pull, facts.attempt
    if pull is not None and _is_submitted(facts, pull):
        return Next(Event.SUBMITTED, "a head was brought", pull.head_sha)
    if attempt is None:
        return _over(facts, "no attempt is under way")
    if attempt.session_live is False:
        return _over(facts, "its session ended")
    silent = facts.now - attempt.alive_at
    if attempt.started_at is None:
        late = silent >= timedelta(minutes=facts.rules.start_within)
        return Next(Event.NOT_STARTED, "the agent did not begin in time") if late else None
    if attempt.session_live is None:
        return None
    if silent >= timedelta(minutes=facts.rules.ended_after):
        return _over(facts, f"the agent gave no sign of life for {facts.rules.ended_after} minutes")
    return None


def _is_submitted(facts: Facts, pull: PullFacts) -> bool:
    """A head that failed before is no new one, unless it passes by now; one that a person rejected never is."""
    fresh = pull.head_sha != facts.failed_sha or pull.evidence is Status.PASSED
    return pull.open and not pull.draft and fresh and pull.head_sha != facts.rejected_sha


def _over(facts: Facts, because: str) -> Next:
    spent = no_attempt(facts.limits, facts.used)
    return Next(Event.RELEASED, because) if spent is None else Next(Event.EXHAUSTED, f"{because}, and {spent}")


def _verifying(facts: Facts) -> Next | None:
    pull = facts.pull
    if pull is None or not pull.open:
        return _closed(pull)
    if pull.evidence is Status.PASSED:
        return Next(Event.PASSED, "its evidence passed", pull.head_sha)
    if pull.evidence is Status.FAILED:
        return Next(Event.FAILED, _because("its evidence failed", pull), pull.head_sha)
    return None


def _because(words: str, pull: PullFacts) -> str:
    return f"{words}: {pull.reason}" if pull.reason else words


def _closed(pull: PullFacts | None) -> Next | None:
    return None if pull is None else Next(Event.PULL_CLOSED, "its pull request was closed", pull.head_sha)


def _failed(facts: Facts) -> Next | None:
    pull = facts.pull
    if pull is not None and not pull.open:
        return _closed(pull)
    if pull is not None and pull.evidence is Status.PASSED and pull.head_sha != facts.rejected_sha:
        return Next(Event.PASSED, "its evidence passed", pull.head_sha)
    because = no_attempt(facts.limits, facts.used)
    if because is not None:
        return Next(Event.EXHAUSTED, because)
    if facts.failed_again:
        return Next(Event.REPEATED, "it failed again as it had failed before", facts.failed_sha)
    if facts.paused:
        return None
    if facts.session_live:
        return Next(Event.RESUMED, "it goes back to its agent")
    return Next(Event.RELEASED, "it waits for an agent again")


def _mergeable(facts: Facts) -> Next | None:
    pull = facts.pull
    if pull is None or not pull.open:
        return _closed(pull)
    if pull.evidence is Status.FAILED:
        return Next(Event.FAILED, _because("its evidence does not hold any more", pull), pull.head_sha)
    if pull.head_sha != facts.judged_sha:
        return _another_head(facts, pull)
    if facts.position.state is State.QUEUED:
        return None if pull.queued else Next(Event.DEQUEUED, "it is out of the queue")
    return Next(Event.ENQUEUED, "it is in the queue", pull.head_sha) if pull.queued else None


def _another_head(facts: Facts, pull: PullFacts) -> Next:
    """A push after the work had passed is another attempt."""
    spent = no_attempt(facts.limits, facts.used)
    if spent is not None:
        return Next(Event.CAP, f"another head was brought, and {spent}", pull.head_sha)
    return Next(Event.SUBMITTED, "another head was brought", pull.head_sha)


def _needs_human(facts: Facts) -> Next | None:
    if facts.entered_by is not Event.ASKED or facts.open_questions:
        return None
    if facts.session_live:
        return Next(Event.ANSWERED, "its question was answered")
    return Next(Event.RELEASED, "its question was answered, and it waits for an agent")


def _merged(facts: Facts) -> Next | None:
    if facts.pull is not None and facts.pull.reverted:
        return Next(Event.REVERTED, "a later commit reverts it")
    if facts.now - facts.since >= timedelta(days=facts.rules.settled_after):
        return Next(Event.SETTLED, f"it stood for {facts.rules.settled_after} days")
    return None


_BY_STATE: Mapping[State, Callable[[Facts], Next | None]] = {
    State.WAITING: _waiting,
    State.RUNNING: _running,
    State.VERIFYING: _verifying,
    State.VERIFY_FAILED: _failed,
    State.MERGEABLE: _mergeable,
    State.QUEUED: _mergeable,
    State.NEEDS_HUMAN: _needs_human,
    State.MERGED: _merged,
    State.SETTLED: _merged,
}
