"""What a merge queue does in the background: build groups as real commits, wait for their checks, land or evict.

A group's commit has the parents [group base, pull request head] and lands as that very commit; the base of entry n is
the group commit of entry n-1; the object id in the queue ref's name is the group's base. All of that was recorded on
the real GitHub by ohcaygo/merge-proof (MIT), ordered-queue-final.json.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.github import queue_judgement, rule_suites
from tests.github.errors import ApiError
from tests.github.events import (
    CheckRunChanged,
    DomainEvent,
    MergeGroupChanged,
    PullRequestChanged,
    RefUpdated,
    RulesetChanged,
    StatusCreated,
)
from tests.github.operations import merges
from tests.github.operations.pulls import mark_merged
from tests.github.operations.pushes import update_ref
from tests.github.queue_entries import branch_of, find, parameters
from tests.github.state import PullRequest, QueueEntry, QueueRemoval, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

PREFIX = "gh-readonly-queue"
ZERO = "0" * 40
QUEUE_BOT = "github-merge-queue[bot]"
CLOCK_SECONDS = 0.25  # how often a running server looks for timeouts


class MergeQueues:
    """All queues of one simulated GitHub; a queue is worked on in the background, one step at a time."""

    def __init__(self, github: SimulatedGitHub) -> None:
        self.github = github
        self.working: set[tuple[int, str]] = set()
        self.dirty: set[tuple[int, str]] = set()
        self.clock: asyncio.Task[None] | None = None

    async def add(
        self, repository: Repository, branch: str, pulls: list[PullRequest], enqueuer: str, *, jump: bool
    ) -> QueueEntry:
        queue = repository.queues.setdefault(branch, [])
        now = self.github.world.now()
        entries = [
            QueueEntry(self.github.world.new_id(), pull.number, pull.head_sha, enqueuer, now, jump=jump)
            for pull in pulls
        ]
        place = sum(entry.state == "LOCKED" for entry in queue) if jump else len(queue)
        queue[place:place] = entries
        for pull in pulls:
            pull.auto_merge = None
            await self.github.publish(PullRequestChanged(repository, pull, "enqueued", enqueuer))
        self.poke(repository, branch)
        return entries[-1]

    async def remove(self, repository: Repository, entry: QueueEntry, reason: str, actor: str) -> None:
        """Take out the entry and, of a stack, those above it; groups built on it are destroyed and built anew.

        Their own groups are destroyed as `dequeued`; `invalidated` are those behind them (webhook documentation).
        """
        branch = branch_of(repository, entry)
        for gone in [entry, *self._layers_above(repository, branch, entry)]:
            repository.queues[branch].remove(gone)
            self._note_removal(repository, gone, reason, actor)
            if gone.group_sha is not None:
                await self._destroy(repository, branch, gone, "dequeued")
            pull = repository.pulls[gone.pull_number]
            extra = {"reason": reason}
            await self.github.publish(PullRequestChanged(repository, pull, "dequeued", actor, extra=extra))
        self.poke(repository, branch)

    def _note_removal(self, repository: Repository, entry: QueueEntry, reason: str, actor: str) -> None:
        world, pull = self.github.world, repository.pulls[entry.pull_number]
        removal = QueueRemoval(world.new_id(), reason, actor, entry.enqueuer, entry.group_sha, world.now())
        pull.queue_removals.append(removal)

    def poke(self, repository: Repository, branch: str) -> None:
        """Have the queue looked at soon."""
        key = (repository.id, branch)
        self.dirty.add(key)
        if key not in self.working:
            self.working.add(key)
            self.github.spawn(self._work_in_background(repository, branch))
        if self.clock is None or self.clock.done():
            self.clock = self.github.background(self._tick())

    async def on_event(self, event: DomainEvent) -> None:
        """Listener: checks on group commits, pushes, closed or changed pull requests, changed rules."""
        if isinstance(event, PullRequestChanged):
            await self._pull_changed(event)
        elif isinstance(event, CheckRunChanged):
            self._commit_changed(event.repository, event.check_run.head_sha)
        elif isinstance(event, StatusCreated):
            self._commit_changed(event.repository, event.status.sha)
        elif isinstance(event, RefUpdated) and event.branch in event.repository.queues:
            self.poke(event.repository, event.branch)
        elif isinstance(event, RulesetChanged):
            for branch, queue in event.repository.queues.items():
                if queue:
                    self.poke(event.repository, branch)

    async def settle(self) -> bool:
        """Settler: look at every queue that the clock may have changed."""
        changed = False
        for repository in self.github.world.repositories.values():
            for branch, queue in list(repository.queues.items()):
                key = (repository.id, branch)
                if queue and key not in self.working:
                    self.working.add(key)
                    self.dirty.add(key)
                    changed |= await self._work(repository, branch)
        return changed

    def _commit_changed(self, repository: Repository, sha: str) -> None:
        for branch, queue in repository.queues.items():
            if any(entry.group_sha == sha for entry in queue):
                self.poke(repository, branch)

    async def _pull_changed(self, event: PullRequestChanged) -> None:
        entry = find(event.repository, event.pull)
        if entry is None or entry.state == "LOCKED":
            return
        pushed = event.action == "synchronize" and self.github.world.switches.dequeue_on_push
        retargeted = event.action == "edited" and "base" in event.changes
        if pushed or retargeted or event.action in {"closed", "converted_to_draft"}:
            reason = "UNKNOWN_REMOVAL_REASON" if pushed else "MANUAL"
            await self.remove(event.repository, entry, reason, event.actor)

    def _layers_above(self, repository: Repository, branch: str, entry: QueueEntry) -> list[QueueEntry]:
        stack = repository.stacks.get(repository.pulls[entry.pull_number].stack_id or 0)
        if stack is None or entry.pull_number not in stack.pulls:
            return []
        above = stack.pulls[stack.pulls.index(entry.pull_number) + 1 :]
        return [other for other in repository.queues[branch] if other.pull_number in above]

    async def _tick(self) -> None:
        while any(queue for r in self.github.world.repositories.values() for queue in r.queues.values()):
            await asyncio.sleep(CLOCK_SECONDS)
            for repository in self.github.world.repositories.values():
                for branch, queue in repository.queues.items():
                    if any(
                        queue_judgement.late(self.github, repository, branch, entry)
                        or queue_judgement.waited(self.github, repository, branch)
                        for entry in queue
                    ):
                        self.poke(repository, branch)

    async def _work_in_background(self, repository: Repository, branch: str) -> None:
        await self._work(repository, branch)

    async def _work(self, repository: Repository, branch: str) -> bool:
        """Step until nothing is left to do; whether there was anything. One at a time for each queue."""
        key, changed = (repository.id, branch), False
        try:
            while key in self.dirty:
                self.dirty.discard(key)
                while await self._step(repository, branch):
                    changed = True
        finally:
            self.working.discard(key)
        return changed

    async def _step(self, repository: Repository, branch: str) -> bool:
        """One change to the queue, or False when there is nothing to do."""
        if parameters(self.github, repository, branch) is None:
            return await self._clear(repository, branch)
        return (
            await self._evict(repository, branch)
            or await self._drop_stale_group(repository, branch)
            or await self._build(repository, branch)
            or self._judge(repository, branch)
            or await self._land(repository, branch)
        )

    async def _clear(self, repository: Repository, branch: str) -> bool:
        """The queue was switched off: everybody leaves."""
        for entry in list(repository.queues.get(branch, [])):
            if entry in repository.queues[branch]:
                await self.remove(repository, entry, "QUEUE_CLEARED", QUEUE_BOT)
        return False

    async def _evict(self, repository: Repository, branch: str) -> bool:
        for entry in repository.queues.get(branch, []):
            reason = self._eviction_reason(repository, branch, entry)
            if reason is not None:
                await self.remove(repository, entry, reason, QUEUE_BOT)
                return True
        return False

    def _eviction_reason(self, repository: Repository, branch: str, entry: QueueEntry) -> str | None:
        if entry.state == "UNMERGEABLE":
            return "CI_FAILURE" if entry.group_sha else "MERGE_CONFLICT"
        late = entry.state == "AWAITING_CHECKS" and queue_judgement.late(self.github, repository, branch, entry)
        return "CI_TIMEOUT" if late else None

    async def _bases(self, repository: Repository, branch: str) -> list[tuple[QueueEntry, str | None]]:
        """Each entry with the commit it should be built on; None while the entry before it has no group."""
        base = await self.github.git(repository).rev_parse(f"refs/heads/{branch}")
        pairs: list[tuple[QueueEntry, str | None]] = []
        for entry in repository.queues.get(branch, []):
            pairs.append((entry, base))
            base = entry.group_sha
        return pairs

    async def _drop_stale_group(self, repository: Repository, branch: str) -> bool:
        for entry, base in await self._bases(repository, branch):
            if entry.group_sha is not None and entry.base_sha != base and entry.state != "LOCKED":
                await self._destroy(repository, branch, entry, "invalidated")
                return True
        return False

    async def _build(self, repository: Repository, branch: str) -> bool:
        settings = parameters(self.github, repository, branch)
        queue = repository.queues.get(branch, [])
        building = sum(entry.state == "AWAITING_CHECKS" for entry in queue)
        if settings is None or building >= settings["max_entries_to_build"]:
            return False
        for entry, base in await self._bases(repository, branch):
            if entry.group_sha is None:
                return base is not None and await self._build_entry(repository, branch, entry, base, settings)
        return False

    async def _build_entry(
        self, repository: Repository, branch: str, entry: QueueEntry, base: str, settings: dict[str, Any]
    ) -> bool:
        github, pull = self.github, repository.pulls[entry.pull_number]
        person, method = merges.person_of(github, entry.enqueuer), str(settings["merge_method"]).lower()
        entry.head_sha = pull.head_sha
        commit = await merges.merged_commit(github, repository, pull, base, method, person)
        if entry not in repository.queues[branch]:  # it left meanwhile
            return True
        if commit is None:
            entry.state = "UNMERGEABLE"
            return True
        entry.base_sha, entry.group_sha = base, commit
        entry.group_ref = f"refs/heads/{PREFIX}/{branch}/pr-{pull.number}-{base}"
        entry.state, entry.requested_at = "AWAITING_CHECKS", github.world.now()
        await update_ref(github, repository, entry.group_ref, commit, QUEUE_BOT)
        if entry.group_sha == commit:  # else it left while the ref was made
            await github.publish(MergeGroupChanged(repository, entry, "checks_requested", branch))
        return True

    def _judge(self, repository: Repository, branch: str) -> bool:
        for entry in repository.queues.get(branch, []):
            if entry.state not in {"AWAITING_CHECKS", "MERGEABLE"} or entry.group_sha is None:
                continue
            verdict = queue_judgement.verdict(self.github, repository, branch, entry.group_sha)
            if verdict != entry.state and not (entry.state == "MERGEABLE" and verdict == "AWAITING_CHECKS"):
                entry.state = verdict  # type: ignore[assignment]
                return True
        return False

    async def _land(self, repository: Repository, branch: str) -> bool:
        settings = parameters(self.github, repository, branch)
        ready = queue_judgement.ready(self.github, repository, branch)
        if settings is None or not ready:
            return False
        if len(ready) < settings["min_entries_to_merge"] and not queue_judgement.waited(
            self.github, repository, branch
        ):
            return False
        for entry in ready:
            entry.state = "LOCKED"
        try:
            for entry in ready:
                await self._land_entry(repository, branch, entry)
        except ApiError:  # somebody pushed to the branch in between: the groups are stale now
            for entry in repository.queues[branch]:
                entry.state = "MERGEABLE" if entry.state == "LOCKED" else entry.state
        return True

    async def _land_entry(self, repository: Repository, branch: str, entry: QueueEntry) -> None:
        """One ref change an entry, so each has its own row of activity; `destroyed` comes before `closed`."""
        assert entry.group_sha is not None
        pull, actor = repository.pulls[entry.pull_number], entry.enqueuer
        base = entry.base_sha or ZERO
        suite = rule_suites.of_landing(self.github, repository, branch, base, entry.group_sha, actor)
        await merges.move_branch(
            self.github,
            repository,
            branch,
            entry.group_sha,
            actor,
            expected=base,
            activity_type="merge_queue_merge",
        )
        rule_suites.keep(repository, [suite])
        repository.queues[branch].remove(entry)
        self._note_removal(repository, entry, "merged", QUEUE_BOT)
        await self._destroy(repository, branch, entry, "merged", keep=True)
        await mark_merged(self.github, repository, pull, actor, entry.group_sha)
        await merges.leave_stack(self.github, repository, pull, actor)
        await self._remove_ref(repository, entry)

    async def _destroy(
        self, repository: Repository, branch: str, entry: QueueEntry, reason: str, *, keep: bool = False
    ) -> None:
        await self.github.publish(MergeGroupChanged(repository, entry, "destroyed", branch, reason))
        if keep:
            return
        await self._remove_ref(repository, entry)
        entry.base_sha = entry.group_sha = entry.group_ref = entry.requested_at = None
        if entry.state != "UNMERGEABLE":
            entry.state = "QUEUED"

    async def _remove_ref(self, repository: Repository, entry: QueueEntry) -> None:
        """Taken before waiting: a request and the queue's own work may destroy the same group at the same time."""
        ref, entry.group_ref = entry.group_ref, None
        if ref is not None:
            await update_ref(self.github, repository, ref, ZERO, QUEUE_BOT)
