"""Which proxy session brought a head, and so whose agent made it."""

from __future__ import annotations

from app.gate.gate import Gate
from app.proxy import ledger, sessions
from app.proxy.sessions import Session


async def session_of_head(gate: Gate, repository_id: int, ref: str, oid: str) -> Session | None:
    """The session that pushed this commit to this branch (full ref) of the repository, the newest of several."""
    async with gate.database.transaction() as connection:
        pushes = await ledger.pushes_of(connection, repository_id, ref, oid)
    return await sessions.session(gate.database, pushes[-1].session_id) if pushes else None
