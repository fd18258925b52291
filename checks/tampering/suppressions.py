"""Comments and attributes that tell a linter, a type checker, a coverage tool or a runner to look away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import re2

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change
from checks.tampering.occurrences import Mark, added_marks
from checks.tampering.places import is_document

_RULES = rb"(?:[:\[(= ][\w \-,./@\[\]()]{0,80})?"
_SUPPRESSION = re2.compile(
    rb"(?:"
    # Python and Ruby: Ruff, flake8, mypy, pyright, Pylint, coverage.py, Bandit, RuboCop, SimpleCov
    rb"#\s*(?:noqa|ruff: *noqa|flake8: *noqa|type: *ignore|mypy: *ignore-errors|pyright: *(?:ignore|basic)|nosec|"
    rb"pylint: *disable(?:-next)?|pragma: *no *cover|rubocop: *(?:disable|todo)|:nocov:)"
    # JavaScript and TypeScript, Go, C and C++, PHP, Java: their linters, compilers and coverage tools
    rb"|(?://|/\*|<!--)\s*(?:eslint-disable(?:-next-line|-line)?|@ts-(?:ignore|nocheck|expect-error)|biome-ignore|"
    rb"oxlint-disable|tslint:disable|(?:istanbul|c8|v8|node:coverage) (?:ignore|disable)|#?nosec|nolint|NOLINT\w*|"
    rb"NOSONAR|CHECKSTYLE:OFF|(?:LCOV|GCOVR)_EXCL\w*|"
    rb"phpcs:(?:disable|ignore)|@phpstan-ignore|@codeCoverageIgnore)"
    # Rust, Java and Kotlin, C#, C
    rb"|#!?\[(?:allow|expect)\(|@Suppress(?:Warnings)?\(|#pragma (?:warning *\(? *disable|GCC diagnostic ignored)"
    rb")" + _RULES
)
# https://cmake.org/cmake/help/latest/prop_test/DISABLED.html and WILL_FAIL
_CMAKE = re2.compile(rb"(?:DISABLED|WILL_FAIL)\s+(?:TRUE|ON|YES|1)\b")


def suppressions(changes: Sequence[Change]) -> Iterator[Alteration]:
    """One alteration for every file to which suppressions came, and one for every CMake test that is switched off."""
    by_path: dict[str, list[Mark]] = defaultdict(list)
    for mark in added_marks(changes, _SUPPRESSION, _is_code):
        by_path[mark.path].append(mark)
    for path, marks in by_path.items():
        first = marks[0]
        more = f" and {len(marks) - 1} more" if len(marks) > 1 else ""
        reason = f"A checker is told to look away: `{first.text.strip()[:80]}`{more}."
        yield Alteration("suppression-added", path, first.line, "", first.source, reason, Weight.RISK, path)
    for mark in added_marks(changes, _CMAKE, lambda path: path.rpartition("/")[2] == "CMakeLists.txt"):
        reason = f"A test is switched off or expected to fail: `{mark.text}`."
        weight = Weight.PERSON if mark.change.before else Weight.RISK  # a new file takes no test away
        yield Alteration("test-skipped", mark.path, mark.line, "", mark.source, reason, weight, mark.path)


def _is_code(path: str) -> bool:
    return not is_document(path)
