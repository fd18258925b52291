"""The proxy's TLS certificate and its key, which may be renewed in their files while it serves.

The files are looked at with each handshake, and read once they have changed. What cannot be used, as a certificate
whose key is not there yet, changes nothing.
"""

from __future__ import annotations

import ssl
from pathlib import Path

import structlog

from app.config import Misconfigured
from app.file_version import Version, version_of

log = structlog.get_logger(__name__)

# Without one OpenSSL asks for it on the terminal, and all that the proxy serves would wait for the answer.
_NO_PASSWORD = ""


class Certificate:
    def __init__(self, chain: Path, key: Path) -> None:
        """PEM files. Raises Misconfigured where they are no certificate with its key."""
        self._files = (chain, key)
        self._read = self._versions()  # before they are: what is written meanwhile is read at the next handshake
        self._newest = self._made()

    def choose(self, handshake: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
        """For https://docs.python.org/3/library/ssl.html#ssl.SSLContext.sni_callback, which is asked at each handshake,
        also where the client names no server."""
        now = self._versions()
        if now != self._read:
            self._read = now
            self._renew()
        handshake.context = self._newest

    def _renew(self) -> None:
        try:
            self._newest = self._made()
        except Misconfigured as wrong:
            log.warning("the certificate cannot be read again; the one before holds", because=str(wrong))
            return
        log.info("the certificate was renewed")

    def _made(self) -> ssl.SSLContext:
        """One of its own each time: a chain that is loaded into one in use would stand beside one of another kind."""
        chain, key = self._files
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            made.load_cert_chain(_plain(chain), _plain(key), password=_NO_PASSWORD)
        except (OSError, ValueError) as wrong:  # ssl.SSLError is an OSError
            raise Misconfigured(
                f"MERGEGATE_PROXY_CERTIFICATE and MERGEGATE_PROXY_KEY: {chain} and {key} are no certificate with its "
                f"key ({wrong}); give both in PEM form, the key that belongs to it, without a password"
            ) from None
        return made

    def _versions(self) -> tuple[Version | None, ...]:
        return tuple(version_of(path) for path in self._files)


def _plain(path: Path) -> Path:
    """Raises OSError for a pipe too, which would be waited for."""
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is no file")
    return path
