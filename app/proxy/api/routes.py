"""The table of REST routes that a session may use, and of those that it is told to do without.

Paths are below `/repos/{owner}/{repo}/` and as in https://docs.github.com/rest; permissions are those that GitHub's
documentation names for the route. A route that is not in ALLOWED does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import re2

from app.proxy.api.bodies import TEXT, TITLE, Rule, boolean, only_false, own_base, own_head, text
from app.proxy.grant import Right

Permissions = Mapping[str, str]
Subject = Literal["own pull", "discussed", "own comment"]
Makes = Literal["pull", "comment"]

PAGES = frozenset({"per_page", "page"})
RUNS = PAGES | {"actor", "branch", "event", "status", "created", "exclude_pull_requests", "check_suite_id", "head_sha"}
_CHECKS: Permissions = {"checks": "read"}
_CONTENTS: Permissions = {"contents": "read"}
_PULLS: Permissions = {"pull_requests": "read"}
_TALK: Permissions = {"issues": "read", "pull_requests": "read"}
_ACTIONS: Permissions = {"actions": "read"}
_STATUSES: Permissions = {"statuses": "read"}
OPENING: Permissions = {"pull_requests": "write", "contents": "read"}
EDITING: Permissions = {"pull_requests": "write"}


@dataclass(frozen=True, slots=True)
class Route:
    """One method and path. `subject` is what its number or id must be; `download` follows one redirect for the agent.

    `permissions` are the courier's; a route that writes to an issue or a pull request, whichever it is, names none.
    `fixed` are fields of the body that are set, whatever was given.
    """

    method: str
    template: str
    permissions: Permissions | None
    query: frozenset[str] = frozenset()
    right: Right | None = None
    subject: Subject | None = None
    body: Mapping[str, Rule] | None = None
    required: tuple[str, ...] = ()
    fixed: Mapping[str, object] = field(default_factory=dict)
    makes: Makes | None = None
    download: bool = False
    parts: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.template.split("/")) if self.template else ())

    @property
    def name(self) -> str:
        """As the ledger and the words of refusals have it."""
        below = f"/{self.template}" if self.template else ""
        return f"{self.method} /repos/{{owner}}/{{repo}}{below}"

    @property
    def writes(self) -> bool:
        return self.method != "GET"


def _get(template: str, permissions: Permissions, *query: str, pages: bool = False) -> Route:
    return Route("GET", template, permissions, frozenset(query) | (PAGES if pages else frozenset()))


_COMMENT: Mapping[str, Rule] = {"body": text(TEXT)}
_EDIT: Mapping[str, Rule] = {"title": text(TITLE), "body": text(TEXT)}
_OPEN: Mapping[str, Rule] = {
    "title": text(TITLE),
    "body": text(TEXT),
    "head": own_head,
    "base": own_base,
    "draft": boolean,
    "maintainer_can_modify": only_false,
}
_LISTED = ("state", "head", "base", "sort", "direction")
_COMMITS = ("sha", "path", "author", "committer", "since", "until")

ALLOWED: tuple[Route, ...] = (
    _get("", {}),
    _get("branches/{own_branch}", _CONTENTS),
    _get("commits", _CONTENTS, *_COMMITS, pages=True),
    _get("compare/{basehead}", _CONTENTS, pages=True),
    _get("commits/{ref}/check-runs", _CHECKS, "check_name", "status", "filter", "app_id", pages=True),
    _get("commits/{ref}/check-suites", _CHECKS, "app_id", "check_name", pages=True),
    _get("commits/{ref}/status", _STATUSES, pages=True),
    _get("commits/{ref}/statuses", _STATUSES, pages=True),
    _get("commits/{ref}/pulls", {**_PULLS, **_CONTENTS}, pages=True),
    _get("commits/{ref}", _CONTENTS, pages=True),
    _get("check-runs/{id}", _CHECKS),
    _get("check-runs/{id}/annotations", _CHECKS, pages=True),
    _get("check-suites/{id}", _CHECKS),
    _get("check-suites/{id}/check-runs", _CHECKS, "check_name", "status", "filter", pages=True),
    _get("pulls", _PULLS, *_LISTED, pages=True),
    _get("pulls/{number}", _PULLS),
    _get("pulls/{number}/files", _PULLS, pages=True),
    _get("pulls/{number}/commits", _PULLS, pages=True),
    _get("pulls/{number}/reviews", _PULLS, pages=True),
    _get("pulls/{number}/comments", _PULLS, "sort", "direction", "since", pages=True),
    Route(
        *("POST", "pulls", OPENING),
        right=Right.PULL_REQUEST,
        body=_OPEN,
        required=("title", "head", "base"),
        fixed={"maintainer_can_modify": False},
        makes="pull",
    ),
    Route("PATCH", "pulls/{number}", EDITING, right=Right.PULL_REQUEST, subject="own pull", body=_EDIT),
    Route("GET", "issues/{number}", _TALK, subject="discussed"),
    Route("GET", "issues/{number}/comments", _TALK, PAGES | {"since"}, subject="discussed"),
    Route(
        *("POST", "issues/{number}/comments", None),
        right=Right.COMMENT,
        subject="discussed",
        body=_COMMENT,
        required=("body",),
        makes="comment",
    ),
    Route("GET", "issues/comments/{id}", _TALK, subject="own comment"),
    Route(
        *("PATCH", "issues/comments/{id}", None),
        right=Right.COMMENT,
        subject="own comment",
        body=_COMMENT,
        required=("body",),
    ),
    _get("actions/runs", _ACTIONS, *RUNS),
    _get("actions/runs/{id}", _ACTIONS, "exclude_pull_requests"),
    _get("actions/runs/{id}/jobs", _ACTIONS, "filter", pages=True),
    _get("actions/runs/{id}/artifacts", _ACTIONS, "name", "direction", pages=True),
    Route("GET", "actions/runs/{id}/logs", _ACTIONS, download=True),
    _get("actions/runs/{id}/attempts/{number}", _ACTIONS, "exclude_pull_requests"),
    _get("actions/runs/{id}/attempts/{number}/jobs", _ACTIONS, pages=True),
    Route("GET", "actions/runs/{id}/attempts/{number}/logs", _ACTIONS, download=True),
    _get("actions/jobs/{id}", _ACTIONS),
    Route("GET", "actions/jobs/{id}/logs", _ACTIONS, download=True),
    _get("actions/workflows", _ACTIONS, pages=True),
    _get("actions/workflows/{id}", _ACTIONS),
)

_MERGE = ("Agents do not merge", "Leave it open; Mergegate merges it, or people do, when its checks are green")
_REVIEW = ("Agents do not review or ask for reviews", "The policy asks the people whom it needs")
_FILES = ("Files and refs are not written by the API", "Commit, and push the session's branch with git")
_LABELS = ("Labels and assignees steer the gate", "Say in a comment what should change")
_CI = ("Runs, checks and statuses are read only", "Push to start a new run")
_ADMIN = ("A session has no say in the repository's settings", "Ask a person")
_TICKET = ("Issues are not opened, closed or changed by agents", "Comment on the session's ticket")

# Method (* for any), beginning of the path, because, fix. Only said of the session's own repository.
REFUSED: tuple[tuple[str, str, tuple[str, str]], ...] = (
    ("*", "pulls/{number}/merge", _MERGE),
    ("*", "pulls/{number}/merge-async", _MERGE),
    ("POST", "merges", _MERGE),
    ("POST", "merge-upstream", _MERGE),
    ("PUT", "pulls/{number}/update-branch", _FILES),
    ("*", "pulls/{number}/reviews", _REVIEW),
    ("*", "pulls/{number}/comments", _REVIEW),
    ("*", "pulls/{number}/requested_reviewers", _REVIEW),
    ("*", "pulls/comments", _REVIEW),
    ("*", "git", _FILES),
    ("*", "contents", _FILES),
    ("*", "labels", _LABELS),
    ("*", "issues/{number}/labels", _LABELS),
    ("*", "issues/{number}/assignees", _LABELS),
    ("*", "issues/{number}/lock", _TICKET),
    ("DELETE", "issues/comments", ("Comments are not deleted by agents", "Edit the comment instead")),
    ("POST", "issues", _TICKET),
    ("PATCH", "issues", _TICKET),
    ("GET", "issues", ("A session reads its own ticket alone", "Ask for the ticket by its number")),
    ("POST", "actions", _CI),
    ("PUT", "actions", _CI),
    ("DELETE", "actions", _CI),
    ("POST", "statuses", _CI),
    ("POST", "check-runs", _CI),
    ("PATCH", "check-runs", _CI),
    ("POST", "check-suites", _CI),
    ("*", "dispatches", _CI),
    ("*", "hooks", _ADMIN),
    ("*", "keys", _ADMIN),
    ("*", "collaborators", _ADMIN),
    ("*", "rulesets", _ADMIN),
    ("*", "environments", _ADMIN),
    ("*", "deployments", _ADMIN),
    ("PATCH", "", _ADMIN),
    ("DELETE", "", _ADMIN),
)

_NUMBER = re2.compile(r"[1-9][0-9]{0,9}")
_ID = re2.compile(r"[1-9][0-9]{0,18}")
_REF = re2.compile(r"[A-Za-z0-9_][A-Za-z0-9._/+,=-]{0,250}")
_SHORT = {"{number}": _NUMBER, "{id}": _ID}
_LONG = ("{own_branch}", "{ref}", "{basehead}")
# What GitHub has below a commit and is not in the table. Behind a slash a name of it would be another route there.
_BELOW = frozenset({"branches-where-head", "comments"})


def match(parts: tuple[str, ...], segments: tuple[str, ...]) -> dict[str, str] | None:
    """The values of a template's names in a path, `{number: …}`; None if the path is another's."""
    at = next((index for index, part in enumerate(parts) if part in _LONG), None)
    if at is None:
        return _matched(parts, segments) if len(parts) == len(segments) else None
    after = len(parts) - at - 1
    name = "/".join(segments[at : len(segments) - after])
    ends = None if not name else _matched(parts[:at], segments[:at])
    tail = _matched(parts[at + 1 :], segments[len(segments) - after :]) if ends is not None else None
    if ends is None or tail is None or not _is_name(name, parts[at]):
        return None
    return ends | tail | {parts[at][1:-1]: name}


def begins(template: str, segments: tuple[str, ...]) -> bool:
    """Whether a path is the template's or below it; the empty template is the repository alone."""
    parts = tuple(template.split("/")) if template else ()
    return _matched(parts, segments[: len(parts)]) is not None and (bool(parts) or not segments)


def _matched(parts: tuple[str, ...], segments: tuple[str, ...]) -> dict[str, str] | None:
    if len(parts) != len(segments):
        return None
    found: dict[str, str] = {}
    for part, segment in zip(parts, segments, strict=True):
        pattern = _SHORT.get(part)
        if part != segment if pattern is None else pattern.fullmatch(segment) is None:
            return None
        if pattern is not None:
            found.setdefault(part[1:-1], segment)
    return found


def _is_name(name: str, part: str) -> bool:
    """A branch or commit; for `{basehead}` two of them, three dots between. `owner:branch` names a fork and is none."""
    if "/" in name and name.rpartition("/")[2] in _BELOW:
        return False
    names = name.split("...") if part == "{basehead}" else [name]
    wanted = 2 if part == "{basehead}" else 1
    return len(names) == wanted and all(_REF.fullmatch(one) is not None and ".." not in one for one in names)
