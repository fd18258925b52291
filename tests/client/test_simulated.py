"""The typed calls against the simulated GitHub: one repository with a change, its runs, people, rules and a queue."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import subprocess
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from app.github import actions, graph, installations, reads, writes
from app.github.budgets import UNLIMITED
from app.github.client import GitHubClient, Settings
from app.github.clients import GitHubApp
from app.github.counts import counting
from app.github.errors import Conflict, InstallationGone, NotFound, NotMergeable, Refused, TooLarge
from app.github.git_access import clone_url, git_environment
from app.github.identity import PURPOSES, AppIdentity
from app.github.writes import Annotation, CheckRunFields
from app.secret import SecretStr
from policies.squash import message
from tests.github.server import SimulatedGitHub
from tests.github.state import Installation, PullRequest, Repository

pytestmark = pytest.mark.anyio
WORKFLOW = """\
name: CI
on: [pull_request, merge_group, workflow_dispatch]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: mkdir out && echo 'report text' > out/report.txt && echo '3 passed in 0.1s'
      - uses: actions/upload-artifact@v4
        with:
          name: report
          path: out
"""
RULES = [
    {"type": "merge_queue", "parameters": {"min_entries_to_merge": 1}},
    {"type": "pull_request", "parameters": {"required_approving_review_count": 1}},
]
LEVELS = {"read": 0, "write": 1}


def manifest() -> dict[str, str]:
    """The highest level of each permission over all purposes of the gate."""
    wanted: dict[str, str] = {}
    for purpose in PURPOSES["gate"].values():
        for name, level in purpose.items():
            wanted[name] = max(level, wanted.get(name, "read"), key=LEVELS.__getitem__)
    return wanted


@dataclass
class World:
    hub: SimulatedGitHub
    app: GitHubApp
    installation: Installation
    repository: Repository
    pull: PullRequest

    @property
    def client(self) -> GitHubClient:
        return self.app.installation(self.installation.id)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    hub = SimulatedGitHub.create(tmp_path)
    app, key = hub.register_app("mergegate", manifest(), [], None, None)
    hub.organization("acme", members=["ada", "bob"])
    hub.team("acme", "core", ["bob"])
    files = {"README.md": "A shop\n", ".github/workflows/ci.yml": WORKFLOW, ".github/mergegate.yml": "version: 1\n"}
    people = {"ada": "admin", "bob": "write", "cat": "read"}
    repository = await hub.repository("acme/shop", files, collaborators=people, teams={"core": "write"})  # type: ignore[arg-type]
    installation = hub.install(app, "acme")
    await hub.push(repository, "agent/x", {"a.py": "print(1)\n"}, author="ada", message="Add a\n\nAgent: x")
    pull = await hub.open_pull(repository, "agent/x", title="Add a", body="```mergegate\nreason: x\n```", author="ada")
    await hub.settle()
    clients = GitHubApp(
        AppIdentity("gate", app.id, (SecretStr(key),), hub.world.base_url),
        settings=Settings(writes=UNLIMITED),
        connect=lambda: httpx.ASGITransport(app=hub.app),
    )
    yield World(hub, clients, installation, repository, pull)
    await clients.aclose()
    await hub.stop()
    assert hub.crashes == []


async def test_a_pull_request_is_read_whole(world: World) -> None:
    await world.hub.review(world.repository, 1, "bob", "APPROVE", "fine")
    await world.hub.comment(world.repository, 1, "cat", "hello")
    with counting("pull") as tally:
        state = await graph.pull_state(world.client, "acme", "shop", 1)
    assert tally.counts == {"mint": 1, "read:pull": 1}
    pull = state.pull
    assert state.complete
    assert (state.repository.database_id, state.repository.name_with_owner) == (world.repository.id, "acme/shop")
    assert (pull.state, pull.head_ref_oid, pull.base_ref_name) == ("OPEN", world.pull.head_sha, "main")
    assert [node.commit.message for node in pull.commits.nodes] == ["Add a\n\nAgent: x"]
    assert pull.base_ref is not None
    assert pull.base_ref.target.policy is not None
    assert pull.base_ref.target.policy.object is not None
    assert pull.base_ref.target.policy.object.text == "version: 1\n"
    assert pull.base_ref.target.workflows is not None
    assert pull.base_ref.target.workflows.object is not None
    entries = pull.base_ref.target.workflows.object.entries
    assert entries is not None
    assert [(entry.name, entry.mode, entry.object.text if entry.object else None) for entry in entries] == [
        ("ci.yml", 0o100644, WORKFLOW)
    ]
    assert pull.reviews is not None
    review = pull.reviews.nodes[0]
    assert (review.state, review.author.login if review.author else None) == ("APPROVED", "bob")
    assert review.commit is not None
    assert review.commit.oid == world.pull.head_sha
    assert [comment.body for comment in pull.comments.nodes] == ["hello"]
    head = pull.head_commit
    assert head is not None
    assert head.workflows is not None
    assert head.workflows.object is not None
    assert head.workflows.object.entries is not None
    assert head.workflows.object.entries[0].oid == entries[0].oid
    assert head.check_suites is not None
    suite = next(suite for suite in head.check_suites.nodes if suite.workflow_run is not None)
    assert suite.workflow_run is not None
    assert suite.workflow_run.event == "pull_request"
    assert suite.workflow_run.file is not None
    assert suite.workflow_run.file.path == ".github/workflows/ci.yml"
    assert suite.check_runs is not None
    assert [(run.name, run.conclusion) for run in suite.check_runs.nodes] == [("test", "SUCCESS")]


async def test_the_small_reread_and_other_graphql_reads(world: World) -> None:
    head = await graph.pull_head(world.client, "acme", "shop", 1)
    assert head.head_ref_oid == world.pull.head_sha
    assert head.base_ref is not None
    assert head.base_ref.target is not None
    assert head.base_ref.target.oid == head.base_ref_oid
    commit = await graph.commit_state(world.client, "acme", "shop", world.pull.head_sha)
    assert commit.oid == world.pull.head_sha
    tip = await graph.branch_tip(world.client, "acme", "shop", "refs/heads/main")
    assert tip is not None
    assert tip.target.oid == head.base_ref_oid
    assert await graph.branch_tip(world.client, "acme", "shop", "refs/heads/none") is None
    pulls = await graph.open_pulls(world.client, "acme", "shop")
    assert [pull.number for pull in pulls.items] == [1]
    assert await graph.queue_entries(world.client, "acme", "shop", "main") is None
    for missing in (graph.pull_head(world.client, "acme", "shop", 9), graph.pull_state(world.client, "acme", "no", 1)):
        with pytest.raises(NotFound):
            await missing


async def test_runs_jobs_logs_and_artifacts(world: World) -> None:
    client = world.client
    runs = await actions.runs_of_head(client, "acme", "shop", world.pull.head_sha)
    assert runs.complete
    run = runs.items[0]
    assert (run.event, run.path, run.run_attempt, run.conclusion) == (
        "pull_request",
        ".github/workflows/ci.yml",
        1,
        "success",
    )
    assert await actions.run(client, "acme", "shop", run.id) == run
    assert (await actions.run_attempt(client, "acme", "shop", run.id, 1)).run_attempt == 1
    jobs = await actions.jobs(client, "acme", "shop", run.id)
    assert [(job.name, job.run_attempt, job.conclusion) for job in jobs.items] == [("test", 1, "success")]
    job = jobs.items[0]
    log = await actions.job_log(client, "acme", "shop", job.id)
    assert b"3 passed in 0.1s" in log
    assert job.steps
    with pytest.raises(TooLarge):
        await actions.job_log(client, "acme", "shop", job.id, limit_bytes=10)
    artifacts = await actions.artifacts(client, "acme", "shop", run.id)
    assert [artifact.name for artifact in artifacts.items] == ["report"]
    archive = await actions.artifact_archive(client, "acme", "shop", artifacts.items[0].id)
    assert zipfile.ZipFile(io.BytesIO(archive)).read("report.txt") == b"report text\n"


async def test_people_refs_and_rules(world: World) -> None:
    client, sha = world.client, world.pull.head_sha
    assert (await reads.permission(client, "acme", "shop", "bob")).permission == "write"
    assert (await reads.permission(client, "acme", "shop", "cat")).permission == "read"
    member = await reads.team_membership(client, "acme", "core", "bob")
    assert member is not None
    assert member.state == "active"
    assert await reads.team_membership(client, "acme", "core", "ada") is None
    assert [one.login for one in (await reads.team_members(client, "acme", "core", most=1)).items] == ["bob"]
    rows = await reads.activity(client, "acme", "shop", "refs/heads/agent/x")
    assert rows.items[0].after == sha
    assert rows.items[0].actor is not None
    assert rows.items[0].actor.login == "ada"
    ref = await reads.git_ref(client, "acme", "shop", "refs/heads/agent/x")
    assert ref is not None
    assert ref.object.sha == sha
    commit = await reads.commit(client, "acme", "shop", sha)
    assert commit.commit.message.startswith("Add a")
    comparison = await reads.compare(client, "acme", "shop", commit.parents[0].sha, sha)
    assert [file.filename for file in comparison.files or ()] == ["a.py"]
    content = await reads.content(client, "acme", "shop", "a.py", sha)
    assert content is not None
    assert content.encoding == "base64"
    await world.hub.set_ruleset(world.repository, "gate", RULES)
    rules = await reads.branch_rules(client, "acme", "shop", "main")
    assert {rule.type for rule in rules.items} == {"merge_queue", "pull_request"}
    pull = await reads.pull(client, "acme", "shop", 1)
    assert (pull.number, pull.stack, pull.head.sha) == (1, None, sha)


async def test_a_stack_shows_its_base(world: World) -> None:
    await world.hub.push(world.repository, "agent/y", {"b.py": "x\n"}, author="ada", base="agent/x")
    await world.hub.open_pull(world.repository, "agent/y", base="agent/x", author="ada")
    world.hub.stack(world.repository, [1, 2])
    upper = await reads.pull(world.client, "acme", "shop", 2)
    assert upper.base.ref == "agent/x"
    assert upper.stack is not None
    assert (upper.stack.base.ref, upper.stack.position, upper.stack.size) == ("main", 2, 2)


async def test_check_runs_are_created_listed_and_updated(world: World) -> None:
    client, sha = world.client, world.pull.head_sha
    note = Annotation("a.py", 1, 1, "warning", "look here", "Title")
    fields = CheckRunFields(
        "mergegate/evidence", "in_progress", "Looking", "Wait.", external_id="k", annotations=[note]
    )
    made = await writes.create_check_run(client, "acme", "shop", sha, fields)
    done = CheckRunFields("mergegate/evidence", "completed", "Good", "Fine.", conclusion="success")
    changed = await writes.update_check_run(client, "acme", "shop", made.id, done)
    assert (changed.id, changed.status, changed.conclusion) == (made.id, "completed", "success")
    ours = await reads.check_runs(client, "acme", "shop", sha, check_name="mergegate/evidence")
    assert [run.id for run in ours.items] == [made.id]
    assert (await reads.check_runs(client, "acme", "shop", sha)).complete


async def test_comments_reactions_labels_and_reviewers(world: World) -> None:
    client = world.client
    comment = await writes.create_comment(client, "acme", "shop", 1, "first")
    assert (await writes.update_comment(client, "acme", "shop", comment.id, "second")).body == "second"
    assert [one.body for one in (await reads.issue_comments(client, "acme", "shop", 1)).items] == ["second"]
    assert (await writes.react(client, "acme", "shop", comment.id, "eyes")).content == "eyes"
    assert [label.name for label in await writes.add_labels(client, "acme", "shop", 1, ["risk/low"])] == ["risk/low"]
    await writes.remove_label(client, "acme", "shop", 1, "risk/low")
    with pytest.raises(NotFound):
        await writes.remove_label(client, "acme", "shop", 1, "risk/low")
    await writes.request_reviewers(client, "acme", "shop", 1, people=["bob"], teams=["core"])
    state = await graph.pull_state(client, "acme", "shop", 1)
    assert state.pull.review_requests is not None
    asked = [request.requested_reviewer for request in state.pull.review_requests.nodes]
    assert sorted(one.login or one.slug or "" for one in asked if one) == ["bob", "core"]
    assert state.pull.comments.nodes[0].viewer_did_author


async def test_a_queue_is_entered_read_and_left(world: World) -> None:
    client, sha = world.client, world.pull.head_sha
    await world.hub.set_ruleset(world.repository, "gate", RULES)
    await world.hub.review(world.repository, 1, "bob")
    pull = (await graph.pull_state(client, "acme", "shop", 1)).pull
    with pytest.raises(Refused):
        await writes.enqueue(client, "shop", pull.id, head="0" * 40)
    entry = await writes.enqueue(client, "shop", pull.id, head=sha)
    queue = await graph.queue_entries(client, "acme", "shop", "main")
    assert queue is not None
    assert [(one.id, one.pull_request.number if one.pull_request else 0) for one in queue.items] == [(entry.id, 1)]
    await writes.dequeue(client, "shop", pull.id)
    queue = await graph.queue_entries(client, "acme", "shop", "main")
    assert queue is not None
    assert queue.items == ()


async def test_merging_by_all_three_ways(world: World) -> None:
    client, sha = world.client, world.pull.head_sha
    await world.hub.set_ruleset(world.repository, "gate", RULES[1:])
    with pytest.raises(NotMergeable):
        await writes.merge(client, "acme", "shop", 1, sha=sha)
    await world.hub.review(world.repository, 1, "bob")
    with pytest.raises(Conflict):
        await writes.merge(client, "acme", "shop", 1, sha="0" * 40)
    answer = await writes.merge_async(client, "acme", "shop", 1, sha=sha, action="direct_merge", method="merge")
    assert answer.merge.status in ("pending", "merged")
    await world.hub.settle()
    if answer.merge.details.uuid:
        later = await reads.async_merge(client, "acme", "shop", 1, answer.merge.details.uuid)
        assert later.status == "merged"
    merged = (await graph.pull_state(client, "acme", "shop", 1)).pull
    assert merged.state == "MERGED"
    assert merged.merge_commit is not None
    assert merged.merge_commit.parents.nodes[1].oid == sha


async def test_a_squash_carries_no_bundle_into_the_history(world: World) -> None:
    """GitHub's own words would be the pull request's, by the setting of this repository."""
    world.repository.squash_merge_commit_message = "PR_BODY"
    state = await graph.pull_state(world.client, "acme", "shop", 1)
    assert state.repository.methods_with_body == ("squash",)
    commit = message("Faster totals", "Why.\n\n```mergegate\nreason: x\n```\n<!-- unseen -->")
    sha = world.pull.head_sha
    answer = await writes.merge(world.client, "acme", "shop", 1, sha=sha, method="squash", commit=commit)
    log = ("git", "--git-dir", world.repository.git, "log", "-1", "--format=%B", answer.sha or "")
    said = await asyncio.to_thread(subprocess.check_output, log, text=True)
    assert said.strip() == "Faster totals\n\nWhy."


async def test_the_app_sees_its_installations(world: World) -> None:
    app = world.app.app
    assert (await installations.this_app(app)).slug == "mergegate"
    assert [one.id for one in (await installations.installations(app)).items] == [world.installation.id]
    assert (await installations.installation(app, world.installation.id)).permissions["checks"] == "write"
    assert (await installations.repository_installation(app, "acme", "shop")).id == world.installation.id
    repositories = await installations.repositories(world.client)
    assert [one.full_name for one in repositories.items] == ["acme/shop"]
    assert (await installations.repository(world.client, world.repository.id)).name == "shop"
    assert (await installations.deliveries(app, since=None)).complete


async def test_an_installation_that_is_gone(world: World) -> None:
    with pytest.raises(InstallationGone):
        await reads.pull(world.app.installation(999), "acme", "shop", 1)


async def test_a_workflow_is_started_and_its_run_named(world: World) -> None:
    started = await writes.dispatch(world.client, "acme", "shop", "ci.yml", ref="main", inputs={})
    await world.hub.settle()
    run = await actions.run(world.client, "acme", "shop", started.workflow_run_id)
    assert (run.event, run.conclusion) == ("workflow_dispatch", "success")


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
async def test_git_clones_with_a_token_of_that_purpose(world: World, tmp_path: Path) -> None:
    address = await world.hub.start()
    token = (await world.client.token("git", repository="shop")).token
    url = clone_url(address, "acme", "shop")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **git_environment(url, token)}
    clone = ["git", "clone", "--quiet", url, str(tmp_path / "clone")]
    process = await asyncio.create_subprocess_exec(*clone, env=environment)
    assert await process.wait() == 0
    assert (tmp_path / "clone" / "README.md").read_text() == "A shop\n"
    kept = [path for path in (tmp_path / "clone").rglob("*") if path.is_file()]
    assert not [path for path in kept if token.get_secret_value().encode() in path.read_bytes()]


async def test_unchanged_objects_cost_nothing_of_the_budget(world: World) -> None:
    client = world.client
    await reads.pull(client, "acme", "shop", 1)
    before = client.budget.remaining["core"]
    await reads.pull(client, "acme", "shop", 1)
    assert client.budget.remaining["core"] == before
