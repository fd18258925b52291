"""The week's numbers of a repository's tickets as a page with plots, and as rows for spreadsheets."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response

from app.github.errors import GitHubError
from app.store.database import Database
from app.store.repositories import Repository
from app.tickets.parts import Place
from app.tickets.reporting import read_weeks
from app.web.conditional import conditional
from app.web.entrance import Entrance, Visit
from app.web.pages import HEADERS
from app.web.recent import Recent
from policies.tickets.metrics import Metrics
from policies.tickets.page_texts import PAGE_TEXTS
from policies.tickets.plot import HEIGHT, WIDTH, plots
from policies.tickets.report import CSV_HEAD, ScaleShown, csv_rows, headline
from policies.tickets.report_texts import REPORT_TEXTS
from policies.tickets.week import Week, read_week, week_of
from policies.tickets.words import Language

WEEKS = 12
REMEMBERED = timedelta(minutes=1)
Weeks = tuple[tuple[Metrics, ...], ScaleShown]


class ReportPage:
    """The weeks are those of UTC, as the scale rule's."""

    def __init__(
        self,
        database: Database,
        entrance: Entrance,
        now: Callable[[], datetime],
        place_of: Callable[[Repository], Awaitable[Place | None]],
    ) -> None:
        self._database = database
        self._place_of = place_of
        self._entrance = entrance
        self._pages = entrance.pages
        self._now = now
        # Counting takes a processor's half second for a thousand tickets: one at a time, and few wait.
        self._recent = Recent[Weeks](REMEMBERED, now, at_once=1, most=20)

    def router(self) -> APIRouter:
        router, methods = APIRouter(), ["GET", "HEAD"]
        router.add_api_route("/{owner}/{name}/report", self._show, methods=methods, response_class=Response)
        router.add_api_route("/{owner}/{name}/report.csv", self._rows, methods=methods, response_class=Response)
        return router

    async def _show(
        self, request: Request, owner: str = Path(max_length=100), name: str = Path(max_length=100)
    ) -> Response:
        return await self._answer(request, owner, name, self._page)

    async def _rows(
        self, request: Request, owner: str = Path(max_length=100), name: str = Path(max_length=100)
    ) -> Response:
        return await self._answer(request, owner, name, self._csv)

    async def _answer(self, request: Request, owner: str, name: str, show: Callable[..., Any]) -> Response:
        asked = partial(self._weekly, show, request.query_params.get("week", ""))
        return conditional(request, await self._entrance.page(request, owner, name, asked))

    async def _weekly(self, show: Callable[..., Any], written: str, visit: Visit) -> Response:
        current = week_of(self._now(), UTC)
        try:
            week = read_week(written[:20], UTC) if written else current.before(1)
        except ValueError as wrong:
            return self._pages.message("This is no week.", str(wrong), 422)
        if week.monday > current.monday:
            return self._pages.message("That week is still to come.", "Take an earlier one.", 422)
        response: Response = await show(visit, week)
        return response

    async def _page(self, visit: Visit, week: Week) -> Response:
        weeks, scale = await self._read(visit, week)
        later = week.before(-1) if week.monday < week_of(self._now(), UTC).monday else None
        language = await self._language(visit)
        values = await asyncio.to_thread(shown, weeks, scale, visit.path, language)
        return self._pages.page("report.html", **values, earlier=week.before(1).name, later=later and later.name)

    async def _language(self, visit: Visit) -> Language:
        """The policy's, as tickets and board have it. The numbers are there without GitHub, and then in English."""
        try:
            place = await self._place_of(visit.repository)
        except GitHubError:
            return "en"
        return "en" if place is None else place.rules.language

    async def _csv(self, visit: Visit, week: Week) -> Response:
        weeks, _ = await self._read(visit, week)
        name = f"{visit.repository.name}-{week.name}.csv"
        headers = {**HEADERS, "content-disposition": f'attachment; filename="{name}"'}
        return Response(csv_text(weeks), media_type="text/csv", headers=headers)

    async def _read(self, visit: Visit, week: Week) -> Weeks:
        repository_id = visit.repository.repository_id
        return await self._recent.get((repository_id, week.name), partial(self._read_anew, repository_id, week))

    async def _read_anew(self, repository_id: int, week: Week) -> Weeks:
        async with self._database.transaction() as connection:
            return await read_weeks(connection, repository_id, week, WEEKS, self._now())


def shown(weeks: Sequence[Metrics], scale: ScaleShown, path: str, language: Language) -> dict[str, Any]:
    """What the template is given. The weeks come oldest first."""
    return {
        "language": language,
        "words": {**PAGE_TEXTS[language], **REPORT_TEXTS[language]},
        "path": path,
        "week": weeks[-1].week,
        "headline": headline(weeks[-1], scale, language),
        "scale": scale,
        "plots": plots(weeks, language),
        "width": WIDTH,
        "height": HEIGHT,
    }


def csv_text(weeks: Sequence[Metrics]) -> str:
    """RFC 4180."""
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(CSV_HEAD)
    for metrics in weeks:
        writer.writerows(csv_rows(metrics))
    return written.getvalue()
