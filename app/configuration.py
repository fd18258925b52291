"""What credentials and baseline a process has, as the audit log has it: fingerprints, never secrets.

A process tells of what it was given. One that was given less, as a proxy is without the gate's key, says nothing of
the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence

from app.config import AppSettings, Settings
from app.key_process import key_fingerprint_apart
from app.secret import SecretStr
from app.store import audit
from app.store.audit import Entry
from app.store.database import Database

SALT = b"mergegate audit log"


async def record_configuration(database: Database, settings: Settings) -> None:
    """Record each part that is another one than the log has. Raises DatabaseAway."""
    parts = [entry async for entry in _parts(settings)]
    async with database.transaction() as connection:
        new = []
        for entry in parts:
            known = await audit.newest(connection, "configuration", None, entry.subject)
            if known is None or known.entry.data != entry.data:
                new.append(entry)
        await audit.append(connection, new)


async def _parts(settings: Settings) -> AsyncIterator[Entry]:
    for name, app in (("gate", settings.gate), ("courier", settings.courier)):
        if app is not None:
            yield Entry("configuration", f"{name} App", None, await _app(app))
    if settings.webhook_secrets:
        yield Entry("configuration", "webhook secrets", None, _secrets(settings.webhook_secrets))
    if settings.pages is not None:
        yield Entry("configuration", "client secret", None, _secrets(settings.pages.client_secrets))
    if settings.operator_tokens:
        yield Entry("configuration", "operator token", None, _secrets(settings.operator_tokens))
    if settings.litellm is not None:
        yield Entry("configuration", "key of the metering gateway", None, _secrets([settings.litellm.key]))
    if settings.supervisor_secrets:
        yield Entry("configuration", "supervisor secret", None, _secrets(settings.supervisor_secrets))
    for one in settings.ci_servers:
        yield Entry("configuration", f"credential of {one.system}", None, _secrets([one.credential]))
    if settings.policy_baseline is not None:
        digest = hashlib.sha256(settings.policy_baseline.encode()).hexdigest()
        yield Entry("configuration", "policy baseline", None, {"digest": f"sha256:{digest}"})


async def _app(app: AppSettings) -> dict[str, object]:
    keys = [await key_fingerprint_apart(key) or "unreadable" for key in app.private_keys]
    return {"app_id": app.app_id, "keys": sorted(keys)}


def _secrets(secrets: Sequence[SecretStr]) -> dict[str, object]:
    return {"fingerprints": sorted(secret_fingerprint(secret) for secret in secrets)}


def secret_fingerprint(secret: SecretStr) -> str:
    """Slow to try guesses against, for a secret that a person made up."""
    return hashlib.scrypt(secret.get_secret_value().encode(), salt=SALT, n=2**14, r=8, p=1, dklen=8).hex()
