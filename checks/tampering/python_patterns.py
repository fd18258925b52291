"""What Python sources can do to a test run besides changing tests.

Only what the change adds counts: sightings of the old side, wherever in the difference, are taken off those of the
new one, so that a conftest that moved is no news.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.places import is_test_path
from checks.tampering.python.detection import detection
from checks.tampering.python.exits import exits
from checks.tampering.python.hooks import hooks
from checks.tampering.python.patches import patches
from checks.tampering.python.shadows import shadows
from checks.tampering.python.sighting import Around, Sighting, walk
from checks.tampering.python.source import Source, is_plainly_encoded, parse

# What a source must hold for any look at it to find something; most hold nothing of it and are not parsed.
_SIGNS = re.compile(
    rb"pytest_|_pytest|PYTEST|_called_from_test|load_tests|autouse|config\.option|_exit|os\.abort|os\.kill|raise_signal|"
    rb"interrupt_main|SystemExit|sys\.exit|\bexit\(|quit\(|atexit|sys\.modules|sys\.argv|GITHUB_|RUNNER_OS|CONTINUOUS_|"
    rb"[\"']CI[\"']|\.stack\(|_getframe|currentframe|extract_stack|_current_frames|__eq__|__ne__|builtins|perf_counter|"
    rb"monotonic|process_time|default_timer|time\.time|setattr|patch|def _*(?:assert|check|expect|verify|should)|"
    rb"\.assert\w*\s*=|_baseAssert|failureException|TestCase\.(?:run|fail)|pytest\.\w+\s*="
)


def alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    changed = [change for change in changes if _data(change.before) != _data(change.after)]
    found = [(sighting, path) for change in changed for path, sighting in _sightings(change.after)]
    known = Counter(_key(one) for change in changed if found for _, one in _sightings(change.before))
    for sighting, path in found:
        if known[_key(sighting)]:
            known[_key(sighting)] -= 1
        else:
            yield _alteration(sighting, path)
    for change in changes:
        yield from shadows(change)


def _sightings(side: Version | None) -> Iterator[tuple[str, Sighting]]:
    data = _data(side)
    if side is None or not side.path.endswith(".py") or not (_SIGNS.search(data) or not is_plainly_encoded(data)):
        return
    source = parse(data)
    if source is None:
        yield side.path, _UNREADABLE
        return
    is_test_file = is_test_path(side.path)
    for node, around in walk(source.tree):
        for sighting in _at(node, around, source, side.path, is_test_file=is_test_file):
            yield side.path, sighting


def _at(node: ast.AST, around: Around, source: Source, path: str, *, is_test_file: bool) -> Iterator[Sighting]:
    yield from exits(node, around, source, is_test_file=is_test_file)
    yield from hooks(node, around, source)
    yield from patches(node, around, source, is_test_file=is_test_file)
    if not is_test_file:
        yield from detection(node, around, source, path=path)


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
