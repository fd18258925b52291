"""Parameters that GitHub fills in where a ruleset leaves them out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.github.queue_entries import DEFAULTS

# What GitHub adds to a `pull_request` rule that leaves it out (recorded).
PULL_REQUEST_DEFAULTS: dict[str, Any] = {
    "required_approving_review_count": 0,
    "dismiss_stale_reviews_on_push": False,
    "required_reviewers": [],
    "require_code_owner_review": False,
    "require_last_push_approval": False,
    "required_review_thread_resolution": False,
    "require_extra_approval_for_unattributed_changes": True,
    "allowed_merge_methods": ["merge", "squash", "rebase"],
}


def completed(rules: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rules with the parameters that GitHub fills in."""
    defaults = {"pull_request": PULL_REQUEST_DEFAULTS, "merge_queue": DEFAULTS}
    return [
        {**rule, "parameters": defaults[rule["type"]] | (rule.get("parameters") or {})}
        if rule["type"] in defaults
        else rule
        for rule in rules
    ]
