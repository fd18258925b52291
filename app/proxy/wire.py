"""The head of a push as bytes: shallow lines, commands and capabilities, up to the flush that ends them.

Stricter than C git everywhere, so that what is read here is what git will do: lengths of hexadecimal digits only, one
capability list behind the first NUL of the first command, no push certificate, no push options, no other end than a
flush. Source: https://git-scm.com/docs/gitprotocol-pack and what git 2.39 was seen to accept.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

HEAD_LIMIT = 1 << 20  # bytes
LONGEST_PACKET = 65520  # git's LARGE_PACKET_MAX, the four digits included
ZERO = "0" * 40
_HEX = frozenset(b"0123456789abcdefABCDEF")
_ID = 40
_SHA256 = 64

# What the proxy's advertisement offers, and what clients add about themselves. Git ignores others; here they are a no.
OFFERED = (
    "report-status",
    "report-status-v2",
    "delete-refs",
    "side-band-64k",
    "quiet",
    "atomic",
    "ofs-delta",
    "object-format=sha1",
)
_ABOUT_THE_CLIENT = ("agent=", "session-id=")


class Malformed(ValueError):
    """The head is not one that is passed on; the message is a clause that says why, without anything it contains."""


@dataclass(frozen=True, slots=True)
class Command:
    """Move `ref` (bytes as sent) from `old` to `new` (40 lower-case digits; zeros: it does not exist)."""

    old: str
    new: str
    ref: bytes

    @property
    def creates(self) -> bool:
        return self.old == ZERO

    @property
    def deletes(self) -> bool:
        return self.new == ZERO


class State(Enum):
    BEGUN = "nothing but shallow lines so far"
    COMMANDS = "at least one command"
    ENDED = "the flush was read"


class PushHead:
    """Fed with the body's bytes in any pieces until it has `ended`; then `rest` is what was fed beyond the head."""

    def __init__(self, limit: int = HEAD_LIMIT) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._read = 0
        self._state = State.BEGUN
        self.commands: list[Command] = []
        self.capabilities: frozenset[str] = frozenset()
        self.shallow = 0

    @property
    def ended(self) -> bool:
        return self._state is State.ENDED

    @property
    def is_probe(self) -> bool:
        """A lone flush, which git sends before a body of unknown length to see whether it may."""
        return self.ended and not self.commands and not self.shallow

    @property
    def head(self) -> bytes:
        """The head's own bytes, the flush included; as they came."""
        return bytes(self._buffer[: self._read])

    @property
    def rest(self) -> bytes:
        return bytes(self._buffer[self._read :])

    @property
    def side_band(self) -> bool:
        return "side-band-64k" in self.capabilities

    @property
    def wants_report(self) -> bool:
        return not self.capabilities.isdisjoint(("report-status", "report-status-v2"))

    def feed(self, data: bytes) -> None:
        """Take more bytes. Raises Malformed; what was understood before stays readable, for the answer's form."""
        self._buffer += data
        while not self.ended:
            packet = self._packet()
            if packet is None:
                return
            self._take(packet)

    def end(self) -> None:
        """The body is over. Raises Malformed when the head is not."""
        if not self.ended:
            raise Malformed("the push ends before its list of commands does")

    def _packet(self) -> bytes | None:
        """The next packet's content, b"" for a flush, None while it is incomplete."""
        digits = self._buffer[self._read : self._read + 4]
        if not _HEX.issuperset(digits):
            raise Malformed("a packet's length is not four hexadecimal digits")
        if len(digits) < 4:
            return None
        length = int(digits, 16)
        if length == 0:
            self._read += 4
            return b""
        if not 4 < length <= LONGEST_PACKET:
            raise Malformed(f"a packet of the length {length} has no place in a list of commands")
        if self._read + length > self._limit:
            raise Malformed(f"the list of commands is longer than {self._limit} bytes")
        if len(self._buffer) < self._read + length:
            return None
        self._read += length
        return bytes(self._buffer[self._read - length + 4 : self._read])

    def _take(self, packet: bytes) -> None:
        if not packet:
            self._flush()
        elif packet.startswith(b"shallow "):
            self._take_shallow(packet)
        elif packet.startswith(b"push-cert"):
            raise Malformed("push certificates (`git push --signed`) are not passed on")
        else:
            self._take_command(packet)

    def _flush(self) -> None:
        if self.shallow and not self.commands:
            raise Malformed("the push has no command")
        if "push-options" in self.capabilities:
            raise Malformed("push options (`git push -o`) are not passed on")
        self._state = State.ENDED

    def _take_shallow(self, packet: bytes) -> None:
        if self._state is not State.BEGUN:
            raise Malformed("a shallow line stands behind a command")
        _object_id(_without_newline(packet).removeprefix(b"shallow "))
        self.shallow += 1

    def _take_command(self, packet: bytes) -> None:
        line, nul, rest = _without_newline(packet).partition(b"\0")
        if nul:
            self._take_capabilities(rest)
        self._state = State.COMMANDS
        parts = line.split(b" ", 2)
        if len(parts) != 3:
            raise Malformed("a command is not `old new ref`")
        if any(byte < 0x20 or byte == 0x7F for byte in parts[2]) or not parts[2]:
            raise Malformed("a ref's name is empty or has control characters")
        self.commands.append(Command(_object_id(parts[0]), _object_id(parts[1]), parts[2]))

    def _take_capabilities(self, packet: bytes) -> None:
        if self._state is not State.BEGUN:
            raise Malformed("capabilities stand behind another command than the first")
        if not packet.isascii() or any(byte < 0x20 or byte == 0x7F for byte in packet):
            raise Malformed("the capabilities are not plain text")
        self.capabilities = frozenset(packet.decode("ascii").split())
        for name in sorted(self.capabilities - {"push-options"}):
            if name.startswith("object-format=") and name != "object-format=sha1":
                raise Malformed("the repository of the push has another object format than SHA-1")
            if name not in OFFERED and not name.startswith(_ABOUT_THE_CLIENT):
                raise Malformed("the push asks for a capability that was not offered")


def _without_newline(packet: bytes) -> bytes:
    return packet[:-1] if packet.endswith(b"\n") else packet


def _object_id(digits: bytes) -> str:
    if len(digits) == _SHA256 and _HEX.issuperset(digits):
        raise Malformed("the object ids are SHA-256; only repositories with SHA-1 are supported")
    if len(digits) != _ID or not _HEX.issuperset(digits):
        raise Malformed("an object id is not 40 hexadecimal digits")
    return digits.decode("ascii").lower()


def packet(content: bytes) -> bytes:
    """A pkt-line around at most 65,516 bytes."""
    return b"%04x%b" % (len(content) + 4, content)
