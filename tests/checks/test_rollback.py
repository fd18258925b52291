"""Rollback: given where asked for, and fitting to what the change does."""

from __future__ import annotations

from typing import Any

import pytest

from checks.finding import Evidence, Finding, Fix, Status
from checks.rollback import check
from checks.snapshot import Risk
from checks.tampering.alteration import Alteration, Analysis, Weight
from checks.unread import Unread
from tests.checks import build

LOW, MEDIUM, HIGH, CRITICAL = Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL


def _check(rollback: dict[str, Any] | None, level: Risk = LOW, *areas: str, **more: Any) -> tuple[Finding, ...]:
    return check(build.bundle(rollback=rollback), level, areas, required=True, **more)


@pytest.mark.parametrize("bundle", [None, build.bundle(rollback=None)])
def test_absent(bundle: Any) -> None:
    assert check(bundle, LOW, (), required=False) == (Finding("rollback", Status.SKIPPED, "No way back is asked for."),)
    assert check(bundle, LOW, (), required=True) == (
        Finding(
            "rollback",
            Status.FAILED,
            "The bundle does not say how to go back.",
            fix=Fix(
                "add-bundle-field",
                "Add rollback with a strategy, and steps where it is not a plain revert.",
                "rollback",
            ),
        ),
    )


def test_absent_from_a_local_judgement() -> None:
    assert check(None, LOW, (), required=False, offline=True)[0].status is Status.SKIPPED
    assert check(None, LOW, (), required=True, offline=True) == (
        Finding(
            "rollback",
            Status.PENDING,
            "No bundle was handed over that says how to go back.",
            fix=Fix(
                "add-bundle-field",
                "Add rollback with a strategy, and steps where it is not a plain revert.",
                "rollback",
            ),
        ),
    )


def test_what_is_given_is_looked_at_also_where_it_is_not_asked_for() -> None:
    bundle = build.bundle(rollback={"strategy": "manual"})
    assert [each.status for each in check(bundle, LOW, (), required=False)] == [Status.FAILED]


@pytest.mark.parametrize("strategy", ["manual", "flag-off", "down-migration"])
def test_everything_but_a_revert_needs_steps(strategy: str) -> None:
    (finding,) = _check({"strategy": strategy})
    assert finding == Finding(
        "rollback",
        Status.FAILED,
        f"The strategy {strategy} has no steps.",
        fix=Fix("add-bundle-field", "Write down each step, so that somebody else can do it.", "rollback.steps"),
    )
    (finding,) = _check({"strategy": strategy, "steps": ["Call Ann."]})
    assert finding == Finding("rollback", Status.PASSED, f"The way back is given: {strategy}.")


def test_a_plain_revert_needs_nothing_more() -> None:
    assert _check({"strategy": "revert"}) == (Finding("rollback", Status.PASSED, "The way back is given: revert."),)


NO_WORD = "It does not say whether going back loses data ({})."
MERE = "Reverting the commit alone does not bring data or schema back ({})."
TRIED = "At {} risk the way back must have been tried."


@pytest.mark.parametrize(
    ("rollback", "areas", "reasons"),
    [
        ({"strategy": "revert"}, ("migration",), [NO_WORD.format("migration")]),
        ({"strategy": "revert", "data_loss": False}, ("migration",), [MERE.format("migration")]),
        (
            {"strategy": "revert", "data_loss": False},
            ("ci", "migration", "data-deletion"),
            [MERE.format("data-deletion, migration")],
        ),
        (
            {"strategy": "revert", "data_loss": False, "tested": True},
            ("data-deletion",),
            [MERE.format("data-deletion")],
        ),
        ({"strategy": "revert", "data_loss": False, "steps": ["x"]}, ("migration",), [MERE.format("migration")]),
        (
            {"strategy": "revert", "data_loss": False, "steps": ["x"], "tested": False},
            ("migration",),
            [MERE.format("migration")],
        ),
        ({"strategy": "revert", "data_loss": False, "steps": ["x"], "tested": True}, ("migration",), []),
        ({"strategy": "down-migration", "data_loss": False, "steps": ["x"]}, ("migration",), []),
        ({"strategy": "down-migration", "steps": ["x"]}, ("migration",), [NO_WORD.format("migration")]),
        (
            {"strategy": "manual"},
            ("data-deletion",),
            ["The strategy manual has no steps.", NO_WORD.format("data-deletion")],
        ),
        ({"strategy": "revert", "data_loss": False}, ("ci", "payment"), []),
        ({"strategy": "revert"}, ("ci", "payment"), []),
    ],
)
def test_data_and_schema_do_not_come_back_by_a_revert(rollback: Any, areas: Any, reasons: list[str]) -> None:
    findings = _check(rollback, LOW, *areas)
    assert [each.reason for each in findings if each.status is Status.FAILED] == reasons
    assert any(each.status is Status.PASSED for each in findings) is not bool(reasons)


