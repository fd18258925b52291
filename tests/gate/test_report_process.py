"""Archives are opened apart: nothing of this process's environment goes along, and what goes wrong is never green."""

from __future__ import annotations

import pytest

from app.gate import report_process
from app.gate.report_process import read_archives
from checks.paths import PathPatterns
from checks.unread import Unread
from tests.checks.reports.test_artifacts import junit
from tests.checks.test_archives import packed
from tests.gate.hostile import hostile

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
    ["dies", "crashes", "raises", "stalls", "loops", "answers_an_object", "answers_null", "answers_a_list"],
)
async def test_a_child_that_dies_stalls_or_lies_makes_the_reports_unreadable(
    monkeypatch: pytest.MonkeyPatch, child: str
) -> None:
    monkeypatch.setattr(report_process, "CHILD", hostile(child, seconds=0.5))
    assert await read_archives([("unit", GREEN)], FILES) == SILENT


async def test_a_child_keeps_to_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_process, "CHILD", report_process.CHILD._replace(memory=40 * 1024**2))
    large = packed(("junit.xml", b"<testsuite>" + b" " * 15_000_000 + b"</testsuite>"), method=0)
    assert await read_archives([("unit", large)], FILES) == SILENT
