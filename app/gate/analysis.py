"""The tampering analysis of a difference: contents from git, parsed in a process of their own, remembered.

Sources are hostile, so parsers run in a child with no credential in its environment and bounded memory and time; one
that dies, stalls or answers nonsense makes the difference unread, never harmless. Neither side of a difference ever
changes, so it is analysed once.
"""

from __future__ import annotations

from dataclasses import replace

from pydantic import TypeAdapter

from app.gate.analysis_frames import write
from app.gate.blobs import read_changes_with_contents
from app.gate.changes import Changes
from app.gate.child import run_child
from app.gate.child_answers import ChildAnswers
from app.gate.child_request import Child
from app.gate.git import GitFailed, GitObjects, GitTooLarge
from app.gate.trees import encoded, entries, names_of, text_of
from app.gate.zizmor import zizmor_notes
from checks.diff import SYMLINK_MODE, ChangedFile, Diff, FileStatus
from checks.tampering.alteration import Analysis
from checks.tampering.change import Change
from checks.tampering.settings.precedence import behind
from checks.unread import Unread

MEMORY_LIMIT = 2 * 1024**3  # bytes of address space
TIME_LIMIT = 60.0  # seconds
CHILD = Child("app.gate.analysis_child:serve", MEMORY_LIMIT, TIME_LIMIT)
_SILENT = Unread("the changed files could not be analysed within the limits of time and memory")


ANALYSIS: TypeAdapter[Analysis] = TypeAdapter(Analysis)
ANSWERS = ChildAnswers(ANALYSIS)


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


async def analyse_difference(objects: GitObjects, diff: Diff, tree: str | None = None) -> Analysis | Unread:
    """What the difference does to the tests that judge it. A list of files that was cut is analysed as far as it goes,
    which is said. `tree` is the object id of its new side: what the change leaves as it is counts for what it means."""
    try:
        changes = await read_changes_with_contents(objects, diff.files)
        paths, beside = (b"", ()) if tree is None else await _unchanged(objects, diff, tree)
    except GitFailed as wrong:
        return Unread(str(wrong))
    analysis = await run_analysis((*changes, *beside), paths)
    if isinstance(analysis, Unread):
        return analysis
    return replace(analysis, alterations=analysis.alterations + await zizmor_notes(changes))


async def _unchanged(objects: GitObjects, diff: Diff, tree: str) -> tuple[bytes, tuple[Change, ...]]:
    """Every path of the tree, and the files whose settings new ones may put out of force. Raises GitFailed.

    Of a tree that is too large to be listed nothing is known, which only makes the analysis judge by less.
    """
    try:
        listing = await objects.listing(tree)
    except GitTooLarge:
        return b"", ()
    touched = {path for file in diff.files for path in file.paths}
    added = (file.path for file in diff.files if file.status is FileStatus.ADDED)
    wanted = {encoded(path) for name in added for path in behind(name) if path not in touched}
    found = {text_of(path): entry for entry, path in entries(listing) if path in wanted}
    same = (_same(path, entry) for path, entry in sorted(found.items()))
    return names_of(listing), await read_changes_with_contents(objects, tuple(filter(None, same)))


def _same(path: str, entry: bytes) -> ChangedFile | None:
    """A file that is the same on both sides, of its entry in a tree."""
    mode, _, rest = entry.decode("ascii").partition(" ")
    kind, _, oid = rest.partition(" ")
    if kind != "blob" or mode == SYMLINK_MODE:
        return None
    return ChangedFile(path, FileStatus.MODIFIED, old_mode=mode, new_mode=mode, old_oid=oid, new_oid=oid)


async def run_analysis(changes: tuple[Change, ...], tree: bytes = b"") -> Analysis | Unread:
    """The child's answer; `tree` are all paths of the new side, a zero behind each. What it cannot say in its limits is
    Unread."""
    if not changes:
        return Analysis(())
    return _read(await run_child(CHILD, write(changes, tree)))


def _read(answer: bytes) -> Analysis | Unread:
    try:
        return ANSWERS.read_with_any_text(answer)
    except (ValueError, RecursionError):
        return _SILENT
