"""From raw bytes to text in blocks of lines: encodings, line ends, escape sequences, size limits.

A log is read once and never held as a whole, because its size is for others to choose. How its bytes are cut into
chunks changes nothing in the lines that come out.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

MAX_BYTES = 1024**3
"""Of one log. What lies beyond is not read, and the report is never green."""

MAX_LINE = 4096
"""Characters of one line that are looked at; no runner's closing line is nearly as long."""

BLOCK = 256 * 1024  # bytes decoded at once

# All are linear: an escape sequence cannot contain another ESC, and possessive repetition takes nothing back. None
# spans lines, or one that nobody closed would swallow whatever is printed after it. Their lengths are bounded, so that
# the end of a block can tell whether one is still open.
_CLOSED = r"[^\x07\x1b\r\n]{0,4096}+(?:\x07|\x1b\\)"
_PIECE_STARTS = re.compile(
    r"\x1b(?:\[[0-9;]{0,128}[A-HJf]"  # the cursor moves
    rf"|\](?!{_CLOSED})(?:[0-9]{{0,8}};)?)"  # never closed: some terminals show what follows, so it is looked at
)
_ESCAPE = re.compile(rf"\x1b(?:\[[0-?]{{0,128}}+[ -/]{{0,8}}+[@-~]|\]{_CLOSED}|[()][0-9A-B]|[=>78cDEHM])")
_BACKSPACES = re.compile(r"\x08+")
_OPEN = re.compile(r"\x1b(?:\[[0-?]{0,128}[ -/]{0,8}|\][^\x07\x1b\r\n]{0,4096}\x1b?|[()]?)\Z")
_LONGEST_OPEN = 4100


class TextBlocks:
    """The text of a log; iterate over it once.

    Each block holds whole lines that end with a line feed. Escape sequences are gone, a carriage return stands where a
    line has a further piece (a carriage return, a cursor move), and no piece is longer than `MAX_LINE`. The last block
    may lack its line end; one line that spans blocks is cut into several of them at carriage returns.
    """

    def __init__(self, chunks: Iterable[bytes], max_bytes: int = MAX_BYTES, block: int = BLOCK) -> None:
        self._chunks = chunks
        self._left = max_bytes
        self._block = block
        self.truncated = False  # known when the iteration has ended

    def __iter__(self) -> Iterator[str]:
        return _in_lines(_decoded(_even(self._within_limit(), self._block)))

    def _within_limit(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            yield chunk[: self._left]
            if len(chunk) > self._left:
                self.truncated = True
                return
            self._left -= len(chunk)


def _even(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in chunks of `size`, the last one may be shorter."""
    held = bytearray()
    for chunk in chunks:
        for at in range(0, len(chunk), size):
            held += chunk[at : at + size]
            if len(held) >= size:
                yield bytes(held[:size])
                del held[:size]
    yield bytes(held)


def _decoded(chunks: Iterator[bytes]) -> Iterator[str]:
    """A byte-order mark says UTF-8 or UTF-16 (PowerShell writes the latter); without one the bytes are read as UTF-8.

    Undecodable bytes become U+FFFD, NULs vanish.
    """
    encoding, first = _encoding(next(chunks))
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    yield decoder.decode(first).replace("\0", "")
    for chunk in chunks:
        yield decoder.decode(chunk).replace("\0", "")
    yield decoder.decode(b"", final=True)


def _encoding(data: bytes) -> tuple[str, bytes]:
    if data.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le", data[2:]
    if data.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be", data[2:]
    return "utf-8", data.removeprefix(codecs.BOM_UTF8)


def _in_lines(texts: Iterable[str]) -> Iterator[str]:
    begun = ""  # of a line whose end did not come yet: the current piece, settled and cut
    rest = ""  # the raw text after it
    for text in texts:
        rest += text
        end = rest.rfind("\n") + 1
        if end:
            yield _shortened(begun + _settled(rest[:end]))
            begun, rest = "", rest[end:]
            continue
        end = _whole_sequences(rest)
        line, rest = begun + _settled(rest[:end]), rest[end:]
        last = line.rfind("\r") + 1
        yield _shortened(line[:last])
        begun = line[last:][:MAX_LINE]
    yield _shortened(begun + _settled(rest))


def _whole_sequences(text: str) -> int:
    """Where an escape sequence begins that the next block may continue; else the length of `text`."""
    start = max(0, len(text) - _LONGEST_OPEN)
    unfinished = _OPEN.search(text, start)
    return unfinished.start() if unfinished else len(text)


def _settled(text: str) -> str:
    if "\x08" in text:
        text = _BACKSPACES.sub("\r", text)
    if "\x1b" in text:
        text = _ESCAPE.sub("", _PIECE_STARTS.sub("\r", text))
    return text.replace("\r\n", "\n")


def _shortened(text: str) -> str:
    """No piece longer than `MAX_LINE`. Only the line end that is the last one within reach is looked for: quick."""
    parts: list[str] = []
    done = at = 0
    while len(text) - at > MAX_LINE:
        end = text.rfind("\n", at, at + MAX_LINE + 1)
        if end >= 0:
            at = end + 1
            continue
        end = text.find("\n", at + MAX_LINE)
        end = len(text) if end < 0 else end
        parts += (text[done:at], "\r".join(piece[:MAX_LINE] for piece in text[at:end].split("\r")))
        done = at = end
    return "".join((*parts, text[done:])) if parts else text
