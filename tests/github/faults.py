"""Faults on demand: what networks, proxies and a busy GitHub do to a client.

A fault is matched by method and path (a pattern searched in the path without `/api/v3`), or by the name of a GraphQL
operation, and is used up after `count` requests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

import httpx

FaultKind = Literal[
    "fail", "fail_after", "slow", "cut", "cut_after", "half", "silent", "silent_after", "errors", "errors_after", "lag"
]


class ConnectionCut(httpx.RemoteProtocolError):
    """The connection ended before the answer did. In process httpx sees this very error."""


class NothingCame(httpx.ReadTimeout):
    """The request was sent and no answer came in time. In process httpx sees this very error."""


@dataclass
class Fault:
    """`kind`: fail = refused without effect; fail_after = done, yet answered with `status`; slow = answered after
    `seconds`; cut and cut_after = the connection ends within the answer, without or with the effect; half = done, yet
    the answer's JSON ends in its middle as if it were whole; silent and silent_after = no answer comes at all; errors
    and errors_after = GraphQL's way to fail: a 200 whose body is errors; lag = the same question of the same caller (a
    GET, or a GraphQL query) gets the answer that it got last."""

    kind: FaultKind
    method: str | None = None
    path: str | None = None
    operation: str | None = None
    count: int = 1
    status: int = 502
    seconds: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "Server Error"
    hits: int = 0

    def matches(self, method: str, path: str, operation: str | None) -> bool:
        if self.count <= self.hits:
            return False
        if self.method is not None and self.method != method:
            return False
        if self.operation is not None and self.operation != operation:
            return False
        return self.path is None or re.search(self.path, path) is not None


@dataclass
class Faults:
    """The faults that are armed; `add` returns the fault so that a test can ask for its `hits`."""

    armed: list[Fault] = field(default_factory=list)

    def add(self, fault: Fault) -> Fault:
        self.armed.append(fault)
        return fault

    def clear(self) -> None:
        self.armed.clear()

    def take(self, method: str, path: str, operation: str | None) -> Fault | None:
        """The first fault for this request, counted."""
        found = next((f for f in self.armed if f.matches(method, path, operation)), None)
        if found is not None:
            found.hits += 1
        return found
