"""Files for GitHub that this program ships beside its code."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any


def verifier_workflow() -> str:
    """Text of `deploy/workflows/mergegate-verify.yml`."""
    return _shipped("workflows", "mergegate-verify.yml")


def app_manifest(role: str) -> dict[str, Any]:
    """`deploy/app-gate.json` or `deploy/app-courier.json`."""
    loaded: dict[str, Any] = json.loads(_shipped(f"app-{role}.json"))
    return loaded


def ruleset_template() -> dict[str, Any]:
    """`deploy/ruleset.json`."""
    loaded: dict[str, Any] = json.loads(_shipped("ruleset.json"))
    return loaded


def _shipped(*parts: str) -> str:
    """A wheel has the file within the package, a checkout in deploy/."""
    packed = files("app").joinpath("deploy", *parts)
    if packed.is_file():
        return packed.read_text(encoding="utf-8")
    return Path(__file__).parents[2].joinpath("deploy", *parts).read_text(encoding="utf-8")
