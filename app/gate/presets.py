"""The shipped policies, read from the `policies` package once at start."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import get_args

from policies.schema import PresetName


def read_presets() -> Mapping[str, str]:
    """Text of each preset by name."""
    folder = files("policies")
    return {name: (folder / f"{name}.yml").read_text(encoding="utf-8") for name in get_args(PresetName)}
