"""What may be green, from the simulated GitHub's records and what people did; nothing of the product decides here.

Every function gives the reasons against: an empty list means that green is allowed. It is written from the design's
words, not from the code: at its present head CI was green on this very target, a truthful bundle stands in the body,
and eligible people approved that head, target and bundle where the policy wants it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.gate.machine_git import MemoryGit
from tests.gate.shop import BUNDLE
from tests.github.state import PullRequest, QueueEntry, Repository, Review, WorkflowRun

AGENT = "courier[bot]"
AGENT_BRANCHES = "agent/"
WRITERS = ("write", "maintain", "admin")

AREAS = "risk:\n  areas:\n    payment: {risk: medium}\n"


@dataclass(frozen=True)
class PolicyVariant:
    """A policy file's text, and what it means: approvals by risk, whether release is gated, the mode."""

    text: str | None
    approvals: dict[str, int] = field(default_factory=lambda: {"low": 0, "medium": 1})
    gates_release: bool = True
    mode: Literal["enforce", "observe"] = "enforce"
    broken: bool = False
    payment: str = "medium"
    enqueues: bool = True


def _policy(*more: str, release: bool = True, enqueue: str = "on") -> str:
    head = f"version: 1\nqueue: {{enqueue: '{enqueue}'}}\n" + ("branches: [release]\n" if release else "")
    return head + AREAS + "".join(more)


STRICTER = "requirements:\n  low: {approvals: 1}\n  medium: {approvals: 2}\n"
POLICIES = {
    "plain": PolicyVariant(_policy()),
    "strict": PolicyVariant(_policy(STRICTER), {"low": 1, "medium": 2}),
    "by hand": PolicyVariant(_policy(enqueue="off"), enqueues=False),
    "main only": PolicyVariant(_policy(release=False), gates_release=False),
    "broken": PolicyVariant("version: 1\nqueu: {}\n", gates_release=False, broken=True, enqueues=False),
    "none": PolicyVariant(None, gates_release=False, payment="high", enqueues=False),
    "observe": PolicyVariant(
        "version: 1\nextends: observe\nbranches: [release]\n", mode="observe", payment="high", enqueues=False
    ),
}

MEDIUM = BUNDLE.replace("level: low", "level: medium")
# name -> (text, risk that it says, whether it is true of every head)
BODIES: dict[str, tuple[str, str | None, bool]] = {
    "low": (BUNDLE, "low", True),
    "low, other words around it": (f"Please look.\n\n{BUNDLE}\nThank you.", "low", True),
    "medium": (MEDIUM, "medium", True),
    "medium, another risk": (MEDIUM.replace("known: [none]", "known: [rounding]"), "medium", True),
    "none": ("Trust me.", None, False),
    "unreadable": (BUNDLE.replace("risk:", "risk: ["), None, False),
    "wrong head": (BUNDLE.replace("reason:", f"head: {'1' * 40}\nreason:"), "low", False),
    "wrong files": (BUNDLE.replace("reason:", "changed_files: [shop/other.py]\nreason:"), "low", False),
    "wrong exit": (BUNDLE.replace("exit_code: 0", "exit_code: 1"), "low", False),
}
# Bodies that hold the same bundle: an approval of one stands for the other.
SAME_BUNDLE = {"low, other words around it": "low"}


