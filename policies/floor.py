"""The server's baseline: a policy that must be met beside the repository's own, so that it can only become stricter.

Each is judged by its own words alone, and the worse of the two verdicts stands: what one of them writes never reaches
the judgement of the other, so neither turns what the other refuses into something that passes. What is put together
are the two verdicts, word by word:

- statuses of `evidence` and `review`: the worse; findings and reasons: the repository's, then the baseline's others.
- `kind`: a person's where both say so; `gated`, `mode: enforce`, `reads_code`: where either says so.
- `risk`: the higher; `areas`, `needed`, `asks`, `approved_by`, `subject`: both together. None of them decides.
- `code`: while either asks for an approval, unless either wants the code itself to be read.
- `may_enqueue`: where both let the gate do it, both checks are passed, and it is an agent's by the repository's words.
- `orders`: each asks for runs of its own, and counts those alone that were made for exactly its order. Where both ask
  for the same, the same runs serve both.
- `judges`: those that either asks for, each once and within the limits of both.
- `override_by`, `overridden_by`: an override must be one that each of them accepts, or one of them must not need it.

Facts are read for both: people, teams, code owners, and test reports by the words of each. Freezes, their exceptions
and the probation before the gate enqueues must let it pass by both (`app.gate`). How a queue merges (`queue.kind`,
`method`, `jump`, minutes) and who is told when (`ticket.pushes`) is the repository's alone.

One thing holds beyond the policy that says it: an account, a branch or a trailer that either marks as an agent's or a
dependency bot's. Where that adds to a policy's own marks, the policy is judged once more with them, and the worse
verdict stands again: a mark can take an approval, an override or the standing of a person away. It cannot take a veto
from anybody, make a co-author known, or lead the work past a rule, for without it the first judgement stands.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from checks.document import DocumentError, read_document
from checks.finding import Finding, Status, passed
from checks.group_snapshot import GroupSnapshot
from checks.snapshot import Snapshot
from checks.unread import Unread
from policies.load import MAX_BYTES, MAX_DEPTH, PolicyState, load, merged
from policies.rules import machines
from policies.schema import Policy
from policies.tree import leaf
from policies.verdict import (
    GroupVerdict,
    JudgeOrder,
    Kind,
    Node,
    Subject,
    Verdict,
    VerificationOrder,
    fold_all,
    settled,
)

Judge = Callable[[PolicyState], Verdict]
Seen = TypeVar("Seen", Snapshot, GroupSnapshot)

# What a baseline says where its file says nothing: as little as there is, so that it asks for what is written in it
# and for what no policy can switch off. Whose work it is stays as the preset has it: a baseline that took agents and
# strangers for people would ask nothing of them.
_NEUTRAL = """version: 1
dependency_bots: {risk: low}
bundle: {required: [reason]}
requirements:
  low: {evidence: ci, runs: 1, approvals: 0}
  medium: {evidence: ci, runs: 1, approvals: 0}
  high: {evidence: ci, runs: 1, approvals: 0}
  critical: {evidence: ci, runs: 1, approvals: 0}
review: {people_need_approval: false, one_more_for_unmapped: false}
ci:
  allow_push: true
  attempts: 50
  baseline: {compare: false}
  trust: {token: allow, secrets: allow, cache: allow, runner: allow, variables: allow, calls: allow}
queue: {enqueue: "on"}
ticket:
  most: {minutes: 10080, attempts: 5, cost: 10000}
  day: {minutes: 10000000, attempts: 100000, cost: 1000000}
  running: 1000
  scale: {enforced: false, cap_hits: 1.0, reverts: 1.0, unproven: 1000}
"""


def load_floor(text: str, presets: Mapping[str, str]) -> Policy:
    """A baseline's file. Without `extends` it asks for nothing but what it says. Raises InvalidPolicyError."""
    if _extends(text):
        return load(text, presets)
    neutral = merged(read_document(presets["default"]).value, read_document(_NEUTRAL).value)
    return load(text, {**presets, "default": json.dumps(neutral)})


def _extends(text: str) -> bool:
    try:
        value = read_document(text, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH).value
    except DocumentError:
        return False
    return isinstance(value, dict) and "extends" in value


def with_floor(state: PolicyState, floor: Policy | None) -> PolicyState:
    """The state with the server's baseline; its digest stands for both."""
    if floor is None:
        return state
    text = f"{state.digest}\0{floor.model_dump_json()}"
    digest = "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return replace(state, digest=digest, floor=floor)


def floor_state(state: PolicyState, floor: Policy) -> PolicyState:
    """The baseline as a state of its own, under the digest that stands for both."""
    return replace(
        state,
        policy=floor,
        origin="file",
        source=replace(state.source, given="the server's baseline"),
        errors=(),
        because="",
        floor=None,
    )


def for_baseline(snapshot: Seen) -> Seen:
    """The snapshot as the baseline's words have it read: which files are test reports is for each policy to say."""
    if isinstance(snapshot.runs, Unread):
        return snapshot
    return replace(snapshot, runs=tuple(replace(run, reports=run.baseline_reports) for run in snapshot.runs))


