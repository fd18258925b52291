"""The rules in force on the default branch, and the ruleset that keeps agents' branches for the courier."""

from __future__ import annotations

from collections.abc import Iterator

from app.local.examination.branch_filters import lets_in
from app.local.examination.facts import CouldNotRead, Facts, Json, Symptom, unread
from app.local.protection import AGENTS, agents_ruleset, open_gaps
from checks.branches import BRANCHES

_PROTECT = "Run `mergegate protect`."
_COURIER = "Run `mergegate protect --courier` with the id of the courier's App."


def symptoms(facts: Facts) -> Iterator[Symptom]:
    if isinstance(facts.effective, CouldNotRead):
        yield unread("The rules in force", facts.effective, "Metadata: read")
    else:
        for gap in open_gaps(facts.effective, facts.app_id, facts.kind):
            yield Symptom("wrong", f"On the default branch {gap}.", _PROTECT)
    yield from _dismissals(facts)
    yield from _agents(facts)


# https://github.blog/changelog/2026-07-07-restrict-who-can-dismiss-reviews-in-rulesets/
def _dismissals(facts: Facts) -> Iterator[Symptom]:
    installed = getattr(facts.installed, "id", 0)
    for parameters in facts.parameters("pull_request"):
        restriction = parameters.get("dismissal_restriction") or {}
        apps = [
            one.get("id") for one in restriction.get("allowed_actors") or () if "Integration" in str(one.get("type"))
        ]
        if restriction.get("enabled") and not {facts.app_id, installed}.intersection(apps):
            what = (
                "Only some may dismiss reviews, and the gate's App is not among them: approvals of older commits stay."
            )
            yield Symptom("odd", what, "Add the App to those who may dismiss reviews, or lift the restriction.")


def _agents(facts: Facts) -> Iterator[Symptom]:
    if isinstance(facts.rulesets, CouldNotRead):
        return
    own = [one for one in facts.rulesets if one.get("name") == AGENTS]
    if not own:
        what = f"Agents' branches can be written past the proxy: no ruleset `{AGENTS}` keeps them for the courier."
        yield Symptom("wrong" if facts.courier_id else "odd", what, _COURIER)
    for ruleset in own:
        yield from _of_agents(facts, ruleset)


def _of_agents(facts: Facts, ruleset: Json) -> Iterator[Symptom]:
    """A summary, which is all that is known where the ruleset could not be read, has neither rules nor actors."""
    wanted = agents_ruleset(facts.courier_id or 0, facts.namespace)
    lacking = {rule["type"] for rule in wanted["rules"]} - {rule.get("type") for rule in ruleset.get("rules") or ()}
    if "rules" in ruleset and lacking:
        what = f"The ruleset `{AGENTS}` does not restrict {', '.join(sorted(lacking))} of agents' branches."
        yield Symptom("wrong", what, _COURIER)
    condition = (ruleset.get("conditions") or {}).get("ref_name") or {}
    uncovered = [name for name in _names(wanted) if not _covers(condition, name)]
    if "conditions" in ruleset and uncovered:
        what = f"The ruleset `{AGENTS}` leaves out branches like {uncovered[0]}, to which the policy lets agents push."
        yield Symptom("wrong", what, _COURIER)
    actors = [one.get("actor_id") for one in ruleset.get("bypass_actors") or ()]
    if "bypass_actors" in ruleset and facts.courier_id and facts.courier_id not in actors:
        what = f"The ruleset `{AGENTS}` does not let the courier's App write agents' branches."
        yield Symptom("wrong", what, _COURIER)


def _names(wanted: Json) -> list[str]:
    """Names of branches that the ruleset, as `mergegate protect` writes it, is there for."""
    stems = [one.removesuffix("**/*") for one in wanted["conditions"]["ref_name"]["include"]]
    return [f"{stem}{rest}".removeprefix(BRANCHES) for stem in stems for rest in ("x", "x/x")]


def _covers(condition: Json, name: str) -> bool:
    included, excluded = condition.get("include") or (), condition.get("exclude") or ()
    if lets_in([one.removeprefix(BRANCHES) for one in excluded], name):
        return False
    return "~ALL" in included or lets_in([one.removeprefix(BRANCHES) for one in included], name)
