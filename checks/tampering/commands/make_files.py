"""Commands in make files, justfiles, shell scripts and container files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import re2

from checks.tampering.commands.runs import SWALLOWED, Hidden, Run, Shell, read_runs
from checks.tampering.commands.scope import Scope, script_scope

_Recipes = dict[str, list[tuple[int, str]]]  # lines with their numbers, by target
_MOST_LINES = 5_000  # of one file
_MOST_EXPANDED = 512 * 1024  # characters of one file; beyond them variables are left as their names
_LONGEST_VALUE = 500  # characters of a variable
_TARGET = re2.compile(r"^([A-Za-z0-9_.\-/%$(){} ]+?)\s*::?(?:[^=].*)?$")
_ASSIGNMENT = re2.compile(r"^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*(?:\?|:|::|\+)?=\s*(.*)$")
_VARIABLE = re.compile(r"\$[({]([A-Za-z_][A-Za-z0-9_]{0,60})[)}]")
_RECIPE_NAME = re2.compile(r"^@?([A-Za-z_][A-Za-z0-9_\-]*)(?:\s[^:]*)?:(?:[^=].*)?$")


def make_scopes(text: str) -> Iterator[Scope]:
    """A scope for every target; each line of a recipe is a shell of its own.

    https://www.gnu.org/software/make/manual/html_node/Execution.html, and for `-` in front and `.IGNORE`
    https://www.gnu.org/software/make/manual/html_node/Errors.html
    """
    variables: dict[str, str] = {}
    ignored: set[str] = set()
    recipes: _Recipes = {}
    target: str | None = None
    for line, content in _logical_lines(text):
        if content.startswith("\t"):
            if target is not None:
                recipes[target].append((line, content.strip()))
        elif (assigned := _ASSIGNMENT.match(content)) is not None:
            variables[assigned[1]] = assigned[2]
        elif (named := _TARGET.match(content)) is not None:
            target = named[1].strip()
            recipes.setdefault(target, [])
            ignored |= set(content.partition(":")[2].split()) or {"*"} if target == ".IGNORE" else set()
    expanded = _expanded(recipes, variables)
    for name, commands in expanded.items():
        yield _recipe(name, commands, ignored=bool(ignored & {name, "*"}))


def _expanded(recipes: _Recipes, variables: dict[str, str]) -> _Recipes:
    budget = _MOST_EXPANDED
    found: _Recipes = {}
    for name, lines in recipes.items():
        found[name] = []
        for line, command in lines:
            whole = _expand(command, variables if budget > 0 else {})
            budget -= len(whole)
            found[name].append((line, whole))
    return found


def just_scopes(text: str) -> Iterator[Scope]:
    """https://just.systems/man/en/: a recipe's lines run one by one, with a shebang they are one script."""
    name: str | None = None
    lines: list[tuple[int, str]] = []
    for line, content in _logical_lines(text):
        named = _RECIPE_NAME.match(content)
        if named is not None:
            if name is not None:
                yield _recipe(name, lines)
            name, lines = named[1], []
        elif content[:1] in (" ", "\t"):
            lines.append((line, content.strip()))
    if name is not None:
        yield _recipe(name, lines)


def shell_scopes(text: str) -> Iterator[Scope]:
    """The whole file is one script; its first line may already make it strict (`#!/bin/bash -e`)."""
    first = text.partition("\n")[0]
    options = first.rpartition(" ")[2] if first.startswith("#!") else ""
    yield script_scope("", text, 1, Shell(errexit=options.startswith("-") and "e" in options))


def container_scopes(text: str) -> Iterator[Scope]:
    """Lines of `RUN` and `CMD`: https://docs.docker.com/reference/dockerfile/"""
    lines = [(line, content.strip()) for line, content in _logical_lines(text)]
    commands = [(line, content.partition(" ")[2]) for line, content in lines if content.startswith(("RUN ", "CMD "))]
    yield _recipe("", commands)


def _recipe(name: str, lines: list[tuple[int, str]], *, ignored: bool = False) -> Scope:
    runs: list[Run] = []
    for line, content in lines:
        command = content.lstrip("@-+ ")
        hidden = Hidden(SWALLOWED, ".IGNORE" if ignored else f"-{command}"[:300])
        is_hidden = ignored or "-" in content[: len(content) - len(command)]
        for run in read_runs(command, Shell()):
            outside = hidden if is_hidden else None
            runs.append(replace(run, line=line + run.line - 1, hidden=run.hidden or outside))
    return Scope(
        name, lines[0][0] if lines else 1, "\n".join(content.lstrip("@-+ ") for _, content in lines), tuple(runs)
    )


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with those that a backslash joins; comments and blank lines are left out."""
    parts: list[str] = []
    first = 1
    for number, line in enumerate(text.splitlines()[:_MOST_LINES], start=1):
        first = first if parts else number
        if line.endswith("\\"):
            parts.append(line[:-1])
            continue
        whole = "".join([*parts, line])
        parts = []
        if whole.strip() and not whole.lstrip().startswith("#"):
            yield first, whole


def _expand(command: str, variables: dict[str, str]) -> str:
    """`$(PYTEST) -q` with what the file says that it is; `$$` is the shell's own dollar sign."""
    named = _VARIABLE.sub(lambda match: variables.get(match[1], match[1])[:_LONGEST_VALUE], command)
    return named.replace("$$", "$")
