"""Secrets that are read from files and changed there while a process works with them."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from structlog.testing import capture_logs

from app.ci.fetching import Answer, CiClient
from app.config import Settings, read_settings
from app.heartbeat import beat
from app.rotation import Rotation, rotated, secrets_of
from app.secret import NewestSecret, SecretStr, keys_in
from app.store.database import Database
from app.store.embedded import Embedded
from app.tickets.litellm import Gateway
from app.tickets.supervisor_hook import SupervisorHook
from tests.databases import anyio_backend, database, database_url, server
from tests.github.build import app_key
from tests.tickets.litellm import ADMIN, LiteLlm

__all__ = ["anyio_backend", "database", "database_url", "server"]

OLD, NEW = "old-secret-of-more-than-thirty-two-characters", "new-secret-of-more-than-thirty-two-characters"
PLAIN = {
    "APP_ID": "1",
    "COURIER_APP_ID": "2",
    "PUBLIC_URL": "https://gate.example",
    "CLIENT_ID": "Iv1.x",
    "LITELLM_URL": "https://models.example",
    "SUPERVISOR_URL": "https://runner.example",
    "JENKINS_URL": "https://ci.example",
    "JENKINS_USER": "gate",
}
# Variable, and what is in its file before and after.
FILES = {
    "WEBHOOK_SECRET": (OLD, NEW),
    "PRIVATE_KEY": (app_key(1)[0], app_key(2)[0]),
    "COURIER_PRIVATE_KEY": (app_key(3)[0], app_key(4)[0]),
    "CLIENT_SECRET": (OLD, f"{NEW}\n{OLD}"),
    "OPERATOR_TOKEN": (OLD, f"{NEW}\n{OLD}"),
    "SUPERVISOR_SECRET": (OLD, f"{NEW}\n{OLD}"),
    "LITELLM_KEY": ("sk-old", "sk-new"),
    "HEARTBEAT_URL": ("https://watchdog.example/old", "https://watchdog.example/new"),
    "BUILDKITE_TOKEN": ("bk-old", "bk-new"),
    "CIRCLECI_TOKEN": ("cc-old", "cc-new"),
    "JENKINS_TOKEN": ("jk-old", "jk-new"),
    "DATABASE_URL": ("postgresql://gate:old@db.example/gate", "postgresql://gate:new@db.example/gate"),
}


def _files(folder: Path, number: int) -> dict[str, str]:
    """The variables, after the files were written with the first or second of what may be in them."""
    for name, texts in FILES.items():
        (folder / name).write_text(texts[number])
    named = {f"MERGEGATE_{name}_FILE": str(folder / name) for name in FILES}
    return {"MERGEGATE_DATA": str(folder), **{f"MERGEGATE_{name}": text for name, text in PLAIN.items()}, **named}


def _changed(folder: Path) -> tuple[Settings, Rotation]:
    """Settings that a process has worked with since before all files were changed."""
    rotation = Rotation(read_settings(_files(folder, 0)))
    reread = partial(read_settings, _files(folder, 1))
    assert [rotation.look(reread()) for _ in range(3)] == [False, True, False]
    return rotation.settings, rotation


def _secrets(value: object) -> Iterator[SecretStr]:
    """Every secret in settings, wherever it stands."""
    if isinstance(value, SecretStr):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from _secrets(getattr(value, field.name))
    elif isinstance(value, Sequence | Mapping) and not isinstance(value, str):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _secrets(one)


def test_no_secret_of_the_settings_is_left_out(tmp_path: Path) -> None:
    given = read_settings(_files(tmp_path, 0))
    rotated_ones = {secret for secrets in secrets_of(given).values() for secret in secrets}
    assert set(_secrets(given)) == rotated_ones - {SecretStr(FILES["DATABASE_URL"][0])}
    assert len(secrets_of(given)) == len(FILES) and all(secrets_of(given).values())


def test_whoever_was_given_them_at_the_start_sees_each_change(tmp_path: Path) -> None:
    settings, rotation = _changed(tmp_path)
    now = read_settings(_files(tmp_path, 1))
    assert list(_secrets(settings)) == list(_secrets(now))
    assert rotation.database_url == FILES["DATABASE_URL"][1]
    assert not set(_secrets(settings)) <= set(_secrets(read_settings(_files(tmp_path, 0))))


@pytest.mark.parametrize(
    ("name", "text", "of"),
    [
        ("HEARTBEAT_URL", "", ["heartbeat"]),
        ("OPERATOR_TOKEN", "\n", ["operator"]),
        ("BUILDKITE_TOKEN", "", ["buildkite"]),
        ("DATABASE_URL", "postgresql://gate:new@other.example/gate", ["database"]),
        ("DATABASE_URL", "a password alone", ["database"]),
    ],
)
def test_what_is_empty_or_of_somebody_else_changes_nothing_and_is_said(
    name: str, text: str, of: list[str], tmp_path: Path
) -> None:
    given = _files(tmp_path, 0)
    rotation = Rotation(read_settings(given))
    (tmp_path / name).write_text(text)
    with capture_logs() as said:
        assert not any(rotation.look(read_settings(given)) for _ in range(3))
    assert rotation.secrets == secrets_of(read_settings(_files(tmp_path, 0)))
    assert {tuple(line["of"]) for line in said if line["log_level"] == "warning"} == {tuple(of)}


def test_a_value_in_the_environment_stays(tmp_path: Path) -> None:
    given = {**_files(tmp_path, 0), "MERGEGATE_OPERATOR_TOKEN": OLD}
    rotation = Rotation(read_settings(given))
    _files(tmp_path, 1)
    assert [rotation.look(read_settings(given)) for _ in range(2)] == [False, True]
    assert tuple(rotation.settings.operator_tokens) == (SecretStr(OLD),)


@pytest.mark.anyio
async def test_the_gateway_for_models_is_asked_with_the_new_key() -> None:
    double, ring = LiteLlm(), [SecretStr("sk-of-yesterday")]
    gateway = Gateway("http://gateway.test", NewestSecret(ring), lambda: httpx.ASGITransport(app=double.app()))
    ring[0] = SecretStr(ADMIN)
    assert (await gateway.generate(budget=Decimal(1), seconds=60, metadata={})).budget == 1


@pytest.mark.anyio
async def test_what_is_sent_elsewhere_holds_the_new_secret(tmp_path: Path) -> None:
    settings, _ = _changed(tmp_path)
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, content=b"{}")

    at = httpx.MockTransport(answer)
    for ci in settings.ci_servers:
        async with CiClient(ci, at) as client:
            await client.answer("/x", Answer)
    assert settings.heartbeat_url is not None
    with pytest.raises(asyncio.CancelledError):
        await beat(settings.heartbeat_url, lambda: True, transport=at, sleep=_once())
    basic = base64.b64encode(b"gate:jk-new").decode()
    headers = [request.headers.get("circle-token", request.headers.get("authorization")) for request in sent]
    assert headers == ["Bearer bk-new", "cc-new", f"Basic {basic}", None]
    assert str(sent[-1].url) == FILES["HEARTBEAT_URL"][1]


def _once() -> Callable[[float], Awaitable[None]]:
    naps = iter((0.0,))

    async def sleep(_: float) -> None:
        if next(naps, None) is None:
            raise asyncio.CancelledError

    return sleep


@pytest.mark.anyio
async def test_a_supervisor_elsewhere_can_check_with_either_secret(tmp_path: Path) -> None:
    settings, _ = _changed(tmp_path)
    signatures: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        signatures.append(request.headers["webhook-signature"])
        return httpx.Response(202, stream=httpx.ByteStream(b""))

    hook = SupervisorHook(
        "https://runner.example", settings.supervisor_secrets, connect=lambda: httpx.MockTransport(answer)
    )
    assert await hook.tell("start", {"ticket": 7})
    assert len(signatures[0].split()) == 2


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five seconds between two looks are long for a test."""
    monkeypatch.setattr("app.rotation.EVERY", 0.02)


