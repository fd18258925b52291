"""A verdict in words: the check runs' title, summary, text and annotations, and a plain tree for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_core import to_json

from checks.branches import BRANCHES
from checks.finding import Evidence, Finding, Status
from checks.snapshot import Snapshot
from policies.escape import clean, code, inert, link
from policies.fit import LIMIT, fitted, size
from policies.statement import test_result
from policies.titles import group_title, title
from policies.verdict import GroupVerdict, Node, Run, Verdict
from policies.wanted import wanted

Level = Literal["failure", "warning", "notice"]

# https://docs.github.com/en/rest/checks/runs: 65,535 for summary and text, which GitHub counts in bytes, and at most
# 50 annotations in one request.
MOST_ANNOTATIONS = 50
_BLOCKS_LIMIT = 24_000  # bytes of the first screen's list, so that the tree below it keeps room
_DEEPEST = 8  # blanks before a line of the tree; GitHub shows no more levels on a phone
_SIGNS = {
    Status.PASSED: "✅",
    Status.FAILED: "❌",
    Status.PENDING: "⏳",
    Status.ERRORED: "❗",
    Status.SKIPPED: "➖",
}
_BLOCKING = (Status.FAILED, Status.ERRORED, Status.PENDING)


@dataclass(frozen=True, slots=True)
class Annotation:
    path: str
    start_line: int
    end_line: int
    level: Level
    message: str


@dataclass(frozen=True, slots=True)
class Output:
    """A check run's `output`. Title at most 80 characters; summary and text at most 65,535 bytes of UTF-8 each."""

    title: str
    summary: str
    text: str
    annotations: tuple[Annotation, ...] = ()


def explain(verdict: Verdict, snapshot: Snapshot, run: Run) -> Output:
    """The output of the check run `mergegate/…`. The same verdict always gives the same words."""
    root = verdict.root(run)
    facts = {
        "check": f"mergegate/{run}",
        "status": root.status.value,
        "head": verdict.head_sha,
        "risk": verdict.risk.word,
        "areas": list(verdict.areas),
        "key": verdict.key,
    }
    return Output(
        title=title(verdict, run),
        summary=_summary(title(verdict, run), root, _footer(verdict, snapshot, run)),
        text=_machine_text(facts, root.findings, None if run == "review" else test_result(verdict)),
        annotations=_annotations(root.findings),
    )


def explain_group(verdict: GroupVerdict, run: Literal["evidence", "review"]) -> Output:
    """The same for a merge group's head."""
    root = verdict.evidence if run == "evidence" else verdict.review
    facts = {"check": f"mergegate/{run}", "status": root.status.value, "head": verdict.head_sha}
    footer = f"Merge group {code(verdict.head_sha)} for {code(_branch(verdict.target_ref))}."
    return Output(
        title=group_title(root),
        summary=_summary(group_title(root), root, footer),
        text=_machine_text(facts, root.findings),
    )


def explain_finding(title: str, finding: Finding, facts: dict[str, Any], footer: str) -> Output:
    """The output of a check run that rests on one finding; `facts` are shown to programs beside it."""
    next_step = f"\n\nNext: {inert(finding.fix.text)}" if finding.fix is not None else ""
    verdict = f"{_SIGNS[finding.status]} **{finding.status.value.capitalize()}.** {inert(finding.reason)}"
    summary = f"{verdict}{next_step}\n\nWanted: {wanted(finding.check)}\n\n{footer}\n"
    return Output(title, summary, _machine_text(facts, (finding,)))


def blocking(root: Node) -> tuple[Finding, ...]:
    """What keeps the check from passing, the most urgent first; nothing where a person has overridden it."""
    if root.status is Status.PASSED:
        return ()
    return tuple(finding for status in _BLOCKING for finding in root.findings if finding.status is status)


def _summary(words: str, root: Node, footer: str) -> str:
    items = [_block(finding) for finding in blocking(root)]
    blocks = fitted("### What blocks", items, _BLOCKS_LIMIT) + "\n\n" if items else ""
    top = f"{_opening(words, root, len(items))}\n\n{blocks}"
    tail = f"\n\n{footer}\n"
    return top + fitted("### Result", list(_lines(root)), LIMIT - size(top) - size(tail)) + tail


def _opening(words: str, root: Node, blocked: int) -> str:
    said = f"Blocked by {blocked} of {len(root.findings)} findings." if blocked else inert(words)
    return f"{_SIGNS[root.status]} **{root.status.value.capitalize()}.** {said}"


def _block(finding: Finding) -> str:
    lines = [
        f"- **{inert(finding.check, 80)}** ({finding.status.value})",
        f"  - Wanted: {wanted(finding.check)}",
        f"  - Now: {inert(finding.reason)}",
    ]
    if finding.fix is not None:
        lines.append(f"  - Fix: {inert(finding.fix.text)}")
    return "\n".join(lines)


def _lines(root: Node) -> Iterator[str]:
    for node in root.children:
        heading = f"- {_SIGNS[node.status]} **{inert(node.name, 80)}**"
        if len(node.children) == 1 and not node.children[0].children:
            yield f"{heading}: {_said(node.children[0])}"
            continue
        yield heading if node.children else f"{heading}: {_said(node)}"
        yield from _below(node, "  ")


def _below(node: Node, indent: str) -> Iterator[str]:
    for child in node.children:
        yield f"{indent}- {_SIGNS[child.status]} {_said(child)}"
        if len(indent) < _DEEPEST:
            yield from _below(child, f"{indent}  ")


