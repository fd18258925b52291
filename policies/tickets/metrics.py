"""The week's numbers of the tickets of one repository, counted from what is recorded of them. Pure.

Sets of a week W: `ended`, the tickets that reached an end state in W (merged, cancelled, stopped, limit reached);
`merged`, those of them that were merged for the first time in W; the attempts that ended in W; the pull requests that
were open at any time in W; `ripe`, what was merged in the week two before W, of which every revert within 14 days is
known by the end of W. What happened after W changes nothing, but for a person's act within 24 hours after a push. A
ratio of nothing has no value: it is never 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from policies.tickets import judgements, rates
from policies.tickets.rates import Drift, Pushes, Ratio, Reruns
from policies.tickets.records import Records, histories
from policies.tickets.waits import Stops, Waits, review_waits, stop_times
from policies.tickets.week import Week

NOTHING = Ratio(0, 0)


@dataclass(frozen=True, slots=True)
class Metrics:
    """None stands for what nobody records. `cost` is what is known, of attempts and of calls of independent judges, of
    which `unknown_costs` said nothing. `false_passes` and `overruled` are about the gate's own verdicts, those of
    `judge_…` about what independent judges said.

    `escalated_by` counts tickets by cause; a ticket may be in several.
    """

    week: str
    ended: int
    completed: int
    questions: Ratio
    reruns: Reruns
    conflicts: Ratio | None
    review_wait: Waits
    reverts: Ratio
    escalations: Ratio
    escalated_by: Mapping[str, int]
    cap_hits: Ratio
    zero_touch: Ratio
    first_pass: Ratio
    cost: Ratio
    unknown_costs: int
    false_passes: Ratio
    overruled: Ratio
    stops: Stops
    canaries: Ratio | None
    pushes: Pushes | None
    cap_drift: Drift | None
    judge_false_passes: Ratio = NOTHING
    judge_overruled: Ratio = NOTHING


def measure(records: Records, week: Week, now: datetime) -> Metrics:
    """All numbers of a week, by its end or, while it lasts, by now."""
    tickets = histories(records)
    ended = [ticket for ticket in tickets if rates.end_in(ticket, week) is not None]
    merged = [ticket for ticket in tickets if rates.is_merged_in(ticket, week)]
    ripe = [ticket for ticket in tickets if rates.is_merged_in(ticket, week.before(2))]
    asked = {(one.number, one.cause, one.fingerprint) for one in records.asked if week.holds(one.at)}
    costs = [one.cost for one in records.stretches if one.ended_at is not None and week.holds(one.ended_at)]
    costs += judgements.costs(records.judgements, week)
    causes = Counter(cause for ticket in ended for cause in rates.escalations(ticket, week))
    return Metrics(
        week=week.name,
        ended=len(ended),
        completed=len(merged),
        questions=Ratio(len(asked), len(merged)),
        reruns=rates.reruns(ended, week),
        conflicts=None if records.pulls is None else rates.conflicts(records.pulls, week),
        review_wait=review_waits(tickets, week, now),
        reverts=rates.share(rates.is_reverted(ticket) for ticket in ripe),
        escalations=rates.share(bool(rates.escalations(ticket, week)) for ticket in ended),
        escalated_by=dict(sorted(causes.items())),
        cap_hits=rates.cap_hits(tickets, week),
        zero_touch=rates.share(rates.is_untouched(ticket) for ticket in merged),
        first_pass=rates.first_pass(ended, week),
        cost=Ratio(sum((cost for cost in costs if cost is not None), Decimal(0)), len(merged)),
        unknown_costs=costs.count(None),
        false_passes=rates.false_passes(ripe, week),
        overruled=rates.overruled(tickets, week),
        stops=stop_times(tickets, week),
        canaries=None if records.canaries is None else rates.canaries(records.canaries, week),
        pushes=None if records.pushes is None else rates.pushes(records.pushes, records.acts, week),
        cap_drift=None if records.raised is None else rates.drift(records.raised, week),
        judge_false_passes=judgements.false_passes(ripe, week),
        judge_overruled=judgements.overruled(tickets, week),
    )
