"""What a delivery is about: event and payload to keys, facts, or nothing to do. Pure.

The table `RULES` names every event and action the gate knows. An unknown event or action gives no keys: it is stored
and ignored; the resync finds whatever it may have meant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from pydantic import ValidationError

from app.intake import facts, payloads
from app.keys import BranchKey, CommitKey, GroupKey, InstallationKey, Key, PullKey, RepositoryKey, TicketKey
from checks.branches import BRANCHES

ABSENT_SHA = "0" * 40
QUEUE_REF_PREFIX = "refs/heads/gh-readonly-queue/"

# Several CI events follow each other within a moment; one look a little later serves them all. So it is with labels,
# of which each has an event of its own, and with what is set beside them.
DELAY = timedelta(milliseconds=250)


class UnreadableDelivery(ValueError):
    """The payload lacks a field that its event always has; the message names the field."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What is stored beside a delivery's body."""

    action: str | None
    installation_id: int | None
    repository: payloads.RepositoryPayload | None
    keys: tuple[Key, ...] = ()
    delay: timedelta = timedelta(0)
    push: facts.PushFact | None = None
    review: facts.ReviewFact | None = None
    base: facts.BaseFact | None = None
    comment: facts.ApprovalFact | facts.CommentGone | None = None
    command: facts.CommandFact | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a delivery belongs; the rules build keys from it."""

    installation_id: int
    repository_id: int | None
    body: payloads.Body
    own_app_ids: frozenset[int]

    def in_repository(self) -> int:
        if self.repository_id is None:
            raise UnreadableDelivery("repository: missing from a delivery that is about a repository")
        return self.repository_id


Rule = Callable[[Scope], tuple[Key, ...]]


def nothing(_: Scope) -> tuple[Key, ...]:
    return ()


def pull(scope: Scope) -> tuple[Key, ...]:
    event = scope.body.read(payloads.PullRequestEvent)
    return (PullKey(scope.installation_id, scope.in_repository(), event.pull_request.number),)


def issue(scope: Scope) -> tuple[Key, ...]:
    """A comment on a pull request is delivered as an issue's; the issue then has a `pull_request` member."""
    event = scope.body.read(payloads.IssueEvent)
    kind = TicketKey if event.issue.pull_request is None else PullKey
    return (kind(scope.installation_id, scope.in_repository(), event.issue.number),)


def check_run(scope: Scope) -> tuple[Key, ...]:
    return _of_others(scope, scope.body.read(payloads.CheckRunEvent).check_run)


def requested_check_run(scope: Scope) -> tuple[Key, ...]:
    """A person pressed Re-run or an action button on a check run of ours."""
    run = scope.body.read(payloads.CheckRunEvent).check_run
    return (CommitKey(scope.installation_id, scope.in_repository(), run.head_sha),)


def check_suite(scope: Scope) -> tuple[Key, ...]:
    return _of_others(scope, scope.body.read(payloads.CheckSuiteEvent).check_suite)


def requested_check_suite(scope: Scope) -> tuple[Key, ...]:
    """A person pressed Re-run all checks."""
    suite = scope.body.read(payloads.CheckSuiteEvent).check_suite
    return (CommitKey(scope.installation_id, scope.in_repository(), suite.head_sha),)


def _of_others(scope: Scope, checked: payloads.CommitPayload) -> tuple[Key, ...]:
    """Nothing for our own write coming back."""
    if checked.app is not None and checked.app.id in scope.own_app_ids:
        return ()
    return (CommitKey(scope.installation_id, scope.in_repository(), checked.head_sha),)


def workflow_run(scope: Scope) -> tuple[Key, ...]:
    run = scope.body.read(payloads.WorkflowRunEvent).workflow_run
    return (CommitKey(scope.installation_id, scope.in_repository(), run.head_sha),)


def workflow_job(scope: Scope) -> tuple[Key, ...]:
    job = scope.body.read(payloads.WorkflowJobEvent).workflow_job
    return (CommitKey(scope.installation_id, scope.in_repository(), job.head_sha),)


