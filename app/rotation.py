"""Webhook secrets and private keys that are changed while the process runs, without a restart.

The settings are read again every few seconds. What is new is believed when it is read a second time, because a file
may be half written the first time; so a change holds everywhere `EVERY` twice after it was made, and a moment more.
What is not there any more, or cannot be read, changes nothing: a mistake must not stop what works.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import overload

import structlog

from app.config import AppSettings, Settings
from app.configuration import record_configuration
from app.errors import ActionableError
from app.secret import SecretStr
from app.store.database import Database, DatabaseAway

EVERY = 5.0  # seconds

log = structlog.get_logger(__name__)

Reread = Callable[[], Settings]  # raises ActionableError


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


@dataclass(frozen=True, slots=True)
class Secrets:
    """What can be rotated, as settings have it."""

    webhook: tuple[SecretStr, ...]
    gate: tuple[SecretStr, ...]
    courier: tuple[SecretStr, ...]


class Rotation:
    """`settings` are those to work with: their secrets are the ones that hold now."""

    def __init__(self, settings: Settings) -> None:
        self.settings = replace(
            settings,
            webhook_secrets=Rotating(settings.webhook_secrets),
            gate=_rotating(settings.gate),
            courier=_rotating(settings.courier),
        )
        self.unrecorded = False  # a change of which the audit log does not know yet
        self._found: Secrets | None = None  # at the last look, where it was something new

    def look(self, found: Settings) -> bool:
        """Whether the secrets have changed now, after what `found` says."""
        known, new = secrets_of(self.settings), secrets_of(found)
        again, self._found = new == self._found, new if new != known else None
        if new == known or not again or not self._usable(found):
            return False
        for ring, secrets in zip(self._rings(), (new.webhook, new.gate, new.courier), strict=True):
            ring.become(secrets)
        return True

    def _usable(self, found: Settings) -> bool:
        """What was given at the start is still given, for the same Apps; anything else takes a restart."""
        same = _ids(found) == _ids(self.settings) and bool(found.webhook_secrets) == bool(self.settings.webhook_secrets)
        if not same:
            log.warning("secrets or Apps are missing or other ones: what was read before holds until a restart")
        return same

    def _rings(self) -> tuple[Rotating, Rotating, Rotating]:
        settings = self.settings
        rings = (
            settings.webhook_secrets,
            () if settings.gate is None else settings.gate.private_keys,
            () if settings.courier is None else settings.courier.private_keys,
        )
        webhook, gate, courier = (ring if isinstance(ring, Rotating) else Rotating(ring) for ring in rings)
        return webhook, gate, courier


def secrets_of(settings: Settings) -> Secrets:
    gate, courier = settings.gate, settings.courier
    return Secrets(
        tuple(settings.webhook_secrets),
        () if gate is None else tuple(gate.private_keys),
        () if courier is None else tuple(courier.private_keys),
    )


def _rotating(app: AppSettings | None) -> AppSettings | None:
    return None if app is None else replace(app, private_keys=Rotating(app.private_keys))


def _ids(settings: Settings) -> tuple[int | None, int | None]:
    gate, courier = settings.gate, settings.courier
    return None if gate is None else gate.app_id, None if courier is None else courier.app_id


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
            log.warning("the change of secrets could not be recorded yet", because=str(away))
        except ActionableError as wrong:
            log.warning("settings cannot be read again; what was read before holds", because=str(wrong))
        except Exception:
            # Whatever it is: a watcher that ended would let a removed secret be good for ever.
            log.exception("settings could not be looked at")


async def _look(rotation: Rotation, reread: Reread, database: Database) -> None:
    """Raises DatabaseAway: then the next look records what changed. Raises ActionableError."""
    if rotation.look(await asyncio.to_thread(reread)):
        now = secrets_of(rotation.settings)
        log.info("secrets were rotated", webhook=len(now.webhook), gate=len(now.gate), courier=len(now.courier))
        rotation.unrecorded = True
    if rotation.unrecorded:
        await record_configuration(database, rotation.settings)
        rotation.unrecorded = False
