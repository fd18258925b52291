"""The list of kinds holds every one that the analysis can come to: a rule that names one of them can hold."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import checks.tampering
from checks.tampering.kinds import FOREIGN, KINDS, is_kind
from checks.tampering.levels import _HIGH, _LOW

# Words of the same form in the package's code that are something else: commands, keys of workflow files, areas, fixes.
OTHERS = frozenset(
    {
        *("add-none", "agent-instructions", "apt-get", "ask-person", "branches-ignore"),
        *("cache-mode", "data-deletion", "django-admin", "llvm-cov", "micromamba-shell"),
        *("nix-shell", "open-pull-request", "paths-ignore", "pre-commit", "runs-on"),
        *("split-pull-request", "us-ascii", "vue-cli-service", "write-all", "write-only"),
        *("wsl-bash",),
    }
)


def _words() -> set[str]:
    """Every text in the code of the analysis that has the form of a kind."""
    folder = Path(checks.tampering.__file__).parent
    files = (path for path in folder.rglob("*.py") if path.name != "kinds.py")
    nodes = (node for path in files for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {text for text in texts if re.fullmatch(r"[a-z]+(-[a-z]+)+", text)}


def test_every_kind_is_in_the_list_and_no_other_word() -> None:
    assert _words() - OTHERS == KINDS
    assert not OTHERS - _words()


def test_kinds_that_raise_the_risk_are_kinds() -> None:
    assert _HIGH | _LOW <= KINDS


def test_kinds_of_another_program_are_named_by_it() -> None:
    assert is_kind("zizmor-template-injection") and is_kind("data-dropped")
    assert not is_kind(FOREIGN) and not is_kind("data-droped") and not is_kind("")
