"""What the audit log has of credentials: enough to see that one was changed, nothing that would help to guess it."""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.config import AppSettings, LitellmSettings, PageSettings, Settings
from app.configuration import record_configuration, secret_fingerprint
from app.gate.child_request import Child
from app.github.errors import BadCredentials
from app.key_process import key_fingerprint_apart
from app.secret import SecretStr
from app.store import audit
from app.store.audit import read_record
from app.store.database import Database
from tests.databases import anyio_backend, database, database_url, server
from tests.github.build import app_key

__all__ = ["anyio_backend", "database", "database_url", "server"]

WEBHOOK, CLIENT, OPERATOR, MODELS, RUNNER = (
    "webhook-secret-of-thirty-two-chars",
    "client-secret-1",
    "operator-token-of-thirty-two-chars",
    "sk-key-of-the-gateway",
    "secret-of-the-supervisor-thirty-two",
)


@pytest.mark.anyio
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
async def test_a_key_has_the_fingerprint_that_githubs_instructions_give() -> None:
    key = app_key(1)[0]
    assert await key_fingerprint_apart(SecretStr(key)) == f"SHA256:{_by_openssl(key)}"


def _by_openssl(key: str) -> str:
    """The pipeline of commands in GitHub's documentation; its address is with `key_fingerprint`."""
    public = subprocess.run(
        ("openssl", "rsa", "-pubout", "-outform", "DER"), input=key.encode(), capture_output=True, check=True
    ).stdout
    return base64.b64encode(hashlib.sha256(public).digest()).decode()


@pytest.mark.anyio
async def test_what_is_no_key_is_said_to_be_none() -> None:
    assert await key_fingerprint_apart(SecretStr("-----BEGIN RSA PRIVATE KEY-----")) is None


@pytest.mark.anyio
async def test_a_key_that_no_process_could_work_with_is_not_called_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.key_process.CHILD", Child("tests.gate.hostile:dies", 1024**3, 20.0))
    with pytest.raises(BadCredentials, match="died or took too long"):
        await key_fingerprint_apart(SecretStr(app_key(1)[0]))


def test_secrets_are_told_apart_and_not_told() -> None:
    one, other = secret_fingerprint(SecretStr(WEBHOOK)), secret_fingerprint(SecretStr(CLIENT))
    assert one != other and one == secret_fingerprint(SecretStr(WEBHOOK))
    assert WEBHOOK not in one and hashlib.sha256(WEBHOOK.encode()).hexdigest()[:16] != one


def settings(keys: Sequence[str], webhook: Sequence[str] = (WEBHOOK,)) -> Settings:
    return Settings(
        data=Path("/nonexistent"),
        gate=AppSettings(app_id=7, private_keys=tuple(map(SecretStr, keys))),
        webhook_secrets=tuple(map(SecretStr, webhook)),
        pages=PageSettings(public_url="https://gate.example", client_id="x", client_secrets=(SecretStr(CLIENT),)),
        operator_tokens=(SecretStr(OPERATOR),),
        litellm=LitellmSettings(url="https://models.example", key=SecretStr(MODELS)),
        supervisor_secrets=(SecretStr(RUNNER),),
        policy_baseline="version: 1",
    )


async def changes(database: Database) -> list[str]:
    async with database.transaction() as connection:
        return [read_record(link.record).entry.subject async for link in audit.links(connection)]


@pytest.mark.anyio
async def test_a_change_is_recorded_once_and_without_a_secret(database: Database) -> None:
    old, new = app_key(1)[0], app_key(2)[0]
    for _ in range(2):
        await record_configuration(database, settings([old]))
    first = ["gate App", "webhook secrets", "client secret", "operator token"]
    first += ["key of the metering gateway", "supervisor secret", "policy baseline"]
    assert await changes(database) == first
    await record_configuration(database, settings([new, old]))
    await record_configuration(database, settings([new, old], (WEBHOOK, CLIENT)))
    await record_configuration(database, Settings(data=Path("/nonexistent")))
    assert await changes(database) == [*first, "gate App", "webhook secrets"]
    text = "".join(row[0] for row in await database.query("select record from audit_log"))
    assert not any(secret in text for secret in (WEBHOOK, CLIENT, OPERATOR, MODELS, RUNNER, old[60:120], new[60:120]))
