"""JUnit XML: cases are counted, whatever the suites say of themselves."""

from __future__ import annotations

import pytest

from tests.checks.reports.reading import Counts, counts_of, refused, report_of


def suite(cases: str, attributes: str = "") -> str:
    return f'<testsuite name="s" {attributes}>{cases}</testsuite>'


@pytest.mark.parametrize(
    ("case", "counts"),
    [
        ('<testcase name="a"/>', (1, 0, 0, 0)),
        ('<testcase name="a"><failure message="x"/></testcase>', (0, 1, 0, 0)),
        ('<testcase name="a"><error/></testcase>', (0, 0, 1, 0)),
        ('<testcase name="a"><error/><failure/></testcase>', (0, 1, 0, 0)),
        ('<testcase name="a"><skipped/></testcase>', (0, 0, 0, 1)),
        ('<testcase name="a"><skipped/><failure/></testcase>', (0, 1, 0, 0)),
        ('<testcase name="a"><system-out>x</system-out></testcase>', (1, 0, 0, 0)),
        ('<testcase name="a"><properties><failure/></properties></testcase>', (1, 0, 0, 0)),
        ('<testcase name="a" status="notrun"/>', (0, 0, 0, 1)),
        ('<testcase name="a" status="run" result="suppressed"/>', (0, 0, 0, 1)),
        ('<testcase name="a" status="Disabled"/>', (0, 0, 0, 1)),
        ('<testcase name="a" status="run" result="completed"/>', (1, 0, 0, 0)),
        ('<testcase name="a" status="passed"/>', (1, 0, 0, 0)),
        ('<testcase name="a" status="failed"/>', (0, 0, 1, 0)),
        ('<testcase name="a" result="Timeout"><skipped/></testcase>', (0, 0, 1, 0)),
        ("<testcase/>", (1, 0, 0, 0)),
        ('<failure message="the suite did not load"/>', (0, 0, 1, 0)),
        ("<system-out><error/></system-out>", (0, 0, 0, 0)),
        ("", (0, 0, 0, 0)),
    ],
)
def test_the_outcome_of_a_case(case: str, counts: Counts) -> None:
    assert counts_of(suite(case)) == counts
    assert counts_of(f"<testsuites>{suite(case)}</testsuites>") == counts


@pytest.mark.parametrize(
    ("case", "left_out"),
    [
        ("<testcase><skipped/></testcase>", 0),
        ('<testcase status="skipped"/>', 0),
        ('<testcase status="notrun"><skipped message="no"/></testcase>', 0),
        ('<testcase><skipped type="pytest.skip"/></testcase>', 0),
        ('<testcase><failure type="todo"/><skipped/></testcase>', 0),
        ('<testcase status="disabled"/>', 1),
        ('<testcase result="suppressed"/>', 1),
        ('<testcase status="todo"/>', 1),
        ('<testcase><skipped type="todo" message="true"/></testcase>', 1),
        ("<testcase/>", 0),
    ],
)
def test_what_was_never_meant_to_run(case: str, left_out: int) -> None:
    read = report_of(suite(case))
    assert read.left_out == left_out
    assert left_out == 0 or read.skipped == 1


def test_nested_suites_are_walked_once() -> None:
    inner = suite('<testcase name="b"/>' + suite('<testcase name="c"><failure/></testcase>'))
    outer = suite('<testcase name="a"/>' + inner)
    assert counts_of(f"<testsuites>{outer}{suite('')}</testsuites>") == (2, 1, 0, 0)


def test_an_error_beside_the_cases_names_its_suite() -> None:
    assert report_of(suite('<testcase name="a"/><error/>')).failed_names == ("suite s",)


def test_cases_win_over_totals_and_the_difference_is_noted() -> None:
    """junitparser issue 95: nine tests without a failure are stated, one test that fails is held."""
    read = report_of(suite('<testcase name="a"><failure/></testcase>', 'tests="9" failures="0" errors="0"'))
    assert (read.passed, read.failed) == (0, 1)
    assert read.disagreements == ("suite `s` states 9 tests (its cases: 1), 0 failures (its cases: 1)",)


def test_totals_that_agree_are_no_disagreement() -> None:
    inner = suite('<testcase name="b"><skipped/></testcase>', 'tests="1" skipped="1"')
    outer = suite('<testcase name="a"/>' + inner, 'tests="2" failures="0" skipped="1" errors=""')
    assert report_of(outer).disagreements == ()


@pytest.mark.parametrize("words", ['skipped="1" disabled="1"', 'skip="2"', 'disabled="2"'])
def test_all_words_for_what_was_not_run_are_added_up(words: str) -> None:
    cases = '<testcase name="a"><skipped/></testcase><testcase name="b" status="notrun"/>'
    assert report_of(suite(cases, words)).disagreements == ()


