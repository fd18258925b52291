"""Everything that we change on GitHub, typed. Nothing is sent twice by itself.

A GitHubDown from here may carry `may_have_happened`: read the state before asking again. Source of the paths:
https://docs.github.com/rest
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from app.github import documents
from app.github.addresses import route
from app.github.client import GitHubClient
from app.github.errors import Conflict, NotFound, Refused
from app.github.models import Model
from app.github.pull_models import QueueEntry
from app.github.reads import REPO
from app.github.rest_models import AsyncMerge, AsyncMergeAnswer, CheckRun, IssueComment, Label, Merged, Reaction
from app.github.run_models import Dispatch
from policies.squash import CommitMessage

MOST_ANNOTATIONS = 50
_ASYNC_ANSWERS = frozenset({200, 202, 400, 409})


@dataclass(frozen=True)
class Annotation:
    """A remark on lines of a file. `level` is notice, warning or failure."""

    path: str
    start_line: int
    end_line: int
    level: Literal["notice", "warning", "failure"]
    message: str
    title: str = ""

    def body(self) -> dict[str, Any]:
        lines = {"path": self.path, "start_line": self.start_line, "end_line": self.end_line}
        return {**lines, "annotation_level": self.level, "message": self.message, "title": self.title or None}


@dataclass(frozen=True)
class CheckRunFields:
    """What a check run shall show.

    `conclusion` and `completed_at` only with status `completed`. GitHub takes 65,535 bytes each of `summary` and `text`
    and 50 annotations; the caller has cut them. An update adds its annotations to those that are there.
    """

    name: str
    status: Literal["queued", "in_progress", "completed"]
    title: str
    summary: str
    text: str | None = None
    conclusion: str | None = None
    external_id: str | None = None
    details_url: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    annotations: Sequence[Annotation] = ()

    def body(self) -> dict[str, Any]:
        output = {
            "title": self.title,
            "summary": self.summary,
            "text": self.text,
            "annotations": [one.body() for one in self.annotations] or None,
        }
        fields = {
            "name": self.name,
            "status": self.status,
            "conclusion": self.conclusion,
            "external_id": self.external_id,
            "details_url": self.details_url,
            "started_at": _time(self.started_at),
            "completed_at": _time(self.completed_at),
            "output": _given(output),
        }
        return _given(fields)


async def create_check_run(client: GitHubClient, owner: str, name: str, sha: str, fields: CheckRunFields) -> CheckRun:
    path = route(REPO + "/check-runs", owner=owner, name=name)
    return await client.post(path, purpose="checks", model=CheckRun, json={"head_sha": sha, **fields.body()})


async def update_check_run(
    client: GitHubClient, owner: str, name: str, check_run_id: int, fields: CheckRunFields
) -> CheckRun:
    """Change a check run of ours. GitHub may leave a completed one completed: read the answer's `status`."""
    path = route(REPO + "/check-runs/{id}", owner=owner, name=name, id=check_run_id)
    return await client.patch(path, purpose="checks", model=CheckRun, json=fields.body())


async def merge_async(
    client: GitHubClient,
    owner: str,
    name: str,
    number: int,
    *,
    sha: str,
    action: Literal["direct_merge", "merge_queue"],
    method: Literal["merge", "squash", "rebase"] | None = None,
    commit: CommitMessage | None = None,
) -> AsyncMergeAnswer:
    """Ask for a merge of that head, in the background; never around the rules.

    `method` and `commit` are for direct merges only: GitHub takes a queue's from the repository's settings. An answer
    `pending` proves nothing: poll it, and read the queue or the pull request back. `failed` says why.
    """
    path = route(REPO + "/pulls/{number}/merge-async", owner=owner, name=name, number=number)
    body = _given({"sha": sha, "merge_action": action, "merge_method": method, **_message(commit)})
    status, merge = await client.write_answered(
        "PUT", path, purpose="queue", model=AsyncMerge, json=body, statuses=_ASYNC_ANSWERS
    )
    if merge.status == str(status):
        # A plain error body repeats the HTTP status under the same key; the request's state is a word.
        raise Conflict(f"PUT {path}", f"GitHub answered {status} without the state of a merge request")
    return AsyncMergeAnswer(merge=merge, foreign=status == 409)


async def merge(
    client: GitHubClient,
    owner: str,
    name: str,
    number: int,
    *,
    sha: str,
    method: Literal["merge", "squash", "rebase"] = "merge",
    commit: CommitMessage | None = None,
) -> Merged:
    """Merge that head now. Raises Conflict when the head moved, NotMergeable with GitHub's list of violated rules.

    `commit` None: GitHub makes the message from the repository's settings.
    """
    path = route(REPO + "/pulls/{number}/merge", owner=owner, name=name, number=number)
    body = {"sha": sha, "merge_method": method, **_message(commit)}
    return await client.put(path, purpose="queue", model=Merged, json=body)


def _message(commit: CommitMessage | None) -> dict[str, str]:
    return {} if commit is None else {"commit_title": commit.title, "commit_message": commit.body}


