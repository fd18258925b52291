"""Repositories that borrow the objects of another one, made without asking git."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.gate.git import GitObjects, on_disk


@asynccontextmanager
async def borrowed_objects(objects_folder: Path, folder: Path) -> AsyncIterator[GitObjects]:
    """A fresh bare repository in `folder` that borrows the objects of another one.

    It has none of the other one's configuration, hooks or attributes, and what is written stays in `folder`.
    """
    await on_disk(_borrow, folder, objects_folder)
    yield GitObjects(folder)


# A commit graph is a cache of the other repository's; the commits themselves are what counts.
_CONFIGURATION = """\
[core]
\trepositoryformatversion = 0
\tbare = true
\tcommitGraph = false
"""


def _borrow(folder: Path, objects_folder: Path) -> None:
    """All that makes a folder a repository (https://git-scm.com/docs/gitrepository-layout), without asking git."""
    (folder / "refs").mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(_CONFIGURATION)
    information = folder / "objects" / "info"
    information.mkdir(parents=True, exist_ok=True)
    (information / "alternates").write_bytes(_alternate(os.fsencode(objects_folder.resolve())) + b"\n")


def _alternate(path: bytes) -> bytes:
    """A line of `objects/info/alternates`; git unquotes one that begins with a quotation mark."""
    if b"\n" not in path:
        return path
    quoted = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + quoted + b'"'
