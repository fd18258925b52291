"""zizmor as a second opinion: what it really answered, and a program of its name that misbehaves.

`zizmor/findings.json` is what zizmor 1.32.0 said, with the options that are used here, of the two files below.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.gate import analysis
from app.gate.zizmor import PROGRAM, zizmor_notes
from checks.diff import FileStatus
from checks.tampering.alteration import Alteration, Analysis, Weight
from checks.tampering.change import Change, Version
from checks.unread import Unread

ANSWER = Path(__file__).parent / "zizmor" / "findings.json"
CI = ".github/workflows/ci.yml"
BEFORE = b"""\
on: [pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
"""
AFTER = b"# more\n" + BEFORE + b"      - run: echo ${{ github.event.pull_request.title }}\n"
INJECTION = Alteration(
    "zizmor-template-injection",
    CI,
    8,
    "",
    "echo ${{ github.event.pull_request.title }}",
    "zizmor says of it: code injection via template expansion.",
    Weight.RISK,
    CI,
    "ci",
)


def changed(path: str = CI, before: bytes | None = BEFORE, after: bytes | None = AFTER) -> Change:
    old, new = Version(path, "100644", before), Version(path, "100644", after)
    return Change(FileStatus.MODIFIED, None if before is None else old, new)


def program(folder: Path, script: str) -> str:
    """An executable that runs this shell script."""
    made = folder / "zizmor"
    made.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    made.chmod(0o755)
    return str(made)


@pytest.mark.anyio
async def test_only_what_is_new_is_noted(tmp_path: Path) -> None:
    assert await zizmor_notes([changed()], program(tmp_path, f"cat {ANSWER}")) == (INJECTION,)


@pytest.mark.anyio
@pytest.mark.skipif(PROGRAM is None, reason="zizmor is not installed (the extra `zizmor`)")
async def test_the_program_itself_says_the_same() -> None:
    assert await zizmor_notes([changed()], PROGRAM) == (INJECTION,)


@pytest.mark.anyio
async def test_what_it_is_given(tmp_path: Path) -> None:
    """Copies under names of our own, no environment of ours, bounded memory."""
    said = tmp_path / "said"
    script = f'{{ echo "$@"; cat before/0/action.yml after/0/action.yml; env; ulimit -v; }} > {said}'
    await zizmor_notes([changed("x/action.yml")], program(tmp_path, script))
    text = said.read_text(encoding="utf-8")
    assert text.startswith("--offline ")
    assert " before/0/action.yml after/0/action.yml\n" in text
    assert AFTER.decode() in text
    assert text.endswith("\n1048576\n")
    assert "PYTEST_CURRENT_TEST" not in text


@pytest.mark.anyio
@pytest.mark.parametrize(
    "script",
    [
        *("exit 3", "echo nonsense", "echo '[1]'", "echo '[{}]'", "echo null", "kill -9 $$", "sleep 60"),
        f'sed \'s/after.0.workflow.yml/elsewhere.yml/; s/"ident": "/&../\' {ANSWER}',
        "i=0; while [ $i -lt 20000 ]; do printf '['; i=$((i+1)); done",
    ],
)
async def test_a_program_that_misbehaves_says_nothing(tmp_path: Path, script: str) -> None:
    assert await zizmor_notes([changed()], program(tmp_path, script), seconds=1.0) == ()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "change",
    [
        changed("src/app.py"),
        changed(after=None),
        changed(after=b"x" * (512 * 1024 + 1)),
        Change(FileStatus.REMOVED, Version(CI, "100644", BEFORE), None),
    ],
)
async def test_nothing_to_look_at(tmp_path: Path, change: Change) -> None:
    called = tmp_path / "called"
    assert await zizmor_notes([change], program(tmp_path, f"touch {called}; cat {ANSWER}")) == ()
    assert not called.exists()


@pytest.mark.anyio
async def test_without_the_program() -> None:
    assert await zizmor_notes([changed()], None) == ()


@pytest.mark.anyio
async def test_it_stands_beside_the_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    async def contents(*_: object) -> tuple[Change, ...]:
        return (changed(),)

    async def analysed(*_: object) -> Analysis | Unread:
        return answers.pop()

    async def notes(_: object) -> tuple[Alteration, ...]:
        return (INJECTION,)

    answers: list[Analysis | Unread] = [Unread("too slow"), Analysis((), tests_after=2)]
    monkeypatch.setattr(analysis, "read_changes_with_contents", contents)
    monkeypatch.setattr(analysis, "run_analysis", analysed)
    monkeypatch.setattr(analysis, "zizmor_notes", notes)
    objects, diff = None, type("Diff", (), {"files": ()})
    found = await analysis.analyse_difference(objects, diff)  # type: ignore[arg-type]  # neither is looked at
    assert found == Analysis((INJECTION,), tests_after=2)
    assert await analysis.analyse_difference(objects, diff) == Unread("too slow")  # type: ignore[arg-type]


def test_the_answer_is_of_both_sides() -> None:
    names = {
        place["symbolic"]["key"]["Local"]["verbatim_path"]
        for each in json.loads(ANSWER.read_bytes())
        for place in each["locations"]
    }
    assert names == {"before/0/workflow.yml", "after/0/workflow.yml"}
