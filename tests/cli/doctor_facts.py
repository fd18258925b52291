"""Facts of a repository as `mergegate doctor` gathers them, worded as GitHub's API does: all well, or one thing not."""

from __future__ import annotations

from typing import Any

from app.local.examination import CouldNotRead, Environment, Facts, Followed, Installed, Posted, Secrets
from app.local.protection import agents_ruleset, gate_ruleset
from app.local.shipped import ruleset_template

GATE, COURIER, ACTIONS = 11, 12, 15368
RULES = gate_ruleset(ruleset_template(), GATE, [], "native")
AGENTS = agents_ruleset(COURIER, ["agent/*"])
UNREAD = CouldNotRead("403")
WELL = Facts(
    app_id=GATE,
    courier_id=COURIER,
    queue="native",
    branch="main",
    repository={"allow_auto_merge": True, "allow_merge_commit": True},
    effective=RULES["rules"],
    rulesets=[RULES, AGENTS],
    names={("User", 7): "bob", ("Integration", 8): "devin-ai-integration"},
    policy=Followed("native", ("agent/*",)),
    workflows={},
    workflow_permissions={"default_workflow_permissions": "read", "can_approve_pull_request_reviews": False},
    retention={"days": 90, "maximum_allowed_days": 90},
    secrets=Secrets([], [], []),
    environments=[],
    posted=Posted(0, frozenset(), frozenset()),
    group_minutes=None,
    classic_protection=False,
    installed=Installed({"checks": "write"}, ("push",), suspended=False, id=99),
    courier=Installed({"contents": "write"}, (), suspended=False),
    asked={"checks": "write"},
    asked_events=("push",),
)


def rule(kind: str, **parameters: Any) -> dict[str, Any]:
    """The rules in force with one more, or with other parameters of the queue."""
    queue = next(one["parameters"] for one in RULES["rules"] if one["type"] == "merge_queue")
    others = [one for one in RULES["rules"] if kind != "merge_queue" or one["type"] != kind]
    made = queue | parameters if kind == "merge_queue" else parameters
    return {"effective": [*others, {"type": kind, "parameters": made}]}


def required(name: str, app: int | None = None) -> dict[str, Any]:
    return rule("required_status_checks", required_status_checks=[{"context": name, "integration_id": app}])


def actor(kind: str, mode: str, number: int | None = 1, name: str = "r") -> dict[str, Any]:
    one = {"actor_type": kind, "actor_id": number, "bypass_mode": mode}
    made = {**AGENTS, "bypass_actors": [*AGENTS["bypass_actors"], one]} if name == AGENTS["name"] else None
    return {"rulesets": [made] if made else [AGENTS, {"name": name, "bypass_actors": [one]}]}


def agents(**changes: Any) -> dict[str, Any]:
    return {"rulesets": [{**AGENTS, **changes}]}


def file(*lines: str, on: str = "pull_request", **more: Any) -> dict[str, Any]:
    """One workflow file with the lines below `jobs: {test: …}`, or instead of it."""
    text = f"on: {on}\n" + "\n".join(lines or ("jobs: {test: {runs-on: ubuntu-latest, steps: [{run: make}]}}",))
    return {"workflows": {".github/workflows/ci.yml": text.encode()}, **more}


def job(text: str) -> str:
    return f"jobs: {{test: {{runs-on: ubuntu-latest, {text}}}}}"


def secret(name: str) -> str:
    return job(f'steps: [{{run: make, env: {{KEY: "${{{{ secrets.{name} }}}}"}}}}]')


def environment(
    branches: Any = None, *, reviewed: bool = False, secrets: Any = ("KEY",), **more: Any
) -> dict[str, Any]:
    return {"environments": [Environment("staging", branches, reviewed, secrets)], **more}


NAMES = {
    "repository": Secrets(["KEY"], [], []),
    "organisation": Secrets([], ["KEY"], []),
    "dependabot": Secrets([], [], ["KEY"]),
}
HEAD_IN_TIP = '{TIP: "${{ github.head_ref }}"}'
QUEUED = "on: {pull_request: , merge_group: }"
STAGING = job("environment: {name: staging}, steps: []")
CALLED = {
    ".github/workflows/ci.yml": b"on: pull_request\njobs: {call: {uses: ./.github/workflows/called.yml}}\n",
    ".github/workflows/called.yml": f"on: workflow_call\n{secret('KEY')}\n".encode(),
}
BY_NAME = {
    ".github/workflows/ci.yml": b"on: push\njobs: {call: {uses: acme/shop/.github/workflows/called.yml@main}}\n",
    ".github/workflows/called.yml": f"on: workflow_call\n{secret('KEY')}\n".encode(),
}
COMMENTED = {
    ".github/workflows/ci.yml": b"on: issue_comment\njobs: {call: {uses: ./.github/workflows/called.yml}}\n",
    ".github/workflows/called.yml": f"on: workflow_call\n{job('steps: [{run: gh pr checkout 1}]')}\n".encode(),
}
