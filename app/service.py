"""Putting the parts together: a process with settings becomes a web server, a worker, or both."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp

from app.config import AppSettings, Misconfigured, PageSettings, Settings
from app.configuration import record_configuration
from app.gate.fanout import clock_mark
from app.gate.gate import Gate
from app.gate.mirror import Mirrors, Remote
from app.gate.names import RepositoryName
from app.gate.presets import read_presets
from app.gate.reconcile import Reconciler
from app.gate.upkeep import canary_mark, upkeep_mark
from app.github.app_jwt import key_fingerprint
from app.github.budgets import UNLIMITED, WriteLimits
from app.github.client import Settings as ClientSettings
from app.github.clients import GitHubApp
from app.github.git_access import clone_url, git_environment
from app.github.identity import AppIdentity
from app.heartbeat import beat
from app.intake.webhook import Intake
from app.judge.judges import Judges
from app.proxy.courier_app import courier_identity
from app.rotation import Reread, rotated
from app.store import work
from app.store.database import Database
from app.store.deliveries import DeliveryWriter
from app.store.worker import Worker
from app.tickets.canaries import reconcile_canaries
from app.tickets.escalating_channels import read_channels
from app.tickets.litellm import Gateway
from app.tickets.parts import TicketParts
from app.tickets.reconcile import reconcile
from app.tickets.supervisor import Supervisor
from app.tickets.supervisor_hook import SupervisorHook
from app.web.health import health_router
from app.web.metrics import Sources
from app.web.private import private_listener
from app.web.readiness import Readiness
from app.web.server import behind_proxies
from policies.errors import InvalidPolicyError
from policies.floor import load_floor
from policies.schema import Policy

NOT_CONNECTED = (
    "No GitHub App is configured. Register one from the page of `mergegate serve` or with `mergegate setup "
    "--no-browser`, or set MERGEGATE_APP_ID and MERGEGATE_PRIVATE_KEY_FILE (see README, 'Connect it to GitHub')"
)

NO_KEY = (
    "The gate App's private key is no RSA key in PEM form. Give the file that GitHub let you download, with "
    "MERGEGATE_PRIVATE_KEY_FILE or `mergegate rotate gate --key FILE`"
)

NO_WEBHOOKS = "MERGEGATE_WEBHOOK_SECRET: missing; set it, or MERGEGATE_POLLING=1 to work without webhooks"


@dataclass(frozen=True, slots=True)
class Parts:
    """Which parts this process runs."""

    web: bool
    work: bool


@dataclass(frozen=True, slots=True)
class Service:
    """What runs: the application to serve, and whether this process is ready."""

    web: ASGIApp
    readiness: Readiness


@contextlib.asynccontextmanager
async def running(settings: Settings, parts: Parts, reread: Reread | None = None) -> AsyncIterator[Service]:
    """The service while the block lasts. Raises Misconfigured, and the store's errors, before anything is served.

    `reread` reads the settings again; with it secrets are rotated while it runs.
    """
    if settings.gate is None:
        raise Misconfigured(NOT_CONNECTED)
    if parts.web and not settings.webhook_secrets and not settings.polling:
        raise Misconfigured(NO_WEBHOOKS)
    if not any(key_fingerprint(key) for key in settings.gate.private_keys):
        raise Misconfigured(NO_KEY)
    async with contextlib.AsyncExitStack() as stack:
        database = await stack.enter_async_context(Database.open(settings.database_url, settings.data))
        await record_configuration(database, settings)
        settings = await stack.enter_async_context(rotated(settings, reread, database))
        assert settings.gate is not None
        gate = build_gate(settings, settings.gate, database)
        stack.push_async_callback(gate.github.aclose)
        web = FastAPI(title="Mergegate", docs_url=None, redoc_url=None, openapi_url=None)
        readiness = Readiness(database, gate.github.app)
        web.include_router(health_router(readiness))
        served = behind_proxies(web)
        if parts.web and settings.webhook_secrets:
            writer = await stack.enter_async_context(DeliveryWriter(database))
            served = Intake(writer, settings.webhook_secrets, frozenset({gate.app_id})).in_front_of(served)
        if parts.web and settings.pages:
            web.include_router(_pages(settings.pages, settings.github_api_url, gate))
        sources = Sources(database, gate.github)
        await stack.enter_async_context(
            private_listener(settings.metrics_host, settings.metrics_port, readiness, sources)
        )
        if parts.work:
            tickets = build_tickets(settings, gate)
            if tickets.courier is not None:
                stack.push_async_callback(tickets.courier.aclose)
            readiness.worker = await stack.enter_async_context(_working(gate, tickets, settings))
        yield Service(served, readiness)


def _pages(settings: PageSettings, api_url: str, gate: Gate) -> APIRouter:
    # Imported here, because many services show no pages, and templates and the sign-in take memory.
    from app.web.people import people_router
    from app.web.sign_in import UserAuthorization

    authorization = UserAuthorization(settings.client_id, settings.client_secrets, settings.public_url, api_url)
    return people_router(gate, authorization)


@contextlib.asynccontextmanager
async def _working(gate: Gate, tickets: TicketParts, settings: Settings) -> AsyncIterator[Worker]:
    async with gate.database.transaction() as connection:
        await work.mark(connection, [clock_mark(), upkeep_mark(), canary_mark()])
    interval = timedelta(seconds=settings.resync_interval)
    every = timedelta(hours=settings.canary_hours) if settings.canary_hours else None
    reconciler = Reconciler(
        gate,
        interval,
        partial(reconcile, tickets),
        bool(settings.webhook_secrets),
        partial(reconcile_canaries, tickets, every),
    )
    worker = Worker(gate.database, reconciler, settings.slots)
    tasks = [asyncio.create_task(worker.run())]
    if settings.heartbeat_url is not None:
        tasks.append(asyncio.create_task(beat(settings.heartbeat_url, worker.makes_progress)))
    try:
        yield worker
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def build_gate(settings: Settings, app: AppSettings, database: Database) -> Gate:
    """The gate's parts for one App; nothing is sent yet."""
    identity = AppIdentity("gate", app.app_id, app.private_keys, settings.github_api_url, settings.accounts)
    per_minute = settings.writes_per_minute
    limits = WriteLimits(per_minute=per_minute) if per_minute else UNLIMITED
    github = GitHubApp(identity, settings=ClientSettings(writes=limits))
    return Gate(
        database=database,
        github=github,
        mirrors=Mirrors(
            settings.data / "mirrors", _remotes(settings, github, "git"), _remotes(settings, github, "branches")
        ),
        presets=read_presets(),
        app_id=app.app_id,
        now=lambda: datetime.now(UTC),
        public_url=settings.pages.public_url if settings.pages else None,
        floor=read_floor(settings.policy_baseline),
        ci_servers=settings.ci_servers,
        keep=settings.keep,
        judges=Judges(settings.judges, settings.judge_seconds),
    )


