"""`mergegate agent-prompt`: a section for AGENTS.md that says how to get a pull request through."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.local.clone import find_clone, open_clone, read_revision
from app.local.policy import read_policy_of
from app.local.prompting import section
from app.local.work import finish
from checks.branches import BRANCHES


def agent_prompt(
    repo: Annotated[str, typer.Option("--repo", metavar="DIR", help="A clone, or a folder in it.")] = ".",
    base: Annotated[str, typer.Option("--base", metavar="REV", help="The target branch's tip.")] = "origin/HEAD",
) -> None:
    """Print a section of at most 600 tokens for an agent's instruction file, from the policy at --base."""
    sys.stdout.write(finish(_section(Path(repo), base)))


async def _section(repo: Path, base: str) -> str:
    clone = find_clone(repo)
    async with open_clone(clone) as objects:
        revision = await read_revision(clone, objects, "--base", base)
        state = await read_policy_of(objects, revision, None)
    return section(state.policy, (revision.branch or "refs/heads/main").removeprefix(BRANCHES))
