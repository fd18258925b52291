"""`mergegate rotate`: the new one beside the old one, then alone, for an App that the data folder keeps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.rotate import rotate
from app.config import read_settings
from app.local.clone import CannotLook
from app.registrations import Registration, changing, load, path_of, save
from app.secret import SecretStr
from tests.gate.scene import GATE_EVENTS, GATE_PERMISSIONS
from tests.github.build import app_key
from tests.github.server import SimulatedGitHub

pytestmark = pytest.mark.anyio

NEW = app_key(91)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Registration]:
    """An App at GitHub that takes both keys, and what the data folder has of it."""
    hub = SimulatedGitHub.create(tmp_path / "github")
    address = await hub.start()
    app, key = hub.register_app("mergegate", GATE_PERMISSIONS, GATE_EVENTS)
    app.more_public_keys = [NEW[1]]
    registration = Registration(
        app_id=app.id,
        slug="mergegate",
        html_url="https://github.com/apps/mergegate",
        private_key=SecretStr(key),
        webhook_secret=SecretStr("old-secret"),
        client_id=app.client_id,
        client_secret=SecretStr("old-client-secret"),
        public_url="https://gate.example",
    )
    save(tmp_path, "gate", registration)
    monkeypatch.setenv("MERGEGATE_DATA", str(tmp_path))
    monkeypatch.setenv("MERGEGATE_GITHUB_API_URL", address)
    (tmp_path / "new.pem").write_text(NEW[0])
    (tmp_path / "new-secret").write_text("new-secret\n")
    try:
        yield registration
    finally:
        await hub.stop()


def _now(folder: Path) -> tuple[list[str], list[str]]:
    """Private keys and webhook secrets, as a service that runs reads them again."""
    settings = read_settings({"MERGEGATE_DATA": str(folder)})
    assert settings.gate is not None
    keys = [key.get_secret_value() for key in settings.gate.private_keys]
    return keys, [secret.get_secret_value() for secret in settings.webhook_secrets]


async def test_the_new_ones_stand_beside_the_old_ones_and_then_alone(kept: Registration, tmp_path: Path) -> None:
    old, secret = kept.private_key.get_secret_value(), str(tmp_path / "new-secret")
    await asyncio.to_thread(rotate, "gate", key=str(tmp_path / "new.pem"), webhook_secret=secret)
    assert _now(tmp_path) == ([NEW[0], old], ["new-secret", "old-secret"])
    assert path_of(tmp_path, "gate").stat().st_mode & 0o777 == 0o600
    await asyncio.to_thread(rotate, "gate", only=True)
    assert _now(tmp_path) == ([NEW[0]], ["new-secret"])
    assert load(tmp_path, "gate") == replace(
        kept, private_key=SecretStr(NEW[0]), webhook_secret=SecretStr("new-secret")
    )


async def test_the_oldest_goes_when_a_third_comes(kept: Registration, tmp_path: Path) -> None:
    for secret in ("second", "third"):
        (tmp_path / "new-secret").write_text(secret)
        await asyncio.to_thread(rotate, "gate", webhook_secret=str(tmp_path / "new-secret"))
    assert _now(tmp_path) == ([kept.private_key.get_secret_value()], ["third", "second"])


async def test_once_more_with_the_same_ones_takes_nothing_out(kept: Registration, tmp_path: Path) -> None:
    """GitHub still signs with the old secret until a person has given it the new one."""
    old, secret = kept.private_key.get_secret_value(), str(tmp_path / "new-secret")
    for _ in range(2):
        await asyncio.to_thread(rotate, "gate", key=str(tmp_path / "new.pem"), webhook_secret=secret)
    assert _now(tmp_path) == ([NEW[0], old], ["new-secret", "old-secret"])


async def test_two_at_once_lose_nothing_of_each_other(kept: Registration, tmp_path: Path) -> None:
    given = ({"key": str(tmp_path / "new.pem")}, {"webhook_secret": str(tmp_path / "new-secret")})
    with changing(tmp_path):
        both = [asyncio.create_task(asyncio.to_thread(rotate, "gate", **one)) for one in given]  # type: ignore[arg-type]
        await asyncio.sleep(0)
    await asyncio.gather(*both)
    assert _now(tmp_path) == ([NEW[0], kept.private_key.get_secret_value()], ["new-secret", "old-secret"])
    assert sorted(path.name for path in (tmp_path / "apps").iterdir()) == ["gate.json", "lock"]


@pytest.mark.parametrize(
    ("role", "options", "because"),
    [
        ("gate", {}, "give --key, --webhook-secret or --client-secret"),
        ("courier", {"only": True}, "there is no .*courier.json"),
        ("gate", {"key": "other.pem"}, "GitHub does not take this key"),
        ("gate", {"key": "both.pem"}, "there are 2 private keys"),
        ("gate", {"key": "new-secret"}, "there are 0 private keys"),
        ("gate", {"webhook_secret": "empty"}, "there are 0 secrets"),
        ("gate", {"client_secret": "empty"}, "there are 0 secrets"),
        ("porter", {"only": True}, "is no role"),
    ],
)
async def test_what_cannot_be_used_changes_nothing(
    kept: Registration, tmp_path: Path, role: str, options: dict[str, str | bool], because: str
) -> None:
    (tmp_path / "other.pem").write_text(app_key(92)[0])
    (tmp_path / "both.pem").write_text(app_key(92)[0] + NEW[0])
    (tmp_path / "empty").write_text("\n")
    given = {name: value if isinstance(value, bool) else str(tmp_path / value) for name, value in options.items()}
    with pytest.raises(CannotLook, match=because):
        await asyncio.to_thread(rotate, role, **given)  # type: ignore[arg-type]
    assert load(tmp_path, "gate") == kept


async def test_an_app_that_polls_gets_no_secret(kept: Registration, tmp_path: Path) -> None:
    save(tmp_path, "gate", replace(kept, webhook_secret=None, polling=True))
    with pytest.raises(CannotLook, match="has no webhook secret"):
        await asyncio.to_thread(rotate, "gate", webhook_secret=str(tmp_path / "new-secret"))


async def test_a_client_secret_stands_before_the_old_one_and_then_alone(kept: Registration, tmp_path: Path) -> None:
    await asyncio.to_thread(rotate, "gate", client_secret=str(tmp_path / "new-secret"))
    assert _client_secrets(tmp_path) == ["new-secret", "old-client-secret"]
    await asyncio.to_thread(rotate, "gate", only=True)
    assert _client_secrets(tmp_path) == ["new-secret"]
    assert load(tmp_path, "gate") == replace(kept, client_secret=SecretStr("new-secret"))


def _client_secrets(folder: Path) -> list[str]:
    pages = read_settings({"MERGEGATE_DATA": str(folder)}).pages
    return [] if pages is None else [secret.get_secret_value() for secret in pages.client_secrets]


async def test_an_app_without_pages_gets_no_client_secret(kept: Registration, tmp_path: Path) -> None:
    save(tmp_path, "gate", replace(kept, client_secret=None))
    with pytest.raises(CannotLook, match="has no client secret"):
        await asyncio.to_thread(rotate, "gate", client_secret=str(tmp_path / "new-secret"))
