"""`mergegate policy` and `mergegate bundle`: checking files and printing schemas."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from tests.cli.clones import BUNDLE, process, refused, run

POLICIES = Path(__file__).parents[2] / "policies"
PRESETS = sorted(POLICIES.glob("*.yml"))


def _file(folder: Path, text: str | bytes) -> str:
    (folder / "file.yml").write_bytes(text.encode() if isinstance(text, str) else text)
    return str(folder / "file.yml")


@pytest.mark.parametrize("preset", PRESETS, ids=lambda path: path.stem)
def test_the_shipped_policies_can_be_used(preset: Path) -> None:
    result = run("policy", "check", str(preset))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{preset} is a policy that can be used")


def test_a_policy_with_faults(tmp_path: Path) -> None:
    file = _file(tmp_path, "version: 1\nmood: observe\nqueue: {enqueue: maybe, probation: {days: 0}}\n")
    result = run("policy", "check", file)
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.splitlines() == [
        f"{file}:2:1: `mood`: there is no such field. Did you mean `mode`?",
        f"{file}:3:9: `queue.enqueue`: the word is not known here. Write 'off', 'probation' or 'on'.",
        f"{file}:3:37: `queue.probation.days`: the number is below 1. Write 1 or more.",
    ]


@pytest.mark.parametrize("commands", [("policy", "check"), ("bundle", "check")])
def test_files_that_cannot_be_read(tmp_path: Path, commands: tuple[str, ...]) -> None:
    assert "No such file" in refused(run(*commands, str(tmp_path / "none")))
    assert "Is a directory" in refused(run(*commands, str(tmp_path)))
    assert "no UTF-8 text" in refused(run(*commands, _file(tmp_path, b"\xff")))


def test_standard_input() -> None:
    assert run("policy", "check", "-", stdin="version: 1\n").stdout.startswith("standard input is a policy")
    assert run("bundle", "check", "-", stdin=BUNDLE).exit_code == 0


def test_the_policys_schema() -> None:
    result = run("policy", "schema")
    assert result.exit_code == 0
    schema = json.loads(result.stdout)
    validator = jsonschema_rs.validator_for(schema)
    for preset in PRESETS:
        validator.validate(yaml.safe_load(preset.read_text(encoding="utf-8")))
    assert not validator.is_valid({"version": 1, "mood": "observe"})


def test_the_bundles_schema() -> None:
    result = run("bundle", "schema")
    assert result.exit_code == 0
    validator = jsonschema_rs.validator_for(json.loads(result.stdout))
    validator.validate(yaml.safe_load(BUNDLE))
    assert not validator.is_valid({"reason": 7})


@pytest.mark.parametrize("text", [BUNDLE, f"# T\n\n```mergegate\n{BUNDLE}```\n"], ids=["content", "markdown"])
def test_a_good_bundle(tmp_path: Path, text: str) -> None:
    file = _file(tmp_path, text)
    result = run("bundle", "check", file)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{file} is a bundle that can be read. It gives: reason, commands, risk, rollback.\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("reason: x\nriks: {level: low}\n", ":2: `riks`: is no known field. Did you mean `risk`?"),
        ("x\n\n```mergegate\nrisk: {level: mild}\n```\n", ":4: `risk.level`: must be 'low', "),
        ("```mergegate\nreason: x\n", ":1: the block is not closed. End it with a line of ```."),
        ("", ":1: the document is empty."),
        ("reason: [\n", ":2:1: not readable as YAML or JSON"),
    ],
)
def test_a_bundle_with_faults(tmp_path: Path, text: str, said: str) -> None:
    file = _file(tmp_path, text)
    result = run("bundle", "check", file)
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith(file + said)


def test_as_processes(tmp_path: Path) -> None:
    assert json.loads(process("policy", "schema").stdout)["title"] == "Mergegate policy"
    assert process("bundle", "check", _file(tmp_path, "reason: 7\n")).returncode == 1
    assert process("policy", "check", "/nonexistent").returncode == 2
