"""Every event and action maps to keys or to nothing to do. Payloads: Octokit's examples (MIT), see their INDEX.tsv."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from app.intake.events import (
    DELAY,
    RULES,
    UnreadableDelivery,
    interpret,
    is_known,
)
from app.intake.facts import ApprovalFact, CommentGone
from app.keys import BranchKey, CommitKey, GroupKey, InstallationKey, PullKey, RepositoryKey, TicketKey
from tests.shared import SHARED, needs_shared

PAYLOADS = SHARED / "github" / "payloads"
INSTALLATION = {"id": 7}
REPOSITORY = {"id": 9, "name": "shop", "full_name": "acme/shop", "default_branch": "main"}
SENDER = {"id": 5, "login": "ada", "type": "User"}
SHA = "a" * 40
COMMENT = {"id": 1, "created_at": "2026-11-29T10:00:00Z"}


def body(**fields: Any) -> bytes:
    whole = {"installation": INSTALLATION, "repository": REPOSITORY, "sender": SENDER, **fields}
    return json.dumps({name: value for name, value in whole.items() if value is not None}).encode()


def listed() -> Iterator[tuple[str, str, str]]:
    if not PAYLOADS.is_dir():
        return
    with (PAYLOADS / "INDEX.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            yield row["file"], row["event"], row["action"]


@needs_shared
def test_the_index_is_walked() -> None:
    assert len(list(listed())) == 211


@needs_shared
@pytest.mark.parametrize(("file", "event", "action"), list(listed()), ids=lambda value: value)
def test_every_real_payload_is_known_and_readable(file: str, event: str, action: str) -> None:
    raw = (PAYLOADS / file).read_bytes()
    payload = json.loads(raw)
    payload.setdefault("installation", INSTALLATION)
    about = interpret(event, json.dumps(payload).encode())
    assert about.action == (payload.get("action"))
    assert event == "repository_dispatch" or is_known(event, payload.get("action"))
    if event == "pull_request" and about.keys:
        assert about.keys == (PullKey(about.installation_id or 0, payload["repository"]["id"], payload["number"]),)


PULL = {"number": 4, "head": {"ref": "agent/x", "sha": SHA}, "base": {"ref": "main", "sha": SHA}, "body": "text"}
CASES = [
    ("pull_request", {"action": "opened", "number": 4, "pull_request": PULL}, (PullKey(7, 9, 4),)),
    ("pull_request", {"action": "assigned", "number": 4, "pull_request": PULL}, ()),
    ("pull_request", {"action": "unheard-of", "number": 4, "pull_request": PULL}, ()),
    ("issue_comment", {"action": "created", "issue": {"number": 3}, "comment": COMMENT}, (TicketKey(7, 9, 3),)),
    (
        "issue_comment",
        {"action": "edited", "issue": {"number": 3, "pull_request": {}}, "comment": COMMENT},
        (PullKey(7, 9, 3),),
    ),
    ("issue_comment", {"action": "pinned", "issue": {"number": 3}}, ()),
    ("issues", {"action": "opened", "issue": {"number": 3}}, (TicketKey(7, 9, 3),)),
    ("check_run", {"action": "completed", "check_run": {"head_sha": SHA, "app": {"id": 1}}}, (CommitKey(7, 9, SHA),)),
    ("check_run", {"action": "completed", "check_run": {"head_sha": SHA, "app": {"id": 99}}}, ()),
    (
        "check_run",
        {"action": "rerequested", "check_run": {"head_sha": SHA, "app": {"id": 99}}},
        (CommitKey(7, 9, SHA),),
    ),
    (
        "check_suite",
        {"action": "rerequested", "check_suite": {"head_sha": SHA, "app": {"id": 99}}},
        (CommitKey(7, 9, SHA),),
    ),
    (
        "check_suite",
        {"action": "completed", "check_suite": {"head_sha": SHA, "app": {"id": 1}}},
        (CommitKey(7, 9, SHA),),
    ),
    ("check_suite", {"action": "completed", "check_suite": {"head_sha": SHA, "app": {"id": 99}}}, ()),
    ("check_suite", {"action": "requested", "check_suite": {"head_sha": SHA}}, ()),
    ("workflow_run", {"action": "completed", "workflow_run": {"head_sha": SHA}}, (CommitKey(7, 9, SHA),)),
    ("status", {"sha": SHA}, (CommitKey(7, 9, SHA),)),
    ("push", {"ref": "refs/heads/main", "before": SHA, "after": SHA}, (BranchKey(7, 9, "refs/heads/main"),)),
    ("push", {"ref": "refs/tags/v1", "before": SHA, "after": SHA}, ()),
    (
        "push",
        {"ref": f"refs/heads/gh-readonly-queue/release/1/pr-4-{SHA}", "before": "0" * 40, "after": SHA},
        (GroupKey(7, 9, SHA, "refs/heads/release/1"),),
    ),
    ("push", {"ref": f"refs/heads/gh-readonly-queue/main/pr-4-{SHA}", "before": SHA, "after": "0" * 40}, ()),
    (
        "merge_group",
        {"action": "checks_requested", "merge_group": {"head_sha": SHA, "base_ref": "refs/heads/main"}},
        (GroupKey(7, 9, SHA, "refs/heads/main"),),
    ),
    ("member", {"action": "removed"}, (RepositoryKey(7, 9),)),
    ("team", {"action": "edited"}, (InstallationKey(7),)),
    ("repository_ruleset", {"action": "edited"}, (RepositoryKey(7, 9),)),
    ("repository_ruleset", {"action": "edited", "repository": None}, (InstallationKey(7),)),
    (
        "installation_repositories",
        {"action": "added", "repository": None, "repositories_added": [{"id": 1}, {"id": 2}]},
        (RepositoryKey(7, 1), RepositoryKey(7, 2)),
    ),
    ("installation", {"action": "created", "repository": None}, (InstallationKey(7),)),
    ("brand_new_event", {"action": "created"}, ()),
    ("pull_request", {"action": "opened", "number": 4, "pull_request": PULL, "installation": None}, ()),
]


@pytest.mark.parametrize(("event", "fields", "keys"), CASES)
def test_keys(event: str, fields: dict[str, Any], keys: tuple[object, ...]) -> None:
    assert interpret(event, body(**fields), frozenset({99})).keys == keys


def test_every_rule_answers_its_own_kind_of_payload() -> None:
    """The table is walked completely: each entry either has nothing to do or builds keys from a full payload."""
    full = body(
        number=4,
        pull_request=PULL,
        issue={"number": 3},
        comment=COMMENT,
        check_run={"head_sha": SHA},
        check_suite={"head_sha": SHA},
        workflow_run={"head_sha": SHA},
        workflow_job={"head_sha": SHA},
        sha=SHA,
        merge_group={"head_sha": SHA, "base_ref": "refs/heads/main"},
        ref="refs/heads/main",
        before=SHA,
        after=SHA,
        repositories_added=[{"id": 1}],
        review={"id": 1, "state": "approved", "user": SENDER, "commit_id": SHA, "submitted_at": "2026-11-29T10:00:00Z"},
    )
    for event, actions in RULES.items():
        for action in actions:
            payload = {**json.loads(full), "action": action}
            about = interpret(event, json.dumps(payload).encode())
            assert about.keys or actions[action].__name__ == "nothing", (event, action)


def test_ci_events_wait_a_moment_for_each_other() -> None:
    run = {"action": "completed", "workflow_run": {"head_sha": SHA}}
    assert interpret("workflow_run", body(**run)).delay == DELAY
    assert not interpret("push", body(ref="refs/heads/main", before=SHA, after=SHA)).delay


@pytest.mark.parametrize(("action", "waits"), [("labeled", True), ("edited", True), ("synchronize", False)])
def test_labels_wait_a_moment_for_each_other_and_a_new_head_does_not(action: str, waits: bool) -> None:
    about = interpret("pull_request", body(action=action, number=4, pull_request=PULL))
    assert about.keys and about.delay == (DELAY if waits else timedelta(0))


def test_a_push_says_who_pushed() -> None:
    push = interpret("push", body(ref="refs/heads/agent/x", before="0" * 40, after=SHA)).push
    assert push is not None
    assert (push.ref, push.after, push.sender.login) == ("refs/heads/agent/x", SHA, "ada")


def test_a_fork_push_is_known_from_synchronize() -> None:
    raw = body(action="synchronize", number=4, before="b" * 40, after=SHA, pull_request=PULL)
    push = interpret("pull_request", raw).push
    assert push is not None
    assert (push.ref, push.before, push.after) == ("refs/heads/agent/x", "b" * 40, SHA)


def review(**fields: Any) -> bytes:
    given = {"id": 1, "state": "approved", "user": SENDER, "commit_id": SHA, "submitted_at": "2026-11-29T10:00:00Z"}
    return body(action="submitted", pull_request={**PULL, **fields}, review=given)


def test_a_review_is_bound_to_commit_base_and_bundle_as_delivered() -> None:
    fact = interpret("pull_request_review", review(body="```mergegate\nreason: x\n```")).review
    assert fact is not None
    assert (fact.state, fact.commit_id, fact.base_ref) == ("APPROVED", SHA, "refs/heads/main")
    assert fact.bundle_digest.startswith("sha256:")
    other = interpret("pull_request_review", review(body="```mergegate\nreason: y\n```")).review
    assert other is not None
    assert other.bundle_digest != fact.bundle_digest


def test_a_review_says_whether_it_was_of_the_head() -> None:
    delivered = json.loads(review())
    assert _at_head(delivered) is True
    delivered["review"]["commit_id"] = "b" * 40
    assert _at_head(delivered) is False
    assert _at_head({**delivered, "action": "edited"}) is None  # the head may be another one by now


def _at_head(delivered: dict[str, Any]) -> bool | None:
    fact = interpret("pull_request_review", json.dumps(delivered).encode()).review
    assert fact is not None
    return fact.at_head


def test_a_dismissal_says_by_whom() -> None:
    delivered = json.loads(review(body=None))
    given = interpret("pull_request_review", json.dumps({**delivered, "sender": SENDER}).encode()).review
    assert given is not None and given.dismissed_by is None
    dismissed = {**delivered, "action": "dismissed", "sender": SENDER}
    fact = interpret("pull_request_review", json.dumps(dismissed).encode()).review
    assert fact is not None and fact.dismissed_by == SENDER["login"]
    unknown = interpret("pull_request_review", json.dumps({**dismissed, "sender": None}).encode()).review
    assert unknown is not None and unknown.dismissed_by is None


def test_a_review_of_a_body_without_bundle_says_so() -> None:
    fact = interpret("pull_request_review", review(body=None)).review
    assert fact is not None
    assert fact.bundle_digest == ""


def comment(action: str = "created", **fields: Any) -> bytes:
    given = {"id": 8, "user": SENDER, "body": "/approve khjt\r\nthanks", "created_at": "2026-11-29T10:00:00Z", **fields}
    return body(action=action, issue={"number": 4, "pull_request": {"url": "x"}}, comment=given)


def test_a_new_comment_that_approves_is_kept_with_what_it_names() -> None:
    fact = interpret("issue_comment", comment()).comment
    assert isinstance(fact, ApprovalFact)
    assert (fact.pull_number, fact.comment_id, fact.author.login, fact.word) == (4, 8, "ada", "KHJT")


@pytest.mark.parametrize(
    "fields",
    [
        {"body": "Nice."},
        {"body": None},
        {"user": None},
        {"user": {**SENDER, "type": "Bot"}},
        {"performed_via_github_app": {"id": 78}},
    ],
)
def test_other_comments_approve_nothing(fields: dict[str, Any]) -> None:
    assert interpret("issue_comment", comment(**fields)).comment is None


def test_a_comment_on_an_issue_approves_nothing() -> None:
    said = {"id": 8, "user": SENDER, "body": "/approve KHJT", "created_at": "2026-11-29T10:00:00Z"}
    assert interpret("issue_comment", body(action="created", issue={"number": 4}, comment=said)).comment is None


def test_a_pinned_comment_still_says_what_it_said() -> None:
    assert interpret("issue_comment", comment("pinned")).comment is None


@pytest.mark.parametrize("action", ["edited", "deleted"])
def test_a_changed_comment_can_only_withdraw(action: str) -> None:
    assert interpret("issue_comment", comment(action)).comment == CommentGone(8)


@pytest.mark.parametrize("event", ["pull_request", "push", "merge_group", "check_run", "pull_request_review"])
def test_a_known_event_without_its_object_is_unreadable_and_named(event: str) -> None:
    action = next(iter(RULES[event]))
    with pytest.raises(UnreadableDelivery, match=f"^{event}: "):
        interpret(event, body(action=action))


def test_a_repository_event_without_repository_is_unreadable() -> None:
    raw = body(action="opened", number=4, pull_request=PULL, repository=None)
    with pytest.raises(UnreadableDelivery, match="repository"):
        interpret("pull_request", raw)
