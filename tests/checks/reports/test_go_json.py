"""`go test -json`: https://pkg.go.dev/cmd/test2json."""

from __future__ import annotations

import json

import pytest

from tests.checks.reports.reading import counts_of, refused, report_of


def stream(*events: tuple[str, str, str | None]) -> str:
    """Events as (action, package, test)."""
    lines = [
        {"Action": action, "Package": package, **({"Test": test} if test else {})} for action, package, test in events
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


GREEN = (("start", "p", None), ("run", "p", "TestA"), ("output", "p", "TestA"), ("pass", "p", "TestA"))
END = ("pass", "p", None)


def test_a_green_package() -> None:
    read = report_of(stream(*GREEN, END))
    assert (read.passed, read.failed, read.errors, read.skipped) == (1, 0, 0, 0)
    assert (read.tests, read.format) == (("p.TestA",), "go test -json")


def test_sub_tests_are_parts_of_their_test() -> None:
    sub = (("run", "p", "TestA/one"), ("fail", "p", "TestA/one"))
    assert counts_of(stream(("run", "p", "TestA"), *sub, ("fail", "p", "TestA"), ("fail", "p", None))) == (0, 1, 0, 0)


def test_skips_and_packages_without_tests() -> None:
    skip = (("run", "p", "TestB"), ("skip", "p", "TestB"), ("skip", "q", None))
    assert counts_of(stream(*GREEN, *skip, END)) == (1, 0, 0, 1)


def test_a_package_that_fails_without_a_failed_test_is_an_error() -> None:
    read = report_of(stream(*GREEN, ("fail", "p", None)))
    assert (read.passed, read.failed, read.errors, read.failed_names) == (1, 0, 1, ("p failed",))


@pytest.mark.parametrize(
    "events",
    [
        GREEN,  # no end of the package
        (("start", "p", None),),
        (*GREEN, ("run", "p", "TestB"), END),  # a test without an end
        (*GREEN, END, ("run", "p", "TestB"), ("pass", "p", "TestB")),  # a second run without an end
    ],
)
def test_what_did_not_end_is_an_error(events: tuple[tuple[str, str, str | None], ...]) -> None:
    read = report_of(stream(*events))
    assert (read.failed, read.errors, read.failed_names) == (0, 1, ("p ran and did not end",))


def test_two_runs_of_one_test_are_told_apart_as_repeated() -> None:
    read = report_of(stream(*GREEN, *GREEN[1:], END))
    assert (read.passed, read.repeated) == (2, 1)


def test_the_build_speaks_of_import_paths_and_is_no_package() -> None:
    """Go 1.24; the package that it breaks fails by an event of its own."""
    build = '{"ImportPath":"p","Action":"build-output","Output":"x"}\n{"ImportPath":"p","Action":"build-fail"}\n'
    assert counts_of(build + stream(("start", "p", None), ("fail", "p", None))) == (0, 0, 1, 0)


def test_other_actions_change_nothing() -> None:
    others = tuple((action, "p", "TestA") for action in ("pause", "cont", "bench", "attr"))
    assert counts_of(stream(*GREEN[:2], *others, GREEN[3], END)) == (1, 0, 0, 0)


def test_blank_lines_say_nothing() -> None:
    assert counts_of(stream(*GREEN, END).replace("\n", "\r\n\r\n")) == (1, 0, 0, 0)


def test_a_line_that_is_no_event_makes_the_rest_doubtful() -> None:
    assert refused(stream(*GREEN) + "FAIL p\n").startswith("line 5: it is no JSON")
    assert refused("FAIL\tp [build failed]\n" + stream(*GREEN)) == "it is neither XML nor JSON"
    assert refused(stream(*GREEN) + '{"a": 1}\n') == "line 5 is no event of go test"
    assert refused(stream(*GREEN) + "[]\n") == "line 5 is no event of go test"


def test_a_stream_of_one_event() -> None:
    assert counts_of(stream(("skip", "p", None))) == (0, 0, 0, 0)
