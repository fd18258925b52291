"""Who pushed a head, and what the people in a snapshot may do: permissions and team memberships, read now."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from app.gate.memberships import organization_members, team_members
from app.gate.names import RepositoryName
from app.gate.owners import teams_of_owners
from app.github import reads
from app.github.client import GitHubClient
from app.github.errors import GitHubError, NotFound, RateLimited
from app.github.pull_models import PullRequest
from app.store import pushes
from app.store.database import Database
from app.store.pushes import Push
from checks import people
from checks.accounts import Account, Permission
from checks.branches import BRANCHES
from checks.native_rules import NativeReviews, read_rules
from checks.snapshot import Snapshot
from checks.unread import Unread
from policies import rules
from policies.load import PolicyState
from policies.rule_parts import asks_about_contributors, asks_about_kinds
from policies.schema import Policy

WORDS = {permission.name.lower(): permission for permission in Permission}
MOST_PEOPLE = 50  # accounts asked about for one pull request


async def pusher(
    client: GitHubClient, repository: RepositoryName, pull: PullRequest, delivered: Sequence[Push]
) -> Account | None:
    """Who brought the head: the delivery's sender, else the activity list's actor. A fork has no list: unknown.

    A commit can be pushed more than once. Whoever is no person and moved this branch to it counts before all others.
    """
    ref = BRANCHES + pull.head_ref_name
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


async def earlier_pushers(database: Database, snapshot: Snapshot) -> tuple[Account, ...]:
    """Who brought the commits before the head, each once: who only names others in a commit wrote it all the same.

    What GitHub itself made and signed says by itself for whom; who pushes it is a merge queue.
    """
    commits = () if isinstance(snapshot.commits, Unread) else snapshot.commits
    by_hand = (commit for commit in commits if not (commit.signature_valid and commit.signed_by_github))
    earlier = [commit.oid for commit in by_hand if commit.oid != snapshot.head.sha]
    async with database.transaction() as connection:
        found = await pushes.first_of(connection, snapshot.repository.id, earlier) if earlier else []
    return tuple(dict.fromkeys(Account(push.sender_login, push.sender_id, push.sender_type) for push in found))


async def with_rights(
    client: GitHubClient, repository: RepositoryName, snapshot: Snapshot, state: PolicyState, pull: PullRequest
) -> Snapshot:
    """The snapshot with the permissions and team memberships that its judgement rests on."""
    logins = _logins(snapshot, state.policies)
    if len(logins) > MOST_PEOPLE:
        unread = Unread(f"more than {MOST_PEOPLE} people took part")
        return replace(snapshot, permissions=dict.fromkeys(logins, unread))
    writers = _writers(pull, state.policies)
    permissions = await asyncio.gather(*[_permission(client, repository, login, writers) for login in logins])
    named = {team for policy in state.policies for team in rules.teams_named(policy)}
    teams = sorted(named | teams_of_owners(snapshot))
    members = await asyncio.gather(*[team_members(client, repository.owner, team, logins) for team in teams])
    organizations = sorted({name for policy in state.policies for name in rules.organizations_named(policy)})
    everybody = await asyncio.gather(*[organization_members(client, name, logins) for name in organizations])
    return replace(
        snapshot,
        permissions=dict(zip(logins, permissions, strict=True)),
        teams=dict(zip(teams, members, strict=True)),
        organizations=dict(zip(organizations, everybody, strict=True)),
    )


async def native_reviews(client: GitHubClient, repository: RepositoryName, target: str) -> NativeReviews | Unread:
    """GitHub's own rules about reviews on a branch (full ref)."""
    branch = target.removeprefix(BRANCHES)
    try:
        rules = await reads.branch_rules(client, repository.owner, repository.name, branch)
    except RateLimited:
        raise
    except GitHubError as wrong:
        return Unread(str(wrong))
    return read_rules((rule.type, rule.parameters or {}) for rule in rules.items)


def _logins(snapshot: Snapshot, policies: Sequence[Policy]) -> tuple[str, ...]:
    """Once it is known for an agent's, only the rights of those who decide can change anything."""
    if not all(_is_an_agents(snapshot, policy) for policy in policies):
        return rules.logins_to_ask(snapshot)
    return tuple(sorted({account.login.lower() for account in rules.deciding(snapshot) if not account.is_bot}))


def _is_an_agents(snapshot: Snapshot, policy: Policy) -> bool:
    """Whether a mark of an agent says so and no rule asks about more; what only a commit's message says is one as long
    as no rule asks whose work it is."""
    markers = rules.agent_markers(policy)
    if not people.classify(snapshot, markers, rules.people_rule(policy)).markers or asks_about_contributors(policy):
        return False
    return people.has_proven_mark(snapshot, markers) or not asks_about_kinds(policy)


def _writers(pull: PullRequest, policies: Sequence[Policy]) -> dict[str, Permission]:
    """Reviewers whose right GitHub told with the review, where no policy asks for more than write."""
    if pull.reviews is None or any(rules.highest_permission(policy) > Permission.WRITE for policy in policies):
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
