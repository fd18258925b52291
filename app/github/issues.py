"""Issues, read and opened. https://docs.github.com/rest/issues/issues"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from app.github import documents
from app.github.addresses import route
from app.github.client import GitHubClient, Params
from app.github.models import Model
from app.github.reads import REPO
from app.github.rest_models import Account, IssueComment, Label, Listing

ISSUE = REPO + "/issues/{number}"


class Issue(Model):
    """An issue; a pull request is read as one too and has `pull_request`. `state` is `open` or `closed`."""

    node_id: str = ""
    number: int
    title: str
    body: str | None = None
    state: str
    html_url: str = ""
    user: Account | None = None
    labels: tuple[Label, ...] = ()
    pull_request: dict[str, Any] | None = None

    @property
    def label_names(self) -> tuple[str, ...]:
        return tuple(label.name for label in self.labels)


async def issue(client: GitHubClient, owner: str, name: str, number: int) -> Issue:
    """Raises NotFound when it is gone, transferred, or out of sight."""
    return await client.get(route(ISSUE, owner=owner, name=name, number=number), purpose="read:issues", model=Issue)


async def newest_issues(client: GitHubClient, owner: str, name: str) -> Listing[Issue]:
    """Up to 100 open issues that changed last; pull requests are left out."""
    path = route(REPO + "/issues", owner=owner, name=name)
    params: Params = {"state": "open", "sort": "updated", "direction": "desc"}
    pages, complete = await client.pages(path, purpose="read:issues", model=list[Issue], params=params, most=1)
    return Listing(items=tuple(one for page in pages for one in page if one.pull_request is None), complete=complete)


async def comments_since(
    client: GitHubClient, owner: str, name: str, number: int, since: datetime
) -> Listing[IssueComment]:
    """Comments that were written or changed since then, the oldest first."""
    path = route(ISSUE + "/comments", owner=owner, name=name, number=number)
    params: Params = {"since": since.isoformat(timespec="seconds").replace("+00:00", "Z")}
    pages, complete = await client.pages(path, purpose="read:comments", model=list[IssueComment], params=params)
    return Listing(items=tuple(one for page in pages for one in page), complete=complete)


async def write_body(client: GitHubClient, owner: str, name: str, number: int, body: str) -> Issue:
    """The issue as it is with its new body. Tells nobody."""
    path = route(ISSUE, owner=owner, name=name, number=number)
    return await client.patch(path, purpose="comments", model=Issue, json={"body": body})


async def open_issue(client: GitHubClient, owner: str, name: str, title: str, body: str) -> Issue:
    path = route(REPO + "/issues", owner=owner, name=name)
    return await client.post(path, purpose="comments", model=Issue, json={"title": title, "body": body})


async def pin(client: GitHubClient, name: str, node_id: str) -> None:
    """Show an issue above the others, as at most three of a repository are. Raises Refused where it may not be."""
    await client.graphql(documents.PIN, {"issue": node_id}, purpose="comments", repository=name, model=dict[str, Any])
