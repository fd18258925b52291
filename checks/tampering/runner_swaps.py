"""Dependencies that put something else in the runner's place: another package under its name, a local copy, a hook.

Manifests and lock files are high risk by their path; this says what in them is about the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import re2

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.commands.files import holds_commands
from checks.tampering.occurrences import added_marks
from checks.tampering.settings.documents import Unreadable
from checks.tampering.settings.reading import decoded, line_of, read_settings
from checks.tampering.workflows.model import is_workflow

_RUNNER = (
    r"(?:pytest(?:-[\w\-]+)?|pluggy|coverage|tox|nox|nose2?|hypothesis|mock|behave|"
    r"jest(?:-[\w\-]+)?|@jest/[\w\-]+|vitest|@vitest/[\w\-]+|mocha|chai|sinon|ava|tap|jasmine(?:-[\w\-]+)?|nyc|c8|karma|"
    r"@playwright/test|playwright|cypress|@testing-library/[\w\-]+|"
    r"nextest|proptest|insta|mockall|rspec(?:-[\w\-]+)?|minitest|phpunit/phpunit|pestphp/pest)"
)
_MODULES = r"(?:github\.com/stretchr/testify|github\.com/onsi/\w+|gotest\.tools(?:/v\d)?)"
_NAME = re2.compile(_RUNNER)

_MANIFESTS = frozenset(
    {"package.json", "package-lock.json", "pyproject.toml", "Pipfile", "Cargo.toml", "composer.json"}
)
_SECTIONS = re2.compile(
    r"(?:(?:dev|peer|optional)?[dD]ependencies|dev-dependencies|overrides|resolutions|pnpm|patch|packages|dev-packages|"
    r"require|require-dev|tool\.uv|tool\.poetry|target)\..*"
)
# What a registry's version never looks like: https://docs.npmjs.com/cli/configuring-npm/package-json#dependencies
_ELSEWHERE = re2.compile(
    r"(?:npm:|file:|link:|portal:|git\+|git:|github:|gitlab:|https?:|ssh:|\.{0,2}/).*|[\w\-]+/[\w.\-]+(?:#.*)?"
)
# Hosts of the public registries that lock files name: any name below these domains is theirs.
_REGISTRY = re2.compile(r"^https://[a-z]+\.(?:npmjs\.org|yarnpkg\.com)/")
_PLACES = frozenset({"path", "git", "url", "link", "file", "package"})

# https://packaging.python.org/en/latest/specifications/dependency-specifiers/, https://bundler.io/man/gemfile.5.html,
# https://go.dev/ref/mod#go-mod-file-replace
_LINE = re2.compile(
    rf"(?im)^\s*(?:(?:-e|--editable)[ =]\S*/{_RUNNER}\b.*|[\"']?{_RUNNER}(?:\[[\w,]*\])? *@ *\S.*"
    rf"|gem +[\"']{_RUNNER}[\"'].*\b(?:path|git|github)\b.*|(?:replace +)?{_MODULES}[ /].*=>.*)$".encode()
)
_LINE_FILES = re2.compile(r"(?:.*/)?(?:[\w.\-]*requirements[\w.\-]*\.(?:txt|in)|Gemfile|go\.mod|pyproject\.toml)")
_INDEX = re2.compile(rb"(?m)^\s*(?:--(?:extra-)?index-url|-i|registry|(?:extra-)?index-url)[ =]+\S+")
# What npm runs scripts with, and what Node loads before them: https://docs.npmjs.com/cli/using-npm/config#script-shell
_NPM = re2.compile(
    rb"(?m)^\s*(?:script-shell *= *[\"']?[\w.\-]+/.*"
    rb"|node-options *=(?:.*[\s\"'=])?(?:-r|--require|--import|--loader|--experimental-loader)[\s\"'=].*)$"
)
_NPM_FILES = re2.compile(r"(?:.*/)?\.npmrc")
_INSTALLED = re2.compile(rf"(?:.*/)?node_modules/(?:\.bin/.*|{_RUNNER}/.*)")
# https://docs.python.org/3/using/cmdline.html#cmdoption-O
_OPTIMISED = re2.compile(
    rb"PYTHONOPTIMIZE['\"]? *[:=?]+ *['\"]?[1-9A-Za-z$]"
    rb"|\bpython[\d.]* (?:-\w+ )*-O{1,2} (?:-\w+ )*-m (?:pytest|unittest)"
)
_PROGRAMS = frozenset(
    (
        *("pytest", "tox", "nox", "python", "python3", "node", "npm", "npx", "jest", "vitest", "mocha", "go", "cargo"),
        *("mvn", "gradle", "ruby", "rspec", "rake", "dotnet", "ctest", "phpunit", "coverage", "make", "bash", "sh"),
    )
)
_INDEX_FILES = re2.compile(r"(?:.*/)?(?:[\w.\-]*requirements[\w.\-]*\.(?:txt|in)|\.npmrc|pip\.conf)")


def runner_swaps(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Alterations of kind `runner-substituted`, `runner-replaced`, `package-index-changed` and `start-up-hook`."""
    for change in changes:
        yield from _in_manifest(change)
        yield from _start_up_hook(change)
        yield from _installed(change)
        yield from _program(change)
    for mark in added_marks(changes, _OPTIMISED, _holds_runs):
        reason = f"Python leaves assertions out of what it runs: `{mark.source[:120]}`."
        path = mark.path
        yield Alteration("runner-environment", path, mark.line, "", mark.source, reason, Weight.PERSON, path)
    for mark in added_marks(changes, _NPM, _named(_NPM_FILES)):
        reason = f"npm runs scripts by a file of this repository, or loads one before them: `{mark.source[:120]}`."
        path = mark.path
        yield Alteration("runner-replaced", path, mark.line, "", mark.source, reason, Weight.PERSON, path)
    for mark in added_marks(changes, _LINE, _named(_LINE_FILES)):
        yield _substituted(mark.path, mark.line, "", mark.source)
    for mark in added_marks(changes, _INDEX, _named(_INDEX_FILES)):
        reason = f"Packages come from another index: `{mark.source[:120]}`."
        kind, path = "package-index-changed", mark.path
        yield Alteration(kind, path, mark.line, "", mark.source, reason, Weight.RISK, path, "dependencies")


