"""Tests that give the name of what they tested to something of their own: from then on they test that.

For languages with a grammar; `python.subjects` does the same for Python. A name counts where a test called it before,
as it does now, where the file did not define it before, and where no other test file did: helpers move between tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import re2

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.languages import JAVASCRIPT_ENDINGS, adapter_for, may_hold_tests
from checks.tampering.places import extension, is_test_path
from checks.tampering.units import Unit

_MOST_NAMES = 200  # of one file that are looked at
_SHORTEST_NAME = 3


@dataclass(frozen=True, slots=True)
class _Way:
    """How a language defines names. `functions`, `types` and `values` have the name as their first group; the second
    group of `values` is what a name is given.

    `imported` is a pattern, with NAME for the name, by which an old source has it from elsewhere; None: whatever it
    does not define. Its group, where it has one, is from where. `types_are_imported` is false where types need not be.
    """

    functions: Any
    types: Any
    values: Any = None
    imported: bytes | None = None
    types_are_imported: bool = True


_JAVASCRIPT = _Way(
    functions=re2.compile(rb"\bfunction\s*\*?\s*([\w$]+)\s*\("),
    types=re2.compile(rb"\bclass\s+([\w$]+)"),
    values=re2.compile(rb"\b(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]*)?=([^=>\n][^\n]*)"),
    # A relative path or an alias of one; packages are no subject.
    imported=rb"(?s)\bNAME\b[^;'\"`]{0,500}?(?:\bfrom|\brequire\()\s*['\"]((?:\.{1,2}/|[@~#]/|src/|lib/)[^'\"\n]+)['\"]",
)
_GO = _Way(
    functions=re2.compile(rb"(?m)^func\s+(\w+)\("),
    types=re2.compile(rb"\btype\s+(\w+)\s"),
    values=re2.compile(rb"(?m)(?:^\s*|\{\s*|;\s*)(\w+)\s*:=([^\n]*)"),
)
_RUST = _Way(
    functions=re2.compile(rb"\bfn\s+(\w+)"),
    types=re2.compile(rb"\b(?:struct|enum|mod)\s+(\w+)"),
    values=re2.compile(rb"\blet\s+(?:mut\s+)?(\w+)\s*(?::[^=\n]*)?=([^=\n][^\n]*)"),
)
_JAVA = _Way(
    functions=re2.compile(
        rb"(?m)^\s*(?:(?:public|protected|private|static|final)\s+)*[\w<>\[\], .?]+\s(\w+)\s*\([^()]*\)\s*\{"
    ),
    types=re2.compile(rb"\b(?:class|interface|enum|record)\s+(\w+)"),
    imported=rb"\bimport\s+(?:static\s+)?[\w.]*\.(?:NAME|\*);",
    types_are_imported=False,
)
_CSHARP = _Way(
    functions=re2.compile(
        rb"(?m)^\s*(?:(?:public|protected|private|internal|static)\s+)*[\w<>\[\], .?]+\s(\w+)\s*\([^()]*\)\s*(?:=>|\{)"
    ),
    types=re2.compile(rb"\b(?:class|interface|enum|record|struct)\s+(\w+)"),
)
_RUBY = _Way(
    functions=re2.compile(rb"\bdef\s+(?:self\.)?(\w+)"), types=re2.compile(rb"(?m)^\s*(?:class|module)\s+([\w:]+)")
)
_WAYS: Mapping[str, _Way] = {
    **dict.fromkeys(JAVASCRIPT_ENDINGS, _JAVASCRIPT),
    "go": _GO,
    "rs": _RUST,
    "java": _JAVA,
    "cs": _CSHARP,
    "rb": _RUBY,
}
_ELSEWHERE = re2.compile(rb"\brequire\(|\bimport\b|\bawait import")
_FOR_TESTS = re2.compile(rb"(?i)test|spec|fixture|fake|mock|stub|helper|util|support|setup")
_FUNCTIONS = (b"async", b"function", b"func(", b"|", b"move")
_WORD = re2.compile(rb"[\w$]+")
_TESTS_OF_RUST = b"#[cfg(test)]"


def alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    """One for every such name of a test file that is on both sides."""
    known: frozenset[bytes] | None = None
    for change in changes:
        for name, line, quote in _taken(change):
            known = _defined_by_tests(changes) if known is None else known
            if name not in known:
                yield _alteration(change, name.decode(), line, quote)


def _alteration(change: Change, name: str, line: int, quote: str) -> Alteration:
    path = change.paths[0]
    reason = f"`{name}` is tested here and is the test file's own now."
    return Alteration("subject-replaced", path, line, "", quote[:LONGEST_QUOTE], reason, Weight.PERSON, subject=name)


def _taken(change: Change) -> Iterator[tuple[bytes, int, str]]:
    """Names that the new side defines and calls and the old one only called, with line and source."""
    before, after = change.before, change.after
    way = _WAYS.get(extension(after.path)) if after is not None else None
    if way is None or after is None or before is None or before.data is None or after.data is None:
        return
    if not (may_hold_tests(after.path, after.data) and adapter_for(before.path) is adapter_for(after.path)):
        return
    old, known = _source(before), _defined(way, _source(before))
    fresh = {
        name: at
        for name, at in _defined(way, _source(after)).items()
        if len(name) >= _SHORTEST_NAME and name in old and name not in known and _is_of_product(way, name, old)
    }
    called = _called(before, fresh) & _called(after, fresh) if len(fresh) in range(1, _MOST_NAMES) else frozenset()
    for name in sorted(called):
        yield name, *_place(after.data, fresh[name] + len(after.data) - len(_source(after)))


def _source(side: Version) -> bytes:
    """What may define a name for tests: of Rust the end that belongs to them, as the product is in the same file."""
    data = side.data or b""
    if not side.path.endswith(".rs") or is_test_path(side.path):
        return data
    return data.partition(_TESTS_OF_RUST)[2]


def _defined(way: _Way, source: bytes) -> dict[bytes, int]:
    """Names with the place of what defines each; not what is made of the name's own value, or comes from elsewhere."""
    found = {match[1]: match.start(1) for pattern in (way.functions, way.types) for match in pattern.finditer(source)}
    for match in way.values.finditer(source) if way.values is not None else ():
        if _is_own(match[1], match[2].lstrip()):
            found.setdefault(match[1], match.start(1))
    return found