def _said(node: Node) -> str:
    return f"{inert(node.reason)}{_evidence(node.finding)}"


def _evidence(finding: Finding | None) -> str:
    if finding is None or not finding.evidence:
        return ""
    links = [link(_label(evidence), evidence.url) for evidence in finding.evidence[:5]]
    more = len(finding.evidence) - len(links)
    return f" ({', '.join(links)}{f' and {more} more' if more else ''})"


def _label(evidence: Evidence) -> str:
    label = evidence.label.replace("`", "")  # all of it becomes code
    if evidence.path:
        return f"{label} {evidence.path}" + (f":{evidence.start_line}" if evidence.start_line else "")
    return f"{label} {evidence.digest[:19]}" if evidence.digest else label


def _footer(verdict: Verdict, snapshot: Snapshot, run: Run) -> str:
    areas = f", {', '.join(code(area) for area in verdict.areas)}" if verdict.areas else ""
    words = (
        f"Judged: {code(verdict.head_sha)} into {code(_branch(verdict.target_ref))},",
        f"{verdict.risk.word} risk{areas}, policy {code(verdict.policy_digest[:19])}.",
    )
    stack = snapshot.stack
    note = f" Layer {stack.position} of {stack.size} in a stack." if stack else ""
    # Whoever is asked to approve should see why without looking elsewhere.
    why = next((node.reason for node in verdict.evidence.children if node.name == "risk" and run == "review"), "")
    return (
        " ".join(words)
        + note
        + (f"\n\n{inert(why)}" if why else "")
        + _how_to_approve(verdict, run)
        + _how_to_override(verdict, run)
    )


def _how_to_approve(verdict: Verdict, run: Run) -> str:
    if run != "evidence" and verdict.needed and verdict.reads_code:
        areas = ", ".join(map(code, verdict.reads_code))
        return f"\n\nApprove with a review of the code: a change of {areas} asks for it, and no comment does."
    if run == "evidence" or verdict.code is None:
        return ""
    return f"\n\nApprove with a review, or with a comment whose first line is {code(f'/approve {verdict.code}')}."


def _how_to_override(verdict: Verdict, run: Run) -> str:
    if not verdict.override_by or verdict.root(run).status is Status.PASSED:
        return ""
    command = code(f"/override {verdict.head_sha[:12]} REASON")
    return f"\n\nIn spite of it, by a comment whose first line is {command}: {inert(verdict.override_by)}."


def _branch(ref: str) -> str:
    return ref.removeprefix(BRANCHES)


def _machine_text(
    facts: dict[str, Any], findings: Sequence[Finding], statement: Mapping[str, Any] | None = None
) -> str:
    """A JSON block for programs: `facts`, `test_result` and `findings[]`; `omitted` counts those that had no room.

    Where there is no room for all, the statement is left out first: `mergegate explain` gives it whole.
    """
    shown = [finding_record(finding) for finding in sorted(findings, key=_urgency)]
    if statement is not None:
        text = _json_block({**facts, "test_result": statement, "findings": shown, "omitted": 0})
        if size(text) <= LIMIT:
            return text
        facts = {**facts, "test_result": None, "test_result_omitted": True}
    while size(text := _json_block({**facts, "findings": shown, "omitted": len(findings) - len(shown)})) > LIMIT:
        shown = shown[: len(shown) * 3 // 4]
    return text


def _urgency(finding: Finding) -> int:
    return (*_BLOCKING, Status.PASSED, Status.SKIPPED).index(finding.status)


def finding_record(finding: Finding) -> dict[str, Any]:
    """A finding for programs: `check`, `status`, `reason`, `needs_person` and `fix` (`action`, `text`, `field`)."""
    fix = finding.fix
    return {
        "check": clean(finding.check, 200),
        "status": finding.status.value,
        "reason": clean(finding.reason, 1_000),
        "needs_person": finding.needs_person,
        "fix": fix and {"action": clean(fix.action, 100), "text": clean(fix.text, 1_000), "field": _cleaned(fix.field)},
    }


def _cleaned(field: str | None) -> str | None:
    return None if field is None else clean(field, 200)


def _json_block(value: dict[str, Any]) -> str:
    # Only a line of nothing but backticks ends the block, and every line of JSON has a bracket or a quotation mark.
    # Not json.dumps: where it indents, it is Python, and leaves ninety objects in circles behind.
    return "```json\n" + to_json(value, indent=2).decode() + "\n```\n"


def _annotations(findings: Sequence[Finding]) -> tuple[Annotation, ...]:
    found = (
        _annotation(finding, evidence)
        for finding in sorted(findings, key=_urgency)
        if finding.status in _BLOCKING
        for evidence in finding.evidence
    )
    return tuple(dict.fromkeys(annotation for annotation in found if annotation))[:MOST_ANNOTATIONS]


def _annotation(finding: Finding, evidence: Evidence) -> Annotation | None:
    """A note at the lines concerned; none for a path that could not be shown as it is."""
    if evidence.path is None or clean(evidence.path, 1_000) != evidence.path:
        return None
    start = max(evidence.start_line or 1, 1)
    end = max(evidence.end_line or start, start)
    level: Level = "failure" if finding.status is Status.FAILED else "warning"
    fix = f" {finding.fix.text}" if finding.fix else ""
    return Annotation(evidence.path, start, end, level, clean(f"{finding.reason}{fix}", 1_000))
