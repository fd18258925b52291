"""Golden files: what people read, compared byte for byte.

The digest of the shipped default policy, and the keys made of it, are written as words: every new word of the policy
changes them.

`MERGEGATE_REWRITE_GOLDEN=1 pytest tests/policies` writes them anew; read the difference as prose before keeping it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from policies.explain import Annotation, Output
from tests.policies.build import state

FOLDER = Path(__file__).parent / "golden"


def assert_golden(name: str, output: Output) -> None:
    path = FOLDER / f"{name}.md"
    text = rendered(output)
    if os.environ.get("MERGEGATE_REWRITE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; see tests/policies/golden.py"


def rendered(output: Output) -> str:
    notes = "".join(f"{_place(note)}\n" for note in output.annotations)
    return _steady(f"{output.title}\n{'=' * 80}\n{output.summary}{'=' * 80}\n{output.text}{'=' * 80}\n{notes}")


def _steady(text: str) -> str:
    digest = state().digest
    for shown in (digest, digest.removeprefix("sha256:"), digest[:19]):
        text = text.replace(shown, "<digest of the default policy>")
    text = re.sub("policy `sha256:[0-9a-f]{12}`", "policy `<digest of another>`", text)
    return re.sub("/approve [A-Z]{4,}", "/approve <code>", re.sub("mg1:[0-9a-f]{64}", "mg1:<key>", text))


def _place(note: Annotation) -> str:
    return f"{note.level} {note.path}:{note.start_line}-{note.end_line}: {note.message}"
