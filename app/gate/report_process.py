"""Archives of artifacts are opened in a process of their own, as raw logs are read. The child is `report_child`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import TypeAdapter

from app.gate.child import run_child
from app.gate.child_answers import ChildAnswers
from app.gate.child_request import Child
from app.gate.frames import frames
from checks.paths import PathPatterns
from checks.reports.report import TestReport
from checks.unread import Unread

MEMORY_LIMIT = 2 * 1024**3  # bytes of address space
TIME_LIMIT = 60.0  # seconds for the reports of one run
CHILD = Child("app.gate.report_child:serve", MEMORY_LIMIT, TIME_LIMIT)
Reports = tuple[TestReport, ...] | Unread
REPORTS: TypeAdapter[Reports] = TypeAdapter(Reports)
ANSWERS = ChildAnswers(REPORTS)


async def read_archives(archives: Sequence[tuple[str, bytes]], files: PathPatterns) -> Reports:
    """One report for every archive (artifact's name, zip) in which files match `files`; Unread if one is unreadable."""
    wanted = json.dumps({"files": files.patterns, "names": [name for name, _ in archives]}).encode()
    return _read(await run_child(CHILD, frames((wanted, *(data for _, data in archives)))))


def _read(answer: bytes) -> Reports:
    try:
        return ANSWERS.read_with_any_text(answer)
    except (ValueError, RecursionError):
        return Unread("its test reports could not be read within the limits of time and memory")
