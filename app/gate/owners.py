"""CODEOWNERS of the target branch's tip, with what GitHub says about the owners whom it names."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from app.gate.git import GitFailed, GitObjects, run_git
from app.gate.names import RepositoryName
from app.github import graph
from app.github.client import GitHubClient
from app.github.errors import GitHubError, RateLimited
from checks.codeowners import ABSENT, MAX_BYTES, PLACES, Codeowners, ReportedError, only_for, parse, with_reported
from checks.risk import touched_paths
from checks.snapshot import Snapshot
from checks.unread import Unread

_PLAIN = frozenset({b"100644", b"100755"})


async def read_owners(
    client: GitHubClient, repository: RepositoryName, objects: GitObjects | Unread, snapshot: Snapshot
) -> Codeowners | Unread:
    """What decides about the paths that the pull request touches. Unread where it, or GitHub's word, is not known."""
    if isinstance(objects, Unread):
        return objects
    try:
        parsed = await _parsed(objects, snapshot.target_sha)
        if isinstance(parsed, Unread) or parsed.path is None:
            return parsed
        told = await graph.codeowners_errors(client, repository.owner, repository.name, snapshot.target_ref)
    except RateLimited:
        raise
    except (GitFailed, GitHubError, ValueError) as wrong:
        return Unread(f"CODEOWNERS of the target could not be read: {wrong}")
    reported = [ReportedError(one.line, one.column, one.kind, one.source) for one in told if one.path == parsed.path]
    # A second and more for the largest file; the event loop has others to serve.
    return await asyncio.to_thread(_deciding, parsed, reported, snapshot)


def _deciding(parsed: Codeowners, reported: Sequence[ReportedError], snapshot: Snapshot) -> Codeowners:
    return only_for(with_reported(parsed, reported), touched_paths(snapshot)[0])


async def _parsed(objects: GitObjects, commit: str) -> Codeowners | Unread:
    entries = await _entries(objects, commit)
    place = next((place for place in PLACES if place in entries), None)
    if place is None:
        return ABSENT
    mode, oid = entries[place]
    if mode not in _PLAIN:
        return Unread(f"{place} is no plain file")
    content = await objects.blob(oid, MAX_BYTES)
    if content is None:
        return Unread(f"{place} is not under {MAX_BYTES} bytes")
    return await asyncio.to_thread(parse, place, content)


async def _entries(objects: GitObjects, commit: str) -> dict[str, tuple[bytes, str]]:
    """Mode and object id of what stands at the places where GitHub looks for the file."""
    paths = [f":(literal){place}" for place in PLACES]
    _, out, _ = await run_git(objects.folder, ("ls-tree", "-z", "--full-tree", commit, "--", *paths))
    found: dict[str, tuple[bytes, str]] = {}
    for entry in filter(None, out.split(b"\0")):
        facts, _, path = entry.partition(b"\t")
        mode, _, oid = facts.split(b" ")
        found[path.decode("utf-8", "replace")] = (mode, oid.decode())
    return found


def teams_of_owners(snapshot: Snapshot) -> frozenset[str]:
    """Slugs of the organisation's own teams that own a touched path and that GitHub can see."""
    if not isinstance(snapshot.codeowners, Codeowners):
        return frozenset()
    everyone = (owner for rule in snapshot.codeowners.rules for owner in rule.owners if owner.missing is None)
    named = (owner.name.split("/", 1) for owner in everyone if owner.kind == "team")
    return frozenset(slug for account, slug in named if account.casefold() == snapshot.repository.owner.casefold())
