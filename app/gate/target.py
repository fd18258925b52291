"""Which branch a pull request will land on, whether that is gated, and the policy in force there.

Everything comes from the target's tip. In a stack the target is the stack's base: an agent can write every branch
between. Whether a branch is gated is for the default branch's policy to say, for the same reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.policies import file_text, policy_of_tip
from app.github import graph, reads
from app.github.client import GitHubClient
from app.github.models import TargetCommit
from app.github.pull_models import PullState
from checks.branches import BRANCHES
from checks.snapshot import Stack
from policies.load import PolicySource, PolicyState, read_policy
from policies.rules import gated_ref


@dataclass(frozen=True, slots=True)
class Target:
    ref: str  # full name
    tip: TargetCommit
    policy: PolicyState
    gated: bool
    stack: Stack | None = None


class NoTarget(RuntimeError):
    """The base branch is gone; GitHub closes such pull requests, so reading again settles it."""


async def read_target(gate: Gate, installation_id: int, repository: RepositoryName, state: PullState) -> Target:
    """Resolve the target of a pull request. Raises NoTarget, and the errors of `app.github.errors`."""
    pull, default = state.pull, state.repository.default_branch_ref
    if default is None or pull.base_ref is None:
        raise NoTarget(f"{repository.full_name}#{pull.number}: its base branch does not exist")
    judge = _Judge(gate, installation_id, repository, BRANCHES + default.name)
    if pull.base_ref_name == default.name:
        return await judge.target(judge.default, pull.base_ref.target, pull.base_ref.target, None)
    client = gate.client(installation_id)
    stack = await _stack(client, repository, pull.number)
    main = await _tip(client, repository, judge.default)
    if stack is None:
        return await judge.target(BRANCHES + pull.base_ref_name, pull.base_ref.target, main, None)
    if stack.base_ref == judge.default:
        return await judge.target(stack.base_ref, main, main, stack)
    return await judge.target(stack.base_ref, await _tip(client, repository, stack.base_ref), main, stack)


@dataclass(frozen=True, slots=True)
class _Judge:
    """A repository and its default branch, whose policy says which branches are gated."""

    gate: Gate
    installation_id: int
    repository: RepositoryName
    default: str  # full ref

    async def target(self, ref: str, tip: TargetCommit, main: TargetCommit, stack: Stack | None) -> Target:
        main_policy = await self._policy(self.default, main)
        if main_policy.origin in ("broken", "unread"):
            # It cannot say which branches are gated. So every one is, or what is green there would stay green.
            return Target(ref, tip, main_policy, gated=True, stack=stack)
        own = main_policy if tip.policy is None or ref == self.default else await self._policy(ref, tip)
        return Target(ref, tip, own, is_gated(main_policy, ref, self.default), stack)

    async def _policy(self, ref: str, tip: TargetCommit) -> PolicyState:
        return await policy_of_tip(self.gate, self.installation_id, self.repository, ref, tip)


def is_gated(main: PolicyState, ref: str, default: str) -> bool:
    """By the default branch's policy or the server's baseline; refs are full."""
    return gated_ref(main.policy, ref, default) or (main.floor is not None and gated_ref(main.floor, ref, default))


async def _tip(client: GitHubClient, repository: RepositoryName, ref: str) -> TargetCommit:
    branch = await graph.branch_tip(client, repository.owner, repository.name, ref)
    if branch is None:
        raise NoTarget(f"{repository.full_name}: {ref} does not exist")
    return branch.target


async def _stack(client: GitHubClient, repository: RepositoryName, number: int) -> Stack | None:
    """Asked only where it can matter: a stack's bottom layer has the target as its own base."""
    answer = (await reads.pull(client, repository.owner, repository.name, number)).stack
    if answer is None:
        return None
    return Stack(
        answer.number or 0,
        BRANCHES + answer.base.ref.removeprefix(BRANCHES),
        answer.base.sha or "",
        answer.position or 0,
        answer.size or 0,
    )


def policy_of(presets: Mapping[str, str], ref: str, tip: TargetCommit) -> PolicyState:
    """The policy in force at a branch's tip."""
    return read_policy(PolicySource(file_text(tip.policy), ref, tip.oid), presets)
