"""What a dependency bot's pull request updates, read from both sides of its files in git."""

from __future__ import annotations

from app.gate.git import GitFailed, GitObjects
from checks.dependency_updates import MAX_BYTES, UpdateReading, read_updates
from checks.people import is_dependency_bot
from checks.snapshot import Diff, Snapshot, Unread
from policies.rules import dependency_bots
from policies.schema import Policy

MOST_FILES = 50
_NONE = UpdateReading((), ("its files could not be read",))


async def read_dependency_updates(
    objects: GitObjects | Unread, snapshot: Snapshot, policy: Policy
) -> UpdateReading | None:
    """None where it is no dependency bot's. What could not be read is a doubt."""
    if not is_dependency_bot(snapshot, dependency_bots(policy)):
        return None
    diff = snapshot.diff
    if isinstance(objects, Unread) or isinstance(diff, Unread) or not diff.complete or len(diff.files) > MOST_FILES:
        return _NONE
    try:
        return read_updates(await _sides(objects, diff))
    except GitFailed:
        return _NONE


async def _sides(objects: GitObjects, diff: Diff) -> list[tuple[str, bytes | None, bytes | None]]:
    return [(file.path, await _blob(objects, file.old_oid), await _blob(objects, file.new_oid)) for file in diff.files]


async def _blob(objects: GitObjects, oid: str | None) -> bytes | None:
    """None where the side is absent or too large, either of which is more than new versions."""
    return None if oid is None or set(oid) == {"0"} else await objects.blob(oid, MAX_BYTES)
