"""GitHub's addresses in answers become the proxy's: `gh` follows them, and nothing else is reachable for it.

Only addresses of the API change, where a JSON text begins with one; those of pages, and texts that people wrote, stay.
"""

from __future__ import annotations

import re2

from app.github.addresses import origin
from app.proxy.api.withholding import Withholding
from app.proxy.grant import Grant

# Where GitHub keeps logs: https://docs.github.com/actions/reference/runners/self-hosted-runners#communication-requirements
_STORES = (".actions.githubusercontent.com", ".blob.core.windows.net", ".githubusercontent.com")
_HOST = re2.compile(
    r"(?:[A-Za-z0-9-]{1,63}\.){0,9}[A-Za-z0-9-]{1,63}(?::[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](?::[0-9]{1,5})?"
)
_LINK = re2.compile(r'\s*<([^<>"\s]+)>\s*;\s*rel="([a-z]{1,10})"\s*')
_NAME = re2.compile(r"(?:[a-z0-9-]{1,63}\.){2,9}[a-z0-9-]{2,63}")
_ADDRESS = re2.compile(r"https?://[!#-;=?-\[\]_a-z~%]+")  # what RFC 3986 lets an address hold
GITHUB_API = "https://api.github.com"


def api_base(scheme: str, host: str, raw_path: bytes) -> str | None:
    """How whoever asked reaches the API, without a slash at the end; None for a Host that is none.

    Over a unix socket `gh` believes that it speaks with api.github.com, and goes on believing it.
    """
    if host.lower() == "api.github.com":
        return GITHUB_API
    if _HOST.fullmatch(host) is None:
        return None
    return f"{scheme}://{host}" + ("/api/v3" if raw_path.startswith(b"/api/") else "")


class Addresses:
    """From GitHub's API (`theirs`) to the proxy's (`ours`), both without a slash at the end."""

    def __init__(self, theirs: str, ours: str, grant: Grant) -> None:
        self._theirs = theirs
        self._ours = ours
        self._by_id = f"{theirs}/repositories/{grant.repository_id}/"
        self._by_name = f"{ours}/repos/{grant.owner}/{grant.repository}/"

    def link(self, header: str) -> str:
        """A Link header (RFC 8288) whose targets are the proxy's; what points elsewhere is left out."""
        found = [_LINK.fullmatch(part) for part in header.split(",")]
        kept = [(self._address(one[1]), one[2]) for one in found if one is not None]
        return ", ".join(f'<{address}>; rel="{relation}"' for address, relation in kept if address is not None)

    def _address(self, address: str) -> str | None:
        if address.startswith(self._by_id):
            return self._by_name + address.removeprefix(self._by_id)
        if address.startswith(self._theirs + "/"):
            return self._ours + address.removeprefix(self._theirs)
        return None

    def stream(self) -> Answered:
        return Answered(Rewriting(f'"{self._theirs}/'.encode(), f'"{self._ours}/'.encode()))


class Answered:
    """GitHub's JSON as it is passed on, in pieces: with the proxy's addresses, and without what is withheld."""

    def __init__(self, rewriting: Rewriting) -> None:
        self._withholding = Withholding()
        self._rewriting = rewriting

    def feed(self, data: bytes) -> bytes:
        return self._rewriting.feed(self._withholding.feed(data))

    def end(self) -> bytes:
        return self._rewriting.feed(self._withholding.end()) + self._rewriting.end()


class Rewriting:
    """Replaces in a stream of JSON, however it is cut. A quotation mark behind a backslash begins no text."""

    def __init__(self, before: bytes, after: bytes) -> None:
        self._before = before
        self._after = after
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """What can be said of the bytes so far."""
        return self._replaced(self._held + data, len(self._before))

    def end(self) -> bytes:
        """What is left."""
        return self._replaced(self._held, 0)

    def _replaced(self, data: bytes, keep: int) -> bytes:
        out, start, ready = bytearray(), 0, max(len(data) - keep, 0)
        while (at := data.find(self._before, start)) != -1:
            out += data[start:at]
            out += self._before if data[at - 1 : at] == b"\\" else self._after
            start = at + len(self._before)
        ready = max(ready, start)
        out += data[start:ready]
        self._held = data[ready:]
        return bytes(out)


def may_follow(api_url: str, location: str) -> bool:
    """Whether a download's redirect leads to where GitHub keeps such things, so that the proxy fetches it itself."""
    if _ADDRESS.fullmatch(location) is None:
        return False
    scheme, host = origin(location)
    if (scheme, host) == origin(api_url):
        return True
    return scheme == "https" and _NAME.fullmatch(host) is not None and host.endswith(_STORES)
