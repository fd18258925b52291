"""Which branch a pull request will land on, whether that is gated, and the policy in force there.

Everything comes from the target's tip. In a stack the target is the stack's base: an agent can write every branch
between. Whether a branch is gated is for the default branch's policy to say, for the same reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.github import graph, reads
from app.github.client import GitHubClient
from app.github.models import FileEntry, TargetCommit
from app.github.pull_models import PullState
from checks.snapshot import Stack, Unread
from policies.load import PolicySource, PolicyState, read_policy
from policies.rules import gated_ref

PLAIN_FILES = (0o100644, 0o100755)
BRANCHES = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Target:
    ref: str  # full name
    tip: TargetCommit
    policy: PolicyState
    gated: bool
    stack: Stack | None = None


class NoTarget(RuntimeError):
    """The base branch is gone; GitHub closes such pull requests, so reading again settles it."""


async def read_target(gate: Gate, client: GitHubClient, repository: RepositoryName, state: PullState) -> Target:
    """Resolve the target of a pull request. Raises NoTarget, and the errors of `app.github.errors`."""
    pull, default = state.pull, state.repository.default_branch_ref
    if default is None or pull.base_ref is None:
        raise NoTarget(f"{repository.full_name}#{pull.number}: its base branch does not exist")
    if pull.base_ref_name == default.name:
        return _target(gate, BRANCHES + default.name, pull.base_ref.target, pull.base_ref.target, default.name, None)
    stack = await _stack(client, repository, pull.number)
    main = await _tip(client, repository, BRANCHES + default.name)
    if stack is None:
        return _target(gate, BRANCHES + pull.base_ref_name, pull.base_ref.target, main, default.name, None)
    if stack.base_ref == BRANCHES + default.name:
        return _target(gate, stack.base_ref, main, main, default.name, stack)
    tip = await _tip(client, repository, stack.base_ref)
    return _target(gate, stack.base_ref, tip, main, default.name, stack)


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


def _target(
    gate: Gate, ref: str, tip: TargetCommit, main: TargetCommit, default_branch: str, stack: Stack | None
) -> Target:
    main_policy = policy_at(gate, BRANCHES + default_branch, main)
    if main_policy.origin in ("broken", "unread"):
        # It cannot say which branches are gated. So every one is, or what is green there would stay green.
        return Target(ref, tip, main_policy, gated=True, stack=stack)
    gated = gated_ref(main_policy.policy, ref, BRANCHES + default_branch)
    own = main_policy if tip.policy is None else policy_at(gate, ref, tip)
    return Target(ref, tip, own, gated, stack)


def policy_at(gate: Gate, ref: str, tip: TargetCommit) -> PolicyState:
    return policy_of(gate.presets, ref, tip)


def policy_of(presets: Mapping[str, str], ref: str, tip: TargetCommit) -> PolicyState:
    """The policy in force at a branch's tip."""
    return read_policy(PolicySource(file_text(tip.policy), ref, tip.oid), presets)


def file_text(entry: FileEntry | None) -> str | Unread | None:
    if entry is None:
        return None
    blob = entry.object
    if blob is None or entry.mode not in PLAIN_FILES:
        return Unread("the policy's path is not a plain file; replace what stands there by a file")
    if blob.is_truncated or blob.text is None:
        return Unread("the policy file is too large or no text; keep it under 64 KiB")
    return blob.text
