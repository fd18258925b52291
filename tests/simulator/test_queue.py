"""The merge queue: groups as real commits, their checks, landing, eviction, entry rules.

What groups are made of and how they land was recorded on the real GitHub by ohcaygo/merge-proof (MIT),
ordered-queue-final.json and signed-queue-final.json.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github import auto_merge, merge_queue
from tests.github.actions.scripted import ScriptedJob
from tests.github.errors import ApiError
from tests.github.events import DomainEvent, MergeGroupChanged, PullRequestChanged
from tests.github.queue_entries import find, position
from tests.github.server import SimulatedGitHub
from tests.github.state import PullRequest, QueueEntry, Repository
from tests.simulator.shop import ADA, BOB, TEST_WORKFLOW, approvals, as_user, pull, queue, required, shop, valid

pytestmark = pytest.mark.anyio
CI = ".github/workflows/ci.yml"
ACTIONS = 15368


class Story:
    """acme/shop with a queue that requires `test`; job outcomes are given, group jobs wait until they are told."""

    def __init__(self, hub: SimulatedGitHub, repository: Repository) -> None:
        self.hub = hub
        self.repository = repository
        self.events: list[tuple[str, int, str | None]] = []
        hub.listeners.append(self._note)
        hub.actions.script(repository, CI, lambda run, _job: None if run.event == "merge_group" else ScriptedJob())

    async def _note(self, event: DomainEvent) -> None:
        if isinstance(event, MergeGroupChanged):
            self.events.append((event.action, event.entry.pull_number, event.reason))
        elif isinstance(event, PullRequestChanged) and event.action in {"enqueued", "dequeued", "closed"}:
            self.events.append((event.action, event.pull.number, event.extra.get("reason")))

    async def pull(self, name: str, **files: str) -> PullRequest:
        opened = await pull(self.hub, self.repository, name, files=files or {name: "text\n"})
        await self.hub.settle()
        return opened

    async def enqueue(self, *pulls: PullRequest) -> list[QueueEntry]:
        entries = [await merge_queue.enqueue(self.hub, self.repository, p, ADA, p.head_sha) for p in pulls]
        await self.hub.settle()
        return entries

    async def conclude(self, entry: QueueEntry, conclusion: str = "success") -> None:
        """End the group's job."""
        for run in self.repository.runs.values():
            for job in run.jobs.get(run.attempt, []):
                if run.head_sha == entry.group_sha and job.status != "completed":
                    self.hub.actions.complete_job(job, ScriptedJob(conclusion))
        await self.hub.settle()

    @property
    def queue(self) -> list[QueueEntry]:
        return self.repository.queues.get("main", [])

    async def tip(self) -> str:
        return await self.hub.git(self.repository).rev_parse("refs/heads/main") or ""


async def story(hub: SimulatedGitHub, *rules: dict[str, Any], **parameters: Any) -> Story:
    repository = await shop(hub, {CI: TEST_WORKFLOW})
    await hub.set_ruleset(repository, "main", [required("test", ACTIONS), queue(**parameters), *rules])
    return Story(hub, repository)


