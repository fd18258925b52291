"""The test runs in a script, and whether their failure still decides how the script ends.

The rules are bash's own: https://www.gnu.org/software/bash/manual/bash.html#The-Set-Builtin (errexit, pipefail) and
https://www.gnu.org/software/bash/manual/bash.html#Lists (which command's status a list has).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from checks.tampering.commands.runners import Program, plain_name, recognise
from checks.tampering.commands.shell import CLOSERS, Command, split_commands
from checks.tampering.commands.surroundings import around_each, defines_function, other_programs, said_only, trapped

SWALLOWED = "exit-code-swallowed"
PIPED = "pipe-without-pipefail"
CONTINUED = "continue-on-error"
MOST_RUNS = 200  # of one script; more are not looked at
MOST_COMMANDS = 2_000  # of one script, since each run is seen against all that follow; what stands behind is not read


@dataclass(frozen=True, slots=True)
class Shell:
    """How the script's shell starts: `errexit` as by `-e`, `pipefail` as by `-o pipefail`."""

    errexit: bool = False
    pipefail: bool = False


@dataclass(frozen=True, slots=True)
class Hidden:
    """Why a run's failure does not count. `kind` is SWALLOWED, PIPED or CONTINUED, `by` the source that does it."""

    kind: str
    by: str


@dataclass(frozen=True, slots=True)
class Run:
    """A test run or another check in a script; `line` is 1-based in it. `condition`: it runs only if that holds."""

    program: Program
    line: int
    text: str
    hidden: Hidden | None = None
    condition: str = ""


def read_runs(script: str, shell: Shell) -> tuple[Run, ...]:
    """Every run in a script, those inside of `sh -c '…'` too; never raises."""
    return tuple(islice(_runs(split_commands(script)[:MOST_COMMANDS], shell, nested=False), MOST_RUNS))


def _runs(commands: Sequence[Command], shell: Shell, *, nested: bool) -> Iterator[Run]:
    end = 0  # of the function that the command stands in
    around, own, trap = around_each(commands), other_programs(commands), trapped(commands)
    for at, command in enumerate(commands):
        if command.words[0] == "{" and command.before == ")":
            end = _function_end(commands, at)
        within = commands[:end] if at < end else commands
        shell = _after_set(command, shell)
        program = None if defines_function(commands, at) else recognise(command.words)
        if program is not None:
            by = trap or around[at].over or said_only(commands, at) or _taken(command, own)
            hidden = Hidden(SWALLOWED, by) if by else _hidden(within, at, shell)
            yield Run(program, command.line, command.text, hidden, around[at].condition)
        elif not nested:
            yield from _inner_runs(within, at, shell)


def _taken(command: Command, own: Collection[str]) -> str:
    """A word of the command that is no program but a function of the script."""
    return next((f"{word}()" for word in command.words[:2] if word in own), "")


def _function_end(commands: Sequence[Command], at: int) -> int:
    """A function ends with the status of its last command; who calls it may do anything with that."""
    return next((end for end in range(at, len(commands)) if commands[end].words[0] == "}"), len(commands))


def _inner_runs(commands: Sequence[Command], at: int, shell: Shell) -> Iterator[Run]:
    """Runs of `bash -c "…"`, which are hidden by what stands inside as well as by what stands around."""
    inner = _inner_script(commands[at].words)
    if inner is None:
        return
    script, own_shell = inner
    outside = _hidden(commands, at, shell)
    for run in _runs(split_commands(script)[:MOST_COMMANDS], own_shell, nested=True):
        yield replace(run, line=commands[at].line + run.line - 1, hidden=run.hidden or outside)


def _inner_script(words: Sequence[str]) -> tuple[str, Shell] | None:
    called = next((at for at, word in enumerate(words) if plain_name(word) in _SHELLS), None)
    if called is None:
        return None
    options = words[called + 1 :]
    given = next((at for at, word in enumerate(options[:-1]) if _TAKES_SCRIPT.fullmatch(word)), None)
    if given is None:
        return None
    flags = "".join(word for word in options[: given + 1] if word.startswith("-"))
    return options[given + 1], Shell("e" in flags, "pipefail" in options[:given])


