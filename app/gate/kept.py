"""Earlier heads whose change is the present one's: since then came only clean merges of the target, proved by trees."""

from __future__ import annotations

from collections.abc import Iterable

from app.gate.changes import read_diff
from app.gate.diffs import UnreadableDiff
from app.gate.git import GitFailed, GitObjects

MOST_HEADS = 10  # earlier heads that are looked at
MOST_MERGES = 20  # between an earlier head and the present one


async def same_change(objects: GitObjects, target: str, head: str, earlier: Iterable[str]) -> frozenset[str]:
    """Those of the `earlier` commits from which `head` differs by nothing but clean merges of `target`'s history.

    What git cannot tell for certain is left out.
    """
    found = []
    for commit in list(dict.fromkeys(earlier))[:MOST_HEADS]:
        try:
            if commit != head and await _is_same(objects, target, head, commit):
                found.append(commit)
        except (GitFailed, UnreadableDiff):
            continue
    return frozenset(found)


async def _is_same(objects: GitObjects, target: str, head: str, earlier: str) -> bool:
    if not await objects.has(earlier):
        return False
    merged = await _merged_last(objects, target, head, earlier)
    return merged is not None and await _change_alike(objects, merged, head, earlier)


async def _merged_last(objects: GitObjects, target: str, head: str, earlier: str) -> str | None:
    """The commit of the target that the last merge brought; None where something else came than clean merges."""
    last, commit = None, head
    for _ in range(MOST_MERGES):
        if commit == earlier:
            return last
        parents = await objects.parents_of(commit)
        if len(parents) != 2 or not await _is_clean(objects, target, commit, parents[0], parents[1]):
            return None
        last, commit = last or parents[1], parents[0]
    return None


async def _is_clean(objects: GitObjects, target: str, commit: str, ours: str, theirs: str) -> bool:
    """Whether the commit holds exactly what git makes of its parents, the second of which the target holds."""
    if not await objects.is_ancestor(theirs, target):
        return False
    merge = await objects.merge(ours, theirs)
    return merge.tree is not None and merge.tree == await objects.tree_of(commit)


async def _change_alike(objects: GitObjects, merged: str, head: str, earlier: str) -> bool:
    """Whether both heads change the same files from the same to the same contents."""
    bases = await objects.merge_bases(merged, earlier)
    if len(bases) != 1:
        return False
    before, after = await read_diff(objects, bases[0], earlier), await read_diff(objects, merged, head)
    return before.complete and after.complete and before == after
