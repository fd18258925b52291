"""Alterations of tests: the kind, the weight and the sentence of each, in one place."""

from __future__ import annotations

import re

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.units import Assertion, SkipScope, Unit
from checks.tampering.weakening import Turn

_OF_CI = re.compile(r"\bCI\b|GITHUB_ACTIONS|CONTINUOUS_INTEGRATION")


def altered(
    kind: str, unit: Unit, before: str, after: str, reason: str, weight: Weight, line: int | None = None
) -> Alteration:
    """`unit` is of the new side, or of the old one where the new has none."""
    before, after = before[:LONGEST_QUOTE], after[:LONGEST_QUOTE]
    return Alteration(kind, unit.path, line or unit.line, before, after, reason, weight, subject=unit.name)


def removed(unit: Unit, lost: int, weight: Weight) -> Alteration:
    """`lost` of its assertions are checked nowhere now."""
    checks = f", and {lost} of its {len(unit.assertions)} assertions are checked nowhere now" if unit.assertions else ""
    return altered("test-removed", unit, unit.body, "", f"The test `{unit.name}` is gone{checks}.", weight)


def replaced(unit: Unit) -> Alteration:
    reason = (
        f"The test `{unit.name}` is gone with code that it called, and no new test calls what stands there instead."
    )
    return altered("test-removed", unit, unit.body, "", reason, Weight.PERSON)


def removed_with_code(unit: Unit) -> Alteration:
    reason = f"The test `{unit.name}` is gone with code that it called."
    return altered("test-removed-with-code", unit, unit.body, "", reason, Weight.RISK)


def never_ran(unit: Unit) -> Alteration:
    reason = f"The test `{unit.name}` is gone; it did not count before."
    return altered("test-removed", unit, unit.body, "", reason, Weight.RISK)


def uncollected(old: Unit, new: Unit) -> Alteration:
    reason = f"The test `{old.name}` is still there as `{new.name}` in {new.path}, where no runner finds it by itself."
    return altered("test-uncollected", new, f"{old.path}: {old.name}", f"{new.path}: {new.name}", reason, Weight.FAILED)


def abandoned(old: Unit, new: Unit) -> Alteration:
    reason = f"The test `{old.name}` has moved to {new.path}, which looks like a place for tests that are not run."
    return altered("test-uncollected", new, old.path, new.path, reason, Weight.PERSON)


def emptied(old: Unit, new: Unit) -> Alteration:
    reason = f"The test `{new.name}` does not check anything any more."
    return altered("test-emptied", new, "; ".join(one.text for one in old.assertions), new.body, reason, Weight.FAILED)


def skipped(old: Unit | None, new: Unit, mark: str) -> Alteration:
    """A test that ran, or a new one (`old` is None), is skipped."""
    before = "" if old is None else old.skipped or ""
    if old is None or new.skip_scope is SkipScope.PLATFORM:
        where = "on other platforms than the usual one" if new.skip_scope is SkipScope.PLATFORM else "from the start"
        return altered("test-skipped", new, before, mark, f"`{new.name}` is skipped {where}.", Weight.RISK)
    if new.skip_scope is SkipScope.CONDITION and not _OF_CI.search(mark):
        reason = f"`{new.name}` is skipped under a condition now; whether it still runs where it counts cannot be told."
        return altered("test-skipped", new, before, mark, reason, Weight.PERSON)
    return altered("test-skipped", new, before, mark, f"`{new.name}` ran before and is skipped now.", Weight.FAILED)


def may_fail(new: Unit, mark: str, *, is_new: bool) -> Alteration:
    weight = Weight.RISK if is_new else Weight.FAILED
    return altered("test-may-fail", new, "", mark, f"`{new.name}` may fail now without failing the run.", weight)


def focused(new: Unit, mark: str) -> Alteration:
    reason = f"`{new.name}` is marked to run alone, so that other tests do not run."
    return altered("test-focused", new, "", mark, reason, Weight.FAILED)


def rows_removed(new: Unit, rows: list[str], count: int) -> Alteration:
    reason = f"`{new.name}` runs with {count} fewer rows of its table."
    return altered("rows-removed", new, ", ".join(rows), "", reason, Weight.FAILED)


def rows_computed(old: Unit, new: Unit) -> Alteration:
    reason = f"The rows of `{new.name}` are computed now; whether they are the same cannot be told."
    return altered("rows-computed", new, ", ".join(old.rows), ", ".join(new.rows), reason, Weight.RISK)


def expectation(new: Unit, before: str, after: str, line: int, *, is_borne_out: bool) -> Alteration:
    if is_borne_out:
        reason = f"`{new.name}` expects something else now, as code and tests around it do."
        return altered("expectation-changed", new, before, after, reason, Weight.RISK, line)
    reason = (
        f"`{new.name}` expects something else now, and no new test or assertion bears that out; "
        "add one that pins the new behaviour, or have a person confirm it."
    )
    return altered("expectation-changed", new, before, after, reason, Weight.PERSON, line)


def turned(turn: Turn, unit: Unit, old: Assertion, new: Assertion) -> Alteration:
    if turn is Turn.LOOSER:
        reason = f"An assertion of `{unit.name}` accepts more values than before."
        return altered("assertion-weakened", unit, old.text, new.text, reason, Weight.PERSON, new.line)
    if turn is Turn.SWALLOWED:
        reason = (
            f"An assertion of `{unit.name}` cannot fail the test any more: it is caught, conditional or never reached."
        )
        return altered("assertion-swallowed", unit, old.text, new.text, reason, Weight.FAILED, new.line)
    reason = f"An assertion of `{unit.name}` says less about the same target than before."
    return altered("assertion-weakened", unit, old.text, new.text, reason, Weight.FAILED, new.line)


def assertion_removed(unit: Unit, lost: list[Assertion], weight: Weight) -> Alteration:
    texts = "; ".join(one.text for one in lost)
    many = f"{len(lost)} assertions of `{unit.name}` are" if len(lost) > 1 else f"An assertion of `{unit.name}` is"
    why = "with code that it named" if weight is Weight.RISK else "and nothing checks that now"
    return altered("assertion-removed", unit, texts, "", f"{many} gone, {why}.", weight)


def retried(new: Unit, before: str, after: str) -> Alteration:
    reason = f"`{new.name}` is tried again when it fails, which can hide that it fails at times."
    return altered("test-retried", new, before, after, reason, Weight.PERSON)


def timeout(new: Unit, before: str, after: str) -> Alteration:
    return altered("timeout-changed", new, before, after, f"The time limit of `{new.name}` is another.", Weight.RISK)


def examples(new: Unit, before: int | None, after: int) -> Alteration:
    reason = f"`{new.name}` tries at most {after} generated examples."
    return altered("examples-lowered", new, str(before or "default"), str(after), reason, Weight.RISK)


def mocked(new: Unit, names: list[str], *, is_checked: bool) -> Alteration:
    listed = ", ".join(names)
    if is_checked:
        reason = f"`{new.name}` replaces `{listed}` and then checks what it returns, so it checks its own replacement."
        return altered("subject-mocked", new, "", listed, reason, Weight.PERSON)
    reason = f"`{new.name}` replaces code that this change touches: `{listed}`."
    return altered("subject-mocked", new, "", listed, reason, Weight.RISK)
