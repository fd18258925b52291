"""What hangs on a pull request: commits, files, reviews, requests, threads, closing issues, timeline."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from tests.github import node_ids
from tests.github.git import FileChange
from tests.github.graphql.connections import connect
from tests.github.graphql.reviews import latest_by_author, latest_opinions
from tests.github.graphql.view import InRepository
from tests.github.graphql.written import IssueLikeView
from tests.github.operations import mergeable
from tests.github.state import BaseChange, Issue, PullRequest, QueueRemoval

COMMIT_LIMIT = 250  # GitHub lists no more commits of a pull request
FILE_LIMIT = 3000
CLOSING = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? #(\d{1,9})\b", re.IGNORECASE)
CHANGE_TYPES = {"removed": "DELETED"}


class PullListsView(IssueLikeView):
    """The lists of a pull request."""

    record: PullRequest

    @property
    def text(self) -> Issue:
        return self.record.issue

    async def changes(self) -> list[FileChange]:
        raise NotImplementedError

    async def commits(self, **page: Any) -> dict[str, Any]:
        """Oldest first."""
        shas = await self.commit_ids()
        return connect("commits", self.views("PullRequestCommit", [(self.record, sha) for sha in shas]), page)

    async def commit_ids(self) -> list[str]:
        start = await mergeable.fork_point(self.graph.github, self.home, self.record)
        found = await self.git.commits(f"{start}..{self.record.head_sha}", limit=100_000)
        return list(reversed(found))[:COMMIT_LIMIT]

    async def files(self, **page: Any) -> dict[str, Any]:
        return connect("files", self.views("PullRequestChangedFile", (await self.changes())[:FILE_LIMIT]), page)

    def _reviews(self, reviews: Any) -> list[Any]:
        mine = self.graph.actor.login
        shown = [r for r in reviews if r.state != "PENDING" or r.user == mine]
        return [self.graph.view("PullRequestReview", self.home, review, self.record) for review in shown]

    def reviews(self, states: list[str] | None = None, author: str | None = None, **page: Any) -> dict[str, Any]:
        found = [r for r in self.record.reviews if (states is None or r.state in states) and author in (None, r.user)]
        return connect("reviews", self._reviews(found), page)

    def latest_reviews(self, **page: Any) -> dict[str, Any]:
        return connect("latestReviews", self._reviews(latest_by_author(self.record.reviews)), page)

    def latest_opinionated_reviews(self, writers_only: bool = False, **page: Any) -> dict[str, Any]:
        found = latest_opinions(self.graph.world, self.home, self.record, writers_only=writers_only)
        return connect("latestOpinionatedReviews", self._reviews(found), page)

    def review_requests(self, **page: Any) -> dict[str, Any]:
        users = [self.graph.account(login) for login in self.record.requested_reviewers]
        teams = [self.graph.world.teams[self.home.owner, slug] for slug in self.record.requested_teams]
        asked = [*users, *(self.graph.view("Team", team) for team in teams)]
        return connect("reviewRequests", self.views("ReviewRequest", [(self.record, view) for view in asked]), page)

    def review_threads(self, **page: Any) -> dict[str, Any]:
        first = [c for c in self.record.review_comments if c.in_reply_to is None]
        return connect("reviewThreads", self.views("PullRequestReviewThread", [(c, self.record) for c in first]), page)

    def closing_issues_references(
        self, order_by: Any = None, user_linked_only: bool = False, **page: Any
    ) -> dict[str, Any]:
        """Issues that the description says it closes."""
        numbers = dict.fromkeys(int(number) for number in CLOSING.findall(self.body()))
        issues = [self.home.issues[n] for n in numbers if n in self.home.issues and n not in self.home.pulls]
        shown = [] if user_linked_only else self.views("Issue", issues)
        return connect("closingIssuesReferences", shown, page)

    def participants(self, **page: Any) -> dict[str, Any]:
        """People only: the field's type is User."""
        logins = [self.text.user, *(r.user for r in self.record.reviews), *(c.user for c in self.text.comments)]
        views = [self.graph.account(login) for login in dict.fromkeys(logins)]
        return connect("participants", [v for v in views if v is not None and v.typename == "User"], page)

    def total_comments_count(self) -> int:
        return len(self.text.comments) + len(self.record.review_comments) + len(self.record.reviews)

    async def timeline_items(
        self, since: str | None = None, skip: int | None = None, item_types: list[str] | None = None, **page: Any
    ) -> dict[str, Any]:
        """Commits, comments, reviews, the closing and the merge, by time."""
        pull = self.record
        items: list[tuple[datetime, Any]] = [
            ((await self.git.commit(sha)).committed_at, self.view("PullRequestCommit", (pull, sha)))
            for sha in await self.commit_ids()
        ]
        items += [(c.created_at, self.graph.view("IssueComment", self.home, c, self.text)) for c in self.text.comments]
        items += [(r.record.submitted_at, r) for r in self._reviews(pull.reviews)]
        items += [(change.at, self.view("BaseRefChangedEvent", change)) for change in pull.base_changes]
        items += [(gone.at, self.view("RemovedFromMergeQueueEvent", (pull, gone))) for gone in pull.queue_removals]
        if pull.merged_at is not None:
            items.append((pull.merged_at, self.view("MergedEvent", pull)))
        if self.text.closed_at is not None:
            items.append((self.text.closed_at, self.view("ClosedEvent", pull)))
        views = [view for _, view in sorted(items, key=lambda item: item[0])]
        wanted = [v for v in views if item_types is None or _item_type(v.typename) in item_types]
        return connect("timelineItems", wanted[skip or 0 :], page)


