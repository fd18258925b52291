"""Whether the head of a session's branch came through that session of the proxy, and what its commits touched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from checks.accounts import Account
from checks.finding import Evidence, Finding, Fix, failed, needs_person, passed
from checks.paths import PathPatterns
from checks.snapshot import BranchSession, CommitPath, Snapshot, Ticket
from checks.steering import STEERING
from checks.unread import Unread

ORIGIN, COMMITS = "origin", "scope.commits"
OutsideWord = Literal["refuse", "ask", "allow"]
_SHOWN = 10


def check(snapshot: Snapshot, outside: OutsideWord) -> tuple[Finding, ...]:
    """The finding `origin`; none where the branch belongs to no session.

    `outside` says what becomes of a head that was pushed past the session to which its branch belongs.
    """
    session = snapshot.session
    return () if session is None else (_origin(snapshot, session, outside),)


def _origin(snapshot: Snapshot, session: BranchSession, outside: OutsideWord) -> Finding:
    if session.brought_head:
        return passed(ORIGIN, f"The head came through session {session.id} of `{session.agent}`.")
    reason = (
        f"The head {snapshot.head.sha[:12]} did not come through session {session.id} of `{session.agent}`, to which "
        f"its branch belongs{_by(snapshot)}."
    )
    if outside == "allow":
        return passed(ORIGIN, f"{reason} The policy allows that.")
    if outside == "ask":
        return needs_person(ORIGIN, reason, fix=Fix("ask-person", "A person has to look at that push and approve."))
    return failed(ORIGIN, reason, fix=Fix("push", "Push a commit through the proxy; GitHub then shows its head."))


def _by(snapshot: Snapshot) -> str:
    pusher = snapshot.head.pusher
    return f": @{pusher.login} pushed it" if isinstance(pusher, Account) else ""


def commits(snapshot: Snapshot) -> tuple[Finding, ...]:
    """The finding `scope.commits`; none where the commits were not listed.

    Paths that only single commits touch leave nothing when they are merged, but a push starts their workflows.
    """
    passing = snapshot.passing_paths
    if passing is None:
        return ()
    if isinstance(passing, Unread):
        reason = f"The single commits could not be looked at: {passing.because}."
        fix = Fix("push", "Squash them into fewer commits, or ask a person to look.")
        return (needs_person(COMMITS, reason, fix=fix),)
    return (_touched(tuple(_wrong(passing, snapshot.ticket))),)


def _touched(wrong: tuple[tuple[CommitPath, str], ...]) -> Finding:
    if not wrong:
        return passed(COMMITS, "No single commit touches more than the whole change may.")
    listed = "; ".join(f"`{one.path}` in {one.sha[:12]} {why}" for one, why in wrong[:_SHOWN])
    more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
    evidence = tuple(Evidence(f"commit {one.sha[:12]}", path=one.path, digest=one.sha) for one, _ in wrong[:_SHOWN])
    fix = Fix("push", "Rebase so that no commit touches these paths, and push again.")
    return failed(COMMITS, f"The whole change does not show it, but a commit does: {listed}{more}.", *evidence, fix=fix)


def _wrong(passing: tuple[CommitPath, ...], ticket: Ticket | None) -> Iterator[tuple[CommitPath, str]]:
    steering = PathPatterns(STEERING["ci"] + STEERING["gate"])
    allowed = PathPatterns(_readable(ticket.allowed_paths if ticket else ()))
    forbidden = PathPatterns(_readable(ticket.forbidden_paths if ticket else ()))
    for one in passing:
        if steering.matches(one.path):
            yield one, "steers workflows or the gate"
        elif forbidden.matches(one.path) or (allowed.patterns and not allowed.matches_exactly(one.path)):
            yield one, "is outside the ticket"


def _readable(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """A ticket whose paths cannot be read is told of by `scope`."""
    try:
        PathPatterns(patterns)
    except ValueError:
        return ()
    return patterns
