"""Rulesets of a repository and the rules in force on a branch: https://docs.github.com/rest/repos/rules."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import rulesets
from tests.github.answers import answer, json_body, no_content, page_of
from tests.github.auth import Actor, actor_of, allowed
from tests.github.errors import ApiError, not_found
from tests.github.events import RulesetChanged
from tests.github.rest import rule_suites
from tests.github.rest.lookup import github_of, number_in, repository_of
from tests.github.rule_defaults import completed
from tests.github.serialize import Json
from tests.github.serialize_rulesets import ruleset_with_rules, summary
from tests.github.state import Repository, Ruleset, World

PREFIX = "/repos/{owner}/{repo}"
TARGETS = ("branch", "tag", "push")
ENFORCEMENTS = ("disabled", "active", "evaluate")
RULE_TYPES = frozenset({
    "branch_name_pattern", "code_coverage", "code_quality", "code_scanning", "commit_author_email_pattern",
    "commit_message_pattern", "committer_email_pattern", "copilot_code_review", "creation", "deletion",
    "file_extension_restriction", "file_path_restriction", "max_file_path_length", "max_file_size", "merge_queue",
    "non_fast_forward", "pull_request", "required_deployments", "required_linear_history", "required_signatures",
    "required_status_checks", "tag_name_pattern", "update",
})  # fmt: skip
# Refused on a repository's branch ruleset although the types exist; recorded by
# ohcaygo/merge-proof (MIT), repository-policy-matrix.json.
REFUSED = {
    "license_compliance_scanning": "",
    "tag_name_pattern": "",
    "workflows": "Invalid parameter workflows: Workflow error at index 0: ",
}


async def rules_for_branch(request: Request) -> Response:
    repository = repository_of(request, "metadata")
    rules = rulesets.effective_rules(github_of(request).world, repository, request.path_params["branch"])
    page, headers = page_of(request, rules)
    return answer(page, headers=headers)


async def listed(request: Request) -> Response:
    repository = repository_of(request, "metadata")
    held = list(repository.rulesets.values())
    if request.query_params.get("includes_parents", "true") != "false":
        held += repository.inherited_rulesets.values()
    page, headers = page_of(request, held)
    return answer([summary(github_of(request).world, repository, ruleset) for ruleset in page], headers=headers)


async def get(request: Request) -> Response:
    """One of the repository's own, or its owner's that holds for it (`includes_parents` is true by default)."""
    repository = repository_of(request, "metadata")
    inherited = repository.inherited_rulesets.get(number_in(request, "ruleset_id"))
    return answer(_full(request, repository, inherited or _ruleset(request, repository)))


async def create(request: Request) -> Response:
    repository = repository_of(request, "administration", "write")
    world, body = github_of(request).world, await json_body(request)
    _validate(repository, body, creating=True)
    now = world.now()
    ruleset = Ruleset(
        id=world.new_id(),
        name=body["name"],
        target=body.get("target", "branch"),
        enforcement=body["enforcement"],
        conditions=body.get("conditions") or {},
        rules=completed(body.get("rules") or []),
        bypass_actors=body.get("bypass_actors") or [],
        created_at=now,
        updated_at=now,
    )
    repository.rulesets[ruleset.id] = ruleset
    await github_of(request).publish(RulesetChanged(repository, ruleset, "created", actor_of(request).login))
    return answer(_full(request, repository, ruleset), 201)


async def update(request: Request) -> Response:
    repository = repository_of(request, "administration", "write")
    ruleset, body = _ruleset(request, repository), await json_body(request)
    _validate(repository, {"target": ruleset.target, **body}, creating=False)
    for key in ("name", "target", "enforcement", "conditions", "bypass_actors"):
        if key in body:
            setattr(ruleset, key, body[key])
    if "rules" in body:
        ruleset.rules = completed(body["rules"])
    ruleset.updated_at = github_of(request).world.now()
    await github_of(request).publish(RulesetChanged(repository, ruleset, "edited", actor_of(request).login))
    return answer(_full(request, repository, ruleset))


async def delete(request: Request) -> Response:
    repository = repository_of(request, "administration", "write")
    ruleset = _ruleset(request, repository)
    del repository.rulesets[ruleset.id]
    await github_of(request).publish(RulesetChanged(repository, ruleset, "deleted", actor_of(request).login))
    return no_content()


def _ruleset(request: Request, repository: Repository) -> Ruleset:
    found = repository.rulesets.get(number_in(request, "ruleset_id"))
    if found is None:
        raise not_found()
    return found


def _full(request: Request, repository: Repository, ruleset: Ruleset) -> Json:
    world, actor = github_of(request).world, actor_of(request)
    body = ruleset_with_rules(world, repository, ruleset)
    if _may_edit(world, actor, repository, ruleset):
        body["bypass_actors"] = ruleset.bypass_actors
    if actor.kind != "anonymous":
        body["current_user_can_bypass"] = _can_bypass(world, repository, ruleset, actor)
    return body


def _may_edit(world: World, actor: Actor, repository: Repository, ruleset: Ruleset) -> bool:
    if ruleset.id in repository.inherited_rulesets:
        return world.organization_roles.get((repository.owner, actor.login)) == "admin"
    return allowed(world, actor, repository, "administration", "write")


def _can_bypass(world: World, repository: Repository, ruleset: Ruleset, actor: Actor) -> str:
    mode = rulesets.bypass_mode(world, repository, ruleset, actor)
    return {"always": "always", "pull_request": "pull_requests_only", "exempt": "exempt"}.get(mode or "", "never")


def _validate(repository: Repository, body: dict[str, Any], *, creating: bool) -> None:
    """ApiError 422 in the forms recorded on the real GitHub."""
    for key in ("name", "enforcement") if creating else ():
        if not isinstance(body.get(key), str) or not body[key]:
            raise ApiError(422, f'Invalid request.\n\n"{key}" wasn\'t supplied.')
    if body.get("target", "branch") not in TARGETS or body.get("enforcement", "active") not in ENFORCEMENTS:
        raise ApiError(422, "Invalid request.\n\ntarget or enforcement is not a member of its list.")
    problems = [problem for rule in body.get("rules") or [] if (problem := _rule_problem(rule, body))]
    if body.get("target") == "push" and not repository.private:
        problems.append("Source public repos cannot have push rules")
    if problems:
        raise ApiError(422, "Validation Failed", problems)


def _rule_problem(rule: object, body: dict[str, Any]) -> str | None:
    if not isinstance(rule, dict) or not isinstance(rule.get("type"), str):
        return "Invalid rule: a rule needs a type"
    kind, parameters = rule["type"], rule.get("parameters") or {}
    if kind in REFUSED and body.get("target", "branch") == "branch":
        return f"Invalid rule '{kind}': {REFUSED[kind]}"
    if kind not in RULE_TYPES:
        return f"Invalid rule '{kind}': "
    if kind == "required_status_checks":
        contexts = [check.get("context") for check in parameters.get("required_status_checks") or []]
        if not all(contexts):
            return f"Invalid rule '{kind}': Invalid parameter required_status_checks: context can't be blank"
    return None


routes = [
    Route(f"{PREFIX}/rules/branches/{{branch:path}}", rules_for_branch, methods=["GET"]),
    Route(f"{PREFIX}/rulesets", listed, methods=["GET"]),
    Route(f"{PREFIX}/rulesets", create, methods=["POST"]),
    Route(f"{PREFIX}/rulesets/rule-suites", rule_suites.listed, methods=["GET"]),
    Route(f"{PREFIX}/rulesets/rule-suites/{{rule_suite_id}}", rule_suites.get, methods=["GET"]),
    Route(f"{PREFIX}/rulesets/{{ruleset_id}}", get, methods=["GET"]),
    Route(f"{PREFIX}/rulesets/{{ruleset_id}}", update, methods=["PUT"]),
    Route(f"{PREFIX}/rulesets/{{ruleset_id}}", delete, methods=["DELETE"]),
]
