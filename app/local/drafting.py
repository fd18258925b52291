"""A bundle made from what is known: records of commands, the difference, the policy, the ticket.

What nobody but the author can know (why, known risks, the way back where a revert is not enough) is asked for, and
nothing else is. What would go stale with the next push is left out unless the policy wants it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import re2
import yaml

from app.local.records import Record, fresh
from checks.areas import AREAS
from checks.bundle import Bundle, read_given
from checks.claims import is_given
from checks.diff import Diff
from checks.snapshot import Risk, Snapshot
from checks.tampering.alteration import Analysis
from policies.load import PolicyState
from policies.verdict import Verdict

LOSING = frozenset({"migration", "data-deletion"})  # areas where a revert alone does not bring everything back
_BACKTICKS = re2.compile("`+")
WIDTH = 100  # columns of the YAML
REVERT = "git revert -m 1 of this pull request's merge commit"


@dataclass(frozen=True, slots=True)
class Given:
    """What the author says. None: not said."""

    reason: str | None = None
    known_risks: tuple[str, ...] | None = None
    risk: str | None = None
    strategy: str | None = None
    steps: tuple[str, ...] = ()
    data_loss: bool | None = None
    tested: bool | None = None
    preview: str | None = None
    producer: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Something that must be asked for: the bundle's field, the words, and the option that answers it."""

    field: str
    words: str
    option: str


@dataclass(frozen=True, slots=True)
class Known:
    """What the clone tells: a snapshot without a bundle, its verdict, the policy, the records."""

    state: PolicyState
    snapshot: Snapshot
    verdict: Verdict
    records: tuple[Record, ...]

    @property
    def required(self) -> tuple[str, ...]:
        return self.state.policy.bundle.required

    @property
    def fresh_records(self) -> tuple[Record, ...]:
        return fresh(self.records, self.snapshot.head.tree or "")

    @property
    def revert_is_enough(self) -> bool:
        return self.verdict.risk < Risk.HIGH and not LOSING & set(self.verdict.areas)


def questions(known: Known, given: Given) -> Iterator[Question]:
    """What must be answered before the bundle is complete by the policy."""
    if given.reason is None:
        yield Question("reason", "Why is this change made?", "--reason TEXT")
    if given.known_risks is None:
        yield Question("risk.known", "Which risks are known? (nothing: none)", "--known-risk TEXT or --no-known-risk")
    if given.strategy is None and not known.revert_is_enough:
        yield Question("rollback", "How is it taken back? (a step)", "--rollback-step TEXT, --rollback-strategy WORD")
    if LOSING & set(known.verdict.areas) and given.data_loss is None:
        yield Question("rollback.data_loss", "Does going back lose data? (yes or no)", "--data-loss or --no-data-loss")
    if "preview" in known.required and given.preview is None:
        yield Question("preview", "Where can it be seen? (https address)", "--preview URL")
    if "producer" in known.required and given.producer is None:
        yield Question("producer", "Which agent made it?", "--agent NAME")
    if "commands" in known.required and not known.fresh_records:
        yield Question("commands", "No recorded command ran on exactly these files.", "mergegate run -- COMMAND")


def draft(known: Known, given: Given) -> dict[str, Any]:
    """The bundle's short form, as YAML writes it."""
    snapshot, required = known.snapshot, known.required
    bundle: dict[str, Any] = {}
    if "head" in required:
        bundle["head"] = snapshot.head.sha
    if "tree" in required:
        bundle["tree"] = snapshot.head.tree
    bundle["reason"] = given.reason
    bundle["commands"] = [_command(record) for record in known.fresh_records]
    if "changed_files" in required and isinstance(snapshot.diff, Diff):
        bundle["changed_files"] = [file.path for file in snapshot.diff.files]
    tests = _tests(snapshot.analysis)
    if tests or "tests" in required:
        bundle["tests"] = tests or {"added": 0}
    bundle["risk"] = _risk(known, given)
    bundle["rollback"] = _rollback(known, given)
    if given.preview is not None:
        bundle["preview"] = given.preview
    if given.producer is not None:
        bundle["producer"] = {"agent": given.producer}
    return {name: value for name, value in bundle.items() if value not in (None, [])}


def _command(record: Record) -> dict[str, Any]:
    return {
        "command": record.command[:1024],
        "exit_code": record.exit_code,
        "where": "local",
        "tree": record.tree_before,
        "started_at": record.started_at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "output": record.output,
    }


def _tests(analysis: object) -> dict[str, list[str]]:
    """Tests that are gone or skipped now, which must be declared."""
    if not isinstance(analysis, Analysis):
        return {}
    found: dict[str, list[str]] = {}
    for kind, field in (("test-removed", "removed"), ("test-skipped", "skipped")):
        names = [one.subject for one in analysis.alterations if one.kind == kind and one.subject]
        if names:
            found[field] = names[:5_000]
    return found


def _risk(known: Known, given: Given) -> dict[str, Any]:
    """At least what the facts say; the author's own word may raise it."""
    level = max([known.verdict.risk, *([Risk[given.risk.upper()]] if given.risk else [])])
    areas = [area for area in known.verdict.areas if area in AREAS]  # the bundle knows no area of a policy's own
    return {"level": level.word, "areas": areas, "known": list(given.known_risks or ())}


def _rollback(known: Known, given: Given) -> dict[str, Any]:
    strategy = given.strategy or ("revert" if known.revert_is_enough and not given.steps else "manual")
    steps = list(given.steps) or ([REVERT] if strategy == "revert" else [])
    rollback: dict[str, Any] = {"strategy": strategy, "steps": steps}
    if given.data_loss is not None:
        rollback["data_loss"] = given.data_loss
    if given.tested is not None:
        rollback["tested"] = given.tested
    return rollback


def block(bundle: dict[str, Any]) -> str:
    """The fenced block for the pull request's body."""
    text = yaml.safe_dump(bundle, sort_keys=False, allow_unicode=True, width=WIDTH)
    fence = "`" * max(3, 1 + max((len(run) for run in _BACKTICKS.findall(text)), default=0))
    return f"{fence}mergegate\n{text}{fence}\n"


def faults(text: str, required: Sequence[str]) -> list[str]:
    """Why the gate would not take this block; nothing where it would."""
    reading = read_given(text)
    if reading.bundle is None:
        return [str(fault) for fault in reading.faults]
    return [f"it leaves out {field}" for field in _missing(reading.bundle, required)]


def _missing(bundle: Bundle, required: Sequence[str]) -> list[str]:
    return [field for field in required if not is_given(bundle, field)]
