"""Bundler: https://bundler.io/man/bundle-lock.1.html; sections with indented lines.

Digests stand in the section CHECKSUMS, which Bundler writes since 2.6 where it is asked to.
"""

from __future__ import annotations

from collections.abc import Iterator

import re2

from checks.lock_files.locked import Locked, LockFile, UnknownForm, lines, masked, sha256

_GEM = re2.compile(r"([^\s()]+) \(([^\s()]+)\)")
_CHECKSUM = re2.compile(r"  ([^\s()]+) \(([^\s()]+)\)(?: (\S+))?")
Sections = list[tuple[str, list[str]]]


def read_bundler(written: str) -> LockFile:
    """Raises UnknownForm."""
    sections = list(_sections(written))
    digests = dict(_digests(sections))
    packages = [one for title, body in sections if title == "GEM" for one in _gems(body, digests)]
    if not packages:
        raise UnknownForm("no package is seen")
    rest = [(title, body) for title, body in sections if title not in ("GEM", "CHECKSUMS")]
    frame = {title: [_wish(line) if title == "DEPENDENCIES" else line for line in body] for title, body in rest}
    if len(frame) != len(rest):
        frame["sections"] = [line for title, body in rest for line in (title, *body)]
    return LockFile(frozenset(packages), frame)


def _sections(written: str) -> Iterator[tuple[str, list[str]]]:
    body: list[str] = []
    for line in lines(written):
        if line and not line.startswith(" "):
            body = []
            yield line, body
        elif line:
            body.append(line)


def _digests(sections: Sections) -> Iterator[tuple[tuple[str, str], frozenset[str]]]:
    for title, body in sections:
        for line in body if title == "CHECKSUMS" else ():
            found = _CHECKSUM.fullmatch(line)
            if found is None:
                raise UnknownForm(f"{line[:80]!r} is no checksum")
            yield (found[1], found[2]), sha256((found[3] or "").split(","))


def _gems(body: list[str], digests: dict[tuple[str, str], frozenset[str]]) -> Iterator[Locked]:
    """Four blanks stand before a gem, six before what it asks for, two before the remotes."""
    remotes = ", ".join(line.strip() for line in body if line.startswith("  remote:"))
    for line in body:
        if not line.startswith("    ") or line.startswith("      "):
            continue
        found = _GEM.fullmatch(line[4:])
        if found is None:
            raise UnknownForm(f"{line[:80]!r} is no gem")
        proofs = digests.get((found[1], found[2]), frozenset())
        version, _, platform = found[2].partition("-")
        name = f"{found[1]} for {platform}" if platform else found[1]
        yield Locked(name, version, remotes or None, proofs, frozenset(), " ".join([remotes, *sorted(proofs)]))


def _wish(line: str) -> str:
    """`  rack (~> 3.0)`; an exclamation mark says that it comes from another source."""
    name, bracket, wish = line.partition("(")
    return f"{name}{bracket}{masked(wish)}"
