"""The search over whole blocks finds every line that somebody wants, whatever stands before or after it."""

from __future__ import annotations

import pytest

from checks.logs.sieve import Sieve, end_of_line, sieve

STAMP = "2022-06-16T22:17:31.2678286Z "


def found(interest: str, block: str) -> list[str]:
    one, data, at = Sieve((interest,)), block.encode(), 0
    lines = []
    while at < len(data) and (span := one.candidate(data, at)):
        lines.append(data[slice(*span)].decode())
        at = span[1] + 1
    return lines


@pytest.mark.parametrize(
    "before",
    [
        *("", STAMP, f"\ufeff{STAMP}", f"job\tstep\t{STAMP}", "x\r", f"{STAMP}x\r", "web-1 | ", "web-1 |", "[INFO] "),
        *("3 [INFO] ", "    [junit] ", "[0] ", "@a/b: ", "a:test: ", "a/b test: ", f"{STAMP}core: ", "a:t | "),
    ],
)
@pytest.mark.parametrize("after", ["", "\r", " \t\r", "\u2003\u00a0\x1c\x85", "\rx"])
def test_the_ends_of_a_pattern_are_those_of_a_cleaned_line(before: str, after: str) -> None:
    line = f"{before}Ran 3 tests{after}"
    assert found(r"^Ran \d+ tests$", f"noise\n{line}\nnoise Ran 3 tests\nRan 3 tests x\n") == [line]


@pytest.mark.parametrize(
    ("interest", "lines"),
    [
        ("b", ["abc", "b", "x$b"]),
        (r"\^a|\$b", ["x^a", "x$b"]),
        (r"^(?:a|^b)", ["abc", "ax", "b"]),
        (r"[$^]", ["x^a", "x$b"]),
        (r"^[^a]$", ["b"]),
        (r"^[]a^]", ["abc", "ax"]),
        (r"^[[:alpha:]^]+x", ["ax"]),
        (r"^[\]b]", ["b"]),
        (r"\bax\b", ["ax"]),
        (r"a[^x]*b", ["abc"]),
        ("", ["abc", "ax", "b", "x^a", "", "x$b"]),
    ],
)
def test_only_anchors_are_widened_and_no_match_spans_lines(interest: str, lines: list[str]) -> None:
    assert found(interest, "abc\nax\nb\nx^a\n\nx$b\n") == lines


def test_a_search_from_the_middle_sees_where_lines_begin() -> None:
    one = Sieve(("^b",))
    assert one.candidate(b"a\nb\nbc\n", 2) == (2, 3)
    assert one.candidate(b"a\nb\nbc", 4) == (4, 6)
    assert one.candidate(b"a\nb\nbc", 5) is None
    assert one.candidate(b"xb", 0) is None


def test_who_wants_a_line() -> None:
    one = Sieve(("^a", "b$", "^$"))
    assert sorted(one.wanted("ab")) == [0, 1]
    assert one.wanted("cb") == [1]
    assert one.wanted(" a") == []
    assert one.wanted("é") == []


def test_ends_of_lines() -> None:
    assert [end_of_line(b"ab\nc", at) for at in range(5)] == [2, 2, 2, 4, 4]


def test_one_sieve_serves_all_logs() -> None:
    assert sieve(("a", "b")) is sieve(("a", "b"))
