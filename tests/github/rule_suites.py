"""Rule suites: the record of how a branch's rules were judged when it moved.

https://docs.github.com/rest/repos/rule-suites; the metadata (which App satisfied a check, who approved) came in 2026.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from tests.github import checks, mergeability, rulesets
from tests.github.auth import Actor
from tests.github.operations.pushes import RefCommand
from tests.github.state import PullRequest, Repository, Ruleset, RuleSuite, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub


async def of_merge(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, commit: str, before: str, actor: str
) -> RuleSuite:
    """A direct merge that is about to land as `commit`: every rule, judged at the pull request's head."""
    branch = mergeability.target_branch(repository, pull)
    pairs = [(ruleset, rule) for ruleset in rulesets.binding_rulesets(repository, branch) for rule in ruleset.rules]
    rows = [await _judged(github, repository, ruleset, rule, pull) for ruleset, rule in pairs]
    result: Literal["pass", "bypass"] = "bypass" if any(row["result"] == "fail" for row in rows) else "pass"
    return RuleSuite(
        github.world.new_id(), f"refs/heads/{branch}", before, commit, actor, github.world.now(), result, rows
    )


def of_landing(
    github: SimulatedGitHub, repository: Repository, branch: str, before: str, group: str, actor: str
) -> RuleSuite:
    """A queue's landing: only required checks are judged, at the group's commit (recorded on the real GitHub)."""
    rows = [
        _row(ruleset, rule, passed=True, metadata=_checks_metadata(github.world, repository, rule, group))
        for ruleset in rulesets.binding_rulesets(repository, branch)
        for rule in ruleset.rules
        if rule.get("type") == "required_status_checks"
    ]
    return RuleSuite(
        github.world.new_id(), f"refs/heads/{branch}", before, group, actor, github.world.now(), "pass", rows
    )


async def keep_push(
    github: SimulatedGitHub, repository: Repository, actor: Actor, commands: Iterable[RefCommand]
) -> None:
    """Direct pushes that took effect: where a rule was not kept, somebody was let past it."""
    for command in commands:
        judged = await rulesets.rows_of_push(github, repository, actor, command)
        rows = [_row(ruleset, rule, passed=kept) for ruleset, kept in judged for rule in ruleset.rules]
        result: Literal["pass", "bypass"] = "pass" if all(kept for _, kept in judged) else "bypass"
        number, now = github.world.new_id(), github.world.now()
        suite = RuleSuite(number, command.ref, command.before, command.after, actor.login, now, result, rows)
        keep(repository, [suite])


def keep(repository: Repository, suites: Iterable[RuleSuite]) -> None:
    """Once the branch has moved; where no rule was judged there is no suite."""
    repository.rule_suites += [suite for suite in suites if suite.evaluations]


async def _judged(
    github: SimulatedGitHub, repository: Repository, ruleset: Ruleset, rule: dict[str, Any], pull: PullRequest
) -> dict[str, Any]:
    kind, world = rule.get("type"), github.world
    if kind == "required_status_checks":
        wanted = {check.get("context") for check in (rule.get("parameters") or {}).get("required_status_checks") or []}
        branch = mergeability.target_branch(repository, pull)
        states = mergeability.required_checks(world, repository, branch, pull.head_sha)
        passed = all(check.state == "passing" for check in states if check.context in wanted)
        return _row(ruleset, rule, passed=passed, metadata=_checks_metadata(world, repository, rule, pull.head_sha))
    if kind == "pull_request":
        lines = await mergeability.review_violations(github, repository, pull, rule.get("parameters") or {})
        return _row(ruleset, rule, passed=not lines, metadata=_pull_metadata(world, pull))
    return _row(ruleset, rule, passed=kind != "merge_queue")


def _row(
    ruleset: Ruleset, rule: dict[str, Any], *, passed: bool, metadata: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "rule_source": {"type": "ruleset", "id": ruleset.id, "name": ruleset.name},
        "enforcement": "active",
        "result": "pass" if passed else "fail",
        "rule_type": rule.get("type"),
        **({"metadata": metadata} if metadata else {}),
    }


def _checks_metadata(world: World, repository: Repository, rule: dict[str, Any], sha: str) -> dict[str, Any]:
    """Which App's run, or which status, stood for each required check."""
    wanted = (rule.get("parameters") or {}).get("required_status_checks") or []
    contexts = {check.get("context") for check in wanted}
    rows: list[dict[str, Any]] = []
    for run in checks.newest(checks.runs_of(repository, sha)):
        if run.name in contexts:
            app = world.apps[run.app_id]
            place = {"id": app.id, "slug": app.slug, "name": app.name}
            state = run.conclusion or run.status
            rows.append({"id": run.id, "context": run.name, "state": state, "type": "CheckRun", "app": place})
    rows += [
        {"id": status.id, "context": status.context, "state": status.state, "type": "StatusContext"}
        for status in checks.newest_statuses(repository, sha)
        if status.context in contexts
    ]
    return {"checks": rows}


def _pull_metadata(world: World, pull: PullRequest) -> dict[str, Any]:
    def user(login: str) -> dict[str, Any]:
        account = world.accounts.get(login) or world.accounts["ghost"]
        return {"id": account.id, "login": account.login, "type": account.type}

    reviews = [{"id": r.id, "user": user(r.user), "state": r.state} for r in pull.reviews]
    body = {"id": pull.id, "number": pull.number, "user": user(pull.issue.user), "reviews": reviews}
    return {"pull_request": body}
