"""A session that may push, and what tests change about it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from app.proxy.grant import Grant
from app.proxy.sessions import DEFAULT_RIGHTS, Wanted

BRANCH = "refs/heads/agent/work"
GRANT = Grant(
    session=1,
    installation_id=7,
    repository_id=42,
    owner="acme",
    repository="shop",
    branch=BRANCH,
    base="refs/heads/main",
    ticket=3,
    agent="claude",
    operator="ada",
    rights=DEFAULT_RIGHTS,
    expires_at=datetime(2030, 1, 1, tzinfo=UTC),
)


def grant(**changes: Any) -> Grant:
    return replace(GRANT, **changes)


def wanted(**changes: Any) -> Wanted:
    given = Wanted(
        installation_id=7,
        repository_id=42,
        owner="acme",
        repository="shop",
        branch=BRANCH,
        base="refs/heads/main",
        agent="claude",
        opened_by="ada",
        ticket=3,
        operator="ada",
    )
    return replace(given, **changes)
