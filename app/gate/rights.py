"""What one person may do: their permission, and the people whom a field of the policy names. Read at this moment."""

from __future__ import annotations

from app.gate.names import RepositoryName
from app.gate.people import WORDS
from app.github import reads
from app.github.client import GitHubClient
from app.github.errors import NotFound
from checks.accounts import Permission
from policies.fields import permission_of
from policies.people_sections import Approvers


async def permission(client: GitHubClient, repository: RepositoryName, login: str) -> Permission:
    """Raises GitHub's errors, NotFound excepted: somebody unknown has no permission."""
    try:
        answer = await reads.permission(client, repository.owner, repository.name, login)
    except NotFound:
        return Permission.NONE
    return WORDS.get(answer.role_name) or WORDS.get(answer.permission, Permission.NONE)


async def is_named(client: GitHubClient, repository: RepositoryName, login: str, who: Approvers) -> bool:
    """Whether a field of the policy names this person, by login, permission, or active membership of a team."""
    if login.casefold() in {user.casefold() for user in who.users}:
        return True
    least = permission_of(who.permission)
    if least is not None and await permission(client, repository, login) >= least:
        return True
    for team in who.teams:
        member = await reads.team_membership(client, repository.owner, team, login)
        if member is not None and member.state == "active":
            return True
    return False
