"""Records as GitHub's JSON: people, Apps, installations, teams, labels, reactions.

Shapes follow githubkit's models and GitHub's OpenAPI description; what version 2026-03-10 leaves out is taken away when
the answer is sent (`versions.py`). Addresses are absolute, under `/api/v3` for the API. Functions of repositories,
pulls, issues and git objects are beside this module.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from tests.github import node_ids
from tests.github.access import team_members
from tests.github.state import Account, App, Installation, Label, Reaction, Repository, Team, World

Json = dict[str, Any]
REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def stamp(moment: datetime | None) -> str | None:
    """A time as GitHub writes it, whole seconds and Z."""
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def api(world: World) -> str:
    return f"{world.base_url}/api/v3"


def simple_user(world: World, login: str) -> Json:
    """`simple-user`; an unknown login is shown as the ghost that GitHub puts in the place of deleted accounts."""
    account = world.accounts.get(login) or world.accounts["ghost"]
    url = f"{api(world)}/users/{account.login}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node_ids.encode(account.type, account.id),
        "avatar_url": f"{world.base_url}/avatars/u/{account.id}?v=4",
        "gravatar_id": "",
        "url": url,
        "html_url": _profile(world, account),
        "followers_url": f"{url}/followers",
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{url}/subscriptions",
        "organizations_url": f"{url}/orgs",
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events{{/privacy}}",
        "received_events_url": f"{url}/received_events",
        "type": account.type,
        "user_view_type": "public",
        "site_admin": False,
    }


def _profile(world: World, account: Account) -> str:
    if account.type == "Bot":
        return f"{world.base_url}/apps/{account.login.removesuffix('[bot]')}"
    return f"{world.base_url}/{account.login}"


def users(world: World, logins: Iterable[str]) -> list[Json]:
    return [simple_user(world, login) for login in logins]


def public_user(world: World, account: Account) -> Json:
    """`public-user`."""
    owned = [r for r in world.repositories.values() if r.owner == account.login and not r.private]
    return simple_user(world, account.login) | {
        "name": account.name,
        "company": None,
        "blog": "",
        "location": None,
        "email": account.email,
        "hireable": None,
        "bio": None,
        "twitter_username": None,
        "public_repos": len(owned),
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": stamp(account.created_at),
        "updated_at": stamp(account.created_at),
    }


def private_user(world: World, account: Account) -> Json:
    """`private-user`: what `GET /user` tells its own user."""
    private = sum(r.owner == account.login and r.private for r in world.repositories.values())
    return public_user(world, account) | {
        "private_gists": 0,
        "total_private_repos": private,
        "owned_private_repos": private,
        "disk_usage": 0,
        "collaborators": 0,
        "two_factor_authentication": True,
    }


def organization_simple(world: World, login: str) -> Json:
    account = world.accounts[login]
    url = f"{api(world)}/orgs/{login}"
    return {
        "login": login,
        "id": account.id,
        "node_id": node_ids.encode("Organization", account.id),
        "url": url,
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events",
        "hooks_url": f"{url}/hooks",
        "issues_url": f"{url}/issues",
        "members_url": f"{url}/members{{/member}}",
        "public_members_url": f"{url}/public_members{{/member}}",
        "avatar_url": f"{world.base_url}/avatars/u/{account.id}?v=4",
        "description": None,
    }


def organization(world: World, login: str) -> Json:
    """`team-organization`, which is what the full form of an organisation shares with teams."""
    account = world.accounts[login]
    repositories = [r for r in world.repositories.values() if r.owner == login and not r.private]
    return organization_simple(world, login) | {
        "name": account.name or login,
        "html_url": f"{world.base_url}/{login}",
        "has_organization_projects": True,
        "has_repository_projects": True,
        "public_repos": len(repositories),
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": stamp(account.created_at),
        "updated_at": stamp(account.created_at),
        "archived_at": None,
        "type": "Organization",
    }


def app(world: World, record: App) -> Json:
    """`integration`."""
    owner = record.owner if record.owner in world.accounts else "github"
    return {
        "id": record.id,
        "client_id": record.client_id,
        "slug": record.slug,
        "node_id": node_ids.encode("App", record.id),
        "owner": simple_user(world, owner),
        "name": record.name,
        "description": "",
        "external_url": f"{world.base_url}/apps/{record.slug}",
        "html_url": f"{world.base_url}/apps/{record.slug}",
        "created_at": stamp(record.created_at),
        "updated_at": stamp(record.created_at),
        "permissions": dict(record.permissions),
        "events": list(record.events),
    }


def via_app(world: World, login: str) -> Json | None:
    """`performed_via_github_app` of something that `login` wrote."""
    found = world.app_of(login)
    return app(world, found) if found else None


def installation(world: World, record: Installation) -> Json:
    """`installation`."""
    account, url = world.accounts[record.account], f"{api(world)}/app/installations/{record.id}"
    used = world.apps[record.app_id]
    suspended = stamp(used.created_at) if record.suspended else None
    return {
        "id": record.id,
        "client_id": used.client_id,
        "account": simple_user(world, record.account),
        "repository_selection": "all" if record.repository_ids is None else "selected",
        "access_tokens_url": f"{url}/access_tokens",
        "repositories_url": f"{api(world)}/installation/repositories",
        "html_url": f"{world.base_url}/settings/installations/{record.id}",
        "app_id": record.app_id,
        "app_slug": used.slug,
        "target_id": account.id,
        "target_type": account.type,
        "permissions": dict(record.permissions),
        "events": list(record.events),
        "created_at": stamp(used.created_at),
        "updated_at": stamp(used.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": simple_user(world, record.account) if record.suspended else None,
        "suspended_at": suspended,
    }


def team_simple(world: World, record: Team, permission: str = "pull") -> Json:
    """`team-simple`: a team without its parent."""
    owner = world.accounts[record.organization]
    url = f"{api(world)}/organizations/{owner.id}/team/{record.id}"
    return {
        "id": record.id,
        "node_id": node_ids.encode("Team", record.id),
        "name": record.slug,
        "slug": record.slug,
        "description": "",
        "privacy": "closed",
        "notification_setting": "notifications_enabled",
        "permission": permission,
        "url": url,
        "html_url": f"{world.base_url}/orgs/{record.organization}/teams/{record.slug}",
        "members_url": f"{url}/members{{/member}}",
        "repositories_url": f"{url}/repos",
        "type": "organization",
        "organization_id": owner.id,
    }


def team(world: World, record: Team, permission: str = "pull") -> Json:
    """`team`."""
    parent = world.teams.get((record.organization, record.parent or ""))
    return team_simple(world, record, permission) | {"parent": team_simple(world, parent) if parent else None}


def team_full(world: World, record: Team) -> Json:
    """`team-full`."""
    owned = [r for r in world.repositories.values() if r.owner == record.organization and record.slug in r.teams]
    created = stamp(world.accounts[record.organization].created_at)
    return team(world, record) | {
        "members_count": len(team_members(world, record)),
        "repos_count": len(owned),
        "created_at": created,
        "updated_at": created,
        "organization": organization(world, record.organization),
    }


def label(world: World, repository: Repository, record: Label) -> Json:
    return {
        "id": record.id,
        "node_id": node_ids.encode("Label", record.id),
        "url": f"{api(world)}/repos/{repository.full_name}/labels/{record.name}",
        "name": record.name,
        "description": record.description,
        "color": record.color,
        "default": False,
        "archived_at": None,
        "archived_by": None,
    }


def label_named(world: World, repository: Repository, name: str) -> Json:
    """The label of that name; a removed one keeps its name only."""
    record = repository.labels.get(name) or Label(0, name)
    return label(world, repository, record)


def reaction(world: World, record: Reaction) -> Json:
    return {
        "id": record.id,
        "node_id": node_ids.encode("Reaction", record.id),
        "user": simple_user(world, record.user),
        "content": record.content,
        "created_at": stamp(record.created_at),
    }


def reaction_rollup(url: str, reactions: Iterable[Reaction]) -> Json:
    contents = [r.content for r in reactions]
    counts: Json = {name: contents.count(name) for name in REACTIONS}
    return {"url": f"{url}/reactions", "total_count": len(contents)} | counts
