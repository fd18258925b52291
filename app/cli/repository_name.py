"""`OWNER/REPO` as it is typed."""

from __future__ import annotations

from app.local.clone import CannotLook
from policies.escape import clean


def parse_repository(text: str) -> tuple[str, str]:
    """Owner and name. Raises CannotLook."""
    owner, _, name = text.partition("/")
    if not owner or not name or "/" in name:
        raise CannotLook(f"{clean(text, 200)!r} names no repository. Write OWNER/REPO, for example acme/shop.")
    return owner, name
