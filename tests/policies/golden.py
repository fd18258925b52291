"""Golden files: what people read, compared byte for byte.

`MERGEGATE_REWRITE_GOLDEN=1 pytest tests/policies` writes them anew; read the difference as prose before keeping it.
"""

from __future__ import annotations

import os
from pathlib import Path

from policies.explain import Annotation, Output

FOLDER = Path(__file__).parent / "golden"


def assert_golden(name: str, output: Output) -> None:
    path = FOLDER / f"{name}.md"
    text = rendered(output)
    if os.environ.get("MERGEGATE_REWRITE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; see tests/policies/golden.py"


def rendered(output: Output) -> str:
    notes = "".join(f"{_place(note)}\n" for note in output.annotations)
    return f"{output.title}\n{'=' * 80}\n{output.summary}{'=' * 80}\n{output.text}{'=' * 80}\n{notes}"


def _place(note: Annotation) -> str:
    return f"{note.level} {note.path}:{note.start_line}-{note.end_line}: {note.message}"
