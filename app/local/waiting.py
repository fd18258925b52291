"""What an agent should do next, read from the gate's check runs on a pull request. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from policies.escape import clean

EVIDENCE, REVIEW = "mergegate/evidence", "mergegate/review"
LONGEST_TEXT = 70_000  # characters of a check run's text; GitHub allows 65,535 bytes
# What only time or a person can do; every other action is the author's.
_NOT_THE_AUTHORS = ("wait", "ask-person")


class Next(IntEnum):
    """Also the exit code of `mergegate wait`."""

    GREEN = 0
    FIX = 1
    PERSON = 3


@dataclass(frozen=True, slots=True)
class Shown:
    """A check run as GitHub shows it. `text` holds the machine-readable block."""

    id: int
    name: str
    status: str
    conclusion: str | None
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Advice:
    """`findings` are those of the machine-readable block that are open, as the gate wrote them."""

    next: Next
    words: str
    findings: tuple[Mapping[str, Any], ...] = ()


def advise(runs: Sequence[Shown]) -> Advice | None:
    """What to do, or None while only time can tell. Of several runs of one name the newest speaks."""
    evidence, review = _newest(runs, EVIDENCE), _newest(runs, REVIEW)
    if evidence is None or review is None:
        return None
    both = (evidence, review)
    found = tuple(finding for run in both if run.conclusion != "success" for finding in _open_findings(run.text))
    todo = tuple(finding for finding in found if _action(finding) not in _NOT_THE_AUTHORS)
    failed = [run for run in both if run.status == "completed" and run.conclusion != "success"]
    if failed or todo:
        return Advice(Next.FIX, _words(failed or both), todo or found)
    if all(run.conclusion == "success" for run in both):
        return Advice(Next.GREEN, "Both checks passed.")
    if any(_action(finding) == "wait" for finding in found) or not found:
        return None
    return Advice(Next.PERSON, _words([run for run in both if run.conclusion != "success"]), found)


def _newest(runs: Sequence[Shown], name: str) -> Shown | None:
    return max((run for run in runs if run.name == name), key=lambda run: run.id, default=None)


def _words(runs: Sequence[Shown]) -> str:
    return " ".join(clean(f"{run.name}: {run.title}.", 200) for run in runs)


def _action(finding: Mapping[str, Any]) -> str:
    fix = finding.get("fix")
    return str(fix.get("action")) if isinstance(fix, Mapping) else "wait"


def _open_findings(text: str) -> list[Mapping[str, Any]]:
    """Failed, pending and errored findings of the JSON block; none where there is no such block."""
    start, end = text.find("```json\n"), text.rfind("\n```")
    if start < 0 or end < start or len(text) > LONGEST_TEXT:
        return []
    try:
        said = json.loads(text[start + len("```json\n") : end])
    except (ValueError, RecursionError):
        return []
    findings = said.get("findings") if isinstance(said, dict) else None
    listed = findings if isinstance(findings, list) else []
    return [
        each for each in listed if isinstance(each, dict) and each.get("status") in ("failed", "pending", "errored")
    ]