def with_marks(policy: Policy, other: Policy) -> Policy | None:
    """The policy with what the other one marks as an agent's or a machine's; None where that adds nothing."""
    agents = policy.agents
    marks = {
        "branches": _union(agents.branches, other.agents.branches),
        "apps": _union(machines(policy), machines(other)),
        "trailers": _union(agents.trailers, other.agents.trailers),
    }
    if marks == {"branches": agents.branches, "apps": machines(policy), "trailers": agents.trailers}:
        return None
    return policy.model_copy(update={"agents": agents.model_copy(update=marks)})


def _union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def held_against(own: Verdict, state: PolicyState, floor: Policy, judge: Judge, judge_by_floor: Judge) -> Verdict:
    """The worse of `own`, which `judge` gave by the state's words alone, and of what `judge_by_floor` gives by the
    baseline's, of what these have read."""
    base = floor_state(state, floor)
    by_floor = _marked(judge_by_floor(base), base, state.policy, judge_by_floor)
    return worse_of(_marked(own, state, floor, judge), by_floor)


def _marked(alone: Verdict, state: PolicyState, other: Policy, judge: Judge) -> Verdict:
    """Judged once more with the other one's marks; whom these take for a machine approved nothing."""
    policy = with_marks(state.policy, other)
    if policy is None:
        return alone
    marked = judge(replace(state, policy=policy))
    return replace(worse_of(alone, marked, "marks"), approved_by=marked.approved_by)


def worse_of(own: Verdict, other: Verdict, part: str = "baseline") -> Verdict:
    """The first verdict held against the second, word by word as the module's paragraph says. What only the second
    finds is said under `part`."""
    together = replace(
        own, evidence=_both(own.evidence, other.evidence, part), review=_both(own.review, other.review, part)
    )
    passes = together.status is Status.PASSED
    overridden = own.overridden_by or other.overridden_by
    return replace(
        together,
        kind=_kind(own.kind, other.kind),
        mode="enforce" if "enforce" in (own.mode, other.mode) else "observe",
        risk=max(own.risk, other.risk),
        areas=tuple(sorted({*own.areas, *other.areas})),
        needed=tuple(dict.fromkeys((*own.needed, *other.needed))),
        code=None if own.reads_code or other.reads_code else own.code or other.code,
        asks=tuple(dict.fromkeys((*own.asks, *other.asks))),
        reads_code=tuple(dict.fromkeys((*own.reads_code, *other.reads_code))),
        approved_by=tuple(dict.fromkeys((*own.approved_by, *other.approved_by))),
        may_enqueue=own.may_enqueue and other.may_enqueue and passes,
        orders=_orders((*own.orders, *other.orders)),
        judges=_judges((*own.judges, *other.judges)),
        override_by=own.override_by if own.override_by and other.override_by else "",
        overridden_by=overridden if passes else None,
        subject=_subject(own.subject, other.subject),
    )


def _kind(own: Kind, other: Kind) -> Kind:
    """The one of which more is asked; a person's is what both take for one."""
    order: tuple[Kind, ...] = ("agent", "outsider", "dependency-bot", "person")
    return min(own, other, key=order.index)


def _orders(orders: Iterable[VerificationOrder]) -> tuple[VerificationOrder, ...]:
    """One of each that is told the same, of as many runs as the one of them asks for that asks for most."""
    most: dict[str, VerificationOrder] = {}
    for order in orders:
        known = most.get(order.digest)
        most[order.digest] = order if known is None or known.count < order.count else known
    return tuple(most.values())


def _judges(orders: Iterable[JudgeOrder]) -> tuple[JudgeOrder, ...]:
    """Each judge once, within the limits of both."""
    found: dict[str, JudgeOrder] = {}
    for order in orders:
        known = found.get(order.judge, order)
        found[order.judge] = JudgeOrder(order.judge, min(known.calls, order.calls), min(known.cost, order.cost))
    return tuple(found.values())


def _subject(own: Subject | None, other: Subject | None) -> Subject | None:
    if own is None or other is None:
        return own or other
    files = tuple(dict.fromkeys((*own.files, *other.files)))
    return replace(own, files=files, runs=tuple(dict.fromkeys((*own.runs, *other.runs))))


def worse_group_of(own: GroupVerdict, floor: GroupVerdict) -> GroupVerdict:
    """The same for a merge group."""
    return replace(
        own,
        evidence=_both(own.evidence, floor.evidence, "baseline"),
        review=_both(own.review, floor.review, "baseline"),
    )


def _both(own: Node, other: Node, part: str) -> Node:
    """The first tree with what the second says beyond it."""
    met = other.status is Status.PASSED
    if met and part != "baseline":
        return own
    found = (passed(part, "The server's baseline is met."),) if met else tuple(_beyond(own, other))
    reason = found[0].reason if met else other.reason
    beyond = Node(part, other.status, reason, tuple(map(leaf, found)))
    status = settled(fold_all((own.status, other.status)))  # not of the children: an override leaves them as they are
    return Node(own.name, status, own.reason if own.status is status else reason, (*own.children, beyond))


def _beyond(own: Node, other: Node) -> Iterator[Finding]:
    said = set(own.findings)
    for finding in other.findings:
        if finding.status not in (Status.PASSED, Status.SKIPPED) and finding not in said:
            yield finding
