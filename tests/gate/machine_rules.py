"""What people, agents, CI and the network do in acme/shop: the rules of the state machine, without what is asked of
the gate. GitHub's own refusals are part of life and end a rule quietly. No rule has a precondition: what hypothesis
draws never depends on what the gate did.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any, ClassVar, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.gate.machine_oracle import AGENT, BODIES, POLICIES, Oracle
from tests.gate.machine_stage import Stage
from tests.gate.shop import fail_ci, pass_ci, withhold_ci
from tests.github import merge_queue
from tests.github.auth import Actor
from tests.github.errors import ApiError
from tests.github.events import MemberChanged
from tests.github.faults import Fault, FaultKind
from tests.github.operations import merges, pushes, reviews
from tests.github.server import SimulatedGitHub
from tests.github.state import Permission, PullRequest, Repository

T = TypeVar("T")
PICK = st.sampled_from([0, 0, 0, 1, 2, 3])  # which pull request, counted round those that are open; mostly the first
BODY = st.one_of(st.sampled_from(["low", "medium", "medium, another risk"]), st.sampled_from(sorted(BODIES)))
GOOD_BODY = st.sampled_from(["low", "medium", "medium"])
BASE = st.sampled_from(["main", "main", "release", "playground"])
CONTENT = st.sampled_from(["shop/discount.py", "shop/discount.py", "shop/rates.py", "shop/payment.py"])
FAULTY = st.sampled_from(
    [
        ("POST", "/check-runs", None),
        ("PATCH", "/check-runs", None),
        ("POST", "/graphql", None),
        ("PUT", "/merge-async", None),
        ("POST", "/graphql", "Enqueue"),
        ("POST", "/graphql", "Dequeue"),
        ("POST", "/comments", None),
        ("GET", "/actions/", None),
        ("GET", "/logs", None),
        ("GET", "/permission", None),
        (None, "/", None),
    ]
)
KINDS: tuple[FaultKind, ...] = (
    "fail",
    "fail_after",
    "cut",
    "cut_after",
    "half",
    "silent",
    "silent_after",
    "errors",
    "lag",
)


MOST_OPEN = 4


class Life(RuleBasedStateMachine):
    """`stage` and `runner` are one a worker; `number` makes every commit's content its own."""

    stage: ClassVar[Stage]
    runner: ClassVar[asyncio.Runner]
    oracle: Oracle
    number = 0
    reopening_was_refused = False

    def do(self, coroutine: Coroutine[Any, Any, T]) -> T | None:
        """Run to its end; GitHub may refuse, which is an answer too."""
        with contextlib.suppress(ApiError):
            return self.runner.run(coroutine)
        return None

    @property
    def github(self) -> SimulatedGitHub:
        return self.stage.scene.github

    @property
    def shop(self) -> Repository:
        return self.stage.shop

    def pull(self, pick: int) -> PullRequest:
        standing = self.open_pulls() or [*self.shop.pulls.values()]
        return standing[pick % len(standing)]

    def open_pulls(self) -> list[PullRequest]:
        return [pull for pull in self.shop.pulls.values() if pull.issue.state == "open"]

    @initialize(policy=st.sampled_from(["plain", "strict", "by hand", "by hand"]), path=CONTENT, body=GOOD_BODY)
    def begin(self, policy: str, path: str, body: str) -> None:
        self.runner.run(self.stage.begin(POLICIES[policy].text or ""))
        branches = dict.fromkeys(("main", "release", "playground"), policy)
        self.oracle = Oracle(self.shop, self.stage.memory, branches)
        pass_ci(self.stage.scene, self.shop)
        self.began()
        self.an_agent_opens_a_pull_request("agent/one", "main", path, body, False)

    def began(self) -> None:
        """For whoever watches."""

    def change(self, path: str) -> dict[str, str]:
        self.number += 1
        return {path: f"RATE = {self.number}\n"}

    @rule(branch=st.sampled_from(["agent/one", "agent/two"]), base=BASE, path=CONTENT, body=BODY, draft=st.booleans())
    def an_agent_opens_a_pull_request(self, branch: str, base: str, path: str, body: str, draft: bool) -> None:
        """From a branch that is there already it is a second one with the same head."""
        if len(self.open_pulls()) >= MOST_OPEN:
            return
        if f"refs/heads/{branch}" not in self.stage.memory.store(self.shop.git).refs:
            self.do(self.github.push(self.shop, branch, self.change(path), author=AGENT, base="main"))
        self.do(self.github.open_pull(self.shop, branch, base, "A change", BODIES[body][0], AGENT, draft=draft))

    @rule(path=CONTENT)
    def a_person_opens_a_pull_request(self, path: str) -> None:
        if len(self.open_pulls()) >= MOST_OPEN:
            return
        self.do(self.github.push(self.shop, "docs", self.change(path), author="ada"))
        self.do(self.github.open_pull(self.shop, "docs", author="ada"))

    @rule(pick=PICK, path=CONTENT, who=st.sampled_from([AGENT, AGENT, "bob"]))
    def a_push(self, pick: int, path: str, who: str) -> None:
        """Only ada pushes to a person's branch, so that it stays one."""
        pull = self.pull(pick)
        author = who if self.oracle.is_agents(pull) else "ada"
        self.do(self.github.push(self.shop, pull.head_ref, self.change(path), author=author))

    @rule(pick=PICK, back=st.integers(1, 3))
    def a_force_push_back_to_an_earlier_commit(self, pick: int, back: int) -> None:
        pull = self.pull(pick)
        ref = f"refs/heads/{pull.head_ref}"
        earlier = [row.after for row in self.shop.activity if row.ref == ref]
        who = AGENT if self.oracle.is_agents(pull) else "ada"
        self.do(pushes.update_ref(self.github, self.shop, ref, earlier[-back % len(earlier)], who))

    @rule(
        pick=PICK,
        who=st.sampled_from(["ada", "bob", "bob", "carol", "carol", "eve", "stranger", "helper[bot]"]),
        event=st.sampled_from(["APPROVE", "APPROVE", "APPROVE", "REQUEST_CHANGES", "COMMENT"]),
    )
    def a_review(self, pick: int, who: str, event: str) -> None:
        pull = self.pull(pick)
        self.do(self.github.review(self.shop, pull.number, who, event, "" if event == "APPROVE" else "Hm."))

    @rule(pick=PICK, who=st.sampled_from(["bob", "carol"]))
    def an_approval(self, pick: int, who: str) -> None:
        self.do(self.github.review(self.shop, self.pull(pick).number, who))

    @rule(pick=PICK, which=PICK)
    def a_dismissal(self, pick: int, which: int) -> None:
        pull = self.pull(pick)
        if pull.reviews:
            review = pull.reviews[which % len(pull.reviews)]
            self.do(reviews.dismiss_review(self.github, self.shop, pull, review, "ada", "no"))

    @rule(pick=PICK, body=BODY)
    def the_body_is_edited(self, pick: int, body: str) -> None:
        self.do(self.github.edit_pull(self.shop, self.pull(pick).number, AGENT, body=BODIES[body][0]))

    @rule(pick=PICK, base=BASE)
    def the_base_is_changed(self, pick: int, base: str) -> None:
        pull = self.pull(pick)
        taken = any((each.head_ref, each.base_ref) == (pull.head_ref, base) for each in self.open_pulls())
        if pull.issue.state == "open" and not taken:
            self.do(self.github.edit_pull(self.shop, pull.number, AGENT, base=base))

    @rule(branch=st.sampled_from(["main", "main", "release"]), policy=st.sampled_from(sorted(POLICIES)))
    def the_policy_is_changed(self, branch: str, policy: str) -> None:
        text = POLICIES[policy].text
        self.do(self.github.push(self.shop, branch, {".github/mergegate.yml": text}, author="ada"))
        self.oracle.policies[branch] = policy

    @rule(outcome=st.sampled_from([pass_ci, pass_ci, fail_ci, withhold_ci]))
    def ci_ends_so_from_now_on(self, outcome: Any) -> None:
        outcome(self.stage.scene, self.shop)

    @rule(pick=PICK, failed_only=st.booleans())
    def a_run_is_repeated(self, pick: int, failed_only: bool) -> None:
        """The newest run of the head, or what a script holds of it comes to its end."""
        pull = self.pull(pick)
        for run in list(self.oracle.runs_on(pull.head_sha, "pull_request"))[-1:]:
            if run.status == "completed":
                self.do(self.github.actions.rerun(self.shop, run, "ada", failed_only=failed_only))
            elif run.id in self.github.actions.attempts:
                self.do(self.github.actions.cancel(self.shop, run))

    @rule(pick=PICK, change=st.sampled_from(["draft", "ready", "close", "reopen"]))
    def its_state_is_changed(self, pick: int, change: str) -> None:
        number, github = self.pull(pick).number, self.github
        match change:
            case "draft" | "ready":
                self.do(github.set_draft(self.shop, number, AGENT, draft=change == "draft"))
            case "close":
                self.do(github.close_pull(self.shop, number, "ada"))
            case _:
                self.do(self.a_reopening())

    async def a_reopening(self) -> None:
        closed = [pull for pull in self.shop.pulls.values() if pull.issue.state == "closed" and not pull.merged_at]
        for pull in closed[-1:]:
            ends = (pull.head_ref, pull.base_ref)
            if all((each.head_ref, each.base_ref) != ends for each in self.open_pulls()):
                await self.github.reopen_pull(self.shop, pull.number, AGENT)

    @rule(who=st.sampled_from(["bob", "carol"]), level=st.sampled_from(["read", "write", "write"]))
    def a_right_is_changed(self, who: str, level: Permission) -> None:
        self.shop.collaborators[who] = level
        self.do(self.github.publish(MemberChanged(self.shop, who, "edited", "ada")))

    @rule(pick=PICK, how=st.sampled_from(["enqueue", "enqueue", "enqueue", "dequeue", "dequeue", "around"]))
    def a_person_acts_on_the_queue(self, pick: int, how: str) -> None:
        pull, ada = self.pull(pick), Actor("ada", "user")
        if how == "enqueue":
            self.do(merge_queue.enqueue(self.github, self.shop, pull, ada))
        elif how == "dequeue":
            self.do(merge_queue.dequeue(self.github, self.shop, pull, ada))
        else:
            self.do(self.a_merge_around_every_rule(pull))

    async def a_merge_around_every_rule(self, pull: PullRequest) -> None:
        if pull.issue.state == "closed":
            return
        base = self.stage.memory.store(self.shop.git).refs[f"refs/heads/{pull.base_ref}"]
        who = merges.person_of(self.github, "ada")
        commit = await merges.merged_commit(self.github, self.shop, pull, base, "merge", who)
        if commit is not None:
            landing = [(pull, commit)]
            await merges.land(self.github, self.shop, landing, "ada", branch=pull.base_ref, expected=base)

    @rule(seconds=st.sampled_from([1, 20]), minutes=st.sampled_from([0, 0, 6, 31]))
    def time_passes(self, seconds: int, minutes: int) -> None:
        """Minutes pass for the gate alone: the simulated GitHub also measures the life of tokens."""
        self.stage.now += timedelta(seconds=seconds)
        self.stage.scene.clock += timedelta(minutes=minutes)
        self.stage.lost |= minutes > 0  # what then is due sleeps longer than anybody here waits

    @rule(attempts=st.sampled_from([1, 2, 3, 0, 0]))
    def the_gate_works(self, attempts: int) -> None:
        """So many attempts, or until nothing is left to do."""
        self.runner.run(self.stage.work_a_little(attempts) if attempts else self.stage.rest())


