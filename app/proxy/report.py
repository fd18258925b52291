"""What git reads as the answer to a push: its report of refs, wrapped in the side band, with sentences for people.

Source: https://git-scm.com/docs/gitprotocol-pack#_report_status
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.proxy.wire import LONGEST_PACKET, Command, PushHead, packet
from policies.escape import clean

REPORT, PROGRESS = 1, 2
LONGEST_SENTENCE = 1000  # characters
LONGEST_REASON = 120
LONGEST_REPORT = 64 * 1024  # bytes of the report for one command, options included
FLUSH = b"0000"
_ROOM = LONGEST_PACKET - 5


class NoReport(ValueError):
    """What came is no answer to a push."""


def refused(head: PushHead, reason: str, sentences: Sequence[str]) -> bytes:
    """The whole answer to a push that is refused: every command with the `reason`, in the form that was asked for."""
    report = b""
    if head.wants_report:
        report = packet(b"unpack ok\n") if head.commands else packet(b"unpack " + _line(reason) + b"\n")
        report += b"".join(_no(command, reason) for command in head.commands) + FLUSH
    if not head.side_band:
        return report
    return progress(sentences) + b"".join(_band(REPORT, report)) + FLUSH


def progress(sentences: Sequence[str]) -> bytes:
    """Lines that git shows behind `remote:`."""
    lines = [clean(sentence, LONGEST_SENTENCE).encode("utf-8", "replace") + b"\n" for sentence in sentences]
    return b"".join(b"".join(_band(PROGRESS, line)) for line in lines)


def _no(command: Command, reason: str) -> bytes:
    return packet(b"ng " + command.ref + b" " + _line(reason) + b"\n")


def _line(reason: str) -> bytes:
    return clean(reason, LONGEST_REASON).encode("utf-8", "replace")


def _band(number: int, data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), _ROOM):
        yield packet(bytes((number,)) + data[start : start + _ROOM])


class Answer:
    """GitHub's answer to a push, read while it streams: progress is passed on at once, the report is kept back.

    `report` is the report's own pkt-lines; nothing is kept of the rest.
    """

    def __init__(self, *, side_band: bool) -> None:
        self._side_band = side_band
        self._buffer = bytearray()
        self._flushed = False
        self.report = b""

    def feed(self, data: bytes) -> bytes:
        """Progress packets to pass on. Raises NoReport."""
        if not self._side_band:
            self._keep(data)
            return b""
        self._buffer += data
        passed = bytearray()
        while (whole := self._packet()) is not None:
            passed += self._taken(whole)
        return bytes(passed)

    def outcome(self, ref: bytes) -> str | None:
        """None when the ref was moved, else GitHub's reason why not. Raises NoReport when it does not say."""
        lines = list(_lines(self.report))
        if not lines or not lines[0].startswith(b"unpack "):
            raise NoReport("the answer has no report")
        unpacked = lines[0].removeprefix(b"unpack ")
        for line in lines[1:]:
            if line == b"ok " + ref and unpacked == b"ok":
                return None
            if line.startswith(b"ng " + ref + b" "):
                return _text(line.removeprefix(b"ng " + ref + b" "))
        if unpacked != b"ok":
            return _text(unpacked)
        raise NoReport("the report says nothing of the ref")

    def ended(self) -> bytes:
        """The report as it is passed on, with the end of the answer. Raises NoReport when the answer was cut."""
        if not self._side_band:
            return self.report
        if not self._flushed or self._buffer:
            raise NoReport("the answer ended early")
        return b"".join(_band(REPORT, self.report)) + FLUSH

    def _packet(self) -> bytes | None:
        if len(self._buffer) < 4:
            return None
        try:
            length = int(bytes(self._buffer[:4]).decode("ascii"), 16)
        except ValueError:
            raise NoReport("the answer is not made of packets") from None
        if length == 0:
            del self._buffer[:4]
            return b""
        if not 5 < length <= LONGEST_PACKET or self._flushed:
            raise NoReport("the answer is not made of packets")
        if len(self._buffer) < length:
            return None
        whole = bytes(self._buffer[:length])
        del self._buffer[:length]
        return whole

    def _taken(self, whole: bytes) -> bytes:
        if not whole:
            self._flushed = True
            return b""
        if whole[4] != REPORT:
            return whole
        self._keep(whole[5:])
        return b""

    def _keep(self, data: bytes) -> None:
        self.report += data
        if len(self.report) > LONGEST_REPORT:
            raise NoReport("the report is too long")


def _lines(report: bytes) -> Iterator[bytes]:
    position = 0
    while position + 4 <= len(report):
        try:
            length = int(report[position : position + 4].decode("ascii"), 16)
        except ValueError:
            raise NoReport("the report is not made of packets") from None
        if length < 4:
            return
        yield report[position + 4 : position + length].removesuffix(b"\n")
        position += length


def _text(line: bytes) -> str:
    return clean(line.decode("utf-8", "replace"), LONGEST_REASON)