async def test_a_group_is_a_real_commit_and_lands_as_that_commit(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    change, base = await it.pull("one"), await it.tip()
    (entry,) = await it.enqueue(change)
    assert (entry.state, entry.base_sha, position(it.repository, entry)) == ("AWAITING_CHECKS", base, 1)
    assert entry.group_ref == f"refs/heads/gh-readonly-queue/main/pr-{change.number}-{base}"
    git = hub.git(it.repository)
    assert await git.rev_parse(entry.group_ref) == entry.group_sha
    group = await git.commit(entry.group_sha or "")
    assert group.parents == (base, change.head_sha)
    assert group.tree == await git.merge_tree(base, change.head_sha)
    await it.conclude(entry)
    assert await it.tip() == change.merge_commit_sha == group.sha
    assert change.issue.state == "closed"
    assert change.merged_at is not None
    assert await git.refs("refs/heads/gh-readonly-queue/") == {}
    assert it.queue == []
    assert it.events == [
        ("enqueued", 1, None),
        ("checks_requested", 1, None),
        ("destroyed", 1, "merged"),
        ("closed", 1, None),
    ]


async def test_each_entry_is_built_on_the_one_before(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    pulls = [await it.pull(name) for name in ("one", "two", "three")]
    entries = await it.enqueue(*pulls)
    groups = [entry.group_sha for entry in entries]
    assert [entry.base_sha for entry in entries] == [await it.tip(), *groups[:2]]
    for entry in entries:
        assert [r.event for r in it.repository.runs.values() if r.head_sha == entry.group_sha] == ["merge_group"]
    await it.conclude(entries[1])
    assert entries[1].state == "MERGEABLE"
    assert await it.tip() == entries[0].base_sha  # all before it must be green too
    await it.conclude(entries[0])
    assert [p.merge_commit_sha for p in pulls] == [groups[0], groups[1], None]
    rows = [r for r in it.repository.activity if r.activity_type == "merge_queue_merge"]
    assert [(row.after) for row in rows] == groups[:2]
    assert entries[2].base_sha == await it.tip()
    assert entries[2].group_sha == groups[2]  # not built again: its base is what landed


async def test_a_red_group_evicts_and_those_behind_are_built_anew(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    first, second = await it.pull("one"), await it.pull("two")
    entries = await it.enqueue(first, second)
    old = entries[1].group_sha
    await it.conclude(entries[0], "failure")
    assert first.issue.state == "open"
    assert it.queue == [entries[1]]
    assert entries[1].base_sha == await it.tip()
    assert entries[1].group_sha not in (None, old)
    assert it.events[4:] == [
        ("destroyed", 1, "dequeued"),
        ("dequeued", 1, "CI_FAILURE"),
        ("destroyed", 2, "invalidated"),
        ("checks_requested", 2, None),
    ]
    await it.conclude(entries[1])
    assert second.merged_at is not None


@pytest.mark.parametrize("conclusion", ["neutral", "skipped"])
async def test_neutral_and_skipped_pass(hub: SimulatedGitHub, conclusion: str) -> None:
    it = await story(hub)
    change = await it.pull("one")
    (entry,) = await it.enqueue(change)
    await it.conclude(entry, conclusion)
    assert change.merged_at is not None


async def test_a_silent_check_ends_in_a_timeout(hub: SimulatedGitHub) -> None:
    it = await story(hub, required("silent"), check_response_timeout_minutes=60)
    change = await it.pull("one")
    async with as_user(hub, "bob") as bob:
        status = {"state": "success", "context": "silent"}
        assert (await bob.post(f"/repos/acme/shop/statuses/{change.head_sha}", json=status)).status_code == 201
    (entry,) = await it.enqueue(change)
    await it.conclude(entry)
    assert entry.state == "AWAITING_CHECKS"
    hub.world.clock_offset += timedelta(minutes=59)
    await hub.settle()
    assert it.queue == [entry]
    hub.world.clock_offset += timedelta(minutes=1)
    async with asyncio.timeout(10):
        while it.queue:  # noqa: ASYNC110 - a running server notices by itself
            await asyncio.sleep(0.05)
    await hub.settle()
    assert it.events[-2:] == [("destroyed", 1, "dequeued"), ("dequeued", 1, "CI_TIMEOUT")]


async def test_leaving_by_hand(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    change = await it.pull("one")
    (entry,) = await it.enqueue(change)
    old = entry.group_sha
    await merge_queue.dequeue(hub, it.repository, change, BOB)
    assert it.events[-2:] == [("destroyed", 1, "dequeued"), ("dequeued", 1, "MANUAL")]
    with pytest.raises(ApiError, match="not in the merge queue"):
        await merge_queue.dequeue(hub, it.repository, change, BOB)
    hub.world.clock_offset += timedelta(seconds=5)
    (again,) = await it.enqueue(change)
    git = hub.git(it.repository)
    assert again.group_sha not in (None, old)  # a new commit with the same tree, as recorded
    assert (await git.commit(again.group_sha or "")).tree == (await git.commit(old or "")).tree


@pytest.mark.parametrize("switch", [True, False])
async def test_a_push_while_queued(hub: SimulatedGitHub, switch: bool) -> None:
    hub.world.switches.dequeue_on_push = switch
    it = await story(hub)
    change = await it.pull("one")
    (entry,) = await it.enqueue(change)
    await hub.push(it.repository, "one", {"late": "x"})
    await hub.settle()
    assert (it.queue == []) is switch
    if not switch:
        await it.conclude(entry)
        assert change.merge_commit_sha == entry.group_sha
        landed = await hub.git(it.repository).entry(await it.tip(), "late")
        assert landed is None  # what was not in the group did not land


async def test_a_changed_base_destroys_groups_and_builds_them_again(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    (entry,) = await it.enqueue(await it.pull("one"))
    old = entry.group_sha
    tip = await hub.push(it.repository, "main", {"hotfix": "x"}, pusher="ada")
    await hub.settle()
    assert entry.base_sha == tip
    assert entry.group_sha != old
    assert it.events[-2:] == [("destroyed", 1, "invalidated"), ("checks_requested", 1, None)]


async def test_a_conflict_with_the_queue_evicts(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    first, second = await it.pull("one", shared="a\n"), await it.pull("two", shared="b\n")
    await it.enqueue(first, second)
    assert [entry.pull_number for entry in it.queue] == [first.number]
    assert it.events[-1] == ("dequeued", 2, "MERGE_CONFLICT")


async def test_entries_wait_for_company(hub: SimulatedGitHub) -> None:
    it = await story(hub, min_entries_to_merge=2, min_entries_to_merge_wait_minutes=5)
    change = await it.pull("one")
    (entry,) = await it.enqueue(change)
    await it.conclude(entry)
    assert (entry.state, it.queue) == ("MERGEABLE", [entry])
    hub.world.clock_offset += timedelta(minutes=5)
    await hub.settle()
    assert change.merged_at is not None


async def test_headgreen_lands_what_a_later_green_covers(hub: SimulatedGitHub) -> None:
    it = await story(hub, grouping_strategy="HEADGREEN")
    first, second = await it.pull("one"), await it.pull("two")
    entries = await it.enqueue(first, second)
    await it.conclude(entries[1])
    assert (first.merge_commit_sha, second.merge_commit_sha) == tuple(
        r.after for r in it.repository.activity if r.activity_type == "merge_queue_merge"
    )


async def test_only_so_many_groups_are_built_at_once(hub: SimulatedGitHub) -> None:
    it = await story(hub, max_entries_to_build=1)
    entries = await it.enqueue(await it.pull("one"), await it.pull("two"))
    assert [entry.state for entry in entries] == ["AWAITING_CHECKS", "QUEUED"]
    await it.conclude(entries[0])
    assert entries[1].state == "AWAITING_CHECKS"


async def test_squash_queue_makes_one_commit(hub: SimulatedGitHub) -> None:
    it = await story(hub, merge_method="SQUASH")
    change, base = await it.pull("one"), await it.tip()
    (entry,) = await it.enqueue(change)
    await it.conclude(entry)
    landed = await hub.git(it.repository).commit(await it.tip())
    assert landed.parents == (base,)
    assert landed.message == f"{change.issue.title} (#{change.number})"


async def test_who_may_enter(hub: SimulatedGitHub) -> None:
    it = await story(hub, approvals(1))
    change = await it.pull("one")
    with pytest.raises(ApiError, match="At least 1 approving review is required"):
        await merge_queue.enqueue(hub, it.repository, change, ADA)
    await hub.review(it.repository, change.number, "bob")
    with pytest.raises(ApiError, match="Head branch was modified"):
        await merge_queue.enqueue(hub, it.repository, change, ADA, "0" * 40)
    with pytest.raises(ApiError) as refused:
        await merge_queue.enqueue(hub, it.repository, change, type(ADA)("dan", "user"))
    assert refused.value.status == 403
    with pytest.raises(ApiError, match="administrators"):
        await merge_queue.enqueue(hub, it.repository, change, BOB, jump=True)
    await it.enqueue(change)
    with pytest.raises(ApiError, match="already in the merge queue"):
        await merge_queue.enqueue(hub, it.repository, change, ADA)
    await hub.push(it.repository, "other", {"other": "x"})
    other = await hub.open_pull(it.repository, "one", "other")
    with pytest.raises(ApiError, match="not enabled"):
        await merge_queue.enqueue(hub, it.repository, other, ADA)


async def test_jumping_goes_to_the_front(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    first, second = await it.pull("one"), await it.pull("two")
    (entry,) = await it.enqueue(first)
    jumped = await merge_queue.enqueue(hub, it.repository, second, ADA, jump=True)
    await hub.settle()
    assert [e.pull_number for e in it.queue] == [2, 1]
    assert (entry.base_sha, jumped.base_sha) == (jumped.group_sha, await it.tip())


async def test_a_draft_or_closed_pull_request_leaves(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    first, second = await it.pull("one"), await it.pull("two")
    await it.enqueue(first, second)
    await hub.set_draft(it.repository, first.number, "ada", draft=True)
    await hub.close_pull(it.repository, second.number, "ada")
    await hub.settle()
    assert it.queue == []


async def test_a_stack_enters_and_leaves_together(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    first = await it.pull("one")
    await hub.push(it.repository, "two", {"two": "x"}, base="one")
    second = await hub.open_pull(it.repository, "two", "one")
    hub.stack(it.repository, [first.number, second.number])
    await hub.settle()
    await it.enqueue(second)
    assert [e.pull_number for e in it.queue] == [first.number, second.number]
    await merge_queue.dequeue(hub, it.repository, first, ADA)
    assert it.queue == []


async def test_auto_merge_enqueues_when_it_becomes_possible(hub: SimulatedGitHub) -> None:
    it = await story(hub, approvals(1))
    change = await it.pull("one")
    await auto_merge.enable(hub, it.repository, change, ADA)
    await hub.settle()
    assert find(it.repository, change) is None
    await hub.review(it.repository, change.number, "bob")
    await hub.settle()
    assert find(it.repository, change) is not None
    assert change.auto_merge is None


async def test_auto_merge_with_everything_green_enqueues_at_once(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    change = await it.pull("one")
    await auto_merge.enable(hub, it.repository, change, ADA)
    assert find(it.repository, change) is not None


async def test_switching_the_queue_off_clears_it(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    await it.enqueue(await it.pull("one"))
    await hub.set_ruleset(it.repository, "main", [required("test", ACTIONS)])
    await hub.settle()
    assert it.queue == []
    assert it.events[-1] == ("dequeued", 1, "QUEUE_CLEARED")


async def test_a_landing_leaves_a_rule_suite_that_names_the_app(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    change, base = await it.pull("one"), await it.tip()
    (entry,) = await it.enqueue(change)
    await it.conclude(entry)
    async with as_user(hub, "ada") as ada:
        (listed,) = (await ada.get("/repos/acme/shop/rulesets/rule-suites")).json()
        assert (listed["before_sha"], listed["after_sha"], listed["actor_name"]) == (base, entry.group_sha, "ada")
        suite = valid(models.RuleSuite, (await ada.get(f"/repos/acme/shop/rulesets/rule-suites/{listed['id']}")).json())
    (row,) = suite["rule_evaluations"]
    assert (suite["result"], row["rule_type"], row["result"]) == ("pass", "required_status_checks", "pass")
    (check,) = row["metadata"]["checks"]
    assert (check["context"], check["state"], check["app"]["slug"]) == ("test", "success", "github-actions")


async def test_a_push_at_the_moment_of_landing_makes_the_group_stale(hub: SimulatedGitHub) -> None:
    it = await story(hub)
    change = await it.pull("one")
    (entry,) = await it.enqueue(change)
    entry.state = "MERGEABLE"
    git = hub.git(it.repository)
    commit = await hub.push(it.repository, "side", {"side": "x"}, base="main")
    await git.update_ref("refs/heads/main", commit)  # nobody has been told yet
    entries = it.queue[:]
    for queued in entries:
        queued.state = "LOCKED"
    with pytest.raises(ApiError, match="Base branch was modified"):
        await hub.merge_queues._land_entry(it.repository, "main", entry)
    assert it.queue == entries
    assert change.merged_at is None
