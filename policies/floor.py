"""The server's baseline: a policy that must be met beside the repository's own, so that it can only become stricter.

Both are evaluated, and the worse of the two verdicts stands. What a repository writes cannot reach the baseline's
evaluation at all; so no policy of a repository turns what the baseline refuses into something that passes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from checks.document import DocumentError, read_document
from checks.finding import Finding, Status, passed
from policies.load import MAX_BYTES, MAX_DEPTH, PolicyState, load, merged
from policies.people_sections import Agents
from policies.schema import Policy
from policies.tree import leaf
from policies.verdict import GroupVerdict, Node, Verdict, VerificationOrder, fold_all, settled

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
        policy=floor.model_copy(update={"agents": _marks(state.policy, floor)}),
        origin="file",
        source=replace(state.source, given="the server's baseline"),
        errors=(),
        because="",
        floor=None,
    )


def _marks(own: Policy, floor: Policy) -> Agents:
    """Marks of an agent only ever add up, the repository's too."""
    both = {
        name: tuple(dict.fromkeys((*getattr(floor.agents, name), *getattr(own.agents, name))))
        for name in ("branches", "apps", "trailers")
    }
    return floor.agents.model_copy(update=both)


def worse_of(own: Verdict, floor: Verdict) -> Verdict:
    """The repository's verdict held against the baseline's: passed only where both are."""
    evidence, review = _both(own.evidence, floor.evidence), _both(own.review, floor.review)
    together = replace(own, evidence=evidence, review=review)
    overridden = own.overridden_by or floor.overridden_by
    return replace(
        together,
        mode="enforce" if "enforce" in (own.mode, floor.mode) else "observe",
        risk=max(own.risk, floor.risk),
        areas=tuple(sorted({*own.areas, *floor.areas})),
        needed=tuple(dict.fromkeys((*own.needed, *floor.needed))),
        code=None if own.reads_code or floor.reads_code else own.code or floor.code,
        asks=tuple(dict.fromkeys((*own.asks, *floor.asks))),
        reads_code=tuple(dict.fromkeys((*own.reads_code, *floor.reads_code))),
        approved_by=tuple(dict.fromkeys((*own.approved_by, *floor.approved_by))),
        may_enqueue=own.may_enqueue and together.status is Status.PASSED and _may_enqueue(floor),
        order=_order(own.order, floor.order),
        override_by=own.override_by if own.override_by and floor.override_by else "",
        overridden_by=overridden if together.status is Status.PASSED else None,
    )


def _may_enqueue(floor: Verdict) -> bool:
    """The baseline can keep the gate from merging an agent's work; of others' it would not ask anyway."""
    return floor.may_enqueue or floor.kind != "agent"


def _order(own: VerificationOrder | None, floor: VerificationOrder | None) -> VerificationOrder | None:
    """One run for both: the baseline's image, and whatever either wants to be run."""
    if own is None or floor is None:
        return own or floor
    commands = tuple(dict.fromkeys((*floor.commands, *own.commands)))
    return replace(floor, count=max(own.count, floor.count), commands=commands, network=own.network and floor.network)


def worse_group_of(own: GroupVerdict, floor: GroupVerdict) -> GroupVerdict:
    """The same for a merge group."""
    return replace(own, evidence=_both(own.evidence, floor.evidence), review=_both(own.review, floor.review))


def _both(own: Node, floor: Node) -> Node:
    """The repository's tree with what the baseline says beyond it."""
    met = floor.status is Status.PASSED
    found = (passed("baseline", "The server's baseline is met."),) if met else tuple(_beyond(own, floor))
    reason = found[0].reason if met else floor.reason
    part = Node("baseline", floor.status, reason, tuple(map(leaf, found)))
    status = settled(fold_all((own.status, floor.status)))  # not of the children: an override leaves them as they are
    return Node(own.name, status, own.reason if own.status is status else part.reason, (*own.children, part))


def _beyond(own: Node, floor: Node) -> Iterator[Finding]:
    said = set(own.findings)
    for finding in floor.findings:
        if finding.status not in (Status.PASSED, Status.SKIPPED) and finding not in said:
            yield finding
