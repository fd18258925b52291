"""Why a process is not ready, in words: the same of one with the gate's work and of a proxy that runs alone."""

from __future__ import annotations

from app.store.database import Database
from app.web.database_health import database_trouble

DRAINING = "it was told to stop and ends what is under way"


async def troubles_of(database: Database, *, draining: bool, **others: str | None) -> dict[str, str]:
    """Part to what is wrong with it; `others` are further parts, None where all is well."""
    found = {"draining": DRAINING if draining else None, "database": await database_trouble(database), **others}
    return {part: because for part, because in found.items() if because is not None}
