"""The asynchronous merge API: accepted at once, executed in the background, asked after by uuid.

https://docs.github.com/rest/pulls/pulls#merge-a-pull-request-asynchronously. A request covers,
atomically, every open layer of a stack below the pull request.
"""

from __future__ import annotations

import asyncio
import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.github import merge_queue, mergeability, queue_entries, rule_suites, rulesets
from tests.github.auth import Actor
from tests.github.errors import ApiError, not_found
from tests.github.operations import mergeable, merges
from tests.github.state import PullRequest, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

KEPT = timedelta(hours=24)  # after the last update
ACTIONS = ("default", "direct_merge", "merge_queue")
Result = tuple[int, dict[str, Any]]


def submit(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, actor: Actor, options: dict[str, Any]
) -> Result:
    """Status and body of the answer to a request. Only the basic state is looked at; rules come at execution.

    A `sha` that is not the head is refused like other states that forbid it, with 400: the documentation names no
    status for it, and its 409 has another meaning. ApiError 422 for options that do not exist.
    """
    _check_options(options)
    settled = _settled(repository, pull)
    if settled is not None:
        return settled
    pending = _pending(github, pull)
    if pending is not None:
        return 409, pending["answer"]
    try:
        merges.check_basics(pull, options.get("sha"))
    except ApiError as error:
        return 400, _failed(error.message)
    request = _new_request(github, pull, actor, options)
    github.spawn(_after_delay(github, repository, pull, request))
    return 202, request["answer"]


def poll(github: SimulatedGitHub, pull: PullRequest, key: str) -> dict[str, Any]:
    """The present state of a request; ApiError 404 when it never was or is older than a day."""
    request = pull.merge_requests.get(key)
    if request is None or github.world.now() >= request["updated_at"] + KEPT:
        raise not_found()
    answer: dict[str, Any] = request["answer"]
    return answer


async def execute_held(github: SimulatedGitHub) -> None:
    """Carry out the requests that `switches.async_merge_hold` kept pending."""
    for repository in github.world.repositories.values():
        for pull in list(repository.pulls.values()):
            for request in list(pull.merge_requests.values()):
                if request["answer"]["status"] == "pending":
                    await execute(github, repository, pull, request)


async def execute(github: SimulatedGitHub, repository: Repository, pull: PullRequest, request: dict[str, Any]) -> None:
    """Merge or enqueue; every refusal becomes the request's `failed`."""
    try:
        request["answer"] = await _executed(github, repository, pull, request)
    except ApiError as error:
        request["answer"] = _failed(error.message)
    request["updated_at"] = github.world.now()


async def _after_delay(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, request: dict[str, Any]
) -> None:
    await asyncio.sleep(github.world.switches.async_merge_seconds)
    if not github.world.switches.async_merge_hold and request["answer"]["status"] == "pending":
        await execute(github, repository, pull, request)


def _check_options(options: dict[str, Any]) -> None:
    method, action = options.get("merge_method"), options.get("merge_action")
    if method is not None and method not in merges.METHODS:
        raise ApiError(422, f"Invalid request.\n\n{method} is not a member of {list(merges.METHODS)}.")
    if action is not None and action not in ACTIONS:
        raise ApiError(422, f"Invalid request.\n\n{action} is not a member of {list(ACTIONS)}.")
    if not isinstance(options.get("bypass_rules", False), bool):
        raise ApiError(422, "Invalid request.\n\nbypass_rules is not a boolean.")


def _settled(repository: Repository, pull: PullRequest) -> Result | None:
    if pull.merged_at is not None:
        return 200, _merged(pull)
    if queue_entries.find(repository, pull) is not None:
        return 200, _enqueued()
    return None


def _pending(github: SimulatedGitHub, pull: PullRequest) -> dict[str, Any] | None:
    now = github.world.now()
    for request in pull.merge_requests.values():
        if request["answer"]["status"] == "pending" and now < request["updated_at"] + KEPT:
            return request
    return None


