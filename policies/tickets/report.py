"""The week's numbers as people and programs read them: Markdown for a comment, rows, a record for JSON. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from policies.tickets.metrics import Metrics
from policies.tickets.rates import Drift, Ratio
from policies.tickets.report_texts import NAMES, REPORT_TEXTS
from policies.tickets.texts import TEXTS
from policies.tickets.words import Language

Unit = Literal["", "share", "each", "hours", "seconds", "USD", "times"]
NOT_RECORDED = "not recorded"
NOTHING = "n/a"


@dataclass(frozen=True, slots=True)
class Row:
    """One number. `value` is None for n/a, and where nothing is `recorded`; `part` of `whole` where it is a ratio."""

    key: str
    words: str
    unit: Unit
    value: float | None
    part: float | None = None
    whole: int | None = None
    recorded: bool = True
    at_least: bool = False

    @property
    def shown(self) -> str:
        return self.shown_in("en")

    def shown_in(self, language: Language) -> str:
        """As people read it: with what it was counted from."""
        words = REPORT_TEXTS[language]
        if not self.recorded:
            return words["not_recorded"]
        if self.value is None:
            return words["not_any"]
        counted = "" if self.whole is None else " " + words["counted"].format(part=f"{self.part:g}", whole=self.whole)
        return f"{'≥ ' if self.at_least else ''}{_number(self.value, self.unit, words)}{counted}"

    def named_in(self, language: Language) -> str:
        """Its name; that of a cause with what it is a cause of."""
        names, (whole, _, cause) = NAMES[language], self.key.partition("_")
        if not names:
            return self.words
        if self.key in names:
            return names[self.key]
        return names[whole] + (names.get(cause) or TEXTS[language][cause])

    @property
    def plain(self) -> str:
        """As a spreadsheet reads it."""
        return NOT_RECORDED if not self.recorded else NOTHING if self.value is None else f"{self.value:.6g}"


def _number(value: float, unit: Unit, words: Mapping[str, str]) -> str:
    if unit == "share":
        return f"{100 * value:.1f} %"
    if unit == "":
        return f"{value:g}"
    return f"{value:.2f}" if unit == "each" else f"{value:.2f} {words[unit]}"


def rows(metrics: Metrics) -> tuple[Row, ...]:
    return tuple(_rows(metrics))


def _rows(found: Metrics) -> Iterator[Row]:
    yield Row("completed", "Merged", "", found.completed)
    yield Row("ended", "Ended in any way", "", found.ended)
    yield _each("questions_per_completed", "Questions per merged ticket", found.questions)
    yield _each("rerun_rate", "Further attempts per ended ticket", found.reruns.rate)
    yield from _by_cause("reruns", "further attempts", found.reruns.by_cause)
    yield _share("conflict_rate", "Pull requests with a conflict", found.conflicts)
    yield from _waits(found)
    yield _share("revert_rate", "Reverted, of what was merged two weeks before", found.reverts)
    yield _share("escalation_rate", "Ended tickets that went up to a person", found.escalations)
    yield from _by_cause("escalations", "ended tickets that went up", found.escalated_by)
    yield _share("cap_hit_rate", "Attempts ended by a limit", found.cap_hits)
    yield _share("zero_touch_rate", "Merged without a person in between", found.zero_touch)
    yield _share("first_pass_rate", "Passed at the first verdict", found.first_pass)
    yield from _costs(found)
    yield _share("false_pass_rate", "Passes that were wrong, of two weeks before", found.false_passes)
    yield _share("overrule_rate", "Verdicts that a person overruled", found.overruled)
    yield _share(
        "judge_false_pass_rate", "Judges' passes that were wrong, of two weeks before", found.judge_false_passes
    )
    yield _share("judge_overrule_rate", "Judges' opinions that a person overruled", found.judge_overruled)
    yield Row("stop_latency_p95", "Until a stop was complete, 95th percentile", "seconds", found.stops.p95)
    yield Row("stops_unconfirmed", "Stops that are not confirmed", "", found.stops.unconfirmed)
    yield _share("canary_pass", "Canary tickets that were stopped", found.canaries)
    yield from _pushes(found)
    yield from _raised(found.cap_drift)


def _waits(found: Metrics) -> Iterator[Row]:
    wait = found.review_wait
    yield Row("review_wait_median", "Wait for a person, median", "hours", wait.median)
    yield Row("review_wait_p90", "Wait for a person, 90th percentile", "hours", wait.p90)
    yield Row("review_wait_total", "Wait for a person, in all", "hours", wait.total)
    yield Row("review_waiting", "Still wait for a person", "", wait.open)
    yield Row("review_oldest", "The oldest of these", "hours", wait.oldest)


def _costs(found: Metrics) -> Iterator[Row]:
    cost = found.cost
    least = found.unknown_costs > 0
    yield Row(
        "cost_per_merged", "Cost per merged ticket", "USD", cost.value, float(cost.part), cost.whole, at_least=least
    )
    yield Row("unknown_costs", "Attempts and judges that told no cost", "", found.unknown_costs)


def _pushes(found: Metrics) -> Iterator[Row]:
    pushes = found.pushes
    recorded = pushes is not None
    most = None if pushes is None else max(pushes.by_day.values(), default=None)
    yield Row("push_load", "Messages at once to one person on one day, at most", "", most, recorded=recorded)
    yield _share(
        "actionable_pushes", "Of these messages followed by an act", None if pushes is None else pushes.actionable
    )


def _raised(drift: Drift | None) -> Iterator[Row]:
    recorded = drift is not None
    raised, median, granted = (None, None, None) if drift is None else (drift.raised, drift.median, drift.granted)
    yield Row("cap_drift", "Median of raised limits", "times", median, recorded=recorded)
    yield Row("limits_raised", "Limits that people raised", "", raised, recorded=recorded)
    yield Row("paths_granted", "Paths that people allowed later", "", granted, recorded=recorded)


def _each(key: str, words: str, ratio: Ratio) -> Row:
    return Row(key, words, "each", ratio.value, float(ratio.part), ratio.whole)


def _share(key: str, words: str, ratio: Ratio | None) -> Row:
    if ratio is None:
        return Row(key, words, "share", None, recorded=False)
    return Row(key, words, "share", ratio.value, float(ratio.part), ratio.whole)


def _by_cause(key: str, words: str, counts: Mapping[str, int]) -> Iterator[Row]:
    for cause, count in counts.items():
        yield Row(f"{key}_{cause}", f"… {words}: {cause.replace('_', ' ')}", "", count)


@dataclass(frozen=True, slots=True)
class ScaleShown:
    """How many tickets may be in work, and why not more."""

    step: int
    raised: bool
    because: tuple[str, ...]


def headline(this: Metrics, scale: ScaleShown, language: Language = "en") -> str:
    """The verdict and what follows from it, in one line."""
    words = REPORT_TEXTS[language]
    return words["headline"].format(
        week=this.week,
        merged=this.completed,
        ended=this.ended,
        open=this.review_wait.open,
        step=scale.step,
        change=words["raised" if scale.raised else "not_raised"],
    )


def report_text(this: Metrics, before: Metrics, scale: ScaleShown, language: Language = "en") -> str:
    """Markdown for a comment: the verdict, why not more agents, and all numbers beside those of the week before."""
    reasons = [f"- {reason}" for reason in scale.because]
    why = ["", f"{REPORT_TEXTS[language]['because']}:", *reasons] if reasons else []
    return "\n".join([f"**{headline(this, scale, language)}**", *why, "", *_table(this, before, language)])


def _table(this: Metrics, before: Metrics, language: Language) -> Iterator[str]:
    earlier = {row.key: row.shown_in(language) for row in rows(before)}
    yield f"| | {this.week} | {before.week} |"
    yield "|---|--:|--:|"
    for row in rows(this):
        yield f"| {row.named_in(language)} | {row.shown_in(language)} | {earlier.get(row.key, '0')} |"


CSV_HEAD = ("week", "metric", "value", "part", "whole", "unit")


def csv_rows(metrics: Metrics) -> Iterator[tuple[object, ...]]:
    """A spreadsheet's rows under `CSV_HEAD`; what is not there is empty."""
    for row in rows(metrics):
        yield metrics.week, row.key, row.plain, row.part, row.whole, row.unit


def report_record(metrics: Metrics) -> dict[str, Any]:
    """For JSON: `value` is null for n/a and where nothing is recorded."""
    return {
        row.key: {
            "value": row.value,
            "unit": row.unit,
            "recorded": row.recorded,
            **({} if row.whole is None else {"part": row.part, "whole": row.whole}),
        }
        for row in rows(metrics)
    }
