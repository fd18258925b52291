"""Rulesets and their rules."""

from __future__ import annotations

from typing import Any, ClassVar

from tests.github import node_ids
from tests.github.graphql.connections import connect
from tests.github.graphql.view import InRepository
from tests.github.state import Ruleset

PARAMETERS = {
    "merge_queue": "MergeQueueParameters",
    "pull_request": "PullRequestParameters",
    "required_status_checks": "RequiredStatusChecksParameters",
}


class RulesetView(InRepository):
    typename = "RepositoryRuleset"
    record: Ruleset
    record_type = Ruleset

    def id(self) -> str:
        return node_ids.encode("RepositoryRuleset", self.record.id)

    def database_id(self) -> int:
        return self.record.id

    def source(self) -> Any:
        return self.repository()

    def target(self) -> str:
        return self.record.target.upper()

    def enforcement(self) -> str:
        return self.record.enforcement.upper()

    def conditions(self) -> dict[str, Any]:
        names = self.record.conditions.get("ref_name")
        return {"refName": names and {"include": names.get("include", []), "exclude": names.get("exclude", [])}}

    def rules(self, type: str | None = None, **page: Any) -> dict[str, Any]:  # noqa: A002 - the argument's name
        rules = [r | {"ruleset_id": self.record.id} for r in self.record.rules if type in (None, r["type"].upper())]
        return connect("rules", self.views("RepositoryRule", rules), page)

    def bypass_actors(self, **page: Any) -> dict[str, Any]:
        """Empty for whoever may not edit the ruleset."""
        shown = self.record.bypass_actors if self.graph.may(self.home, "administration", "write") else []
        return connect("bypassActors", self.views("RepositoryRulesetBypassActor", [(a, self) for a in shown]), page)


class RuleView(InRepository):
    """`record` is the rule as REST gives it."""

    typename = "RepositoryRule"
    record: dict[str, Any]

    def id(self) -> str:
        return node_ids.encode("RepositoryRule", self.record.get("ruleset_id", 0), self.record["type"])

    def type(self) -> str:
        return str(self.record["type"]).upper()

    def parameters(self) -> Any:
        typename = PARAMETERS.get(self.record["type"])
        return None if typename is None else self.view(typename, self.record.get("parameters", {}))

    def repository_ruleset(self) -> Any:
        return self.view("RepositoryRuleset", self.home.rulesets.get(self.record.get("ruleset_id", 0)))


class MergeQueueParametersView(InRepository):
    """`record` are the parameters as REST gives them; its keys are the fields' names."""

    typename = "MergeQueueParameters"
    keys: ClassVar[tuple[str, ...]] = (
        "check_response_timeout_minutes",
        "grouping_strategy",
        "max_entries_to_build",
        "max_entries_to_merge",
        "merge_method",
        "min_entries_to_merge",
        "min_entries_to_merge_wait_minutes",
    )

    def __getattr__(self, name: str) -> Any:
        if name not in self.keys:
            raise AttributeError(name)
        return self.record[name]


class PullRequestParametersView(MergeQueueParametersView):
    typename = "PullRequestParameters"
    keys = (
        "dismiss_stale_reviews_on_push",
        "require_code_owner_review",
        "require_last_push_approval",
        "required_approving_review_count",
        "required_review_thread_resolution",
    )

    def allowed_merge_methods(self) -> list[str] | None:
        methods = self.record.get("allowed_merge_methods")
        return methods and [method.upper() for method in methods]


class RequiredStatusChecksParametersView(InRepository):
    typename = "RequiredStatusChecksParameters"

    def do_not_enforce_on_create(self) -> bool:
        return bool(self.record.get("do_not_enforce_on_create", False))

    def strict_required_status_checks_policy(self) -> bool:
        return bool(self.record.get("strict_required_status_checks_policy", False))

    def required_status_checks(self) -> list[dict[str, Any]]:
        checks = self.record.get("required_status_checks", [])
        return [{"context": check["context"], "integrationId": check.get("integration_id")} for check in checks]


class BypassActorView(InRepository):
    """`record` is (the actor as REST takes it, view of its ruleset)."""

    typename = "RepositoryRulesetBypassActor"
    record: tuple[dict[str, Any], RulesetView]

    def _kind(self) -> str:
        return str(self.record[0]["actor_type"])

    def id(self) -> str:
        return node_ids.encode("RepositoryRulesetBypassActor", self.record[1].record.id, int(self._number() or 0))

    def _number(self) -> int | None:
        return self.record[0].get("actor_id")

    def actor(self) -> Any:
        world = self.graph.world
        if self._kind() == "Integration" and self._number() in world.apps:
            return self.graph.view("App", world.apps[self._number() or 0])
        team = next((t for t in world.teams.values() if self._kind() == "Team" and t.id == self._number()), None)
        return None if team is None else self.graph.view("Team", team)

    def bypass_mode(self) -> str:
        return str(self.record[0].get("bypass_mode", "always")).upper()

    def deploy_key(self) -> bool:
        return self._kind() == "DeployKey"

    def organization_admin(self) -> bool:
        return self._kind() == "OrganizationAdmin"

    def repository_role_database_id(self) -> int | None:
        return self._number() if self._kind() == "RepositoryRole" else None

    def repository_role_name(self) -> str | None:
        names = {2: "maintain", 4: "write", 5: "admin"}
        return names.get(self.repository_role_database_id() or 0)

    def repository_ruleset(self) -> RulesetView:
        return self.record[1]
