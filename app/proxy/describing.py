"""A session in JSON, for its holder and for operators."""

from __future__ import annotations

import json

from app.proxy import sessions
from app.proxy.authorize import policy
from app.proxy.grant import Grant
from app.proxy.incoming import Send, answer
from app.store.database import Database

JSON = "application/json; charset=utf-8"


async def described(database: Database, grant: Grant) -> dict[str, object]:
    """A session for its holder or an operator; there is no secret in it."""
    session = await sessions.session(database, grant.session)
    frozen = None if session is None else session.frozen_because
    return {
        "session": grant.session,
        "repository": f"{grant.owner}/{grant.repository}",
        "repository_id": grant.repository_id,
        "branch": grant.branch,
        "base": grant.base,
        "ticket": grant.ticket,
        "agent": grant.agent,
        "operator": grant.operator,
        "rights": sorted(grant.rights),
        "expires_at": grant.expires_at.isoformat(timespec="seconds"),
        "policy": policy(grant),
        "frozen": frozen,
        "messages": [words for _, words in await sessions.unsaid(database, grant.session)],
    }


async def json_answer(send: Send, status: int, value: object, headers: dict[str, str] | None = None) -> None:
    await answer(send, status, json.dumps(value, default=str).encode() + b"\n", JSON, headers)
