"""Files that a person hands over and that cannot be used: exit code 2, one sentence, nothing on standard output."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.gate.log_process import LOG_LIMIT
from tests.cli.clones import Shop, check, make_shop, refused

OPTIONS = ("--policy", "--bundle", "--log", "--ticket")


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    made = make_shop(tmp_path / "shop")
    made.branch({"src/total.py": "x = 1\n"})
    return made


@pytest.mark.parametrize("option", OPTIONS)
def test_absent_or_a_folder(shop: Shop, tmp_path: Path, option: str) -> None:
    said = refused(check(shop, option, str(tmp_path / "none"), "--json"))
    assert said == f"mergegate: {tmp_path}/none cannot be read: No such file or directory. Give the path of a file.\n"
    assert "Is a directory" in refused(check(shop, option, str(tmp_path), "--json"))


@pytest.mark.parametrize(
    ("option", "limit"), [(option, LOG_LIMIT if option == "--log" else 2**20) for option in OPTIONS]
)
def test_too_large(shop: Shop, tmp_path: Path, option: str, limit: int) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(limit + 1)
    assert f"larger than {limit} bytes" in refused(check(shop, option, str(tmp_path / "large"), "--json"))


@pytest.mark.parametrize("option", [option for option in OPTIONS if option != "--log"])
def test_no_text(shop: Shop, tmp_path: Path, option: str) -> None:
    (tmp_path / "binary").write_bytes(b"id: \xff")
    assert "is no UTF-8 text (byte 4)" in refused(check(shop, option, str(tmp_path / "binary"), "--json"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version: 1\nmood: x\n", ":2:1: `mood`: there is no such field. Did you mean `mode`?"),
        ("version: 1\nqueue: {enqueue: maybe}\n", ":2:9: `queue.enqueue`: "),
        ("version: 2\n", ":1:1: `version`: only version 1 is known. Write `version: 1`."),
        ("a: [\n", ":2:1: not readable as YAML or JSON"),
        ("", ":1:1: the document is empty"),
    ],
)
def test_a_broken_policy_names_field_and_line(shop: Shop, tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "policy.yml"
    file.write_text(text)
    assert f"mergegate: {file}{said}" in refused(check(shop, "--policy", str(file), "--json"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("allowed_paths: [src/]\n", "id: is missing"),
        ("id: 7\nrisk: grave\n", "line 2, risk: must be"),
        ("id: 7\npaths: []\n", "line 2, paths: is no known field"),
        ("id: 7\nallowed_paths: ['[z-a]']\n", "line 2, allowed_paths"),
        ("[]\n", "a ticket is a mapping of fields"),
    ],
)
def test_a_broken_ticket_names_field_and_line(shop: Shop, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "ticket.yml").write_text(text)
    assert said in refused(check(shop, "--ticket", str(tmp_path / "ticket.yml"), "--json"))
