"""Users, bots, organisations, teams and Apps."""

from __future__ import annotations

from typing import Any

from tests.github import node_ids
from tests.github.access import team_members
from tests.github.graphql.connections import connect
from tests.github.graphql.view import View
from tests.github.state import Account, App, Team


class ActorView(View):
    """What users, bots and organisations have in common."""

    record: Account
    record_type = Account

    def id(self) -> str:
        return node_ids.encode(self.typename, self.record.id)

    def database_id(self) -> int:
        return self.record.id

    def address(self) -> str:
        return f"/{self.record.login}"

    def avatar_url(self, size: int | None = None) -> str:
        return f"{self.graph.world.base_url.rstrip('/')}/avatars/u/{self.record.id}?v=4"

    def repository(self, name: str, follow_renames: bool = True) -> Any:
        return self.graph.visible(self.graph.world.repository(self.record.login, name))


class UserView(ActorView):
    typename = "User"

    def email(self) -> str:
        return self.record.email or ""

    def is_viewer(self) -> bool:
        return self.record.login == self.graph.actor.login

    def organization(self, login: str) -> Any:
        member = self.graph.world.memberships.get((login, self.record.login)) == "active"
        return self.graph.account(login) if member else None


class BotView(ActorView):
    """GraphQL's login of a bot lacks the suffix that REST gives it."""

    typename = "Bot"

    def login(self) -> str:
        return self.record.login.removesuffix("[bot]")

    def address(self) -> str:
        return f"/apps/{self.login()}"


class OrganizationView(ActorView):
    typename = "Organization"

    def team(self, slug: str) -> Any:
        found = self.graph.world.teams.get((self.record.login, slug))
        return None if found is None else self.graph.view("Team", found)

    def teams(self, query: str | None = None, root_teams_only: bool = False, **page: Any) -> dict[str, Any]:
        mine = [t for t in self.graph.world.teams.values() if t.organization == self.record.login]
        wanted = [t for t in mine if (query or "") in t.slug and not (root_teams_only and t.parent)]
        return connect("teams", [self.graph.view("Team", t) for t in wanted], page)

    def members_with_role(self, **page: Any) -> dict[str, Any]:
        active = [
            who
            for (name, who), state in self.graph.world.memberships.items()
            if state == "active" and name == self.record.login
        ]
        return connect("membersWithRole", [self.graph.account(who) for who in sorted(active)], page)


class TeamView(View):
    typename = "Team"
    record: Team
    record_type = Team

    def id(self) -> str:
        return node_ids.encode("Team", self.record.id)

    def database_id(self) -> int:
        return self.record.id

    def address(self) -> str:
        return f"/orgs/{self.record.organization}/teams/{self.record.slug}"

    def name(self) -> str:
        return self.record.slug

    def combined_slug(self) -> str:
        return f"{self.record.organization}/{self.record.slug}"

    def description(self) -> None:
        return None

    def privacy(self) -> str:
        return "VISIBLE"

    def organization(self) -> Any:
        return self.graph.account(self.record.organization)

    def parent_team(self) -> Any:
        found = self.graph.world.teams.get((self.record.organization, self.record.parent or ""))
        return None if found is None else self.graph.view("Team", found)

    def members(
        self,
        membership: str = "ALL",
        role: str | None = None,
        query: str | None = None,
        order_by: Any = None,
        **page: Any,
    ) -> dict[str, Any]:
        own = {login for login, state in self.record.members.items() if state == "active"}
        every = team_members(self.graph.world, self.record)
        logins = {"ALL": every, "IMMEDIATE": own, "CHILD_TEAM": every - own}[membership]
        wanted = [login for login in sorted(logins) if (query or "") in login and role != "MAINTAINER"]
        views = [self.graph.account(login) for login in wanted]
        return connect("members", views, page, edge=lambda _: {"role": "MEMBER"})


class AppView(View):
    typename = "App"
    record: App
    record_type = App

    def id(self) -> str:
        return node_ids.encode("App", self.record.id)

    def database_id(self) -> int:
        return self.record.id

    def address(self) -> str:
        return f"/apps/{self.record.slug}"