class _Enqueued(Model):
    merge_queue_entry: QueueEntry | None


class _EnqueueAnswer(Model):
    enqueue_pull_request: _Enqueued | None


async def enqueue(client: GitHubClient, name: str, pull_id: str, *, head: str) -> QueueEntry:
    """Put a pull request (by node id) into its branch's merge queue, if its head still is `head`.

    Raises Refused when GitHub's rules, its state or a moved head forbid it.
    """
    variables = {"pull": pull_id, "head": head}
    answer = await client.graphql(documents.ENQUEUE, variables, purpose="queue", repository=name, model=_EnqueueAnswer)
    entry = answer.enqueue_pull_request.merge_queue_entry if answer.enqueue_pull_request else None
    if entry is None:
        raise NotFound("GraphQL Enqueue", "GitHub took the request and showed no entry; read the queue")
    return entry


async def dequeue(client: GitHubClient, name: str, pull_id: str) -> None:
    """Take a pull request (by node id) out of its merge queue."""
    await client.graphql(documents.DEQUEUE, {"pull": pull_id}, purpose="queue", repository=name, model=dict[str, Any])


async def delete_branch(client: GitHubClient, owner: str, name: str, ref: str) -> None:
    """Delete a branch (`refs/heads/…`); one that is gone already is no error (422 or 404)."""
    path = route(REPO + "/git/refs/{ref}", owner=owner, name=name, ref=ref.removeprefix("refs/"))
    try:
        await client.delete(path, purpose="branches")
    except NotFound:
        return
    except Refused as refused:
        if refused.status != 422:
            raise


async def request_reviewers(
    client: GitHubClient, owner: str, name: str, number: int, *, people: Sequence[str] = (), teams: Sequence[str] = ()
) -> None:
    """Ask people (logins) and teams (slugs) for a review; each is notified. 422 for somebody without access."""
    path = route(REPO + "/pulls/{number}/requested_reviewers", owner=owner, name=name, number=number)
    body = {"reviewers": list(people), "team_reviewers": list(teams)}
    await client.post(path, purpose="reviews", model=object, json=body)


async def remove_requested_reviewers(
    client: GitHubClient, owner: str, name: str, number: int, *, people: Sequence[str] = (), teams: Sequence[str] = ()
) -> None:
    """Take requests for reviews back; nobody is notified. Who was not asked is passed over."""
    path = route(REPO + "/pulls/{number}/requested_reviewers", owner=owner, name=name, number=number)
    await client.delete(path, purpose="reviews", json={"reviewers": list(people), "team_reviewers": list(teams)})


async def create_status(client: GitHubClient, owner: str, name: str, sha: str, context: str, description: str) -> None:
    """A commit status that says success; `description` has at most 140 characters. It can never be taken back.

    https://docs.github.com/rest/commits/statuses#create-a-commit-status
    """
    path = route(REPO + "/statuses/{sha}", owner=owner, name=name, sha=sha)
    body = {"state": "success", "context": context, "description": description}
    await client.post(path, purpose="statuses", model=object, json=body)


async def create_comment(client: GitHubClient, owner: str, name: str, number: int, body: str) -> IssueComment:
    path = route(REPO + "/issues/{number}/comments", owner=owner, name=name, number=number)
    return await client.post(path, purpose="comments", model=IssueComment, json={"body": body})


async def update_comment(client: GitHubClient, owner: str, name: str, comment_id: int, body: str) -> IssueComment:
    path = route(REPO + "/issues/comments/{id}", owner=owner, name=name, id=comment_id)
    return await client.patch(path, purpose="comments", model=IssueComment, json={"body": body})


async def react(client: GitHubClient, owner: str, name: str, comment_id: int, content: str) -> Reaction:
    """Acknowledge a comment: `eyes`, `+1`, `-1`, `confused`, `rocket`. Repeating it changes nothing."""
    path = route(REPO + "/issues/comments/{id}/reactions", owner=owner, name=name, id=comment_id)
    return await client.post(path, purpose="comments", model=Reaction, json={"content": content})


async def add_labels(client: GitHubClient, owner: str, name: str, number: int, labels: Sequence[str]) -> list[Label]:
    path = route(REPO + "/issues/{number}/labels", owner=owner, name=name, number=number)
    return await client.post(path, purpose="comments", model=list[Label], json={"labels": list(labels)})


async def remove_label(client: GitHubClient, owner: str, name: str, number: int, label: str) -> None:
    """Raises NotFound when the label is not there."""
    path = route(REPO + "/issues/{number}/labels/{label}", owner=owner, name=name, number=number, label=label)
    await client.delete(path, purpose="comments")


async def dispatch(
    client: GitHubClient, owner: str, name: str, workflow: str, *, ref: str, inputs: Mapping[str, str]
) -> Dispatch:
    """Start a workflow (file name or id) on a branch or tag; the answer names the run."""
    path = route(REPO + "/actions/workflows/{workflow}/dispatches", owner=owner, name=name, workflow=workflow)
    return await client.post(path, purpose="runs", model=Dispatch, json={"ref": ref, "inputs": dict(inputs)})


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None
