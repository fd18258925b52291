"""Files for GitHub that this program ships beside its code."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def verifier_workflow() -> str:
    """Text of `deploy/workflows/mergegate-verify.yml`; a wheel has it within the package."""
    packed = files("app") / "workflows" / "mergegate-verify.yml"
    if packed.is_file():
        return packed.read_text(encoding="utf-8")
    checkout = Path(__file__).parents[2]
    return (checkout / "deploy" / "workflows" / "mergegate-verify.yml").read_text(encoding="utf-8")
