"""`mergegate backup` and `restore`: from the own database into a new data folder, in which the service works again."""

from __future__ import annotations

import asyncio
import json
import stat
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from app import registrations
from app.registrations import Registration
from app.secret import SecretStr
from app.store import audit
from app.store.audit import Entry
from app.store.database import Database
from tests.cli import clones
from tests.cli.test_explain import _record, _verdict
from tests.databases import data_folder
from tests.demo.service import free_port
from tests.github.build import app_key
from tests.service.process import GateProcess

REGISTERED: dict[str, Any] = {
    "slug": "gate",
    "html_url": "x",
    "client_id": "c",
    "public_url": "https://gate.example",
    "polling": True,
}


def command(*arguments: str, data: Path, url: str = "") -> tuple[int, str, str]:
    done = clones.command(*arguments, MERGEGATE_DATA=str(data), MERGEGATE_DATABASE_URL=url)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


async def _filled(data: Path, key: str) -> None:
    async with Database.open(None, data) as database:
        await _record(database.conninfo, asdict(_verdict()))
        async with database.transaction() as connection:
            await audit.append(connection, [Entry("policy", "refs/heads/main", 2, {"policy": "x"})])
    private_key, client_secret = SecretStr(key), SecretStr("s")
    registered = Registration(app_id=7, private_key=private_key, client_secret=client_secret, **REGISTERED)
    registrations.save(data, "gate", registered)


def _explained(data: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(command("explain", "acme/shop#12", "--json", data=data)[1])
    return {name: part for name, part in value.items() if name != "age_seconds"}


async def _serves(data: Path) -> None:
    """The service is healthy with what was restored; GitHub is away, which is no matter of health."""
    nobody = f"http://127.0.0.1:{free_port()}"
    environment = {"MERGEGATE_DATA": str(data), "MERGEGATE_PORT": str(free_port()), "MERGEGATE_GITHUB_API_URL": nobody}
    process = GateProcess("serve", sys.executable, environment, data.parent / "gate.log")
    try:
        await process.start()
        await process.healthy()
    finally:
        code, _ = await process.stop()
        assert code == 0


def test_the_service_works_again_from_a_backup() -> None:
    with data_folder() as folder:
        old, new, file = folder / "old", folder / "new", folder / "gate.backup"
        asyncio.run(_filled(old, app_key(1)[0]))
        code, said, wrong = command("backup", str(file), "--with-keys", data=old)
        assert (code, said.startswith("Backed up: ")) == (0, True), wrong
        assert "PRIVATE KEYS" in said
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert command("backup", str(file), data=old)[0] == 2, "an earlier backup is not written over"

        code, said, wrong = command("restore", str(file), data=new)
        assert (code, said.startswith("Restored: ")) == (0, True), wrong
        assert "gate's are back" in said
        assert stat.S_IMODE(registrations.path_of(new, "gate").stat().st_mode) == 0o600
        assert command("audit", "verify", data=new)[1].startswith("The audit log is whole: records 1 to 2.")
        assert _explained(new) == _explained(old)
        asyncio.run(_serves(new))

        code, _, wrong = command("restore", str(file), data=new)
        assert (code, "not empty" in wrong) == (2, True)
        cut = folder / "cut.backup"
        cut.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        code, _, wrong = command("restore", str(cut), data=folder / "third")
        assert (code, "cut" in wrong) == (2, True)
        assert not (folder / "third").exists(), "a refused file leaves no empty database behind"


def test_a_given_database_is_backed_up_without_keys(database_url: str, tmp_path: Path) -> None:
    asyncio.run(_record(database_url, asdict(_verdict())))
    code, said, wrong = command("backup", str(tmp_path / "b"), data=tmp_path, url=database_url)
    assert (code, "not in it" in said) == (0, True), wrong


@pytest.mark.parametrize(
    ("arguments", "words"), [(("backup", "x"), "no database"), (("restore", "missing"), "cannot be read")]
)
def test_what_cannot_be_done_is_said(tmp_path: Path, arguments: tuple[str, str], words: str) -> None:
    code, _, wrong = command(arguments[0], str(tmp_path / arguments[1]), data=tmp_path / "none")
    assert (code, words in wrong) == (2, True), wrong