@pytest.mark.parametrize(
    ("totals", "errors"),
    [('failures="2"', 1), ('errors="1"', 0), ('errors="2" failures="1"', 2), ('failures="0" errors="0"', 0)],
)
def test_failures_that_no_case_shows_are_errors(totals: str, errors: int) -> None:
    cases = '<testcase name="a"/><testcase name="b"><failure/></testcase>'
    read = report_of(suite(cases, totals))
    assert (read.passed, read.failed, read.errors) == (1, 1, errors)


def test_failures_that_a_suite_within_adds_are_added_once() -> None:
    inner = suite("", 'errors="2"')
    assert counts_of(suite(inner, 'errors="2"')) == (0, 0, 2, 0)


@pytest.mark.parametrize("totals", ['tests="-3"', 'failures=" -1 "', 'skipped="-0"'])
def test_a_negative_total_is_impossible(totals: str) -> None:
    """publish-unit-test-result-action issue 662: minus three successful tests."""
    assert "which is impossible" in refused(suite('<testcase name="a"/>', totals))


def test_the_words_for_a_negative_total() -> None:
    assert refused(suite("", 'tests="-3"')) == "it states -3 tests, which is impossible"


@pytest.mark.parametrize("total", ["", "many", "1.0", "9" * 5_000])
def test_a_total_that_is_no_number_says_nothing(total: str) -> None:
    assert report_of(suite('<testcase name="a"/>', f'tests="{total}"')).disagreements == ()


def test_the_longest_total_that_is_read() -> None:
    assert len(report_of(suite("", f'tests="{"9" * 18}"')).disagreements) == 1
    assert report_of(suite("", f'tests="{"9" * 19}"')).disagreements == ()


@pytest.mark.parametrize(
    ("marks", "flaky"),
    [
        ("<flakyFailure/>", 1),
        ("<flakyError/><flakyError/>", 1),
        ("<rerunFailure/>", 1),
        ("<rerunError/>", 1),
        ("<failure/><rerunFailure/>", 0),
        ("<skipped/><flakyFailure/>", 0),
        ("<system-err/>", 0),
    ],
)
def test_a_case_that_passed_at_last_is_flaky(marks: str, flaky: int) -> None:
    assert report_of(suite(f'<testcase name="a">{marks}</testcase>')).flaky == flaky


def test_a_case_of_the_same_name_may_be_the_same_again() -> None:
    read = report_of(suite('<testcase classname="t" name="a"/>' * 3 + '<testcase classname="t" name="b"/>'))
    assert (read.passed, read.repeated, read.cases, read.distinct) == (4, 2, 4, 2)


def test_a_failed_try_counts_although_the_next_one_passed() -> None:
    read = report_of(suite('<testcase name="a"><failure/></testcase><testcase name="a"/>'))
    assert (read.passed, read.failed, read.repeated) == (1, 1, 1)


@pytest.mark.parametrize("other", ['<testcase classname="u" name="a"/>', '<testcase classname="t" name="a" file="f"/>'])
def test_another_class_or_file_is_another_test(other: str) -> None:
    assert report_of(suite(f'<testcase classname="t" name="a"/>{other}')).repeated == 0


def test_another_suite_is_another_test() -> None:
    one, other = (f'<testsuite name="{name}"><testcase name="a"/></testsuite>' for name in ("s", "t"))
    assert report_of(f"<testsuites>{one}{other}</testsuites>").repeated == 0


def test_a_sub_test_beside_its_parent_may_be_a_part_of_it() -> None:
    """As go-junit-report writes them; a raw log counts the parents."""
    cases = "".join(f'<testcase classname="p" name="{name}"/>' for name in ("TestA", "TestA/one", "TestA/b/c", "x/y"))
    assert report_of(suite(cases)).repeated == 2


def test_names_of_tests_and_of_failures() -> None:
    read = report_of(suite('<testcase classname="t.C" name="b"><error/></testcase><testcase name=" a\n b "/>'))
    assert read.tests == ("a b", "t.C.b")
    assert read.failed_names == ("t.C.b",)


@pytest.mark.parametrize("inner", ["testcase", "testsuite", "testsuites"])
def test_nothing_that_counts_stands_inside_a_case(inner: str) -> None:
    held = f'<testcase name="a"><x><{inner}/></x></testcase>'
    assert refused(suite(held)) == f"a {inner} stands inside a test case"


def test_a_case_outside_of_suites_counts() -> None:
    assert counts_of('<testsuites><testcase name="a"/></testsuites>') == (1, 0, 0, 0)


def test_the_format_is_named() -> None:
    assert report_of(suite("")).format == "junit"
