"""What a dependency bot's pull request updates, read from both sides of its files in git."""

from __future__ import annotations

import asyncio

from app.gate.git import GitFailed, GitObjects
from checks.dependency_updates import MAX_BYTES, ChangedSides, UpdateReading, read_updates
from checks.diff import ChangedFile, Diff
from checks.people import is_dependency_bot
from checks.snapshot import Snapshot
from checks.unread import Unread
from policies.rules import dependency_bots
from policies.schema import Policy

MOST_FILES = 50
MOST_BYTES = 4 * MAX_BYTES  # of both sides of all files
_UNREAD = UpdateReading((), ("its files could not be read",))
_TOO_MUCH = UpdateReading((), (f"its manifests and lock files are together larger than {MOST_BYTES} bytes",))


async def read_dependency_updates(
    objects: GitObjects | Unread, snapshot: Snapshot, policy: Policy
) -> UpdateReading | None:
    """None where it is no dependency bot's. What could not be read is a doubt."""
    if not is_dependency_bot(snapshot, dependency_bots(policy)):
        return None
    diff = snapshot.diff
    if isinstance(objects, Unread) or isinstance(diff, Unread) or not diff.complete or len(diff.files) > MOST_FILES:
        return _UNREAD
    try:
        sides = await _sides(objects, diff)
    except GitFailed:
        return _UNREAD
    return _TOO_MUCH if sides is None else await asyncio.to_thread(read_updates, sides)


async def _sides(objects: GitObjects, diff: Diff) -> list[ChangedSides] | None:
    """None where all of them are too much to read."""
    sides: list[ChangedSides] = []
    left = MOST_BYTES
    for file in diff.files:
        before = await _blob(objects, file.old_oid if _stays(file) else None)
        after = await _blob(objects, file.new_oid)
        left -= len(before or b"") + len(after or b"")
        if left < 0:
            return None
        sides.append((file.path, before, after))
    return sides


def _stays(file: ChangedFile) -> bool:
    """What another file became a manifest of is new here."""
    return file.previous_path in (None, file.path)


async def _blob(objects: GitObjects, oid: str | None) -> bytes | None:
    """None where the side is absent or too large, either of which is more than new versions."""
    return None if oid is None or set(oid) == {"0"} else await objects.blob(oid, MAX_BYTES)
