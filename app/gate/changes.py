"""What a pull request changes, from git itself: against its merge base, and what merging it would do to the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.gate.diffs import UnreadableDiff, parse_diff, symlink_oids
from app.gate.git import GitFailed, GitObjects, Merge
from app.gate.trees import read_names
from checks.diff import Diff
from checks.unread import Unread

LONGEST_SYMLINK = 4096  # bytes; Linux allows no longer target


@dataclass(frozen=True, slots=True)
class Changes:
    """See the fields of the same names in Snapshot. `merge` is git's answer for the target tip and the head."""

    merge_base: str | Unread
    diff: Diff | Unread
    merge_diff: Diff | Unread
    mergeable: bool | None
    merge: Merge | None = None
    aliases: Mapping[str, str] | Unread = field(default_factory=dict)
    twins: tuple[tuple[str, str], ...] = ()


def unread_changes(because: str) -> Changes:
    unread = Unread(because)
    return Changes(unread, unread, unread, None)


async def read_changes(objects: GitObjects, target_sha: str, head_sha: str) -> Changes:
    """Compare `head_sha` with the target's tip. What git cannot say is Unread with git's reason."""
    try:
        bases = await objects.merge_bases(target_sha, head_sha)
        if not bases:
            return unread_changes("head and target branch have no common history")
        diff = await read_diff(objects, bases[0], head_sha)
        merge, merge_diff = await _merge(objects, target_sha, head_sha, bases, diff)
        aliases, twins = await read_names(objects, target_sha, merge.tree or head_sha, (diff, merge_diff))
        mergeable = None if merge.tree is None and not merge.conflict else not merge.conflict
        return Changes(bases[0], diff, merge_diff, mergeable, merge, aliases, twins)
    except (GitFailed, UnreadableDiff) as wrong:
        return unread_changes(str(wrong))


async def _merge(
    objects: GitObjects, target_sha: str, head_sha: str, bases: Sequence[str], diff: Diff
) -> tuple[Merge, Diff | Unread]:
    """The merge and what it would change. A head that grew from the target's tip is its own merge."""
    if tuple(bases) == (target_sha,):
        return Merge(await objects.tree_of(head_sha), conflict=False), diff
    merge = await objects.merge(target_sha, head_sha)
    if merge.tree is None:
        return merge, Unread(f"what the merge would change is not determined: {merge.because}")
    return merge, await read_diff(objects, target_sha, merge.tree)


async def read_diff(objects: GitObjects, old: str, new: str) -> Diff:
    """Changed files between two commits or trees. Raises GitFailed, UnreadableDiff."""
    raw, numstat = await objects.diff(old, new)
    return parse_diff(raw, numstat, await _symlink_targets(objects, symlink_oids(raw)))


async def _symlink_targets(objects: GitObjects, oids: Sequence[str]) -> dict[str, str]:
    targets = {}
    for oid in dict.fromkeys(oids[:500]):
        content = await objects.blob(oid, LONGEST_SYMLINK)
        if content is not None:
            targets[oid] = content.decode("utf-8", "surrogateescape")
    return targets
