"""Judges for stories: shell scripts that keep what they were given beside themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from tests.gate.scene import Scene


def judge_program(folder: Path, name: str, answer: str) -> Path:
    """A program that writes `answer`, which may be any commands of a shell."""
    path = folder / name
    path.write_text(f'#!/bin/sh\ncat > "$0.given"\nenv > "$0.env"\necho call >> "$0.calls"\n{answer}\n')
    path.chmod(0o755)
    return path


def says(verdict: str, **more: Any) -> str:
    return f"cat <<'END'\n{json.dumps({'verdict': verdict, **more})}\nEND"


def hire(stage: Scene, folder: Path, name: str, answer: str) -> Path:
    """The server has this judge from now on."""
    path = judge_program(folder, name, answer)
    cast("dict[str, Path]", stage.gate.judges.programs)[name] = path
    return path


def calls_of(judge: Path) -> int:
    told = judge.with_name(judge.name + ".calls")
    return len(told.read_text().splitlines()) if told.exists() else 0


def given_to(judge: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(judge.with_name(judge.name + ".given").read_text())
    return found
