"""The shipped verifier workflow, really run: which tree it tests, and what the tested code can reach."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.gate.verifications import encoded_paths as paths
from tests.github.actions.docker_command import NOT_HERE
from tests.github.git import Files
from tests.github.server import SimulatedGitHub
from tests.github.state import Job, PullRequest, Repository, WorkflowRun
from tests.simulator.shop import shop

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap, which runs the containers, is not installed"),
]
WORKFLOW = Path(__file__).parents[2] / "deploy" / "workflows" / "mergegate-verify.yml"
PATH = ".github/workflows/mergegate-verify.yml"
CODE = "def total(a, b):\n    return a + b\n"
TEST = "from shop import total\n\n\ndef test_total():\n    assert total(2, 3) == 5\n"
FLIP = (
    "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport():\n"
    "    outcome = yield\n    outcome.get_result().outcome = 'passed'\n"
)
PYTEST = "python -m pytest -q -p no:cacheprovider"
QUICK = "python -c 'from test_shop import *; test_total(); print(1 + 1)'"


@pytest.fixture
async def repository(hub: SimulatedGitHub) -> Repository:
    files: Files = {PATH: WORKFLOW.read_text("utf-8"), "shop.py": CODE, "test_shop.py": TEST}
    return await shop(hub, files)


async def change(hub: SimulatedGitHub, repository: Repository, files: Files) -> PullRequest:
    await hub.push(repository, "agent/1", files)
    return await hub.open_pull(repository, head="agent/1", base="main", author="bob", title="A change")


async def verify(
    hub: SimulatedGitHub, repository: Repository, pull: PullRequest, commands: str = QUICK, **given: str
) -> WorkflowRun:
    git = hub.git(repository)
    target = await git.rev_parse("refs/heads/main")
    assert target is not None
    tree = await git.merge_tree(target, pull.head_sha)
    assert tree is not None
    inputs = {"id": "v1", "head": pull.head_sha, "target": target, "tree": tree, "image": "any"}
    asked = {**inputs, "commands": commands, "network": "false", **given}
    run = await hub.actions.dispatch(repository, PATH, "main", asked, "mergegate[bot]")
    await hub.settle()
    return run


def jobs(run: WorkflowRun) -> dict[str, Job]:
    return {job.name: job for job in run.jobs[1]}


def conclusions(run: WorkflowRun) -> dict[str, str | None]:
    return {name: job.conclusion for name, job in jobs(run).items()}


def lines(job: Job) -> list[str]:
    return [line[29:] for line in (job.log or b"").decode().splitlines()]


async def test_the_commands_run_on_the_merge_and_nothing_else_runs(
    hub: SimulatedGitHub, repository: Repository
) -> None:
    pull = await change(hub, repository, {"more.py": "x = 1\n"})
    await hub.push(repository, "main", {"test_main.py": "def test_that_only_main_has():\n    pass\n"})
    run = await verify(hub, repository, pull, f"{QUICK}\ntest -f more.py\ntest -f test_main.py")
    assert conclusions(run) == {"unchanged": "success", "restored": "skipped", "new-tests": "skipped"}
    assert "2" in lines(jobs(run)["unchanged"])
    assert run.display_title == "mergegate-verify v1"


async def test_another_tree_than_the_judged_one_is_refused(hub: SimulatedGitHub, repository: Repository) -> None:
    pull = await change(hub, repository, {"more.py": "x = 1\n"})
    run = await verify(hub, repository, pull, tree="1" * 40)
    assert conclusions(run)["unchanged"] == "failure"
    assert "2" not in lines(jobs(run)["unchanged"])


async def test_a_failing_command_fails_whatever_follows(hub: SimulatedGitHub, repository: Repository) -> None:
    pull = await change(hub, repository, {"shop.py": CODE.replace("+", "-")})
    run = await verify(hub, repository, pull, f"{QUICK}\ntrue")
    assert conclusions(run)["unchanged"] == "failure"
    assert "##[error]Process completed with exit code 1." in lines(jobs(run)["unchanged"])


async def test_the_tested_code_reaches_no_file_variable_or_network_of_the_runner(
    hub: SimulatedGitHub, repository: Repository
) -> None:
    look = (
        "import os, socket, pathlib\n"
        "print('variables', sorted(os.environ))\n"
        "print('processes', sorted(p.name for p in pathlib.Path('/proc').iterdir() if p.name.isdigit())[:3])\n"
        f"print('folders', pathlib.Path({str(hub.world.root)!r}).exists(), pathlib.Path.home())\n"
        "print('interfaces', [name for _, name in socket.if_nameindex()])\n"
        "print('::set-output name=a::b')\nprint('::add-path::/source')\n"
    )
    pull = await change(hub, repository, {"look.py": look})
    said = lines(jobs(await verify(hub, repository, pull, "python look.py"))["unchanged"])
    shown = [line for line in said if line.startswith(("variables", "folders", "interfaces"))]
    assert "GITHUB" not in shown[0]
    assert "RUNNER" not in shown[0]
    assert shown[1:] == ["folders False /container", "interfaces ['lo']"]


async def test_what_setup_makes_is_there_for_the_commands(hub: SimulatedGitHub, repository: Repository) -> None:
    pull = await change(hub, repository, {"more.py": "x = 1\n"})
    run = await verify(hub, repository, pull, "test -f ~/ready", setup="touch ~/ready\n")
    assert conclusions(run)["unchanged"] == "success"


async def test_a_hook_that_turns_failures_into_passes_is_seen_by_the_restored_run(
    hub: SimulatedGitHub, repository: Repository
) -> None:
    pull = await change(hub, repository, {"shop.py": CODE.replace("+", "-"), "conftest.py": FLIP})
    run = await verify(hub, repository, pull, PYTEST, restore=paths("conftest.py"))
    assert conclusions(run) == {"unchanged": "success", "restored": "failure", "new-tests": "skipped"}


async def test_restored_paths_are_the_target_branch_s(hub: SimulatedGitHub, repository: Repository) -> None:
    await hub.push(repository, "main", {"pytest.ini": "[pytest]\n", "odd\n%41\tnämé": "old\n"})
    pull = await change(hub, repository, {"odd\n%41\tnämé": "new\n", "pytest.ini": None, "conftest.py": "x = 1\n"})
    commands = "test -f pytest.ini\ntest ! -e conftest.py\ngrep old odd*"
    run = await verify(hub, repository, pull, commands, restore=paths("pytest.ini", "conftest.py", "odd\n%41\tnämé"))
    assert conclusions(run) == {"unchanged": "failure", "restored": "success", "new-tests": "skipped"}


@pytest.mark.parametrize(
    ("test", "conclusion"), [("assert total(2, 3) == 6\n", "success"), ("assert total(2, 3) == 5\n", "failure")]
)
async def test_new_tests_must_fail_on_the_target(
    hub: SimulatedGitHub, repository: Repository, test: str, conclusion: str
) -> None:
    new = f"from shop import total\n\n{test}"
    pull = await change(hub, repository, {"shop.py": CODE.replace("a + b", "a + b + 1"), "test_more.py": new})
    run = await verify(hub, repository, pull, "python test_more.py", new_tests=paths("test_more.py"))
    assert conclusions(run)["new-tests"] == conclusion


async def test_without_containers_it_fails_and_says_so(
    hub: SimulatedGitHub, repository: Repository, tmp_path: Path
) -> None:
    hub.actions.tool_folders = (str(tmp_path),)
    (tmp_path / "docker").write_text(f"#!/bin/sh\nexit {NOT_HERE}\n")
    (tmp_path / "docker").chmod(0o755)
    pull = await change(hub, repository, {"more.py": "x = 1\n"})
    run = await verify(hub, repository, pull)
    assert conclusions(run)["unchanged"] == "failure"
