"""The audit log as a report: what landed, who made it, who approved it, what it rests on, and what went past the rules.
Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from app.store.audit import Recorded
from checks.branches import BRANCHES

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Report:
    """`merges` and `bypasses` as JSON objects, oldest first. A merge that was a bypass is in both."""

    merges: tuple[Json, ...]
    bypasses: tuple[Json, ...]

    @property
    def overridden(self) -> int:
        return sum(one["override"] is not None for one in self.merges)

    @property
    def alarms(self) -> int:
        return sum(one["alarm"] is not None for one in self.merges)


def report_of(records: Iterable[Recorded]) -> Report:
    merges, bypasses = [], []
    for record in records:
        if record.entry.kind == "landing":
            merges.append(_row(record))
        elif record.entry.kind == "bypass":
            bypasses.append(_row(record))
    return Report(tuple(merges), tuple(bypasses))


def _row(record: Recorded) -> Json:
    return {"record": record.seq, "at": record.recorded_at.isoformat(timespec="seconds"), **record.entry.data}


def headline(report: Report, since: str | None) -> str:
    span = f"since {since}" if since else "in the whole log"
    counts = [
        _count(len(report.merges), "merge"),
        f"{report.overridden} by override",
        _count(len(report.bypasses), "bypass", "bypasses"),
        _count(report.alarms, "alarm"),
    ]
    return f"{', '.join(counts)} {span}."


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def merge_lines(merge: Json) -> Iterator[str]:
    """What people read of one merge; the first line says what it was."""
    yield f"{merge['repository']}#{merge['pull']} {merge['sha'][:12]} on {_branch(merge['ref'])}, {merge['at']}"
    by = merge["agent"] or merge["author"] or "not known"
    answers = f", for whom {merge['operator']} answers" if merge["operator"] else ""
    yield f"made by {by}{answers}; merged by {merge['by'] or 'not known'}"
    yield f"{merge['kind']}, risk {merge['risk']}; approved by {', '.join(merge['approvers']) or 'nobody'}"
    evidence = merge["evidence"]
    yield f"policy {merge['policy']}; bundle {evidence['bundle'] or 'none'}; ticket {evidence['ticket'] or 'none'}"
    for run in evidence["runs"]:
        for file in run["files"]:
            yield f"{run['url']} attempt {run['attempt']}: {file['name']} {file['digest']}"
    if merge["override"] is not None:
        yield f"OVERRIDE by {merge['override']['by']}: {merge['override']['reason']}"
    if merge["bypass"]:
        yield "BYPASS of the branch's rules"
    if merge["alarm"] is not None:
        yield f"ALARM {merge['alarm']}"


def bypass_line(bypass: Json) -> str:
    pull = f"#{bypass['pull']}" if bypass.get("pull") else ""
    where = f"{bypass['repository']}{pull} {bypass['sha'][:12]} on {_branch(bypass['ref'])}"
    return f"{where}, {bypass['at']}: {bypass['how']}, by {bypass['by'] or 'not known'}"


def _branch(ref: str) -> str:
    return ref.removeprefix(BRANCHES)
