"""The folders of one job and the git checkout made in them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.gate.ending import end_process

SCRATCH_FILES = ("env", "output", "path", "step_summary")  # GITHUB_ENV, GITHUB_OUTPUT, ...


class CheckoutError(Exception):
    """git could not fetch or check out what was asked for; the text is git's own."""


@dataclass(frozen=True)
class Workspace:
    """`root` holds everything of the job and is removed after it."""

    root: Path
    repository_name: str

    @property
    def folder(self) -> Path:
        """GITHUB_WORKSPACE; empty until actions/checkout fills it."""
        return self.root / "work" / self.repository_name / self.repository_name

    @property
    def temporary(self) -> Path:
        return self.root / "temp"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @classmethod
    def create(cls, parent: Path, repository_name: str) -> Workspace:
        parent.mkdir(parents=True, exist_ok=True)
        workspace = cls(Path(tempfile.mkdtemp(prefix="job-", dir=parent)), repository_name)
        for folder in (workspace.folder, workspace.temporary, workspace.home):
            folder.mkdir(parents=True)
        return workspace

    def scratch(self, step: int, kind: str) -> Path:
        path = self.temporary / f"{kind}_{step}"
        path.touch()
        return path

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            shutil.rmtree(self.root)


@dataclass(frozen=True)
class Checkout:
    """What actions/checkout is asked for: `ref` is a branch, a `refs/...` name or a commit id."""

    bare: Path
    url: str
    ref: str
    sha: str
    depth: int


async def check_out(workspace: Workspace, wanted: Checkout, write: Callable[[str], None]) -> None:
    """Fetch and check out as actions/checkout does, logging the commands and what git says.

    Without a depth every branch is fetched too.

    Raises CheckoutError when git fails.
    """
    local_ref = _local_ref(wanted.ref)
    depth = ["--depth=1"] if wanted.depth == 1 else []
    write("##[group]Initializing the repository")
    await _git(workspace, ["init", str(workspace.folder)], write)
    await _git(workspace, ["remote", "add", "origin", wanted.url], write)
    write("##[endgroup]")
    write("##[group]Fetching the repository")
    serve = ["-c", "protocol.version=2"]
    fetch = ["fetch", "--no-tags", "--prune", "--no-recurse-submodules", *depth, "origin"]
    branches = [] if wanted.depth == 1 else ["+refs/heads/*:refs/remotes/origin/*"]
    shown = [*serve, *fetch, *branches, f"+{wanted.sha}:{local_ref}"]
    real = [*serve, *fetch[:-1], wanted.bare.as_uri(), *branches, f"+{wanted.sha}:{local_ref}"]
    await _git(workspace, real, write, shown)
    write("##[endgroup]")
    write("##[group]Determining the checkout info")
    write("##[endgroup]")
    write("##[group]Checking out the ref")
    await _git(workspace, ["checkout", "--progress", "--force", local_ref], write)
    write("##[endgroup]")
    await _git(workspace, ["log", "-1", "--format=%H"], write)


def _local_ref(ref: str) -> str:
    if ref.startswith("refs/pull/"):
        return f"refs/remotes/{ref.removeprefix('refs/')}"
    return f"refs/remotes/origin/{ref.removeprefix('refs/heads/')}"


async def _git(
    workspace: Workspace, arguments: Sequence[str], write: Callable[[str], None], shown: Sequence[str] | None = None
) -> None:
    write(f"[command]/usr/bin/git {' '.join(shown or arguments)}")
    process = await asyncio.create_subprocess_exec(
        "git",
        *arguments,
        cwd=workspace.folder,
        env=git_environment(workspace.home),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await process.communicate()
    finally:
        await end_process(process)
    text = output.decode("utf-8", "replace").rstrip("\n")
    for line in text.split("\n") if text else []:
        write(line)
    if process.returncode != 0:
        raise CheckoutError(f"The process '/usr/bin/git' failed with exit code {process.returncode}")


def git_environment(home: Path) -> dict[str, str]:
    """git without the machine's or the user's configuration."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
    }
