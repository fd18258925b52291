"""Scope: the ticket's paths on both sides of a rename, and the whole list of changed files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.diff import FileStatus
from checks.finding import Evidence, Finding, Fix, Status
from checks.scope import check
from checks.snapshot import Layer, Stack, Ticket
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import diff, file, only

UNREAD = Unread("HTTP 502")
OFFLINE = Unread("judged locally", offline=True)
WAIT = Fix("wait", "Nothing to do; the gate looks again by itself.")
OPEN = Fix("open-pull-request", "Open a pull request; only GitHub knows that.")
ADDED, REMOVED, RENAMED, COPIED = FileStatus.ADDED, FileStatus.REMOVED, FileStatus.RENAMED, FileStatus.COPIED


def _scope(ticket: Ticket | None, *files: Any) -> Finding:
    return only(check(build.snapshot(ticket=ticket, diff=diff(*files))), "scope")


def _ticket(allowed: tuple[str, ...] = (), forbidden: tuple[str, ...] = ()) -> Ticket:
    return build.ticket(allowed_paths=allowed, forbidden_paths=forbidden)


def test_without_a_ticket_nothing_limits() -> None:
    assert _scope(None, "a") == Finding("scope", Status.SKIPPED, "There is no ticket that limits the paths.")


@pytest.mark.parametrize(
    ("ticket", "files"),
    [
        (_ticket(), ("a",)),
        (_ticket(("src/**",)), ("src/a", "src/b/c")),
        (_ticket(("src/**", "docs/"), ("src/x/",)), ("src/a", "docs/a")),
        (_ticket(("src/**",)), (file("src/b", RENAMED, previous_path="src/a"),)),
        (_ticket((), ("auth/",)), ("src/a",)),
    ],
)
def test_within_the_ticket(ticket: Ticket, files: Any) -> None:
    finding = _scope(ticket, *files)
    assert finding == Finding("scope", Status.PASSED, f"All {len(files)} changed files are within ticket T-7.")


@pytest.mark.parametrize(
    ("ticket", "files", "outside"),
    [
        (_ticket(("src/**",)), ("src/a", "lib/b"), "`lib/b` is not among the allowed paths"),
        (_ticket(("src/**",)), ("SRC/a",), "`SRC/a` is not among the allowed paths"),
        (_ticket(("src/**", "!src/x")), ("src/x",), "`src/x` is not among the allowed paths"),
        (_ticket((), ("auth/",)), ("auth/a",), "`auth/a` is forbidden by `auth/`"),
        (_ticket((), ("auth/",)), ("Auth/a",), "`Auth/a` is forbidden by `auth/`"),
        (_ticket(("src/**",), ("*.sql",)), ("src/a.sql",), "`src/a.sql` is forbidden by `*.sql`"),
        (_ticket(("src/**",), ("*.sql",)), ("a.sql",), "`a.sql` is forbidden by `*.sql`"),
        (
            _ticket(("src/**",)),
            (file("src/a", RENAMED, previous_path="lib/a"),),
            "`lib/a` is not among the allowed paths",
        ),
        (
            _ticket(("src/**",)),
            (file("lib/a", RENAMED, previous_path="src/a"),),
            "`lib/a` is not among the allowed paths",
        ),
        (_ticket((), ("lib/",)), (file("src/a", COPIED, previous_path="lib/a"),), "`lib/a` is forbidden by `lib/`"),
        (
            _ticket(("src/**",), ("auth/",)),
            ("lib/a", "auth/b", "lib/a"),
            "`lib/a` is not among the allowed paths; `auth/b` is forbidden by `auth/`",
        ),
    ],
)
def test_outside_the_ticket(ticket: Ticket, files: Any, outside: str) -> None:
    finding = _scope(ticket, *files)
    assert (finding.status, finding.reason) == (Status.FAILED, f"Outside ticket T-7: {outside}.")
    assert finding.fix == Fix("push", "Take these changes out, or ask the ticket's owner for a wider scope.")


def test_evidence_names_each_path() -> None:
    finding = _scope(_ticket(("src/**",), ("auth/",)), "lib/a", "auth/b")
    assert finding.evidence == (
        Evidence("is not among the allowed paths", path="lib/a"),
        Evidence("is forbidden by `auth/`", path="auth/b"),
    )


@pytest.mark.parametrize(("count", "ending"), [(10, "`f9` is not among the allowed paths."), (11, "; and 1 more.")])
def test_long_lists_are_cut(count: int, ending: str) -> None:
    finding = _scope(_ticket(("src/**",)), *(f"f{number}" for number in range(count)))
    assert finding.reason.endswith(ending)
    assert len(finding.evidence) == 10


@pytest.mark.parametrize("ticket", [_ticket(("/",)), _ticket((), ("/",))])
def test_a_ticket_with_unreadable_paths_is_an_error(ticket: Ticket) -> None:
    finding = _scope(ticket, "a")
    message = "the path pattern '/' matches nothing; write `\\#` for a name that begins with `#`"
    assert (finding.status, finding.reason) == (
        Status.ERRORED,
        f"The paths of ticket T-7 cannot be read: {message}.",
    )
    assert finding.fix == Fix("ask-person", "Ask the ticket's owner to correct its paths and accept it again.")


@pytest.mark.parametrize(("unread", "status", "fix"), [(UNREAD, Status.ERRORED, WAIT), (OFFLINE, Status.PENDING, OPEN)])
def test_what_could_not_be_read(unread: Unread, status: Status, fix: Fix) -> None:
    reason = f"The changed files could not be read: {unread.because}."
    assert check(build.snapshot(diff=unread)) == (Finding("scope", status, reason, fix=fix),)
    total = only(check(build.snapshot(changed_files_total=unread)), "scope.complete")
    reason = f"The number of changed files could not be read: {unread.because}."
    assert total == Finding("scope.complete", status, reason, fix=fix)


def test_a_cut_list_is_an_error() -> None:
    finding = only(check(build.snapshot(diff=diff("a", "b", complete=False))), "scope.complete")
    assert finding == Finding(
        "scope.complete",
        Status.ERRORED,
        "The changed files could not be listed as a whole.",
        fix=Fix("split-pull-request", "Split the change into smaller pull requests."),
    )


@pytest.mark.parametrize(
    ("files", "total", "agree"),
    [
        (("a", "b"), 2, True),
        (("a", "b"), 1, False),
        (("a", "b"), 3, False),
        ((), 0, True),
        ((), 1, False),
        # One detection of renames sees a file added and one removed where another sees a rename.
        ((file("a", ADDED), file("b", REMOVED)), 1, True),
        ((file("a", ADDED), file("b", REMOVED)), 2, True),
        ((file("a", ADDED), file("b", REMOVED)), 0, False),
        ((file("a", ADDED), file("b", REMOVED)), 3, False),
        ((file("a", ADDED), file("c", ADDED), file("b", REMOVED)), 2, True),
        ((file("a", ADDED), file("c", ADDED), file("b", REMOVED)), 1, False),
        ((file("a", REMOVED), file("c", REMOVED), file("b", ADDED)), 1, False),
        ((file("a", RENAMED, previous_path="b"),), 2, True),
        ((file("a", RENAMED, previous_path="b"),), 1, True),
        ((file("a", RENAMED, previous_path="b"),), 3, False),
        ((file("a", RENAMED, previous_path="b"),), 0, False),
        ((file("a", COPIED, previous_path="b"),), 2, False),
    ],
)
def test_github_and_git_must_agree_on_the_number(files: Any, total: int, agree: bool) -> None:
    snapshot = replace(build.snapshot(diff=diff(*files)), changed_files_total=total)
    finding = only(check(snapshot), "scope.complete")
    if agree:
        assert finding == Finding(
            "scope.complete", Status.PASSED, f"GitHub and git agree on {len(files)} changed files."
        )
        return
    reason = f"GitHub counts {total} changed files, git lists {len(files)}, so the change was not seen as a whole."
    assert finding == Finding("scope.complete", Status.ERRORED, reason, fix=WAIT)


@pytest.mark.parametrize("total", [1, 99, UNREAD])
def test_githubs_count_of_one_layer_is_not_compared_with_the_whole_stack(total: int | Unread) -> None:
    layer = build.snapshot(diff=diff("a", "b"), changed_files_total=total, base_ref="refs/heads/agent/lower")
    assert only(check(layer), "scope.complete") == Finding(
        "scope.complete", Status.PASSED, "Git lists 2 changed files up to the base of the stack."
    )


STACK = Stack(3, "refs/heads/main", "b" * 40, 3, 3)
LAYERS: list[tuple[tuple[Layer, ...] | Unread, Status, str]] = [
    ((Layer(7, "1" * 40), Layer(8, "2" * 40)), Status.PASSED,
     "It stands on the layers below it as they are now: #7, #8."),
    ((Layer(7, "1" * 40, held=False), Layer(8, "2" * 40)), Status.PENDING,
     "Layer #7 below it moved on; this one does not hold its commits."),
    (UNREAD, Status.ERRORED, f"The layers of the stack could not be read: {UNREAD.because}."),
]  # fmt: skip


@pytest.mark.parametrize(("below", "status", "reason"), LAYERS)
def test_a_layer_stands_on_those_below_it_as_they_are_now(
    below: tuple[Layer, ...] | Unread, status: Status, reason: str
) -> None:
    snapshot = build.snapshot(stack=replace(STACK, below=below), base_ref="refs/heads/agent/lower")
    finding = only(check(snapshot), "scope.stack")
    assert (finding.status, finding.reason) == (status, reason)


@pytest.mark.parametrize("stack", [None, replace(STACK, position=1)])
def test_what_stands_on_no_layer_is_not_asked(stack: Stack | None) -> None:
    assert "scope.stack" not in {finding.check for finding in check(build.snapshot(stack=stack))}
