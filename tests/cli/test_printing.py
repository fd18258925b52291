"""Words and trees for people: where lines break, and when there are colours."""

from __future__ import annotations

import sys

import pytest

from app.cli.printing import counted, print_line, progress, wrapped


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("one two", 7, ["one two"]),
        ("one two", 6, ["one", "two"]),
        ("one two three", 9, ["one two", "three"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a bcdefgh", 3, ["a", "bcd", "efg", "h"]),
        ("abcdef g", 3, ["abc", "def", "g"]),
        ("abcd e", 3, ["abc", "d e"]),
    ],
)
def test_lines_break_between_words(text: str, width: int, lines: list[str]) -> None:
    assert wrapped(text, width) == lines


@pytest.mark.parametrize(
    ("terminal", "environment", "printed"),
    [
        (True, {"TERM": "xterm"}, "\x1b[32mgreen\x1b[0m\n"),
        (True, {"TERM": "dumb"}, "green\n"),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, "green\n"),
        (False, {"TERM": "xterm"}, "green\n"),
    ],
)
def test_colours_are_for_people_who_want_them(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    terminal: bool,
    environment: dict[str, str],
    printed: str,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    print_line("green", "green")
    assert capsys.readouterr().out == printed


def test_progress_is_shown_to_people_and_taken_away_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress("Reading"):
        assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress("Reading"):
        assert capsys.readouterr().err == "Reading …"
    assert capsys.readouterr() == ("", "\r\x1b[K")


def test_one_is_not_counted_as_many() -> None:
    assert [counted(number, "row") for number in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]
    assert [counted(number, "repository", "repositories") for number in (1, 2)] == ["1 repository", "2 repositories"]
