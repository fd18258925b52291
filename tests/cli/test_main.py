"""The command as a whole: its list, usage errors, and faults of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from app.cli import commands, main
from tests.cli.clones import command, run

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
