"""Private keys at work in a process of their own, that lives for a moment.

A proxy needs its App's signature a few times an hour and reads hostile bytes all day: the cryptography for the one,
a seventh of such a process's memory, has no place in the other.
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from app.gate.child import run_child
from app.gate.child_request import Child
from app.github.errors import BadCredentials
from app.github.identity import AppIdentity
from app.secret import SecretStr

CHILD = Child("app.key_process:serve", 1024**3, 20.0)
_DONE = b"."  # before the answer, which is empty where the key is none


async def app_jwt_apart(identity: AppIdentity, now: float, key: int) -> str:
    """As `AppIdentity.jwt`, with its errors. Raises BadCredentials too when the process cannot do it."""
    pem = identity.private_key(key)
    token = await _asked(pem, {"app_id": identity.app_id, "now": now})
    if token is None:
        raise identity.unreadable(key)
    return token


async def key_fingerprint_apart(pem: SecretStr) -> str | None:
    """As `key_fingerprint`. Raises BadCredentials when the process cannot do it."""
    return await _asked(pem, {})


async def _asked(pem: SecretStr, wanted: dict[str, Any]) -> str | None:
    asked = json.dumps({"pem": pem.get_secret_value(), **wanted}).encode()
    answer = await run_child(CHILD, [asked])
    if not answer.startswith(_DONE):
        raise BadCredentials("App key", "the process that works with it died or took too long; is there memory for it?")
    return answer.removeprefix(_DONE).decode() or None


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """In the child: the answer, or nothing where the key is none."""
    from app.github.app_jwt import app_jwt, key_fingerprint

    asked = json.load(source)
    pem = SecretStr(asked["pem"])
    answer = app_jwt(asked["app_id"], pem, asked["now"]) if "app_id" in asked else key_fingerprint(pem)
    sink.write(_DONE + (answer or "").encode())
