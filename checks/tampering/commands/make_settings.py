"""Settings of make that change what every recipe of a file does: its flags, its shell, and the shell's own flags.

https://www.gnu.org/software/make/manual/html_node/Options-Summary.html,
https://www.gnu.org/software/make/manual/html_node/Choosing-the-Shell.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change
from checks.tampering.occurrences import Mark, added_marks

_FILES = re2.compile(r"(?:.*/)?(?:GNUmakefile|[Mm]akefile|[^/]*\.mk)")
_SETTING = re2.compile(rb"(?m)^ *(?:(?:export|override) +)*(?:(?:GNU)?MAKEFLAGS|SHELL|\.SHELLFLAGS) *[:?+]*=.*$")
_LONG = {
    **dict.fromkeys(("--ignore-errors",), "i"),
    **dict.fromkeys(("--just-print", "--dry-run", "--recon", "--touch", "--question"), "n"),
}
_WITH_VALUE = re2.compile(r"[CIOWfjlo].*")  # letters after which the rest of the word is a value
_SHELL = re2.compile(
    r"(?:/\S*/)?(?:env +)?(?:(?:ba|da|z|k|a|fi|pw)?sh|busybox sh|cmd|powershell)(?:\.exe)?(?: +-[\w ]+)?"
    r"|\$[({]shell .*\b(?:ba|z|da|k)?sh\b.*[)}]|\$[({]BASH[)}]"
)
_TAKES_COMMAND = re2.compile(r"(?:.* )?-[a-zA-Z]*c")


def make_settings(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Settings that a change adds, by which recipes cannot fail, do not run, or are run by something else."""
    for mark in added_marks(changes, _SETTING, _is_make_file):
        name, _, value = mark.text.partition("=")
        name = name.strip(" :?+").rpartition(" ")[2]
        yield from _of(mark, name, value.partition("#")[0].strip())


def _is_make_file(path: str) -> bool:
    return _FILES.fullmatch(path.encode("utf-8", "replace").decode()) is not None


def _of(mark: Mark, name: str, value: str) -> Iterator[Alteration]:
    if name.endswith("MAKEFLAGS"):
        flags = _flags(value.split())
        if "i" in flags:
            yield _alteration(mark, "exit-code-swallowed", Weight.FAILED, "lets make go on whatever fails")
        if not flags.isdisjoint("ntq"):
            yield _alteration(mark, "nothing-runs", Weight.FAILED, "lets make say what it would do, and do nothing")
    elif name == "SHELL" and value and _SHELL.fullmatch(value) is None:
        yield _alteration(mark, "runner-replaced", Weight.PERSON, "hands every recipe to another program")
    elif name == ".SHELLFLAGS" and (_TAKES_COMMAND.fullmatch(value) is None or "n" in _flags(value.split())):
        yield _alteration(mark, "runner-replaced", Weight.PERSON, "changes what the shell does with every recipe")


def _flags(words: Sequence[str]) -> frozenset[str]:
    """Single letters, in whatever way they are written: `-ik`, `--ignore-errors`, and `k` as the first word."""
    short = [word.removeprefix("-") for at, word in enumerate(words) if at == 0 or word.startswith("-")]
    letters = "".join(_WITH_VALUE.sub("", word) for word in short if word.isalpha())
    return frozenset(letters + "".join(_LONG.get(word, "") for word in words))


def _alteration(mark: Mark, kind: str, weight: Weight, does: str) -> Alteration:
    reason = f"`{mark.source[:120]}` {does}."
    return Alteration(kind, mark.path, mark.line, "", mark.source, reason, weight, mark.path)
