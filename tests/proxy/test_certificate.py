"""A certificate that is renewed in its files while the proxy serves under it."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from structlog.testing import capture_logs

from app.config import Misconfigured
from app.proxy.certificate import Certificate
from app.proxy.listening import Address, server
from tests.github.tls import Authority, new_authority
from tests.proxy.scene import Scene, serving
from tests.proxy.test_attacks_http import request, status

pytestmark = pytest.mark.anyio


@pytest.fixture
def town(shared_town: Scene) -> Scene:
    return shared_town


def _authority(folder: Path) -> Authority:
    folder.mkdir()
    return new_authority(folder)


def _shown(authority: Authority) -> bytes:
    """The certificate itself, of the chain."""
    return ssl.PEM_cert_to_DER_cert(
        authority.server.certificate.read_text().partition("-----END")[0] + "-----END CERTIFICATE-----"
    )


async def _connected(port: int, name: str | None) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
    return await asyncio.open_connection("127.0.0.1", port, ssl=anyone, server_hostname=name or "")


async def _certificate(port: int, name: str | None = "localhost") -> bytes:
    _, writer = await _connected(port, name)
    found: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return found


async def test_the_next_handshake_shows_it_and_a_connection_that_is_open_goes_on(town: Scene, tmp_path: Path) -> None:
    old, new = _authority(tmp_path / "old"), _authority(tmp_path / "new")
    chain, key = (shutil.copy(path, tmp_path) for path in (old.server.certificate, old.server.key))
    async with serving(town.proxy, Address("127.0.0.1", 0, Path(chain), Path(key))) as port:
        reader, writer = await _connected(port, "localhost")
        with capture_logs() as said:
            assert await _certificate(port) == _shown(old)
            shutil.copy(new.server.certificate, chain)  # its key is not there yet
            assert [await _certificate(port) for _ in range(2)] == [_shown(old)] * 2
            shutil.copy(new.server.key, key)
            assert [await _certificate(port, name) for name in ("localhost", None)] == [_shown(new)] * 2
            Path(key).unlink()
            assert await _certificate(port) == _shown(new)
        writer.write(request("GET", "/session", "Connection: close", token=town.token))
        assert status(await reader.read()) == 200
        writer.close()
    refused = "the certificate cannot be read again; the one before holds"
    assert [line["event"] for line in said] == [refused, "the certificate was renewed", refused]


def test_what_is_no_certificate_with_its_key_is_said_at_the_start(tmp_path: Path) -> None:
    old, new = _authority(tmp_path / "old"), _authority(tmp_path / "new")
    with pytest.raises(
        Misconfigured, match=r"MERGEGATE_PROXY_CERTIFICATE and MERGEGATE_PROXY_KEY: .* are no certificate with its key"
    ):
        server(None, Address("127.0.0.1", 0, old.server.certificate, new.server.key))


def test_a_key_with_a_password_and_a_pipe_are_refused_and_nobody_is_waited_for(tmp_path: Path) -> None:
    authority = _authority(tmp_path / "one")
    chain, key = authority.server.certificate, authority.server.key
    locked, pipe = tmp_path / "locked.pem", tmp_path / "pipe.pem"
    plain = load_pem_private_key(key.read_bytes(), password=None)
    sealed = BestAvailableEncryption(b"hunter2")
    locked.write_bytes(plain.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, sealed))
    os.mkfifo(pipe)
    for refused in (locked, pipe):
        with pytest.raises(Misconfigured, match="without a password"):
            Certificate(chain, refused)
