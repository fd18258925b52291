"""A place in a file where commands stand together: a script, a make target, a workflow's job, the whole file."""

from __future__ import annotations

from dataclasses import dataclass, replace

from checks.tampering.commands.runners import TESTS, Program
from checks.tampering.commands.runs import Run, Shell, read_runs
from checks.tampering.commands.shell import Command, split_commands, split_words


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
    """Whether a script only prepares, says something and succeeds: `pip install .`, `echo tests passed`, `exit 0`."""
    return all(map(_is_idle, split_commands(body)))


def _is_idle(command: Command) -> bool:
    words = command.words
    if words[0] in _IDLE or words[:2] == ("exit", "0"):
        return True
    return words[0] in _INSTALLERS and not {"install", "ci", "sync", "i", "update"}.isdisjoint(words[1:5])


_IDLE = frozenset({"true", ":", "echo", "printf", "sleep", "ls", "pwd", "date", "cd", "mkdir", "set", "export"})
_INSTALLERS = frozenset({"pip", "pip3", "python", "uv", "poetry", "npm", "yarn", "pnpm", "bundle", "sudo", "apt-get"})
