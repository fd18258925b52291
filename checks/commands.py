"""Commands that people write at the top of a comment: `/verb argument key=value`, and a reason where a verb wants one.

Only lines at the top count, each beginning with a slash at the margin, so that nothing in a quotation, a code block or
an HTML comment is ever one: those begin with something else. What phones make of slashes, quotation marks and blanks
is read as it was meant.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import re2

MOST_COMMANDS = 5
LONGEST = 4_000  # characters of a comment that are looked at
PREFIX = "gate"
_QUOTES = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "—": "-", "–": "-"}
)
# Up to three blanks are no indentation in Markdown, four make code (https://spec.commonmark.org/0.31.2/#indented-code-blocks).
_LINE = re2.compile(r" {0,3}/ ?([A-Za-z][A-Za-z-]{0,30})(?: +(.*))?")
_REASON = re2.compile(r"(?i) {0,3}reason ?: ?(.+)")
_WORD = re2.compile(r"""([A-Za-z][A-Za-z_-]*=)?(?:"([^"]*)"|(\S+))""")


@dataclass(frozen=True, slots=True)
class Command:
    """`verb` in small letters; `text` is all that followed it, `words` and `options` are what it is made of."""

    verb: str
    text: str = ""
    words: tuple[str, ...] = ()
    options: Mapping[str, str] | None = None
    reason: str | None = None

    def option(self, name: str) -> str | None:
        return (self.options or {}).get(name)


def read_commands(body: str, *, prefixed: bool = False) -> tuple[Command, ...]:
    """The commands at the top of a comment as it was delivered, in their order, at most five.

    `prefixed`: only those written `/gate verb`, where another bot reads the plain ones. A line `Reason: …` belongs to
    the command above it.
    """
    commands: list[Command] = []
    for line in _lines(body[:LONGEST]):
        if not line.strip():
            continue
        reason = _REASON.fullmatch(line)
        if reason is not None and commands:
            commands[-1] = _with_reason(commands[-1], reason.group(1).strip())
            continue
        command = _command(line, prefixed=prefixed)
        if command is None or len(commands) == MOST_COMMANDS:
            break
        commands.append(command)
    return tuple(commands)


def nearest(verb: str, known: Collection[str]) -> str | None:
    """The known verb that was probably meant."""
    found = difflib.get_close_matches(verb, sorted(known), n=1, cutoff=0.6)
    return found[0] if found else None


def _lines(text: str) -> Iterator[str]:
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        shown = "".join(character for character in line if unicodedata.category(character) != "Cf")
        plain = unicodedata.normalize("NFKC", shown).translate(_QUOTES).rstrip()
        start = len(plain) - len(plain.lstrip())
        # A tab in front is an indentation and stays one; every other blank of any width is a blank.
        yield plain[:start] + plain[start:].replace("\t", " ")


def _command(line: str, *, prefixed: bool) -> Command | None:
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    verb, text = found.group(1).lower(), (found.group(2) or "").strip()
    if verb == PREFIX:
        verb, _, text = text.partition(" ")
        return _made(verb.lower(), text.strip()) if verb else None
    return None if prefixed else _made(verb, text)


def _made(verb: str, text: str) -> Command:
    words: list[str] = []
    options: dict[str, str] = {}
    for name, quoted, plain in _WORD.findall(text):
        if name:
            options[name[:-1].lower()] = quoted or plain
        else:
            words.append(quoted or plain)
    return Command(verb, text, tuple(words), options)


def _with_reason(command: Command, reason: str) -> Command:
    return Command(command.verb, command.text, command.words, command.options, reason)
