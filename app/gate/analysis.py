"""The tampering analysis of a difference: contents from git, parsed in a process of their own, remembered.

Sources are hostile, so parsers run in a child with no credential in its environment and bounded memory and time; one
that dies, stalls or answers nonsense makes the difference unread, never harmless. Neither side of a difference ever
changes, so it is analysed once.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from app.gate.analysis_frames import write
from app.gate.blobs import read_changes_with_contents
from app.gate.changes import Changes
from app.gate.child import ROOT, run_child
from app.gate.git import GitFailed, GitObjects
from app.gate.zizmor import PROGRAM, zizmor_notes
from app.store import analyses
from app.store.database import Database
from app.store.stored import storable
from checks.snapshot import Diff, Unread
from checks.tampering.alteration import Analysis
from checks.tampering.change import Change

MEMORY_LIMIT = 2 * 1024**3  # bytes of address space
TIME_LIMIT = 60.0  # seconds
CHILD = f"import app.gate.analysis_child as child; child.main({MEMORY_LIMIT}, {int(TIME_LIMIT)})"
RULES_FOLDER = Path(ROOT) / "checks" / "tampering"
_SILENT = Unread("the changed files could not be analysed within the limits of time and memory")


def _rules() -> str:
    """A digest of the analysis's own sources and what helps it: other rules look at a difference again."""
    files = sorted(RULES_FOLDER.rglob("*.py"))
    helped = b"" if PROGRAM is None else b"zizmor"
    return hashlib.sha256(b"".join(file.read_bytes() for file in files) + helped).hexdigest()


RULES = _rules()
_ANALYSIS: TypeAdapter[Analysis] = TypeAdapter(Analysis)


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


async def remembered_analysis(
    database: Database, repository_id: int, objects: GitObjects, judged: tuple[tuple[str, str], Diff]
) -> Analysis | Unread:
    """The same, once for each `judged_difference`."""
    difference, diff = judged
    async with database.transaction() as connection:
        known = await analyses.find(connection, repository_id, difference, RULES)
    if known is not None:
        return _ANALYSIS.validate_python(known)
    analysis = await analyse_difference(objects, diff)
    if isinstance(analysis, Unread):
        return analysis
    facts = storable(asdict(analysis))
    async with database.transaction() as connection:
        await analyses.save(connection, repository_id, difference, RULES, facts)
    return _ANALYSIS.validate_python(facts)


async def run_analysis(changes: tuple[Change, ...]) -> Analysis | Unread:
    """The child's answer. What it cannot say in its limits is Unread."""
    if not changes:
        return Analysis(())
    return _read(await run_child(CHILD, write(changes), TIME_LIMIT))


def _read(answer: bytes) -> Analysis | Unread:
    try:
        said: Any = json.loads(answer)  # paths may hold lone surrogates, which pydantic's own parser refuses
        return _ANALYSIS.validate_python(said)
    except (ValueError, ValidationError):
        return _SILENT
