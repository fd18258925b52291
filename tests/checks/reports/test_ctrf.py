"""CTRF: https://ctrf.io/docs/specification/overview."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.checks.reports.reading import Counts, counts_of, refused, report_of


def ctrf(*tests: Any, **summary: Any) -> str:
    results = {"tool": {"name": "jest"}, "summary": summary, "tests": list(tests)}
    return json.dumps({"reportFormat": "CTRF", "specVersion": "0.0.0", "results": results})


def case(status: Any = "passed", name: Any = "adds", **more: Any) -> dict[str, Any]:
    return {"name": name, "status": status, "duration": 1, **more}


@pytest.mark.parametrize(
    ("status", "raw", "counts"),
    [
        ("passed", None, (1, 0, 0, 0)),
        ("failed", None, (0, 1, 0, 0)),
        ("skipped", None, (0, 0, 0, 1)),
        ("pending", None, (0, 0, 0, 1)),
        ("other", None, (0, 0, 1, 0)),
        ("other", "todo", (0, 0, 0, 1)),
        ("other", "disabled", (0, 0, 0, 1)),
        ("other", "ignored", (0, 0, 0, 1)),
        ("passed", "todo", (1, 0, 0, 0)),
    ],
)
def test_the_status_of_a_test(status: str, raw: str | None, counts: Counts) -> None:
    assert counts_of(ctrf(case(status, rawStatus=raw))) == counts


@pytest.mark.parametrize("status", ["Passed", "ok", 1, None, ["passed"]])
def test_a_status_that_is_not_known_is_not_guessed(status: Any) -> None:
    assert refused(ctrf(case(status))) == f"a test has the status `{status}`, which CTRF does not know"


@pytest.mark.parametrize("test", ["adds", None, {"status": "passed"}, {"status": "passed", "name": 3}])
def test_a_test_without_a_name_is_none(test: Any) -> None:
    assert refused(ctrf(test)) == "one of its tests has no name"


def test_a_list_of_tests_must_be_one() -> None:
    assert refused('{"results": {"tests": {"a": 1}}}') == "its list of tests is no list"


def test_only_what_is_still_to_be_written_is_left_out() -> None:
    read = report_of(
        ctrf(case("other", rawStatus="todo"), case("skipped", "b", rawStatus="todo"), case("pending", "c"))
    )
    assert (read.skipped, read.left_out) == (3, 1)


def test_flaky_is_what_passed_in_the_end() -> None:
    read = report_of(ctrf(case(flaky=True), case("failed", "b", flaky=True), case(name="c", flaky="yes")))
    assert read.flaky == 1


def test_suites_tell_tests_apart_in_both_versions() -> None:
    same = (case(suite="cart"), case(suite="cart"), case(suite=["cart", "inner"]), case(), case(filePath="b.js"))
    read = report_of(ctrf(*same))
    assert (read.passed, read.repeated) == (5, 1)
    assert read.tests == ("adds", "cart adds", "cart inner adds")


def test_the_summary_is_only_compared() -> None:
    read = report_of(ctrf(case(), tests=9, passed=1, failed=0))
    assert (read.passed, read.disagreements) == (1, ("the summary states 9 tests (its tests: 1)",))
    assert report_of(ctrf(case(), tests=1, passed=1, failed=0)).disagreements == ()


def test_a_summary_that_lacks_a_total_or_lies_about_its_kind() -> None:
    read = report_of(ctrf(case(), tests="1", passed=1))
    assert read.disagreements == (
        "the summary states 1 tests (its tests: 1)",
        "the summary states None failed (its tests: 0)",
    )


def test_a_stated_zero_is_wrong_and_not_impossible() -> None:
    read = report_of(ctrf(case(), tests=1, passed=0, failed=0))
    assert read.disagreements == ("the summary states 0 passed (its tests: 1)",)


def test_what_is_quoted_of_a_file_is_cut() -> None:
    assert refused(ctrf(case("x" * 60))) == f"a test has the status `{'x' * 50}`, which CTRF does not know"
    read = report_of(ctrf(case(), tests="9" * 40, passed=1, failed=0))
    assert read.disagreements == (f"the summary states {'9' * 30} tests (its tests: 1)",)


def test_a_missing_summary_is_noted() -> None:
    assert report_of('{"results": {"tests": []}}').disagreements == ("it has no summary",)


@pytest.mark.parametrize("total", [-3, -0.5])
def test_a_negative_total_is_impossible(total: float) -> None:
    assert refused(ctrf(case(), tests=1, passed=total, failed=0)) == f"it states {total} passed, which is impossible"


def test_zero_tests_and_the_format() -> None:
    read = report_of(ctrf(tests=0, passed=0, failed=0))
    assert (read.cases, read.format, read.disagreements) == (0, "ctrf", ())