def _item_type(typename: str) -> str:
    """`PullRequestCommit` → `PULL_REQUEST_COMMIT`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", typename).upper()


class PullRequestCommitView(InRepository):
    """`record` is (pull request, commit id)."""

    typename = "PullRequestCommit"
    record: tuple[PullRequest, str]

    def id(self) -> str:
        return node_ids.encode("PullRequestCommit", self.record[0].id, self.record[1])

    def address(self) -> str:
        return f"/{self.home.full_name}/pull/{self.record[0].number}/commits/{self.record[1]}"

    def commit(self) -> Any:
        return self.view("Commit", self.record[1])

    def pull_request(self) -> Any:
        return self.view("PullRequest", self.record[0])


class ChangedFileView(InRepository):
    typename = "PullRequestChangedFile"
    record: FileChange
    record_type = FileChange
    viewer_viewed_state = "UNVIEWED"

    def change_type(self) -> str:
        return CHANGE_TYPES.get(self.record.status, self.record.status.upper())


class AutoMergeView(InRepository):
    """`record` is the pull request."""

    typename = "AutoMergeRequest"
    record: PullRequest
    author_email = None

    @property
    def _given(self) -> dict[str, Any]:
        return self.record.auto_merge or {}

    def commit_body(self) -> str | None:
        return self._given.get("body")

    def commit_headline(self) -> str | None:
        return self._given.get("title")

    def enabled_at(self) -> Any:
        return self._given["enabled_at"]

    def enabled_by(self) -> Any:
        return self.graph.account(self._given["by"])

    def merge_method(self) -> str:
        return str(self._given["method"]).upper()

    def pull_request(self) -> Any:
        return self.view("PullRequest", self.record)


class ClosedEventView(InRepository):
    """`record` is the pull request."""

    typename = "ClosedEvent"
    record: PullRequest

    def id(self) -> str:
        return node_ids.encode("ClosedEvent", self.record.issue.id)

    def address(self) -> str:
        return f"/{self.home.full_name}/pull/{self.record.number}#event-{self.record.issue.id}"

    def actor(self) -> Any:
        return self.graph.account(self.record.issue.closed_by)

    def closable(self) -> Any:
        return self.view("PullRequest", self.record)

    def created_at(self) -> datetime | None:
        return self.record.issue.closed_at


class BaseRefChangedEventView(InRepository):
    typename = "BaseRefChangedEvent"
    record: BaseChange

    def id(self) -> str:
        return node_ids.encode("BaseRefChangedEvent", self.record.id)

    def actor(self) -> Any:
        return self.graph.account(self.record.actor)

    def created_at(self) -> datetime:
        return self.record.at

    def previous_ref_name(self) -> str:
        return self.record.before

    def current_ref_name(self) -> str:
        return self.record.after


class RemovedFromMergeQueueEventView(InRepository):
    typename = "RemovedFromMergeQueueEvent"
    record: tuple[PullRequest, QueueRemoval]

    def id(self) -> str:
        return node_ids.encode("RemovedFromMergeQueueEvent", self.record[1].id)

    def actor(self) -> Any:
        return self.graph.account(self.record[1].actor)

    def enqueuer(self) -> Any:
        return self.graph.account(self.record[1].enqueuer)

    def created_at(self) -> datetime:
        return self.record[1].at

    def reason(self) -> str:
        return self.record[1].reason.lower()

    def before_commit(self) -> Any:
        sha = self.record[1].group_sha
        return self.view("Commit", sha) if sha else None


class MergedEventView(ClosedEventView):
    typename = "MergedEvent"

    def id(self) -> str:
        return node_ids.encode("MergedEvent", self.record.id)

    def actor(self) -> Any:
        return self.graph.account(self.record.merged_by)

    def created_at(self) -> datetime | None:
        return self.record.merged_at

    def commit(self) -> Any:
        return self.view("Commit", self.record.merge_commit_sha)

    def merge_ref_name(self) -> str:
        return self.record.base_ref

    def pull_request(self) -> Any:
        return self.view("PullRequest", self.record)
