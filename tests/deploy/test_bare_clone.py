"""What git hands to a stranger is whole: nothing in it is another machine's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tracked() -> dict[str, str]:
    """Mode by path, as git has them; a release without its `.git` has nothing to ask."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-sz"], check=True, capture_output=True, text=True)
    return {
        path: mode.split(" ", 1)[0] for mode, path in (row.split("\t", 1) for row in listed.stdout.split("\0")[:-1])
    }


def test_the_environment_that_make_sets_up_is_not_in_git_and_cannot_come_in_as_a_link() -> None:
    """With a link of that name in the clone `python -m venv` ends with "File exists", and so does every target."""
    assert ".venv" not in tracked()
    assert ".venv" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()  # `.venv/` is of folders alone


def test_no_symbolic_link_is_in_git() -> None:
    assert [path for path, mode in tracked().items() if mode == "120000"] == []
