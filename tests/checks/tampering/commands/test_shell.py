"""Shell text in commands. Words are compared with those that bash itself makes of the same text."""

from __future__ import annotations

import subprocess

import pytest

from checks.tampering.commands.shell import LONGEST_QUOTE, LONGEST_SCRIPT, Command, split_commands, split_words


def _bash_words(text: str) -> tuple[str, ...]:
    """The words that bash hands to a command."""
    script = f"exec 3>&1\nprint() {{ printf '%s\\0' \"$@\" >&3; }}\nprint {text}"
    out = subprocess.run(["bash", "--norc", "-c", script], check=True, capture_output=True).stdout
    return tuple(word.decode() for word in out.split(b"\0")[:-1])


@pytest.mark.parametrize(
    "text",
    [
        "a b  c",
        "a\tb",
        "'a b' c",
        '"a b" c',
        "a'b c'd",
        'a"b c"d',
        r"a\ b c",
        r"a\'b",
        r'"a\"b" c',
        r'"a\\b"',
        r"'a\b'",
        r'"a\b"',
        "a \\\n b",
        "a#b #c",
        "a # b",
        "'' b",
        "--x='a b'",
        "a 2>/dev/null b",
        "a 2>&1 b",
        "a >/dev/null b",
        "a > /dev/null b",
        "a >&2 b",
        "a </dev/null b",
        "a2>/dev/null b",
        "a <<< text b",
        "a &>/dev/null b",
        "a '#' b",
        "äö 'ü x'",
    ],
)
def test_words_are_bash_s_own(text: str) -> None:
    assert split_commands(text)[0].words == _bash_words(text)


@pytest.mark.parametrize(
    ("script", "operators"),
    [
        ("a", [("", "")]),
        ("a; b", [("", ";"), (";", "")]),
        ("a\nb\n", [("", "\n"), ("\n", "\n")]),
        ("a && b || c", [("", "&&"), ("&&", "||"), ("||", "")]),
        ("a | b |& c &", [("", "|"), ("|", "|&"), ("|&", "&")]),
        ("a &&\n\n b", [("", "&&"), ("&&", "")]),
        ("(a) || b", [("(", "||"), ("||", "")]),
        ("(a); b", [("(", ";"), (";", "")]),
        ("; a", [(";", "")]),
        ("x=$(a); b", [("", "("), ("(", ";"), (";", "")]),
        ("a;; b", [("", ";;"), (";;", "")]),
    ],
)
def test_operators(script: str, operators: list[tuple[str, str]]) -> None:
    assert [(command.before, command.after) for command in split_commands(script)] == operators


def test_lines_and_source() -> None:
    assert split_commands("a\n\n  b \\\n  c > f # d\n'e\nf' g\nh") == (
        Command(("a",), 1, "a", "", "\n"),
        Command(("b", "c"), 3, "b \\\n  c > f", "\n", "\n"),
        Command(("e\nf", "g"), 5, "'e\nf' g", "\n", "\n"),
        Command(("h",), 7, "h", "\n", ""),
    )


def test_a_here_document_is_no_command() -> None:
    script = "cat <<EOF > f\npytest || true\n\tEOF\nls <<-'X' <<Y\n1\nX\n2\nY\nend"
    assert [(command.words, command.line) for command in split_commands(script)] == [
        (("cat",), 1),
        (("ls",), 4),
        (("end",), 9),
    ]


def test_a_here_document_without_an_end_takes_the_rest() -> None:
    assert [command.words for command in split_commands("a <<E\nb\nc")] == [("a",)]


def test_an_expression_of_github_is_one_word() -> None:
    assert split_words("a ${{ b && c || 'd' }} e") == ("a", "${{ b && c || 'd' }}", "e")


def test_a_redirection_s_target_is_left_out_and_its_quote_kept() -> None:
    (command,) = split_commands("pytest > 'a b' -q")
    assert (command.words, command.text) == (("pytest", "-q"), "pytest > 'a b' -q")


def test_quotes_that_do_not_end() -> None:
    assert split_words("a 'b c") == ("a", "b c")
    assert split_words('a "b c') == ("a", "b c")
    assert split_words("a \\") == ("a", "\\")


def test_limits() -> None:
    assert split_commands("a " + "b" * 1_000)[0].text == ("a " + "b" * 1_000)[:LONGEST_QUOTE]
    assert len(split_commands("a\n" * LONGEST_SCRIPT)) == LONGEST_SCRIPT // 2


@pytest.mark.untraced
@pytest.mark.parametrize(
    "part", ["'", '"\\', "${{", "<<a\n", "((", "\\", "|", '"a', "1>", "<<-'a", "a#", "{", "$(", "0"]
)
def test_hostile_text_ends(part: str) -> None:
    assert split_commands(part * (LONGEST_SCRIPT // len(part))) is not None


def test_nothing() -> None:
    assert split_commands("") == ()
    assert split_commands("# a\n\n;") == ()
