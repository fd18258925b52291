"""Changes of documentation alone, which no test run can speak for or against."""

from __future__ import annotations

from functools import cache

from checks.diff import ChangedFile, Diff
from checks.paths import PathPatterns
from checks.snapshot import Snapshot
from checks.steering import STEERING
from checks.unread import Unread

_FILE_MODES = frozenset({"100644", "100755", "000000"})


@cache
def _steering() -> PathPatterns:
    """Agents read their instructions from files that look like documentation."""
    return PathPatterns([pattern for patterns in STEERING.values() for pattern in patterns])


def is_documentation_only(snapshot: Snapshot, patterns: PathPatterns | None) -> bool:
    """Whether everything that changes, on both sides and by the merge too, is plain files that `patterns` name."""
    if patterns is None or (snapshot.ticket is not None and snapshot.ticket.verification_commands):
        return False
    return _all_match(snapshot.diff, patterns) and _all_match(snapshot.merge_diff, patterns)


def _all_match(diff: Diff | Unread, patterns: PathPatterns) -> bool:
    if isinstance(diff, Unread) or not diff.complete or not diff.files:
        return False
    return all(_matches(file, patterns) for file in diff.files)


def _matches(file: ChangedFile, patterns: PathPatterns) -> bool:
    plain = file.old_mode in _FILE_MODES and file.new_mode in _FILE_MODES
    return plain and all(patterns.matches_exactly(path) and not _steering().matches(path) for path in file.paths)
