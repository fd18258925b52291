"""One walk through a log, block by block: who wants a line is given it, with its number in the raw file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from checks.logs.markers import STEPS
from checks.logs.prefixes import PACKAGES, Packages, clean
from checks.logs.report import Listener
from checks.logs.sieve import end_of_line, sieve

MOST_LINES = 2_000_000
"""Lines of one log that somebody wants. With more of them, no more are looked at, and the report is never green."""

MOST_STEPS = 10_000
LONGEST_HEADING = 600  # characters kept of the line that begins a step
_BETWEEN_LOOKS = 5_000  # wanted lines after which `room` is asked


class Walk:
    """Use once. `lines`, `steps` and `stopped` tell what was met on the way."""

    def __init__(self, listeners: Sequence[tuple[str, Listener]], room: Callable[[], bool]) -> None:
        """Each listener comes with the pattern of the lines that it wants. `room`: whether they can keep more."""
        self._packages = Packages()
        everyone = [*listeners, (PACKAGES, self._packages)]
        self._listeners = [listener for _, listener in everyone]
        self._sieve = sieve((*(interest for interest, _ in everyone), STEPS))
        self._room = room
        self._asked: list[int] = []  # listeners that asked for the next line
        self._given = 0
        self._next_look = _BETWEEN_LOOKS
        self._line_feeds = 0
        self._in_line = False  # something stands after the last line feed
        self.steps: list[tuple[int, str]] = []  # number and text of the lines that begin a step
        self.stopped = False  # there were more lines than are looked at

    @property
    def lines(self) -> int:
        """Number of lines so far; a last one without a line end counts."""
        return self._line_feeds + self._in_line

    def through(self, blocks: Iterable[str]) -> None:
        for block in blocks:
            data = block.encode()
            unread = 0 if self.stopped else self._look(data)
            self._line_feeds += data.count(b"\n", unread)
            if data:
                self._in_line = not data.endswith(b"\n")
        for listener in self._listeners:
            listener.boundary()

    def _look(self, data: bytes) -> int:
        """Give away what is wanted; the offset up to which line feeds have been counted."""
        at = 0
        while at < len(data) and not self.stopped:
            span = (at, end_of_line(data, at)) if self._asked else self._sieve.candidate(data, at)
            if span is None:
                break
            start, end = span
            self._line_feeds += data.count(b"\n", at, start)
            for piece in clean(data[start:end].decode()):
                if piece:
                    self._piece(self._line_feeds + 1, piece)
            at = end + 1
            self._line_feeds += end < len(data)
        return at

    def _piece(self, number: int, piece: str) -> None:
        wanted = self._sieve.wanted(piece)
        if not wanted:
            piece = self._packages.without(piece)
            wanted = self._sieve.wanted(piece)
        if len(self._listeners) in wanted:
            self._step(number, piece)
        else:
            self._give({*wanted, *self._asked}, number, piece)

    def _step(self, number: int, piece: str) -> None:
        self._asked = []
        for listener in self._listeners:
            listener.boundary()
        self.steps.append((number, piece[:LONGEST_HEADING]))
        self.stopped = len(self.steps) >= MOST_STEPS

    def _give(self, to: set[int], number: int, piece: str) -> None:
        self._asked = [index for index in sorted(to) if self._listeners[index].feed(number, piece)]
        self._given += bool(to)
        if self._given >= self._next_look:
            self._next_look += _BETWEEN_LOOKS
            self.stopped = self._given >= MOST_LINES or not self._room()