def _new_request(github: SimulatedGitHub, pull: PullRequest, actor: Actor, options: dict[str, Any]) -> dict[str, Any]:
    key = str(uuid.uuid4())
    details = {
        "message": "The merge request has been accepted and will be processed in the background.",
        "uuid": key,
        "merge_method": options.get("merge_method") or "default",
        "merge_action": options.get("merge_action") or "default",
        "expected_head_sha": options.get("sha") or pull.head_sha,
        "bypass_rules": bool(options.get("bypass_rules", False)),
    }
    now = github.world.now()
    answer = {"status": "pending", "details": details}
    request = {"answer": answer, "options": dict(options), "actor": actor, "created_at": now, "updated_at": now}
    pull.merge_requests[key] = request
    return request


async def _executed(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, request: dict[str, Any]
) -> dict[str, Any]:
    details = request["answer"]["details"]
    merges.check_basics(pull, details["expected_head_sha"])
    branch = mergeability.target_branch(repository, pull)
    has_queue = rulesets.queue_parameters(github.world, repository, branch) is not None
    action = details["merge_action"]
    if action == "merge_queue" or (action == "default" and has_queue):
        await merge_queue.enqueue(github, repository, pull, request["actor"], details["expected_head_sha"])
        return _enqueued()
    await _merge_now(github, repository, pull, request)
    return _merged(pull)


async def _merge_now(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, request: dict[str, Any]
) -> None:
    """All layers or none: every layer is judged and its commit made before the branch moves once."""
    details, actor, options = request["answer"]["details"], request["actor"], request["options"]
    method = "merge" if details["merge_method"] == "default" else details["merge_method"]
    members = queue_entries.stack_members(repository, pull)
    branch = mergeability.target_branch(repository, pull)
    if not details["bypass_rules"] or not may_bypass(github, repository, branch, actor):
        await _refuse_violations(github, repository, members, method)
    tip = base = await github.git(repository).rev_parse(f"refs/heads/{branch}") or ""
    landing, suites = [], []
    for member in members:
        merges.check_basics(member, None)
        await merges.check_workflows_permission(github, repository, member, actor)
        message = merges.Message(options.get("commit_title"), options.get("commit_message"))
        person = merges.person_of(github, actor.login)
        text = message if member is pull else merges.Message()
        commit = await merges.merged_commit(github, repository, member, base, method, person, text)
        if commit is None:
            raise ApiError(405, merges.NOT_MERGEABLE)
        landing.append((member, commit))
        suites.append(await rule_suites.of_merge(github, repository, member, commit, base, actor.login))
        base = commit
    await merges.land(github, repository, landing, actor.login, branch=branch, expected=tip)
    rule_suites.keep(repository, suites)


async def _refuse_violations(
    github: SimulatedGitHub, repository: Repository, members: list[PullRequest], method: str
) -> None:
    for member in members:
        await mergeable.refresh(github, repository, member)
        if member.mergeable is False:
            raise ApiError(405, merges.NOT_MERGEABLE)
        lines = await mergeability.refusals(github, repository, member, method=method)
        if lines:
            raise ApiError(405, rulesets.message_of(lines))


def may_bypass(github: SimulatedGitHub, repository: Repository, branch: str, actor: Actor) -> bool:
    """Whether the actor is in the bypass list of every ruleset that binds the branch."""
    binding = rulesets.binding_rulesets(repository, branch)
    return all(rulesets.bypass_mode(github.world, repository, ruleset, actor) for ruleset in binding)


def _merged(pull: PullRequest) -> dict[str, Any]:
    message = "Pull Request successfully merged"
    return {"status": "merged", "details": {"message": message, "sha": pull.merge_commit_sha}}


def _enqueued() -> dict[str, Any]:
    return {"status": "enqueued", "details": {"message": "Pull Request was added to the merge queue"}}


def _failed(message: str) -> dict[str, Any]:
    return {"status": "failed", "details": {"message": message}}
