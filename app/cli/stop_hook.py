"""`mergegate stop-hook`: what a coding agent's own hook runs before the agent says that it is done.

The agents' hooks hand over a JSON object on standard input and read one from standard output: Claude Code, Codex and
VS Code know `{"decision": "block", "reason": …}` and set `stop_hook_active` once they were held back; Cursor knows
`{"followup_message": …}`. Sources: the vendors' pages on hooks, listed in deploy/README.md.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.printing import print_json
from app.local.clone import CannotLook
from app.local.judge import Request, judge
from app.local.work import finish
from checks.finding import Finding, Status
from policies.escape import clean

LARGEST_EVENT = 1024 * 1024  # bytes
MOST_FINDINGS = 10


class Harness(StrEnum):
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    COPILOT = "copilot"
    CURSOR = "cursor"


def stop_hook(
    harness: Annotated[Harness, typer.Option("--for", help="Whose hook it is.")] = Harness.CLAUDE_CODE,
    base: Annotated[str, typer.Option("--base", metavar="REV", help="The target branch's tip.")] = "origin/HEAD",
) -> None:
    """Hold an agent back once while `mergegate check` finds something wrong with what it committed.

    Always ends with exit code 0; whatever cannot be looked at holds nobody back, because the gate itself looks again.
    """
    event = _event()
    held = bool(event.get("stop_hook_active")) or int(event.get("loop_count") or 0) > 0
    words = None if held else _wrong(Path(str(event.get("cwd") or ".")), base)
    print_json(_answer(harness, words))


def _event() -> dict[str, Any]:
    try:
        said = json.loads(sys.stdin.buffer.read(LARGEST_EVENT))
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _wrong(folder: Path, base: str) -> str | None:
    request = Request(repository=folder, base=base, head="HEAD", now=datetime.now(UTC))
    try:
        verdict = finish(judge(request))
    except CannotLook as wrong:
        typer.echo(f"mergegate: {wrong}", err=True)
        return None
    failed = [finding for finding in verdict.findings if finding.status is Status.FAILED]
    if not failed:
        return None
    lines = [_line(finding) for finding in failed[:MOST_FINDINGS]]
    return "The merge gate will refuse this change:\n" + "\n".join(lines)


def _line(finding: Finding) -> str:
    fix = f" Fix: {finding.fix.text}" if finding.fix else ""
    return clean(f"- {finding.check}: {finding.reason}{fix}", 1_000)


def _answer(harness: Harness, words: str | None) -> dict[str, str]:
    if words is None:
        return {}
    if harness is Harness.CURSOR:
        return {"followup_message": words}
    return {"decision": "block", "reason": words}
