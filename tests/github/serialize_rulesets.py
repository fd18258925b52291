"""Rulesets as GitHub's JSON."""

from __future__ import annotations

from tests.github import node_ids
from tests.github.serialize import Json
from tests.github.serialize_repositories import repository_url
from tests.github.state import Repository, Ruleset, World


def summary(world: World, repository: Repository, ruleset: Ruleset) -> Json:
    """A ruleset as in the list: without rules, conditions and bypass actors."""
    inherited = ruleset.id in repository.inherited_rulesets
    return {
        "id": ruleset.id,
        "name": ruleset.name,
        "target": ruleset.target,
        "source_type": "Organization" if inherited else "Repository",
        "source": repository.owner if inherited else repository.full_name,
        "enforcement": ruleset.enforcement,
        "node_id": node_ids.encode("RepositoryRuleset", ruleset.id),
        "_links": {
            "self": {"href": f"{repository_url(world, repository)}/rulesets/{ruleset.id}"},
            "html": {"href": f"{world.base_url}/{repository.full_name}/rules/{ruleset.id}"},
        },
        "created_at": _precise(ruleset.created_at.isoformat()),
        "updated_at": _precise(ruleset.updated_at.isoformat()),
    }


def _precise(moment: str) -> str:
    """Ruleset times have milliseconds (recorded)."""
    return moment.replace("+00:00", ".000Z")


def ruleset_with_rules(world: World, repository: Repository, ruleset: Ruleset) -> Json:
    """A ruleset as everybody may see it; bypass actors are added for those who may edit it."""
    return summary(world, repository, ruleset) | {"conditions": ruleset.conditions, "rules": ruleset.rules}
