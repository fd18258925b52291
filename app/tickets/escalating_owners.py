"""The owners of what a ticket may change, for matters in which no verdict asks for anybody by name."""

from __future__ import annotations

import asyncio

import structlog

from app.github import contents
from app.github.errors import GitHubError
from app.tickets.parts import Place
from app.tickets.view import TicketView
from checks.codeowners import ABSENT, PLACES, Codeowners, parse
from policies.tickets.owners import logins_of
from policies.tickets.states import State

log = structlog.get_logger(__name__)

ASKED_ABOUT = frozenset({State.NEEDS_HUMAN, State.CAP_HIT, State.STOPPING, State.MERGEABLE, State.QUEUED})


async def owners_of(place: Place, view: TicketView) -> tuple[str, ...]:
    """Logins from CODEOWNERS of the default branch; none where it cannot be read: people are told all the same."""
    if view.form is None or not (view.open_questions or view.row.state in ASKED_ABOUT):
        return ()
    try:
        parsed = await _codeowners(place)
    except (GitHubError, ValueError) as wrong:
        log.warning("CODEOWNERS could not be read", key=str(place.key), because=str(wrong))
        return ()
    return logins_of(parsed, view.form.allowed_paths)


async def _codeowners(place: Place) -> Codeowners:
    """Of the first place where GitHub looks that has one. Raises GitHubError, and ValueError where it is too large."""
    owner, name = place.repository.owner, place.repository.name
    for path in PLACES:
        found = await contents.file(place.client, owner, name, path, place.repository.default_branch or "main")
        if found is not None:
            return await asyncio.to_thread(parse, path, found[1])
    return ABSENT
