"""The policies that decisions were judged by, each kept once however many decisions rest on it."""

from __future__ import annotations

import hashlib

from app.store.database import Connection
from app.store.stored import deflate, inflate


async def keep(connection: Connection, state: bytes) -> str:
    """Keep it, for a decision of the same transaction; its digest, `sha256:…`.

    The row is written also where it is there already: until the decision refers to it, nobody may take it for unused.
    """
    digest = "sha256:" + hashlib.sha256(state).hexdigest()
    await connection.execute(
        "insert into decided_policies (digest, state) values (%s, %s) "
        "on conflict (digest) do update set digest = excluded.digest",
        (digest, deflate(state)),
    )
    return digest


async def find(connection: Connection, digest: str) -> bytes | None:
    cursor = await connection.execute("select state from decided_policies where digest = %s", (digest,))
    row = await cursor.fetchone()
    return None if row is None else inflate(row[0])
