"""What a job's token may do and whence its secrets come, in the words that the runner prints in "Set up job".

https://docs.github.com/actions/reference/workflows-and-actions/github_token-reference (scopes, the restricted default,
the most that a fork's pull request gets) and https://docs.github.com/actions/how-tos/write-workflows/choose-what-workflows-do/assigning-permissions-to-jobs
(a scope that is not named is none). The names and their order were read off real logs; `id-token` is not printed
(https://github.com/actions/runner/issues/3268).
"""

from __future__ import annotations

from typing import Any

_SCOPES = (
    "actions", "attestations", "checks", "contents", "deployments", "discussions", "issues", "metadata", "models",
    "packages", "pages", "pull-requests", "repository-projects", "security-events", "statuses",
)  # fmt: skip
_DEFAULT = {"contents": "read", "packages": "read"}
_ALL = {"read-all": "read", "write-all": "write"}


def is_outsiders(github: dict[str, str], event: dict[str, Any]) -> bool:
    """A pull request from a fork, or Dependabot's, whose token only reads and which gets no secrets of Actions."""
    if github["event_name"] != "pull_request":
        return False
    pull = event["pull_request"]
    return github["actor"] == "dependabot[bot]" or pull["head"]["repo"] != pull["base"]["repo"]


def permissions(asked: object, *, outsider: bool) -> list[str]:
    """`Contents: read`, …; `asked` is the job's `permissions` key, else the workflow's, None where neither has one."""
    if isinstance(asked, str):
        levels = dict.fromkeys(_SCOPES, _ALL[asked])
    else:
        levels = dict(asked) if isinstance(asked, dict) else _DEFAULT
    levels = {scope: level for scope, level in levels.items() if level != "none"} | {"metadata": "read"}
    if outsider:
        levels = dict.fromkeys(levels, "read")
    return [f"{_printed(scope)}: {levels[scope]}" for scope in _SCOPES if scope in levels]


def secret_source(github: dict[str, str], *, outsider: bool) -> str:
    if github["actor"] == "dependabot[bot]":
        return "Dependabot"
    return "None" if outsider else "Actions"


def _printed(scope: str) -> str:
    return "".join(word.capitalize() for word in scope.split("-"))
