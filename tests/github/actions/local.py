"""Running one workflow file on its own, for tests that want real logs without a story around them."""

from __future__ import annotations

from pathlib import Path

from tests.github.git import Files
from tests.github.server import SimulatedGitHub
from tests.github.state import WorkflowRun

PATH = ".github/workflows/ci.yml"


async def run_workflow(root: Path, text: str, files: Files) -> WorkflowRun:
    """The completed run of the workflow `text` (it must start on `push`) over `files`; its jobs hold their logs.

    `root` is an empty folder. AssertionError when the file starts no run.
    """
    github = SimulatedGitHub.create(root)
    try:
        repository = await github.repository("acme/local", {"README.md": ""}, collaborators={"ada": "admin"})
        await github.push(repository, "main", {**files, PATH: text})
        await github.settle()
        assert github.crashes == []
        assert repository.runs, "the workflow file starts no run on push"
        return next(iter(repository.runs.values()))
    finally:
        await github.stop()
