"""The message of a merge commit, without what is meant for the gate alone and without what nobody saw.

A pull request's text would carry its evidence bundle, and whatever an HTML comment hides, into the history for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import re2

from checks.bundle import find_blocks
from checks.lookalikes import is_hidden
from policies.escape import clean

_LONGEST_TITLE = 250  # characters
_CLOSED_COMMENT = re2.compile(r"<!--.*?-->")
_FENCE = re2.compile(r"^ {0,3}(```+|~~~+)")


@dataclass(frozen=True, slots=True)
class CommitMessage:
    title: str
    body: str


def message(title: str, body: str) -> CommitMessage:
    """`title` on one line, and `body` as GitHub shows it, without the blocks of the bundle."""
    body = body.encode("utf-8", "replace").decode()  # the engine takes no lone surrogates
    lines = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    blocks = _lines_of_blocks(body, lines)
    rest = [line for at, line in enumerate(lines) if at not in blocks]
    return CommitMessage(clean(title, _LONGEST_TITLE), _tidied(_without_comments(rest)))


def _lines_of_blocks(body: str, lines: Sequence[str]) -> frozenset[int]:
    """Indexes of the lines of every block of the bundle, its fences included."""
    found: set[int] = set()
    for block in find_blocks(body):
        start = block.first_line - 1
        empty = not block.text and "".join(lines[start : start + 1]).strip() != ""
        end = start if empty else start + block.text.count("\n") + 1
        found.update(range(start - 1, end + 1))
    return frozenset(found)


def _without_comments(lines: Sequence[str]) -> Iterator[str]:
    """HTML comments are left out; inside other fenced code they are text that everybody sees."""
    last_close = max((at for at, line in enumerate(lines) if "-->" in line), default=-1)
    fence, hidden = "", False
    for at, line in enumerate(lines):
        if fence:
            fence = "" if _closes(line, fence) else fence
            yield line
        elif not hidden and (opening := _FENCE.match(line)) is not None:
            fence = opening.group(1)
            yield line
        else:
            text, hidden = _shown(line, hidden=hidden, closes_later=at < last_close)
            yield text


def _closes(line: str, fence: str) -> bool:
    text = line.strip()
    return text.startswith(fence) and not text.strip(fence[0])


def _shown(line: str, *, hidden: bool, closes_later: bool) -> tuple[str, bool]:
    """What is seen of a line, and whether it ends within a comment. One that never ends hides only as a block."""
    if hidden:
        _, close, line = line.partition("-->")
        if not close:
            return "", True
    before, opening, _ = (text := _CLOSED_COMMENT.sub("", line)).partition("<!--")
    if opening and (closes_later or not before.strip()):
        return before, True
    return text, False


def _tidied(lines: Iterator[str]) -> str:
    """Without characters that do not show, and with one blank line at most between paragraphs."""
    kept: list[str] = []
    for line in lines:
        text = "".join(each for each in line if each == "\t" or not is_hidden(each)).rstrip()
        if text or (kept and kept[-1]):
            kept.append(text)
    return "\n".join(kept).strip()
