"""A place in a file where commands stand together: a script, a make target, a workflow's job, the whole file."""

from __future__ import annotations

from dataclasses import dataclass, replace

from checks.tampering.commands.runners import TESTS, Program
from checks.tampering.commands.runs import Run, Shell, read_runs
from checks.tampering.commands.shell import split_commands, split_words


@dataclass(frozen=True, slots=True)
class Scope:
    """`body` is all that stands there, from the file's `line` on. `implied`: options for every run (`addopts`)."""

    name: str
    line: int
    body: str
    runs: tuple[Run, ...]
    implied: bool = False


def script_scope(name: str, script: str, line: int, shell: Shell) -> Scope:
    """The runs of a script whose first line is the file's `line`."""
    runs = tuple(replace(run, line=run.line + line - 1) for run in read_runs(script, shell))
    return Scope(name, line, script, runs)


def options_scope(name: str, tool: str, options: str, line: int) -> Scope:
    """The options that every run of `tool` takes from a settings file."""
    run = Run(Program(tool, TESTS, split_words(options)), line, options[:300])
    return Scope(name, line, options, (run,), implied=True)


def does_nothing(body: str) -> bool:
    """Whether a script only says something and succeeds: `true`, `exit 0`, `echo tests passed`."""
    commands = split_commands(body)
    return all(command.words[0] in _IDLE or command.words[:2] == ("exit", "0") for command in commands)


_IDLE = frozenset({"true", ":", "echo", "printf", "sleep", "ls", "pwd", "date"})
