"""Which sessions may be opened: the rules of the repository's own policy, read at the tip of its default branch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

import re2

from app.gate.target import policy_of
from app.github import graph, installations
from app.github.addresses import route
from app.github.client import GitHubClient
from app.github.clients import GitHubApp
from app.github.errors import GitHubError, NotFound
from app.github.installation_models import InstalledRepository
from app.github.reads import REPO
from app.proxy.grant import Grant, Right
from app.proxy.sessions import DEFAULT_RIGHTS, CannotOpen, Wanted, open_session
from app.secret import SecretStr
from app.store.database import Database
from checks.branches import BRANCHES
from policies.load import PolicyState
from policies.rules import gated_ref, patterns

# Narrower than git's own rules, so that a name reads the same in a shell, an address and a refusal.
# https://git-scm.com/docs/git-check-ref-format
_NAME = re2.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]*(/[A-Za-z0-9_][A-Za-z0-9._+-]*)*")
LONGEST_NAME = 200
_AGENT = re2.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@/+-]{0,99}")


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants to open. Branches by their short or full names; no `base` is the default branch."""

    owner: str
    repository: str
    branch: str
    agent: str
    opened_by: str
    base: str | None = None
    ticket: int | None = None
    operator: str | None = None
    rights: frozenset[Right] = DEFAULT_RIGHTS
    lasts: timedelta = timedelta(hours=8)


@dataclass(frozen=True, slots=True)
class Place:
    """The repository as the courier App sees it, and the policy of its default branch."""

    installation_id: int
    repository: InstalledRepository
    policy: PolicyState

    @property
    def default(self) -> str:
        return BRANCHES + self.repository.default_branch


async def opened(
    database: Database, courier: GitHubApp, presets: Mapping[str, str], asked: Asked
) -> tuple[SecretStr, Grant]:
    """A new session. Raises CannotOpen with the rule that forbids it, and DatabaseAway."""
    place = await find_place(courier, presets, asked.owner, asked.repository)
    return await open_session(database, checked(place, asked))


async def find_place(courier: GitHubApp, presets: Mapping[str, str], owner: str, repository: str) -> Place:
    """Raises CannotOpen when it cannot be seen or read."""
    try:
        installation = await installations.repository_installation(courier.app, owner, repository)
        client = courier.installation(installation.id)
        found = await _repository(client, owner, repository)
        default = BRANCHES + found.default_branch
        tip = await graph.branch_tip(client, owner, repository, default)
    except NotFound as missing:
        raise CannotOpen(
            f"the courier App does not see {owner}/{repository}; look at the name, or install the App there"
        ) from missing
    except GitHubError as wrong:
        raise CannotOpen(f"{owner}/{repository} cannot be read just now ({wrong}); try again") from wrong
    if tip is None:
        raise CannotOpen(f"{owner}/{repository} has no commit on its default branch yet; push one first")
    return Place(installation.id, found, policy_of(presets, default, tip.target))


def checked(place: Place, asked: Asked) -> Wanted:
    """What is stored. Raises CannotOpen. Pure."""
    state, name = place.policy, f"{asked.owner}/{asked.repository}"
    if state.origin in ("broken", "unread"):
        raise CannotOpen(f"the policy of {name} cannot be used, so its agents' branches are not known; repair it first")
    branch, base = _full(asked.branch), place.default if asked.base is None else _full(asked.base)
    namespace = state.policy.agents.branches
    if not patterns(namespace).matches_exactly(branch.removeprefix(BRANCHES)):
        raise CannotOpen(f"{branch} is not among the agents' branches of {name}: {', '.join(namespace)}")
    if gated_ref(state.policy, branch, place.default):
        raise CannotOpen(f"{branch} is a gated branch of {name}; agents push to branches of their own")
    if not _may_be_base(state, base, place.default) or base == branch:
        raise CannotOpen(f"{base} is no base for agents' pull requests: name a gated branch, or one of the agents'")
    if not _AGENT.fullmatch(asked.agent):
        raise CannotOpen("the agent's name is up to 100 letters, digits, spaces and . _ @ / + -")
    if asked.ticket is not None and asked.ticket < 1:
        raise CannotOpen(f"{asked.ticket} is no issue's number")
    owner, _, repository = place.repository.full_name.partition("/")
    return Wanted(
        installation_id=place.installation_id,
        repository_id=place.repository.id,
        owner=owner,
        repository=repository,
        branch=branch,
        base=base,
        agent=asked.agent,
        opened_by=asked.opened_by,
        ticket=asked.ticket,
        operator=asked.operator,
        rights=asked.rights,
        lasts=asked.lasts,
    )


def _may_be_base(state: PolicyState, base: str, default: str) -> bool:
    agents = patterns(state.policy.agents.branches)
    return gated_ref(state.policy, base, default) or agents.matches_exactly(base.removeprefix(BRANCHES))


def _full(name: str) -> str:
    short = name.removeprefix(BRANCHES)
    parts = short.split("/")
    if len(short) > LONGEST_NAME or not short.isascii() or not _NAME.fullmatch(short):
        raise CannotOpen(f"a branch's name is up to {LONGEST_NAME} letters, digits and . _ + - between slashes")
    if ".." in short or any(part.endswith((".lock", ".")) for part in parts) or short == "HEAD":
        raise CannotOpen(f"git takes no branch of the name {short}")
    return BRANCHES + short


async def _repository(client: GitHubClient, owner: str, name: str) -> InstalledRepository:
    return await client.get(route(REPO, owner=owner, name=name), purpose="list", model=InstalledRepository)