def _after_set(command: Command, shell: Shell) -> Shell:
    """The shell after `set -euo pipefail`, `set +e` and the like."""
    words = _bare(command.words)
    if words[:1] != ("set",):
        return shell
    for at, word in enumerate(words[1:], start=1):
        on = word.startswith("-")
        if on or word.startswith("+"):
            named = words[at + 1 : at + 2] if word.endswith("o") else ()
            errexit = "e" in word or named == ("errexit",)
            pipefail = named == ("pipefail",)
            shell = Shell(on if errexit else shell.errexit, on if pipefail else shell.pipefail)
    return shell


def _hidden(commands: Sequence[Command], at: int, shell: Shell) -> Hidden | None:
    first = commands[at].words[0]
    end = _pipeline_end(commands, at)
    if first == "!":
        return Hidden(SWALLOWED, "!")
    if end > at and not shell.pipefail:
        return Hidden(PIPED, f"| {commands[at + 1].text}")
    if first in _CONDITIONS:
        return None if any(map(_fails, commands[end + 1 :])) else Hidden(SWALLOWED, first)
    return _hidden_behind(commands, end, shell)


def _pipeline_end(commands: Sequence[Command], at: int) -> int:
    while commands[at].after in ("|", "|&") and at + 1 < len(commands):
        at += 1
    return at


def _hidden_behind(commands: Sequence[Command], end: int, shell: Shell) -> Hidden | None:
    """What the rest of the list and the script do with the status of the pipeline that ends at `end`."""
    operator, rest = _next(commands, end)
    in_list = False
    while operator == "&&" and rest:
        # The status of all but the last command of a list does not end a shell, whatever `set -e` says.
        in_list = True
        operator, rest = _next(rest, _pipeline_end(rest, 0))
    if not rest or operator == ";;":
        return Hidden(SWALLOWED, "&") if operator == "&" else None
    if operator == "&":
        return None if any(command.words[0] == "wait" for command in rest) else Hidden(SWALLOWED, "&")
    if operator == "||":
        return None if _alternative_fails(rest) else Hidden(SWALLOWED, f"|| {rest[0].text}")
    if shell.errexit and not in_list:
        return None
    return None if any(map(_fails, rest)) else Hidden(SWALLOWED, f"; {rest[0].text}")


def _next(commands: Sequence[Command], at: int) -> tuple[str, Sequence[Command]]:
    """The operator behind a command and what follows; the end of a compound command has the same status."""
    operator, rest = commands[at].after, commands[at + 1 :]
    while rest and rest[0].words[0] in CLOSERS:
        operator, rest = rest[0].after, rest[1:]
    return operator, rest


def _alternative_fails(rest: Sequence[Command]) -> bool:
    """Whether what runs after `||` ends in failure, or keeps the status for later."""
    first = _bare(rest[0].words)
    if first and _ASSIGNMENT.match(first[0]):
        return any(map(_fails, rest))
    if recognise(rest[0].words) is not None:
        return True
    grouped = rest[0].words[0] == "{" or rest[0].before == "("
    for command in rest:
        if _fails(command):
            return True
        if command.after != "&&" and (not grouped or command.after == ")" or command.words[0] in CLOSERS):
            return False
    return False


def _fails(command: Command) -> bool:
    """Whether it ends the script or function with a status that is not always zero."""
    words = _bare(command.words)
    if words[:1] in (("exit",), ("return",)):
        return words[1:2] != ("0",)
    return words[:1] in (("false",), ("[",), ("[[",), ("test",))


def _bare(words: Sequence[str]) -> tuple[str, ...]:
    """Without the words that open a compound command."""
    at = next((at for at, word in enumerate(words) if word not in _OPENERS), len(words))
    return tuple(words[at:])


_SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ash", "ksh"})
_TAKES_SCRIPT = re.compile(r"-[a-z]{0,8}c")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_CONDITIONS = frozenset({"if", "elif", "while", "until"})
_OPENERS = frozenset({"{", "then", "else", "do", "if", "elif", "while", "until", "!"})
