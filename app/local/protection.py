"""The rulesets that make the gate's checks binding, and in what a repository's own differ from them. Pure.

https://docs.github.com/en/rest/repos/rules; patterns are Ruby's `File.fnmatch` with paths
(https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/creating-rulesets-for-a-repository#using-fnmatch-syntax).
"""

from __future__ import annotations

import copy
import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from app.gate.effects import EVIDENCE, QUEUE, REVIEW
from checks.branches import BRANCHES

Ruleset = dict[str, Any]
QueueKind = Literal["native", "serial", "none"]
GATE, AGENTS = "mergegate", "mergegate agents"
# What a ruleset is made of; the rest of GitHub's answer is about it.
_FIELDS = ("name", "target", "enforcement", "conditions", "bypass_actors", "rules")


def contexts(queue: QueueKind) -> tuple[str, ...]:
    return (EVIDENCE, REVIEW, QUEUE) if queue == "serial" else (EVIDENCE, REVIEW)


# https://docs.github.com/en/rest/repos/rules#create-a-repository-ruleset: for OrganizationAdmin there is no id. The
# numbers of built-in roles are those that GitHub's answers show.
ADMINS: Mapping[str, Any] = {"actor_id": 5, "actor_type": "RepositoryRole"}
OWNERS: Mapping[str, Any] = {"actor_type": "OrganizationAdmin"}


def break_glass(actor: Mapping[str, Any]) -> dict[str, Any]:
    """Lets somebody merge a pull request past the rules while the gate is down, and nothing else: no push."""
    return {**actor, "bypass_mode": "pull_request"}


def gate_ruleset(
    template: Mapping[str, Any],
    app_id: int,
    branches: Sequence[str],
    queue: QueueKind,
    bypass: Sequence[Mapping[str, Any]] = (),
) -> Ruleset:
    """`template` is `deploy/ruleset.json`. `branches` are names or patterns beside the default branch, `bypass` is who
    may merge past it (see `break_glass`)."""
    made: Ruleset = copy.deepcopy(dict(template))
    made["bypass_actors"] = [dict(actor) for actor in bypass]
    made["conditions"]["ref_name"]["include"] += [BRANCHES + branch for branch in branches]
    made["rules"] = [rule for rule in made["rules"] if rule["type"] != "merge_queue" or queue == "native"]
    for rule in made["rules"]:
        if rule["type"] == "required_status_checks":
            pinned = [{"context": name, "integration_id": app_id} for name in contexts(queue)]
            rule["parameters"]["required_status_checks"] = pinned
    return made


def in_repositories(ruleset: Ruleset, names: Sequence[str]) -> Ruleset:
    """The same as an organisation has it: for repositories by names or patterns, `~ALL` for every one."""
    condition = {"repository_name": {"include": list(names), "exclude": []}}
    return {**ruleset, "conditions": {**ruleset["conditions"], **condition}}


def agents_ruleset(courier_id: int, namespace: Sequence[str]) -> Ruleset:
    """Branches of agents are written by the courier alone, so that none moves past the proxy."""
    included = [f"{BRANCHES}{pattern.removesuffix('/*')}/**/*" for pattern in namespace]
    return {
        "name": AGENTS,
        "target": "branch",
        "enforcement": "active",
        "conditions": {"ref_name": {"include": included, "exclude": []}},
        "bypass_actors": [{"actor_id": courier_id, "actor_type": "Integration", "bypass_mode": "always"}],
        "rules": [{"type": "creation"}, {"type": "update"}, {"type": "deletion"}],
    }


def meets(existing: Any, wanted: Any) -> bool:
    """Whether everything wanted is there; GitHub adds parameters of its own to what it was given."""
    if isinstance(wanted, dict):
        return isinstance(existing, dict) and all(
            key in existing and meets(existing[key], value) for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        there = existing if isinstance(existing, list) else []
        return len(there) == len(wanted) and all(any(meets(one, value) for one in there) for value in wanted)
    return bool(existing == wanted)


def difference(existing: Mapping[str, Any] | None, wanted: Ruleset) -> list[str]:
    """Lines of a unified diff from what is there to what is wanted; none where it is met."""
    if existing is not None and meets(dict(existing), wanted):
        return []
    before = _shown(existing, wanted) if existing is not None else []
    lines = difflib.unified_diff(before, _shown(wanted, wanted), "now", "then", lineterm="", n=1)
    return list(lines)


def _shown(ruleset: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    kept = {name: ruleset[name] for name in _FIELDS if name in ruleset and name in wanted}
    kept["rules"] = sorted(kept.get("rules", []), key=lambda rule: str(rule["type"]))
    return json.dumps(kept, indent=1, sort_keys=True).splitlines()


def open_gaps(effective: Sequence[Mapping[str, Any]], app_id: int, queue: QueueKind) -> Iterator[str]:
    """What still lets somebody past the gate, from the rules in force on a branch."""
    rules = {str(rule.get("type")): rule.get("parameters") or {} for rule in effective}
    if "pull_request" not in rules:
        yield "commits can be pushed without a pull request"
    required = [
        check
        for rule in effective
        if rule.get("type") == "required_status_checks"
        for check in (rule.get("parameters") or {}).get("required_status_checks", [])
    ]
    for name in contexts(queue):
        pins = {check.get("integration_id") for check in required if check.get("context") == name}
        if not pins:
            yield f"{name} is not required"
        elif pins != {app_id}:
            yield f"{name} may be posted by another App than {app_id}"
    if queue == "native" and "merge_queue" not in rules:
        yield "there is no merge queue"
    if "non_fast_forward" not in rules:
        yield "the branch can be force-pushed"