def status(scope: Scope) -> tuple[Key, ...]:
    event = scope.body.read(payloads.StatusEvent)
    return (CommitKey(scope.installation_id, scope.in_repository(), event.sha),)


def merge_group(scope: Scope) -> tuple[Key, ...]:
    group = scope.body.read(payloads.MergeGroupEvent).merge_group
    return (GroupKey(scope.installation_id, scope.in_repository(), group.head_sha, group.base_ref),)


def push(scope: Scope) -> tuple[Key, ...]:
    """A branch moved; the queue's own branches are merge groups, in case their event is lost."""
    event = scope.body.read(payloads.PushEvent)
    if not event.ref.startswith(BRANCHES):
        return ()
    if not event.ref.startswith(QUEUE_REF_PREFIX):
        return (BranchKey(scope.installation_id, scope.in_repository(), event.ref),)
    target, separator, _ = event.ref.removeprefix(QUEUE_REF_PREFIX).rpartition("/pr-")
    if event.after == ABSENT_SHA or not separator:
        return ()
    return (GroupKey(scope.installation_id, scope.in_repository(), event.after, BRANCHES + target),)


def repository(scope: Scope) -> tuple[Key, ...]:
    return (RepositoryKey(scope.installation_id, scope.in_repository()),)


def repository_or_installation(scope: Scope) -> tuple[Key, ...]:
    """Organisation-wide rules are delivered without a repository."""
    if scope.repository_id is None:
        return (InstallationKey(scope.installation_id),)
    return (RepositoryKey(scope.installation_id, scope.repository_id),)


def installation(scope: Scope) -> tuple[Key, ...]:
    return (InstallationKey(scope.installation_id),)


def added_repositories(scope: Scope) -> tuple[Key, ...]:
    event = scope.body.read(payloads.InstallationRepositoriesEvent)
    return tuple(RepositoryKey(scope.installation_id, added.id) for added in event.repositories_added)


def each(rule: Rule, *actions: str) -> dict[str | None, Rule]:
    return {action or None: rule for action in actions}


# event -> action -> rule; the action None is for events that have no action.
RULES: Mapping[str, Mapping[str | None, Rule]] = {
    "branch_protection_configuration": each(repository_or_installation, "enabled", "disabled"),
    "branch_protection_rule": each(repository, "created", "edited", "deleted"),
    "check_run": {
        **each(check_run, "created", "completed"),
        **each(requested_check_run, "rerequested", "requested_action"),
    },
    "check_suite": {
        **each(check_suite, "completed"),
        **each(requested_check_suite, "rerequested"),
        **each(nothing, "requested"),
    },
    "create": each(nothing, ""),  # the push event of a new branch says more
    "delete": each(nothing, ""),
    "deployment": each(nothing, "created"),
    "deployment_review": each(nothing, "requested", "approved", "rejected"),
    "deployment_status": each(nothing, "created"),
    "github_app_authorization": each(nothing, "revoked"),
    "installation": each(installation, "created", "deleted", "new_permissions_accepted", "suspend", "unsuspend"),
    "installation_repositories": {**each(added_repositories, "added"), **each(nothing, "removed")},
    "installation_target": each(installation, "renamed"),
    "issue_comment": {**each(issue, "created", "edited", "deleted"), **each(nothing, "pinned", "unpinned")},
    "issues": {
        **each(issue, "opened", "edited", "closed", "reopened", "deleted", "transferred"),
        **each(issue, "labeled", "unlabeled", "assigned", "unassigned", "typed", "untyped"),
        **each(nothing, "locked", "unlocked", "milestoned", "demilestoned", "pinned", "unpinned"),
        **each(nothing, "field_added", "field_removed"),
    },
    "label": each(nothing, "created", "edited", "deleted", "archived", "unarchived"),
    "member": each(repository, "added", "edited", "removed"),
    "membership": each(installation, "added", "removed"),
    "merge_group": each(merge_group, "checks_requested", "destroyed"),
    "meta": each(nothing, "deleted"),
    "organization": {
        **each(installation, "member_added", "member_removed", "renamed"),
        **each(nothing, "member_invited", "deleted"),
    },
    "ping": each(nothing, ""),
    "pull_request": {
        **each(pull, "opened", "edited", "closed", "reopened", "synchronize", "stacked"),
        **each(pull, "converted_to_draft", "ready_for_review", "labeled", "unlabeled"),
        **each(pull, "enqueued", "dequeued", "auto_merge_enabled", "auto_merge_disabled"),
        **each(pull, "review_requested", "review_request_removed"),
        **each(nothing, "assigned", "unassigned", "locked", "unlocked", "milestoned", "demilestoned"),
    },
    "pull_request_review": each(pull, "submitted", "edited", "dismissed"),
    "pull_request_review_comment": each(nothing, "created", "edited", "deleted"),
    "pull_request_review_thread": each(nothing, "resolved", "unresolved"),
    "push": each(push, ""),
    "repository": {
        **each(repository, "renamed", "transferred", "edited", "privatized", "publicized", "unarchived"),
        **each(nothing, "created", "archived", "deleted"),
    },
    "repository_dispatch": {},  # the action is any word the sender chose
    "repository_ruleset": each(repository_or_installation, "created", "edited", "deleted"),
    "status": each(status, ""),
    "team": {
        **each(installation, "edited", "deleted", "added_to_repository", "removed_from_repository"),
        **each(nothing, "created"),
    },
    "workflow_dispatch": each(nothing, ""),
    "workflow_job": {**each(workflow_job, "completed"), **each(nothing, "queued", "in_progress", "waiting")},
    "workflow_run": each(workflow_run, "requested", "in_progress", "completed"),
}

