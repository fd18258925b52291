"""The doctor (T50), from a machine that is as it should be, and from such that are not."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.proxy import sessions
from app.proxy.agent_doctor import Machine, Seen, examined, exit_code
from app.proxy.agent_setup import Place, environment
from app.proxy.grant import Right
from app.secret import SecretStr
from app.store.database import Database
from tests.proxy.api.town import Town, town
from tests.proxy.scene import serving

pytestmark = pytest.mark.anyio
CLOSED = (("127.0.0.1", 1),)


@pytest.fixture
async def shop(tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    """git and gh are set up as on an agent's machine, by the environment alone."""
    async with town(tmp_path, database) as made:
        place = Place(f"https://{made.host}", "acme/shop", SecretStr(made.scene.token), made.authority)
        for name, value in environment(place).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
        monkeypatch.delenv("GIT_SSL_CAINFO", raising=False)  # a machine that runs the tests may have its own
        monkeypatch.setenv("GH_CONFIG_DIR", str(tmp_path / "gh"))
        yield made


def machine(shop: Town, **changes: object) -> Machine:
    known = {"proxy": f"https://{shop.host}", "ca": shop.authority, "token": SecretStr(shop.scene.token)}
    return Machine(**(known | {"direct": CLOSED, "environment": {}} | changes))  # type: ignore[arg-type]  # of their own types


def words(seen: list[Seen]) -> list[str]:
    return [f"{one.status}: {one.words}" for one in seen]


async def test_a_machine_as_it_should_be(shop: Town) -> None:
    before = shop.scene.refs()
    seen = await examined(machine(shop))
    assert {one.status for one in seen if one.words != "gh is not installed"} == {"passed"}, words(seen)
    assert len(seen) == 7
    said = "\n".join(words(seen))
    for part in ("acme/shop, refs/heads/agent/work", "git reads", "a push to refs/heads/agent/work works"):
        assert part in said
    assert "a push to refs/heads/main is refused" in said and "not reachable" in said
    assert exit_code(seen) == 0
    assert shop.scene.refs() == before


async def test_as_a_command(shop: Town) -> None:
    """The ports of github.com are what the command looks for; whether they are open depends on where this runs."""
    command = [sys.executable, "-m", "app.cli.main", "agent", "doctor", "--json", "--ca", str(shop.authority)]
    ended = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
    seen = [Seen(**one) for one in json.loads(ended.stdout)]
    assert {one.status for one in seen[:5]} <= {"passed", "skipped"}, ended
    assert [one.words for one in seen if one.status == "failed"] == [
        one.words for one in seen if "reachable without" in one.words
    ]
    assert ended.returncode == exit_code(seen)


async def test_before_the_first_push(shop: Town) -> None:
    token, _ = await shop.scene.open(branch="refs/heads/agent/new")
    seen = await examined(machine(shop, token=SecretStr(token)))
    assert "skipped: refs/heads/agent/new is not there yet; the first push creates it" in words(seen)
    assert exit_code(seen) == 0


@contextlib.asynccontextmanager
async def way(answer: bytes) -> AsyncIterator[str]:
    """An HTTP proxy that answers CONNECT so."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 " + answer + b"\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_ways_around_the_proxy(shop: Town) -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        direct = await examined(machine(shop, direct=(*CLOSED, ("127.0.0.1", port))))
    async with way(b"200 OK") as open_, way(b"403 Forbidden") as closed:
        proxied = await examined(machine(shop, environment={"HTTPS_PROXY": open_}))
        kept_in = await examined(machine(shop, environment={"HTTPS_PROXY": closed}))
    held = await examined(machine(shop, environment={"GITHUB_TOKEN": "ghp_secret", "GH_TOKEN": shop.scene.token}))
    assert f"failed: reachable without the proxy: 127.0.0.1:{port}" in words(direct)
    assert "failed: reachable without the proxy: github.com by HTTPS_PROXY" in words(proxied)
    assert exit_code(kept_in) == 0
    assert "failed: a credential that is no session is in GITHUB_TOKEN" in words(held)
    assert "ghp_secret" not in "".join(words(held))
    assert {exit_code(direct), exit_code(proxied), exit_code(held)} == {1}


async def test_sessions_that_are_not_as_they_should_be(shop: Town) -> None:
    assert shop.scene.grant is not None
    reader, _ = await shop.scene.open(branch="refs/heads/agent/read", rights=frozenset({Right.COMMENT}))
    seen = await examined(machine(shop, token=SecretStr(reader)))
    assert any(one.startswith("failed: this session may not push") for one in words(seen)), words(seen)
    await sessions.freeze(shop.scene.database, shop.scene.grant.session, "out of scope")
    assert "frozen: out of scope" in words(await examined(machine(shop)))[0]
    await sessions.revoke(shop.scene.database, shop.scene.grant.session, "enough")
    ended = await examined(machine(shop))
    assert (ended[0].status, exit_code(ended)) == ("failed", 1) and "enough" in ended[0].words
    unknown = await examined(machine(shop, token=SecretStr("mgs_nothing")))
    assert unknown[0].status == "failed" and "not known" in unknown[0].words


async def test_a_proxy_that_lets_everything_through(shop: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """The finding that matters most must be able to fail."""

    async def pushed(machine: Machine, session: object, ref: str, oid: str) -> str:
        return f"unpack ok ok {ref}"

    monkeypatch.setattr("app.proxy.agent_doctor._pushed", pushed)
    seen = await examined(machine(shop))
    assert "failed: a push to refs/heads/main passes" in words(seen)
    assert exit_code(seen) == 1


async def test_what_is_no_proxy(shop: Town) -> None:
    nothing = await examined(machine(shop, proxy="http://127.0.0.1:1"))
    assert (nothing[0].status, exit_code(nothing)) == ("errored", 2)
    github = await examined(machine(shop, proxy=shop.scene.github.world.base_url))
    assert github[0].status == "failed" and "Bad credentials" in github[0].words

    async def another(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b'{"hello": "world"}'})

    async with serving(another) as port:
        odd = await examined(machine(shop, proxy=f"http://127.0.0.1:{port}"))
    assert odd[0].words == f"what answers at http://127.0.0.1:{port} is no proxy of Mergegate"
