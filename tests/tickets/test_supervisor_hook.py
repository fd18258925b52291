"""Whoever runs agents elsewhere is told by a signed webhook, and only its clear word confirms a stop."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.config import Misconfigured, read_settings
from app.secret import SecretStr
from app.service import build_tickets
from app.tickets.escalating_channels import UnusableChannels
from app.tickets.supervisor import Supervisor
from app.tickets.supervisor_hook import MOST_READ, SupervisorHook, signed

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SECRET = SecretStr("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
GZIP = {"content-encoding": "gzip"}
Handler = Callable[[httpx.Request], httpx.Response]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class _Sent(httpx.AsyncByteStream):
    """An answer that still has to be read, as from a network."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._raw


def _hook(handler: Handler, seconds: float = 5.0) -> SupervisorHook:
    def answer(request: httpx.Request) -> httpx.Response:
        made = handler(request)
        assert isinstance(made.stream, httpx.ByteStream)
        return httpx.Response(made.status_code, headers=made.headers, stream=_Sent(b"".join(made.stream)))

    url = "https://runner.example/hook"
    return SupervisorHook(url, (SECRET,), seconds, lambda: httpx.MockTransport(answer), lambda: NOW)


def test_the_signature_is_that_of_the_published_example() -> None:
    """The example of the libraries of Standard Webhooks and Svix: secret, id, time, body and signature."""
    headers = signed((SECRET,), b'{"test": 2432232314}', 1614265330, "msg_p5jXN8AQM9LWM0D4loKWxJek")
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_while_there_are_two_secrets_each_signs() -> None:
    """A list of signatures is for this: https://www.standardwebhooks.com/ (signature scheme)."""
    other = SecretStr("another-secret-of-thirty-two-chars")
    both, one, two = (
        signed(secrets, b"x", 1)["webhook-signature"] for secrets in ((other, SECRET), (other,), (SECRET,))
    )
    assert both == f"{one} {two}" and one != two


@pytest.mark.parametrize("secret", ["plain" * 8, "whsec_no base64" * 4])
def test_a_secret_that_is_no_base64_is_taken_as_it_stands(secret: str) -> None:
    assert signed((SecretStr(secret),), b"x", 1)["webhook-signature"].startswith("v1,")


async def test_the_body_is_that_of_the_program_and_the_same_order_has_the_same_id() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(202)

    for _ in range(2):
        assert await _hook(answer).tell("start", {"ticket": 7})
    first, second = seen
    assert json.loads(first.content) == {"what": "start", "ticket": 7}
    assert (first.method, first.headers["webhook-timestamp"]) == ("POST", str(int(NOW.timestamp())))
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    again = signed((SECRET,), first.content, int(NOW.timestamp()), first.headers["webhook-id"])
    assert first.headers["webhook-signature"] == again["webhook-signature"]


@pytest.mark.parametrize(
    ("response", "gone"),
    [
        (httpx.Response(200, json={"gone": True}), True),
        (httpx.Response(200, json={"gone": "true"}), False),
        (httpx.Response(200, json=[True]), False),
        (httpx.Response(200, text="gone"), False),
        (httpx.Response(204), False),
        (httpx.Response(500, json={"gone": True}), False),
        (httpx.Response(307, headers={"location": "https://else.example/"}, json={"gone": True}), False),
        (httpx.Response(200, text='{"gone": true, "x": "' + "x" * MOST_READ + '"}'), False),
        # Nothing is unpacked: little that is compressed may be very much.
        (httpx.Response(200, headers=GZIP, content=gzip.compress(b'{"gone": true}')), False),
    ],
)
async def test_only_its_clear_word_confirms_a_stop(response: httpx.Response, gone: bool) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return response

    assert await _hook(answer).tell("stop", {"ticket": 7}) is gone
    assert asked == ["runner.example"]  # no redirect is followed


async def test_whoever_is_not_there_or_breaks_off_did_nothing() -> None:
    def broken(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route", request=request)

    assert not await _hook(broken).tell("start", {})
    assert not await SupervisorHook("https://[", (SECRET,)).tell("start", {})


@pytest.mark.parametrize(
    ("more", "because"),
    [
        ({"URL": "https://runner.example"}, "SUPERVISOR_SECRET: missing"),
        ({"SECRET": "s" * 40}, "SUPERVISOR_URL: missing"),
        ({"URL": "http://runner.example", "SECRET": "s" * 40}, "not https"),
        ({"URL": "https://runner.example", "SECRET": "short"}, "under 32 characters"),
    ],
)
def test_half_a_supervisor_and_one_in_clear_are_refused(more: dict[str, str], because: str, tmp_path: Path) -> None:
    given = {f"MERGEGATE_SUPERVISOR_{name}": value for name, value in more.items()}
    with pytest.raises(Misconfigured, match=because):
        read_settings({"MERGEGATE_DATA": str(tmp_path), **given})


def test_a_program_or_a_webhook_and_never_both(tmp_path: Path) -> None:
    given = {"MERGEGATE_SUPERVISOR_URL": "http://127.0.0.1:9/x", "MERGEGATE_SUPERVISOR_SECRET": "s" * 40}
    settings = read_settings({"MERGEGATE_DATA": str(tmp_path), **given})
    assert settings.supervisor_url == "http://127.0.0.1:9/x"
    assert "sss" not in repr(settings)
    with pytest.raises(Misconfigured, match="set one of them"):
        read_settings({"MERGEGATE_DATA": str(tmp_path), "MERGEGATE_SUPERVISOR": "/bin/true", **given})


def test_the_service_has_the_supervisor_that_the_settings_name(tmp_path: Path) -> None:
    gate: Any = None
    given = {"MERGEGATE_SUPERVISOR_URL": "https://runner.example/x", "MERGEGATE_SUPERVISOR_SECRET": "s" * 40}
    told = build_tickets(read_settings({"MERGEGATE_DATA": str(tmp_path), **given}), gate).supervisor
    assert isinstance(told, SupervisorHook)
    assert told.url == "https://runner.example/x"
    program = read_settings({"MERGEGATE_DATA": str(tmp_path), "MERGEGATE_SUPERVISOR": "/bin/true"})
    assert build_tickets(program, gate).supervisor == Supervisor(Path("/bin/true"))
    others = read_settings({"MERGEGATE_DATA": str(tmp_path), "MERGEGATE_CHANNELS": str(tmp_path / "none.yml")})
    with pytest.raises(UnusableChannels, match="cannot be read"):
        build_tickets(others, gate)
