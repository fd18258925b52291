"""Cases of a table held against a policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from checks.unread import Unread
from policies.case_sections import CaseTable, Expected, PolicyCase
from policies.evaluate import evaluate
from policies.example import assumed_of, example
from policies.load import PolicyState
from policies.rules import organizations_named, teams_named
from policies.verdict import Verdict


@dataclass(frozen=True, slots=True)
class CaseResult:
    """`differences` are sentences about what was not as expected; none: the case holds."""

    name: str
    differences: tuple[str, ...]
    verdict: Verdict


def run_cases(state: PolicyState, table: CaseTable) -> Iterator[CaseResult]:
    """Every case, in the order of the table."""
    for case in table.cases:
        verdict = _verdict(state, table, case)
        yield CaseResult(case.name, tuple(_differences(case.expect, verdict)), verdict)


def _verdict(state: PolicyState, table: CaseTable, case: PolicyCase) -> Verdict:
    of = example(case.given, table)
    teams: dict[str, frozenset[str] | Unread] = dict.fromkeys(teams_named(state.policy), frozenset())
    organizations: dict[str, frozenset[str] | Unread] = dict.fromkeys(organizations_named(state.policy), frozenset())
    of = replace(of, teams={**teams, **of.teams}, organizations={**organizations, **of.organizations})
    return evaluate(state, of, gated=True, assumed=assumed_of(case.given))


def _differences(expected: Expected, verdict: Verdict) -> Iterator[str]:
    found = {
        "verdict": verdict.status.value,
        "evidence": verdict.evidence.status.value,
        "review": verdict.review.status.value,
        "risk": verdict.risk.word,
    }
    for name, word in found.items():
        wanted = getattr(expected, name)
        if wanted is not None and wanted != word:
            yield f"{name}: expected {wanted}, got {word}{_because(verdict) if name != 'risk' else ''}"
    yield from _sets("areas", expected.areas, verdict.areas)
    yield from _sets("needed", expected.needed, verdict.needed)
    if expected.reason is not None and not any(expected.reason in each.reason for each in verdict.findings):
        yield f"reason: no finding says {expected.reason!r}{_because(verdict)}"
    yield from _rules(expected, verdict)


def _because(verdict: Verdict) -> str:
    roots = (verdict.evidence, verdict.review)
    return f" ({next(root.reason for root in roots if root.status is verdict.status or root is roots[1])})"


def _sets(name: str, wanted: tuple[str, ...] | None, found: tuple[str, ...]) -> Iterator[str]:
    if wanted is not None and set(wanted) != set(found):
        yield f"{name}: expected {', '.join(sorted(wanted)) or 'nobody'}, got {', '.join(sorted(found)) or 'nobody'}"


def _rules(expected: Expected, verdict: Verdict) -> Iterator[str]:
    found = {each.check.removeprefix("rules."): each for each in verdict.findings if each.check.startswith("rules.")}
    for name, word in expected.rules.items():
        if name not in found:
            yield f"rules.{name}: expected {word}, but no rule of that name holds by itself"
        elif found[name].status.value != word:
            yield f"rules.{name}: expected {word}, got {found[name].status.value} ({found[name].reason})"
