"""The repository acme/shop of the stories: a tiny Python package, one workflow of two jobs, and its people."""

from __future__ import annotations

from typing import Any

from tests.gate.scene import Scene
from tests.github.actions.scripted import Script, ScriptedJob
from tests.github.state import Job, PullRequest, Repository, WorkflowRun

WORKFLOW_PATH = ".github/workflows/ci.yml"
WORKFLOW = """\
name: CI
on: [pull_request, merge_group]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: python -m unittest
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: python -m compileall -q .
"""
POLICY = "version: 1\nqueue:\n  enqueue: 'on'\n"
FILES = {
    ".github/workflows/ci.yml": WORKFLOW,
    ".github/mergegate.yml": POLICY,
    "shop/__init__.py": "",
    "shop/cart.py": "def total(prices):\n    return sum(prices)\n",
    "tests/__init__.py": "",
    "tests/test_cart.py": "import unittest\n",
}
BUNDLE = """\
A change.

```mergegate
reason: The cart needs a discount.
commands:
  - {command: python -m unittest, exit_code: 0, where: ci}
risk:
  level: low
  known: [none]
rollback:
  strategy: revert
  steps: [git revert the merge commit]
  data_loss: false
```
"""


def required(app_id: int) -> list[dict[str, Any]]:
    """The ruleset of a protected branch: both checks pinned to the gate's App, and a merge queue."""
    checks = [{"context": f"mergegate/{name}", "integration_id": app_id} for name in ("evidence", "review")]
    return [
        {
            "type": "required_status_checks",
            "parameters": {
                "strict_required_status_checks_policy": False,
                "do_not_enforce_on_create": False,
                "required_status_checks": checks,
            },
        },
        {"type": "merge_queue", "parameters": {"min_entries_to_merge": 1, "merge_method": "MERGE"}},
    ]


async def open_shop(stage: Scene, policy: str | None = POLICY, **files: str) -> Repository:
    """acme/shop with ada (admin), bob (write), eve (read), and the agent's App `courier`."""
    content = {**FILES, **{name.replace("__", "/"): text for name, text in files.items()}}
    if policy is None:
        content.pop(".github/mergegate.yml")
    else:
        content[".github/mergegate.yml"] = policy
    people = {"ada": "admin", "bob": "write", "eve": "read"}
    shop = await stage.github.repository("acme/shop", content, collaborators=people)  # type: ignore[arg-type]
    courier, _ = stage.github.register_app("courier", {"contents": "write", "pull_requests": "write"}, [])
    stage.github.install(courier, "acme")
    await stage.github.set_ruleset(shop, "gate", required(stage.app.id))
    pass_ci(stage, shop)
    return shop


def log_of(shop: Repository, job: Job, run: WorkflowRun, output: str, exit_code: int) -> bytes:
    """A job's raw log in GitHub's format, as checkout and the job's command would have left it."""
    command = "python -m unittest" if job.name == "test" else "python -m compileall -q ."
    lines = [
        "##[group]Run actions/checkout@v4",
        "##[endgroup]",
        *(
            f"HEAD is now at {run.checkout_sha[:7]} Merge {run.head_sha} into {shop.pulls[number].base_sha}"
            for number in run.pull_numbers
            if run.event == "pull_request"
        ),
        f"##[group]Run {command}",
        "##[endgroup]",
        *output.splitlines(),
    ]
    if exit_code:
        lines.append(f"##[error]Process completed with exit code {exit_code}.")
    stamped = "".join(f"2026-11-29T10:00:00.0000000Z {line}\n" for line in lines)
    return b"\xef\xbb\xbf" + stamped.encode()


GREEN = "...\n" + "-" * 70 + "\nRan 3 tests in 0.001s\n\nOK"
RED = "F..\n" + "-" * 70 + "\nRan 3 tests in 0.001s\n\nFAILED (failures=1)"


def pass_ci(stage: Scene, shop: Repository) -> None:
    """Every run from now on passes, without executing anything."""
    stage.github.actions.script(shop, WORKFLOW_PATH, _outcome(shop, GREEN, "success"))


def fail_ci(stage: Scene, shop: Repository) -> None:
    stage.github.actions.script(shop, WORKFLOW_PATH, _outcome(shop, RED, "failure"))


def withhold_ci(stage: Scene, shop: Repository) -> None:
    """Jobs from now on stay in progress until `release_ci`."""
    stage.github.actions.script(shop, WORKFLOW_PATH, lambda *_: None)


def hold_groups(stage: Scene, shop: Repository) -> None:
    """Pull requests' runs pass, merge groups' stay in progress until `release_ci`."""
    passing = _outcome(shop, GREEN, "success")
    stage.github.actions.script(
        shop, WORKFLOW_PATH, lambda run, job: None if run.event == "merge_group" else passing(run, job)
    )


async def release_ci(stage: Scene, shop: Repository, *, passing: bool = True) -> None:
    """Jobs that were withheld end, and so do later ones."""
    script = _outcome(shop, GREEN, "success") if passing else _outcome(shop, RED, "failure")
    stage.github.actions.script(shop, WORKFLOW_PATH, script)
    for run in shop.runs.values():
        for job in run.jobs.get(run.attempt, []):
            outcome = script(run, job)
            if job.status != "completed" and outcome is not None:
                stage.github.actions.complete_job(job, outcome)
    await stage.github.settle()


def _outcome(shop: Repository, output: str, conclusion: str) -> Script:
    def script(run: WorkflowRun, job: Job) -> ScriptedJob:
        if job.name != "test":
            return ScriptedJob("success", log_of(shop, job, run, "", 0))
        log = log_of(shop, job, run, output, 0 if conclusion == "success" else 1)
        return ScriptedJob(conclusion, log, (("Run python -m unittest", conclusion),))

    return script


async def agent_pull(
    stage: Scene, shop: Repository, name: str = "discount", files: dict[str, str] | None = None, body: str = BUNDLE
) -> PullRequest:
    """A pull request of the agent's App from `agent/<name>`."""
    changed = files or {f"shop/{name}.py": "RATE = 0.1\n", f"tests/test_{name}.py": "import unittest\n"}
    await stage.github.push(shop, f"agent/{name}", changed, author="courier[bot]", message=f"Add {name}")
    return await stage.github.open_pull(shop, f"agent/{name}", "main", f"Add {name}", body, "courier[bot]")