@pytest.mark.parametrize(
    ("level", "tested", "tested_from", "enough"),
    [
        (MEDIUM, None, HIGH, True),
        (HIGH, None, HIGH, False),
        (HIGH, False, HIGH, False),
        (HIGH, True, HIGH, True),
        (CRITICAL, False, HIGH, False),
        (HIGH, False, CRITICAL, True),
        (LOW, False, LOW, False),
    ],
)
def test_from_high_risk_on_it_must_have_been_tried(level: Risk, tested: Any, tested_from: Risk, enough: bool) -> None:
    rollback = {"strategy": "revert", "data_loss": False} | ({} if tested is None else {"tested": tested})
    (finding,) = _check(rollback, level, tested_from=tested_from)
    assert finding.status is (Status.PASSED if enough else Status.FAILED)
    if not enough:
        assert finding.reason == TRIED.format(level.word)
        assert finding.fix == Fix(
            "correct-bundle", "Try the way back, then set rollback.tested to true.", "rollback.tested"
        )


def test_from_high_risk_on_is_the_default() -> None:
    assert _check({"strategy": "revert"}, HIGH)[0].status is Status.FAILED
    assert _check({"strategy": "revert"}, MEDIUM)[0].status is Status.PASSED


def test_each_fault_says_its_field() -> None:
    findings = _check({"strategy": "revert", "data_loss": False}, HIGH, "migration")
    assert [each.fix.field if each.fix else None for each in findings] == ["rollback", "rollback.tested"]
    assert findings[0].fix is not None
    assert findings[0].fix == Fix(
        "correct-bundle", "Give the steps that were tried, a down-migration, or data_loss: true.", "rollback"
    )
    (finding,) = _check({"strategy": "revert"}, LOW, "migration")
    assert finding.fix == Fix("add-bundle-field", "Say whether going back loses data.", "rollback.data_loss")


def test_a_loss_of_data_needs_a_person() -> None:
    findings = _check({"strategy": "revert", "data_loss": True}, LOW, "migration")
    assert findings == (
        Finding("rollback", Status.PASSED, "The way back is given: revert."),
        Finding(
            "rollback.data-loss",
            Status.PENDING,
            "Going back would lose data; a person has to accept that.",
            fix=Fix("ask-person", "Ask for a review of the rollback."),
            needs_person=True,
        ),
    )
    assert len(_check({"strategy": "manual", "data_loss": True})) == 2


@pytest.mark.parametrize("step", ["TBD", "to be determined.", "n/a", "N.A.", "-", "…", "Revert later: TODO", "none"])
def test_a_step_that_says_nothing(step: str) -> None:
    findings = _check({"strategy": "manual", "steps": ["Stop the worker.", step]})
    stub = step != "Revert later: TODO"
    assert [each.check for each in findings] == (["rollback.stub"] if stub else ["rollback"])
    if stub:
        assert findings[0].status is Status.FAILED
        assert findings[0].reason == f"A step of the way back says nothing that brings it back: `{step}`."
        assert findings[0].fix is not None
        assert (findings[0].fix.action, findings[0].fix.field) == ("correct-bundle", "rollback.steps")


@pytest.mark.parametrize("area", ["migration", "data-deletion"])
@pytest.mark.parametrize("step", ["Revert if needed", "git revert the merge commit", "We can roll back this change."])
def test_a_mere_revert_of_a_migration_is_a_stub(area: str, step: str) -> None:
    findings = _check({"strategy": "manual", "steps": [step], "data_loss": False, "tested": True}, HIGH, area)
    assert [each.check for each in findings] == ["rollback.stub"]
    assert _check({"strategy": "manual", "steps": [step], "tested": True}, HIGH)[0].status is Status.PASSED


def test_a_revert_beside_a_real_step_is_none() -> None:
    steps = ["alembic downgrade -1", "Revert the pull request"]
    findings = _check({"strategy": "manual", "steps": steps, "data_loss": False, "tested": True}, HIGH, "migration")
    assert [(each.check, each.status) for each in findings] == [("rollback", Status.PASSED)]


def test_both_kinds_of_stub_are_told_once_each() -> None:
    findings = _check({"strategy": "manual", "steps": ["tbd", "Revert it"], "data_loss": False}, LOW, "migration")
    assert [each.check for each in findings] == ["rollback.stub"]
    only = _check({"strategy": "manual", "steps": ["Undo it", "Revert it"], "data_loss": False}, LOW, "migration")
    assert [each.check for each in only] == ["rollback.stub", "rollback.stub"]


def test_steps_may_be_in_any_language() -> None:
    findings = _check({"strategy": "manual", "steps": ["フラグを切る", "откатить схему"]})
    assert [each.status for each in findings] == [Status.PASSED]


def test_a_long_stub_is_cut() -> None:
    findings = _check({"strategy": "manual", "steps": ["just " * 40 + "revert"], "data_loss": False}, LOW, "migration")
    assert findings[0].reason == f"A step of the way back says nothing that brings it back: `{('just ' * 40)[:100]}`."


