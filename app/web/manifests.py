"""App manifests for the set-up page, from the files in deploy/, and why each permission is asked for. Pure.

https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import re2

from app.intake.webhook import PATH as WEBHOOKS
from app.registrations import Role
from app.web.sign_in import RETURN_PATH

REGISTERED_PATH = "/set-up/registered"
LONGEST_NAME = 34  # characters that GitHub allows
WHY: Mapping[str, str] = {
    "actions": "reads runs and raw logs, starts the verifier",
    "administration": "reads rules; it can change none",
    "checks": "writes the required checks",
    "contents": "reads the policy and the code, builds the serial queue's trial merges, merges",
    "issues": "answers commands, keeps tickets and the board",
    "members": "reads who is in the teams that the policy names",
    "merge_queues": "reads the merge queue",
    "metadata": "every App has it",
    "pull_requests": "reads pull requests and reviews, comments",
    "statuses": "lets a ruleset pin the checks to this App, anchors the audit log",
}
COURIER_WHY: Mapping[str, str] = {
    "actions": "shows agents the logs of their own runs",
    "checks": "shows agents the checks of their own head",
    "contents": "fetches, and pushes to the session's branch",
    "issues": "comments on the session's ticket",
    "metadata": "every App has it",
    "pull_requests": "opens the session's pull request and comments on it",
    "statuses": "shows agents the state of their own head",
}
# https://docs.github.com/en/enterprise-cloud@latest/admin/managing-iam/iam-configuration-reference/username-considerations
_ACCOUNT = re2.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")


class BadAccount(ValueError):
    """No name that an account on GitHub could have."""


def manifest(
    role: Role, template: Mapping[str, Any], public_url: str, account: str, *, polling: bool
) -> dict[str, Any]:
    """The manifest for one role; `template` is its file in deploy/. `account` is an organisation, or empty.

    Names of Apps are taken by whoever comes first on all of GitHub, so the account's is part of it.
    """
    owner = account or "me"
    made = {**template, "name": f"mergegate-{'' if role == 'gate' else 'courier-'}{owner}"[:LONGEST_NAME].rstrip("-")}
    made |= {"url": public_url, "redirect_url": public_url + REGISTERED_PATH}
    if role == "gate":
        made |= {
            "hook_attributes": {"url": public_url + WEBHOOKS, "active": not polling},
            "callback_urls": [public_url + RETURN_PATH],
        }
    return made


def registration_address(web_url: str, account: str, state: str) -> str:
    """Where the manifest is posted to. Raises BadAccount."""
    if account and _ACCOUNT.fullmatch(account) is None:
        raise BadAccount(account)
    owner = f"/organizations/{quote(account, safe='')}" if account else ""
    return f"{web_url}{owner}/settings/apps/new?state={quote(state, safe='')}"


def reasons(role: Role, template: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Permission, level and why, for the table that is shown before anything is registered."""
    why = WHY if role == "gate" else COURIER_WHY
    return [(name, level, why[name]) for name, level in sorted(template["default_permissions"].items())]