def build_tickets(settings: Settings, gate: Gate) -> TicketParts:
    """What the work on tickets needs beside the gate; without a courier App agents get no sessions."""
    courier = None if settings.courier is None else GitHubApp(courier_identity(settings))
    gateway = None if settings.litellm is None else Gateway(settings.litellm.url, settings.litellm.key)
    channels = None if settings.channels is None else read_channels(settings.channels)
    return TicketParts(gate, courier, _supervisor(settings), gateway, channels)


def _supervisor(settings: Settings) -> Supervisor | SupervisorHook | None:
    if settings.supervisor_url is not None:
        return SupervisorHook(settings.supervisor_url, settings.supervisor_secrets)
    return None if settings.supervisor is None else Supervisor(settings.supervisor)


def read_floor(text: str | None) -> Policy | None:
    """The server's baseline. Raises Misconfigured with every fault in it."""
    if text is None:
        return None
    try:
        return load_floor(text, read_presets())
    except InvalidPolicyError as invalid:
        raise Misconfigured(f"MERGEGATE_POLICY_BASELINE is no policy that can be used: {invalid}") from None


def _remotes(settings: Settings, github: GitHubApp, purpose: str) -> Callable[[int, RepositoryName], Awaitable[Remote]]:
    async def remote(installation_id: int, repository: RepositoryName) -> Remote:
        client = github.installation(installation_id)
        token = await client.token(purpose, repository=repository.name)
        url = clone_url(settings.github_api_url, repository.owner, repository.name)
        failed = partial(client.refused_token, purpose, repository=repository.name, token=token.token)
        return Remote(url, git_environment(url, token.token), failed)

    return remote
