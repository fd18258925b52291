"""The client of an agent's machine against servers that are not what it expects."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.cli.agent_client import LARGEST, Api, Asking, CannotAsk, Refused
from app.proxy.listening import Address
from app.secret import SecretStr
from tests.github.tls import new_authority
from tests.proxy.scene import serving

pytestmark = pytest.mark.anyio
LIMITS = Asking("GET", "/session/limits")
TOKEN = SecretStr("mgs_test")


class Server:
    """Answers everything with `answer`, and remembers the paths."""

    def __init__(self, answer: Response) -> None:
        self._answer = answer
        self.asked: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            self.asked.append(scope["path"])
            await self._answer(scope, receive, send)


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (RedirectResponse("/elsewhere"), CannotAsk, "no proxy of Mergegate"),
        (Response(b"<html>", 200), CannotAsk, "no proxy of Mergegate"),
        (Response(b"<html>", 502), CannotAsk, "no proxy of Mergegate (502)"),
        (Response(b"[" * 200_000, 200), CannotAsk, "no proxy of Mergegate"),
        (Response(json.dumps("x" * LARGEST), 200), CannotAsk, "no proxy of Mergegate"),
        (JSONResponse({"message": "Later.", "fix": "Wait."}, 503), CannotAsk, "not now (503): Later. Wait."),
        (JSONResponse({"message": "Slowly.", "fix": "Wait."}, 429), CannotAsk, "not now (429): Slowly. Wait."),
        (JSONResponse({"message": "No.", "fix": "Do this."}, 409), Refused, "No. Do this."),
    ],
)
async def test_answers_that_are_none(answer: Response, error: type[Exception], said: str) -> None:
    server = Server(answer)
    async with serving(server) as port:
        with pytest.raises(error) as raised:
            await asyncio.to_thread(Api(f"http://127.0.0.1:{port}", TOKEN).ask, LIMITS)
    assert said in str(raised.value)
    assert server.asked == ["/session/limits"]


async def test_the_certificate_is_looked_at(tmp_path: Path) -> None:
    authority = new_authority(tmp_path)
    address = Address("127.0.0.1", 0, authority.server.certificate, authority.server.key)
    server = Server(JSONResponse({"minutes": 1}))
    async with serving(server, address) as port:
        with pytest.raises(CannotAsk, match="--ca"):
            await asyncio.to_thread(Api(f"https://localhost:{port}", TOKEN).ask, LIMITS)
        assert server.asked == []
        said = await asyncio.to_thread(Api(f"https://localhost:{port}", TOKEN, authority.bundle).ask, LIMITS)
    assert said.value == {"minutes": 1}
