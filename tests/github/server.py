"""The simulated GitHub as one object: its world, its doors, and everybody who listens to what happens.

A part is a module that may export `routes` (REST, mounted at `/` and under `/api/v3`) and `attach(github)` (adds
listeners, work and hooks). A handler is `async def name(request) -> Response`; `request.app.state.github` is the
SimulatedGitHub and `request.state.actor` who asks.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import socket
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from tests.github.acting import Acting
from tests.github.auth import Actor
from tests.github.build import new_world
from tests.github.events import DomainEvent
from tests.github.faults import Faults
from tests.github.gateway import Answering, Gateway, RequestRecord, unknown_route
from tests.github.git import Git
from tests.github.operations.pushes import RefCommand
from tests.github.rate_limits import RateLimits
from tests.github.smart_http import SmartHttp
from tests.github.state import Delivery, PullRequest, Repository, World
from tests.github.webhooks import Webhooks

if TYPE_CHECKING:
    from tests.github.actions.engine import Actions
    from tests.github.merge_groups import MergeQueues

Listener = Callable[[DomainEvent], Awaitable[None]]
PushGuard = Callable[[Repository, Actor, RefCommand], Awaitable[str | None]]

# Webhooks listen first, so that a delivery is queued before those of whatever follows from its event.
PARTS = (
    "tests.github.webhooks",
    "tests.github.operations.pull_heads",
    "tests.github.rulesets",
    "tests.github.mergeability",
    "tests.github.merge_queue",
    "tests.github.async_merge",
    "tests.github.actions",
    "tests.github.rest.meta",
    "tests.github.rest.apps",
    "tests.github.rest.manifests",
    "tests.github.rest.oauth",
    "tests.github.rest.deliveries",
    "tests.github.rest.users",
    "tests.github.rest.teams",
    "tests.github.rest.repositories",
    "tests.github.rest.branches",
    "tests.github.rest.git_data",
    "tests.github.rest.contents",
    "tests.github.rest.commits",
    "tests.github.rest.pulls",
    "tests.github.rest.pull_lists",
    "tests.github.rest.reviews",
    "tests.github.rest.stacks",
    "tests.github.rest.issues",
    "tests.github.rest.comments",
    "tests.github.rest.labels",
    "tests.github.rest.checks",
    "tests.github.rest.statuses",
    "tests.github.rest.rulesets",
    "tests.github.rest.organization_rulesets",
    "tests.github.rest.actions",
    "tests.github.rest.secret_places",
    "tests.github.rest.merge",
    "tests.github.graphql.endpoint",
)
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
LAST_ANSWERS_KEPT = 2000


class TlsFiles(NamedTuple):
    """A certificate (chain) for localhost and its key, both PEM."""

    certificate: Path
    key: Path


class LastAnswers(dict[str, Response]):
    """The newest answer by address, for the fault `lag`; the oldest are forgotten."""

    def __setitem__(self, address: str, response: Response) -> None:
        self.pop(address, None)
        super().__setitem__(address, response)
        if len(self) > LAST_ANSWERS_KEPT:
            del self[next(iter(self))]


class QuietServer(uvicorn.Server):
    """uvicorn without its signal handlers: the surrounding program keeps its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class SimulatedGitHub(Acting):
    """GitHub, as far as Mergegate can tell.

    `publish` hands a domain event to the `listeners` in order. `spawn` starts work that `settle` waits for;
    `background` starts work that only `stop` ends. A settler makes one step of due work and says whether it did any.
    """

    # Set by the parts that own them.
    actions: Actions
    merge_queues: MergeQueues
    downloads: dict[str, tuple[datetime, bytes, str]]  # key -> (valid until, content, media type)

    def __init__(self, world: World) -> None:
        self.world = world
        self.listeners: list[Listener] = []
        self.settlers: list[Callable[[], Awaitable[bool]]] = []
        self.push_guards: list[PushGuard] = []
        self.faults = Faults()
        self.rate_limits = RateLimits(world)
        self.requests: list[RequestRecord] = []
        self.crashes: list[BaseException] = []
        self.response_observers: list[Callable[[Request, str, Response], None]] = []  # request, route, answer
        self.delivery_observers: list[Callable[[Delivery], None]] = []
        self.last_answers = LastAnswers()
        self.webhooks = Webhooks(self)
        self.mergeable_state: Callable[[Repository, PullRequest], Awaitable[str]] = _plain_mergeable_state
        self.effective_rules: Callable[[Repository, str], list[dict[str, Any]]] = _no_rules
        self._gits: dict[int, Git] = {}
        self._work: set[asyncio.Task[None]] = set()
        self._loops: set[asyncio.Task[None]] = set()
        self._server: QuietServer | None = None
        self._serving: asyncio.Task[None] | None = None
        self._parts = list(_import_parts())
        self.app = self._application()
        for part in self._parts:
            if hasattr(part, "attach"):
                part.attach(self)

    @classmethod
    def create(cls, root: Path) -> SimulatedGitHub:
        """An empty GitHub that keeps its bare repositories under `root`."""
        return cls(new_world(root))

    def git(self, repository: Repository) -> Git:
        if repository.id not in self._gits:
            self._gits[repository.id] = Git(repository.git)
        return self._gits[repository.id]

    async def publish(self, event: DomainEvent) -> None:
        for listener in self.listeners:
            await listener(event)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Starts work that ends by itself; `settle` waits for it."""
        return self._start(work, self._work)

    def background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Starts work that runs until `stop`."""
        return self._start(work, self._loops)

    def _start(self, work: Coroutine[Any, Any, None], kept: set[asyncio.Task[None]]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(self._noting_crashes(work))
        kept.add(task)
        task.add_done_callback(kept.discard)
        return task

    async def _noting_crashes(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001 - shown by `crashes`, so that no failure is silent
            self.crashes.append(error)

    async def settle(self, seconds: float = 60.0) -> None:
        """Returns when all work that can finish has finished; TimeoutError when it does not within `seconds`."""
        async with asyncio.timeout(seconds):
            while await self._settle_once():
                pass

    async def _settle_once(self) -> bool:
        waiting = [task for task in self._work if task is not asyncio.current_task()]
        if waiting:
            await asyncio.wait(waiting)
            return True
        steps = [await settler() for settler in self.settlers]
        return any(steps) or bool(self._work)

    async def start(self, port: int = 0, tls: TlsFiles | None = None) -> str:
        """Serves on 127.0.0.1 within the running loop and returns the base address (https://localhost with TLS)."""
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        host = "https://localhost" if tls else "http://127.0.0.1"
        self.world.base_url = f"{host}:{listener.getsockname()[1]}"
        self._server = QuietServer(self._configuration(tls))
        self._serving = asyncio.create_task(self._server.serve(sockets=[listener]))
        while not self._server.started and not self._serving.done():  # noqa: ASYNC110 - uvicorn offers but a flag
            await asyncio.sleep(0.005)
        return self.world.base_url

    def _configuration(self, tls: TlsFiles | None) -> uvicorn.Config:
        return uvicorn.Config(
            self.app,
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="off",
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=1,
            ssl_certfile=str(tls.certificate) if tls else None,
            ssl_keyfile=str(tls.key) if tls else None,
        )

    async def stop(self) -> None:
        """Ends the server and all work, finished or not."""
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await self._serving
        self._server = self._serving = None
        tasks = [*self._work, *self._loops]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.webhooks.close()

    def _application(self) -> Gateway:
        rest = self._wrapped([r for part in self._parts for r in getattr(part, "routes", [])])
        graphql = [route for route in rest if getattr(route, "path", "") == "/graphql"]
        router = Starlette(routes=[Mount("/api/v3", routes=rest), Mount("/api", routes=graphql), *rest])
        router.state.github = self
        return Gateway(self, router, SmartHttp(self))

    def _wrapped(self, routes: list[Route]) -> list[BaseRoute]:
        """Routes ending in a free path come last: `/commits/{ref}` must not swallow `/commits/{ref}/pulls`."""
        ordered = sorted(routes, key=lambda route: route.path.endswith(":path}"))
        wrapped: list[BaseRoute] = [
            Route(r.path, Answering(self, r.path, r.endpoint), methods=sorted(r.methods or ["GET"])) for r in ordered
        ]
        return [*wrapped, Route("/{anything:path}", Answering(self, "", unknown_route), methods=METHODS)]


def _import_parts() -> Iterator[ModuleType]:
    """When the first GitHub is made, not before: the parts import the operations, which need this module's names."""
    for name in PARTS:
        yield importlib.import_module(name)


async def _plain_mergeable_state(repository: Repository, pull: PullRequest) -> str:
    """Without rules: git alone decides."""
    if pull.mergeable is None:
        return "unknown"
    if not pull.mergeable:
        return "dirty"
    return "draft" if pull.draft else "clean"


def _no_rules(repository: Repository, branch: str) -> list[dict[str, Any]]:
    return []
