"""What `mergegate doctor OWNER/REPO` asks GitHub: with a person's token, all at once, refusals kept.

Sixteen requests for a repository with two rulesets; more rulesets and environments add one or two each, up to forty.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from app.cli.asking_github import cannot_ask
from app.cli.wait import token_of
from app.config import AppSettings, Settings
from app.gate.names import RepositoryName
from app.gate.policies import policy_of_tip
from app.gate.presets import read_presets
from app.gate.shared_policies import SharedPolicies
from app.github import guards, installations, posted, rulesets
from app.github.client import GitHubClient
from app.github.clients import GitHubApp
from app.github.errors import BadCredentials, GitHubError, NotFound
from app.github.graph import branch_tip
from app.github.identity import AppIdentity
from app.github.models import BlobEntry, TargetCommit
from app.github.personal import PersonalClient
from app.local.clone import CannotLook
from app.local.examination import CouldNotRead, Environment, Facts, Followed, Installed, Posted, Secrets
from app.local.policy import fault_line
from app.local.protection import AGENTS, QueueKind
from app.local.shipped import app_manifest
from checks.branches import BRANCHES
from policies.escape import clean
from policies.schema import POLICY_PATH, Policy

T = TypeVar("T")
_FOLDER = ".github/workflows"
# https://github.blog/changelog/2025-11-13-configure-copilot-coding-agent-as-a-bypass-actor-for-rulesets
GITHUBS_AGENT = "copilot-swe-agent"
MOST_ENVIRONMENTS = 6  # of which branches and secrets are asked for
MOST_PEOPLE = 5  # of bypass lists that are named


async def repository_facts(settings: Settings, owner: str, name: str, app_id: int, queue: QueueKind) -> Facts:
    """Raises CannotLook where the token, the repository or GitHub itself is in the way of every question."""
    shown = clean(f"{owner}/{name}", 200)
    client = PersonalClient(token_of(os.environ, f"administer {shown}"), settings.github_api_url)
    try:
        return await _Questions(client, settings, owner, name).facts(app_id, queue)
    except NotFound as wrong:
        raise CannotLook(f"there is no repository {shown} that this token may see.") from wrong
    except GitHubError as wrong:
        raise cannot_ask(wrong, settings.github_api_url) from wrong
    finally:
        await client.aclose()


async def _read(question: Awaitable[T]) -> T | CouldNotRead:
    """The answer, or why there is none. A wrong token is everybody's and not one question's."""
    try:
        return await question
    except BadCredentials:
        raise
    except GitHubError as wrong:
        return CouldNotRead(wrong.because)


@dataclass(frozen=True)
class _Person:
    """Reads policies with a person's token, whatever the installation."""

    asking: GitHubClient
    presets: Mapping[str, str] = field(default_factory=read_presets)
    floor: Policy | None = None
    shared: SharedPolicies = field(default_factory=SharedPolicies)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def client(self, installation_id: int) -> GitHubClient:  # noqa: ARG002 - one token for all
        return self.asking


