"""The week's numbers as a page: golden files, and who gets to see them."""

from __future__ import annotations

import csv
from datetime import UTC
from pathlib import Path

import pytest

from app.tickets.reporting import read_report, read_weeks
from app.web.pages import FOLDER, Pages
from app.web.report_page import csv_text, shown
from policies.tickets.report import ScaleShown
from policies.tickets.week import week_of
from policies.tickets.words import Language
from tests.policies.tickets.weeks import weeks_of
from tests.tickets.conftest import at_desk
from tests.tickets.desk import Desk
from tests.web.browser import Browser, web_of
from tests.web.golden_page import assert_golden
from tests.web.painting import KEPT, needs_chromium, painted

__all__ = ["at_desk"]

REPORT = "/acme/shop/report"
PAGES = Pages()
KEPT_AT_FIVE = ScaleShown(5, raised=False, because=("attempts ended by a limit: 12 of 40, more than 10%", "<b>`x`</b>"))


def page(count: int, language: Language = "en") -> str:
    values = shown(weeks_of(count), KEPT_AT_FIVE, "/acme/shop", language)
    return bytes(PAGES.page("report.html", earlier="2026-W47", later="2026-W49", **values).body).decode()


@pytest.mark.parametrize("count", [0, 1, 30, 1_000])
def test_the_page_reads_as_its_golden_file(count: int) -> None:
    assert_golden(f"report-{count}", page(count))


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_the_other_languages_read_as_their_golden_file(language: Language) -> None:
    assert_golden(f"report-30-{language}", page(30, language))


def test_the_verdict_comes_first_then_why_not_more() -> None:
    text = page(30)
    assert text.index("<h1>2026-W48: ") < text.index("attempts ended by a limit: 12 of 40") < text.index("<svg")
    assert "&lt;b&gt;<code>x</code>&lt;/b&gt;" in text
    assert "<desc" in text
    assert "style=" not in text


def test_a_spreadsheet_has_every_week() -> None:
    rows = list(csv.DictReader(csv_text(weeks_of(30)).splitlines()))
    merged = {row["week"]: int(row["value"]) for row in rows if row["metric"] == "completed"}
    assert list(merged) == [f"2026-W{week}" for week in range(37, 49)]
    assert sum(merged.values()) == 15


@pytest.mark.anyio
async def test_only_who_may_read_the_repository_sees_its_numbers(at_desk: Desk) -> None:
    at_desk.shop.private = True
    await at_desk.stage.run_to_rest()
    web = web_of(at_desk.stage)
    async with Browser(at_desk.stage, web, "eve") as eve:
        answer = await eve.open(REPORT)
        again = await eve.get(REPORT, headers={"if-none-match": answer.headers["etag"]})
        sheet = await eve.get(f"{REPORT}.csv?week=2026-W40")
        wrong = [await eve.get(f"{REPORT}?week={week}") for week in ("2026-W60", "x" * 900, "2999-W01", "2026-48")]
    assert answer.status_code == 200
    assert "0 merged of 0 that ended" in answer.text
    assert answer.headers["cache-control"] == "private, no-store"
    assert again.status_code == 304
    assert sheet.headers["content-disposition"] == 'attachment; filename="shop-2026-W40.csv"'
    assert sheet.text.splitlines()[0] == "week,metric,value,part,whole,unit"
    assert [one.status_code for one in wrong] == [422] * 4
    at_desk.stage.github.user("mallory")
    async with Browser(at_desk.stage, web, "mallory") as mallory:
        refused = [await mallory.open(path) for path in (REPORT, f"{REPORT}.csv", "/acme/none/report")]
    assert {one.status_code for one in refused} == {404}
    assert len({one.content for one in refused}) == 1


@pytest.mark.anyio
async def test_twelve_weeks_hold_the_same_numbers_as_one(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    await at_desk.write(number, "/accept")
    await at_desk.write(number, "/stop now")
    await at_desk.stage.run_to_rest()
    now = at_desk.stage.gate.now()
    week = week_of(now, UTC)
    async with at_desk.stage.gate.database.transaction() as connection:
        weeks, _ = await read_weeks(connection, at_desk.shop.id, week, 12, now)
        alone = [await read_report(connection, at_desk.shop.id, each, now) for each in (week, week.before(4))]
    assert [weeks[-1], weeks[-2], weeks[-5]] == [alone[0].this, alone[0].before, alone[1].this]
    assert weeks[-1].ended == 1


@needs_chromium
@pytest.mark.anyio
@pytest.mark.parametrize("width", [360, *([1280] if KEPT else [])])
@pytest.mark.parametrize("count", [1_000, *([0, 1, 30] if KEPT else [])])
async def test_nothing_is_wider_than_the_screen(count: int, width: int, tmp_path: Path) -> None:
    style = (FOLDER / "style.css").read_bytes()
    language: Language = "ja" if count == 30 else "en"
    picture, title = await painted(page(count, language), style, width, tmp_path / str(width))
    if KEPT:
        (Path(KEPT) / f"report-{count}-{width}.png").write_bytes(picture)
    assert title == "fits"
