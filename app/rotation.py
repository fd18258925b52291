"""Secrets and private keys that are changed while the process runs, without a restart.

The settings are read again every few seconds. What is new is believed when it is read a second time, because a file
may be half written the first time; so a change holds everywhere `EVERY` twice after it was made, and a moment more.
What is not there any more, or cannot be read, changes nothing: a mistake must not stop what works.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import overload

import structlog

from app.config import AppSettings, Settings
from app.configuration import record_configuration
from app.errors import ActionableError
from app.key_process import key_fingerprint_apart
from app.secret import NewestSecret, SecretStr
from app.store.database import Database, DatabaseAway, place_of

EVERY = 5.0  # seconds

log = structlog.get_logger(__name__)

Reread = Callable[[], Settings]  # raises ActionableError
Secrets = Mapping[str, tuple[SecretStr, ...]]  # by name


class Rotating(Sequence[SecretStr]):
    """The secrets that hold now; whoever keeps this sees each change."""

    def __init__(self, secrets: Sequence[SecretStr]) -> None:
        self._secrets = tuple(secrets)

    @overload
    def __getitem__(self, index: int) -> SecretStr: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[SecretStr, ...]: ...
    def __getitem__(self, index: int | slice) -> SecretStr | tuple[SecretStr, ...]:
        return self._secrets[index]

    def __iter__(self) -> Iterator[SecretStr]:
        return iter(self._secrets)

    def __len__(self) -> int:
        return len(self._secrets)

    def become(self, secrets: Sequence[SecretStr]) -> None:
        self._secrets = tuple(secrets)


class Rotation:
    """`settings` are those to work with: their secrets are the ones that hold now."""

    def __init__(self, settings: Settings) -> None:
        self._rings = {name: Rotating(secrets) for name, secrets in secrets_of(settings).items()}
        self.settings = _with_secrets(settings, self._rings)
        self.unrecorded = False  # a change of which the audit log does not know yet
        self._found: Secrets | None = None  # at the last look, where it was something new

    def look(self, found: Settings) -> bool:
        """Whether the secrets have changed now, after what `found` says."""
        known, new = self.secrets, secrets_of(found)
        again, self._found = new == self._found, new if new != known else None
        if new == known or not again or not self._usable(found):
            return False
        for name, secrets in new.items():
            self._rings[name].become(secrets)
        return True

    @property
    def secrets(self) -> Secrets:
        """Those that hold now."""
        return {name: tuple(ring) for name, ring in self._rings.items()}

    @property
    def database_url(self) -> str | None:
        """The one that holds now; None for the app's own server."""
        ring = self._rings["database"]
        return ring[0].get_secret_value() if ring else None

    def _usable(self, found: Settings) -> bool:
        """What was given at the start is still given, for the same holders; anything else takes a restart."""
        known, new = _holders(self.settings), _holders(found)
        other = sorted(name for name in known | new if known.get(name) != new.get(name))
        if other:
            log.warning("secrets are missing or of somebody else: what was read before holds until a restart", of=other)
        return not other


def secrets_of(settings: Settings) -> dict[str, tuple[SecretStr, ...]]:
    """All that can be rotated, by name; nothing where nothing is given."""
    gate, courier, pages, litellm = settings.gate, settings.courier, settings.pages, settings.litellm
    url = settings.database_url
    found: dict[str, Sequence[SecretStr]] = {
        "webhook": settings.webhook_secrets,
        "gate": () if gate is None else gate.private_keys,
        "courier": () if courier is None else courier.private_keys,
        "client": () if pages is None else pages.client_secrets,
        "operator": settings.operator_tokens,
        "supervisor": settings.supervisor_secrets,
        "litellm": () if litellm is None else (litellm.key,),
        "heartbeat": () if settings.heartbeat_url is None else (settings.heartbeat_url,),
        "database": () if url is None else (SecretStr(url),),
    }
    found |= {server.system: (server.credential,) for server in settings.ci_servers}
    return {name: tuple(secrets) for name, secrets in found.items()}