def _is_own(name: bytes, value: bytes) -> bool:
    """A function that is written there, or what has neither that name in it nor comes from elsewhere."""
    if value.startswith(_FUNCTIONS) or (value.startswith(b"(") and b"=>" in value and b"import(" not in value):
        return True
    return _ELSEWHERE.search(value) is None and name not in _WORD.findall(value)


def _is_of_product(way: _Way, name: bytes, old: bytes) -> bool:
    if way.imported is None or not (way.types_are_imported or name[:1].islower()):
        return True
    found = re2.search(way.imported.replace(b"NAME", re2.escape(name)), old)
    return found is not None and (found.re.groups == 0 or _FOR_TESTS.search(found[1]) is None)


def _called(side: Version, names: Iterable[bytes]) -> frozenset[bytes]:
    """Those of the names that tests with assertions call, or make objects of."""
    adapter = adapter_for(side.path)
    units = adapter(side.path, side.data or b"").units if adapter is not None else ()
    asserting = [unit for unit in units if unit.assertions]
    return frozenset(name for name in names if any(_calls(unit, name.decode("utf-8", "replace")) for unit in asserting))


def _calls(unit: Unit, name: str) -> bool:
    """`total(…)`, `Cart.total(…)`, `new Cart(…)`"""
    qualified = name[:1].isupper() and any(call.startswith((f"{name}.", f"{name}::")) for call in unit.calls)
    return name in unit.calls or qualified or f"new {name}(" in unit.body or f"{name}::" in unit.body


def _defined_by_tests(changes: Sequence[Change]) -> frozenset[bytes]:
    """What test files define before the change."""
    found: set[bytes] = set()
    for change in changes:
        way = _WAYS.get(extension(change.before.path)) if change.before is not None else None
        if way is not None and change.before is not None and is_test_path(change.before.path):
            found |= _defined(way, change.before.data or b"").keys()
    return frozenset(found)


def _place(source: bytes, at: int) -> tuple[int, str]:
    start = source.rfind(b"\n", 0, at) + 1
    line = source[start:].partition(b"\n")[0].decode("utf-8", "replace").strip()
    return source.count(b"\n", 0, at) + 1, line