CI_EVENTS = frozenset({"check_run", "check_suite", "status", "workflow_job", "workflow_run"})
IN_COMPANY = frozenset({"edited", "labeled", "unlabeled", "review_requested", "review_request_removed"})

# What a person said, who may wait for the answer.
SPOKEN = frozenset({"issue_comment", "pull_request_review"})


def is_known(event: str, action: str | None) -> bool:
    return action in RULES.get(event, {})


def interpret(event: str, raw: bytes, own_app_ids: frozenset[int] = frozenset()) -> Interpretation:
    """The keys and facts of one delivery.

    Raises UnreadableDelivery when `raw` is no JSON object, or a known event lacks a field that GitHub documents as
    always present.
    """
    body = payloads.Body(raw)
    try:
        with suppress(ValidationError):  # whatever is wrong with it need not be what is asked for
            body.read(payloads.WIDEST.get(event, payloads.Envelope))
        return _interpret(event, body, own_app_ids)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UnreadableDelivery(f"{event}: {where}: {first['msg']}") from None


def _interpret(event: str, body: payloads.Body, own_app_ids: frozenset[int]) -> Interpretation:
    envelope = body.read(payloads.Envelope)
    installation_id = envelope.installation.id if envelope.installation else None
    rule = RULES.get(event, {}).get(envelope.action)
    if rule is None or installation_id is None:
        return Interpretation(envelope.action, installation_id, envelope.repository)
    repository_id = envelope.repository.id if envelope.repository else None
    keys = rule(Scope(installation_id, repository_id, body, own_app_ids))
    command = facts.command_fact(event, envelope.action, body, own_app_ids)
    if command is not None and repository_id is not None:
        # What is said on a pull request is for its ticket too.
        keys = tuple(dict.fromkeys((*keys, TicketKey(installation_id, repository_id, command.number))))
    return Interpretation(
        envelope.action,
        installation_id,
        envelope.repository,
        keys=keys,
        delay=_delay(event, envelope.action),
        push=facts.push_fact(event, envelope, body),
        review=facts.review_fact(event, envelope.action, body),
        base=facts.base_fact(event, body),
        comment=facts.comment_fact(event, envelope.action, body),
        command=command,
    )


def _delay(event: str, action: str | None) -> timedelta:
    in_company = event in CI_EVENTS or (event == "pull_request" and action in IN_COMPANY)
    return DELAY if in_company else timedelta(0)
