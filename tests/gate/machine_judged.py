"""The machine's witness: every green check, every entry into the queue and every merge is judged when it happens, and
everything that stands is judged when all has come to rest.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from app.store.database import Database
from tests.gate.machine_oracle import Oracle
from tests.gate.machine_rules import Life
from tests.gate.machine_stage import stage
from tests.github.events import CheckRunChanged, DomainEvent, PullRequestChanged, ReviewSubmitted
from tests.github.state import CheckRun, PullRequest, QueueEntry

SOAK = os.environ.get("MERGEGATE_SOAK") == "1"
STEPS = 20
REQUIRED = {"mergegate/evidence": Oracle.against_evidence, "mergegate/review": Oracle.against_review}


class Judged(Life):
    """Life with a witness: every green check, every entry into the queue and every merge is judged when it happens."""

    def began(self) -> None:
        self.wrong: list[str] = []
        self.enqueued: Counter[tuple[int, str]] = Counter()
        self.dequeued: Counter[int] = Counter()
        self.proven_groups: defaultdict[str, set[str]] = defaultdict(set)
        self.github.listeners[:] = [one for one in self.github.listeners if not hasattr(one, "witness")]
        self.github.listeners.append(Witness(self))

    @property
    def gate_bot(self) -> str:
        return self.stage.scene.app.bot_login

    async def witness(self, event: DomainEvent) -> None:
        match event:
            case ReviewSubmitted(action="submitted", pull=pull, review=review):
                self.oracle.seen[review.id] = (pull.base_ref, self.oracle.bundle_of(pull))
            case CheckRunChanged(check_run=run):
                if run.app_id == self.stage.scene.app.id and run.conclusion == "success" and run.name in REQUIRED:
                    self.went_green(run)
            case PullRequestChanged(action="enqueued", pull=pull, actor=actor):
                if actor == self.gate_bot:
                    self.was_enqueued(pull)
            case PullRequestChanged(action="dequeued", pull=pull):
                self.dequeued[pull.number] += 1
            case PullRequestChanged(action="closed", pull=pull, actor=actor):
                if pull.merged_at is not None and actor == self.gate_bot:
                    self.was_merged(pull)
            case _:
                pass

    def went_green(self, run: CheckRun) -> None:
        """Of several pull requests with one head the gate may not have looked at all yet; at rest it has."""
        judged = [pull for pull in self.shop.pulls.values() if pull.head_sha == run.head_sha]
        why = {pull.number: REQUIRED[run.name](self.oracle, pull) for pull in judged if self.oracle.is_judged(pull)}
        if why and all(why.values()):
            self.wrong.append(f"{run.name} went green: {why}")
        for branch, queue in self.shop.queues.items():
            for entry in queue:
                if entry.group_sha == run.head_sha:
                    self.group_went_green(branch, entry, run)

    def group_went_green(self, branch: str, entry: QueueEntry, run: CheckRun) -> None:
        why = self.oracle.against_group(run.name, branch, entry)
        self.wrong += [f"{run.name} went green on the group of #{entry.pull_number}: {one}" for one in why]
        self.proven_groups[run.head_sha].add(run.name)

    def was_enqueued(self, pull: PullRequest) -> None:
        self.wrong += [f"#{pull.number} was enqueued: {why}" for why in self.oracle.against(pull)]
        if not self.oracle.is_agents(pull):
            self.wrong.append(f"#{pull.number} is a person's and was enqueued")
        if not self.oracle.is_judged(pull) or not self.oracle.policy_of(pull.base_ref).enqueues:
            self.wrong.append(f"#{pull.number} was enqueued although the policy does not say so")
        self.enqueued[pull.number, pull.head_sha] += 1

    def was_merged(self, pull: PullRequest) -> None:
        if self.proven_groups[pull.merge_commit_sha or ""] != set(REQUIRED):
            self.wrong.append(f"#{pull.number} was merged by the gate on a group that was never proven")

    @invariant()
    def nothing_was_wrong(self) -> None:
        wrong, crashes = getattr(self, "wrong", []), self.github.crashes
        assert wrong == [], wrong
        assert crashes == [], crashes

    @rule()
    def all_comes_to_rest(self) -> None:
        self.runner.run(self.stage.settle())
        self.nothing_was_wrong()
        left = self.runner.run(self.stage.left())
        assert left == [], left
        for pull in self.shop.pulls.values():
            if self.oracle.is_judged(pull):
                self.checks_are_right(pull)
        self.nothing_is_there_twice()

    def checks_are_right(self, pull: PullRequest) -> None:
        """Green has its reasons, on a head that several pull requests share those of every one of them."""
        runs = self.stage.scene.check_runs(self.shop, pull.head_sha)
        for name, against in REQUIRED.items():
            named = [run for run in runs if run.name == name]
            assert named, f"#{pull.number} has no {name}"
            newest = max(named, key=lambda run: run.id)
            why = against(self.oracle, pull)
            why += self.oracle.against_sharing(pull) if name == "mergegate/evidence" else []
            assert newest.conclusion != "success" or why == [], f"{name} is green on #{pull.number}: {why}"
            if name == "mergegate/evidence" and why == [] and self.oracle.may_be_red(pull) == []:
                assert newest.conclusion == "success", f"{name} is open on #{pull.number}:\n{newest.summary}"

    def nothing_is_there_twice(self) -> None:
        runs = [run for run in self.shop.check_runs.values() if run.app_id == self.stage.scene.app.id]
        if not self.reopening_was_refused:
            twice = [key for key, count in Counter((run.name, run.head_sha) for run in runs).items() if count > 1]
            assert twice == [], f"check runs twice: {twice}"
        for pull in self.shop.pulls.values():
            said = [one.body for one in pull.issue.comments if one.user == self.gate_bot]
            assert len(said) == len(set(said)), f"said twice on #{pull.number}: {said}"
        for (number, head), times in self.enqueued.items():
            assert times <= 1 + self.dequeued[number], f"#{number} was enqueued {times} times at {head}"

    def teardown(self) -> None:
        if hasattr(self, "wrong"):
            self.all_comes_to_rest()


class Witness:
    """A listener that can be told from the others."""

    witness = True

    def __init__(self, machine: Judged) -> None:
        self.machine = machine

    async def __call__(self, event: DomainEvent) -> None:
        await self.machine.witness(event)


def hold(machine: type[Judged], examples: int, database_url: str, root: Path, patch: pytest.MonkeyPatch) -> None:
    """Run so many examples on one stage; always the same ones, but for the long run."""
    with asyncio.Runner() as runner:
        opened = Database.open(database_url, Path("/nonexistent"))
        database = runner.run(opened.__aenter__())
        on_stage = stage(root, database, patch)
        machine.runner, machine.stage = runner, runner.run(on_stage.__aenter__())
        try:
            run_state_machine_as_test(machine if SOAK else seed(1)(machine), settings=chosen(examples))
        finally:
            runner.run(on_stage.__aexit__(None, None, None))
            runner.run(opened.__aexit__(None, None, None))


def chosen(examples: int) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
