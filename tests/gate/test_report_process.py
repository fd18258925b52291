"""Archives are opened apart: nothing of this process's environment goes along, and what goes wrong is never green."""

from __future__ import annotations

import pytest

from app.gate import report_process
from app.gate.report_process import read_archives
from checks.paths import PathPatterns
from checks.snapshot import Unread
from tests.checks.reports.test_artifacts import junit
from tests.checks.test_archives import packed

pytestmark = pytest.mark.anyio

FILES = PathPatterns(["*.xml", "!no/"])
GREEN = packed(("junit.xml", junit("a", "b")))


async def test_reports_come_back_by_artifact() -> None:
    read = await read_archives([("unit", GREEN), ("logs", packed(("x.txt", b""))), ("Ünit", GREEN)], FILES)
    assert isinstance(read, tuple)
    assert [(one.name, one.passed, one.repeated, one.tests) for one in read] == [
        ("unit", 2, 0, ("a", "b")),
        ("Ünit", 2, 2, ("a", "b")),
    ]


async def test_why_there_is_none_comes_back_too() -> None:
    assert await read_archives([("unit", b"no zip")], FILES) == Unread(
        "artifact unit: the archive is broken: File is not a zip file"
    )
    assert await read_archives([], FILES) == ()


SILENT = Unread("its test reports could not be read within the limits of time and memory")


@pytest.mark.parametrize(
    "child",
    ["import os; os._exit(3)", "import time; time.sleep(60)", "print('{}')", "print('null')", "print('[{}]')", "1/0"],
)
async def test_a_child_that_dies_stalls_or_lies_makes_the_reports_unreadable(
    monkeypatch: pytest.MonkeyPatch, child: str
) -> None:
    monkeypatch.setattr(report_process, "CHILD", child)
    monkeypatch.setattr(report_process, "TIME_LIMIT", 2.0)
    assert await read_archives([("unit", GREEN)], FILES) == SILENT


async def test_a_child_keeps_to_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = report_process.CHILD.replace(str(report_process.MEMORY_LIMIT), str(40 * 1024**2))
    monkeypatch.setattr(report_process, "CHILD", greedy)
    large = packed(("junit.xml", b"<testsuite>" + b" " * 15_000_000 + b"</testsuite>"), method=0)
    assert await read_archives([("unit", large)], FILES) == SILENT


async def test_the_child_has_no_credential_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child answers with a report only where it sees the variable; so a readable answer would mean a leak."""
    monkeypatch.setenv("MERGEGATE_PRIVATE_KEY", "secret")
    tells = f"import os; 'MERGEGATE_PRIVATE_KEY' in os.environ or os._exit(1); {report_process.CHILD}"
    monkeypatch.setattr(report_process, "CHILD", tells)
    assert await read_archives([("unit", GREEN)], FILES) == SILENT
