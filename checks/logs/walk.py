"""One walk through a log, block by block: who wants a line is given it, with its number in the raw file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from checks.logs.markers import STEPS
from checks.logs.prefixes import PACKAGES, Packages, Piece, pieces
from checks.logs.report import Listener, Reader
from checks.logs.sieve import end_of_line, sieve

MOST_LINES = 2_000_000
"""Lines of one log that somebody wants. With more of them, no more are looked at, and the report is never green."""

MOST_STEPS = 2_000
MOST_STREAMS = 200
"""Names of containers, packages and tasks whose lines are kept apart; lines of further ones go with the nameless."""

LONGEST_HEADING = 600  # characters kept of the line that begins a step
_BETWEEN_LOOKS = 5_000  # wanted lines after which `room` is asked
PATIENCE = 16  # lines in a row that the same readers want, after which the next are tried many at a time


class Walk:
    """Use once. `lines`, `steps`, `stopped` and `streams` (readers by name) tell what was met on the way.

    Tools that run several things at once mix their lines and put names before them. So each name has readers of its
    own, which see one thing's lines and no others.
    """

    def __init__(
        self,
        listeners: Sequence[tuple[str, Listener]] = (),
        families: Sequence[tuple[str, Callable[[], Reader]]] = (),
        room: Callable[[Iterator[Reader]], bool] = lambda _: True,
    ) -> None:
        """Listeners to lines of any name, makers of readers, both with the patterns of the lines that they want.

        `room` says whether what the readers have found so far is little enough to go on.
        """
        self._packages = Packages()
        self._listeners = [*(listener for _, listener in listeners), self._packages]
        interests = [*(interest for interest, _ in listeners), PACKAGES, *(interest for interest, _ in families)]
        first = len(interests) - len(families)
        plain = ((first + at, getattr(make, "PLAIN", "")) for at, (_, make) in enumerate(families))
        self._sieve = sieve((*interests, STEPS), tuple((index, pattern) for index, pattern in plain if pattern))
        self._begins_step = len(interests)
        self._make = [make for _, make in families]
        self.streams = {"": self._readers()}
        self._room = room
        self._asked: dict[str, list[int]] = {}  # by name: who asked for the next line of that name
        self._given = 0
        self._next_look = _BETWEEN_LOOKS
        self._alone: list[int] = []  # indices of those who wanted the last line
        self._row = 0  # lines right after one another that the same ones wanted
        self._slow_until = 0  # offset in the block up to which lines are read one by one
        self._line_feeds = 0
        self._in_line = False  # something stands after the last line feed
        self.steps: list[tuple[int, str]] = []  # number and text of the lines that begin a step
        self.stopped = False  # there were more lines than are looked at

    @property
    def lines(self) -> int:
        """Number of lines so far; a last one without a line end counts."""
        return self._line_feeds + self._in_line

    def readers(self) -> Iterator[Reader]:
        """Those of every name."""
        for stream in self.streams.values():
            yield from stream

    def through(self, blocks: Iterable[str]) -> None:
        for block in blocks:
            data = block.encode()
            unread = 0 if self.stopped else self._look(data)
            self._line_feeds += data.count(b"\n", unread)
            if data:
                self._in_line = not data.endswith(b"\n")
        self._boundary()

    def _look(self, data: bytes) -> int:
        """Give away what is wanted; the offset up to which line feeds have been counted."""
        at = self._slow_until = 0
        while at < len(data) and not self.stopped:
            if self._row >= PATIENCE and at >= self._slow_until and not self._asked:
                at = self._many(data, at)
                if self._row:
                    continue
            span = (at, end_of_line(data, at)) if self._asked else self._sieve.candidate(data, at)
            if span is None:
                break
            start, end = span
            if start > at:
                self._row = 0
            self._line_feeds += data.count(b"\n", at, start)
            for piece in pieces(data[start:end].decode()):
                if piece.text:
                    self._piece(self._line_feeds + 1, piece)
            at = end + 1
            self._line_feeds += end < len(data)
        return at

    def _many(self, data: bytes, start: int) -> int:
        """Give away lines that only count, all at once; the offset after them. `_row` is 0 where that cannot be."""
        end, alone = self._sieve.plain_until(self._alone, data, start)
        self._row = PATIENCE if alone else 0
        if not alone:
            self._slow_until = end  # trying these again would take time without end
            return start
        lines = data[start:end]
        count = lines.count(b"\n")
        readers: tuple[Any, ...] = (*self._listeners, *self.streams[""])  # a Counter has a plain pattern
        for index in self._alone:
            readers[index].many(self._line_feeds + 1, lines, count)
        self._line_feeds += count
        return end

    def _piece(self, number: int, piece: Piece) -> None:
        wanted = self._sieve.wanted(piece.text)
        alone = sorted(wanted)
        self._row = self._row + 1 if alone and alone == self._alone and not piece.name else 0
        self._alone = alone
        if not (wanted or piece.name):
            piece = self._packages.named(piece.text)
            wanted = self._sieve.wanted(piece.text)
        if self._begins_step in wanted:
            self._step(number, piece.text)
        elif wanted or self._asked:
            self._give(number, piece.text, wanted, self._stream(piece.name))

    def _step(self, number: int, heading: str) -> None:
        self._boundary()
        self.steps.append((number, heading[:LONGEST_HEADING]))
        self.stopped = len(self.steps) >= MOST_STEPS

    def _boundary(self) -> None:
        self._asked.clear()
        for listener in (*self._listeners, *self.readers()):
            listener.boundary()

    def _stream(self, name: str) -> str:
        """The name under which the line's readers are found, who are made when it is new."""
        if name not in self.streams:
            if len(self.streams) > MOST_STREAMS:
                return ""
            self.streams[name] = self._readers()
        return name

    def _readers(self) -> list[Reader]:
        return [make() for make in self._make]

    def _give(self, number: int, text: str, wanted: Iterable[int], name: str) -> None:
        listeners = (*self._listeners, *self.streams[name])
        to = sorted({*wanted, *self._asked.pop(name, ())})
        asking = [index for index in to if listeners[index].feed(number, text)]
        if asking:
            self._asked[name] = asking
        self._given += bool(to)
        if self._given >= self._next_look:
            self._next_look += _BETWEEN_LOOKS
            self.stopped = self._given >= MOST_LINES or not self._room(self.readers())
