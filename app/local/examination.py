"""What is wrong with how a repository is guarded, from what GitHub answered about it. Pure.

Each symptom says what was found, and what to do about it. What could not be read is said as that and never taken for
good: bypass lists are shown only to those who may edit them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.local.protection import QueueKind, open_gaps

Level = Literal["wrong", "unknown", "odd"]
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CouldNotRead:
    because: str


@dataclass(frozen=True, slots=True)
class Installed:
    """The gate's App as it is installed here; `granted` and `events` are what its owner accepted."""

    granted: Mapping[str, str]
    events: tuple[str, ...]
    suspended: bool
    served: bool = True  # whether the settings let this account be served


@dataclass(frozen=True, slots=True)
class Facts:
    """Answers of GitHub's API in its own words; see `app.github.rulesets`. `installed` is None where there is none."""

    app_id: int
    queue: QueueKind
    effective: Sequence[Json] | CouldNotRead
    rulesets: Sequence[Json] | CouldNotRead
    workflow_permissions: Json | CouldNotRead
    classic_protection: bool | CouldNotRead
    installed: Installed | CouldNotRead | None
    asked: Mapping[str, str]  # permissions of the manifest
    asked_events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Symptom:
    level: Level
    what: str
    remedy: str


def examine(facts: Facts) -> list[Symptom]:
    """Every symptom; none when all is as it should be."""
    return [
        *_rules(facts),
        *_bypasses(facts.rulesets),
        *_workflows(facts.workflow_permissions),
        *_classic(facts.classic_protection),
        *_app(facts),
    ]


def _unread(what: str, unread: CouldNotRead) -> Symptom:
    return Symptom("unknown", f"{what} could not be read: {unread.because}", "Use the token of an administrator.")


def _rules(facts: Facts) -> Iterator[Symptom]:
    if isinstance(facts.effective, CouldNotRead):
        yield _unread("The rules in force", facts.effective)
        return
    for gap in open_gaps(facts.effective, facts.app_id, facts.queue):
        yield Symptom("wrong", f"On the default branch {gap}.", "Run `mergegate protect`.")
    kinds = {str(rule.get("type")): rule.get("parameters") or {} for rule in facts.effective}
    queue = kinds.get("merge_queue")
    if queue is not None and queue.get("grouping_strategy") != "ALLGREEN":
        what = "The merge queue lets a red pull request ride along with a green one (HEADGREEN)."
        yield Symptom("wrong", what, "Choose `Require all queue entries to pass required checks`.")
    strict = kinds.get("required_status_checks", {}).get("strict_required_status_checks_policy")
    if queue is not None and strict:
        what = "Branches must be up to date before merging, and there is a merge queue, which does that by itself."
        yield Symptom("odd", what, "Switch off `Require branches to be up to date`.")


# https://docs.github.com/en/rest/repos/rules#get-a-repository-ruleset
def _bypasses(rulesets: Sequence[Json] | CouldNotRead) -> Iterator[Symptom]:
    if isinstance(rulesets, CouldNotRead):
        yield _unread("The rulesets", rulesets)
        return
    for ruleset in rulesets:
        name, actors = f"The ruleset `{ruleset.get('name')}`", ruleset.get("bypass_actors")
        if actors is None:
            remedy = "Use the token of somebody who may edit it."
            yield Symptom("unknown", f"{name} does not show who bypasses it.", remedy)
            continue
        yield from (_bypass(name, actor) for actor in actors if not _is_couriers(ruleset, actor))


def _is_couriers(ruleset: Json, actor: Json) -> bool:
    """The ruleset of the agents' branches is there so that one App alone writes them."""
    return ruleset.get("name") == "mergegate agents" and actor.get("actor_type") == "Integration"


def _bypass(name: str, actor: Json) -> Symptom:
    kind, mode = actor.get("actor_type"), actor.get("bypass_mode")
    who = f"{kind} {actor.get('actor_id') or ''}".strip()
    if mode == "pull_request" and kind in ("OrganizationAdmin", "RepositoryRole", "Team"):
        what = f"{name} lets {who} merge a pull request past the checks."
        return Symptom("odd", what, "Keep it as the way in when the gate is down, for as few people as possible.")
    how = "is exempt from it" if mode == "exempt" else "bypasses it, pushes included"
    return Symptom("wrong", f"{name}: {who} {how}.", "Take it out of the bypass list.")


# https://docs.github.com/en/rest/actions/permissions#get-default-workflow-permissions-for-a-repository
def _workflows(permissions: Json | CouldNotRead) -> Iterator[Symptom]:
    if isinstance(permissions, CouldNotRead):
        yield _unread("What workflows may do", permissions)
        return
    if permissions.get("default_workflow_permissions") != "read":
        what = "Workflows get a token that can write, also those on agents' branches."
        yield Symptom("wrong", what, "Settings, Actions, General: read repository contents.")
    if permissions.get("can_approve_pull_request_reviews") is not False:
        what = "Workflows may approve pull requests."
        yield Symptom("wrong", what, "Settings, Actions, General: do not allow it.")


def _classic(protection: bool | CouldNotRead) -> Iterator[Symptom]:
    if isinstance(protection, CouldNotRead):
        yield _unread("Classic branch protection", protection)
    elif protection:
        what = "The default branch has classic protection too; its checks are not pinned unless it says so."
        yield Symptom("odd", what, "Move what it says into the ruleset.")


def _app(facts: Facts) -> Iterator[Symptom]:
    here = facts.installed
    if isinstance(here, CouldNotRead):
        yield Symptom(
            "unknown", f"The App's installation could not be read: {here.because}", "Configure the gate here."
        )
        return
    if here is None:
        yield Symptom("wrong", "The gate's App is not installed on this repository.", "Install it.")
        return
    if not here.served:
        what = "The service ignores installations of this account: it is not in MERGEGATE_ACCOUNTS."
        yield Symptom("wrong", what, "Add the account there and start the service again.")
    if here.suspended:
        yield Symptom("wrong", "The App's installation is suspended.", "Unsuspend it in the account's settings.")
    order = ("none", "read", "write")
    for name, level in sorted(facts.asked.items()):
        given = here.granted.get(name, "none")
        if given in order and order.index(given) < order.index(level):
            what = f"The App may only `{given}` `{name}` and needs `{level}`."
            yield Symptom("wrong", what, "Grant it in the App's settings and accept it in the installation.")
    missing = [event for event in facts.asked_events if event not in here.events]
    if missing:
        yield Symptom("wrong", f"The App does not hear of {', '.join(missing)}.", "Tick them in the App's settings.")
