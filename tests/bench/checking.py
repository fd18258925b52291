"""`mergegate check` as one waits for it: a change of 3,000 files with 100 path rules, beside mergeproof if installed.

1,500 edits, 1,000 additions, 200 deletions and 300 renames of small Python files, a tenth of them tests. The commands
take turns, so that whatever else the machine does meets all of them.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.measured import Row

EDITED, ADDED, DELETED, RENAMED = 1_500, 1_000, 200, 300
RULES = 100
TIMES = 5
VERSION = "1.0.2"
_THEIRS = f"mergeproof {VERSION} check --local"
_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{f"GIT_{role}_{part}": "bench" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")},
}


def measure(folder: Path) -> list[Row]:
    """Medians of TIMES runs each: wall seconds, processor seconds and peak memory of the largest process."""
    repository = folder / "check"
    _build(repository)
    of = f"{EDITED + ADDED + DELETED + RENAMED:,} changed files, {RULES} path rules"
    commands = _commands()
    runs: dict[str, list[_Run]] = {what: [] for what in commands}
    for _ in range(TIMES):
        for what, command in commands.items():
            runs[what].append(_timed(command, repository))
    rows = [_row(what, taken, of) for what, taken in runs.items()]
    if _THEIRS in commands:
        return rows
    return [*rows, Row(_THEIRS, "not installed", f"pip install mergeproof=={VERSION}, where PATH leads to it")]


def _commands() -> dict[str, list[str]]:
    ours = [sys.executable, "-m", "app.cli.main", "check", "--base", "main", "--head", "agent/1"]
    commands = {"mergegate check --no-tampering": [*ours, "--no-tampering"], "mergegate check": ours}
    theirs = shutil.which("mergeproof")
    if theirs is not None:
        commands[_THEIRS] = [theirs, "check", "--local", "--base", "main", "-q"]
    return commands


class _Run(NamedTuple):
    seconds: float
    processor: float  # seconds, of all processes together
    peak: int  # bytes, of the largest process


def _row(what: str, runs: Sequence[_Run], of: str) -> Row:
    seconds, processor, peak = (statistics.median(values) for values in zip(*runs, strict=True))
    return Row(what, f"{seconds:.2f} s ({processor:.2f} s of processors), {peak / 1e6:.0f} MB", of)


def _timed(command: list[str], repository: Path) -> _Run:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with tempfile.TemporaryFile() as said:
        begin = time.perf_counter()
        process = subprocess.Popen(command, cwd=repository, env=environment, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            said.seek(0)
            raise RuntimeError(f"{command[0]} ended with {process.returncode}: {said.read().decode()[-500:]}")
    return _Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def _build(repository: Path) -> None:
    repository.mkdir()
    _git(repository, "init", "--quiet", "--initial-branch=main")
    _write(repository, ".github/mergegate.yml", _policy())
    _write(repository, "mergeproof.yaml", _their_policy())
    for number in range(EDITED + DELETED + RENAMED):
        _write(repository, _path(number), _source(number))
    _commit(repository)
    _git(repository, "switch", "--quiet", "--create", "agent/1")
    for number in range(EDITED):
        _write(repository, _path(number), _source(number) + f"\n\nMORE_{number} = {number}\n")
    for number in range(EDITED, EDITED + DELETED):
        (repository / _path(number)).unlink()
    for number in range(EDITED + DELETED, EDITED + DELETED + RENAMED):
        old = repository / _path(number)
        old.rename(old.with_name(f"renamed_{number}.py"))
    for number in range(ADDED):
        _write(repository, f"new/{_path(number)}", _source(number))
    _commit(repository)


def _path(number: int) -> str:
    kind = "test_" if number % 10 == 0 else ""
    return f"services/s{number % 60}/part{number % 7}/{kind}module_{number}.py"


def _source(number: int) -> str:
    name = f"test_value_{number}" if number % 10 == 0 else f"value_{number}"
    return (
        f"import math\n\n\ndef {name}(step={number}):\n    assert math.floor(step + 0.5) == {number}\n    return step\n"
        * 3
    )


def _policy() -> str:
    areas = (f"    area-{n}: {{risk: medium, paths: [/services/s{n}/**, 'lib/{n}/*.py']}}" for n in range(RULES // 2))
    return "version: 1\nrisk:\n  areas:\n" + "\n".join(areas) + "\n"


def _their_policy() -> str:
    rules = (
        f"  - id: area-{n}\n    when: {{paths: ['services/s{n}/**']}}\n    require: [{{check: tests.changed}}]"
        for n in range(RULES)
    )
    return "version: 1\nrules:\n" + "\n".join(rules) + "\n"


def _write(repository: Path, path: str, text: str) -> None:
    file = repository / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def _commit(repository: Path) -> None:
    _git(repository, "add", "--all")
    _git(repository, "commit", "--quiet", "--message", "x")


def _git(repository: Path, *arguments: str) -> None:
    subprocess.run(("git", *arguments), cwd=repository, env={**os.environ, **_GIT}, check=True, capture_output=True)
