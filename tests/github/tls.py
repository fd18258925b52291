"""A certificate for localhost from a throw-away authority, for clients that speak TLS only, as gh does."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import trustme

from tests.github.server import TlsFiles


class Authority(NamedTuple):
    """`bundle` is the authority's own certificate, which a client must trust; `server` is what the server shows."""

    bundle: Path
    server: TlsFiles


def new_authority(folder: Path) -> Authority:
    """Writes PEM files into `folder`: an authority, and a certificate for localhost and 127.0.0.1 with its key."""
    authority = trustme.CA(organization_name="Simulated GitHub")
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    bundle, chain, key = folder / "authority.pem", folder / "localhost.pem", folder / "localhost.key"
    authority.cert_pem.write_to_path(bundle)
    chain.write_bytes(b"".join(blob.bytes() for blob in certificate.cert_chain_pems))
    certificate.private_key_pem.write_to_path(key)
    key.chmod(0o600)
    return Authority(bundle, TlsFiles(chain, key))
