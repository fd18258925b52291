"""Real git repositories in temporary folders, and the command run as people and scripts run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from app.cli.commands import app
from tests.standby import standby

BUNDLE = """reason: Totals were computed once a row.
commands:
  - {command: pytest -q, exit_code: 0, where: ci}
risk: {level: low, known: []}
rollback: {strategy: revert}
"""
TICKET = "id: 7\nallowed_paths: [src/, tests/]\nforbidden_paths: [src/secret.py]\n"
RED_LOG = """============================= test session starts ==============================
collected 3 items
=================================== FAILURES ===================================
========================= 1 failed, 2 passed in 0.26s =========================
##[error]Process completed with exit code 1.
"""
GREEN_LOG = """============================= test session starts ==============================
collected 12 items
============================== 12 passed in 0.50s ==============================
"""
_IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-05-04T12:00:00Z",
    "GIT_COMMITTER_DATE": "2026-05-04T12:00:00Z",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


@dataclass(frozen=True, slots=True)
class Shop:
    """A repository with `main` and whatever branches a test makes."""

    folder: Path

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        done = subprocess.run(
            ("git", *arguments),
            cwd=self.folder,
            env={**os.environ, **_IDENTITY},
            input=stdin,
            capture_output=True,
            check=True,
        )
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str | bytes, content: str | bytes) -> None:
        file = self.folder / os.fsdecode(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str = "change") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def branch(self, files: Mapping[str, str | bytes], name: str = "agent/7") -> str:
        """A branch from `main` that changes `files`; its head."""
        self.git("checkout", "--quiet", "-B", name, "main")
        for path, content in files.items():
            self.write(path, content)
        return self.commit()


def make_shop(folder: Path) -> Shop:
    folder.mkdir(parents=True)
    shop = Shop(folder)
    shop.git("init", "--quiet", "--initial-branch=main", "--template=")
    shop.write("src/total.py", "def total(rows):\n    return sum(rows)\n" * 10)
    shop.write(".github/workflows/ci.yml", "on: pull_request\njobs: {}\n")
    shop.write("README", "A shop.\n")
    shop.commit("Start")
    return shop


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    """The command within this process."""
    return CliRunner().invoke(app, arguments, input=stdin)


def command(
    *arguments: str, cwd: Path | None = None, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """The command as if in a process of its own: in a fork of one that has loaded everything, see `standby`."""
    return standby().run(arguments, cwd or Path.cwd(), {**os.environ, **environment}, stdin)


def process(
    *arguments: str, cwd: Path | None = None, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """The command as a process of its own, from Python's first line on; that takes a second."""
    return subprocess.run(
        (sys.executable, "-m", "app.cli.main", *arguments),
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )


def check(shop: Shop | Path, *options: str, base: str = "main", head: str = "agent/7") -> Result:
    folder = shop.folder if isinstance(shop, Shop) else shop
    return run("check", "--repo", str(folder), "--base", base, "--head", head, *options)


def judged(result: Result, exit_code: int) -> dict[str, Any]:
    """The object that `check --json` printed, with the exit code that the contract wants for its verdict."""
    assert result.exit_code == exit_code, (result.output, result.exception)
    value: dict[str, Any] = json.loads(result.stdout)
    assert list(value) == ["verdict", "needs_person", "risk", "areas", "findings"]
    return value


def statuses(value: dict[str, Any], check_name: str) -> list[str]:
    return [each["status"] for each in value["findings"] if each["check"] == check_name]


def refused(result: Result) -> str:
    """The one sentence on standard error of a command that could not look; nothing else is printed."""
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    assert result.stderr.startswith("mergegate: ")
    return result.stderr
