"""Paths that single commits of a pull request touch and the whole change does not: added and taken back again."""

from __future__ import annotations

from collections.abc import Iterator

from app.gate.git import GitFailed, GitObjects
from checks.diff import Diff
from checks.snapshot import CommitPath
from checks.unread import Unread

MOST_COMMITS = 250
MOST_PATHS = 1_000


async def read_passing_paths(
    objects: GitObjects, merge_base: str | Unread, head_sha: str, diff: Diff | Unread
) -> tuple[CommitPath, ...] | Unread:
    """See `Snapshot.passing_paths`. A merge counts with the paths in which it differs from all that it merges."""
    if isinstance(merge_base, Unread) or isinstance(diff, Unread):
        return merge_base if isinstance(merge_base, Unread) else Unread("the changed files could not be read")
    try:
        commits = await objects.commits_between(merge_base, head_sha, MOST_COMMITS + 1)
        if len(commits) > MOST_COMMITS:
            return Unread(f"there are more than {MOST_COMMITS}")
        raw = await objects.paths_of_each(commits)
    except GitFailed as wrong:
        return Unread(str(wrong))
    whole = {path for file in diff.files for path in file.paths}
    passing = tuple(one for one in parse_paths(raw) if one.path not in whole)
    return passing if len(passing) <= MOST_PATHS else Unread(f"they touch more than {MOST_PATHS} paths in passing")


def parse_paths(raw: bytes) -> Iterator[CommitPath]:
    """Of `git diff-tree --stdin -z --raw`: a commit's id, then its entries; only these begin with a colon."""
    fields = iter(raw.split(b"\0"))
    sha = ""
    for field in fields:
        if not field.startswith(b":"):
            sha = field.decode("ascii")
            continue
        yield CommitPath(sha, next(fields).decode("utf-8", "surrogateescape"))