class Trouble(Life):
    """The same with a network that loses, repeats and reorders, calls that fail, what is doubtful of GitHub's behaviour
    going either way, and a gate that is killed."""

    @rule(how=st.sampled_from(["well", "well", "lost", "twice", "in reverse"]))
    def webhooks_arrive(self, how: str) -> None:
        switches = self.github.world.switches
        switches.lose_deliveries = how == "lost"
        switches.repeat_deliveries = how == "twice"
        switches.reorder_deliveries = how == "in reverse"
        self.stage.lost |= how == "lost"

    @rule(kind=st.sampled_from(KINDS), where=FAULTY, count=st.integers(1, 3), status=st.sampled_from([502, 500, 429]))
    def calls_will_fail(
        self, kind: FaultKind, where: tuple[str | None, str, str | None], count: int, status: int
    ) -> None:
        method, path, operation = where
        fault = Fault(kind, method, path, operation, count, status)
        if kind == "lag":  # what was read is old: only another look can tell
            fault.method, self.stage.lost = "GET", True
        if kind == "errors":  # only GraphQL fails so
            fault.method, fault.path = "POST", "/graphql$"
        self.github.faults.add(fault)

    @rule(reopens=st.booleans(), asynchronous=st.booleans(), list_lag=st.integers(0, 2), merge_lag=st.integers(0, 2))
    def github_behaves_so_from_now_on(self, reopens: bool, asynchronous: bool, list_lag: int, merge_lag: int) -> None:
        switches = self.github.world.switches
        switches.reopen_completed_check_run, switches.async_merge = reopens, asynchronous
        self.reopening_was_refused |= not reopens
        switches.check_run_list_lag, switches.mergeable_lag_reads = list_lag, merge_lag

    @rule(requests=st.integers(1, 14))
    def the_gate_is_killed(self, requests: int) -> None:
        """After so many answers of GitHub to one attempt; its lease runs out."""
        self.runner.run(self.stage.die_after(requests))
