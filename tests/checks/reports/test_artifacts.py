"""The reports of a run: every artifact added up, copies told from second runs."""

from __future__ import annotations

import pytest

from checks.paths import PathPatterns
from checks.reports import artifacts, report
from checks.reports.artifacts import read_artifacts
from checks.reports.report import MOST_FAILED_NAMES, TestReport, add_up
from checks.unread import Unread
from tests.checks.test_archives import packed

FILES = PathPatterns(["*.xml", "*.json"])


def junit(*names: str, red: int = 0, totals: str = "") -> bytes:
    cases = "".join(f'<testcase name="{name}"/>' for name in names)
    cases += "".join(f'<testcase name="red {n}"><failure/></testcase>' for n in range(red))
    return f'<testsuite name="s" {totals}>{cases}</testsuite>'.encode()


def read(*archives: tuple[str, bytes]) -> tuple[TestReport, ...]:
    found = read_artifacts(archives, FILES)
    assert isinstance(found, tuple), found
    return found


def test_one_report_an_artifact() -> None:
    go = b'{"Action":"skip","Package":"p","Test":"TestA"}\n{"Action":"pass","Package":"p"}\n'
    unit = packed(
        ("unit/b.xml", junit("b", red=1)), ("unit/a.xml", junit("a", "c", totals='tests="9"')), ("go.json", go)
    )
    first, second = read(("unit", unit), ("e2e", packed(("r.xml", junit("d")))))
    assert first == TestReport(
        "unit",
        "go test -json, junit",
        passed=3,
        failed=1,
        errors=0,
        skipped=1,
        failed_names=("unit/b.xml: red 0",),
        tests=("a", "b", "c", "p.TestA", "red 0"),
        disagreements=("unit/a.xml: suite `s` states 9 tests (its cases: 2)",),
        files=3,
    )
    assert (second.name, second.format, second.passed, second.files) == ("e2e", "junit", 1, 1)


def test_an_artifact_without_reports_is_left_out() -> None:
    assert read(("logs", packed(("a.txt", b"x"))), ("unit", packed(("r.xml", junit("a"))))) == (
        TestReport("unit", "junit", 1, 0, 0, 0, tests=("a",)),
    )
    assert read() == ()


def test_files_of_another_kind_are_left_out() -> None:
    both = packed(("coverage.xml", b"<coverage/>"), ("r.xml", junit("a")), ("package.json", b'{"name": "x"}'))
    assert [(one.passed, one.files) for one in read(("unit", both))] == [(1, 1)]
    assert read(("unit", packed(("coverage.xml", b"<coverage/>")))) == ()


def test_a_copy_of_a_file_may_be_the_same_tests() -> None:
    same = junit("a", "b", red=1)
    first, second = read(("unit", packed(("r.xml", same))), ("all", packed(("r.xml", same), ("s.xml", junit("c")))))
    assert (first.passed, first.repeated) == (2, 0)
    assert (second.passed, second.failed, second.repeated) == (3, 1, 2)


def test_flaky_and_repeated_cases_are_added_up() -> None:
    flaky = b'<testsuite><testcase name="a"><flakyFailure/></testcase><testcase name="a"/></testsuite>'
    broken = b'<testsuite><testcase name="a"><error/></testcase><testcase name="b"><flakyError/></testcase></testsuite>'
    (found,) = read(("unit", packed(("a.xml", flaky), ("b.xml", broken))))
    assert (found.passed, found.errors, found.flaky, found.repeated, found.distinct) == (3, 1, 2, 1, 3)


@pytest.mark.parametrize(
    ("archive", "because"),
    [
        (packed(("r.xml", b"<testsuite>")), "the report r.xml could not be read: line 1: no element found"),
        (packed(("../r.xml", b"")), "the archive is not read: its entry `../r.xml` leads out of it"),
        (b"", "the archive is broken: File is not a zip file"),
    ],
)
def test_what_cannot_be_read_is_named(archive: bytes, because: str) -> None:
    good = packed(("r.xml", junit("a")))
    assert read_artifacts([("good", good), ("bad", archive), ("good too", good)], FILES) == Unread(
        f"artifact bad: {because}"
    )


def test_names_are_given_up_when_they_are_too_many_together(monkeypatch: pytest.MonkeyPatch) -> None:
    unit, e2e = ("unit", packed(("r.xml", junit("aa", "bb")))), ("e2e", packed(("r.xml", junit("cc"))))
    monkeypatch.setattr(artifacts, "MOST_CHARACTERS", 6)
    assert [one.tests for one in read(unit, e2e)] == [("aa", "bb"), ("cc",)]
    monkeypatch.setattr(artifacts, "MOST_CHARACTERS", 5)
    assert [(one.tests, one.passed) for one in read(unit, e2e)] == [(None, 2), (None, 1)]


def test_names_that_one_file_gave_up_are_unknown_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MOST_NAMES", 2)
    (found,) = read(("unit", packed(("a.xml", junit("a")), ("b.xml", junit("b", "c", "d")))))
    assert (found.passed, found.tests) == (4, None)


def test_what_is_shown_of_many_files_is_bounded() -> None:
    one = TestReport("f", "junit", 0, 9, 0, 0, failed_names=("x",) * 9, disagreements=("odd",) * 9)
    found = add_up("all", [one] * 9)
    assert (found.failed, len(found.failed_names), len(found.disagreements)) == (81, MOST_FAILED_NAMES, 10)
