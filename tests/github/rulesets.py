"""Repository rulesets: which rules bind a branch, who may get around them, and what they say to a direct push.

https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tests.github.access import permission_of, team_members
from tests.github.auth import Actor
from tests.github.operations.pushes import RefCommand
from tests.github.state import Repository, Ruleset, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

ZERO = "0" * 40
HEADING = "Repository rule violations found"
# The built-in roles' numbers as the ruleset API uses them for RepositoryRole.
ROLE_NUMBERS = {"maintain": 2, "write": 4, "admin": 5}


def attach(github: SimulatedGitHub) -> None:
    github.effective_rules = lambda repository, branch: effective_rules(github.world, repository, branch)

    async def guard(repository: Repository, actor: Actor, command: RefCommand) -> str | None:
        return await refused_push(github, repository, actor, command)

    github.push_guards.append(guard)


def effective_rules(world: World, repository: Repository, branch: str) -> list[dict[str, Any]]:
    """The active rules for `branch` as `GET /repos/.../rules/branches/{branch}` lists them."""
    return [
        {**rule, **_source(repository, ruleset), "ruleset_id": ruleset.id}
        for ruleset in binding_rulesets(repository, branch)
        for rule in ruleset.rules
    ]


def _source(repository: Repository, ruleset: Ruleset) -> dict[str, str]:
    if ruleset.id in repository.inherited_rulesets:
        return {"ruleset_source_type": "Organization", "ruleset_source": repository.owner}
    return {"ruleset_source_type": "Repository", "ruleset_source": repository.full_name}


def binding_rulesets(repository: Repository, branch: str) -> list[Ruleset]:
    rulesets = (*repository.rulesets.values(), *repository.inherited_rulesets.values())
    return [
        r for r in rulesets if r.enforcement == "active" and r.target == "branch" and applies(r, repository, branch)
    ]


def applies(ruleset: Ruleset, repository: Repository, branch: str) -> bool:
    """Whether the ruleset's `ref_name` condition includes the branch and does not exclude it."""
    condition = ruleset.conditions.get("ref_name") or {}
    included = any(_matches(pattern, repository, branch) for pattern in condition.get("include") or [])
    return included and not any(_matches(pattern, repository, branch) for pattern in condition.get("exclude") or [])


def rules_of_type(rules: Sequence[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """The parameters of every rule of that type."""
    return [rule.get("parameters") or {} for rule in rules if rule.get("type") == kind]


def queue_parameters(world: World, repository: Repository, branch: str) -> dict[str, Any] | None:
    """The parameters of the branch's merge queue, None when it has none."""
    found = rules_of_type(effective_rules(world, repository, branch), "merge_queue")
    return found[0] if found else None


def bypass_mode(world: World, repository: Repository, ruleset: Ruleset, actor: Actor) -> str | None:
    """How `actor` may get around the ruleset: always, pull_request, exempt, or None."""
    for entry in ruleset.bypass_actors:
        if _is_actor(world, repository, entry, actor):
            return str(entry.get("bypass_mode", "always"))
    return None


async def refused_push(
    github: SimulatedGitHub, repository: Repository, actor: Actor, command: RefCommand
) -> str | None:
    """GitHub's words when the rules forbid this direct change of a branch, None when they allow it."""
    if not command.ref.startswith("refs/heads/"):
        return None
    branch = command.ref.removeprefix("refs/heads/")
    lines: list[str] = []
    for ruleset in binding_rulesets(repository, branch):
        if bypass_mode(github.world, repository, ruleset, actor) not in {"always", "exempt"}:
            lines += await _push_violations(github, repository, ruleset, command)
    return message_of(lines) if lines else None


async def rows_of_push(
    github: SimulatedGitHub, repository: Repository, actor: Actor, command: RefCommand
) -> list[tuple[Ruleset, bool]]:
    """The rulesets that judged a direct push, each with whether it was kept. None for whom it is exempt."""
    branch = command.ref.removeprefix("refs/heads/")
    return [
        (ruleset, not await _push_violations(github, repository, ruleset, command))
        for ruleset in binding_rulesets(repository, branch)
        if bypass_mode(github.world, repository, ruleset, actor) != "exempt"
    ]


def message_of(lines: Sequence[str]) -> str:
    """The heading and one paragraph a violated rule, as recorded by ohcaygo/merge-proof (MIT) in September 2026."""
    return "".join(f"{line}\n\n" for line in (HEADING, *lines))


def _matches(pattern: str, repository: Repository, branch: str) -> bool:
    if pattern == "~ALL":
        return True
    if pattern == "~DEFAULT_BRANCH":
        return branch == repository.default_branch
    return re.fullmatch(_translated(pattern.removeprefix("refs/heads/")), branch, re.DOTALL) is not None


def _translated(pattern: str) -> str:
    """fnmatch with path names, as the ruleset documentation describes: `*` stays within a part, `**/` does not."""
    text = re.escape(pattern)
    for written, meant in ((r"\*\*/", "(?:.*/)?"), (r"\*\*", ".*"), (r"\*", "[^/]*"), (r"\?", "[^/]")):
        text = text.replace(written, meant)
    return text


def _is_actor(world: World, repository: Repository, entry: dict[str, Any], actor: Actor) -> bool:
    kind, number = entry.get("actor_type"), entry.get("actor_id")
    if kind == "Integration":
        return actor.app_id is not None and actor.app_id == number
    if actor.kind != "user":
        return False
    if kind == "RepositoryRole":
        return ROLE_NUMBERS.get(permission_of(world, repository, actor.login)) == number
    if kind == "OrganizationAdmin":
        return world.organization_roles.get((repository.owner, actor.login)) == "admin"
    if kind == "Team":
        team = next((t for t in world.teams.values() if t.id == number), None)
        return team is not None and actor.login in team_members(world, team)
    account = world.accounts.get(actor.login)
    return kind == "User" and account is not None and account.id == number


async def _push_violations(
    github: SimulatedGitHub, repository: Repository, ruleset: Ruleset, command: RefCommand
) -> list[str]:
    kinds = {rule.get("type") for rule in ruleset.rules}
    if command.after == ZERO:
        return ["Cannot delete this branch"] if "deletion" in kinds else []
    if command.before == ZERO:
        return ["Cannot create ref due to creations being restricted."] if "creation" in kinds else []
    lines = []
    if "update" in kinds:
        lines.append("Cannot update this protected ref.")
    if "merge_queue" in kinds:
        lines.append("Changes must be made through the merge queue")
    if "pull_request" in kinds:
        lines.append("Changes must be made through a pull request.")
    for parameters in rules_of_type(ruleset.rules, "required_status_checks"):
        wanted = parameters.get("required_status_checks") or []
        lines += [f'Required status check "{check.get("context")}" is expected.' for check in wanted]
    git = github.git(repository)
    if "non_fast_forward" in kinds and not await git.is_ancestor(command.before, command.after):
        lines.append("Cannot force-push to this branch")
    return lines
