"""Whether the way back is given and fits the change."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import re2

from checks.bundle import Bundle
from checks.bundle_schema import Rollback
from checks.finding import Finding, Fix, failed, needs_person, passed, pending, skipped
from checks.snapshot import Risk

CHECK = "rollback"
_LOSING = frozenset({"data-deletion", "migration"})
_WORD = re2.compile(r"[\p{L}\p{N}]+")
_EMPTY = frozenset(
    [
        *("", "tbd", "tba", "todo", "fixme", "wip", "n a", "na", "none", "nothing", "unknown", "later", "if needed"),
        *("to be determined", "to be decided", "to be done", "not applicable", "not needed", "see above", "see pr"),
    ]
)
# Enough where a revert brings everything back; not where data or schema would stay lost.
_MERE_WORDS = re2.compile(
    r"^(?:just |simply |we can |we could |git )*(?:revert|rollback|roll back|undo)"
    r"(?: it| this| that| the| pr| pull| request| change| changes| commit| merge| migration| head)*"
    r"(?: (?:if|when|as) (?:needed|necessary|required|anything breaks|something breaks|it breaks))?$"
)


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
    losing = _LOSING & set(areas)
    faults = (*_stubs(rollback, losing), *_faults(rollback, level, losing, tested_from))
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


def _stubs(rollback: Rollback, losing: Collection[str]) -> Iterator[Finding]:
    """Finding `rollback.stub`: steps that nobody could follow, or that do not bring back what would be lost."""
    said = {step: " ".join(_WORD.findall(step.casefold())) for step in rollback.steps}
    empty = [step for step, words in said.items() if words in _EMPTY]
    mere = [step for step, words in said.items() if _MERE_WORDS.match(words)] if losing else []
    for step in (*empty, *(mere if len(mere) == len(said) else ())):
        reason = f"A step of the way back says nothing that brings it back: `{step[:100]}`."
        yield failed("rollback.stub", reason, fix=_STEP)


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


_STEP = Fix("correct-bundle", "Write what is done, with commands and names, or leave the step out.", "rollback.steps")
_ADD = Fix("add-bundle-field", "Add rollback with a strategy, and steps where it is not a plain revert.", CHECK)
