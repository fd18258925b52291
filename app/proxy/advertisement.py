"""What can be pushed to, as git expects to be told, made from what can be fetched.

GitHub tells it only to who may write, and the token for writing is not minted before a push was allowed. So the
branches and tags come from the advertisement for fetching (protocol 0), which any reader gets, and the capabilities are
those that the proxy lets through: no push options, no push certificates. All branches stay, because what the client
knows to be there it does not send again. Source: https://git-scm.com/docs/gitprotocol-http#_smart_clients
"""

from __future__ import annotations

from app.proxy.wire import LONGEST_PACKET, OFFERED, ZERO, packet

CAPABILITIES = " ".join((*OFFERED, "agent=mergegate")).encode("ascii")
FLUSH = b"0000"
_KEPT = (b"refs/heads/", b"refs/tags/")
_ID = 40


class NotAnAdvertisement(ValueError):
    """What came is no advertisement; the message is a clause."""


class ReceiveAdvertisement:
    """Fed with the advertisement for fetching in any pieces, gives that for pushing in pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._flushes = 0
        self._lines = 0
        self._begun = False

    def feed(self, data: bytes) -> bytes:
        """Raises NotAnAdvertisement."""
        self._buffer += data
        made, position = bytearray(), 0
        while (taken := self._packet(position)) is not None:
            content, position = taken
            made += self._turned(content)
        del self._buffer[:position]
        return bytes(made)

    def ended(self) -> bytes:
        """What is left to send. Raises NotAnAdvertisement when it was cut."""
        if self._flushes != 2 or self._buffer:
            raise NotAnAdvertisement("it ended early")
        return (b"" if self._begun else self._first(ZERO.encode(), b"capabilities^{}")) + FLUSH

    def _packet(self, position: int) -> tuple[bytes, int] | None:
        digits = bytes(self._buffer[position : position + 4])
        if len(digits) < 4:
            return None
        try:
            length = int(digits.decode("ascii"), 16)
        except ValueError:
            raise NotAnAdvertisement("it is not made of packets") from None
        if length == 0:
            return b"", position + 4
        if not 4 < length <= LONGEST_PACKET:
            raise NotAnAdvertisement("it is not made of packets")
        if len(self._buffer) < position + length:
            return None
        return bytes(self._buffer[position + 4 : position + length]), position + length

    def _turned(self, content: bytes) -> bytes:
        if not content:
            self._flushes += 1
            return b""
        if self._flushes == 0:
            return self._service(content)
        if self._flushes > 1:
            raise NotAnAdvertisement("there is more behind its end")
        line, _, capabilities = content.removesuffix(b"\n").partition(b"\0")
        if b"object-format=" in capabilities and b"object-format=sha1" not in capabilities.split(b" "):
            raise NotAnAdvertisement("the repository has another object format than SHA-1, which is not supported")
        oid, _, name = line.partition(b" ")
        if len(oid) != _ID or not name.startswith(_KEPT) or name.endswith(b"^{}"):
            return b""
        return self._ref(oid, name)

    def _service(self, content: bytes) -> bytes:
        if content.removesuffix(b"\n") != b"# service=git-upload-pack":
            raise NotAnAdvertisement("it is not the one that was asked for")
        return packet(b"# service=git-receive-pack\n") + FLUSH

    def _ref(self, oid: bytes, name: bytes) -> bytes:
        return packet(oid + b" " + name + b"\n") if self._begun else self._first(oid, name)

    def _first(self, oid: bytes, name: bytes) -> bytes:
        self._begun = True
        return packet(oid + b" " + name + b"\0" + CAPABILITIES + b"\n")
