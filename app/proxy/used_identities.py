"""Identity tokens that became a session. Each does so once, so that one which leaks afterwards opens nothing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

from app.store.database import Connection

USE = "insert into used_identities (digest, expires_at) values (%s, %s) on conflict do nothing"
LATEST = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class UsedIdentity:
    """`digest` is SHA-256 of what the issuer signed; `expires_at` is the end of the token's own life."""

    digest: bytes
    expires_at: datetime


def identity_of(token: str, expires: float) -> UsedIdentity:
    """Of a genuine token and its `exp` (Unix time).

    Without the signature: some algorithms let anybody turn one valid signature into another. `jti` would do where it is
    there; not every issuer gives one.
    """
    signed = token.rpartition(".")[0]
    return UsedIdentity(hashlib.sha256(signed.encode("ascii")).digest(), _moment(expires))


def _moment(expires: float) -> datetime:
    return datetime.fromtimestamp(expires, UTC) if expires < LATEST.timestamp() else LATEST


async def use(connection: Connection, identity: UsedIdentity) -> bool:
    """Note it; False when it was used before. Two that try at once wait for each other."""
    return (await connection.execute(USE, (identity.digest, identity.expires_at))).rowcount == 1
