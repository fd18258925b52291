"""`.gitattributes` that keep changes out of sight or change what is merged: https://git-scm.com/docs/gitattributes

GitHub hides what is `linguist-generated` in a pull request:
https://docs.github.com/en/repositories/working-with-files/managing-files/customizing-how-changed-files-appear-on-github
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import re2

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.endings import is_code
from checks.tampering.places import extension
from checks.tampering.settings.reading import decoded

_MOST_LINES = 2_000
_HIDES = re2.compile(r"-diff|binary|diff=(?:false|unset|none)|linguist-(?:generated|vendored)(?:=true)?")
_CHANGES = re2.compile(r"filter=.*|ident|merge=.*|-merge|working-tree-encoding=.*|export-(?:ignore|subst)")
# Drivers that git has itself, or that only large files use.
_USUAL = frozenset({"filter=lfs", "merge=lfs", "merge=binary", "merge=text"})
# Endings of files that nobody reads line by line.
_UNREAD = frozenset(
    {
        *(
            "png",
            "jpg",
            "jpeg",
            "gif",
            "webp",
            "ico",
            "bmp",
            "tif",
            "tiff",
            "pdf",
            "svg",
            "woff",
            "woff2",
            "ttf",
            "otf",
            "eot",
        ),
        *(
            "zip",
            "gz",
            "tgz",
            "xz",
            "bz2",
            "7z",
            "jar",
            "war",
            "exe",
            "dll",
            "so",
            "dylib",
            "a",
            "o",
            "bin",
            "wasm",
            "pyc",
        ),
        *(
            "mp3",
            "mp4",
            "mov",
            "avi",
            "webm",
            "ogg",
            "wav",
            "flac",
            "psd",
            "ai",
            "fig",
            "sketch",
            "parquet",
            "npy",
            "pkl",
        ),
        *("lock", "lockb", "snap", "map", "sum", "onnx", "pt", "h5", "db", "sqlite", "xlsx", "docx", "pptx"),
    }
)


def hiding_attributes(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Alterations of kind `attributes-hide` and `attributes-change-content`."""
    for change in changes:
        if change.after is None or change.after.path.rpartition("/")[2] != ".gitattributes":
            continue
        known = Counter(_attributes(change.before))
        for number, pattern, attribute in _lines(change.after):
            if known[pattern, attribute] > 0:
                known[pattern, attribute] -= 1
            else:
                yield from _said(change.after.path, number, pattern, attribute)


def _attributes(version: Version | None) -> Iterator[tuple[str, str]]:
    return ((pattern, attribute) for _, pattern, attribute in _lines(version))


def _lines(version: Version | None) -> Iterator[tuple[int, str, str]]:
    """Line number, pattern and one attribute."""
    if version is None or version.data is None:
        return
    for number, line in enumerate(decoded(version.data).splitlines()[:_MOST_LINES], start=1):
        pattern, *attributes = line.split() or [""]
        if not pattern.startswith("#"):
            yield from ((number, pattern, attribute) for attribute in attributes)


def _said(path: str, number: int, pattern: str, attribute: str) -> Iterator[Alteration]:
    quote = f"{pattern} {attribute}"[:LONGEST_QUOTE]
    if _HIDES.fullmatch(attribute) and extension(pattern) not in _UNREAD:
        reason = f"Changes to `{pattern[:80]}` are hidden from readers (`{attribute[:40]}`)."
        weight = Weight.PERSON if _may_be_source(pattern) else Weight.RISK
        yield Alteration("attributes-hide", path, number, "", quote, reason, weight, path, "gate")
    elif _CHANGES.fullmatch(attribute) and attribute not in _USUAL:
        reason = f"`{attribute[:40]}` makes git change or leave out `{pattern[:80]}`."
        yield Alteration("attributes-change-content", path, number, "", quote, reason, Weight.RISK, path, "gate")


def _may_be_source(pattern: str) -> bool:
    """Whether files of source code can be meant: `*`, `src/**`, `*.py`, but not `package-lock.json` or `docs/*.md`."""
    name = pattern.rstrip("/").rpartition("/")[2]
    return is_code(name) or extension(name) in ("yml", "yaml", "toml") or "." not in name.strip(".")
