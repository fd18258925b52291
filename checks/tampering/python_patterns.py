"""What Python sources can do to a test run besides changing tests.

Only what the change adds counts: sightings of the old side, wherever in the difference, are taken off those of the
new one, so that a conftest that moved is no news.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import re2

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.places import is_test_path
from checks.tampering.python.built_names import built_names
from checks.tampering.python.case_classes import altered_classes
from checks.tampering.python.detection import detection
from checks.tampering.python.exits import exits
from checks.tampering.python.hooks import hooks
from checks.tampering.python.patches import patches
from checks.tampering.python.shadows import shadows
from checks.tampering.python.sighting import Around, File, Sighting, walk
from checks.tampering.python.source import is_plainly_encoded, parse
from checks.tampering.python.subjects import own_subjects
from checks.tampering.python.swallowers import swallowers

# Lines that a look at one of them, or at what stands around it, can find something in; most sources have none.
_SIGNS = re2.compile(
    rb"_exit|\babort\b|os\.kill|raise_signal|interrupt_main|SystemExit|sys\.exit|\bexit\(|quit\(|atexit|sys\.modules|"
    rb"sys\.argv|PYTEST|_called_from_test|[\"'](?:CI|_?pytest|unittest|nose|conftest|GITHUB_\w+|RUNNER_OS|CONTINUOUS_\w+)|"
    rb"\.stack\(|_getframe|currentframe|extract_stack|_current_frames|builtins|perf_counter|monotonic|process_time|"
    rb"default_timer|time\.time|setattr|patch|config\.option|_pytest|\.assert\w*\s*[,:)=]|\bdel\b.*assert|_baseAssert|failureException|"
    rb"TestCase\.(?:run|fail)|pytest\.\w+\s*[,:)=]|def _*(?:assert|check|expect|verify|should)"
)
_SIGNS_IN_TESTS = re2.compile(
    _SIGNS.pattern + rb"|\b(?:exec|eval|compile|globals|vars|locals|getattr|delattr|__import__|import_module|type)\("
    rb"|__dict__|except *:|(?:Base)?Exception|AssertionError|__a?exit__|(?m:return \w+$)|\w\.\w+ *= *\w"
    rb"|\.start\(|\bstats\b"
)
# Of its own process, or of what it is part of.
_ITSELF = re2.compile(rb"getp?pid|getpgrp|getpgid|raise_signal|interrupt_main|kill(?:pg)?\(\s*(?:0|-1)\b")
_LOOKED_AT = (ast.stmt, ast.Call, ast.Attribute, ast.Constant, ast.Compare, ast.Subscript)
_AROUND = 200  # bytes before and behind a place
# With one of these, what other lines say counts too: bodies of hooks, of fixtures for all tests, of comparisons.
_BODIES = re2.compile(rb"def pytest_|load_tests|autouse|fixture|__eq__|__ne__")


def alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    changed = [change for change in changes if _may_add(change.before, change.after)]
    found = [(sighting, path) for change in changed for path, sighting in _sightings(change.after)]
    known = Counter(_key(sighting) for change in _sources(changes, changed) if found for sighting in _old(change))
    for sighting, path in found:
        if known[_key(sighting)]:
            known[_key(sighting)] -= 1
        else:
            yield _alteration(sighting, path)
    for change in changes:
        yield from shadows(change)
        yield from own_subjects(change)
        yield from altered_classes(change)


def _sources(changes: Sequence[Change], changed: Sequence[Change]) -> list[Change]:
    """Where something may come from: the changed files themselves, and old ones with a line in common with them."""
    own = set(map(id, changed))
    lines = frozenset(line for change in changed for line in _telling(change.after))
    return [one for one in changes if id(one) in own or not lines.isdisjoint(_telling(one.before))]


def _old(change: Change) -> Iterator[Sighting]:
    return (sighting for _, sighting in _sightings(change.before))


def _may_add(before: Version | None, after: Version | None) -> bool:
    """Whether the new side has lines to look at that the old one had not; if in doubt it has."""
    data = _data(after)
    if _data(before) == data:
        return False
    if _BODIES.search(data) is not None or not is_plainly_encoded(data):
        return True
    return bool(_telling(after) - _telling(before))


def _telling(side: Version | None) -> Counter[bytes]:
    """Lines that a sighting may lie in or belong to."""
    data = _data(side)
    patterns = (_signs("" if side is None else side.path), _BODIES)
    return Counter(_line_at(data, found.start()) for signs in patterns for found in signs.finditer(data))


def _line_at(data: bytes, place: int) -> bytes:
    """The line around that place, cut on both sides where it is long."""
    start, end = max(0, place - _AROUND), place + _AROUND
    before, after = data.rfind(b"\n", start, place), data.find(b"\n", place, end)
    return data[max(start, before + 1) : after if after >= 0 else end].rstrip()


def _sightings(side: Version | None) -> Iterator[tuple[str, Sighting]]:
    data = _data(side)
    if side is None or not side.path.endswith(".py") or not _is_worth_reading(side.path, data):
        return
    source = parse(data)
    if source is None:
        yield side.path, _UNREADABLE
        return
    is_test_file = is_test_path(side.path)
    itself, forks = _ITSELF.search(data) is not None, b"fork(" in data
    file = File(side.path, source, is_test_file, itself, forks, serves_all=_serves_all(side.path))
    for node, around in walk(source.tree):
        if isinstance(node, _LOOKED_AT):
            for sighting in _at(node, around, file):
                yield side.path, sighting


def _is_worth_reading(path: str, data: bytes) -> bool:
    return bool(_signs(path).search(data) or _BODIES.search(data)) or not is_plainly_encoded(data)


def _at(node: ast.AST, around: Around, file: File) -> Iterator[Sighting]:
    yield from exits(node, around, file)
    yield from hooks(node, around, file)
    yield from patches(node, around, file)
    yield from swallowers(node, around, file)
    if file.is_test_file:
        yield from built_names(node, file)
    else:
        yield from detection(node, around, file)


def _signs(path: str) -> Any:
    return _SIGNS_IN_TESTS if is_test_path(path) else _SIGNS


def _serves_all(path: str) -> bool:
    """Whether it is set-up of tests that lie beside it, or code that they share; not one file of tests."""
    return is_test_path(path) and not path.rpartition("/")[2].startswith("test")


def _data(side: Version | None) -> bytes:
    return b"" if side is None or side.data is None else side.data


def _key(sighting: Sighting) -> tuple[str, str, Weight]:
    return sighting.kind, sighting.text, sighting.weight


def _alteration(sighting: Sighting, path: str) -> Alteration:
    text = sighting.text[:LONGEST_QUOTE]
    return Alteration(sighting.kind, path, sighting.line, "", text, sighting.reason, sighting.weight, subject=path)


_UNREADABLE = Sighting(
    "unreadable-python",
    "",
    1,
    "This source cannot be read by this Python's grammar or in plain characters, and seems to steer a test run.",
    Weight.PERSON,
)
