"""Whether the way back is given and fits the change."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from checks.bundle import Bundle
from checks.bundle_schema import Rollback
from checks.finding import Finding, Fix, failed, needs_person, passed, pending, skipped
from checks.snapshot import Risk

CHECK = "rollback"
_LOSING = frozenset({"data-deletion", "migration"})


def check(
    bundle: Bundle | None,
    level: Risk,
    areas: Collection[str],
    *,
    required: bool,
    tested_from: Risk = Risk.HIGH,
    offline: bool = False,
) -> tuple[Finding, ...]:
    """Finding `rollback`, and `rollback.data-loss` (needs a person) where data would be lost.

    From the risk `tested_from` on, the way back must have been tried. `offline`: no bundle was handed over for a local
    judgement, and whether GitHub has one is not known.
    """
    rollback = None if bundle is None else bundle.rollback
    if rollback is None:
        return (_unknown() if required and offline else _absent(required=required),)
    faults = tuple(_faults(rollback, level, _LOSING & set(areas), tested_from))
    return (*(faults or (passed(CHECK, f"The way back is given: {rollback.strategy}."),)), *_loss(rollback))


def _absent(*, required: bool) -> Finding:
    if not required:
        return skipped(CHECK, "No way back is asked for.")
    return failed(CHECK, "The bundle does not say how to go back.", fix=_ADD)


def _unknown() -> Finding:
    return pending(CHECK, "No bundle was handed over that says how to go back.", fix=_ADD)


def _faults(rollback: Rollback, level: Risk, losing: Collection[str], tested_from: Risk) -> Iterator[Finding]:
    if rollback.strategy != "revert" and not rollback.steps:
        fix = Fix("add-bundle-field", "Write down each step, so that somebody else can do it.", "rollback.steps")
        yield failed(CHECK, f"The strategy {rollback.strategy} has no steps.", fix=fix)
    if losing and rollback.data_loss is None:
        fix = Fix("add-bundle-field", "Say whether going back loses data.", "rollback.data_loss")
        yield failed(CHECK, f"It does not say whether going back loses data ({_areas(losing)}).", fix=fix)
    if losing and _is_mere_revert(rollback):
        reason = f"Reverting the commit alone does not bring data or schema back ({_areas(losing)})."
        fix = Fix("correct-bundle", "Give the steps that were tried, a down-migration, or data_loss: true.", "rollback")
        yield failed(CHECK, reason, fix=fix)
    if level >= tested_from and rollback.tested is not True:
        fix = Fix("correct-bundle", "Try the way back, then set rollback.tested to true.", "rollback.tested")
        yield failed(CHECK, f"At {level.word} risk the way back must have been tried.", fix=fix)


def _is_mere_revert(rollback: Rollback) -> bool:
    """A revert that claims to lose nothing, without tried steps that would make it true."""
    tried = bool(rollback.steps) and rollback.tested is True
    return rollback.strategy == "revert" and rollback.data_loss is False and not tried


def _areas(areas: Collection[str]) -> str:
    return ", ".join(sorted(areas))


def _loss(rollback: Rollback) -> Iterator[Finding]:
    if rollback.data_loss is True:
        reason = "Going back would lose data; a person has to accept that."
        yield needs_person("rollback.data-loss", reason, fix=Fix("ask-person", "Ask for a review of the rollback."))


_ADD = Fix("add-bundle-field", "Add rollback with a strategy, and steps where it is not a plain revert.", CHECK)
