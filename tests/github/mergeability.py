"""Whether GitHub would merge a pull request: git's word and the rules of the branch it aims at, taken together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tests.github import checks, rulesets
from tests.github.access import at_least, permission_of, team_members
from tests.github.actions.triggers import glob_matches
from tests.github.auth import ACCESS, installation_for
from tests.github.operations import mergeable
from tests.github.operations.reviews import decisive_reviews, stack_base
from tests.github.state import CheckRun, CommitStatus, PullRequest, Repository, Review, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

CheckState = Literal["passing", "failing", "pending", "expected"]


@dataclass(frozen=True)
class RequiredCheck:
    """One required check and how it stands on a commit; `wording` is GitHub's verb for it in refusals."""

    context: str
    integration_id: int | None
    state: CheckState
    wording: str = "expected"


def attach(github: SimulatedGitHub) -> None:
    async def rest_state(repository: Repository, pull: PullRequest) -> str:
        return (await state(github, repository, pull)).lower()

    github.mergeable_state = rest_state


def target_branch(repository: Repository, pull: PullRequest) -> str:
    """The branch whose rules count: every layer of a stack is judged against the stack's base."""
    return stack_base(repository, pull) or pull.base_ref


def required_checks(world: World, repository: Repository, branch: str, sha: str) -> list[RequiredCheck]:
    """The checks that `branch` requires, as they stand on the commit `sha`."""
    rules = rulesets.effective_rules(world, repository, branch)
    wanted: dict[tuple[str, int | None], None] = {}
    for parameters in rulesets.rules_of_type(rules, "required_status_checks"):
        for check in parameters.get("required_status_checks") or []:
            wanted[(str(check.get("context")), check.get("integration_id"))] = None
    return [_judged(world, repository, sha, context, app_id) for context, app_id in wanted]


def is_required(world: World, repository: Repository, branch: str, name: str, app_id: int | None) -> bool:
    """Whether a check of that name by that App is one that `branch` requires."""
    rules = rulesets.effective_rules(world, repository, branch)
    return any(
        check.get("context") == name and check.get("integration_id") in (None, app_id)
        for parameters in rulesets.rules_of_type(rules, "required_status_checks")
        for check in parameters.get("required_status_checks") or []
    )


