"""What can be pushed to, as git expects to be told, made from what can be fetched.

GitHub tells it only to who may write, and the token for writing is not minted before a push was allowed. So branches
and tags are asked for as any reader may, with protocol 2's `ls-refs`: one request, which spares the server to look into
objects, and the references of pull requests, which outnumber branches, are not sent. The capabilities are those that
the proxy lets through: no push options, no push certificates. All branches stay, because what the client knows to be
there it does not send again. Sources: https://git-scm.com/docs/gitprotocol-v2#_ls_refs,
https://git-scm.com/docs/gitprotocol-http#_smart_clients
"""

from __future__ import annotations

from app.proxy.wire import LONGEST_PACKET, OFFERED, ZERO, packet

CAPABILITIES = " ".join((*OFFERED, "agent=mergegate")).encode("ascii")
FLUSH = b"0000"
SERVICE = packet(b"# service=git-receive-pack\n") + FLUSH
_KEPT = (b"refs/heads/", b"refs/tags/")
LS_REFS = (
    packet(b"command=ls-refs\n")
    + packet(b"agent=mergegate\n")
    + packet(b"object-format=sha1\n")
    + b"0001"
    + b"".join(packet(b"ref-prefix " + prefix + b"\n") for prefix in _KEPT)
    + FLUSH
)
"""The body of the request to `git-upload-pack`."""
_ID = 40
_HEX = frozenset(b"0123456789abcdef")


class NotAnAdvertisement(ValueError):
    """What came is no advertisement; the message is a clause."""


class ReceiveAdvertisement:
    """Fed with the answer to `LS_REFS` in any pieces, gives what follows `SERVICE` in the advertisement for pushing."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._flushed = False
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
        if not self._flushed or self._buffer:
            # git says nothing at all to what it does not understand, or does not have in the format that was asked for.
            because = "it ended early, as where a repository has another object format than SHA-1"
            raise NotAnAdvertisement(f"{because} or a server does not speak git's protocol 2")
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
        if self._flushed:
            raise NotAnAdvertisement("there is more behind its end")
        if not content:
            self._flushed = True
            return b""
        oid, _, rest = content.removesuffix(b"\n").partition(b" ")
        if len(oid) != _ID or not _HEX.issuperset(oid):
            raise NotAnAdvertisement("a line does not begin with the id of an object")
        name = rest.partition(b" ")[0]  # what follows was not asked for
        return self._ref(oid, name) if name.startswith(_KEPT) else b""

    def _ref(self, oid: bytes, name: bytes) -> bytes:
        return packet(oid + b" " + name + b"\n") if self._begun else self._first(oid, name)

    def _first(self, oid: bytes, name: bytes) -> bytes:
        self._begun = True
        return packet(oid + b" " + name + b"\0" + CAPABILITIES + b"\n")
