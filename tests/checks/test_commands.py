"""Commands in comments: what people on phones write, and what must never be one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from checks.commands import LONGEST, MOST_COMMANDS, Command, nearest, read_commands


def verbs(body: str, *, prefixed: bool = False) -> list[str]:
    return [command.verb for command in read_commands(body, prefixed=prefixed)]


@pytest.mark.parametrize(
    "body",
    [
        "/stop",
        "/STOP now",
        "  \r\n\r\n/stop\r\nthanks",
        "／stop",  # full width, as Japanese keyboards have it
        "/ stop",  # a keyboard that adds a blank
        "/\u00a0stop\u3000now",  # no-break and ideographic blanks
        "   /stop",
        "/st\u200bop",
        "/gate stop",
        "/Gate  Stop now",
        "/stop\r/hold is in the next line",
    ],
)
def test_what_is_meant_as_a_command_is_one(body: str) -> None:
    assert verbs(body)[0] == "stop"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "stop",
        "please /stop",
        "> /stop",
        "    /stop",
        "\t/stop",
        "```\n/stop\n```",
        "~~~\n/stop\n~~~",
        "<!--\n/stop\n-->",
        "<details>\n/stop\n</details>",
        "`/stop`",
        "- /stop",
        "# /stop",
        "//stop",
        "/",
        "/gate",
        "/stop/now",
        "/usr/bin/stop",
        "a first line\n/stop",
        "x" * LONGEST + "\n/stop",
    ],
)
def test_what_stands_elsewhere_is_none(body: str) -> None:
    assert verbs(body) == []


def test_words_options_and_quotation_marks() -> None:
    (command,) = read_commands('/limit time=90 Cost=“8 USD” ‘now’ "two words" —x path=src/**')
    assert command.words == ("'now'", "two words", "-x")
    assert command.options == {"time": "90", "cost": "8 USD", "path": "src/**"}
    assert (command.option("time"), command.option("attempts")) == ("90", None)
    assert Command("stop").option("time") is None


def test_text_is_kept_as_it_was_written() -> None:
    (command,) = read_commands("/redirect don't touch  a=b, please\nmore")
    assert command.text == "don't touch  a=b, please"


def test_a_reason_belongs_to_the_command_above_it() -> None:
    first, second = read_commands("/grant path=x\nReason: the customer waits\n/limit time=9\n\nREASON： none")
    assert (first.reason, second.reason) == ("the customer waits", "none")
    assert read_commands("Reason: nothing above\n/stop") == ()


def test_a_repository_with_a_prefix_leaves_other_bots_theirs() -> None:
    assert verbs("/retest\n/gate stop", prefixed=True) == []
    assert verbs("/gate stop\n/gate hold", prefixed=True) == ["stop", "hold"]


def test_no_more_than_five_are_carried_out() -> None:
    assert len(read_commands("/stop\n" * 9)) == MOST_COMMANDS


@pytest.mark.parametrize(("verb", "meant"), [("aprove", "approve"), ("stpo", "stop"), ("dance", None)])
def test_the_nearest_verb_is_found(verb: str, meant: str | None) -> None:
    assert nearest(verb, {"approve", "stop", "hold"}) == meant


PIECES = st.lists(
    st.sampled_from(
        ["/stop", "／hold", "> ", "```", "<!-- ", "-->", "    ", "\t", "`", "- ", "x", " ", "\n", "\r\n", "Reason: a"]
    )
)


@given(PIECES.map("".join))
def test_a_command_is_always_text_to_markdown(body: str) -> None:
    """Never code, a quotation, a list or HTML, as a parser says that nobody here wrote."""
    commands = read_commands(body)
    tokens = MarkdownIt("commonmark").parse(body.replace("／", "/"))
    blocks = [token for token in tokens if token.level == 0 and token.nesting >= 0]
    if commands:
        # A line of dashes below makes a heading of it, which is what somebody writes all the same.
        assert blocks[0].type in ("paragraph_open", "heading_open")
        assert tokens[1].content.replace(" ", "").startswith(f"/{commands[0].verb}")
