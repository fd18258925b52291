"""Running git on one bare repository, without outside configuration."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

REMEMBERED_BYTES = 1 << 20
# A full object id, a path below one, the history of one without that of another, or what is between two.
IMMUTABLE = re.compile(r"\^?[0-9a-f]{40}(?::.*|\.\.[0-9a-f]{40})?", re.DOTALL)


class GitError(Exception):
    """git said no; the message holds the command and its error output."""


def clean_environment() -> dict[str, str]:
    """An environment in which git reads no configuration but the repository's own."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_LITERAL_PATHSPECS": "1",
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
    }


class GitCommand:
    """git in the bare repository at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._answers: dict[tuple[str, ...], bytes] = {}
        self._asking: dict[tuple[str, ...], asyncio.Lock] = {}

    async def attempt(
        self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> tuple[int, bytes, bytes]:
        """Exit code, output and error output.

        In a thread: asyncio starts a thread for each process anyway, and one more socket to lose.
        """
        done = await asyncio.to_thread(
            subprocess.run,
            ("git", *arguments),
            cwd=self.path,
            env=clean_environment() | dict(env or {}),
            input=stdin,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    async def run(self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        code, out, err = await self.attempt(*arguments, stdin=stdin, env=env)
        if code:
            raise GitError(f"git {' '.join(arguments)[:200]} exited {code}: {err.decode(errors='replace').strip()}")
        return out

    async def text(self, *arguments: str) -> str:
        return (await self.run(*arguments)).decode(errors="replace").strip()

    async def _answer(self, named: Sequence[str], *arguments: str) -> bytes:
        """Like `run`; remembered when all that is `named` are full object ids, whose answers never change.

        Fields of one GraphQL query ask at the same time; the first one asks git.
        """
        if not all(IMMUTABLE.fullmatch(name) for name in named):
            return await self.run(*arguments)
        async with self._asking.setdefault(arguments, asyncio.Lock()):
            if arguments in self._answers:
                return self._answers[arguments]
            out = await self.run(*arguments)
            if len(out) <= REMEMBERED_BYTES:
                self._answers[arguments] = out
            return out

    async def _found(self, named: Sequence[str], *arguments: str) -> str | None:
        """Like `_answer`, as text; None when git says no, which is asked anew each time."""
        try:
            return (await self._answer(named, *arguments)).decode().strip()
        except GitError:
            return None
