"""Webhook secrets and private keys that are rotated while several processes run."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from app import rotation
from app.config import AppSettings, Settings
from app.gate.git import GitFailed, init_bare
from app.gate.mirror import Remote
from app.github.errors import BadCredentials
from app.github.identity import AppIdentity
from app.intake.webhook import PATH
from app.rotation import EVERY, Rotating, Rotation, secrets_of
from app.secret import SecretStr
from app.store.database import Database
from tests.databases import anyio_backend, data_folder, database, database_url, server
from tests.gate.scene import SECRET
from tests.github.build import app_key
from tests.github.state import App
from tests.many.agents import Agent, agents
from tests.many.fleet import Fleet, Spread, fleet
from tests.many.town import Street, street

__all__ = ["anyio_backend", "database", "database_url", "server"]

NEW = "the-secret-that-comes-after-the-first"
SECONDS = 120.0
# Five seconds between two looks are long for a test.
OFTEN = ("-c", "from app import rotation; rotation.EVERY = 0.2\nfrom app.cli.main import main\nmain()")


def _settings(webhook: str, gate: str = "one", courier: str | None = "two", gate_id: int = 1) -> Settings:
    return Settings(
        data=Path("/nonexistent"),
        webhook_secrets=_secrets(webhook),
        gate=AppSettings(app_id=gate_id, private_keys=_secrets(gate)),
        courier=None if courier is None else AppSettings(app_id=2, private_keys=_secrets(courier)),
    )


def _secrets(words: str) -> tuple[SecretStr, ...]:
    return tuple(SecretStr(word) for word in words.split())


def test_what_is_read_twice_holds() -> None:
    rotation = Rotation(_settings("old"))
    secrets, keys = rotation.settings.webhook_secrets, AppIdentity("gate", 1, _keys(rotation.settings))
    assert not rotation.look(_settings("old"))
    assert not rotation.look(_settings("new old", "three one"))
    assert tuple(secrets) == _secrets("old")
    assert rotation.look(_settings("new old", "three one"))
    # Whoever was given them at the start sees the change.
    assert tuple(secrets) == _secrets("new old") and tuple(keys.private_keys) == _secrets("three one")
    assert not rotation.look(_settings("new old", "three one"))


def _keys(settings: Settings) -> Sequence[SecretStr]:
    assert settings.gate is not None
    return settings.gate.private_keys


def test_what_is_half_written_is_never_believed() -> None:
    rotation = Rotation(_settings("old"))
    for word in ("n", "ne", "old", "new", "old", "new"):
        assert not rotation.look(_settings(word))
    assert secrets_of(rotation.settings)["webhook"] == _secrets("old")
    assert rotation.look(_settings("new"))


@pytest.mark.parametrize(
    "found",
    [_settings(""), _settings("new", courier=None), _settings("new", gate_id=7), replace(_settings("new"), gate=None)],
    ids=["no secret", "no courier", "another App", "no App"],
)
def test_what_is_missing_or_another_app_changes_nothing(found: Settings) -> None:
    rotation = Rotation(_settings("old"))
    assert [rotation.look(found) for _ in range(3)] == [False] * 3
    assert secrets_of(rotation.settings) == secrets_of(_settings("old"))


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("keys", "holds"),
    [("no-key", False), ("{good}", True), ("other no-key {good}", False), ("{good} no-key", True)],
    ids=["only the broken one is left", "only the good one is left", "another broken one", "the other way round"],
)
async def test_a_removed_key_does_not_leave_only_one_that_is_none(keys: str, holds: bool) -> None:
    good = SecretStr(app_key(1)[0])
    known = {"gate": (SecretStr("no-key"), good), "courier": ()}
    new = {"gate": tuple(good if word == "{good}" else SecretStr(word) for word in keys.split()), "courier": ()}
    assert await rotation._broken_keys(known, new) == ([] if holds else ["gate"])


def test_a_key_is_counted_around_because_there_may_be_fewer_now() -> None:
    ring = Rotating(_secrets("new old"))
    identity = AppIdentity("gate", 1, ring)
    assert identity.private_key(1) == SecretStr("old")
    ring.become(_secrets("new"))
    assert identity.private_key(1) == SecretStr("new")
    ring.become(())
    with pytest.raises(BadCredentials, match="has no private key"):
        identity.private_key(0)


@pytest.mark.anyio
async def test_a_credential_that_git_came_to_nothing_with_is_not_used_again(tmp_path: Path) -> None:
    told: list[str] = []
    remote = Remote(str(tmp_path / "nowhere.git"), {}, lambda: told.append("failed"))
    await init_bare(tmp_path / "mirror.git")
    with pytest.raises(GitFailed):
        await remote.run(tmp_path / "mirror.git", ("fetch", remote.url))
    assert told == ["failed"]
    await remote.run(tmp_path / "mirror.git", ("ls-remote", str(tmp_path / "mirror.git")))
    assert told == ["failed"]


def test_the_time_is_the_one_that_people_are_told() -> None:
    readme = (Path(__file__).parents[2] / "deploy" / "README.md").read_text("utf-8")
    assert f"within {2 * EVERY + 5:.0f} seconds" in " ".join(readme.split())


@pytest.mark.anyio
async def test_everything_is_rotated_on_all_processes_while_they_work(database: Database, database_url: str) -> None:
    with data_folder() as folder:
        spread = Spread(random.Random(1))
        async with street(folder, database_url, spread) as place:
            (folder / "secret").write_text(SECRET)
            settings = {
                **place.settings,
                "MERGEGATE_WEBHOOK_SECRET": "",
                "MERGEGATE_WEBHOOK_SECRET_FILE": str(folder / "secret"),
            }
            running = fleet(folder, settings, ("web", "web", "work", "proxy"))
            running.members = [replace(one, program=OFTEN) for one in running.members]
            spread.addresses = running.addresses("web")
            try:
                await running.start()
                await _rotate_secret(place, running, folder / "secret")
                await _rotate_keys(place, running, folder, database)
            finally:
                await running.cleanup()
    assert "Traceback" not in running.log_ends()
    # Who is later than the others says what it had until then once more.
    told = await database.query(
        "select count(distinct record::jsonb -> 'data') from audit_log where subject = 'webhook secrets'"
    )
    assert told == [(3,)]


async def _rotate_secret(place: Street, running: Fleet, file: Path) -> None:
    async def answers(secret: str) -> list[int]:
        return [await _deliver(address, secret) for address in running.addresses("web")]

    assert (await answers(SECRET), await answers(NEW)) == ([202, 202], [401, 401])
    file.write_text(f"{NEW}\n{SECRET}\n")
    await _until(lambda: answers(NEW), [202, 202], running)
    assert await answers(SECRET) == [202, 202]
    place.town.app.webhook_secret = NEW
    file.write_text(NEW)
    await _until(lambda: answers(SECRET), [401, 401], running)
    assert await answers(NEW) == [202, 202]


async def _deliver(address: str, secret: str) -> int:
    body = b'{"zen": "Keep it logically awesome."}'
    headers = {
        "x-github-event": "ping",
        "x-github-delivery": f"ping-{time.monotonic_ns()}",
        "x-github-hook-id": "1",
        "x-hub-signature-256": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest(),
    }
    async with httpx.AsyncClient(trust_env=False) as client:
        return (await client.post(address + PATH, content=body, headers=headers)).status_code


async def _rotate_keys(place: Street, running: Fleet, folder: Path, database: Database) -> None:
    """The old key first in the files, so that GitHub refuses it and the newer one is tried; then that one alone."""
    (agent,) = await agents(database, place.yard, place.installation.id, folder, running.addresses("proxy"), "a", 1)
    await agent.clone()
    apps = {"app.pem": place.town.app, "courier.pem": place.town.github.world.apps[place.installation.app_id]}
    new = {name: app_key(90 + number) for number, name in enumerate(apps)}
    assert await agent.push()
    for name, app in apps.items():
        with (folder / name).open("a") as file:
            file.write(new[name][0])
        app.more_public_keys = [new[name][1]]
    await _until(lambda: _numbers(running), [(2, 2), (2, 2), (2, 2), (0, 2)], running)
    for name, app in apps.items():
        _take_old_key(place, app, new[name][1])
    assert await _works(place, running) and await _pushes(agent)
    for name in apps:
        (folder / name).write_text(new[name][0])
    await _until(lambda: _numbers(running), [(1, 1), (1, 1), (1, 1), (0, 1)], running)
    for name, app in apps.items():
        _take_old_key(place, app, new[name][1])
    assert await _works(place, running) and await _pushes(agent)


def _take_old_key(place: Street, app: App, public: bytes) -> None:
    """At GitHub, with all tokens that were minted so far, so that a key is needed again."""
    app.public_key_pem, app.more_public_keys = public, []
    for token in place.town.github.world.tokens.values():
        token.revoked = True


async def _pushes(agent: Agent) -> bool:
    """A token that GitHub has revoked is known to be by a refusal, so the first try may fail."""
    return await agent.push() or await agent.push()


async def _works(place: Street, running: Fleet) -> bool:
    """A new pull request is judged."""
    await place.town.open("payment")

    async def wrong() -> bool:
        return bool(place.town.wrong())

    await _until(wrong, False, running)
    return True


async def _numbers(running: Fleet) -> list[tuple[int, int]]:
    """How many keys each process says that it has of the gate's App and of the courier's."""
    return [_last_numbers(one.log.read_text()) for one in running.members]


def _last_numbers(log: str) -> tuple[int, int]:
    lines = [json.loads(line) for line in log.splitlines() if "secrets were rotated" in line]
    return (lines[-1]["gate"], lines[-1]["courier"]) if lines else (0, 0)


async def _until(found: Callable[[], Awaitable[object]], wanted: object, running: Fleet) -> None:
    end = time.monotonic() + SECONDS
    while (now := await found()) != wanted:
        assert time.monotonic() < end, f"{now}, not {wanted}\n{running.log_ends()}"
        await asyncio.sleep(0.1)
