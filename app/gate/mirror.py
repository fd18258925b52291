"""Bare mirrors of repositories on GitHub, one folder each, fetched by ref and read by object id.

The mirror is a cache: it may be deleted at any time. Fetching uses a short-lived read token that reaches git through
its environment only, never through a command line or a file.

What is fetched is kept as one pack, which is there whole or not at all. Object by object, as git keeps few of them, a
fetch that was killed would leave a commit without its files and parents, which looks like one that need not be fetched
again; and git long took such parents for none at all (http://mail.spinics.net/lists/git/msg472100.html).
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.gate.git import GitFailed, GitObjects, init_bare, run_git
from app.gate.git_answers import GitAnswers
from app.gate.git_process import Answer
from app.gate.held import Held, packs_of
from app.gate.names import RepositoryName
from app.logging import LateLogger

FETCH_LIMIT = 120.0  # seconds
MOST_PACKS = 50  # for each object all are looked through
# Made last by `git init`: without it one was killed.
_WHOLE = "objects/info"

log = LateLogger(__name__)


class PushRefused(RuntimeError):
    """GitHub did not take a branch; the message may be shown to anybody."""


class MissingObjects(RuntimeError):
    """A ref moved between GitHub's answer and the fetch; reading again from the start settles it."""


@dataclass(frozen=True, slots=True)
class Remote:
    """Where to fetch from; `environment` carries the credential for git.

    `failed` is told when git came to nothing with it: the credential may have been revoked, and git does not say so in
    words that one could rely on.
    """

    url: str
    environment: Mapping[str, str]
    failed: Callable[[], None] = lambda: None

    async def run(self, folder: Path, arguments: Sequence[str], good: frozenset[int] = frozenset({0})) -> Answer:
        """As `run_git`, with the credential. Raises GitFailed."""
        try:
            return await run_git(folder, arguments, environment=self.environment, time_limit=FETCH_LIMIT, good=good)
        except GitFailed:
            self.failed()
            raise


def _own_ref(ref: str) -> str:
    """Flat names: `a` and `a/b` cannot both be refs, and GitHub may have had one after the other."""
    return "refs/mergegate/" + hashlib.sha256(ref.encode("utf-8", "surrogateescape")).hexdigest()[:40]


def _clear_away(folder: Path, before: float) -> None:
    """What a git that was killed left behind: its locks would stop every later one. `before` is in seconds."""
    for pattern in ("*.lock", "refs/mergegate/*.lock", "objects/pack/tmp_*", "objects/pack/.tmp-*"):
        for left in folder.glob(pattern):
            with contextlib.suppress(FileNotFoundError):
                if left.stat().st_mtime < before:
                    left.unlink()


async def _cleared(folder: Path) -> None:
    await asyncio.to_thread(_clear_away, folder, time.time() - 2 * FETCH_LIMIT)


def _packs(folder: Path) -> int:
    return sum(1 for _ in folder.glob("objects/pack/*.pack"))


async def _gather(folder: Path) -> None:
    """Put small packs together when there are many; a large one is left as it is, and nothing is lost when this fails.

    https://git-scm.com/docs/git-repack#Documentation/git-repack.txt---geometricltfactorgt
    """
    if await asyncio.to_thread(_packs, folder) <= MOST_PACKS:
        return
    try:
        await run_git(folder, ("repack", "--geometric=2", "-d", "--quiet"))
    except GitFailed as failed:
        log.warning("a mirror's packs could not be put together", because=str(failed))


Remotes = Callable[[int, RepositoryName], Awaitable[Remote]]

_KEPT_WHOLE = ("-c", "fetch.unpackLimit=1", "-c", "gc.auto=0", "-c", "maintenance.auto=false")

# Parts of GitHub's refusals of a push, which reach git as text only.
_REFUSALS = (
    (b"without `workflows` permission", "it changes workflow files"),
    (b"GH013", "a rule of the repository forbids it"),
    (b"GH006", "the branch is protected"),
    (b"Permission to", "the App has no write permission"),
)


def _why_refused(said: bytes) -> str:
    return next((reason for part, reason in _REFUSALS if part in said), "GitHub gives no reason that is known here")


class Mirrors:
    """Mirrors below one folder. `remote` is asked for a fresh address and credential before each fetch, `writable`
    before each push."""

    def __init__(self, folder: Path, remote: Remotes, writable: Remotes | None = None) -> None:
        self._folder = folder
        self._remote = remote
        self._writable = writable or remote
        self._locks: dict[int, asyncio.Lock] = {}
        self.answers = GitAnswers()
        self._held = Held()

    async def objects(
        self, installation_id: int, repository: RepositoryName, *, refs: Sequence[str], oids: Sequence[str]
    ) -> GitObjects:
        """The mirror, holding all of `oids`; `refs` are fetched only when one is missing.

        Raises MissingObjects when they are not reachable from the refs any more, GitFailed when git cannot fetch.
        """
        folder = self._folder / f"{repository.id}.git"
        objects = GitObjects(folder, self.answers)
        async with self._locks.setdefault(repository.id, asyncio.Lock()):
            if not (folder / _WHOLE).exists():
                await _cleared(folder)
                await init_bare(folder)
            if await self._holds(objects, oids):
                return objects
            await self._fetch(folder, await self._remote(installation_id, repository), refs)
        if not await self._holds(objects, oids):
            raise MissingObjects(f"{repository.full_name}: a ref moved while it was read")
        return objects

    async def _holds(self, objects: GitObjects, oids: Sequence[str]) -> bool:
        packs = packs_of(objects.folder)
        if self._held.has(objects.folder, packs, oids):
            return True
        if not await objects.has(*oids):
            return False
        self._held.add(objects.folder, packs, oids)
        return True

    async def push(self, installation_id: int, repository: RepositoryName, commit: str, ref: str) -> None:
        """Make the branch `ref` at a commit of the mirror; harmless when it stands there already.

        Raises PushRefused with GitHub's reason in our words, GitFailed.
        """
        folder = self._folder / f"{repository.id}.git"
        remote = await self._writable(installation_id, repository)
        push = ("push", "--quiet", "--no-verify", "--end-of-options", remote.url, f"{commit}:{ref}")
        code, _, said = await remote.run(folder, push, frozenset({0, 1}))
        if code:
            raise PushRefused(_why_refused(said))

    async def _fetch(self, folder: Path, remote: Remote, refs: Sequence[str]) -> None:
        await _cleared(folder)
        specs = [f"+{ref}:{_own_ref(ref)}" for ref in refs]
        settings = (*_KEPT_WHOLE, "-c", "fetch.recurseSubmodules=false")
        fetch = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--end-of-options")
        await remote.run(folder, (*settings, *fetch, remote.url, *specs))
        await _gather(folder)
