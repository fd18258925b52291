"""One request of a session, as the parts of the API slice hand it on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import re2

from app.proxy.api.rewriting import Addresses
from app.proxy.flights import Flight
from app.proxy.grant import Grant
from app.proxy.incoming import Answering, Incoming

_VALUES = {
    "Accept": re2.compile(r"[A-Za-z0-9*/+.;=, _-]{1,500}"),
    "If-None-Match": re2.compile(r'(?:W/)?"[A-Za-z0-9+/=_-]{1,200}"'),
    "If-Modified-Since": re2.compile(r"[A-Za-z0-9,: ]{1,60}"),
    "X-GitHub-Api-Version": re2.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    "GraphQL-Features": re2.compile(r"[a-z_, ]{1,200}"),
}


@dataclass(frozen=True, slots=True)
class Call:
    incoming: Incoming
    grant: Grant
    flight: Flight
    send: Answering
    addresses: Addresses

    def headers(self) -> dict[str, str]:
        """Of the agent's headers those that GitHub may see, where they have their usual form."""
        return {"Accept": "application/vnd.github+json", **passed(self.incoming)}


def passed(incoming: Incoming) -> Mapping[str, str]:
    found = {name: incoming.text(name.lower().encode("ascii")) for name in _VALUES}
    return {name: value for name, value in found.items() if _VALUES[name].fullmatch(value) is not None}
