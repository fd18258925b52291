"""The root of queries."""

from __future__ import annotations

from typing import Any

from tests.github.graphql import nodes, search
from tests.github.graphql.errors import TypedError, not_found
from tests.github.graphql.view import View


class QueryView(View):
    typename = "Query"

    def id(self) -> str:
        return "Query"

    def repository(self, owner: str, name: str, follow_renames: bool = True) -> Any:
        view = self.graph.visible(self.graph.world.repository(owner, name))
        if view is None:
            raise not_found(f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return view

    async def node(self, id: str) -> Any:  # noqa: A002 - the argument's name
        return await nodes.find(self.graph, id)

    async def nodes(self, ids: list[str]) -> list[Any]:
        return [await nodes.find(self.graph, node_id) for node_id in ids]

    def user(self, login: str) -> Any:
        return self._account(login, "User")

    def organization(self, login: str) -> Any:
        return self._account(login, "Organization")

    def repository_owner(self, login: str) -> Any:
        return self.graph.account(login)

    def _account(self, login: str, kind: str) -> Any:
        view = self.graph.account(login)
        if view is None or view.typename != kind:
            raise not_found(
                f"Could not resolve to {'an' if kind == 'Organization' else 'a'} {kind} with the login of '{login}'."
            )
        return view

    def viewer(self) -> Any:
        """The caller; an App's bot is shown as a user here, since the field has that type."""
        account = self.graph.world.accounts.get(self.graph.actor.login)
        if account is None:
            raise TypedError("FORBIDDEN", "Resource not accessible by integration")
        return self.graph.view("User", account)

    def rate_limit(self, dry_run: bool = False) -> dict[str, Any]:
        """`used` and `remaining` count this query already."""
        budget = self.graph.github.rate_limits.budget(self.graph.actor.budget, "graphql")
        used = budget.used + self.graph.cost
        return {
            "cost": self.graph.cost,
            "limit": budget.limit,
            "nodeCount": self.graph.node_count,
            "remaining": max(budget.limit - used, 0),
            "resetAt": budget.reset,
            "used": used,
        }

    def search(self, query: str, type: str, **page: Any) -> dict[str, Any]:  # noqa: A002 - the argument's name
        return search.search(self.graph, query, type, page)