class _Questions:
    def __init__(self, client: GitHubClient, settings: Settings, owner: str, name: str) -> None:
        self._client, self._settings, self._owner, self._name = client, settings, owner, name

    @property
    def _place(self) -> tuple[GitHubClient, str, str]:
        return self._client, self._owner, self._name

    async def facts(self, app_id: int, queue: QueueKind) -> Facts:
        about = await guards.repository(*self._place)
        self._owner, _, self._name = str(about["full_name"]).partition("/")
        branch, courier = str(about["default_branch"]), self._settings.courier
        settings = asyncio.gather(
            _read(rulesets.in_force(*self._place, branch)),
            _read(guards.workflow_permissions(*self._place)),
            _read(guards.retention(*self._place)),
            _read(guards.has_classic_protection(*self._place, branch)),
            _read(guards.longest_group_run(*self._place)),
        )
        apps = asyncio.gather(*(_read(self._installed(one)) for one in (self._settings.gate, courier)))
        owner = about.get("owner") or {}
        around = asyncio.gather(
            self._rulesets(app_id),
            self._secrets(in_organization=owner.get("type") != "User"),
            self._environments(),
            self._files(branch),
            self._posted(branch),
        )
        answers = await asyncio.gather(settings, around, apps)
        effective, permissions, retention, classic, minutes = answers[0]
        (held, names), secrets, environments, (policy, workflows), seen = answers[1]
        template = app_manifest("gate")
        return Facts(
            app_id=app_id,
            courier_id=courier.app_id if courier else None,
            queue=queue,
            branch=branch,
            repository=about,
            effective=effective,
            rulesets=held,
            names=names,
            policy=policy,
            workflows=workflows,
            workflow_permissions=permissions,
            retention=retention,
            secrets=secrets,
            environments=environments,
            posted=seen,
            group_minutes=minutes,
            classic_protection=classic,
            installed=answers[2][0],
            courier=answers[2][1] if courier else None,
            asked=template["default_permissions"],
            asked_events=tuple(template["default_events"]),
        )

    async def _rulesets(self, app_id: int) -> tuple[list[dict[str, Any]] | CouldNotRead, dict[tuple[str, int], str]]:
        found = await _read(rulesets.every(*self._place))
        if isinstance(found, CouldNotRead):
            return found, {}
        courier = self._settings.courier
        known = {app_id, courier.app_id if courier else None}
        return found, await self._names([actor for actor in _actors(found) if actor[1] not in known])

    async def _names(self, actors: Sequence[tuple[str, int]]) -> dict[tuple[str, int], str]:
        """Logins and slugs as far as GitHub tells them; a number will do where it does not."""
        people = [number for kind, number in actors if kind == "User"][:MOST_PEOPLE]
        logins = await asyncio.gather(*(_read(guards.login(self._client, number)) for number in people))
        names = {
            ("User", number): login for number, login in zip(people, logins, strict=True) if isinstance(login, str)
        }
        if any(kind == "Integration" for kind, _ in actors):
            names |= {("Integration", number): slug for number, slug in (await self._apps()).items()}
        return names

    async def _apps(self) -> dict[int, str]:
        """Slugs of the Apps that the organisation has installed, and of GitHub's own agent, which nobody installs."""
        listed, agent = await asyncio.gather(
            _read(guards.apps(self._client, self._owner)), _read(guards.app_id(self._client, GITHUBS_AGENT))
        )
        slugs = {} if isinstance(listed, CouldNotRead) else listed
        return slugs if isinstance(agent, CouldNotRead) else {**slugs, agent: GITHUBS_AGENT}

    async def _secrets(self, *, in_organization: bool) -> Secrets:
        shared_ones = ("actions/organization-secrets",) if in_organization else ()
        kept = ("actions/secrets", "dependabot/secrets", *shared_ones)
        own, dependabots, *shared = await asyncio.gather(*(_read(guards.secrets(*self._place, one)) for one in kept))
        return Secrets(own, shared[0] if shared else (), dependabots)

    async def _environments(self) -> list[Environment] | CouldNotRead:
        found = await _read(guards.environments(*self._place))
        if isinstance(found, CouldNotRead):
            return found
        looked = [self._environment(one) for one in found[:MOST_ENVIRONMENTS]]
        unread = CouldNotRead(f"only {MOST_ENVIRONMENTS} environments are looked at")
        others = [
            Environment(str(one["name"]), unread, reviewed=False, secrets=unread) for one in found[MOST_ENVIRONMENTS:]
        ]
        return [*await asyncio.gather(*looked), *others]

    async def _environment(self, found: Mapping[str, Any]) -> Environment:
        name, policy = str(found["name"]), found.get("deployment_branch_policy")
        secrets = asyncio.ensure_future(_read(guards.environment_secrets(*self._place, name)))
        branches: Any = None if policy is None else "protected"
        if policy is not None and policy.get("custom_branch_policies"):
            branches = await _read(guards.environment_branches(*self._place, name))
        rules = {rule.get("type") for rule in found.get("protection_rules") or ()}
        return Environment(name, branches, "required_reviewers" in rules, await secrets)

    async def _files(
        self, branch: str
    ) -> tuple[Followed | CouldNotRead | None, dict[str, bytes | None] | CouldNotRead]:
        """The policy and the workflow files of the default branch, which come with one request."""
        tip = await _read(branch_tip(*self._place, f"{BRANCHES}{branch}"))
        if isinstance(tip, CouldNotRead):
            return tip, tip
        if tip is None:
            return None, {}
        return await self._policy(tip.target, branch), _workflows(tip.target)

    async def _policy(self, tip: TargetCommit, branch: str) -> Followed | CouldNotRead | None:
        """As the gate reads it, the organisation's and what it reuses included; but with what this token may see."""
        repository = RepositoryName(0, self._owner, self._name, branch)
        state = await _read(policy_of_tip(_Person(self._client), 0, repository, f"{BRANCHES}{branch}", tip))
        if isinstance(state, CouldNotRead) or state.origin == "default":
            return state if isinstance(state, CouldNotRead) else None
        if state.origin == "unread":
            return CouldNotRead(state.because)
        faults = tuple(fault_line(state.source.given or POLICY_PATH, error) for error in state.errors)
        return Followed(state.policy.queue.kind, state.policy.agents.branches, faults, state.policy.queue.method)

    async def _installed(self, configured: AppSettings | None) -> Installed | CouldNotRead | None:
        """One of our Apps on the repository, by its own key; None where it is not installed there."""
        if configured is None:
            return CouldNotRead("the App's key is not configured here")
        address, accounts = self._settings.github_api_url, self._settings.accounts
        app = GitHubApp(AppIdentity("gate", configured.app_id, configured.private_keys, address, accounts))
        try:
            found = await installations.repository_installation(app.app, self._owner, self._name)
            served = app.identity.serves(found.account.login if found.account else None)
            return Installed(found.permissions, found.events, found.suspended_at is not None, served, found.id)
        except NotFound:
            return None
        except BadCredentials as wrong:
            return CouldNotRead(wrong.because)
        finally:
            await app.aclose()

    async def _posted(self, branch: str) -> Posted | CouldNotRead:
        seen = await _read(posted.posted_checks(*self._place, branch))
        if isinstance(seen, CouldNotRead):
            return seen
        return Posted(len(seen.on_pulls), frozenset().union(*seen.on_pulls), seen.on_tip, seen.complete)


def _actors(found: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    """Bypass actors by kind and id, but for the one App that the agents' ruleset is there for."""
    return [
        (str(actor.get("actor_type")), int(actor.get("actor_id") or 0))
        for ruleset in found
        for actor in ruleset.get("bypass_actors") or ()
        if ruleset.get("name") != AGENTS or actor.get("actor_type") != "Integration"
    ]


def _workflows(tip: TargetCommit) -> dict[str, bytes | None] | CouldNotRead:
    if tip.workflows is None:
        return {}
    if tip.workflows.object is None or tip.workflows.object.entries is None:
        return CouldNotRead(f"{_FOLDER} is no folder")
    entries = [one for one in tip.workflows.object.entries if one.name.endswith((".yml", ".yaml"))]
    return {f"{_FOLDER}/{one.name}": _text(one) for one in entries}


def _text(entry: BlobEntry) -> bytes | None:
    blob = entry.object
    if blob is None or blob.is_truncated or blob.text is None:
        return None
    return blob.text.encode("utf-8", "surrogatepass")
