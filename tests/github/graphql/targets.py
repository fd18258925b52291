"""What a mutation is about, and whether the caller may change it."""

from __future__ import annotations

from typing import Any

from tests.github.access import at_least, permission_of
from tests.github.graphql import nodes
from tests.github.graphql.errors import TypedError, forbidden, not_found
from tests.github.graphql.view import View
from tests.github.state import Permission, Repository

Input = dict[str, Any]


class Targets(View):
    """The base of all mutations."""

    @property
    def actor(self) -> str:
        return self.graph.actor.login

    def payload(self, given: Input, **fields: Any) -> dict[str, Any]:
        """The answer, with `clientMutationId` echoed and the caller as `actor`."""
        actor = self.graph.account(self.actor)
        return {"clientMutationId": given.get("clientMutationId"), "actor": actor} | fields

    async def find(self, node_id: str, *typenames: str) -> Any:
        view = await nodes.find(self.graph, node_id)
        if view.typename not in typenames:
            raise not_found(f"Could not resolve to {typenames[0]} node with the global id of '{node_id[:100]}'.")
        return view

    def require(self, home: Repository, *permissions: str, user: Permission = "write") -> None:
        """FORBIDDEN unless the App holds write on one of `permissions`, or the person has `user`."""
        if self.graph.actor.kind == "user":
            if at_least(permission_of(self.graph.world, home, self.actor), user):
                return
            raise TypedError(
                "FORBIDDEN", f"{self.actor} does not have the correct permissions to execute this mutation"
            )
        if not any(self.graph.may(home, permission, "write") for permission in permissions):
            raise forbidden()

    async def pull(self, node_id: str, *permissions: str, user: Permission = "write") -> Any:
        """The pull request's view. Its author may do what needs only `write` of others when `user` is triage."""
        view = await self.find(node_id, "PullRequest")
        own = user == "triage" and view.record.issue.user == self.actor and self.graph.actor.kind == "user"
        self.require(view.home, *(permissions or ("pull_requests",)), user="read" if own else user)
        return view

    async def conversation(self, node_id: str, user: Permission) -> Any:
        """An issue or pull request that the caller may comment on or label."""
        view = await self.find(node_id, "PullRequest", "Issue")
        permissions = ("issues", "pull_requests") if view.typename == "PullRequest" else ("issues",)
        self.require(view.home, *permissions, user=user)
        return view
