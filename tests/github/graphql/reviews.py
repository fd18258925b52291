"""Reviews, their comments and threads, and requests for review."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tests.github import node_ids
from tests.github.access import at_least, permission_of, team_members
from tests.github.graphql.connections import connect
from tests.github.graphql.view import InRepository
from tests.github.graphql.written import WrittenView
from tests.github.operations.reviews import decisive_reviews
from tests.github.state import PullRequest, Repository, Review, ReviewComment, World


def latest_by_author(reviews: list[Review]) -> list[Review]:
    """Each author's newest review, pending ones left out."""
    newest: dict[str, Review] = {}
    for review in reviews:
        if review.state != "PENDING":
            newest.pop(review.user, None)
            newest[review.user] = review
    return list(newest.values())


def latest_opinions(world: World, home: Repository, pull: PullRequest, *, writers_only: bool = False) -> list[Review]:
    """Each author's newest review that says more than a comment."""
    found = decisive_reviews(pull).values()
    return [r for r in found if not writers_only or at_least(permission_of(world, home, r.user), "write")]


class ReviewView(WrittenView):
    typename = "PullRequestReview"
    record: Review
    record_type = Review

    def __init__(self, graph: Any, home: Any, record: Review, pull: PullRequest) -> None:
        super().__init__(graph, home, record)
        self.subject = pull

    def address(self) -> str:
        return f"/{self.home.full_name}/pull/{self.subject.number}#pullrequestreview-{self.record.id}"

    def pull_request(self) -> Any:
        return self.view("PullRequest", self.subject)

    def submitted_at(self) -> datetime | None:
        return None if self.record.state == "PENDING" else self.record.submitted_at

    def created_at(self) -> datetime:
        return self.record.submitted_at

    def updated_at(self) -> datetime:
        return self.record.submitted_at

    def commit(self) -> Any:
        return self.view("Commit", self.record.commit_id or None)

    def author_can_push_to_repository(self) -> bool:
        return at_least(permission_of(self.graph.world, self.home, self.record.user), "write")

    def comments(self, **page: Any) -> dict[str, Any]:
        mine = [c for c in self.subject.review_comments if c.review_id == self.record.id]
        views = [self.graph.view("PullRequestReviewComment", self.home, c, self.subject) for c in mine]
        return connect("comments", views, page)

    def on_behalf_of(self, **page: Any) -> dict[str, Any]:
        """The requested teams of which the reviewer is a member."""
        teams = [self.graph.world.teams.get((self.home.owner, slug)) for slug in self.home.teams]
        mine = [t for t in teams if t is not None and self.record.user in team_members(self.graph.world, t)]
        return connect("onBehalfOf", [self.graph.view("Team", team) for team in mine], page)


class ReviewCommentView(WrittenView):
    typename = "PullRequestReviewComment"
    record: ReviewComment
    record_type = ReviewComment
    is_minimized = False
    state = "SUBMITTED"
    diff_hunk = ""

    def __init__(self, graph: Any, home: Any, record: ReviewComment, pull: PullRequest) -> None:
        super().__init__(graph, home, record)
        self.subject = pull

    def address(self) -> str:
        return f"/{self.home.full_name}/pull/{self.subject.number}#discussion_r{self.record.id}"

    def pull_request(self) -> Any:
        return self.view("PullRequest", self.subject)

    def pull_request_review(self) -> Any:
        found = next((r for r in self.subject.reviews if r.id == self.record.review_id), None)
        return None if found is None else self.graph.view("PullRequestReview", self.home, found, self.subject)

    def commit(self) -> Any:
        return self.view("Commit", self.record.commit_id)

    def original_commit(self) -> Any:
        return self.commit()

    def outdated(self) -> bool:
        return self.record.commit_id != self.subject.head_sha

    def reply_to(self) -> Any:
        found = next((c for c in self.subject.review_comments if c.id == self.record.in_reply_to), None)
        return None if found is None else self.graph.view(self.typename, self.home, found, self.subject)


class ReviewThreadView(InRepository):
    """A comment on a line and the replies to it; `record` is (first comment, pull request)."""

    typename = "PullRequestReviewThread"
    record: tuple[ReviewComment, PullRequest]
    is_resolved = False
    is_collapsed = False
    resolved_by = None

    def id(self) -> str:
        return node_ids.encode("PullRequestReviewThread", self.record[0].id)

    def path(self) -> str:
        return self.record[0].path

    def line(self) -> int | None:
        return self.record[0].line

    def original_line(self) -> int | None:
        return self.record[0].line

    def is_outdated(self) -> bool:
        return self.record[0].commit_id != self.record[1].head_sha

    def pull_request(self) -> Any:
        return self.view("PullRequest", self.record[1])

    def comments(self, skip: int | None = None, **page: Any) -> dict[str, Any]:
        first, pull = self.record
        thread = [c for c in pull.review_comments if first.id in (c.id, c.in_reply_to)]
        views = [self.graph.view("PullRequestReviewComment", self.home, c, pull) for c in thread[skip or 0 :]]
        return connect("comments", views, page)


class ReviewRequestView(InRepository):
    """`record` is (pull request, view of the user or team)."""

    typename = "ReviewRequest"
    record: tuple[PullRequest, Any]
    as_code_owner = False
    database_id = None

    def id(self) -> str:
        return node_ids.encode("ReviewRequest", self.record[0].id, self.record[1].record.id)

    def pull_request(self) -> Any:
        return self.view("PullRequest", self.record[0])

    def requested_reviewer(self) -> Any:
        return self.record[1]
