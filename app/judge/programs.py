"""Judges as the operator names them: `NAME=/PATH`, separated by blanks."""

from __future__ import annotations

import re
from pathlib import Path

from checks.opinions import JUDGE

_NAME = re.compile(JUDGE, re.ASCII)


def judge_programs(text: str) -> dict[str, Path]:
    """Absolute paths by name. Raises ValueError with what was expected."""
    found = {}
    for part in text.split():
        name, _, path = part.partition("=")
        if not _NAME.fullmatch(name) or not path.startswith("/"):
            raise ValueError(f"{part!r} is not NAME=/PATH with a name like `other-model`")
        found[name] = Path(path)
    return found