@dataclass
class Oracle:
    """`policies` is the variant on each branch; `seen` what each review's author saw: base branch and bundle."""

    shop: Repository
    memory: MemoryGit
    policies: dict[str, str]
    seen: dict[int, tuple[str, str]] = field(default_factory=dict)

    def body_of(self, pull: PullRequest) -> str:
        return next((name for name, (text, _, _) in BODIES.items() if text == pull.issue.body), "none")

    def bundle_of(self, pull: PullRequest) -> str:
        name = self.body_of(pull)
        return SAME_BUNDLE.get(name, name)

    def policy_of(self, branch: str) -> PolicyVariant:
        """The file on the target's own tip; without one there the default branch's."""
        own = POLICIES[self.policies[branch]]
        return POLICIES[self.policies["main"]] if own.text is None else own

    def is_gated(self, branch: str) -> bool:
        return branch == "main" or (branch == "release" and POLICIES[self.policies["main"]].gates_release)

    def is_judged(self, pull: PullRequest) -> bool:
        """Open, gated, and under a policy that posts the required names."""
        judged = self.is_gated(pull.base_ref) and self.policy_of(pull.base_ref).mode == "enforce"
        return pull.issue.state == "open" and judged

    @staticmethod
    def is_agents(pull: PullRequest) -> bool:
        return pull.issue.user == AGENT or pull.head_ref.startswith(AGENT_BRANCHES)

    def against_evidence(self, pull: PullRequest) -> list[str]:
        if not self.is_agents(pull):
            return []
        policy = self.policy_of(pull.base_ref)
        reasons = ["the policy is broken"] if policy.broken else []
        if not BODIES[self.body_of(pull)][2]:
            reasons.append(f"the bundle is not true: {self.body_of(pull)}")
        if self.is_high(pull):
            reasons.append("a high risk needs a verifier's run")
        return reasons + self.against_ci(pull)

    def against_sharing(self, pull: PullRequest) -> list[str]:
        """CI of a head proves nothing while the same head aims at another base too."""
        others = [
            other.number
            for other in self.shop.pulls.values()
            if (other.head_sha, other.issue.state) == (pull.head_sha, "open") and other.base_ref != pull.base_ref
        ]
        return [f"its head is also that of {others}"] if others and self.is_agents(pull) else []

    def against_ci(self, pull: PullRequest) -> list[str]:
        """The newest run of the workflow on this head, on a merge into this target, must be green."""
        runs = [run for run in self.runs_on(pull.head_sha, "pull_request") if self.ran_for(run, pull)]
        return self.against_run(runs[-1]) if runs else ["CI did not run for it"]

    def ran_for(self, run: WorkflowRun, pull: PullRequest) -> bool:
        """Whether it began after the last change of base, on a merge into the target as it was at some time."""
        if run.created_at is None or any(run.created_at <= change.at for change in pull.base_changes):
            return False
        store = self.memory.store(self.shop.git)
        base = store.parents(run.checkout_sha)[0]
        return base in store.history(store.refs[f"refs/heads/{pull.base_ref}"])

    def runs_on(self, sha: str, event: str) -> Sequence[WorkflowRun]:
        return [run for run in self.shop.runs.values() if (run.head_sha, run.event) == (sha, event)]

    @staticmethod
    def against_run(run: WorkflowRun) -> list[str]:
        jobs = run.jobs.get(run.attempt, [])
        good = run.conclusion == "success" and jobs and all(job.conclusion == "success" for job in jobs)
        return [] if good else [f"run {run.id} is {run.conclusion or run.status}"]

    def may_be_red(self, pull: PullRequest) -> list[str]:
        """Why evidence may be missing although nothing speaks against green: the gate asks for a little more."""
        newest = [run.id for run in self.runs_on(pull.head_sha, "pull_request")][-1:]
        own = [run.id for run in self.runs_on(pull.head_sha, "pull_request") if self.ran_for(run, pull)][-1:]
        reasons = ["another pull request's run is newer"] if newest != own else []
        if BODIES[self.body_of(pull)][1] == "low" and self.touches_payment(pull):
            reasons.append("the bundle says less risk than there is")
        store = self.memory.store(self.shop.git)
        tip = store.refs[f"refs/heads/{pull.base_ref}"]
        if self.memory.run(self.shop.git, ("merge-tree", tip, pull.head_sha), b"", {})[0]:
            reasons.append("it conflicts")
        if len(store.merge_bases(tip, pull.head_sha)) != 1:
            reasons.append("what it changes is not determined")
        return reasons

    def changed(self, pull: PullRequest) -> set[str]:
        """Paths of the pull request's diff; two branches never change each other's kind of file by merging."""
        store = self.memory.store(self.shop.git)
        bases = store.merge_bases(store.refs[f"refs/heads/{pull.base_ref}"], pull.head_sha)
        before, after = store.tree(bases[0]), store.tree(pull.head_sha)
        return {path for path in {*before, *after} if before.get(path) != after.get(path)}

    def touches_payment(self, pull: PullRequest) -> bool:
        return any("payment" in path for path in self.changed(pull))

    def is_high(self, pull: PullRequest) -> bool:
        """It brings another policy along, or payment is high under this policy."""
        steers = ".github/mergegate.yml" in self.changed(pull)
        return steers or (self.policy_of(pull.base_ref).payment == "high" and self.touches_payment(pull))

    def wanted_approvals(self, pull: PullRequest) -> int:
        said = BODIES[self.body_of(pull)][1] if self.is_agents(pull) else None
        policy = self.policy_of(pull.base_ref)
        risk = "medium" if self.touches_payment(pull) or said == "medium" else "low"
        return policy.approvals[risk]

    def standing(self, pull: PullRequest) -> dict[str, Review]:
        """The last decisive review of each person who may write today."""
        decisive = [review for review in pull.reviews if review.state not in ("COMMENTED", "PENDING")]
        latest = {review.user: review for review in decisive}
        return {user: review for user, review in latest.items() if self.shop.collaborators.get(user) in WRITERS}

    def hands(self, pull: PullRequest) -> set[str]:
        """Who had a hand in it: author, committers, and who pushed the head."""
        store = self.memory.store(self.shop.git)
        target = store.history(store.refs[f"refs/heads/{pull.base_ref}"])
        commits = store.history(pull.head_sha) - target
        names = {line.partition(" <")[0] for commit in commits for line in store.header(commit, "committer")}
        pushers = {row.actor for row in self.shop.activity if row.after == pull.head_sha}
        return names | pushers | {pull.issue.user}

    def against_review(self, pull: PullRequest) -> list[str]:
        standing = self.standing(pull)
        reasons = [f"{user} asked for changes" for user, one in standing.items() if one.state == "CHANGES_REQUESTED"]
        approved = [user for user, one in standing.items() if self.counts(pull, one) and user not in self.hands(pull)]
        wanted = self.wanted_approvals(pull)
        if len(approved) < wanted:
            reasons.append(f"approved by {approved}, {wanted} are wanted")
        return reasons

    def counts(self, pull: PullRequest, review: Review) -> bool:
        bundle = self.bundle_of(pull)
        return (review.state, review.commit_id) == ("APPROVED", pull.head_sha) and self.seen[review.id] == (
            pull.base_ref,
            bundle,
        )

    def against(self, pull: PullRequest) -> list[str]:
        return self.against_evidence(pull) + self.against_review(pull)

    def against_group(self, name: str, branch: str, entry: QueueEntry) -> list[str]:
        """Every member up to this entry must stand as it was queued, and for evidence the group's own runs be green."""
        queue = self.shop.queues[branch]
        against = self.against_review if name == "mergegate/review" else self.against_evidence
        reasons = []
        for member in queue[: queue.index(entry) + 1]:
            pull = self.shop.pulls[member.pull_number]
            if pull.head_sha != member.head_sha:
                reasons.append(f"#{pull.number} was pushed to")
            reasons += [f"#{pull.number}: {reason}" for reason in against(pull)]
        if name == "mergegate/review":
            return reasons
        runs = self.runs_on(entry.group_sha or "", "merge_group")
        return reasons + (self.against_run(runs[-1]) if runs else ["CI did not run on the group"])
