"""Who pushed a head, and what the people in a snapshot may do: permissions and team memberships, read now."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from app.gate.names import RepositoryName
from app.gate.owners import teams_of_owners
from app.github import reads
from app.github.client import GitHubClient
from app.github.errors import GitHubError, NotFound, RateLimited
from app.github.pull_models import PullRequest
from app.github.rest_models import Membership
from app.store.pushes import Push
from checks import people
from checks.native_rules import NativeReviews, read_rules
from checks.snapshot import Account, Permission, Snapshot, Unread
from policies import rules
from policies.load import PolicyState
from policies.rule_parts import asks_about_contributors
from policies.schema import Policy

WORDS = {permission.name.lower(): permission for permission in Permission}
MOST_PEOPLE = 50  # accounts asked about for one pull request


async def pusher(
    client: GitHubClient, repository: RepositoryName, pull: PullRequest, delivered: Sequence[Push]
) -> Account | None:
    """Who brought the head: the delivery's sender, else the activity list's actor. A fork has no list: unknown.

    A commit can be pushed more than once. Whoever is no person and moved this branch to it counts before all others.
    """
    ref = f"refs/heads/{pull.head_ref_name}"
    if delivered:
        machines = [push for push in delivered if push.ref == ref and push.sender_type != "User"]
        push = (machines or delivered)[0]
        return Account(push.sender_login, push.sender_id, push.sender_type)
    if pull.is_cross_repository:
        return None
    try:
        rows = (await reads.activity(client, repository.owner, repository.name, ref)).items
    except NotFound:
        return None
    actor = next((row.actor for row in rows if row.after == pull.head_ref_oid), None)
    return Account(actor.login, actor.id, actor.type) if actor else None


async def with_rights(
    client: GitHubClient, repository: RepositoryName, snapshot: Snapshot, state: PolicyState, pull: PullRequest
) -> Snapshot:
    """The snapshot with the permissions and team memberships that its judgement rests on."""
    logins = _logins(snapshot, state.policy)
    if len(logins) > MOST_PEOPLE:
        unread = Unread(f"more than {MOST_PEOPLE} people took part")
        return replace(snapshot, permissions=dict.fromkeys(logins, unread))
    writers = _writers(pull, state.policy)
    permissions = await asyncio.gather(*[_permission(client, repository, login, writers) for login in logins])
    teams = sorted({*rules.teams_named(state.policy), *teams_of_owners(snapshot)})
    in_team = partial(reads.team_membership, client, repository.owner)
    members = await asyncio.gather(*[_members(partial(in_team, team), logins) for team in teams])
    organizations = rules.organizations_named(state.policy)
    belongs = partial(reads.organization_membership, client)
    everybody = await asyncio.gather(*[_members(partial(belongs, name), logins) for name in organizations])
    return replace(
        snapshot,
        permissions=dict(zip(logins, permissions, strict=True)),
        teams=dict(zip(teams, members, strict=True)),
        organizations=dict(zip(organizations, everybody, strict=True)),
    )


async def native_reviews(client: GitHubClient, repository: RepositoryName, target: str) -> NativeReviews | Unread:
    """GitHub's own rules about reviews on a branch (full ref)."""
    branch = target.removeprefix("refs/heads/")
    try:
        rules = await reads.branch_rules(client, repository.owner, repository.name, branch)
    except RateLimited:
        raise
    except GitHubError as wrong:
        return Unread(str(wrong))
    return read_rules((rule.type, rule.parameters or {}) for rule in rules.items)


def _logins(snapshot: Snapshot, policy: Policy) -> tuple[str, ...]:
    """Once a mark of an agent is found, only the rights of those who decide can change anything."""
    found = people.classify(snapshot, rules.agent_markers(policy), rules.people_rule(policy))
    if not found.markers or asks_about_contributors(policy):
        return rules.logins_to_ask(snapshot)
    return tuple(sorted({account.login.lower() for account in rules.deciding(snapshot) if not account.is_bot}))


def _writers(pull: PullRequest, policy: Policy) -> dict[str, Permission]:
    """Reviewers whose right GitHub told with the review, where the policy asks for no more than write."""
    if rules.highest_permission(policy) > Permission.WRITE or pull.reviews is None:
        return {}
    return {
        review.author.login.lower(): Permission.WRITE if review.author_can_push_to_repository else Permission.READ
        for review in pull.reviews.nodes
        if review.author is not None
    }


async def _permission(
    client: GitHubClient, repository: RepositoryName, login: str, known: dict[str, Permission]
) -> Permission | Unread:
    if login in known:
        return known[login]
    try:
        answer = await reads.permission(client, repository.owner, repository.name, login)
    except NotFound:
        return Permission.NONE
    except RateLimited:
        raise
    except GitHubError as wrong:
        return Unread(str(wrong))
    return WORDS.get(answer.role_name) or WORDS.get(answer.permission, Permission.NONE)


async def _members(
    membership: Callable[[str], Awaitable[Membership | None]], logins: Iterable[str]
) -> frozenset[str] | Unread:
    """Those of `logins` that are active members; one that cannot be read makes the whole team unreadable."""
    asked = list(logins)
    try:
        answers = await asyncio.gather(*[membership(login) for login in asked])
    except RateLimited:
        raise
    except GitHubError as wrong:
        return Unread(str(wrong))
    return frozenset(
        login for login, answer in zip(asked, answers, strict=True) if answer is not None and answer.state == "active"
    )
