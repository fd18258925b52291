"""What an agent's machine types, against a real proxy: output, exit codes, and a token that nobody else can read."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from app.cli import agent_verbs
from policies.tickets.states import State
from tests.agent.bureau import Bureau

pytestmark = pytest.mark.anyio


async def typed(town: Bureau, *words: str, env: Mapping[str, str], stdin: bytes = b"") -> tuple[int, Any, str]:
    """Exit code, the JSON that was printed (None for nothing), and what stands on standard error."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "app.cli.main", "agent", *words),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.defpath, "MERGEGATE_PROXY": town.address, "HTTP_PROXY": "http://127.0.0.1:9", **env},
    )
    out, err = await process.communicate(stdin)
    return process.returncode or 0, json.loads(out) if out else None, err.decode()


async def test_an_agents_day_from_its_shell(town: Bureau, tmp_path: Path) -> None:
    enrolled = {"MERGEGATE_ENROLMENT": town.token}
    held = tmp_path / "session"
    claim = ("claim", "--worker", "vm-7", "--token-file", str(held), "--wait", "0")
    assert (await typed(town, *claim, env=enrolled))[0] == 3
    assert not list(tmp_path.glob("session*"))
    number = await town.accepted()
    code, claimed, _ = await typed(town, *claim, env=enrolled)
    assert code == 0 and claimed["ticket"] == number and "token" not in claimed
    assert stat.S_IMODE(held.stat().st_mode) == 0o600
    session = {"MERGEGATE_SESSION_FILE": str(held)}
    code, said, _ = await typed(
        town, "progress", "--step", "2/5", "--blocker", "no network", "--cost", "0.10", env=session
    )
    assert code == 0 and said["state"] == "running"
    assert (await typed(town, "progress", "--no-blocker", env=session))[0] == 0
    assert (await typed(town, "limits", env=session))[1]["used"]["cost"] == "0.10"
    assert (await typed(town, "verdict", env=session))[0] == 3
    assert (await typed(town, "messages", env=session))[0] == 3
    code, asked, _ = await typed(town, "ask", "Up or down?", "--option", "up", "--default", "stop", env=session)
    assert code == 0 and asked["number"] == 1
    await town.desk.say(number, "/answer 1 up")
    code, said, _ = await typed(town, "messages", "--wait", "5", env=session)
    assert code == 0 and [one["kind"] for one in said["messages"]] == ["answer"]
    assert (await typed(town, "messages", env=session))[0] == 3
    code, _, err = await typed(town, "evidence", "-", stdin=b"reason: [", env=session)
    assert code == 2 and "cannot be read" in err
    assert (await typed(town, "done", "All done.", env=session))[0] == 0
    assert (await typed(town, "failed", "It cannot be done.", env=session))[0] == 0
    code, _, err = await typed(town, "progress", env=session)
    assert code == 4 and "stopped" in err
    assert await town.desk.state(number) is State.WAITING


async def test_what_cannot_be_asked_is_said_in_one_line(town: Bureau, tmp_path: Path) -> None:
    cases: tuple[tuple[tuple[str, ...], dict[str, str], str], ...] = (
        (("limits",), {}, "there is no token"),
        (("limits",), {"MERGEGATE_SESSION_FILE": str(tmp_path / "none")}, "cannot be read"),
        (("limits",), {"MERGEGATE_SESSION": "x", "MERGEGATE_PROXY": "ftp://x"}, "is no address"),
        (("limits",), {"MERGEGATE_SESSION": "x", "MERGEGATE_PROXY": "http://127.0.0.1:9"}, "cannot be asked"),
        (("limits",), {"MERGEGATE_SESSION": "x", "MERGEGATE_PROXY": f"{town.address}/x"}, "is no address"),
        (("claim", "--wait", "0"), {"MERGEGATE_ENROLMENT": "x"}, "not"),
        (
            ("claim", "--token-file", str(tmp_path / "no" / "x")),
            {"MERGEGATE_ENROLMENT": town.token},
            "cannot be written",
        ),
    )
    for words, environment, said in cases:
        code, out, err = await typed(town, *words, env=environment)
        assert code == 2 and out is None and said in err and err.count("\n") == 1, (words, err)


def test_words_of_others_cannot_lead_a_reader_astray() -> None:
    shown = agent_verbs.printable(json.dumps({"a": "\u202eevil\x9b\U000e0041 割引"}, ensure_ascii=False))
    assert shown == '{"a": "\\u202eevil\\u009b\\udb40\\udc41 割引"}'
    assert json.loads(shown) == {"a": "\u202eevil\x9b\U000e0041 割引"}
