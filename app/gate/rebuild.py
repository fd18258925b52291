"""A merge group's tree, rebuilt entry by entry from its base and the members' heads with git.

The queue's own commits are believed in nothing: each entry's merge is made again, on top of our own merge of the entry
before it, and the last tree is compared with the group's.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.gate.changes import read_diff
from app.gate.diffs import UnreadableDiff
from app.gate.git import GitFailed, GitObjects
from app.github.models import HeadCommit
from app.github.pull_models import QueuedEntry
from checks.group_snapshot import GroupMember, TreeRebuild
from checks.unread import Unread

EPOCH = 0  # our own commits are never published; a fixed time makes their ids the same every time


async def rebuild_tree(
    objects: GitObjects,
    head: HeadCommit,
    chain: Sequence[QueuedEntry],
    members: Sequence[GroupMember] | Unread,
    tip: str,
) -> TreeRebuild | Unread:
    """Compare the group's tree with ours. Unread when a commit is missing here, or the group is not built on `tip`."""
    if isinstance(members, Unread):
        return members
    base = chain[0].base_commit.oid if chain and chain[0].base_commit else None
    if base is None:
        return Unread("GitHub does not show what the group is built on")
    if tip not in {base, *(entry.head_commit.oid for entry in chain if entry.head_commit)}:
        return Unread(f"it is built on {base[:12]}, which is not the target branch's tip")
    heads = [member.enqueued_head for member in members]
    try:
        if not await objects.has(base, head.oid, *heads):
            return Unread("a commit of the group is not reachable any more")
        return await _rebuilt(objects, base, heads, head)
    except (GitFailed, UnreadableDiff) as wrong:
        return Unread(str(wrong))


async def _rebuilt(objects: GitObjects, base: str, heads: Sequence[str], head: HeadCommit) -> TreeRebuild:
    commit, tree = base, await objects.tree_of(base)
    for each in heads:
        merge = await objects.merge(commit, each)
        if merge.conflict:
            return TreeRebuild(head.tree.oid, "conflict", (), f"merging {each[:12]} conflicts")
        if merge.tree is None:
            return await _undetermined(objects, base, heads, head, merge.because)
        tree = merge.tree
        commit = await objects.commit_tree(tree, (commit, each), "merge group", EPOCH)
    return TreeRebuild(head.tree.oid, tree)


async def _undetermined(
    objects: GitObjects, base: str, heads: Sequence[str], head: HeadCommit, because: str
) -> TreeRebuild:
    """Where git does not determine the tree, the group may at least touch nothing that no member touches."""
    allowed: set[str] = set()
    for each in heads:
        bases = await objects.merge_bases(base, each)
        for start in bases:
            allowed |= {path for file in (await read_diff(objects, start, each)).files for path in file.paths}
    changed = {path for file in (await read_diff(objects, base, head.oid)).files for path in file.paths}
    return TreeRebuild(head.tree.oid, None, tuple(sorted(changed - allowed)), because)