def _named(names: Any) -> Callable[[str], bool]:
    return lambda path: names.fullmatch(path.encode("utf-8", "replace").decode()) is not None


def _in_manifest(change: Change) -> Iterator[Alteration]:
    after = change.after
    if after is None or after.path.rpartition("/")[2] not in _MANIFESTS:
        return
    before, now = _elsewhere(change.before), _elsewhere(after)
    for key, value in now.items():
        if before.get(key) != value:
            line = line_of(decoded(after.data or b""), value or key.rpartition(".")[2])
            yield _substituted(after.path, line, before.get(key, ""), f"{key} = {value}")


def _elsewhere(version: Version | None) -> dict[str, str]:
    """Packages of runners that do not come from a registry under their own name. A broken file is said elsewhere."""
    try:
        settings = read_settings(version)
    except Unreadable:
        return {}
    return {key: values[0] for key, values in settings.items() if _is_elsewhere(key, values[0])}


def _is_elsewhere(key: str, value: str) -> bool:
    plain = key.encode("utf-8", "replace").decode()
    head, _, last = plain.rpartition(".")
    if _SECTIONS.fullmatch(plain) is None:
        return False
    if _is_runner(last):
        own = value.startswith(f"npm:{last}@")
        return not own and _ELSEWHERE.fullmatch(value.encode("utf-8", "replace").decode()) is not None
    if not _is_runner(head.rpartition(".")[2]):
        return False
    return last in _PLACES or (last == "resolved" and _REGISTRY.search(value) is None)


def _is_runner(segment: str) -> bool:
    """Also with the folder in front that lock files and overrides write: `node_modules/jest`, `**/jest`."""
    name = segment.rpartition("node_modules/")[2].removeprefix("**/")
    return _NAME.fullmatch(name) is not None


def _start_up_hook(change: Change) -> Iterator[Alteration]:
    """A `.pth` file's `import` lines run at every start: https://docs.python.org/3/library/site.html"""
    after = change.after
    if after is None or not after.path.endswith(".pth") or (change.before and change.before.data == after.data):
        return
    lines = decoded(after.data or b"").splitlines()
    line = next((number for number, each in enumerate(lines, 1) if each.startswith(("import ", "import\t"))), None)
    if line is not None:
        reason = "This file runs code whenever Python starts, before any test."
        quote = lines[line - 1][:LONGEST_QUOTE]
        yield Alteration("start-up-hook", after.path, line, "", quote, reason, Weight.PERSON, after.path)


def _installed(change: Change) -> Iterator[Alteration]:
    """A test tool that is written into the repository in the place where it would be installed."""
    after = change.after
    if after is not None and _named(_INSTALLED)(after.path):
        reason = "This file stands where an installed test tool would: it runs in the tool's place."
        yield Alteration("runner-substituted", after.path, 1, "", "", reason, Weight.PERSON, after.path, "dependencies")


def _program(change: Change) -> Iterator[Alteration]:
    """A program under the name of one that runs tests, which any search path can put in its place."""
    after = change.after
    if after is None or change.before is not None or after.path.rpartition("/")[2] not in _PROGRAMS:
        return
    is_program = after.mode.endswith("755") or (after.data or b"").startswith(b"#!")
    is_known = after.path.startswith("bin/") or _named(_INSTALLED)(after.path)  # a bundle's starters; said elsewhere
    if is_program and not is_known:
        reason = "This program has the name of one that runs tests, and may run in its place."
        quote = decoded(after.data or b"").partition("\n")[0][:LONGEST_QUOTE]
        yield Alteration("runner-substituted", after.path, 1, "", quote, reason, Weight.PERSON, after.path)


def _holds_runs(path: str) -> bool:
    return holds_commands(path) or is_workflow(path)


def _substituted(path: str, line: int, before: str, after: str) -> Alteration:
    reason = f"A test tool comes from elsewhere than its registry: `{after[:120]}`."
    return Alteration(
        "runner-substituted", path, line, before, after[:LONGEST_QUOTE], reason, Weight.PERSON, path, "dependencies"
    )
