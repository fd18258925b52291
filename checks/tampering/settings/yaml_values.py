"""Hostile YAML as plain values with the line of every key and item, in linear time.

Everything that is not a mapping or a list is text, as it is written. Aliases are the value they name, so that a file
that uses them is read too; whoever walks the value must bound the walk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

MOST_EVENTS = 100_000
DEEPEST = 40
Value = str | list["Value"] | dict[str, "Value"]
Path = tuple[str | int, ...]


class UnreadableYaml(ValueError):
    """No YAML, more than one document, too much of it, or a shape that no settings have."""


@dataclass(slots=True)
class YamlValues:
    """`lines` are 1-based, by the path of keys and positions that leads to the value.

    `blocks` are the paths of texts that begin on the line after (`run: |`).
    """

    value: Value
    lines: dict[Path, int]
    blocks: frozenset[Path]

    def line_of(self, path: Path) -> int | None:
        """Of the value at `path`, or of the nearest part around it."""
        around = (path[:length] for length in range(len(path), -1, -1))
        return next((self.lines[part] for part in around if part in self.lines), None)


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being read."""

    path: Path
    value: list[Value] | dict[str, Value]
    key: str | None = None


def read_yaml(text: str) -> YamlValues:
    """Raises UnreadableYaml; an empty document is an empty text."""
    reader = _Reader()
    for event in _events(text):
        reader.take(event)
    return YamlValues(reader.root[0] if reader.root else "", reader.lines, frozenset(reader.blocks))


def _events(text: str) -> Iterator[yaml.Event]:
    try:
        for number, event in enumerate(yaml.parse(text, Loader=yaml.CSafeLoader)):
            if number > MOST_EVENTS:
                raise UnreadableYaml(f"more than {MOST_EVENTS} parts")
            yield event
    except (yaml.YAMLError, ValueError) as error:
        raise UnreadableYaml(str(error)) from error


class _Reader:
    """Builds values from events, so that nothing recurses on the depth; the parser itself stops at a depth of 1,000."""

    def __init__(self) -> None:
        self.root: list[Value] = []
        self.lines: dict[Path, int] = {}
        self.blocks: set[Path] = set()
        self._open: list[_Open] = []
        self._anchors: dict[str, Value] = {}

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.AliasEvent():
                self._place(event, self._anchors.get(event.anchor or "", ""))
            case yaml.CollectionStartEvent():
                value: list[Value] | dict[str, Value] = {} if isinstance(event, yaml.MappingStartEvent) else []
                self._open.append(_Open(self._place(event, value), value))
                if len(self._open) > DEEPEST:
                    raise UnreadableYaml(f"nested deeper than {DEEPEST} levels")
            case yaml.CollectionEndEvent():
                self._open.pop()
            case yaml.DocumentStartEvent() if self.root:
                raise UnreadableYaml("more than one document")

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        here = self._open[-1] if self._open else None
        if here is not None and isinstance(here.value, dict) and here.key is None:
            here.key = event.value
            self.lines[(*here.path, event.value)] = _line(event)
            return
        path = self._place(event, event.value)
        if event.style in ("|", ">"):
            self.blocks.add(path)

    def _place(self, event: yaml.NodeEvent, value: Value) -> Path:
        if event.anchor and not isinstance(event, yaml.AliasEvent):
            self._anchors[event.anchor] = value
        if not self._open:
            self.root.append(value)
            return ()
        here = self._open[-1]
        step = self._step(here, value)
        path = (*here.path, step)
        self.lines.setdefault(path, _line(event))
        return path

    def _step(self, here: _Open, value: Value) -> str | int:
        if isinstance(here.value, list):
            here.value.append(value)
            return len(here.value) - 1
        if here.key is None:
            raise UnreadableYaml("a key that is no text")
        step, here.key = here.key, None
        here.value[step] = value
        return step


def _line(event: yaml.Event) -> int:
    assert event.start_mark is not None
    return event.start_mark.line + 1
