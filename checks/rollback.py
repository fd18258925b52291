"""Whether the way back is given and fits the change."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import re2

from checks.bundle import Bundle
from checks.bundle_schema import Rollback
from checks.finding import Evidence, Finding, Fix, failed, needs_person, passed, pending, skipped
from checks.snapshot import Risk, Snapshot
from checks.tampering.alteration import Alteration, Analysis
from checks.tampering.migrations import KIND
from checks.unread import Unread

CHECK = "rollback"
REVERT = "rollback.revert"
MIGRATION = "rollback.migration"
_SHOWN = 10  # migrations
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
    change: Snapshot | None = None,
) -> tuple[Finding, ...]:
    """Finding `rollback`, and `rollback.data-loss` (needs a person) where data would be lost.

    From the risk `tested_from` on, the way back must have been tried. `offline`: no bundle was handed over for a local
    judgement, and whether GitHub has one is not known. With the `change` itself also `rollback.revert`, where a revert
    is the way back, and `rollback.migration`, where a migration of it has none.
    """
    rollback = None if bundle is None else bundle.rollback
    migrations = () if change is None else _one_way(change.analysis)
    if rollback is None and offline:
        return (_unknown() if required else _absent(required=False),)
    if rollback is None:
        return (_absent(required=required), *_unanswered(None, migrations))
    losing = _LOSING & set(areas)
    faults = (*_stubs(rollback, losing), *_faults(rollback, level, losing, tested_from))
    return (
        *(faults or (passed(CHECK, f"The way back is given: {rollback.strategy}."),)),
        *(() if change is None or rollback.strategy != "revert" else (_reverted(change),)),
        *_unanswered(rollback, migrations),
        *_loss(rollback),
    )


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


def _reverted(change: Snapshot) -> Finding:
    """Whether `git revert` undoes what lands, as soon as it has landed.

    A revert is a three-way merge of the commit (as the base), the branch's tip and the commit's parent. At that moment
    the first two are the same files, so git takes the third side as it is: for `-m 1` of a merge and for a squash the
    target's tip, and for a rebase, newest commit first, the same in as many steps. So it applies cleanly wherever it is
    known what lands. https://git-scm.com/docs/git-revert
    """
    lands = change.merge_diff
    if isinstance(lands, Unread):
        return pending(REVERT, f"What would land, and be reverted, is not known: {lands.because}.", fix=_UPDATE)
    if lands.complete and not lands.files:
        return skipped(REVERT, "Nothing would land, so that there is nothing to revert.")
    tip = Evidence("target branch", digest=change.target_sha)
    reason = f"`git revert` of what lands applies cleanly and leaves the files of `{change.target_sha[:12]}`."
    return passed(REVERT, reason, tip)


def _one_way(analysis: Analysis | Unread | None) -> tuple[Alteration, ...]:
    found = analysis.alterations if isinstance(analysis, Analysis) else ()
    return tuple(each for each in found if each.kind == KIND)


def _unanswered(rollback: Rollback | None, migrations: Sequence[Alteration]) -> Iterator[Finding]:
    """Migrations that cannot go back, where the bundle does not say that this loses data, or how it was tried."""
    if not migrations or (rollback is not None and (rollback.data_loss is True or _is_tried_down(rollback))):
        return
    first = migrations[0]
    more = f" And {len(migrations) - 1} more." if len(migrations) > 1 else ""
    reason = f"A migration has no way back: `{first.path}` line {first.line}. {first.reason}{more}"
    evidence = [Evidence(each.reason, path=each.path, start_line=each.line) for each in migrations[:_SHOWN]]
    yield failed(MIGRATION, reason, *evidence, fix=_WRITE_BACK)


def _is_tried_down(rollback: Rollback) -> bool:
    return rollback.strategy == "down-migration" and rollback.tested is True and bool(rollback.steps)


def _areas(areas: Collection[str]) -> str:
    return ", ".join(sorted(areas))


def _loss(rollback: Rollback) -> Iterator[Finding]:
    if rollback.data_loss is True:
        reason = "Going back would lose data; a person has to accept that."
        yield needs_person("rollback.data-loss", reason, fix=Fix("ask-person", "Ask for a review of the rollback."))


_STEP = Fix("correct-bundle", "Write what is done, with commands and names, or leave the step out.", "rollback.steps")
_UPDATE = Fix("update-branch", "Merge or rebase onto the target branch and push; the gate tries it again.")
_WRITE_BACK = Fix(
    "correct-bundle",
    "Write the way back into the migration, or give the strategy down-migration with steps that were tried, "
    "or set rollback.data_loss to true, so that a person can accept it.",
    "rollback",
)
_ADD = Fix("add-bundle-field", "Add rollback with a strategy, and steps where it is not a plain revert.", CHECK)
