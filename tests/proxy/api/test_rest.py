"""The REST decision as a table: what a session may, what it is told to do without, what does not exist (T41, T43)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.proxy.api.denied import Denied
from app.proxy.api.looks import Look, OwnComment, OwnPull
from app.proxy.api.rest import Forward, Local, decide
from app.proxy.api.routes import ALLOWED
from app.proxy.api.target import Target, read_target
from app.proxy.courier import MOST
from app.proxy.grant import Right
from tests.proxy.build import grant

HOME = "/repos/acme/shop"
TICKET = 3
OPEN = {"title": "T", "head": "agent/work", "base": "main"}


def asked(method: str, path: str, body: Any = None, **changes: Any) -> Forward | Local | Denied:
    address, _, query = path.partition("?")
    target = read_target(address.encode(), query.encode())
    assert isinstance(target, Target), target
    rights = changes.pop("rights", frozenset({Right.PULL_REQUEST, Right.COMMENT}))
    raw = b"" if body is None else json.dumps(body).encode()
    return decide(grant(ticket=TICKET, rights=rights, **changes), method, target, raw)


@pytest.mark.parametrize(
    ("path", "permissions"),
    [
        ("", {}),
        ("/branches/agent/work", {"contents": "read"}),
        ("/branches/main", {"contents": "read"}),
        ("/commits?sha=agent/work&per_page=5", {"contents": "read"}),
        ("/commits/agent/work", {"contents": "read"}),
        ("/commits/0123456789abcdef0123456789abcdef01234567", {"contents": "read"}),
        ("/commits/agent/work/check-runs?filter=latest", {"checks": "read"}),
        ("/commits/agent/work/status", {"statuses": "read"}),
        ("/compare/main...agent/work", {"contents": "read"}),
        ("/pulls?state=open&head=acme:agent/work", {"pull_requests": "read"}),
        ("/pulls/7", {"pull_requests": "read"}),
        ("/pulls/7/files?per_page=100&page=2", {"pull_requests": "read"}),
        ("/pulls/7/commits", {"pull_requests": "read"}),
        ("/check-runs/12/annotations", {"checks": "read"}),
        ("/actions/runs?branch=agent/work&exclude_pull_requests=true", {"actions": "read"}),
        ("/actions/runs/12/jobs", {"actions": "read"}),
        ("/actions/runs/12/attempts/1/logs", {"actions": "read"}),
        ("/actions/jobs/12/logs", {"actions": "read"}),
        ("/issues/3", {"issues": "read", "pull_requests": "read"}),
        ("/issues/3/comments?since=2026-01-01", {"issues": "read", "pull_requests": "read"}),
    ],
)
def test_reading(path: str, permissions: dict[str, str]) -> None:
    found = asked("GET", HOME + path)
    assert isinstance(found, Forward)
    assert (found.route.permissions, found.looks) == (permissions, ())
    assert "/".join(found.segments) == path.partition("?")[0].removeprefix("/")


@pytest.mark.parametrize(
    ("method", "path", "body", "looks"),
    [
        ("POST", "/pulls", OPEN | {"head": "acme:agent/work", "draft": True, "maintainer_can_modify": False}, ()),
        ("PATCH", "/pulls/7", {"title": "New"}, (OwnPull(7, edited=True),)),
        ("PATCH", "/pulls/7", {"body": "Text"}, (OwnPull(7, edited=True),)),
        ("POST", "/issues/3/comments", {"body": "Hello"}, ()),
        ("POST", "/issues/7/comments", {"body": "Hello"}, (OwnPull(7),)),
        ("GET", "/issues/7", None, (OwnPull(7),)),
        ("GET", "/issues/comments/99", None, (OwnComment(99),)),
        ("PATCH", "/issues/comments/99", {"body": "Better"}, (OwnComment(99),)),
    ],
)
def test_what_has_to_be_looked_up(method: str, path: str, body: Any, looks: tuple[Look, ...]) -> None:
    found = asked(method, HOME + path, body)
    assert isinstance(found, Forward)
    assert (found.looks, found.body) == (looks, body)


def test_nobody_else_is_let_into_the_branch() -> None:
    found = asked("POST", HOME + "/pulls", OPEN)
    assert isinstance(found, Forward)
    assert found.body == OPEN | {"maintainer_can_modify": False}


def test_names_do_not_differ_by_case() -> None:
    assert isinstance(asked("GET", "/repos/ACME/Shop"), Forward)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/repos/acme/other"),
        ("GET", "/repos/acme/shop2"),
        ("GET", "/repos/acme/shop.git"),
        ("GET", "/repos/other/shop"),
        ("GET", "/repos/acme"),
        ("GET", "/repos"),
        ("PUT", "/repos/acme/other/pulls/1/merge"),
        ("GET", "/repositories/42"),
        ("GET", "/repositories/42/pulls"),
        ("GET", "/user"),
        ("GET", "/user/repos"),
        ("GET", "/users/ada"),
        ("GET", "/orgs/acme"),
        ("GET", "/orgs/acme/repos"),
        ("GET", "/search/issues?q=secret"),
        ("GET", "/installation/repositories"),
        ("DELETE", "/installation/token"),
        ("POST", "/app/installations/7/access_tokens"),
        ("GET", "/app"),
        ("GET", "/gists"),
        ("GET", "/rate_limit"),
        ("GET", "/events"),
        ("GET", "/notifications"),
        ("POST", "/meta"),
        ("GET", HOME + "/nothing"),
        ("GET", HOME + "/pulls/seven"),
        ("GET", HOME + "/pulls/0"),
        ("GET", HOME + "/pulls/07"),
        ("GET", HOME + "/pulls/99999999999"),
        ("GET", HOME + "/pulls/-1"),
        ("GET", HOME + "/actions/runs/1/delete"),
        ("GET", HOME + "/commits/a..b"),
        ("GET", HOME + "/commits/-x"),
        ("GET", HOME + "/commits/0123456789abcdef0123456789abcdef01234567/comments"),
        ("GET", HOME + "/commits/main/branches-where-head"),
        ("GET", HOME + "/commits/mallory:main"),
        ("GET", HOME + "/commits/HEAD@{1}".replace("{", "").replace("}", "~1")),
        ("GET", HOME + "/compare/main"),
        ("GET", HOME + "/compare/main..agent/work"),
        ("GET", HOME + "/compare/main...mallory:main"),
        ("GET", HOME + "/compare/main...agent/work...main"),
        ("GET", HOME + "/tarball/main"),
        ("GET", HOME + "/zipball"),
        ("GET", HOME + "/forks"),
        ("GET", HOME + "/actions/secrets"),
        ("GET", HOME + "/actions/artifacts/5/zip"),
        ("GET", HOME + "/secret-scanning/alerts"),
        ("GET", HOME + "/releases"),
        ("GET", HOME + "/teams"),
        ("GET", HOME + "/installation"),
    ],
)
def test_what_does_not_exist_for_a_session(method: str, path: str) -> None:
    assert asked(method, path) == Denied(404, None)


@pytest.mark.parametrize(
    ("method", "path", "word"),
    [
        ("PUT", "/pulls/7/merge", "merge"),
        ("PUT", "/pulls/7/merge-async", "merge"),
        ("POST", "/merges", "merge"),
        ("PUT", "/pulls/7/update-branch", "git"),
        ("POST", "/pulls/7/reviews", "review"),
        ("POST", "/pulls/7/reviews/1/events", "review"),
        ("PUT", "/pulls/7/reviews/1/dismissals", "review"),
        ("POST", "/pulls/7/requested_reviewers", "review"),
        ("POST", "/pulls/7/comments", "review"),
        ("POST", "/git/refs", "git"),
        ("PATCH", "/git/refs/heads/main", "git"),
        ("DELETE", "/git/refs/heads/agent/work", "git"),
        ("POST", "/git/commits", "git"),
        ("PUT", "/contents/README.md", "git"),
        ("GET", "/contents/README.md", "git"),
        ("POST", "/issues/3/labels", "Labels"),
        ("PUT", "/issues/7/labels", "Labels"),
        ("DELETE", "/issues/7/labels/x", "Labels"),
        ("POST", "/labels", "Labels"),
        ("POST", "/issues/3/assignees", "Labels"),
        ("POST", "/issues", "Issues"),
        ("PATCH", "/issues/3", "Issues"),
        ("GET", "/issues", "ticket"),
        ("PUT", "/issues/3/lock", "Issues"),
        ("DELETE", "/issues/comments/99", "deleted"),
        ("POST", "/dispatches", "Runs"),
        ("POST", "/actions/workflows/1/dispatches", "Runs"),
        ("POST", "/actions/runs/1/rerun", "Runs"),
        ("POST", "/actions/runs/1/cancel", "Runs"),
        ("DELETE", "/actions/runs/1/logs", "Runs"),
        ("POST", "/check-runs", "Runs"),
        ("PATCH", "/check-runs/1", "Runs"),
        ("POST", "/statuses/0123456789abcdef0123456789abcdef01234567", "Runs"),
        ("POST", "/hooks", "settings"),
        ("GET", "/hooks", "settings"),
        ("POST", "/keys", "settings"),
        ("PUT", "/collaborators/mallory", "settings"),
        ("POST", "/rulesets", "settings"),
        ("POST", "/deployments", "settings"),
        ("PATCH", "", "settings"),
        ("DELETE", "", "settings"),
        ("GET", "/branches/other", "own branch"),
        ("GET", "/branches/agent/work2", "own branch"),
    ],
)
def test_what_is_refused_with_a_next_step(method: str, path: str, word: str) -> None:
    found = asked(method, HOME + path)
    assert isinstance(found, Denied)
    assert found.status == 403 and found.refusal is not None
    assert word in found.refusal.sentence


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/pulls", OPEN | {"base": "release"}, 422),
        ("POST", "/pulls", OPEN | {"head": "main"}, 422),
        ("POST", "/pulls", OPEN | {"head": "agent/work2"}, 422),
        ("POST", "/pulls", OPEN | {"head": "mallory:agent/work"}, 422),
        ("POST", "/pulls", OPEN | {"head": "acme:evil:agent/work"}, 422),
        ("POST", "/pulls", OPEN | {"head": ["agent/work"]}, 422),
        ("POST", "/pulls", OPEN | {"head_repo": "mallory/shop"}, 422),
        ("POST", "/pulls", OPEN | {"issue": 5}, 422),
        ("POST", "/pulls", OPEN | {"maintainer_can_modify": True}, 422),
        ("POST", "/pulls", OPEN | {"draft": "yes"}, 422),
        ("POST", "/pulls", OPEN | {"title": 1}, 422),
        ("POST", "/pulls", OPEN | {"title": "x" * 257}, 422),
        ("POST", "/pulls", OPEN | {"body": "x" * 65_537}, 422),
        ("POST", "/pulls", {"title": "T", "head": "agent/work"}, 422),
        ("POST", "/pulls", [OPEN], 400),
        ("POST", "/pulls", None, 400),
        ("PATCH", "/pulls/7", {"base": "release"}, 422),
        ("PATCH", "/pulls/7", {"state": "closed"}, 422),
        ("PATCH", "/pulls/7", {"title": None}, 422),
        ("PATCH", "/pulls/7", {"maintainer_can_modify": True}, 422),
        ("POST", "/issues/3/comments", {"body": "x", "event": "close"}, 422),
        ("POST", "/issues/3/comments", {}, 422),
        ("GET", "/pulls", {"state": "open"}, 400),
        ("GET", "/pulls?access_token=x", None, 422),
        ("GET", "/pulls/7?page=1", None, 422),
        ("GET", "/actions/runs/1/logs?x=1", None, 422),
        ("POST", "/pulls?page=1", OPEN, 422),
    ],
)
def test_bodies_and_parameters_that_a_route_does_not_take(method: str, path: str, body: Any, status: int) -> None:
    found = asked(method, HOME + path, body)
    assert isinstance(found, Denied)
    assert found.status == status and found.refusal is not None


def test_rights() -> None:
    for method, path, body, right in (
        ("POST", "/pulls", OPEN, Right.PULL_REQUEST),
        ("PATCH", "/pulls/7", {"title": "x"}, Right.PULL_REQUEST),
        ("POST", "/issues/3/comments", {"body": "x"}, Right.COMMENT),
        ("PATCH", "/issues/comments/1", {"body": "x"}, Right.COMMENT),
    ):
        without = asked(method, HOME + path, body, rights=frozenset(Right) - {right})
        assert isinstance(without, Denied) and without.status == 403
        assert isinstance(asked(method, HOME + path, body, rights=frozenset({right})), Forward)


def test_without_a_ticket_every_issue_has_to_be_the_own_pull_request() -> None:
    target = read_target(b"/repos/acme/shop/issues/3", b"")
    assert isinstance(target, Target)
    found = decide(grant(ticket=None), "GET", target, b"")
    assert isinstance(found, Forward) and found.looks == (OwnPull(3),)


def test_what_gh_reads_of_a_server_is_answered_here() -> None:
    assert asked("GET", "/") == Local({})
    version = asked("GET", "/meta")
    assert isinstance(version, Local) and version.body["installed_version"].startswith("3.")


def test_no_route_has_more_permissions_than_the_courier_can_have_or_than_reading_needs() -> None:
    for route in ALLOWED:
        for name, level in (route.permissions or {}).items():
            assert level in MOST[name], route.name
            assert level == "read" or route.right is not None, route.name
        assert route.writes == (route.right is not None), route.name
        assert route.writes == (route.body is not None), route.name
