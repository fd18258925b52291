"""Enrolling machines of agents, for operators: where the database and the courier App's key are."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta

import re2

from app.config import Settings
from app.errors import ActionableError
from app.gate.presets import read_presets
from app.github.clients import GitHubApp
from app.proxy.courier_app import courier_identity
from app.proxy.opening import find_place
from app.proxy.session_token import ENROLMENT, new_token, token_hash
from app.secret import SecretStr
from app.store import enrolments
from app.store.database import Connection, Database
from app.store.enrolments import Enrolling, Enrolment
from policies.ticket_section import POOL

_POOL = re2.compile(POOL)


class CannotEnrol(ActionableError, ValueError):
    """What was asked for is no enrolment; the message says what to write."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`repository` is OWNER/NAME, `pool` the name by which tickets ask for these machines."""

    repository: str
    pool: str
    by: str
    lasts: timedelta


async def enrol(settings: Settings, asked: Asked) -> tuple[SecretStr, Enrolment]:
    """The token, which is shown this once, and what it may. Raises CannotEnrol, CannotOpen and the store's errors."""
    owner, slash, name = asked.repository.partition("/")
    if not slash or not owner or not name:
        raise CannotEnrol(f"{asked.repository!r} is no repository; write OWNER/NAME")
    if not _POOL.fullmatch(asked.pool):
        raise CannotEnrol(f"{asked.pool!r} is no pool; its name has up to 50 letters, digits and . _ -")
    courier = GitHubApp(courier_identity(settings))
    try:
        found = (await find_place(courier, read_presets(), owner, name)).repository
    finally:
        await courier.aclose()
    token = new_token(ENROLMENT)
    real_owner, _, real_name = found.full_name.partition("/")
    digest = token_hash(token.get_secret_value())
    new = Enrolling(digest, found.id, real_owner, real_name, asked.pool, asked.by, asked.lasts)
    async with _transaction(settings) as connection:
        return token, await enrolments.add(connection, new)


async def listed(settings: Settings) -> list[Enrolment]:
    async with _transaction(settings) as connection:
        return await enrolments.listed(connection)


async def revoke(settings: Settings, number: int) -> bool:
    """False: it was not live."""
    async with _transaction(settings) as connection:
        return await enrolments.revoke(connection, number)


@contextlib.asynccontextmanager
async def _transaction(settings: Settings) -> AsyncIterator[Connection]:
    opened = Database.open(settings.database_url, settings.data, size=2)
    async with opened as database, database.transaction() as connection:
        yield connection
