"""`mergegate check` as one waits for it: a change of 3,000 files with 100 path rules, beside mergeproof if installed.

1,500 edits, 1,000 additions, 200 deletions and 300 renames of small Python files, a tenth of them tests.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.bench.measured import Row

EDITED, ADDED, DELETED, RENAMED = 1_500, 1_000, 200, 300
RULES = 100
TIMES = 5
_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{f"GIT_{role}_{part}": "bench" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")},
}


def measure(folder: Path) -> list[Row]:
    """Median of five each, wall seconds and peak memory of the largest process."""
    repository = folder / "check"
    _build(repository)
    of = f"{EDITED + ADDED + DELETED + RENAMED:,} changed files, {RULES} path rules"
    ours = [sys.executable, "-m", "app.cli.main", "check", "--base", "main", "--head", "agent/1"]
    rows = [
        _row("mergegate check --no-tampering", [*ours, "--no-tampering"], repository, of),
        _row("mergegate check", ours, repository, f"{of}, tests compared"),
    ]
    theirs = shutil.which("mergeproof")
    if theirs is None:
        return [*rows, Row("mergeproof check", "not installed", of)]
    return [
        *rows,
        _row("mergeproof check --local", [theirs, "check", "--local", "--base", "main", "-q"], repository, of),
    ]


def _row(what: str, command: list[str], repository: Path, of: str) -> Row:
    runs = sorted(_timed(command, repository) for _ in range(TIMES))
    seconds, peak = runs[TIMES // 2]
    return Row(what, f"{seconds:.2f} s, {peak // 1024} MiB", of)


def _timed(command: list[str], repository: Path) -> tuple[float, int]:
    """Seconds, and KiB of the largest process of all so far."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    begin = time.perf_counter()
    done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, check=False)
    seconds = time.perf_counter() - begin
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


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
