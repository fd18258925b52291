"""A YAML or JSON document as plain values, with the line and column of each of them.

Used for text that strangers wrote. It is read event by event, so nothing is built that could be refused: size first,
then depth; anchors, aliases, tags, duplicate keys and keys that are no text are refused where they stand. Plain
scalars follow YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema): `on`, `off`, `yes` and `no` are text. Numbers
are whole numbers; anything else, such as an abbreviated commit `12e4567`, stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import yaml

_WORDS = {
    form: value
    for word, value in {"": None, "~": None, "null": None, "true": True, "false": False}.items()
    for form in (word, word.title(), word.upper())
}
_WHOLE_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_MAX_DEPTH = 20

Value = None | bool | int | str | list["Value"] | dict[str, "Value"]
Path = tuple[str | int, ...]


class Position(NamedTuple):
    """1-based."""

    line: int
    column: int


class DocumentError(ValueError):
    """Why the text is refused, where, and what to do."""

    def __init__(self, position: Position, problem: str, hint: str) -> None:
        super().__init__(f"line {position.line}, column {position.column}: {problem}. {hint}")
        self.position = position
        self.problem = problem
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Document:
    """`keys` and `values` give positions by path, for example `("risk", "areas", "ci")` or `("branches", 0)`."""

    value: Value
    keys: Mapping[Path, Position]
    values: Mapping[Path, Position]

    def position(self, path: Path, *, of_key: bool = False) -> Position:
        """Where the value (or its key) stands; for a path that is absent, where its nearest parent does."""
        places = self.keys if of_key else self.values
        while path and path not in places:
            path = path[:-1]
            places = self.values
        return places[path]


def read_document(text: str, *, max_bytes: int, first_line: int = 1) -> Document:
    """Read one document; `first_line` is the line of its first line in the text it was cut from.

    Raises DocumentError.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise DocumentError(
            Position(first_line, 1), f"the text is {size} bytes, at most {max_bytes} are read", "Shorten it"
        )
    builder = _Builder(first_line)
    for event in _events(text, first_line):
        builder.take(event)
    return builder.document()


def _events(text: str, first_line: int) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise DocumentError(
            _position(mark, first_line), error.problem or "no valid YAML", "Repair the YAML there"
        ) from error
    except yaml.reader.ReaderError as error:
        line = first_line + text.count("\n", 0, error.position)
        column = error.position - text.rfind("\n", 0, error.position)
        raise DocumentError(
            Position(line, column), f"the character U+{error.character:04X} is not allowed", "Remove it"
        ) from error


class _Mark(Protocol):
    line: int  # 0-based, as is the column
    column: int


def _position(mark: _Mark | None, first_line: int) -> Position:
    """The parser always gives a mark; its types do not say so."""
    return Position(first_line, 1) if mark is None else Position(first_line + mark.line, mark.column + 1)


@dataclass(slots=True)
class _List:
    path: Path
    value: list[Value]
    wants_key = False

    def put(self, value: Value) -> Path:
        self.value.append(value)
        return (*self.path, len(self.value) - 1)


@dataclass(slots=True)
class _Mapping:
    path: Path
    value: dict[str, Value]
    key: str = ""
    wants_key: bool = True  # else `key` waits for its value

    def put(self, value: Value) -> Path:
        self.value[self.key] = value
        self.wants_key = True
        return (*self.path, self.key)


@dataclass(slots=True)
class _Builder:
    first_line: int
    root: Value = None
    documents: int = 0
    frames: list[_List | _Mapping] = field(default_factory=list)
    keys: dict[Path, Position] = field(default_factory=dict)
    values: dict[Path, Position] = field(default_factory=dict)

    def document(self) -> Document:
        self.values.setdefault((), Position(self.first_line, 1))
        return Document(self.root, self.keys, self.values)

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.DocumentStartEvent():
                self._start_document(event)
            case yaml.AliasEvent():
                raise self._fault(event, "aliases (`*name`) are not allowed", "Write the value out")
            case yaml.ScalarEvent():
                self._take_scalar(event)
            case yaml.MappingStartEvent():
                mapping: dict[str, Value] = {}
                self.frames.append(_Mapping(self._open(event, mapping), mapping))
            case yaml.SequenceStartEvent():
                items: list[Value] = []
                self.frames.append(_List(self._open(event, items), items))
            case yaml.CollectionEndEvent():
                self.frames.pop()
            case _:
                pass

    def _fault(self, event: yaml.Event, problem: str, hint: str) -> DocumentError:
        return DocumentError(self._start(event), problem, hint)

    def _start_document(self, event: yaml.DocumentStartEvent) -> None:
        self.documents += 1
        if self.documents > 1:
            raise self._fault(event, "a second document starts here", "Keep one, without `---`")

    def _refuse_decoration(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
        if event.anchor is not None:
            raise self._fault(event, "anchors (`&name`) are not allowed", "Write the value out where it is needed")
        if event.tag is not None:
            raise self._fault(event, "tags (`!name`) are not allowed", "Write the plain value")

    def _open(self, event: yaml.CollectionStartEvent, value: Value) -> Path:
        self._refuse_decoration(event)
        if len(self.frames) == _MAX_DEPTH:
            raise self._fault(event, f"nested deeper than {_MAX_DEPTH} levels", "Flatten it")
        if self.frames and self.frames[-1].wants_key:
            raise self._fault(event, "a key must be text", "Write `name: value`")
        return self._place(event, value)

    def _take_scalar(self, event: yaml.ScalarEvent) -> None:
        self._refuse_decoration(event)
        value = _scalar(event)
        frame = self.frames[-1] if self.frames else None
        if not isinstance(frame, _Mapping) or not frame.wants_key:
            self._place(event, value)
        elif isinstance(value, str):
            self._take_key(event, frame, value)
        else:
            raise self._fault(event, f"the key `{event.value}` is no text", "Put it in quotes")

    def _take_key(self, event: yaml.ScalarEvent, frame: _Mapping, key: str) -> None:
        if key in frame.value:
            first = self.keys[(*frame.path, key)]
            raise self._fault(event, f"the key `{key}` was already given in line {first.line}", "Keep one of the two")
        self.keys[(*frame.path, key)] = self._start(event)
        frame.key, frame.wants_key = key, False

    def _place(self, event: yaml.Event, value: Value) -> Path:
        """Put the value where it belongs and return its path."""
        path: Path = self.frames[-1].put(value) if self.frames else ()
        if not self.frames:
            self.root = value
        self.values[path] = self._start(event)
        return path

    def _start(self, event: yaml.Event) -> Position:
        return _position(event.start_mark, self.first_line)


def _scalar(event: yaml.ScalarEvent) -> Value:
    text = _joined_surrogates(event.value)
    if not event.implicit[0]:  # quoted or block text
        return text
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if _WHOLE_NUMBER.fullmatch(text) else text


def _joined_surrogates(text: str) -> str:
    """JSON writes characters beyond U+FFFF as two escapes; a half without its other half becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