def _holders(settings: Settings) -> dict[str, object]:
    """Who each of the secrets that are given is for."""
    gate, courier, pages, litellm = settings.gate, settings.courier, settings.pages, settings.litellm
    whose: dict[str, object] = {
        "gate": None if gate is None else gate.app_id,
        "courier": None if courier is None else courier.app_id,
        "client": None if pages is None else pages.client_id,
        "litellm": None if litellm is None else litellm.url,
        "supervisor": settings.supervisor_url,
        "database": None if settings.database_url is None else place_of(settings.database_url),
    }
    whose |= {server.system: server.api for server in settings.ci_servers}
    return {name: whose.get(name, name) for name, secrets in secrets_of(settings).items() if secrets}


def _with_secrets(settings: Settings, rings: Mapping[str, Sequence[SecretStr]]) -> Settings:
    """The same, with secrets that change as the rings do. The database's address is its own matter."""
    pages, litellm = settings.pages, settings.litellm
    return replace(
        settings,
        webhook_secrets=rings["webhook"],
        gate=_with_keys(settings.gate, rings["gate"]),
        courier=_with_keys(settings.courier, rings["courier"]),
        pages=None if pages is None else replace(pages, client_secrets=rings["client"]),
        operator_tokens=rings["operator"],
        supervisor_secrets=rings["supervisor"],
        litellm=None if litellm is None else replace(litellm, key=NewestSecret(rings["litellm"])),
        heartbeat_url=None if settings.heartbeat_url is None else NewestSecret(rings["heartbeat"]),
        ci_servers=tuple(replace(one, credential=NewestSecret(rings[one.system])) for one in settings.ci_servers),
    )


def _with_keys(app: AppSettings | None, keys: Sequence[SecretStr]) -> AppSettings | None:
    return None if app is None else replace(app, private_keys=keys)


@contextlib.asynccontextmanager
async def rotated(settings: Settings, reread: Reread | None, database: Database) -> AsyncIterator[Settings]:
    """The settings to work with while the block lasts. Without `reread` they stay as they are."""
    if reread is None:
        yield settings
        return
    rotation = Rotation(settings)
    task = asyncio.create_task(_watch(rotation, reread, database))
    try:
        yield rotation.settings
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _watch(rotation: Rotation, reread: Reread, database: Database) -> None:
    """Runs until it is cancelled."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            await _look(rotation, reread, database)
        except DatabaseAway as away:
            log.warning("the database does not take the change of secrets yet", because=str(away))
        except ActionableError as wrong:
            log.warning("settings cannot be read again; what was read before holds", because=str(wrong))
        except Exception:
            # Whatever it is: a watcher that ended would let a removed secret be good for ever.
            log.exception("settings could not be looked at")


async def _look(rotation: Rotation, reread: Reread, database: Database) -> None:
    """Raises DatabaseAway: then the next look does what is left. Raises ActionableError."""
    found = await asyncio.to_thread(reread)
    broken = await _broken_keys(rotation.secrets, secrets_of(found))
    if broken:
        log.warning("a private key is no RSA key in PEM form: what was read before holds", of=broken)
    elif rotation.look(found):
        log.info("secrets were rotated", **{name: len(secrets) for name, secrets in rotation.secrets.items()})
        rotation.unrecorded = True
    url = rotation.database_url
    if url is not None and url != database.conninfo:
        await database.readdress(url)
        log.info("new connections to the database are made with another user or password")
    if rotation.unrecorded:
        await record_configuration(database, rotation.settings)
        rotation.unrecorded = False


async def _broken_keys(known: Secrets, new: Secrets) -> list[str]:
    """Whose Apps' new private keys are none, or none of all that are left: a key removed must not leave only those.

    Raises BadCredentials where that cannot be told.
    """
    changed = [name for name in ("gate", "courier") if new[name] != known[name]]
    return [name for name in changed if await _are_broken(known[name], new[name])]


async def _are_broken(known: Sequence[SecretStr], new: Sequence[SecretStr]) -> bool:
    broken = [key for key in new if await key_fingerprint_apart(key) is None]
    return any(key not in known for key in broken) or (bool(broken) and len(broken) == len(new))
