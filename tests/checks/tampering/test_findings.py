"""Findings of the analysis: what fails, what a bundle can turn into a question for a person, and how much is told."""

from __future__ import annotations

from typing import Any

import pytest

from checks.finding import Finding, Status
from checks.tampering.alteration import Alteration, Analysis, Weight
from checks.tampering.findings import check
from checks.unread import Unread
from tests.checks import build

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
PATH = "tests/test_cart.py"
SUBJECT = "TestCart.test_total"


def _one(kind: str = "test-removed", weight: Weight = FAILED, **more: Any) -> Alteration:
    given: dict[str, Any] = {"path": PATH, "line": 7, "before": "old", "after": "", "subject": SUBJECT, **more}
    return Alteration(kind=kind, reason=f"It is {kind}.", weight=weight, **given)


def _found(*alterations: Alteration, tests: dict[str, Any] | None = None, **more: Any) -> tuple[Finding, ...]:
    return check(Analysis(alterations, **more), build.bundle(tests=tests or {}))


def _told(findings: tuple[Finding, ...]) -> list[tuple[str, Status, bool]]:
    return [(one.check, one.status, one.needs_person) for one in findings]


def test_nothing_was_asked_for() -> None:
    (finding,) = check(None, None)
    assert (finding.check, finding.status) == ("tampering", Status.SKIPPED)
    assert finding.reason == "No analysis of the changed tests was asked for."


@pytest.mark.parametrize(
    ("offline", "status", "action"), [(True, Status.PENDING, "open-pull-request"), (False, Status.ERRORED, "wait")]
)
def test_unread_is_never_green(offline: bool, status: Status, action: str) -> None:
    (finding,) = check(Unread("GitHub answered 502", offline), None)
    assert (finding.check, finding.status, finding.needs_person) == ("tampering", status, False)
    assert finding.reason == "The changed files could not be analysed: GitHub answered 502."
    assert finding.fix is not None and finding.fix.action == action


def test_nothing_weakens_the_tests() -> None:
    (finding,) = _found(tests_before=3, tests_after=5)
    assert (finding.check, finding.status) == ("tampering", Status.PASSED)
    assert finding.reason == "Nothing weakens the tests: the changed files hold 3 before and 5 after."


def test_the_heaviest_come_first() -> None:
    found = _found(_one("timeout-changed", RISK), _one("expectation-changed", PERSON), _one("test-focused"))
    assert _told(found) == [
        ("tampering.test-focused", Status.FAILED, False),
        ("tampering.expectation-changed", Status.PENDING, True),
        ("tampering.timeout-changed", Status.PASSED, False),
    ]
    assert [one.fix and one.fix.action for one in found] == ["push", "ask-person", None]


def test_a_risk_leaves_the_check_itself_green() -> None:
    found = _found(_one("timeout-changed", RISK))
    wanted = [("tampering", Status.PASSED, False), ("tampering.timeout-changed", Status.PASSED, False)]
    assert _told(found) == wanted


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("test-removed", "removed"),
        ("test-uncollected", "removed"),
        ("rows-removed", "removed"),
        ("test-skipped", "skipped"),
        ("test-may-fail", "skipped"),
        ("test-emptied", "weakened"),
        ("assertion-removed", "weakened"),
        ("assertion-weakened", "weakened"),
        ("assertion-swallowed", "weakened"),
    ],
)
def test_what_is_declared_is_held_for_a_person(kind: str, field: str) -> None:
    (declared,) = _found(_one(kind), tests={field: 1})
    assert (declared.status, declared.needs_person) == (Status.PENDING, True)
    others = {"removed", "skipped", "weakened"} - {field}
    (undeclared,) = _found(_one(kind), tests=dict.fromkeys(others, 9))
    assert undeclared.status is Status.FAILED
    assert undeclared.fix is not None and undeclared.fix.field == f"tests.{field}"
    assert f"tests.{field}" in undeclared.fix.text


def test_what_no_bundle_can_declare() -> None:
    (finding,) = _found(_one("test-focused"), tests={"removed": 9, "skipped": 9, "weakened": 9})
    assert finding.status is Status.FAILED
    assert finding.fix is not None and finding.fix.field is None


