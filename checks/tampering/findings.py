"""What the analysis comes to: findings `tampering.<kind>`, the heaviest first, and what the bundle may say about them.

A bundle can declare tests that are gone, skipped or weaker now. A declaration settles nothing by itself: what would
fail is held for a person instead. Nothing that stands in the changed sources is heeded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from checks.bundle import Bundle
from checks.finding import Evidence, Finding, Fix, errored, failed, needs_person, passed, pending, skipped
from checks.tampering.alteration import Alteration, Analysis, Weight
from checks.tampering.places import is_test_path
from checks.tampering.words import last_part
from checks.unread import Unread

CHECK = "tampering"
_MOST_FINDINGS = 10
_SHOWN = 10  # places of one finding
_TOLD = 3  # of these in its sentence
_Declared = Literal["removed", "skipped", "weakened"]
_DECLARABLE: dict[str, _Declared] = {
    "test-removed": "removed",
    "test-uncollected": "removed",
    "rows-removed": "removed",
    "test-skipped": "skipped",
    "test-may-fail": "skipped",
    "test-emptied": "weakened",
    "assertion-removed": "weakened",
    "assertion-weakened": "weakened",
    "assertion-swallowed": "weakened",
}
_REVIEW = Fix("ask-person", "Ask for a review of these changes to tests.")


def check(analysis: Analysis | Unread | None, bundle: Bundle | None) -> tuple[Finding, ...]:
    """One finding for each kind of alteration, and `tampering` itself where nothing fails or needs a person."""
    if analysis is None:
        return (skipped(CHECK, "No analysis of the changed tests was asked for."),)
    if isinstance(analysis, Unread):
        return (_unread(analysis),)
    weighed = [_weighed(alteration, analysis.alterations, bundle) for alteration in analysis.alterations]
    held = [*_groups(weighed, Weight.FAILED), *_groups(weighed, Weight.PERSON), *_not_analysed(analysis)]
    worth_knowing = list(_groups(weighed, Weight.RISK))
    return tuple(_limited([*(held or [_nothing(analysis)]), *worth_knowing]))


def _unread(unread: Unread) -> Finding:
    reason = f"The changed files could not be analysed: {unread.because}."
    if unread.offline:
        return pending(CHECK, reason, fix=Fix("open-pull-request", "Open a pull request; the gate analyses it."))
    return errored(CHECK, reason, fix=Fix("wait", "Nothing to do; the gate looks again by itself."))


def _nothing(analysis: Analysis) -> Finding:
    before, after = analysis.tests_before, analysis.tests_after
    return passed(CHECK, f"Nothing weakens the tests: the changed files hold {before} before and {after} after.")


def _weighed(alteration: Alteration, among: Iterable[Alteration], bundle: Bundle | None) -> Alteration:
    """What would fail needs a person where the bundle declares it."""
    field = _DECLARABLE.get(alteration.kind)
    if alteration.weight is not Weight.FAILED or field is None or bundle is None or bundle.tests is None:
        return alteration
    declared: int | tuple[str, ...] = getattr(bundle.tests, field)
    if isinstance(declared, int):
        found = sum(other.weight is not Weight.RISK and _DECLARABLE.get(other.kind) == field for other in among)
        is_declared = declared >= found
    else:
        is_declared = not _names(alteration).isdisjoint(declared)
    return replace(alteration, weight=Weight.PERSON) if is_declared else alteration


def _names(alteration: Alteration) -> frozenset[str]:
    """How a bundle may call it: `test_total`, `TestCart.test_total`, `tests/test_cart.py::TestCart::test_total`, …"""
    path, subject = alteration.path, alteration.subject
    parts = subject.replace(".", "::")
    return frozenset({subject, last_part(subject), parts, f"{path}::{subject}", f"{path}::{parts}", path})


def _groups(alterations: Iterable[Alteration], weight: Weight) -> Iterator[Finding]:
    kinds: dict[str, list[Alteration]] = defaultdict(list)
    for alteration in alterations:
        if alteration.weight is weight:
            kinds[alteration.kind].append(alteration)
    for kind, group in kinds.items():
        yield _finding(f"{CHECK}.{kind}", weight, _told(group), group)


def _finding(check: str, weight: Weight, reason: str, group: Sequence[Alteration]) -> Finding:
    evidence = [_evidence(alteration) for alteration in group[:_SHOWN]]
    if weight is Weight.FAILED:
        return failed(check, reason, *evidence, fix=_fix(group[0].kind))
    if weight is Weight.PERSON:
        return needs_person(check, reason, *evidence, fix=_REVIEW)
    return passed(check, reason, *evidence)


def _told(group: Sequence[Alteration]) -> str:
    places = [f"{_place(alteration)}: {alteration.reason}" for alteration in group[:_TOLD]]
    more = [f"And {len(group) - _TOLD} more."] if len(group) > _TOLD else []
    return " ".join([*places, *more])


def _place(alteration: Alteration) -> str:
    return f"`{alteration.path}`" if alteration.line is None else f"`{alteration.path}` line {alteration.line}"


def _evidence(alteration: Alteration) -> Evidence:
    label = f"before: {alteration.before or 'nothing'}; after: {alteration.after or 'nothing'}"
    return Evidence(label, path=alteration.path, start_line=alteration.line, end_line=alteration.line)


def _fix(kind: str) -> Fix:
    field = _DECLARABLE.get(kind)
    if field is None:
        return Fix("push", "Take this out again; it keeps tests from judging the change.")
    text = f"Restore what was there, or name it in the bundle under tests.{field}, so that a person can accept it."
    return Fix("push", text, f"tests.{field}")


def _not_analysed(analysis: Analysis) -> Iterator[Finding]:
    unread = [(path, why) for path, why in analysis.unread if is_test_path(path)]
    if unread:
        listed = "; ".join(f"`{path}`: {why}" for path, why in unread[:_TOLD])
        more = f"; and {len(unread) - _TOLD} more" if len(unread) > _TOLD else ""
        evidence = [Evidence(why, path=path) for path, why in unread[:_SHOWN]]
        yield needs_person(f"{CHECK}.unread", f"Tests could not be analysed: {listed}{more}.", *evidence, fix=_REVIEW)
    if analysis.cut:
        reason = "The change alters more than the analysis can list, so it was not analysed as a whole."
        yield needs_person(f"{CHECK}.cut", reason, fix=Fix("split-pull-request", "Split the change into smaller ones."))


def _limited(findings: Sequence[Finding]) -> Iterator[Finding]:
    """The first ones; what follows is told together, as the heaviest of it."""
    yield from findings[: _MOST_FINDINGS - 1]
    rest = findings[_MOST_FINDINGS - 1 :]
    if len(rest) > 1:
        kinds = ", ".join(finding.check.removeprefix(f"{CHECK}.") for finding in rest[1:])
        yield replace(rest[0], reason=f"{rest[0].reason} There is more: {kinds}.")
    else:
        yield from rest
