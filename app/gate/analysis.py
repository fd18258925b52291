"""The tampering analysis of a difference: contents from git, parsed in a process of their own, remembered.

Sources are hostile, so parsers run in a child with no credential in its environment and bounded memory and time; one
that dies, stalls or answers nonsense makes the difference unread, never harmless. Neither side of a difference ever
changes, so it is analysed once.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from app.gate.analysis_frames import write
from app.gate.blobs import read_changes_with_contents
from app.gate.changes import Changes
from app.gate.child import run_child
from app.gate.git import GitFailed, GitObjects
from app.gate.zizmor import zizmor_notes
from checks.snapshot import Diff, Unread
from checks.tampering.alteration import Analysis
from checks.tampering.change import Change

MEMORY_LIMIT = 2 * 1024**3  # bytes of address space
TIME_LIMIT = 60.0  # seconds
CHILD = f"import app.gate.analysis_child as child; child.main({MEMORY_LIMIT}, {int(TIME_LIMIT)})"
_SILENT = Unread("the changed files could not be analysed within the limits of time and memory")


ANALYSIS: TypeAdapter[Analysis] = TypeAdapter(Analysis)


def judged_difference(changes: Changes, target_sha: str, head_sha: str) -> tuple[tuple[str, str], Diff] | Unread:
    """What would land, as the object ids of both sides and the changed files: target tip to merge result.

    Where there is no merge (a conflict, or git is not determined) it is the pull request's own difference.
    """
    merge = changes.merge
    if merge is not None and merge.tree is not None and isinstance(changes.merge_diff, Diff):
        return (target_sha, merge.tree), changes.merge_diff
    if isinstance(changes.diff, Unread) or isinstance(changes.merge_base, Unread):
        return changes.diff if isinstance(changes.diff, Unread) else Unread("the merge base is not known")
    return (changes.merge_base, head_sha), changes.diff


async def analyse_difference(objects: GitObjects, diff: Diff) -> Analysis | Unread:
    """What the difference does to the tests that judge it. A list of files that was cut is analysed as far as it goes,
    which is said."""
    try:
        changes = await read_changes_with_contents(objects, diff.files)
    except GitFailed as wrong:
        return Unread(str(wrong))
    analysis = await run_analysis(changes)
    if isinstance(analysis, Unread):
        return analysis
    return replace(analysis, alterations=analysis.alterations + await zizmor_notes(changes))


async def run_analysis(changes: tuple[Change, ...]) -> Analysis | Unread:
    """The child's answer. What it cannot say in its limits is Unread."""
    if not changes:
        return Analysis(())
    return _read(await run_child(CHILD, write(changes), TIME_LIMIT))


def _read(answer: bytes) -> Analysis | Unread:
    try:
        said: Any = json.loads(answer)  # paths may hold lone surrogates, which pydantic's own parser refuses
        return ANALYSIS.validate_python(said)
    except (ValueError, ValidationError):
        return _SILENT
