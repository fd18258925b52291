"""What a person may do in a repository: ownership, collaboration, teams, organisation membership."""

from __future__ import annotations

from collections.abc import Iterator

from tests.github.state import Permission, Repository, Team, World

LEVELS: tuple[Permission, ...] = ("none", "read", "triage", "write", "maintain", "admin")


def at_least(level: Permission, wanted: Permission) -> bool:
    return LEVELS.index(level) >= LEVELS.index(wanted)


def permission_of(world: World, repository: Repository, login: str) -> Permission:
    """The highest permission of `login`; a public repository can be read by everybody."""
    held: list[Permission] = ["none" if repository.private else "read"]
    if login == repository.owner or world.organization_roles.get((repository.owner, login)) == "admin":
        held.append("admin")
    if login in repository.collaborators:
        held.append(repository.collaborators[login])
    held += team_permissions(world, repository, login)
    return max(held, key=LEVELS.index)


def team_permissions(world: World, repository: Repository, login: str) -> Iterator[Permission]:
    """A team's permission reaches the members of its child teams too."""
    for slug, permission in repository.teams.items():
        team = world.teams.get((repository.owner, slug))
        if team and login in team_members(world, team):
            yield permission


def team_members(world: World, team: Team) -> set[str]:
    """Active members, those of child teams included."""
    found = {login for login, state in team.members.items() if state == "active"}
    for child in world.teams.values():
        if child.organization == team.organization and child.parent == team.slug:
            found |= team_members(world, child)
    return found


def association(world: World, repository: Repository, login: str) -> str:
    """GitHub's `author_association`."""
    if login == repository.owner:
        return "OWNER"
    if world.memberships.get((repository.owner, login)) == "active":
        return "MEMBER"
    if login in repository.collaborators:
        return "COLLABORATOR"
    merged = any(p.issue.user == login and p.merged_at for p in repository.pulls.values())
    return "CONTRIBUTOR" if merged else "NONE"
