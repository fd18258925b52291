"""acme/shop as a private repository would have it: no merge queue of GitHub's, and the gate's serial one required."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.gate.scene import Scene
from tests.gate.shop import GREEN, RED, WORKFLOW, WORKFLOW_PATH, _outcome, open_shop
from tests.github import mergeability
from tests.github.actions.scripted import ScriptedJob
from tests.github.auth import Actor
from tests.github.errors import ApiError
from tests.github.events import DomainEvent, PullRequestChanged
from tests.github.rest.merge import merge_now
from tests.github.state import Job, PullRequest, Repository, WorkflowRun

SERIAL = "version: 1\nqueue:\n  kind: serial\n  enqueue: 'on'\n"
ON_QUEUE = WORKFLOW.replace(
    "on: [pull_request, merge_group]", "on:\n  pull_request:\n  push:\n    branches: ['mergegate/queue/**']"
)
CHECKS = ("evidence", "review", "queue")


def rules(app_id: int) -> list[dict[str, Any]]:
    checks = [{"context": f"mergegate/{name}", "integration_id": app_id} for name in CHECKS]
    parameters = {
        "strict_required_status_checks_policy": False,
        "do_not_enforce_on_create": False,
        "required_status_checks": checks,
    }
    return [{"type": "required_status_checks", "parameters": parameters}]


async def open_serial_shop(stage: Scene, policy: str = SERIAL) -> Repository:
    shop = await open_shop(stage, policy, **{".github__workflows__ci.yml": ON_QUEUE})
    await stage.github.set_ruleset(shop, "gate", rules(stage.app.id))
    return shop


def fail_together(stage: Scene, shop: Repository) -> None:
    """Each change is green alone, and red on top of another one: a trial fails once anything has landed."""
    passing, failing = _outcome(shop, GREEN, "success"), _outcome(shop, RED, "failure")

    def script(run: WorkflowRun, job: Job) -> ScriptedJob | None:
        landed = any(pull.merged_at is not None for pull in shop.pulls.values())
        return (failing if run.event == "push" and landed else passing)(run, job)

    stage.github.actions.script(shop, WORKFLOW_PATH, script)


def hold_trials(stage: Scene, shop: Repository) -> None:
    """Pull requests' runs pass, those of trials stay in progress until `release_ci`."""
    passing = _outcome(shop, GREEN, "success")
    stage.github.actions.script(
        shop, WORKFLOW_PATH, lambda run, job: None if run.event == "push" else passing(run, job)
    )


def trial_branches(shop: Repository) -> Sequence[str]:
    """Branches of trials that were ever made, in order."""
    made = [row.ref for row in shop.activity if row.ref.startswith("refs/heads/mergegate/queue/")]
    return list(dict.fromkeys(made))


async def refusal_of_button(stage: Scene, shop: Repository, pull: PullRequest, login: str = "ada") -> str | None:
    """What GitHub says to somebody who presses the merge button; None where it merges."""
    try:
        await merge_now(stage.github, shop, pull, Actor(login, "user"), "merge", {})
    except ApiError as refused:
        return refused.message
    return None


class Turns:
    """Watches a repository with a serial queue: who was green together, and what landed without having been tried."""

    def __init__(self, stage: Scene, shop: Repository) -> None:
        self.stage = stage
        self.shop = shop
        self.together: list[list[int]] = []
        self.landed: list[int] = []
        stage.github.listeners.append(self._look)

    async def _look(self, event: DomainEvent) -> None:
        if isinstance(event, PullRequestChanged) and event.action == "closed" and event.pull.merged_at is not None:
            self.landed.append(event.pull.number)
        green = [
            pull.number for pull in self.shop.pulls.values() if pull.issue.state == "open" and self._is_green(pull)
        ]
        if len(green) > 1:
            self.together.append(green)

    def _is_green(self, pull: PullRequest) -> bool:
        checks = mergeability.required_checks(self.stage.github.world, self.shop, "main", pull.head_sha)
        return any(check.context == "mergegate/queue" and check.state == "passing" for check in checks)

    async def assert_sound(self) -> None:
        """Never two green at a time; each landed commit has the parent and the tree of a trial whose runs passed."""
        assert self.together == []
        git = self.stage.github.git(self.shop)
        passed = {run.head_sha for run in self.shop.runs.values() if run.conclusion == "success"}
        tried = [await git.commit(sha) for sha in passed]
        for number in self.landed:
            landed = await git.commit(self.shop.pulls[number].merge_commit_sha or "")
            head = self.shop.pulls[number].head_sha
            assert any(
                one.tree == landed.tree and (one.sha == head or one.parents == (landed.parents[0], head))
                for one in tried
            ), f"pull request {number} landed untried"
