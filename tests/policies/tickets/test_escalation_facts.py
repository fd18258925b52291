"""What of an agent's words and of a verdict's record makes a cause."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from checks.finding import Evidence, Fix, failed, passed
from policies.tickets.escalation import Power, is_repeated
from policies.tickets.escalation_facts import failure_of, lines_of, outside_scope, quoted_lines, wanted
from policies.tree import group
from tests.tickets.rows import FORM

LINES = frozenset({"round to cents", "never round", "round", "x"})
FIX = Fix("push", "Repair it.")
SEEN = Evidence("job", url="https://github.com/acme/shop/runs/1")


def _record(*findings: Any) -> dict[str, Any]:
    return asdict(group("evidence", findings))


def test_the_lines_of_a_ticket_are_all_that_it_says() -> None:
    assert lines_of(FORM, ("ada: use\nDecimal",)) >= {"shop/**", FORM.done_when[0], FORM.goal, "ada: use", "Decimal"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("“never round” and “round  to cents” cannot both hold", ("never round", "round to cents")),
        ("first round to cents, then never round", ("round to cents", "never round")),
        ("it says never round, but what of cents?", None),  # one line alone
        ("x and x", None),  # too short to be a quotation
        ("these two lines of the ticket contradict each other", None),
    ],
)
def test_a_conflict_is_two_lines_of_the_ticket_word_by_word(words: str, expected: tuple[str, str] | None) -> None:
    assert quoted_lines(words, LINES) == expected


def test_what_is_asked_for_is_named() -> None:
    path, branch = Power("path", "src/pay/x.py"), Power("branch", "refs/heads/release")
    refused = {path, branch, Power("path", "src/pay")}
    assert wanted("May I change src/pay/x.py?", refused) == {path}
    assert wanted("Let me push to release.", refused) == {branch}
    assert wanted("Let me push to `refs/heads/release`", refused) == {branch}
    assert wanted("May I do the releases?", refused) == frozenset()
    hidden = Power("path", ".github/workflows/ci.yml")
    assert wanted("May I change .github/workflows/ci.yml.", {hidden}) == {hidden}
    assert wanted("It is in ./src/pay/x.py...", refused) == {path}


def test_a_failure_is_known_again_by_its_first_check_and_the_others() -> None:
    ci = failed("ci", "Job test failed in run 4711.", SEEN, fix=FIX)
    first = failure_of(_record(passed("bundle", "Whole."), ci, failed("scope", "Outside.", fix=FIX)))
    assert (first.reason, first.log) == ("Job test failed in run 4711.", SEEN.url)
    later = failed("ci", "Job test failed in run 4712.", fix=FIX)
    again = failure_of(_record(later, failed("scope", "Outside of it.", fix=FIX)))
    assert (again.fingerprint, again.log) == (first.fingerprint, None)
    assert failure_of(_record(ci)).fingerprint != first.fingerprint
    assert failure_of({"reason": "It does not hold any more."}).reason == "It does not hold any more."


def test_paths_outside_the_ticket_are_what_the_check_of_scope_saw() -> None:
    seen = Evidence("is forbidden", path="src/pay/x.py")
    record = _record(
        failed("scope", "Outside.", seen, SEEN, fix=FIX), failed("ci", "Red.", Evidence("a", path="b"), fix=FIX)
    )
    assert outside_scope(record) == {Power("path", "src/pay/x.py")}
    assert outside_scope(_record(passed("scope", "Within.", seen))) == frozenset()


def test_only_the_newest_failure_is_one_again() -> None:
    assert [is_repeated(each) for each in ((), ("f",), ("f", "g"), ("f", "f", "g"), ("f", "g", "f"))] == [
        *(False, False, False, False, True)
    ]
