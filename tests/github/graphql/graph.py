"""What every view of one request shares: the world, the caller, and the way from a record to its view."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from starlette.requests import Request

from tests.github.auth import Actor, allowed, can_see
from tests.github.git import Git
from tests.github.graphql.errors import forbidden
from tests.github.graphql.view import View
from tests.github.state import Repository, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub


class Graph:
    """One request's view of the world."""

    def __init__(self, github: SimulatedGitHub, request: Request, actor: Actor) -> None:
        self.github = github
        self.request = request
        self.actor = actor
        self.cost = 1
        self.node_count = 0

    @cached_property
    def world(self) -> World:
        return self.github.world

    def git(self, repository: Repository) -> Git:
        return self.github.git(repository)

    def view(self, typename: str, *records: Any) -> Any:
        """The view of a record; the record of an object in a repository comes after the repository."""
        return View.by_typename[typename](self, *records)

    def visible(self, repository: Repository | None) -> Any:
        """The repository's view, None when it is absent or hidden from the caller."""
        if repository is None or not can_see(self.world, self.actor, repository):
            return None
        return self.view("Repository", repository)

    def may(self, repository: Repository, permission: str, access: Literal["read", "write", "admin"] = "read") -> bool:
        return allowed(self.world, self.actor, repository, permission, access)

    def permit(self, repository: Repository, *permissions: str) -> None:
        """Raises a FORBIDDEN error unless the caller may read one of `permissions`."""
        if not any(self.may(repository, permission) for permission in permissions):
            raise forbidden()

    def account(self, login: str | None) -> Any:
        """The view of an account by its REST login; None for one that was deleted."""
        account = self.world.accounts.get(login or "")
        return None if account is None else self.view(account.type, account)
