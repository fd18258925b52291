"""What stands around a run in its script, and keeps it from being reached, from being itself, or from being heard.

The rules are bash's own: https://www.gnu.org/software/bash/manual/bash.html#Bourne-Shell-Builtins (trap, exit),
https://www.gnu.org/software/bash/manual/bash.html#Shell-Functions,
https://www.gnu.org/software/bash/manual/bash.html#Command-Substitution
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checks.tampering.commands.shell import CLOSERS, Command

_OPENERS = frozenset({"if", "for", "while", "until", "case", "select", "{", "function"})
_ASKING = frozenset({"if", "case"})
_TESTS = frozenset({"[", "[[", "test"})
_ALWAYS_GOOD = re.compile(r"\bexit 0\b")
_ON_END = frozenset({"EXIT", "ERR", "0"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\$")


@dataclass(frozen=True, slots=True)
class Around:
    """What is known at each command. `over`: an `exit 0` that comes before it, `condition`: what it stands under."""

    over: str = ""
    condition: str = ""


def around_each(commands: Sequence[Command]) -> list[Around]:
    """In the order of the commands."""
    found: list[Around] = []
    open_: list[str] = []
    over = ""
    for command in commands:
        first = command.words[0]
        if first in CLOSERS and open_:
            open_.pop()
        asked = next((text for text in reversed(open_) if text), "")
        found.append(Around(over, asked or _condition_before(found, commands)))
        if first in _OPENERS:
            open_.append(command.text if first in _ASKING else "")
        if not open_ and command.words in (("exit", "0"), ("exit",)) and command.before not in ("&&", "||", "|", "("):
            over = over or command.text
    return found


def _condition_before(found: Sequence[Around], commands: Sequence[Command]) -> str:
    """`[ -n "$FULL" ] && pytest`"""
    at = len(found)
    before = commands[at - 1] if at else None
    is_asked = before is not None and commands[at].before == "&&" and before.words[0] in _TESTS
    return before.text if is_asked and before is not None else ""


def other_programs(commands: Sequence[Command]) -> frozenset[str]:
    """Names that the script gives to functions and aliases of its own."""
    return frozenset(_named(commands))


def _named(commands: Sequence[Command]) -> Iterator[str]:
    for at, command in enumerate(commands):
        words = command.words
        if words[0] == "alias":
            yield from (word.partition("=")[0] for word in words[1:])
        elif words[0] == "function" and len(words) > 1:
            yield words[1]
        elif defines_function(commands, at):
            yield words[0]


def defines_function(commands: Sequence[Command], at: int) -> bool:
    """`name() {`"""
    behind = commands[at + 1 : at + 2]
    return len(commands[at].words) == 1 and any(one.before == ")" and one.words[0] == "{" for one in behind)


def trapped(commands: Sequence[Command]) -> str:
    """A trap by which the script ends as a success, however it ended."""
    traps = (one for one in commands if one.words[0] == "trap" and len(one.words) > 2)
    return next((one.text for one in traps if _ALWAYS_GOOD.search(one.words[1]) and _ON_END & set(one.words[2:])), "")


def said_only(commands: Sequence[Command], at: int) -> str:
    """The command that the output of this one is a word of: `echo $(pytest)`, `local out=$(pytest)`."""
    outer = commands[at - 1] if at else None
    if outer is None or commands[at].before != "(" or not outer.words[-1].endswith("$"):
        return ""
    return "" if all(map(_ASSIGNMENT.fullmatch, outer.words)) else outer.text
