"""`mergegate doctor` without a repository: the machine, the database, both Apps, deliveries and the clock."""

from __future__ import annotations

import asyncio
import platform
import re
import shutil
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import psycopg

from app.cli import status
from app.cli.gate_store import opened
from app.config import AppSettings, Settings
from app.errors import ActionableError
from app.github import installations
from app.github.client import GitHubClient
from app.github.clients import GitHubApp
from app.github.errors import GitHubError
from app.github.identity import AppIdentity
from app.github.installation_models import Delivery, HookConfig
from app.local.examination import CouldNotRead, Symptom
from app.local.service_examination import (
    Attempt,
    Deliveries,
    Hook,
    InstalledOn,
    Machine,
    RegisteredApp,
    ServiceFacts,
    Store,
)
from app.local.shipped import app_manifest
from app.registrations import Role, path_of
from app.store import migrate

T = TypeVar("T")
DAY = timedelta(days=1)
PAGES = 3  # of 100 deliveries; enough to tell how it goes


@dataclass(frozen=True, slots=True)
class Seen:
    """`parts` are the versions in use, by name."""

    facts: ServiceFacts
    parts: Mapping[str, str]


async def look(settings: Settings, environment: Mapping[str, str]) -> Seen:
    """All that is to be examined. What cannot be read is a fact too, so this raises nothing for it."""
    machine = await _machine(settings, environment)
    (store, troubles), gate, courier, arriving = await asyncio.gather(
        _store(settings), _app(settings, "gate"), _app(settings, "courier"), _deliveries(settings)
    )
    facts = ServiceFacts(machine, store, gate, courier, arriving, settings.heartbeat_url is not None, troubles)
    return Seen(facts, _parts(facts))


def _parts(facts: ServiceFacts) -> dict[str, str]:
    git, store = facts.machine.git, facts.store
    parts = {"mergegate": version("mergegate"), "Python": platform.python_version()}
    if not isinstance(git, CouldNotRead):
        parts["git"] = ".".join(map(str, git))
    if isinstance(store, Store):
        # https://www.postgresql.org/docs/current/libpq-status.html#LIBPQ-PQSERVERVERSION
        parts["PostgreSQL"] = f"{store.postgresql // 10000}.{store.postgresql % 10000}"
        parts["database"] = f"step {store.step}"
    return parts


async def _machine(settings: Settings, environment: Mapping[str, str]) -> Machine:
    there = next(folder for folder in (settings.data, *settings.data.parents) if folder.exists())
    return Machine(
        await _git(), str(settings.data), shutil.disk_usage(there).free, _open_to_others(settings, environment)
    )


async def _git() -> tuple[int, ...] | CouldNotRead:
    try:
        process = await asyncio.create_subprocess_exec("git", "--version", stdout=asyncio.subprocess.PIPE)
    except OSError:
        return CouldNotRead("it is not installed, or not in PATH")
    said, _ = await process.communicate()
    numbers = re.match(rb"git version (\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?", said)
    if numbers is None:
        return CouldNotRead("its version is not known")
    return tuple(int(number) for number in numbers.groups() if number is not None)


def _open_to_others(settings: Settings, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Files with secrets that somebody beside their owner and group may read."""
    named = [Path(value) for name, value in environment.items() if re.fullmatch(r"MERGEGATE_\w+_FILE", name) and value]
    registered = [path_of(settings.data, role) for role in ("gate", "courier")]
    kept = [path for path in (settings.proxy_key, settings.channels) if path is not None]
    return tuple(str(path) for path in (*named, *registered, *kept) if path.is_file() and path.stat().st_mode & 0o007)


async def _store(settings: Settings) -> tuple[Store | CouldNotRead, tuple[Symptom, ...]]:
    try:
        async with opened(settings) as database:
            async with database.transaction() as connection:
                step = await migrate.newest(connection)
                postgresql = connection.info.server_version
            state = await status.state_of(database, settings.canary_hours)
    except (ActionableError, psycopg.Error) as wrong:
        return CouldNotRead(str(wrong)), ()
    troubles = tuple(Symptom("wrong", f"{each.what}.", each.fix) for each in status.troubles(state))
    return Store(postgresql, step, migrate.known()[-1].version, state.overview.last_delivery), troubles


async def _app(settings: Settings, role: Role) -> RegisteredApp | CouldNotRead | None:
    given = settings.gate if role == "gate" else settings.courier
    if given is None:
        return None
    app = _client(settings, role, given)
    try:
        about = await installations.this_app(app.app)
        listed = await installations.installations(app.app)
    except GitHubError as wrong:
        return CouldNotRead(wrong.because)
    finally:
        await app.aclose()
    manifest = app_manifest(role)
    return RegisteredApp(
        role,
        about.slug,
        about.permissions,
        about.events,
        manifest["default_permissions"],
        manifest["default_events"],
        [_installed_on(app, one.account.login if one.account else None, one.suspended_at) for one in listed.items],
        app.app.budget.ahead,
    )


def _installed_on(app: GitHubApp, login: str | None, suspended_at: datetime | None) -> InstalledOn:
    return InstalledOn(login or "an enterprise", suspended_at is not None, app.identity.serves(login))


def _client(settings: Settings, role: Role, given: AppSettings) -> GitHubApp:
    return GitHubApp(AppIdentity(role, given.app_id, given.private_keys, settings.github_api_url, settings.accounts))


async def _deliveries(settings: Settings) -> Deliveries | None:
    if settings.gate is None or settings.polling:
        return None
    app = _client(settings, "gate", settings.gate)
    try:
        hook, listed = await asyncio.gather(_read(installations.hook(app.app)), _read(_of_a_day(app.app)))
    finally:
        await app.aclose()
    return Deliveries(
        hook if isinstance(hook, CouldNotRead) else _hook(hook),
        listed if isinstance(listed, CouldNotRead) else [_attempt(one) for one in listed],
    )


async def _of_a_day(app: GitHubClient) -> tuple[Delivery, ...]:
    return (await installations.deliveries(app, since=datetime.now(UTC) - DAY, most=PAGES)).items


async def _read(question: Awaitable[T]) -> T | CouldNotRead:
    try:
        return await question
    except GitHubError as wrong:
        return CouldNotRead(wrong.because)


def _hook(config: HookConfig) -> Hook:
    return Hook(config.url, config.content_type, str(config.insecure_ssl) != "0")


def _attempt(delivery: Delivery) -> Attempt:
    return Attempt(delivery.delivered_at, delivery.status_code, delivery.status)
