"""What GitHub's answers hold that opens something at GitHub, and no agent is given.

Descriptions of a private repository can have a token with which to clone it, past the proxy:
https://learn.microsoft.com/dotnet/api/azure.connectors.sdk.github.models.repositorydetails.tempclonetoken
"""

from __future__ import annotations

import re2

from app.proxy.incoming import BodyFailed

KEY = b'"temp_clone_token"'
LONGEST = 8 * 1024  # bytes of a value that is waited for
_WHOLE = re2.compile(rb'(?s)"temp_clone_token"\s*:\s*"(?:[^"\\]|\\.)*"')
_KNOWN = re2.compile(rb'(?s)"temp_clone_token"\s*(?:[^\s:]|:\s*(?:[^\s"]|"(?:[^"\\]|\\.)*"))')


class Withholding:
    """Puts null in the place of such tokens in a stream of JSON, however it is cut.

    Where the key stands behind an escaped quotation mark, in a text that a person wrote, null harms nobody.
    """

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """What can be passed on of the bytes so far. Raises BodyFailed for a value without an end."""
        data = _WHOLE.sub(KEY + b":null", self._held + data)
        ready = _ready(data)
        self._held = data[ready:]
        if len(self._held) > LONGEST:
            raise BodyFailed("a token in GitHub's answer has no end", gone=True)
        return bytes(data[:ready])

    def end(self) -> bytes:
        """What is left. A value that was cut stays here."""
        held, self._held = self._held, b""
        return b"" if held.startswith(KEY) else held


def _ready(data: bytes) -> int:
    """How many bytes hold no beginning of a key or of its value."""
    last = data.rfind(KEY)
    if last >= 0 and _KNOWN.match(data[last:]) is None:
        return last
    begun = next((size for size in range(len(KEY) - 1, 0, -1) if data.endswith(KEY[:size])), 0)
    return len(data) - begun