def _of_change(rollback: dict[str, Any] | None, **changes: Any) -> tuple[Finding, ...]:
    return _check(rollback, change=build.snapshot(**changes))


def test_a_revert_of_what_lands_is_tried() -> None:
    lands = {"merge_diff": build.diff("a.py"), "target_sha": "b2" * 20}
    given, tried = _of_change({"strategy": "revert"}, **lands)
    assert given.check == "rollback"
    assert tried == Finding(
        "rollback.revert",
        Status.PASSED,
        "`git revert` of what lands applies cleanly and leaves the files of `b2b2b2b2b2b2`.",
        (Evidence("target branch", digest="b2" * 20),),
    )
    assert len(_of_change({"strategy": "manual", "steps": ["Switch it off."]}, **lands)) == 1


def test_a_revert_of_what_is_not_known_is_pending() -> None:
    _, tried = _of_change({"strategy": "revert"}, merge_diff=Unread("the merge conflicts"))
    assert tried == Finding(
        "rollback.revert",
        Status.PENDING,
        "What would land, and be reverted, is not known: the merge conflicts.",
        fix=Fix("update-branch", "Merge or rebase onto the target branch and push; the gate tries it again."),
    )


def test_nothing_cannot_be_reverted() -> None:
    _, tried = _of_change({"strategy": "revert"}, merge_diff=build.diff())
    assert (tried.status, tried.reason) == (Status.SKIPPED, "Nothing would land, so that there is nothing to revert.")
    assert _of_change({"strategy": "revert"}, merge_diff=build.diff(complete=False))[1].status is Status.PASSED


def _migration(path: str = "db/1.up.sql", kind: str = "migration-without-way-back") -> Alteration:
    reason = "No file of the change takes it back."
    return Alteration(kind, path, 3, "", "CREATE", reason, Weight.RISK, path, "migration")


def _migrating(rollback: dict[str, Any] | None, *found: Alteration, **more: Any) -> list[tuple[str, Status]]:
    change = build.snapshot(analysis=Analysis(found or (_migration(),)))
    given = _check(rollback, change=change, **more)
    return [(each.check, each.status) for each in given if each.check not in ("rollback", "rollback.revert")]


FAILED = [("rollback.migration", Status.FAILED)]
DOWN = {"strategy": "down-migration", "steps": ["alembic downgrade -1"], "tested": True}


@pytest.mark.parametrize(
    ("rollback", "told"),
    [
        ({"strategy": "revert"}, FAILED),
        ({"strategy": "revert", "data_loss": False}, FAILED),
        ({"strategy": "revert", "data_loss": True}, [("rollback.data-loss", Status.PENDING)]),
        (DOWN, []),
        ({**DOWN, "tested": False}, FAILED),
        ({**DOWN, "steps": []}, FAILED),
        ({**DOWN, "strategy": "manual"}, FAILED),
        (None, FAILED),
    ],
)
def test_a_migration_without_its_way_back_must_be_answered_for(
    rollback: dict[str, Any] | None, told: list[tuple[str, Status]]
) -> None:
    assert _migrating(rollback) == told
    assert _migrating(rollback, _migration(kind="data-dropped")) == [each for each in told if each not in FAILED]


def test_which_migration() -> None:
    change = build.snapshot(analysis=Analysis((_migration(), _migration("db/2.up.sql"))))
    found = _check({"strategy": "manual", "steps": ["Switch it off."]}, change=change)[1]
    assert found == Finding(
        "rollback.migration",
        Status.FAILED,
        "A migration has no way back: `db/1.up.sql` line 3. No file of the change takes it back. And 1 more.",
        tuple(
            Evidence("No file of the change takes it back.", path=path, start_line=3)
            for path in ("db/1.up.sql", "db/2.up.sql")
        ),
        Fix(
            "correct-bundle",
            "Write the way back into the migration, or give the strategy down-migration with steps that were tried, "
            "or set rollback.data_loss to true, so that a person can accept it.",
            "rollback",
        ),
    )
    many = build.snapshot(analysis=Analysis(tuple(_migration(f"{number}.up.sql") for number in range(12))))
    crowded = _check({"strategy": "revert"}, change=many)[2]
    assert len(crowded.evidence) == 10
    assert crowded.reason.endswith(" And 11 more.")
    one = _check({"strategy": "revert"}, change=build.snapshot(analysis=Analysis((_migration(),))))[2]
    assert one.reason.endswith("takes it back.")


@pytest.mark.parametrize("analysis", [None, Unread("it was too slow"), Analysis(())])
def test_without_an_analysis_no_migration_is_known(analysis: Any) -> None:
    checks = [each.check for each in _of_change({"strategy": "revert"}, analysis=analysis)]
    assert checks == ["rollback", "rollback.revert"]


def test_a_local_judgement_without_a_bundle_asks_for_it_first() -> None:
    assert _migrating(None, offline=True) == []
    change = build.snapshot(analysis=Analysis((_migration(),)))
    assert [each.check for each in check(None, LOW, (), required=False, change=change)] == [
        "rollback",
        "rollback.migration",
    ]
