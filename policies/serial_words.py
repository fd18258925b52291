"""What `mergegate/queue` says about a pull request: its place, its turn, or why it is not in the queue. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from checks.finding import Finding, Fix, Status, failed, passed, pending
from policies.escape import clean, code, inert
from policies.explain import Output, blocking, explain_finding
from policies.freeze import Frozen
from policies.serial import Entry, Place
from policies.titles import LONGEST
from policies.verdict import GroupVerdict, Verdict

CHECK = "queue"
AGAIN = "comment `/requeue`"
NO_TRIGGER = "The workflow must run on `push` to the branches `mergegate/queue/**`."
_WAIT = Fix("wait", "Nothing to do: the gate goes on by itself.")
_ASK = Fix("requeue", f"Switch on auto-merge, or {AGAIN}.")
_KIND = Fix("repair-policy", "Write `queue: {kind: native}`, or take the rule `merge_queue` away.", "queue.kind")
_REPAIR = Fix("push", f"Push a commit that mends it; if it was not this change's fault, a person may {AGAIN}.")


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a pull request's way through the serial queue.

    `by_gate`: the gate merges it, in its turn. `wanted`: the gate or a person wants it merged. `base` is the target's
    tip now. `frozen` is None where a freeze does not hold it up.
    """

    verdict: Verdict
    place: Place | None
    base: str
    wanted: bool
    by_gate: bool
    draft: bool = False
    conflict: bool = False
    frozen: Frozen | None = None
    stack_below: bool = False  # a layer of a stack that is not the lowest
    native: bool = False  # the branch has a merge queue of GitHub's, past which nobody can merge


def queue_finding(standing: Standing) -> Finding:
    """Passed exactly when it is this head's turn on the target's present tip, and nothing speaks against it."""
    return _unready(standing) or _in_queue(standing) or _outside(standing)


def _unready(standing: Standing) -> Finding | None:
    if standing.native:
        reason = f"{_branch(standing)} has a merge queue of GitHub's, so the gate's serial one merges nothing."
        return pending(CHECK, reason, fix=_KIND)
    if standing.draft:
        return pending(CHECK, "It is a draft, and so it has no place in the queue.", fix=_WAIT)
    if standing.verdict.status is not Status.PASSED:
        reason = "It takes its place in the queue once `mergegate/evidence` and `mergegate/review` are green."
        return pending(CHECK, reason, fix=Fix("wait", "See the other two checks for what they want."))
    return None


def _in_queue(standing: Standing) -> Finding | None:
    place, verdict = standing.place, standing.verdict
    if place is None:
        return None
    entry = place.entry
    if (entry.head_sha, entry.target_ref) != (verdict.head_sha, verdict.target_ref):
        return None
    if entry.state == "refused":
        return failed(CHECK, entry.reason, fix=_REPAIR)
    if not entry.active:
        return None
    if standing.frozen is not None:
        return pending(CHECK, f"{standing.frozen.reason} It keeps its place.", fix=_WAIT)
    if entry.state == "waiting":
        return pending(CHECK, _waiting(place), fix=_WAIT)
    if entry.state == "trying":
        return pending(CHECK, f"Its merge with {_at(standing)} is tried: the workflows run.", fix=_WAIT)
    return _turn(standing, entry.trial_base)


def _waiting(place: Place) -> str:
    if not place.ahead:
        return "Place 1 in the queue; its merge is tried next."
    return f"Place {len(place.ahead) + 1} in the queue, behind #{place.ahead[-1]}."


def _turn(standing: Standing, tried_on: str | None) -> Finding:
    if tried_on != standing.base:
        return pending(CHECK, f"{_branch(standing)} moved on; its merge is tried again.", fix=_WAIT)
    who = "the gate merges it" if standing.by_gate else "merge it now"
    return passed(CHECK, f"It is its turn: {who}. Its merge with {_at(standing)} was tried and passes.")


def _outside(standing: Standing) -> Finding:
    if standing.stack_below:
        return pending(CHECK, "It takes its place once the layers of the stack below it have landed.", fix=_WAIT)
    if standing.conflict:
        fix = Fix("update-branch", f"Merge or rebase {_branch(standing)} into the branch and push.")
        return pending(CHECK, f"It conflicts with {_branch(standing)}.", fix=fix)
    if standing.frozen is not None:
        return pending(CHECK, standing.frozen.reason, fix=_WAIT)
    if standing.wanted:
        return pending(CHECK, "It takes its place in the queue.", fix=_WAIT)
    return pending(CHECK, "It is ready, and nobody has asked for it to be merged.", fix=_ASK)


def _branch(standing: Standing) -> str:
    return f"`{standing.verdict.target_ref.removeprefix('refs/heads/')}`"


def _at(standing: Standing) -> str:
    return f"{_branch(standing)} at {standing.base[:12]}"


def queue_output(standing: Standing, finding: Finding) -> Output:
    """The check run's words: the title is the reason, because it says the place."""
    title = clean(finding.reason.replace("`", ""), LONGEST)
    verdict = standing.verdict
    facts = {"check": "mergegate/queue", "status": finding.status.value, "head": verdict.head_sha}
    footer = f"Queue of {_branch(standing)}, commit {code(verdict.head_sha)}."
    return explain_finding(title, finding, facts, footer)


def failure_of(verdict: GroupVerdict, entry: Entry, branch: str) -> str:
    """Why the merge was refused, in one sentence: the most urgent of what its runs say."""
    found = blocking(verdict.evidence) or blocking(verdict.review)
    first = found[0].reason if found else verdict.evidence.reason
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    if any(one.check == "ci.runs" and one.status is Status.FAILED for one in found) and entry.trial_ref:
        return f"{first} {NO_TRIGGER}"
    return f"{first}{more} So it is on top of `{branch}` at {(entry.trial_base or '')[:12]}, where it was tried."


def refusal_notice(place: Place) -> str:
    """The comment that tells an agent, and whoever runs it, why its merge was refused and what to do next."""
    entry = place.entry
    return (
        f"**Refused by the queue.** {inert(entry.reason)}\n\n"
        "Next: push a commit that mends it, and it takes a new place once its checks are green. If this change was "
        f"not at fault, a person with write permission may {AGAIN}."
    )
