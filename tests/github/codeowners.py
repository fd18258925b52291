"""What GitHub says about the owners in a CODEOWNERS file, in the words of its API.

https://docs.github.com/en/rest/repos/repos#list-codeowners-errors
"""

from __future__ import annotations

import re
from typing import Any

from tests.github.access import at_least, permission_of
from tests.github.state import Repository, World


def unknown_owners(world: World, repository: Repository, path: str, text: str) -> list[dict[str, Any]]:
    """An error for each owner who does not exist, cannot be seen, or has no write access of their own."""
    return [
        _error(path, number, owner.start() + 1, line, owner.group())
        for number, line in enumerate(text.splitlines(), start=1)
        for owner in re.finditer(r"(?<=\s)@[\w/.-]+", line.partition("#")[0])
        if not _may_own(world, repository, owner.group()[1:])
    ]


def _may_own(world: World, repository: Repository, name: str) -> bool:
    organization, slash, slug = name.partition("/")
    if not slash:
        return name in world.accounts and at_least(permission_of(world, repository, name), "write")
    team = world.teams.get((organization, slug))
    return team is not None and not team.secret and at_least(repository.teams.get(slug, "none"), "write")


def _error(path: str, line: int, column: int, source: str, owner: str) -> dict[str, Any]:
    what = f"the team {owner} exists, is publicly visible, and" if "/" in owner else f"{owner} exists and"
    message = f"Unknown owner on line {line}: make sure {what} has write access to the repository"
    return {
        "line": line,
        "column": column,
        "kind": "Unknown owner",
        "source": source,
        "suggestion": None,
        "message": f"{message}\n\n  {source}\n{' ' * (column + 1)}^",
        "path": path,
    }
