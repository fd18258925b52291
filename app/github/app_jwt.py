"""What an App's private keys are used for: its own token, and the fingerprint by which people tell them apart."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import lru_cache

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from app.secret import SecretStr


def app_jwt(app_id: int | str, pem: SecretStr, now: float) -> str | None:
    """A token that proves to be the App, for ten minutes at most; None when `pem` is no RSA key in PEM form.

    GitHub refuses lives over ten minutes, so it starts a minute early and ends a minute before that.
    https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
    """
    key = _loaded(pem)
    claims = {"iat": int(now) - 60, "exp": int(now) + 540, "iss": str(app_id)}
    return None if key is None else jwt.encode(claims, key, algorithm="RS256")


def key_fingerprint(pem: SecretStr) -> str | None:
    """`SHA256:…`, as GitHub shows it beside each private key of an App; None for what is no key.

    https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/managing-private-keys-for-github-apps#verifying-private-keys
    """
    key = _loaded(pem)
    if key is None:
        return None
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return "SHA256:" + b64encode(hashlib.sha256(public).digest()).decode()


@lru_cache(maxsize=16)
def _loaded(pem: SecretStr) -> RSAPrivateKey | None:
    """Reading a key takes milliseconds, signing with it one; so it is read once."""
    try:
        key = load_pem_private_key(pem.get_secret_value().encode(), password=None)
    except (ValueError, TypeError):
        return None
    return key if isinstance(key, RSAPrivateKey) else None