@pytest.mark.anyio
@pytest.mark.usefixtures("often")
async def test_a_file_that_is_away_changes_nothing_until_it_is_back(tmp_path: Path, database: Database) -> None:
    file = tmp_path / "token"
    file.write_text(OLD)
    reread = partial(read_settings, {"MERGEGATE_OPERATOR_TOKEN_FILE": str(file)})
    async with rotated(reread(), reread, database) as settings:
        with capture_logs() as said:
            file.unlink()
            await _until(lambda: any("cannot be read" in line.get("because", "") for line in said))
            assert tuple(settings.operator_tokens) == (SecretStr(OLD),)
            file.write_text(f"{NEW}\n{OLD}\n")
            await _until(lambda: tuple(settings.operator_tokens) == (SecretStr(NEW), SecretStr(OLD)))
            file.write_text(NEW)
            await _until(lambda: tuple(settings.operator_tokens) == (SecretStr(NEW),))
    assert [line["operator"] for line in said if line["event"] == "secrets were rotated"] == [2, 1]
    assert not any(secret in str(said) for secret in (OLD, NEW))


@pytest.mark.anyio
@pytest.mark.usefixtures("often")
async def test_another_user_of_the_database_is_believed_once_it_is_let_in(
    tmp_path: Path, server: Embedded, database: Database
) -> None:
    file, old = tmp_path / "url", server.conninfo
    file.write_text(old)
    reread = partial(read_settings, {"MERGEGATE_DATABASE_URL_FILE": str(file)})
    new = make_conninfo(old, user="gate_next")
    with psycopg.connect(old, autocommit=True) as admin, capture_logs() as said:
        try:
            async with rotated(reread(), reread, database):
                file.write_text(new)
                await _until(lambda: any("does not take" in line["event"] for line in said))
                assert database.conninfo == old
                admin.execute("create role gate_next login in role mergegate")
                admin.execute("alter role gate_next set role mergegate")
                await _until(lambda: database.conninfo == new)
                admin.execute("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()")
                assert await database.query("select session_user, current_user") == [("gate_next", "mergegate")]
        finally:
            await database.readdress(old)
            admin.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gate_next'")
            admin.execute("drop role if exists gate_next")


@pytest.mark.anyio
@pytest.mark.usefixtures("often")
async def test_a_private_key_that_is_none_is_not_believed_even_before_a_good_one(
    tmp_path: Path, database: Database
) -> None:
    file, (old, new) = tmp_path / "key", FILES["PRIVATE_KEY"]
    file.write_text(old)
    reread = partial(read_settings, {"MERGEGATE_APP_ID": "1", "MERGEGATE_PRIVATE_KEY_FILE": str(file)})
    async with rotated(reread(), reread, database) as settings:
        gate = settings.gate
        assert gate is not None
        with capture_logs() as said:
            file.write_text(new.replace("M", "?", 3) + old)
            await _until(lambda: sum("no RSA key" in line["event"] for line in said) > 2)
            assert tuple(gate.private_keys) == keys_in(old)
            file.write_text(new + old)
            await _until(lambda: tuple(gate.private_keys) == keys_in(new + old))


async def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
