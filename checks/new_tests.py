"""Which paths a verifier run takes over to the target branch to see whether the change's new tests fail there."""

from __future__ import annotations

from typing import Literal

from checks.diff import ChangedFile, FileStatus
from checks.snapshot import Snapshot
from checks.steering import test_infrastructure
from checks.tampering.alteration import Analysis
from checks.tampering.kept_tests import is_test_source
from checks.tampering.places import is_test_path
from checks.unread import Unread

Word = Literal["ignore", "person", "refuse"]
# Inputs of a dispatched workflow are 65,535 characters at most, all together:
# https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflow_dispatch
MOST_CHARACTERS = 20_000


def paths_of_new_tests(snapshot: Snapshot) -> tuple[str, ...]:
    """Everything that serves tests and changes, both sides of renames, sorted; empty where no test is new.

    New tests need their fixtures, and what is missing of these would let them fail for a reason of no interest.
    Tests within product files (Rust's `mod tests`) cannot be taken over without the product.
    """
    diff = snapshot.merge_diff
    if isinstance(diff, Unread) or not _has_new_tests(snapshot.analysis, diff.files):
        return ()
    serving = {path for file in diff.files for path in file.paths if is_test_path(path)}
    return tuple(sorted(serving.union(test_infrastructure(diff))))


def is_too_long(paths: tuple[str, ...]) -> bool:
    """Whether a dispatch cannot carry them, however they are encoded."""
    return sum(3 * len(path.encode("utf-8", "surrogateescape")) + 1 for path in paths) > MOST_CHARACTERS


def _has_new_tests(analysis: Analysis | Unread | None, files: tuple[ChangedFile, ...]) -> bool:
    """By the number of tests before and after; by new files in languages whose tests are not counted."""
    changed = [file for file in files if file.additions and is_test_source(file.path)]
    if isinstance(analysis, Analysis) and (analysis.tests_before or analysis.tests_after):
        return bool(changed) and analysis.tests_after > analysis.tests_before
    return any(file.status is FileStatus.ADDED for file in changed)
