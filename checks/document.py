"""Small hostile documents in YAML or JSON: read strictly, with the line of every value, in linear time.

YAML is read as its JSON-like core: no anchors, aliases, tags, duplicate keys or second documents; `yes`, `on`, dates
and times are text. JSON goes through the same reader, as YAML's flow style.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import re2
import yaml

MAX_BYTES = 64 * 1024
MAX_DEPTH = 12
MAX_NODES = 10_000

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]
Path = tuple[str | int, ...]

_INTEGER = re2.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = re2.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][+-]?[0-9]{1,2})?")
# PyYAML's own reader takes half the time of a whole `mergegate check`; libyaml, where it is there, a tenth of that.
_QUICK = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# The two differ on tabs, byte-order marks, escapes, block headers, `?` in flow style and markers of documents. On the
# rest they agree wherever libyaml reads anything at all, as a test with random documents shows.
_READ_ALIKE = re2.compile(r"[ -=@-\[\]-{}~\n]*")
_MARKERS = ("---", "...")
_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a document. `line` is 1-based in the text that the document stands in, `field` is dotted.

    `column` is 1-based too.
    """

    message: str
    line: int | None = None
    field: str | None = None
    hint: str = ""
    column: int | None = None

    def __str__(self) -> str:
        place = [f"line {self.line}"] if self.line else []
        place += [self.field] if self.field else []
        return f"{', '.join(place)}: {self.message}" if place else self.message


class DocumentError(ValueError):
    """The text is no document that can be read; `fault` says where and why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Document:
    value: Value
    lines: dict[Path, int]  # of every key and item, in the surrounding text
    columns: dict[Path, int]  # of the same, in its line

    def line_of(self, path: Path) -> int | None:
        """The line of the value at `path`, or of the nearest part around it that is there."""
        around = (path[:length] for length in range(len(path), -1, -1))
        return next((self.lines[part] for part in around if part in self.lines), None)

    @property
    def digest(self) -> str:
        """`sha256:…` of the content; layout, comments and the order of keys do not matter."""
        return digest_of(json.dumps(self.value, sort_keys=True, separators=(",", ":")))


def digest_of(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_document(text: str, first_line: int = 1, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> Document:
    """The document in `text`, which begins at `first_line` of its surroundings.

    Raises DocumentError.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise DocumentError(Fault(f"{size} bytes are too many; at most {max_bytes} are read", first_line))
    if text.lstrip()[:1] in ("{", "["):
        text = text.replace("\t", " ")  # JSON allows tabs between its parts, YAML does not
    if text.isascii() and _READ_ALIKE.fullmatch(text) and not any(marker in text for marker in _MARKERS):
        try:
            return _Reader(text, first_line, max_depth, _QUICK).read()
        except DocumentError:  # the other reader has the better words for what is wrong
            pass
    return _Reader(text, first_line, max_depth, yaml.SafeLoader).read()


class _Reader:
    """Builds values from the parser's events, so that nothing recurses on the document's depth."""

    def __init__(self, text: str, first_line: int, max_depth: int, loader: Any) -> None:
        self._loader = loader
        self._max_depth = max_depth
        self._text = text
        self._first_line = first_line
        self._lines: dict[Path, int] = {}
        self._columns: dict[Path, int] = {}
        self._stack: list[tuple[Path, list[Value] | dict[str, Value]]] = []
        self._key: list[str | None] = []
        self._root: list[Value] = []
        self._nodes = 0

    def read(self) -> Document:
        for event in self._events():
            self._take(event)
        if not self._root:
            raise DocumentError(Fault("the document is empty", self._first_line))
        return Document(self._root[0], self._lines, self._columns)

    def _events(self) -> Iterator[yaml.Event]:
        try:
            yield from yaml.parse(self._text, Loader=self._loader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = self._first_line + (mark.line if mark else 0)
            column = mark.column + 1 if mark else None
            problem = f"not readable as YAML or JSON: {error.problem}"
            raise DocumentError(Fault(problem, line, column=column)) from error
        except (yaml.YAMLError, ValueError) as error:
            raise DocumentError(
                Fault("not readable as YAML or JSON: it holds a character that is not allowed", self._first_line)
            ) from error

    def _take(self, event: yaml.Event) -> None:
        match event:
            case yaml.AliasEvent():
                self._refuse(event, "an alias (`*name`) is not read; write the value out")
            case yaml.ScalarEvent():
                self._refuse_marks(event)
                self._scalar(event)
            case yaml.CollectionStartEvent():
                self._refuse_marks(event)
                self._open(event, {} if isinstance(event, yaml.MappingStartEvent) else [])
            case yaml.CollectionEndEvent():
                self._stack.pop()
                self._key.pop()
            case yaml.DocumentStartEvent() if self._root:
                self._refuse(event, "a second document begins here; only one is read")

    def _refuse_marks(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._refuse(event, f"more than {MAX_NODES} values are not read")
        if event.anchor is not None:
            self._refuse(event, "an anchor (`&name`) is not read; write the value out")
        if event.tag is not None:
            self._refuse(event, f"a tag (`{event.tag[:80]}`) is not read; leave it out")

    def _open(self, event: yaml.CollectionStartEvent, value: list[Value] | dict[str, Value]) -> None:
        if len(self._stack) >= self._max_depth:
            self._refuse(event, f"nested deeper than {self._max_depth} levels")
        if self._expects_key():
            self._refuse(event, "a key must be text")
        path = self._place(event, value)
        self._stack.append((path, value))
        self._key.append(None)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        if self._expects_key():
            self._take_key(event)
            return
        self._place(event, _typed(event))

    def _expects_key(self) -> bool:
        return bool(self._stack) and isinstance(self._stack[-1][1], dict) and self._key[-1] is None

    def _take_key(self, event: yaml.ScalarEvent) -> None:
        path, mapping = self._stack[-1]
        key = _whole(event.value)
        if key in mapping:
            self._refuse(event, f"the key `{key[:80]}` is given twice")
        self._key[-1] = key
        self._mark((*path, key), event)

    def _place(self, event: yaml.Event, value: Value) -> Path:
        if not self._stack:
            self._root.append(value)
            self._mark((), event)
            return ()
        path, container = self._stack[-1]
        if isinstance(container, list):
            step: str | int = len(container)
            container.append(value)
            self._mark((*path, step), event)
        else:
            step = self._key[-1] or ""
            container[step] = value
            self._key[-1] = None
        return (*path, step)

    def _mark(self, path: Path, event: yaml.Event) -> None:
        self._lines[path] = self._line(event)
        self._columns[path] = self._column(event)

    def _column(self, event: yaml.Event) -> int:
        return event.start_mark.column + 1 if event.start_mark else 1

    def _line(self, event: yaml.Event) -> int:
        return self._first_line + (event.start_mark.line if event.start_mark else 0)

    def _refuse(self, event: yaml.Event, message: str) -> NoReturn:
        raise DocumentError(Fault(message, self._line(event), column=self._column(event)))


def _typed(event: yaml.ScalarEvent) -> Value:
    text = _whole(event.value)
    if event.style:  # libyaml's word for a plain scalar is an empty one
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    return text


def _whole(text: str) -> str:
    """Text with JSON's escaped surrogate pairs joined; a lone half is replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
