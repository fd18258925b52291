"""A pull request's page: its verdict as a tree with links to what was looked at, and how it came to it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response
from pydantic import TypeAdapter, ValidationError

from app.keys import PullKey
from app.store import decisions
from app.store.database import Database
from app.store.decisions import Decision, Past
from app.store.repositories import Repository
from app.web.entrance import Entrance, Visit
from policies.changes import changes
from policies.explain import blocking
from policies.titles import title
from policies.verdict import Run, Verdict
from policies.wanted import wanted

HISTORY = 50  # decisions shown
_VERDICT: TypeAdapter[Verdict] = TypeAdapter(Verdict)


@dataclass(frozen=True, slots=True)
class Step:
    """A decision in the history; `verdict` is None where another version recorded it."""

    id: int
    at: datetime
    verdict: Verdict | None
    changes: tuple[str, ...]


class PullPage:
    def __init__(
        self,
        database: Database,
        entrance: Entrance,
        web_url: str,
        now: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._entrance = entrance
        self._pages = entrance.pages
        self._web_url = web_url
        self._now = now

    def router(self) -> APIRouter:
        router = APIRouter()
        router.add_api_route("/{owner}/{name}/pull/{number}", self._show, response_class=Response)
        return router

    async def _show(
        self,
        request: Request,
        owner: str = Path(max_length=100),
        name: str = Path(max_length=100),
        number: int = Path(ge=1, lt=10**12),
    ) -> Response:
        return await self._entrance.page(request, owner, name, partial(self._page, number))

    async def _page(self, number: int, visit: Visit) -> Response:
        repository = visit.repository
        key = str(PullKey(repository.installation_id, repository.repository_id, number))
        async with self._database.transaction() as connection:
            newest = await decisions.latest(connection, key)
            past = await decisions.history(connection, key, HISTORY + 1)
        if newest is None:
            return self._pages.not_found()
        verdict = read_verdict(newest.verdict)
        if verdict is None:
            words = "Another version of the service recorded this verdict. It is judged anew with the next look."
            return self._pages.message("This verdict cannot be shown.", words, 503)
        return self._rendered(repository, number, newest, verdict, steps(past)[:HISTORY])

    def _rendered(
        self, repository: Repository, number: int, newest: Decision, verdict: Verdict, history: Sequence[Step]
    ) -> Response:
        name = f"{repository.owner}/{repository.name}"
        runs: tuple[Run, ...] = ("observe",) if verdict.mode == "observe" else ("evidence", "review")
        return self._pages.page(
            "pull.html",
            name=f"{name}#{number}",
            github=f"{self._web_url}/{name}/pull/{number}",
            verdict=verdict,
            titles=[(verdict.root(run).status, title(verdict, run)) for run in runs],
            roots=[verdict.evidence, verdict.review],
            blocking=[*blocking(verdict.evidence), *blocking(verdict.review)],
            wanted=wanted,
            snapshot_digest="sha256:" + hashlib.sha256(newest.snapshot).hexdigest(),
            decision=newest.id,
            decided_at=newest.decided_at,
            history=history,
            now=self._now(),
        )


def read_verdict(stored: decisions.Json) -> Verdict | None:
    """None for one that another version recorded in another form."""
    try:
        return _VERDICT.validate_python(stored)
    except ValidationError:
        return None


def steps(past: Sequence[Past]) -> list[Step]:
    """Each decision, the newest first, with what it changed of the one before; nothing for the first."""
    verdicts = [read_verdict(one.verdict) for one in past]
    before = [*verdicts[1:], None]
    return [
        Step(one.id, one.decided_at, after, changes(earlier, after) if earlier and after else ())
        for one, after, earlier in zip(past, verdicts, before, strict=True)
    ]