async def state(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> str:
    """GraphQL's `mergeStateStatus`: UNKNOWN, DIRTY, DRAFT, BLOCKED, BEHIND, UNSTABLE or CLEAN."""
    if pull.issue.state == "closed":
        return "UNKNOWN"
    await mergeable.refresh(github, repository, pull)
    if pull.mergeable is None or pull.mergeable_reads_left > 0:
        return "UNKNOWN"
    if not pull.mergeable:
        return "DIRTY"
    if pull.draft:
        return "DRAFT"
    if await violations(github, repository, pull):
        return "BLOCKED"
    if await _must_catch_up(github, repository, pull):
        return "BEHIND"
    return "CLEAN" if checks.rollup_state(repository, pull.head_sha) in (None, "SUCCESS") else "UNSTABLE"


async def refusals(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, *, method: str = "merge", queue: bool = False
) -> list[str]:
    """Every line that keeps `pull` from being merged by `method` (or, with `queue`, from entering the merge queue)."""
    lines = await violations(github, repository, pull)
    target = target_branch(repository, pull)
    rules = rulesets.effective_rules(github.world, repository, target)
    if queue:
        return lines
    if await _must_catch_up(github, repository, pull):
        lines.append("Head branch is out of date: review and update it with the base branch.")
    if rulesets.rules_of_type(rules, "merge_queue"):
        lines.append("Changes must be made through the merge queue")
    if method == "merge" and any(rule.get("type") == "required_linear_history" for rule in rules):
        lines.append("This branch must not contain merge commits.")
    return lines


async def violations(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> list[str]:
    """The lines for reviews and required checks, in GitHub's words where recordings show them."""
    target = target_branch(repository, pull)
    rules = rulesets.effective_rules(github.world, repository, target)
    lines: list[str] = []
    for parameters in rulesets.rules_of_type(rules, "pull_request"):
        lines += await review_violations(github, repository, pull, parameters)
    for check in required_checks(github.world, repository, target, pull.head_sha):
        if check.state != "passing":
            lines.append(f'Required status check "{check.context}" is {check.wording}.')
    return lines


def counted_approvals(world: World, repository: Repository, pull: PullRequest) -> list[Review]:
    """Approvals that count: each reviewer's latest word, by someone else than the author, with write access today."""
    return [
        review
        for review in decisive_reviews(pull).values()
        if review.state == "APPROVED" and review.user != pull.issue.user and _may_approve(world, repository, review)
    ]


def review_decision(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> str | None:
    """GraphQL's `reviewDecision`: null unless a rule asks for reviews or changes were requested."""
    rules = rulesets.effective_rules(github.world, repository, target_branch(repository, pull))
    parameters = rulesets.rules_of_type(rules, "pull_request")
    wanted = max((int(p.get("required_approving_review_count", 0)) for p in parameters), default=0)
    if _changes_requested(github.world, repository, pull):
        return "CHANGES_REQUESTED"
    if wanted == 0:
        return None
    enough = len(counted_approvals(github.world, repository, pull)) >= wanted
    return "APPROVED" if enough else "REVIEW_REQUIRED"


async def _must_catch_up(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> bool:
    """Strict required checks want the base's tip in the head; a merge queue takes that burden away."""
    rules = rulesets.effective_rules(github.world, repository, target_branch(repository, pull))
    if rulesets.rules_of_type(rules, "merge_queue"):
        return False
    strict = any(
        parameters.get("strict_required_status_checks_policy") and parameters.get("required_status_checks")
        for parameters in rulesets.rules_of_type(rules, "required_status_checks")
    )
    tip = await mergeable.base_tip(github, repository, pull)
    return strict and tip is not None and not await github.git(repository).is_ancestor(tip, pull.head_sha)


def _judged(world: World, repository: Repository, sha: str, context: str, app_id: int | None) -> RequiredCheck:
    """Runs of that name in every suite count, so a red producer is not hidden behind a green one."""
    runs = [run for run in checks.newest(checks.runs_of(repository, sha)) if run.name == context]
    runs = [run for run in runs if app_id in (None, run.app_id)]
    statuses = [s for s in checks.newest_statuses(repository, sha) if s.context == context]
    statuses = [s for s in statuses if app_id is None or s.creator == _bot(world, app_id)]
    words = [_run_wording(run) for run in runs] + [_status_wording(status) for status in statuses]
    if not words:
        return RequiredCheck(context, app_id, "expected")
    if "failing" in words:
        return RequiredCheck(context, app_id, "failing", "failing")
    waiting = next((word for word in words if word != "passing"), None)
    return RequiredCheck(context, app_id, "pending", waiting) if waiting else RequiredCheck(context, app_id, "passing")


def _bot(world: World, app_id: int) -> str | None:
    app = world.apps.get(app_id)
    return app.bot_login if app else None


def _run_wording(run: CheckRun) -> str:
    if run.status != "completed":
        return run.status.replace("_", " ")
    return "passing" if run.conclusion in checks.PASSING else "failing"


def _status_wording(status: CommitStatus) -> str:
    return {"success": "passing", "pending": "pending"}.get(status.state, "failing")


async def review_violations(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, parameters: dict[str, Any]
) -> list[str]:
    world, lines = github.world, []
    approvals = counted_approvals(world, repository, pull)
    wanted = int(parameters.get("required_approving_review_count", 0))
    if wanted and _changes_requested(world, repository, pull):
        lines.append("Changes were requested by a reviewer with write access.")
    if len(approvals) < wanted:
        reviews = "approving review is" if wanted == 1 else "approving reviews are"
        lines.append(f"At least {wanted} {reviews} required by reviewers with write access.")
    elif wanted and parameters.get("require_last_push_approval"):
        pusher = last_pusher(repository, pull)
        if all(review.user == pusher for review in approvals):
            lines.append("New changes require approval from someone other than the last pusher.")
    for team_rule in parameters.get("required_reviewers") or []:
        lines += await _team_violation(github, repository, pull, team_rule, approvals)
    return lines


def last_pusher(repository: Repository, pull: PullRequest) -> str | None:
    """Who moved the head branch to the present head, as the repository's activity tells; None for forks."""
    ref = f"refs/heads/{pull.head_ref}"
    rows = [row for row in repository.activity if row.ref == ref and row.after == pull.head_sha]
    return rows[-1].actor if rows else None


def _changes_requested(world: World, repository: Repository, pull: PullRequest) -> bool:
    latest = decisive_reviews(pull).values()
    return any(r.state == "CHANGES_REQUESTED" and _may_approve(world, repository, r) for r in latest)


def _may_approve(world: World, repository: Repository, review: Review) -> bool:
    app = next((app for app in world.apps.values() if app.bot_login == review.user), None)
    if app is None:
        return at_least(permission_of(world, repository, review.user), "write")
    installation = installation_for(world, app.id, repository)
    held = installation.permissions.get("contents", "none") if installation else "none"
    return ACCESS.index(held) >= ACCESS.index("write")


async def _team_violation(
    github: SimulatedGitHub,
    repository: Repository,
    pull: PullRequest,
    rule: dict[str, Any],
    approvals: Iterable[Review],
) -> list[str]:
    """A `required_reviewers` entry: so many approvals by that team when one of its paths is touched."""
    wanted, number = int(rule.get("minimum_approvals", 0)), (rule.get("reviewer") or {}).get("id")
    team = next((t for t in github.world.teams.values() if t.id == number), None)
    if not wanted or not await _touches(github, repository, pull, rule.get("file_patterns") or []):
        return []
    members = team_members(github.world, team) if team else set()
    if sum(review.user in members for review in approvals) >= wanted:
        return []
    name = f"{team.organization}/{team.slug}" if team else f"team {number}"
    return [f"At least {wanted} approving review by {name} is required."]


async def _touches(github: SimulatedGitHub, repository: Repository, pull: PullRequest, patterns: list[str]) -> bool:
    git = github.git(repository)
    base = await git.merge_base(pull.base_sha, pull.head_sha)
    changes = await git.diff(base, pull.head_sha) if base else []
    return any(_last_match(patterns, change.path) for change in changes)


def _last_match(patterns: list[str], path: str) -> bool:
    verdict = False
    for pattern in patterns:
        if glob_matches(pattern.removeprefix("!").removeprefix("/"), path):
            verdict = not pattern.startswith("!")
    return verdict
