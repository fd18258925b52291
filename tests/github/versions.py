"""The REST versions. Serializers write the older, larger form; version 2026-03-10 leaves a few keys out.

https://docs.github.com/rest/about-the-rest-api/breaking-changes. Webhooks are not versioned and keep the larger form.
"""

from __future__ import annotations

from typing import Any

OLDER = "2022-11-28"  # also what a request without the header gets
NEWER = "2026-03-10"
VERSIONS = (OLDER, NEWER)


def trimmed(data: Any) -> Any:
    """The body without what version 2026-03-10 removed, at any depth."""
    if isinstance(data, list):
        return [trimmed(item) for item in data]
    if not isinstance(data, dict):
        return data
    return {key: trimmed(value) for key, value in data.items() if not _is_removed(key, data)}


def _is_removed(key: str, holder: dict[str, Any]) -> bool:
    if key == "assignee":
        return "assignees" in holder
    if key == "merge_commit_sha":
        return "base" in holder
    if key == "rate":
        return "resources" in holder
    return key == "has_downloads"
