"""Whether the database answers, in words."""

from __future__ import annotations

import asyncio

from app.store.database import Database, DatabaseAway

PATIENCE = 3.0  # seconds


async def database_trouble(database: Database) -> str | None:
    """None when it answers soon."""
    try:
        async with asyncio.timeout(PATIENCE):
            await database.query("select 1")
    except DatabaseAway as away:
        return str(away)
    except TimeoutError:
        return f"no answer within {PATIENCE:g} s"
    return None
