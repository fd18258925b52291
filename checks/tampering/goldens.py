"""Files that tests compare with: snapshots, golden files, recorded output.

The rule, from what honest work does: code that changes what it prints changes its snapshots, often without any change
of a test's own source. That is normal, so it raises the risk and no more. What nothing in the change explains (no
product code, no test source, no dependency) is for a person, and so is an expectation that is emptied, or taken away
while the test that reads it stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change
from checks.tampering.kept_tests import is_test_source
from checks.tampering.places import is_document, is_test_path

_GOLDEN = re2.compile(
    r"(?:^|/)(?:__snapshots__|__image_snapshots__|snapshots?|golden|goldens|expected|expected_output)/|-snapshots/"
    r"|\.(?:snap|ambr|golden|expected|approved|verified)(?:\.\w+)?$|(?:^|/)testdata/.*\.(?:golden|out|want|txtar|txt)$"
)


def is_golden(path: str) -> bool:
    """Whether a file of that name is what a test compares with. Only in places of tests, but for the plain endings."""
    plain = path.encode("utf-8", "replace").decode()
    if _GOLDEN.search(plain) is None:
        return False
    return is_test_path(path) or _OWN_NAME.search(plain) is not None


_OWN_NAME = re2.compile(r"__(?:image_)?snapshots__/|\.(?:snap|ambr|golden|approved|verified)(?:\.\w+)?$|-snapshots/")


def rewritten_goldens(changes: Sequence[Change]) -> Iterator[Alteration]:
    """One alteration for every expectation that is changed, emptied or taken away."""
    explained = any(_explains(change) for change in changes)
    tests_gone = any(change.after is None and is_test_source(change.paths[0]) for change in changes)
    for change in changes:
        if change.before is None or not is_golden(change.before.path):
            continue
        if change.after is None and not tests_gone:
            weight = Weight.RISK if explained else Weight.PERSON
            yield _alteration(change, "golden-removed", "An expectation is taken away.", weight)
        elif change.after is None or change.after.data is None or change.before.data == change.after.data:
            continue
        elif change.before.data and not change.after.data.strip():
            yield _alteration(change, "golden-rewritten", "An expectation is emptied.", Weight.PERSON)
        else:
            yield _rewritten(change, explained=explained)


def _rewritten(change: Change, *, explained: bool) -> Alteration:
    if explained:
        return _alteration(change, "golden-rewritten", "An expectation is rewritten with the code.", Weight.RISK)
    reason = "An expectation is rewritten, and nothing else in the change explains why."
    return _alteration(change, "golden-rewritten", reason, Weight.PERSON)


def _explains(change: Change) -> bool:
    """Product code, a test's source or a dependency: anything but expectations and prose."""
    return not any(is_golden(path) or is_document(path) for path in change.paths)


def _alteration(change: Change, kind: str, reason: str, weight: Weight) -> Alteration:
    path = change.paths[0]
    return Alteration(kind, path, None, "", "", reason, weight, path)
