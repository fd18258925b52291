"""Tokens of sessions and of enrolments: a prefix and a checksum, so that scanners find them, around 256 random bits.

`mgs_` or `mge_`, 43 base-62 digits, and six more that are the CRC-32 of what stands before them. GitHub's own tokens
are built that way: https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import string
import zlib

from app.secret import SecretStr

PREFIX = "mgs_"
ENROLMENT = "mge_"
DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase
RANDOM_DIGITS = 43  # 62 ** 43 > 2 ** 256
CHECK_DIGITS = 6  # 62 ** 6 > 2 ** 32
_FORM = re.compile(rf"mg[se]_[0-9A-Za-z]{{{RANDOM_DIGITS + CHECK_DIGITS}}}")


def new_token(prefix: str = PREFIX) -> SecretStr:
    body = prefix + _base62(secrets.randbits(256), RANDOM_DIGITS)
    return SecretStr(body + _checksum(body))


def well_formed(token: str, prefix: str = PREFIX) -> bool:
    """Whether this can be a token of that kind at all; says nothing about whether it is one."""
    if not token.isascii() or not token.startswith(prefix) or not _FORM.fullmatch(token):
        return False
    return hmac.compare_digest(token[-CHECK_DIGITS:], _checksum(token[:-CHECK_DIGITS]))


def token_hash(token: str) -> bytes:
    """What the store keeps. A fast hash suffices: there is nothing to guess in 256 random bits."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode("ascii")), CHECK_DIGITS)


def _base62(number: int, width: int) -> str:
    digits = ""
    for _ in range(width):
        number, digit = divmod(number, len(DIGITS))
        digits = DIGITS[digit] + digits
    return digits
