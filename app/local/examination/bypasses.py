"""Who gets past the rulesets that hold here.

https://docs.github.com/en/rest/repos/rules#get-a-repository-ruleset; GitHub keeps no record of what an `exempt` actor
does: https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets
"""

from __future__ import annotations

from collections.abc import Iterator

from app.local.examination.facts import CouldNotRead, Facts, Json, Symptom, unread
from app.local.protection import AGENTS
from checks.agents import KNOWN_AGENTS

_TAKE_OUT = "Take it out of the bypass list."
_KINDS = {
    "OrganizationAdmin": "owners of the organisation",
    "EnterpriseOwner": "owners of the enterprise",
    "DeployKey": "whoever has a deploy key that writes",
}
# Ids of built-in roles as GitHub's answers show them.
_ROLES = {1: "read", 2: "maintain", 3: "triage", 4: "write", 5: "admin"}
_AGENTS = {login: agent.name for agent in KNOWN_AGENTS for login in agent.logins}


def symptoms(facts: Facts) -> Iterator[Symptom]:
    if isinstance(facts.rulesets, CouldNotRead):
        yield unread("The rulesets", facts.rulesets, "Metadata: read")
        return
    for ruleset in facts.rulesets:
        name, actors = _name(ruleset), ruleset.get("bypass_actors")
        if ruleset.get("target", "branch") != "branch":
            continue
        if actors is None:
            remedy = "Use the token of somebody who may edit it; a fine-grained one needs `Administration: write`."
            yield Symptom("unknown", f"{name} does not show who bypasses it.", remedy)
            continue
        yield from (_bypass(facts, name, actor) for actor in actors if not _is_couriers(facts, ruleset, actor))


def _name(ruleset: Json) -> str:
    if ruleset.get("source_type") in ("Organization", "Enterprise"):
        return f"The ruleset `{ruleset.get('name')}` of `{ruleset.get('source')}`"
    return f"The ruleset `{ruleset.get('name')}`"


def _is_couriers(facts: Facts, ruleset: Json, actor: Json) -> bool:
    """The ruleset of the agents' branches is there so that one App alone writes them."""
    if ruleset.get("name") != AGENTS or actor.get("actor_type") != "Integration":
        return False
    writes = [one for one in ruleset["bypass_actors"] if one.get("actor_type") == "Integration"]
    is_one = actor.get("actor_id") == facts.courier_id if facts.courier_id else len(writes) == 1
    return is_one and actor.get("actor_id") != facts.app_id and actor.get("bypass_mode") != "exempt"


def _bypass(facts: Facts, name: str, actor: Json) -> Symptom:
    kind, mode, who = actor.get("actor_type"), actor.get("bypass_mode"), _who(facts, actor)
    if kind == "Integration" and actor.get("actor_id") == facts.app_id:
        what = f"{name} lets the gate's own App past it, so nothing stops a gate that goes wrong."
        return Symptom("wrong", what + _unseen(mode), _TAKE_OUT)
    if mode == "pull_request" and kind in ("OrganizationAdmin", "EnterpriseOwner", "RepositoryRole", "Team"):
        what = f"{name} lets {who} merge a pull request past the checks."
        return Symptom("odd", what, "Keep it as the way in when the gate is down, for as few people as possible.")
    past = {"exempt": f"exempts {who}", "pull_request": f"lets {who} merge a pull request past the checks"}
    what = f"{name} {past.get(str(mode), f'is bypassed by {who}, pushes included')}."
    return Symptom("wrong", what + _unseen(mode), _TAKE_OUT)


def _unseen(mode: object) -> str:
    return " GitHub's records do not show when that is used." if mode == "exempt" else ""


def _who(facts: Facts, actor: Json) -> str:
    kind, number = str(actor.get("actor_type")), int(actor.get("actor_id") or 0)
    name = facts.names.get((kind, number))
    if kind == "Integration":
        agent = _AGENTS.get((name or "").lower())
        shown = f"the App {name} ({number})" if name else f"the App {number}"
        return f"{shown}, an agent ({agent})" if agent else shown
    if kind == "User":
        return f"the single user @{name}" if name else f"the single user {number}"
    if kind == "RepositoryRole":
        return f"everybody with the role {_ROLES.get(number, number)}"
    return _KINDS.get(kind) or f"{kind} {number or ''}".strip()
