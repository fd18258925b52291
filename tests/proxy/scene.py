"""A proxy on a socket in front of a simulated GitHub on another, and git as an agent runs it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.responses import Response

from app.gate.ending import end_process
from app.github.identity import AppIdentity
from app.proxy import ledger, sessions
from app.proxy.application import Proxy
from app.proxy.grant import Grant
from app.proxy.listening import Address, listener, server
from app.proxy.running import proxying
from app.rotation import Rotating
from app.secret import SecretStr
from app.store.database import Database
from tests.github.server import SimulatedGitHub
from tests.github.state import Installation, Repository
from tests.github.tls import Authority
from tests.proxy.build import wanted

COURIER_PERMISSIONS = {
    "actions": "read",
    "checks": "read",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "statuses": "read",
}


OPERATOR = "operator-" + "0" * 32
Instead = Callable[[str, str], Response | None]  # method and target, to an answer or None


@dataclass(frozen=True)
class Reached:
    """A request that arrived at GitHub."""

    method: str
    target: str
    headers: dict[str, str]


@dataclass
class Scene:
    """`address` is the proxy's, `token` that of a session that may push to `agent/work`."""

    github: SimulatedGitHub
    database: Database
    proxy: Proxy
    shop: Repository
    installation: Installation
    identity: AppIdentity
    address: str
    port: int
    folder: Path
    token: str = ""
    grant: Grant | None = None
    upstream: list[Reached] = field(default_factory=list)
    instead: list[Instead] = field(default_factory=list)  # answers that take GitHub's place, the first that gives one
    operators: Rotating = field(default_factory=lambda: Rotating(()))  # tokens of the operators' API

    def since(self, number: int) -> list[str]:
        """What arrived at GitHub's git service and API after the first `number` requests, minting left out."""
        return [f"{one.method} {one.target}" for one in self.upstream[number:] if "access_tokens" not in one.target]

    @property
    def url(self) -> str:
        return f"{self.address}/git/acme/shop.git"

    async def open(self, **changes: Any) -> tuple[str, Grant]:
        """Another session on the shop."""
        known = {"installation_id": self.installation.id, "repository_id": self.shop.id}
        token, grant = await sessions.open_session(self.database, wanted(**{**known, **changes}))
        return token.get_secret_value(), grant

    async def outcomes(self, grant: Grant) -> list[str | None]:
        """How the session's writes ended, newest first; waits for those whose end is still being noted."""
        for _ in range(500):
            if not await ledger.under_way(self.database, grant.session):
                break
            await asyncio.sleep(0.01)
        return [one.outcome for one in await ledger.of_session(self.database, grant.session)]

    def refs(self, repository: Repository | None = None) -> dict[str, str]:
        """Every ref at GitHub of a repository, the shop if none is given."""
        text = _git_out((repository or self.shop).git, "for-each-ref", "--format=%(refname) %(objectname)")
        return dict(line.split(" ") for line in text.splitlines())

    async def git(
        self,
        *arguments: str,
        cwd: Path | None = None,
        token: str | None = None,
        code: int | None = 0,
        **environment: str,
    ) -> str:
        """Run git with the session's token; what it said on both streams. Fails unless it ends with `code`."""
        ended, said = await self.attempt(*arguments, cwd=cwd, token=token, **environment)
        assert code is None or ended == code, said
        return said

    async def attempt(
        self, *arguments: str, cwd: Path | None = None, token: str | None = None, **environment: str
    ) -> tuple[int, str]:
        settings = {f"http.{self.address}/.extraHeader": f"Authorization: Bearer {token or self.token}"}
        process = await asyncio.create_subprocess_exec(
            *("git", *arguments),
            cwd=cwd or self.folder,
            env=agent_environment(settings) | environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            out, _ = await process.communicate()
        finally:
            await end_process(process)
        return process.returncode or 0, out.decode(errors="replace")

    async def clone(self, name: str = "clone", *options: str) -> Path:
        await self.git("clone", "-q", *options, self.url, name)
        return self.folder / name

    async def commit(self, clone: Path, name: str = "new.txt", text: str = "new\n") -> str:
        """A commit on the clone's branch; its id."""
        (clone / name).write_text(text)
        await self.git("add", name, cwd=clone)
        await self.git("commit", "-q", "-m", f"Add {name}", cwd=clone)
        return (await self.git("rev-parse", "HEAD", cwd=clone)).strip()

    async def raw(self, data: bytes, *, close: bool = False, seconds: float = 10.0) -> bytes:
        """Send bytes to the proxy's socket and read until it closes, or until an answer with a length is whole."""
        return await raw_exchange(self.port, data, close=close, seconds=seconds)


def agent_environment(settings: dict[str, str] | None = None) -> dict[str, str]:
    """Environment of git with nothing but these settings, as `mergegate agent setup` gives them."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "Agent",
        "GIT_AUTHOR_EMAIL": "agent@example.com",
        "GIT_COMMITTER_NAME": "Agent",
        "GIT_COMMITTER_EMAIL": "agent@example.com",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_COUNT": str(len(settings or {})),
    }
    for number, (key, value) in enumerate((settings or {}).items()):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment


def _git_out(path: Path, *arguments: str) -> str:
    import subprocess

    return subprocess.run(
        ["git", *arguments], cwd=path, env=agent_environment(), check=True, capture_output=True, text=True
    ).stdout


async def raw_exchange(port: int, data: bytes, *, close: bool = False, seconds: float = 10.0) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = b""
    try:
        async with asyncio.timeout(seconds):
            writer.write(data)
            if close:
                writer.write_eof()
            while chunk := await reader.read(65536):
                answer += chunk
                if _is_whole(answer):
                    break
    except ConnectionError:
        pass
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
    return answer


def _is_whole(answer: bytes) -> bool:
    head, found, body = answer.partition(b"\r\n\r\n")
    if not found or head.startswith(b"HTTP/1.1 1"):
        return False
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.partition(b":")[2])
    return b"transfer-encoding: chunked" in head.lower() and body.endswith(b"0\r\n\r\n")


def _noting(app: Any, seen: list[Reached], instead: list[Instead]) -> Any:
    async def noting(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            query = scope["query_string"].decode("latin-1")
            target = scope["raw_path"].decode("latin-1") + (f"?{query}" if query else "")
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            seen.append(Reached(scope["method"], target, headers))
            found = next((made for one in instead if (made := one(scope["method"], target))), None)
            if found is not None:
                await found(scope, receive, send)
                return
        await app(scope, receive, send)

    return noting


@contextlib.asynccontextmanager
async def serving(proxy: Any, address: Address | None = None) -> AsyncIterator[int]:
    """The port on which an application serves while the block lasts."""
    where = address or Address("127.0.0.1", 0)
    made = server(proxy, where)
    bound = listener(where)
    task = asyncio.create_task(made.serve(sockets=[bound]))
    while not made.started and not task.done():  # noqa: ASYNC110 - uvicorn offers but a flag
        await asyncio.sleep(0.002)
    try:
        yield bound.getsockname()[1]
    finally:
        made.config.timeout_graceful_shutdown = 1
        made.leave()
        await task


@contextlib.asynccontextmanager
async def scene(
    folder: Path,
    database: Database,
    authority: Authority | None = None,
    api_path: str = "",
    issuers: tuple[str, ...] = (),
) -> AsyncIterator[Scene]:
    """With an `authority` GitHub speaks TLS; its API is below `api_path`, at `/api/v3` as an Enterprise Server's."""
    github = SimulatedGitHub.create(folder / "github")
    upstream: list[Reached] = []
    instead: list[Instead] = []
    github.app = _noting(github.app, upstream, instead)
    await github.start(tls=authority.server if authority else None)
    app, key = github.register_app("courier", COURIER_PERMISSIONS, [])
    github.organization("acme")
    shop = await github.repository("acme/shop", {"README.md": "# Shop\n"}, private=True)
    await github.repository("acme/other", {"README.md": "# Other\n"}, private=True)
    await github.repository("acme/public", {"README.md": "# Public\n"})
    installation = github.install(app, "acme")
    identity = AppIdentity("courier", app.id, (SecretStr(key),), github.world.base_url + api_path)
    verify = ssl.create_default_context(cafile=str(authority.bundle)) if authority else None
    (folder / "agent").mkdir()
    operators = Rotating((SecretStr(OPERATOR),))
    try:
        running = proxying(database, identity, verify, operator=operators, issuers=issuers)
        async with running as proxy, serving(proxy) as port:
            made = Scene(
                *(github, database, proxy, shop, installation, identity),
                address=f"http://127.0.0.1:{port}",
                port=port,
                folder=folder / "agent",
                upstream=upstream,
                instead=instead,
                operators=operators,
            )
            made.token, made.grant = await made.open()
            yield made
    finally:
        await _answered(github)
        await github.stop()
    assert github.crashes == []


async def _answered(github: SimulatedGitHub) -> None:
    """Until GitHub is done with what it was asked, so that no git of it is left."""
    for _ in range(500):
        if github._server is None or not github._server.server_state.tasks:
            return
        await asyncio.sleep(0.01)
