"""Files that are not what a list of changes shows: binary in place of text, pointers, links, submodules, long lines."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname, join, normpath

from checks.diff import SUBMODULE_MODE, SYMLINK_MODE
from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.endings import is_code
from checks.tampering.places import extension

LONGEST_LINE = 5_000  # characters; no person writes or reads a longer one
_TEXT_BEGINS = (
    8_000  # bytes in which git looks for NUL, https://git-scm.com/docs/gitattributes#_marking_files_as_binary
)
_POINTER = b"version https://git-lfs.github.com/spec/"  # https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
_LARGEST_POINTER = 1_024
_PROGRAMS = (b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\x00asm", b"!<arch>")
_MADE = frozenset(
    {"pyc", "pyo", "class", "jar", "war", "whl", "egg", "so", "dll", "dylib", "exe", "o", "a", "node", "wasm"}
)


def disguises(change: Change) -> Iterator[Alteration]:
    """What one changed file hides."""
    after = change.after
    if after is None:
        return
    if after.mode == SUBMODULE_MODE:
        yield _of(change, "submodule-changed", "The content of a submodule is not part of the change.", Weight.RISK)
    elif after.mode == SYMLINK_MODE:
        yield from _link(change, after)
    elif after.data is not None:
        yield from _content(change, after.path, after.data)
    if change.before is not None and change.before.mode != after.mode:
        reason = f"The file's mode changes from {change.before.mode} to {after.mode}."
        yield _of(change, "mode-changed", reason, Weight.RISK)


def _link(change: Change, after: Version) -> Iterator[Alteration]:
    target = (after.data or b"").decode("utf-8", "replace")
    if target.startswith("/") or f"{normpath(join(dirname(after.path), target))}/".startswith("../"):
        reason = f"A symbolic link points out of the repository: `{target[:120]}`."
        yield _of(change, "link-leaves-repository", reason, Weight.PERSON, target)


def _content(change: Change, path: str, data: bytes) -> Iterator[Alteration]:
    before = b"" if change.before is None else change.before.data or b""
    if _is_pointer(data) != _is_pointer(before) and (before or _is_pointer(data)):
        weight = Weight.PERSON if is_code(path) else Weight.RISK
        reason = "A pointer to a large file stands where its content stood, or the other way round."
        yield _of(change, "pointer-changed", reason, weight)
    elif _is_binary(data) and not _is_binary(before):
        yield from _binary(change, path, data, was_text=bool(before))
    elif is_code(path) and not _is_binary(data) and _has_long_line(data) and _longest(data) > _longest(before):
        reason = f"A line of source code has more than {LONGEST_LINE} characters; nobody can read it in a change."
        yield _of(change, "unreadable-line", reason, Weight.RISK)


def _binary(change: Change, path: str, data: bytes, *, was_text: bool) -> Iterator[Alteration]:
    if was_text or is_code(path):
        reason = "A file of text is binary now, so that its changes are not shown."
        yield _of(change, "binary-instead-of-text", reason, Weight.PERSON)
    elif data.startswith(_PROGRAMS) or extension(path) in _MADE:
        yield _of(change, "program-added", "A program is added that nobody can read.", Weight.RISK)


def _is_pointer(data: bytes) -> bool:
    return len(data) <= _LARGEST_POINTER and data.startswith(_POINTER)


def _is_binary(data: bytes) -> bool:
    return b"\0" in data[:_TEXT_BEGINS]


def _has_long_line(data: bytes) -> bool:
    """Jumps from line end to line end, as far as LONGEST_LINE allows."""
    at = 0
    while at + LONGEST_LINE < len(data):
        end = data.rfind(b"\n", at, at + LONGEST_LINE + 1)
        if end < 0:
            return True
        at = end + 1
    return False


def _longest(data: bytes) -> int:
    return max(map(len, data.split(b"\n")))


def _of(change: Change, kind: str, reason: str, weight: Weight, after: str = "") -> Alteration:
    path = change.paths[0]
    return Alteration(kind, path, None, "", after[:LONGEST_QUOTE], reason, weight, path, "")
