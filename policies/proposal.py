"""The finding about a pull request that changes the policy file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from checks.finding import Evidence, Finding, Fix, errored, failed, passed, pending
from checks.snapshot import PolicyProposal
from checks.unread import Unread
from policies.schema import POLICY_PATH

CHECK = "policy.check"
_SHOWN = 10  # pull requests named for one kind of change
_OPEN = Fix("open-pull-request", "Open a pull request; the gate reads it there.")


def policy_check(proposal: PolicyProposal | Unread | None) -> Finding | None:
    """Finding `policy.check`; None where the policy file is not changed."""
    if proposal is None:
        return None
    at = Evidence("policy of this pull request", path=POLICY_PATH)
    if isinstance(proposal, Unread):
        reason = f"The policy file of this pull request could not be read: {proposal.because}."
        if proposal.offline:
            return pending(CHECK, reason, at, fix=_OPEN)
        return errored(CHECK, reason, at, fix=Fix("wait", "Nothing to do: the gate looks again by itself."))
    if proposal.faults:
        more = f" There are {len(proposal.faults) - 1} more." if proposal.faults[1:] else ""
        reason = f"The policy file of this pull request cannot be used: {proposal.faults[0]}{more}"
        return failed(CHECK, reason, at, fix=Fix("repair-policy", f"Repair `{POLICY_PATH}` and push again."))
    kind = "This pull request deletes the policy file." if proposal.deleted else "The new policy can be used."
    return passed(CHECK, f"{kind} {_effect(proposal)}", at)


def _effect(proposal: PolicyProposal) -> str:
    looked = f"{proposal.compared} of {proposal.total} open pull requests looked at"
    if not proposal.changes:
        return f"No verdict would change; {looked}."
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for change in proposal.changes:
        groups[change.before, change.after].append(change.number)
    parts = [f"{len(numbers)} from {old} to {new} ({_listed(numbers)})" for (old, new), numbers in groups.items()]
    return f"It would turn {' and '.join(parts)}; {looked}."


def _listed(numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - _SHOWN} more" if len(numbers) > _SHOWN else ""
    return ", ".join(f"#{number}" for number in numbers[:_SHOWN]) + more
