"""What GitHub's own rules ask of reviewers beside the policy: explained where they hold up, never asked twice."""

from __future__ import annotations

from collections.abc import Iterator

from checks import agents
from checks.accounts import Account
from checks.finding import Finding, skipped
from checks.native_rules import NativeReviews
from checks.snapshot import Snapshot
from checks.unread import Unread

CHECK = "review.github"


def explained(snapshot: Snapshot) -> Finding | None:
    """What else GitHub waits for; None where its rules ask for nothing, or it was not asked because nothing waits."""
    native = snapshot.native_reviews
    if native is None:
        return None
    if isinstance(native, Unread):
        return skipped(CHECK, f"GitHub holds the merge up, and its own rules could not be read: {native.because}.")
    wanted = ", ".join(_wanted(native, snapshot))
    if not wanted:
        return None
    return skipped(
        CHECK,
        f"GitHub's own rules also ask for {wanted}. GitHub counts the approvals of bots where it is told to; the gate "
        "never does.",
    )


def _wanted(native: NativeReviews, snapshot: Snapshot) -> Iterator[str]:
    author = snapshot.author
    by_agent = isinstance(author, Account) and author.is_bot and agents.agent_account(author) == "Copilot"
    extra = native.extra_for_agents and by_agent and native.approvals > 0
    count = native.approvals + (1 if extra else 0)
    if count:
        because = " (one of them because an agent opened it under its own name)" if extra else ""
        yield f"{count} approval{'s' if count > 1 else ''}{because}"
    if native.code_owners:
        yield "an approval of a code owner of each touched path"
    if native.last_push:
        yield "an approval by somebody else than whoever pushed last"
    if native.threads:
        yield "every conversation to be resolved"
    for team in native.teams:
        if team.approvals:
            yield f"{team.approvals} by the team with id {team.team_id} where {', '.join(team.patterns[:3])} changes"
