"""The command as a whole: its list, usage errors, and faults of its own."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import commands, judging, main
from app.cli.gate_store import check_there
from app.config import read_settings
from app.local.clone import CannotLook
from tests.cli.clones import command, run
from tests.demo.service import ROOT

COMMANDS = (
    *("serve", "web", "work", "migrate", "check", "parse-log", "explain", "policy", "bundle"),
    *("run", "wait", "setup-ci", "agent-prompt", "stop-hook"),
)


def test_every_command_is_listed_and_has_help() -> None:
    listed = run("--help").stdout
    for name in COMMANDS:
        assert f" {name} " in listed
        assert run(name, "--help").exit_code == 0


@pytest.mark.parametrize("name", sorted(commands.COMMANDS))
def test_the_list_says_of_each_command_what_its_own_help_says(name: str) -> None:
    summary = commands.COMMANDS[name].summary
    for said in (run(name, "--help"), run("--help")):
        assert summary in " ".join(said.stdout.split())


@pytest.mark.parametrize("group", ["agent", "agent enrol", "audit", "bundle", "canary", "policy", "session", "ticket"])
def test_a_group_says_of_each_command_a_whole_sentence(group: str) -> None:
    listed = run(*group.split(), "--help").stdout
    assert "..." not in listed.split("Commands:")[1]
    assert "completion" not in listed


def test_the_list_needs_none_of_the_commands() -> None:
    code = "import sys; from app.cli.commands import app; app(['--help'], standalone_mode=False); print(*sys.modules)"
    loaded = subprocess.run((sys.executable, "-c", code), capture_output=True, check=True, text=True).stdout.split()
    assert "app.cli.commands" in loaded
    assert not {"rich", "pydantic", "app.cli.serve", "githubkit"} & set(loaded)


@pytest.mark.parametrize(
    "arguments",
    [
        ("nothing",),
        ("parse-log",),
        ("check", "--repo"),
        ("explain",),
        ("policy", "nothing"),
        ("run",),
        ("wait",),
        ("setup-ci",),
    ],
)
def test_usage_errors_end_with_2(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_bad_setting_is_named() -> None:
    done = command("explain", "acme/shop#1", MERGEGATE_PORT="many")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"mergegate: MERGEGATE_PORT: 'many' is not a whole number\n"


def test_a_fault_of_the_program_never_reads_as_something_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(commands, "app", broken)
    monkeypatch.setattr(sys, "argv", ["mergegate"])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 2
    assert "ZeroDivisionError" in capsys.readouterr().err


def _shell(line: str) -> subprocess.CompletedProcess[str]:
    """`line` in bash, with M for the command and BROKEN for a pipe that nobody reads; the code of its first part."""
    kept, broken = os.pipe()
    os.close(kept)
    words = f'M() {{ {shlex.quote(sys.executable)} -m app.cli.main "$@"; }}; {line}; exit ${{PIPESTATUS[0]}}'
    program = ("bash", "-c", words.replace("BROKEN", str(broken)))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    try:
        return subprocess.run(program, capture_output=True, text=True, env=environment, check=False, pass_fds=(broken,))
    finally:
        os.close(broken)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("M bundle schema | head -1", 0),
        ("M bundle schema >&BROKEN", 2),
        ("M agent claim --help >&BROKEN", 2),
        ("M check --help >&BROKEN", 2),
        ("M nothing 2>&BROKEN", 2),
        ("M check --repo /nowhere 2>&BROKEN", 2),
        ("M check --repo /nowhere 2>/dev/full", 2),
        ("M bundle schema >&-", 0),
        ("M check --repo /nowhere >&- 2>&- <&-", 2),
    ],
)
def test_an_answer_that_nobody_reads_is_no_fault_and_never_reads_as_something_failed(line: str, code: int) -> None:
    done = _shell(line)
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize("words", ["bundle schema", "agent claim --help", "--help"])
def test_an_answer_that_cannot_be_written_is_said(words: str) -> None:
    done = _shell(f"M {words} >/dev/full")
    said = "mergegate: the answer could not be written: No space left on device. Make room, or send it elsewhere.\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_who_presses_control_c_sees_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(judging, "report", stopped)
    monkeypatch.setattr(sys, "argv", ["mergegate", "check"])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "")


@pytest.fixture
def heeded() -> Iterator[None]:
    """A shell starts what runs in its background without Ctrl-C, and so would we start programs."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_control_c_while_github_is_asked_says_nothing_of_what_was_not_awaited() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "GH_TOKEN": "ghp_x"}
        environment["MERGEGATE_GITHUB_API_URL"] = f"http://localhost:{silent.getsockname()[1]}"
        program = (sys.executable, "-m", "app.cli.main", "wait", "acme/shop#1")
        with subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as waits:
            silent.settimeout(60)
            connection, _ = silent.accept()
            with connection:
                connection.settimeout(60)
                assert connection.recv(1), "the question; before it has come, GitHub is not asked but called"
                waits.send_signal(signal.SIGINT)
                said = waits.communicate(timeout=60)
    assert (waits.returncode, *said) == (130, b"", b"")


def test_no_worker_starts_with_a_key_that_is_none(tmp_path: Path) -> None:
    """It would go on for ever, and log at each attempt that GitHub cannot be asked."""
    pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----"
    done = command("work", MERGEGATE_APP_ID="7", MERGEGATE_PRIVATE_KEY=pem, MERGEGATE_DATA=str(tmp_path / "data"))
    assert (done.returncode, b"is no RSA key in PEM form" in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "data").exists()


def test_a_data_folder_that_cannot_be_looked_into_is_said() -> None:
    """As root every folder can be; a name that no file system takes cannot."""
    with pytest.raises(CannotLook, match=r"cannot be looked into: File name too long\. Do this as the user"):
        check_there(replace(read_settings({}), data=Path("/") / ("x" * 300)))
