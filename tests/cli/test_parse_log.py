"""`mergegate parse-log`: the object, the exit codes, and the shared collection of logs."""

from __future__ import annotations

import csv
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import files
from checks.unread import Unread
from tests.checks.logs.test_logs_corpus import FAMILIES, LOOKS_CLEAN
from tests.cli.clones import GREEN_LOG, RED_LOG, command, refused, run

LOGS = Path(__file__).parents[2] / "../shared/logs"
INDEX = LOGS / "INDEX.tsv"
KEYS = ["runner", "passed", "failed", "errors", "skipped", "complete", "green", "summaries"]
COUNTS = ("passed", "failed", "errors", "skipped")


def _rows() -> list[dict[str, str]]:
    if not INDEX.exists():
        return []
    with INDEX.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.skipif(not INDEX.exists(), reason="the shared collection of logs is absent")
@pytest.mark.parametrize("row", _rows(), ids=lambda row: row["name"])
def test_green_and_counts_are_those_of_the_index(row: dict[str, str]) -> None:
    result = run("parse-log", str(LOGS / f"{row['name']}.log"), "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    value = json.loads(result.stdout)
    assert list(value) == KEYS
    lines = len((LOGS / f"{row['name']}.log").read_bytes().splitlines())
    assert all(1 <= summary["line"] <= lines for summary in value["summaries"])
    if not row["runner"].startswith(FAMILIES):
        assert (value["runner"], value["green"]) == (None, None) or value["green"] is False
        return
    assert tuple(value[key] for key in COUNTS) == tuple(int(row[key]) if row[key] else None for key in COUNTS)
    if row["name"] != LOOKS_CLEAN:
        assert (value["green"] is True) is (row["green"] == "yes")


@pytest.mark.parametrize(
    ("content", "object_"),
    [
        (GREEN_LOG, {"runner": "pytest", "passed": 12, "failed": 0, "errors": 0, "complete": True, "green": True}),
        (RED_LOG, {"runner": "pytest", "passed": 2, "failed": 1, "errors": 0, "complete": True, "green": False}),
        ("hello\n", dict.fromkeys(("runner", "passed", "failed", "errors", "green")) | {"complete": False}),
        ("", dict.fromkeys(("runner", "passed", "failed", "errors", "green")) | {"complete": False}),
    ],
)
def test_the_object(tmp_path: Path, content: str, object_: dict[str, object]) -> None:
    (tmp_path / "a.log").write_text(content)
    result = run("parse-log", str(tmp_path / "a.log"), "--json")
    assert result.exit_code == 0
    value = json.loads(result.stdout)
    assert {key: value[key] for key in object_} == object_
    assert [summary["line"] for summary in value["summaries"]] == (
        [] if value["runner"] is None else [content.splitlines().index(value["summaries"][0]["text"]) + 1]
    )


def test_bytes_that_are_no_text_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"\xff\xfe\x00\x80" + os.urandom(4_096))
    assert run("parse-log", str(tmp_path / "a.log"), "--json").exit_code == 0


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_what_cannot_be_read(tmp_path: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No such file" in refused(run("parse-log", str(tmp_path / "none.log"), *options))
    assert "Is a directory" in refused(run("parse-log", str(tmp_path), *options))
    assert "cannot be read" in refused(run("parse-log", "", *options))
    (tmp_path / "loop").symlink_to("loop")
    assert "symbolic links" in refused(run("parse-log", str(tmp_path / "loop"), *options))
    (tmp_path / "large.log").touch()
    monkeypatch.setattr("app.cli.parse_log.LIMIT", 999_999)
    os.truncate(tmp_path / "large.log", 1_000_000)
    assert "larger than 999999 bytes" in refused(run("parse-log", str(tmp_path / "large.log"), *options))
    assert "larger than 999999 bytes" in refused(run("parse-log", "/dev/zero", *options))


def test_a_log_larger_than_the_gate_would_hold_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.gate.log_process.LOG_LIMIT", 1000)
    (tmp_path / "large.log").write_bytes(GREEN_LOG.encode() + b"and no end of it\n" * 50_000)
    assert json.loads(run("parse-log", str(tmp_path / "large.log"), "--json").stdout)["green"] is True


def test_a_log_that_breaks_its_limits_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def beyond(_: object) -> Unread:
        return Unread("the log could not be parsed within its limits of time and memory")

    monkeypatch.setattr("app.cli.parse_log.parse_log_stream", beyond)
    (tmp_path / "a.log").write_text(GREEN_LOG)
    assert "within its limits" in refused(run("parse-log", str(tmp_path / "a.log"), "--json"))


def test_standard_input_and_pipes() -> None:
    result = run("parse-log", "-", "--json", stdin=GREEN_LOG)
    assert (result.exit_code, json.loads(result.stdout)["green"]) == (0, True)
    piped = subprocess.run(
        ["bash", "-c", '"$0" -m app.cli.main parse-log <(printf "%s" "$1") --json', sys.executable, RED_LOG],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (piped.returncode, json.loads(piped.stdout)["green"]) == (0, False)
    assert files.shown("-") == "standard input"


@pytest.mark.parametrize(
    ("content", "first"),
    [
        (GREEN_LOG, "green: 12 passed, 0 failed, 0 errors, 0 skipped"),
        (RED_LOG, "red: 2 passed, 1 failed, 0 errors, 0 skipped"),
        ("hello\n", "unknown: ? passed, ? failed, ? errors, ? skipped"),
    ],
)
def test_people_read_the_verdict_first(tmp_path: Path, content: str, first: str) -> None:
    (tmp_path / "a.log").write_text(content)
    result = run("parse-log", str(tmp_path / "a.log"))
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, first)


def test_a_log_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(GREEN_LOG + "##[error]\x1b]0;owned\x07\u202e[bold]x\n")
    result = run("parse-log", str(tmp_path / "a.log"))
    assert result.stdout.startswith("red: ")
    assert not {"\x1b", "\x07", "\u202e"} & set(result.stdout)


def test_as_a_process(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(RED_LOG)
    done = command("parse-log", "a.log", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["failed"] == 1
    missing = command("parse-log", "b.log", "--json", cwd=tmp_path)
    assert (missing.returncode, missing.stdout) == (2, b"")
    assert missing.stderr.count(b"\n") == 1


def test_progress_is_shown_to_a_terminal_and_never_among_the_answer(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(GREEN_LOG)
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            (sys.executable, "-m", "app.cli.main", "parse-log", str(tmp_path / "a.log"), "--json"),
            cwd=Path(__file__).parents[2],
            env={**os.environ, "TERM": "xterm"},
            stdout=subprocess.PIPE,
            stderr=theirs,
            check=True,
            timeout=60,
        )
        assert b"Reading the log" in os.read(ours, 65_536)
    finally:
        os.close(ours)
        os.close(theirs)
    assert json.loads(done.stdout)["green"] is True
