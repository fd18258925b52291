"""What changed between two verdicts on one pull request, in sentences for its history."""

from __future__ import annotations

from collections.abc import Iterator

from checks.finding import Status
from policies.verdict import Node, Verdict

_SHORT = 12  # of an object id, as git's own abbreviations have it at least
_DIGEST = 19  # `sha256:` and twelve digits


def changes(before: Verdict, after: Verdict) -> tuple[str, ...]:
    """One sentence for each difference that a person would ask about; empty where both say the same.

    Words from the pull request (logins, branch names, areas) are not escaped.
    """
    return (*_judged(before, after), *_approvals(before, after), *_checks(before, after))


def _judged(before: Verdict, after: Verdict) -> Iterator[str]:
    if before.head_sha != after.head_sha:
        yield f"The head moved from {before.head_sha[:_SHORT]} to {after.head_sha[:_SHORT]}."
    if before.target_ref != after.target_ref:
        yield f"The target changed from {before.target_ref} to {after.target_ref}."
    if before.policy_digest != after.policy_digest:
        yield f"The policy changed from {before.policy_digest[:_DIGEST]} to {after.policy_digest[:_DIGEST]}."
    if before.bundle_digest != after.bundle_digest:
        yield _came_or_went("evidence bundle", before.bundle_digest, after.bundle_digest)
    if before.ticket_digest != after.ticket_digest:
        yield _came_or_went("accepted ticket", before.ticket_digest, after.ticket_digest)
    if before.risk is not after.risk:
        yield f"The risk changed from {before.risk.word} to {after.risk.word}."
    if before.kind != after.kind:
        yield f"It is judged as {_kind(after)} and no longer as {_kind(before)}."


def _came_or_went(what: str, before: str | None, after: str | None) -> str:
    if before is None:
        return f"An {what} was given."
    return f"The {what} is gone." if after is None else f"The {what} changed."


def _kind(verdict: Verdict) -> str:
    words = {"agent": "an agent's", "person": "a person's", "outsider": "an outsider's"}
    return words.get(verdict.kind, "a dependency bot's")


def _approvals(before: Verdict, after: Verdict) -> Iterator[str]:
    for login in sorted(set(before.approved_by) - set(after.approved_by)):
        yield f"The approval by @{login} no longer counts."
    for login in sorted(set(after.approved_by) - set(before.approved_by)):
        yield f"The approval by @{login} counts."


def _checks(before: Verdict, after: Verdict) -> Iterator[str]:
    old, new = _statuses(before), _statuses(after)
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name, Status.SKIPPED), new.get(name, Status.SKIPPED)
        if was is not now:
            yield f"{name}: {was.value} became {now.value}."


def _statuses(verdict: Verdict) -> dict[str, Status]:
    """The branches right below the two check runs; what is not there does not apply."""
    nodes: tuple[Node, ...] = verdict.evidence.children + verdict.review.children
    return {node.name: node.status for node in nodes}