@pytest.mark.parametrize("tests", [None, {}])
def test_without_a_declaration(tests: dict[str, Any] | None) -> None:
    (finding,) = check(Analysis((_one(),)), build.bundle(tests=tests) if tests is not None else None)
    assert finding.status is Status.FAILED


@pytest.mark.parametrize(("declared", "status"), [(1, Status.FAILED), (2, Status.PENDING), (3, Status.PENDING)])
def test_a_declared_number_covers_all_of_them_or_none(declared: int, status: Status) -> None:
    """Risks of the same kind do not count, nor do alterations that another field declares."""
    other = _one("test-skipped", PERSON)
    found = _found(_one(), _one("rows-removed"), _one(weight=RISK), other, tests={"removed": declared})
    assert {one.status for one in found if one.check != "tampering.test-skipped"} == {status, Status.PASSED}


@pytest.mark.parametrize(
    "name",
    [
        "test_total",
        "TestCart.test_total",
        "TestCart::test_total",
        "tests/test_cart.py::TestCart.test_total",
        "tests/test_cart.py::TestCart::test_total",
        "tests/test_cart.py",
    ],
)
def test_a_declared_name(name: str) -> None:
    assert [one.status for one in _found(_one(), tests={"removed": ["test_other", name]})] == [Status.PENDING]


@pytest.mark.parametrize("name", ["TestCart", "total", "test_cart.py", "tests/test_other.py::TestCart::test_total"])
def test_a_name_of_something_else(name: str) -> None:
    assert [one.status for one in _found(_one(), tests={"removed": [name]})] == [Status.FAILED]


def test_the_sentence_tells_three_places_and_the_evidence_ten() -> None:
    (finding,) = _found(*(_one(line=line, after="new") for line in (None, *range(1, 11))))
    assert finding.reason == (
        "`tests/test_cart.py`: It is test-removed. `tests/test_cart.py` line 1: It is test-removed. "
        "`tests/test_cart.py` line 2: It is test-removed. And 8 more."
    )
    assert [one.start_line for one in finding.evidence] == [None, *range(1, 10)]
    assert {(one.label, one.path) for one in finding.evidence} == {("before: old; after: new", PATH)}
    assert [one.end_line for one in finding.evidence] == [one.start_line for one in finding.evidence]


def test_three_places_are_all_of_it() -> None:
    (finding,) = _found(*(_one(line=line, before="", after="") for line in (1, 2, 3)))
    assert finding.reason.endswith("line 3: It is test-removed.")
    assert finding.evidence[0].label == "before: nothing; after: nothing"


def test_unread_tests_are_for_a_person() -> None:
    """What serves no tests is no matter of this check."""
    unread = (("src/huge.py", "it is large"), *((f"tests/test_{number}.py", "no parse") for number in range(11)))
    (finding,) = _found(unread=unread)
    assert _told((finding,)) == [("tampering.unread", Status.PENDING, True)]
    assert finding.reason == (
        "Tests could not be analysed: `tests/test_0.py`: no parse; `tests/test_1.py`: no parse; "
        "`tests/test_2.py`: no parse; and 8 more."
    )
    assert [one.path for one in finding.evidence] == [f"tests/test_{number}.py" for number in range(10)]
    assert finding.fix is not None and finding.fix.action == "ask-person"


def test_three_unread_tests_are_all_of_them() -> None:
    (finding,) = _found(unread=tuple((f"tests/{name}.py", "no parse") for name in "abc"))
    assert finding.reason.endswith("`tests/c.py`: no parse.")
    assert [one.check for one in _found(unread=(("src/huge.py", "it is large"),))] == ["tampering"]


def test_a_cut_analysis_is_for_a_person() -> None:
    (finding,) = _found(cut=True)
    assert _told((finding,)) == [("tampering.cut", Status.PENDING, True)]
    assert finding.fix is not None and finding.fix.action == "split-pull-request"


def test_ten_findings_at_most() -> None:
    ten = _found(*(_one(f"kind-{number}") for number in range(10)))
    assert [one.check for one in ten] == [f"tampering.kind-{number}" for number in range(10)]
    assert ten[9].reason == "`tests/test_cart.py` line 7: It is kind-9."
    more = _found(*(_one(f"kind-{number}") for number in range(12)))
    assert more[:9] == ten[:9]
    assert len(more) == 10
    assert more[9].reason == "`tests/test_cart.py` line 7: It is kind-9. There is more: kind-10, kind-11."
