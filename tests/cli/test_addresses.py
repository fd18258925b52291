"""Addresses that a person got wrong: of the database, of GitHub, and those that the service is to be reached at."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.cli.clones import command
from tests.github.build import app_key

NOWHERE = "postgresql://ada:secret@127.0.0.1:1/gate"


def said(*words: str, **environment: str) -> str:
    """The one line on standard error of a command that could not begin."""
    done = command(*words, cwd=None, stdin=b"", **environment)
    lines = [line for line in done.stderr.decode().splitlines() if not line.startswith("{")]
    assert (done.returncode, done.stdout, len(lines)) == (2, b"", 1), done
    return lines[0]


@pytest.mark.parametrize(
    "words", [("status",), ("migrate",), ("audit", "verify"), ("session", "list"), ("backup", "made"), ("work",)]
)
def test_a_database_that_is_not_there_and_an_address_that_is_none(words: tuple[str, ...], tmp_path: Path) -> None:
    where = {"MERGEGATE_DATA": str(tmp_path), "MERGEGATE_APP_ID": "1", "MERGEGATE_POLLING": "1"}
    where["MERGEGATE_PRIVATE_KEY"] = app_key(1)[0]
    away = said(*words, MERGEGATE_DATABASE_URL=NOWHERE, **where)
    assert away.startswith("mergegate: no connection to the database: ")
    assert "Start it, or set MERGEGATE_DATABASE_URL" in away
    none = said(*words, MERGEGATE_DATABASE_URL="pg.example secret", **where)
    assert none == "mergegate: MERGEGATE_DATABASE_URL is no address; write postgresql://USER:PASSWORD@HOST/NAME"


def test_a_restore_into_an_address_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "made").touch()
    assert "is no address" in said("restore", str(tmp_path / "made"), MERGEGATE_DATABASE_URL="pg.example secret")


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        line = said("web", MERGEGATE_DATA=str(tmp_path), MERGEGATE_PORT=port, MERGEGATE_METRICS_PORT="0")
    assert line.startswith(f"mergegate: cannot listen on 127.0.0.1:{port}: Address already in use. ")
    assert "MERGEGATE_PORT" in line


def test_an_address_of_another_machine_is_said_in_one_line(tmp_path: Path) -> None:
    # 192.0.2.0/24 is nobody's (RFC 5737).
    line = said("web", MERGEGATE_DATA=str(tmp_path), MERGEGATE_HOST="192.0.2.1", MERGEGATE_METRICS_PORT="0")
    assert line.startswith("mergegate: cannot listen on 192.0.2.1:8000: Cannot assign requested address. ")


@pytest.mark.parametrize(
    ("words", "ways"),
    [
        (("work",), ("`mergegate serve`", "`mergegate setup --no-browser`", "MERGEGATE_PRIVATE_KEY_FILE")),
        (("proxy",), ("`mergegate setup --no-browser --role courier`", "MERGEGATE_COURIER_PRIVATE_KEY_FILE")),
    ],
)
def test_who_has_no_app_is_told_every_way_to_one(words: tuple[str, ...], ways: tuple[str, ...], tmp_path: Path) -> None:
    line = said(*words, MERGEGATE_DATA=str(tmp_path))
    assert [way for way in ways if way not in line] == []
