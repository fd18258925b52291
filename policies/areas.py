"""What the areas of the policy ask for beyond their risk: reviewers of their own, and whether the code must be read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from checks.approvals import Approval, count
from checks.electorate import Electorate
from checks.finding import Finding, Fix, errored, needs_person, passed
from checks.snapshot import Snapshot
from checks.unread import Unread
from policies.conditions import electorate_of
from policies.schema import Policy

CHECK = "review.area"


@dataclass(frozen=True, slots=True)
class AreaRuling:
    """`waits_for` are the people still asked, `counted` logins whose approval counts for some area."""

    findings: tuple[Finding, ...] = ()
    waits_for: tuple[Electorate, ...] = ()
    counted: tuple[str, ...] = ()


def reads_code(policy: Policy, touched: Iterable[str]) -> tuple[str, ...]:
    """Those of the touched areas whose approvals must come from the code itself, in the order given."""
    areas = policy.risk.areas
    return tuple(name for name in touched if name in areas and areas[name].review == "code")


def rule_areas(policy: Policy, snapshot: Snapshot, touched: Collection[str], given: Iterable[Approval]) -> AreaRuling:
    """One approval of each touched area's own reviewers. `given` are the approvals that stand."""
    approvals = tuple(given)
    judged = [_judged(name, who, snapshot, approvals) for name, who in _reviewers(policy, touched)]
    return AreaRuling(
        tuple(finding for finding, _, _ in judged),
        tuple(dict.fromkeys(who for _, who, counted in judged if not counted)),
        tuple(dict.fromkeys(login for _, _, counted in judged for login in counted)),
    )


def _reviewers(policy: Policy, touched: Collection[str]) -> Iterator[tuple[str, Electorate]]:
    for name, area in policy.risk.areas.items():
        if name in touched and area.reviewers is not None:
            yield name, electorate_of(area.reviewers)


def _judged(
    name: str, who: Electorate, snapshot: Snapshot, approvals: Iterable[Approval]
) -> tuple[Finding, Electorate, tuple[str, ...]]:
    found = count(snapshot, approvals, who)
    if found.counted:
        return passed(CHECK, f"The area {name} is approved by {', '.join(found.counted)}."), who, found.counted
    if isinstance(snapshot.reviews, Unread) and not snapshot.reviews.offline:
        fix = Fix("wait", "Nothing to do; the gate reads them again by itself.")
        return errored(CHECK, f"The reviews could not be read: {snapshot.reviews.because}.", fix=fix), who, ()
    fix = Fix("ask-person", f"Ask for approval by {who.words}, of this very head.")
    return needs_person(CHECK, f"The area {name} waits for an approval by {who.words}.", fix=fix), who, ()
