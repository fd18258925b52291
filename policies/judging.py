"""What the opinions of independent judges are worth: they send a change that would pass to a person, and nothing else.

No opinion makes anything green, and none makes anything red. A judge that cannot tell, fails, takes too long or is not
there counts like one that says no: a person looks.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from checks.finding import Evidence, Finding, Fix, needs_person, passed, pending, skipped
from checks.opinions import Opinion, Opinions, opinion_id
from checks.snapshot import Snapshot
from checks.unread import Unread
from policies.judge_section import JudgeRules
from policies.verdict import JudgeOrder

CHECK = "judge"
ANSWERS_WITHIN = timedelta(minutes=30)  # all tries of one call; after that nobody waits for it any more
MOST_REASONS = 3  # of a judge that are shown


def judged(
    rules: JudgeRules, judges: Iterable[str], snapshot: Snapshot, *, ready: bool
) -> tuple[tuple[Finding, ...], tuple[JudgeOrder, ...]]:
    """A finding for each of `judges`, and those that should be asked now; `ready` once nothing else stands open."""
    found = {judge: _judged(rules, judge, snapshot, ready=ready) for judge in judges}
    orders = (JudgeOrder(judge, rules.calls, rules.cost) for judge, (_, asked) in found.items() if asked)
    return tuple(finding for finding, _ in found.values()), tuple(orders)


def subject_id(snapshot: Snapshot, judge: str) -> str | None:
    """Of the opinion that counts; None where there is no subject that anybody could be asked about."""
    if snapshot.number is None or isinstance(snapshot.merge_base, Unread):
        return None
    ticket = None if snapshot.ticket is None else snapshot.ticket.digest
    return opinion_id(
        *(snapshot.repository.id, snapshot.number, judge),
        head_sha=snapshot.head.sha,
        base_sha=snapshot.merge_base,
        ticket_digest=ticket,
    )


def awaited(opinion: Opinion, now: datetime) -> bool:
    """Whether it may still be given."""
    return opinion.said is None and now - opinion.asked_at < ANSWERS_WITHIN


def _judged(rules: JudgeRules, judge: str, snapshot: Snapshot, *, ready: bool) -> tuple[Finding, bool]:
    known = snapshot.opinions or Opinions()
    subject = subject_id(snapshot, judge)
    opinion = next((one for one in known.given if one.id == subject), None)
    if opinion is not None:
        return _of_opinion(opinion, snapshot), False
    if not ready:
        return skipped(CHECK, f"The judge `{judge}` is asked once nothing else is open or wrong."), False
    if subject is None:
        return pending(CHECK, f"The judge `{judge}` is asked on a pull request only.", fix=_OPEN), False
    obstacle = _obstacle(rules, judge, known)
    if obstacle is not None:
        return needs_person(CHECK, obstacle, fix=_LOOK), False
    return _awaited(judge), True


def _obstacle(rules: JudgeRules, judge: str, known: Opinions) -> str | None:
    if judge not in known.judges:
        return f"The policy asks for the judge `{judge}`, which this server does not have."
    if known.calls >= rules.calls:
        return f"The judge `{judge}` is not asked: the day's {rules.calls} calls of judges are used up."
    if known.cost >= rules.cost:
        return f"The judge `{judge}` is not asked: the day's {rules.cost:g} USD for judges are used up."
    return None


def _awaited(judge: str) -> Finding:
    """In the same words before it is asked and afterwards: they need not be written twice."""
    return pending(CHECK, f"The judge `{judge}` looks at it.", fix=_WAIT)


def _of_opinion(opinion: Opinion, snapshot: Snapshot) -> Finding:
    judge = opinion.judge
    evidence = Evidence(f"opinion {opinion.id[:12]} of {judge}", digest=opinion.digest)
    if awaited(opinion, snapshot.observed_at):
        return _awaited(judge)
    if opinion.said is None:
        minutes = int(ANSWERS_WITHIN.total_seconds() // 60)
        return needs_person(CHECK, f"The judge `{judge}` gave no answer within {minutes} minutes.", fix=_LOOK)
    reasons = "; ".join(opinion.reasons[:MOST_REASONS]).rstrip(". ") or "it gives no reason"
    if opinion.said == "pass":
        return passed(CHECK, f"The judge `{judge}` has nothing against it.", evidence)
    words = "says no" if opinion.said == "fail" else "cannot tell"
    return needs_person(CHECK, f"The judge `{judge}` {words}: {reasons}.", evidence, fix=_LOOK)


_WAIT = Fix("wait", "Nothing to do: the gate looks again by itself.")
_LOOK = Fix("ask-person", "A person looks at the change itself and approves it if it is right.")
_OPEN = Fix("open-pull-request", "Open a pull request; the gate asks the judge there.")
