"""Running one command and recording what it did: its own exit code, its own output, on which files."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from app.local.clone import CannotLook, Clone, find_clone
from app.local.records import Record, new_name, records_folder, save_record
from policies.escape import clean

KEPT_OUTPUT = 32 * 1024 * 1024  # bytes of the output that are kept in the file; all of it is in the digest
# Nothing of the clone's configuration runs while its files are listed.
_QUIET = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")


@dataclass(slots=True)
class _Output:
    """Everything that was printed: shown, hashed, and kept up to a limit."""

    file: BinaryIO
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)
    size: int = 0
    kept: int = 0

    def take(self, chunk: bytes) -> None:
        self.digest.update(chunk)
        self.size += len(chunk)
        room = chunk[: KEPT_OUTPUT - self.kept]
        self.kept += self.file.write(room)
        sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()


async def record_command(folder: Path, argv: Sequence[str]) -> Record:
    """Run `argv` in `folder` with its output passed through, and record it.

    Raises CannotLook outside a git work tree, and when there is no such program; then nothing was recorded.
    """
    clone = find_clone(folder)
    before, head = await work_tree(clone, folder), await _head(folder)
    started, clock = datetime.now(UTC), time.monotonic()
    place, name = records_folder(clone), new_name(started)
    place.mkdir(parents=True, exist_ok=True)
    log = place / f"{name}.log"
    with log.open("wb") as file:
        output = _Output(file)
        exit_code = await _run(folder, argv, output)
    record = Record(
        command=shlex.join(argv),
        argv=tuple(argv),
        exit_code=exit_code,
        started_at=started,
        seconds=round(time.monotonic() - clock, 3),
        head=head,
        tree_before=before,
        tree_after=await work_tree(clone, folder),
        output=f"sha256:{output.digest.hexdigest()}",
        bytes=output.size,
        kept=output.kept,
        log=log.name,
    )
    save_record(place, name, record)
    return record


async def _run(folder: Path, argv: Sequence[str], output: _Output) -> int:
    """The exit code as a shell tells it: 128 and the signal's number for a program that one ended."""
    try:
        process = await asyncio.create_subprocess_exec(
            *argv, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
    except (OSError, ValueError) as wrong:
        cause = clean(wrong.strerror or str(wrong) if isinstance(wrong, OSError) else str(wrong), 200)
        is_line = len(argv) == 1 and " " in argv[0]
        hint = "For a line with pipes or variables write `sh -c '…'`." if is_line else "Look at its name, and at PATH."
        raise CannotLook(f"{clean(argv[0], 200)!r} cannot be run ({cause}). {hint}") from wrong
    assert process.stdout is not None
    while chunk := await process.stdout.read(65536):
        output.take(chunk)
    code = await process.wait()
    return 128 - code if code < 0 else code


async def work_tree(clone: Clone, folder: Path) -> str:
    """The tree of all files that git does not ignore, as they are on disk. The clone's own index stays untouched."""
    with tempfile.TemporaryDirectory(prefix="mergegate-") as temporary:
        index = Path(temporary) / "index"
        if (clone.git_folder / "index").is_file():
            shutil.copyfile(clone.git_folder / "index", index)
        environment = {"GIT_INDEX_FILE": str(index)}
        await _git(folder, (*_QUIET, "add", "--all", "--", ":/"), environment)
        return await _git(folder, (*_QUIET, "write-tree"), environment)


async def _head(folder: Path) -> str | None:
    try:
        return await _git(folder, ("rev-parse", "--verify", "--quiet", "HEAD^{commit}"), {})
    except CannotLook:
        return None


async def _git(folder: Path, arguments: Sequence[str], environment: dict[str, str]) -> str:
    try:
        process = await asyncio.create_subprocess_exec(
            "git",
            *arguments,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except FileNotFoundError as wrong:
        raise CannotLook("git is not installed, or not in PATH. Install git 2.38 or newer.") from wrong
    out, err = await process.communicate()
    if process.returncode != 0:
        said = clean(err.decode(errors="replace").strip(), 300)
        raise CannotLook(f"git cannot list the files of {clean(str(folder), 200)}: {said}")
    return out.decode().strip()
