"""What people write: the fields of GitHub's `Comment` and `Reactable`, issues and their comments, reactions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tests.github import node_ids
from tests.github.access import association
from tests.github.graphql.connections import connect
from tests.github.graphql.view import InRepository
from tests.github.state import Comment, Issue, Reaction

# REST's names of reactions, in the order of the enum ReactionContent.
REACTIONS = {
    "+1": "THUMBS_UP",
    "-1": "THUMBS_DOWN",
    "laugh": "LAUGH",
    "hooray": "HOORAY",
    "confused": "CONFUSED",
    "heart": "HEART",
    "rocket": "ROCKET",
    "eyes": "EYES",
}


class WrittenView(InRepository):
    """Something with an author and a body; `text` is the record that holds them."""

    created_via_email = False

    @property
    def text(self) -> Any:
        return self.record

    def id(self) -> str:
        return node_ids.encode(self.typename, self.record.id)

    def database_id(self) -> int:
        return int(self.record.id)

    def full_database_id(self) -> str:
        return str(self.record.id)

    def author(self) -> Any:
        return self.graph.account(self.text.user)

    def author_association(self) -> str:
        return association(self.graph.world, self.home, self.text.user)

    def viewer_did_author(self) -> bool:
        return bool(self.text.user == self.graph.actor.login)

    def body(self) -> str:
        return self.text.body or ""

    def body_text(self) -> str:
        return self.body()

    def created_at(self) -> datetime:
        created: datetime = self.text.created_at
        return created

    def published_at(self) -> datetime:
        return self.created_at()

    def updated_at(self) -> datetime:
        updated: datetime = self.text.updated_at
        return updated

    def last_edited_at(self) -> datetime | None:
        return getattr(self.text, "body_edited_at", None)

    def includes_created_edit(self) -> bool:
        return self.last_edited_at() is not None

    def editor(self) -> Any:
        return self.graph.account(getattr(self.text, "body_edited_by", None))

    def _reactions(self) -> list[Reaction]:
        return list(getattr(self.text, "reactions", ()))

    def reaction_groups(self) -> list[Any]:
        """One group for each kind, empty ones too, as GitHub gives them."""
        return [self.view("ReactionGroup", (name, self._reactions())) for name in REACTIONS]

    def reactions(self, content: str | None = None, order_by: Any = None, **page: Any) -> dict[str, Any]:
        found = [r for r in self._reactions() if content in (None, REACTIONS[r.content])]
        return connect("reactions", self.views("Reaction", [(r, self) for r in found]), page)


class ReactionGroupView(InRepository):
    """`record` is (REST's name, all reactions of the subject)."""

    typename = "ReactionGroup"
    record: tuple[str, list[Reaction]]
    created_at = None

    def _mine(self) -> list[Reaction]:
        return [r for r in self.record[1] if r.content == self.record[0]]

    def content(self) -> str:
        return REACTIONS[self.record[0]]

    def reactors(self, **page: Any) -> dict[str, Any]:
        return connect("reactors", [self.graph.account(r.user) for r in self._mine()], page)

    def users(self, **page: Any) -> dict[str, Any]:
        views = [self.graph.account(r.user) for r in self._mine()]
        people = [view for view in views if view.typename == "User"]
        when = self.home.created_at
        return connect("users", people, page, edge=lambda _: {"reactedAt": when})

    def viewer_has_reacted(self) -> bool:
        return any(r.user == self.graph.actor.login for r in self._mine())


class ReactionView(InRepository):
    """`record` is (reaction, view of its subject)."""

    typename = "Reaction"
    record: tuple[Reaction, WrittenView]

    def id(self) -> str:
        return node_ids.encode("Reaction", self.record[0].id)

    def database_id(self) -> int:
        return self.record[0].id

    def content(self) -> str:
        return REACTIONS[self.record[0].content]

    def created_at(self) -> datetime:
        return self.record[1].created_at()

    def user(self) -> Any:
        """Null for a bot: the field's type is User."""
        view = self.graph.account(self.record[0].user)
        return view if view is not None and view.typename == "User" else None

    def reactable(self) -> WrittenView:
        return self.record[1]


class IssueLikeView(WrittenView):
    """What issues and pull requests share; `text` is the issue half."""

    milestone = None
    active_lock_reason = None
    locked = False

    @property
    def text(self) -> Issue:
        issue: Issue = self.record
        return issue

    def number(self) -> int:
        return self.text.number

    def title(self) -> str:
        return self.text.title

    def closed(self) -> bool:
        return self.text.state == "closed"

    def closed_at(self) -> datetime | None:
        return self.text.closed_at

    def labels(self, order_by: Any = None, **page: Any) -> dict[str, Any]:
        found = [self.home.labels[name] for name in self.text.labels if name in self.home.labels]
        return connect("labels", self.views("Label", found), page)

    def assignees(self, **page: Any) -> dict[str, Any]:
        return connect("assignees", [self.graph.account(login) for login in self.text.assignees], page)

    def comments(self, order_by: Any = None, **page: Any) -> dict[str, Any]:
        views = [self.graph.view("IssueComment", self.home, comment, self.text) for comment in self.text.comments]
        return connect("comments", views, page)

    def project_items(self, include_archived: bool = True, **page: Any) -> dict[str, Any]:
        return connect("projectItems", [], page)

    def project_cards(self, archived_states: Any = None, **page: Any) -> dict[str, Any]:
        return connect("projectCards", [], page)


class IssueView(IssueLikeView):
    typename = "Issue"
    record: Issue
    record_type = Issue
    parent = issue_type = None

    def is_pinned(self) -> bool:
        return self.record.pinned

    def address(self) -> str:
        return f"/{self.home.full_name}/issues/{self.record.number}"

    def state(self) -> str:
        return self.record.state.upper()

    def state_reason(self, enable_duplicate: bool = False) -> str | None:
        return "COMPLETED" if self.closed() else None

    def sub_issues(self, **page: Any) -> dict[str, Any]:
        return connect("subIssues", [], page)

    def blocked_by(self, **page: Any) -> dict[str, Any]:
        return connect("blockedBy", [], page)

    def blocking(self, **page: Any) -> dict[str, Any]:
        return connect("blocking", [], page)

    def closed_by_pull_requests_references(
        self,
        include_closed_prs: bool = False,
        order_by_state: bool = False,
        user_linked_only: bool = False,
        **page: Any,
    ) -> dict[str, Any]:
        return connect("closedByPullRequestsReferences", [], page)

    def sub_issues_summary(self) -> dict[str, int]:
        return {"completed": 0, "percentCompleted": 0, "total": 0}


class IssueCommentView(WrittenView):
    typename = "IssueComment"
    record: Comment
    record_type = Comment
    is_minimized = False
    minimized_reason = None

    def __init__(self, graph: Any, home: Any, record: Comment, issue: Issue) -> None:
        super().__init__(graph, home, record)
        self.subject = issue

    def address(self) -> str:
        kind = "pull" if self.subject.number in self.home.pulls else "issues"
        return f"/{self.home.full_name}/{kind}/{self.subject.number}#issuecomment-{self.record.id}"

    def issue(self) -> Any:
        return self.view("Issue", self.subject)

    def pull_request(self) -> Any:
        return self.view("PullRequest", self.home.pulls.get(self.subject.number))
