"""The short way to read a command line says the same as the full one, or nothing."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from app.cli import check, commands, judging, main
from app.cli.judging import Asked
from app.cli.plain import FLAGS, LOG, VALUES, plain_check
from app.local.clone import CannotLook


def fully(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> Asked:
    """What the full reader understands."""
    understood: list[Asked] = []

    def report(asked: Asked) -> int:
        understood.append(asked)
        return 0

    monkeypatch.setattr(check, "report", report)
    commands.app(words, standalone_mode=False)
    return understood[0]


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--json"],
        ["--base", "main", "--head", "agent/1", "--no-tampering"],
        ["--repo", "a folder", "--policy", "p.yml", "--bundle", "-", "--ticket", "t.yml"],
        ["--log", "one", "--json", "--log", "two"],
        ["--tampering", "--no-tampering", "--tampering"],
        ["--base", "one", "--base", "two"],
        ["--base", ""],
        *([option, "value"] for option in (*VALUES, LOG)),
        *([flag] for flag in FLAGS),
    ],
)
def test_both_ways_understand_the_same(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    assert plain_check(["check", *words]) == fully(monkeypatch, ["check", *words])


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--help"],
        ["run", "--base", "main"],
        ["check", "--help"],
        ["check", "--base"],
        ["check", "--base=main"],
        ["check", "--base", "--json"],
        ["check", "--nothing", "main"],
        ["check", "main"],
        ["check", "--json", "main"],
        ["check", "--", "--json"],
    ],
)
def test_what_is_not_plain_is_left_to_the_full_reader(words: list[str]) -> None:
    assert plain_check(words) is None


def test_every_option_has_a_short_way() -> None:
    import typer

    command = typer.main.get_command(commands.app).get_command(None, "check")  # type: ignore[attr-defined] # a group
    options = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
    assert options == {*VALUES, *FLAGS, LOG}


@pytest.mark.parametrize("code", [0, 1, 2])
def test_the_exit_code_is_that_of_the_verdict(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    monkeypatch.setattr(judging, "report", lambda _: code)
    monkeypatch.setattr(sys, "argv", ["mergegate", "check", "--json"])
    monkeypatch.setattr(sys, "stdout", io.StringIO())  # `main` puts another into the place of pytest's, and that closes
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == code


def test_an_error_that_a_person_can_act_on_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def cannot(_: Any) -> int:
        raise CannotLook("there is nothing. Give something.")

    monkeypatch.setattr(judging, "report", cannot)
    monkeypatch.setattr(sys, "argv", ["mergegate", "check"])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 2
    assert capsys.readouterr() == ("", "mergegate: there is nothing. Give something.\n")


def test_garbage_is_collected_again_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    import gc

    monkeypatch.setattr(judging, "_request", lambda _: (_ for _ in ()).throw(CannotLook("no")))
    with pytest.raises(CannotLook):
        judging.report(Asked())
    assert gc.isenabled()
