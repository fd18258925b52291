"""Commands and run options in package files and settings: scripts of package.json, tasks of pyproject.toml, tox."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import re2

from checks.tampering.commands.runs import SWALLOWED, Hidden, Run, Shell
from checks.tampering.commands.scope import Scope, options_scope, script_scope
from checks.tampering.settings.flat import Settings
from checks.tampering.settings.reading import line_of

_PACKAGE_SCRIPT = re2.compile(r"(?:scripts|tasks)\.[^.]+(?:\.command)?")
_PYTHON_TASK = re2.compile(
    r"tool\.(?:poe\.tasks|pdm\.scripts|taskipy\.tasks|rye\.scripts|hatch\.envs\.[^.]+\.scripts|pixi\.tasks)"
    r"\.[^.]+(?:\.(?:cmd|shell|script|chain))?"
)
_TOX = r"(?:tool\.tox\.)?(?:testenv[^.]*|env\.[^.]+|env_run_base)\."
_TOX_COMMANDS = re2.compile(_TOX + r"commands(?:_pre|_post)?")
_TOX_ENVIRONMENT = re2.compile(_TOX + r"set_?env(?:\.PYTEST_ADDOPTS)?")
# `tests: pytest` runs where the environment's name has that part: https://tox.wiki/en/stable/config.html#conditional-settings
_FACTORS = re2.compile(r"^[!\w.{},-]+: +")
_PYTEST_OPTIONS = re2.compile(r"(?:tool\.pytest(?:\.ini_options)?|tool:pytest|pytest)\.addopts")


def package_scopes(settings: Settings, text: str) -> Iterator[Scope]:
    """https://docs.npmjs.com/cli/using-npm/scripts, and the same in composer.json and deno.json."""
    for key, values in _matching(settings, _PACKAGE_SCRIPT):
        name = key.split(".")[1]
        yield script_scope(name, "\n".join(values), line_of(text, name), Shell())


def python_scopes(settings: Settings, text: str) -> Iterator[Scope]:
    """Tasks and pytest's own options in pyproject.toml, setup.cfg, pytest.ini and tox.ini."""
    for key, values in _matching(settings, _PYTHON_TASK):
        name = key.removesuffix(".cmd").removesuffix(".shell").rpartition(".")[2]
        yield script_scope(name, "\n".join(values), line_of(text, name), Shell())
    for _, values in _matching(settings, _PYTEST_OPTIONS):
        yield options_scope("addopts", "pytest", " ".join(values), line_of(text, "addopts"))
    yield from _tox_scopes(settings, text)


def _tox_scopes(settings: Settings, text: str) -> Iterator[Scope]:
    """https://tox.wiki/en/stable/config.html#commands: one after the other, `-` in front ignores the exit code."""
    for key, values in _matching(settings, _TOX_COMMANDS):
        commands = [command.strip() for command in " ".join(values).splitlines() if command.strip()]
        runs = tuple(run for command in commands for run in _tox_runs(command, text))
        body = "\n".join(_FACTORS.sub("", command).lstrip("- ") for command in commands)
        yield Scope(key, line_of(text, "".join(commands[:1])), body, runs)
    for key, values in _matching(settings, _TOX_ENVIRONMENT):
        for assigned in " ".join(values).splitlines():
            options = assigned if key.endswith("PYTEST_ADDOPTS") else assigned.partition("PYTEST_ADDOPTS")[2]
            if options:
                yield options_scope("PYTEST_ADDOPTS", "pytest", options.lstrip(" ="), line_of(text, "PYTEST_ADDOPTS"))


def _tox_runs(command: str, text: str) -> Iterator[Run]:
    own = _FACTORS.sub("", command)
    bare = own.lstrip("- ")
    ignored = None if bare == own else Hidden(SWALLOWED, command[:300])
    for run in script_scope("", bare, line_of(text, bare), Shell()).runs:
        yield replace(run, hidden=run.hidden or ignored)


def option_file_scope(tool: str, text: str) -> Iterator[Scope]:
    """A file that holds nothing but options: .rspec, .mocharc.opts."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    yield options_scope("", tool, " ".join(lines), 1)


def _matching(settings: Settings, keys: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    return ((key, values) for key, values in settings.items() if keys.fullmatch(key))
