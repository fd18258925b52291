"""What looks like a credential is taken out of texts, so that quoting somebody's words can give nothing away.

Forms: https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/ and, for the
long ones since 2026, opaque text after `ghs_`. Each pattern repeats one class of characters, so it takes linear time.
"""

from __future__ import annotations

import re

REDACTED = "[redacted]"
_SHAPES = (
    r"(?:gh[a-z]_|github_pat_|mg[se]_|eyJ)[A-Za-z0-9._-]{8,}",
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*",
)
_TOKEN = re.compile("|".join(_SHAPES))
# What stands around a credential stays: an address without it is worth reading.
_AROUND = re.compile(
    r"(?i)(://[^/\s:@]{0,200}:)[^/\s@]{1,500}(?=@)"
    r"|\b((?:bearer|basic|token) )[A-Za-z0-9._~+/=-]{16,}"
    r"|\b((?:sig|x-amz-signature|x-amz-security-token|access_token|client_secret|password)=)[^&\s\"']{4,}"
)


def without_credentials(text: str) -> str:
    """`text` with `[redacted]` in place of tokens, private keys, passwords in addresses and signatures of downloads."""
    return _AROUND.sub(_kept, _TOKEN.sub(REDACTED, text))


def _kept(match: re.Match[str]) -> str:
    return next(part for part in match.groups() if part is not None) + REDACTED
