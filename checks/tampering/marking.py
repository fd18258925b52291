"""What is marked on a test: skipped, focused, allowed to fail, retried, with other limits, with other rows."""

from __future__ import annotations

from collections.abc import Iterator

from checks.tampering import sentences
from checks.tampering.alteration import Alteration
from checks.tampering.places import folders_of_no_run
from checks.tampering.units import SkipScope, Unit

_HEAVIER = {SkipScope.PLATFORM: 1, SkipScope.CONDITION: 2, SkipScope.ALWAYS: 3}
_DEFAULT_EXAMPLES = (
    100  # https://hypothesis.readthedocs.io/en/latest/reference/api.html#hypothesis.settings.max_examples
)


def runs(unit: Unit) -> bool:
    """Whether a failure of it counts."""
    never = unit.skipped is not None and unit.skip_scope is SkipScope.ALWAYS
    return unit.collected and not never and unit.may_fail is None


def compare_marks(old: Unit, new: Unit) -> Iterator[Alteration]:
    """Of one test on both sides."""
    if old.collected and not new.collected:
        yield sentences.uncollected(old, new)
    elif folders_of_no_run(new.path) - folders_of_no_run(old.path):
        yield sentences.abandoned(old, new)
    if new.skipped and _skip_weight(new) > _skip_weight(old):
        yield sentences.skipped(old, new, new.skipped)
    if new.may_fail and not old.may_fail:
        yield sentences.may_fail(new, new.may_fail, is_new=False)
    if new.focused and not old.focused:
        yield sentences.focused(new, new.focused)
    yield from _limits(old, new)


def marks_of_new(new: Unit) -> Iterator[Alteration]:
    """Of a test that only the new side has."""
    if new.skipped:
        yield sentences.skipped(None, new, new.skipped)
    if new.may_fail:
        yield sentences.may_fail(new, new.may_fail, is_new=True)
    if new.focused:
        yield sentences.focused(new, new.focused)


def _limits(old: Unit, new: Unit) -> Iterator[Alteration]:
    if new.retries and new.retries != old.retries:
        yield sentences.retried(new, old.retries or "", new.retries)
    if new.timeout != old.timeout:
        yield sentences.timeout(new, old.timeout or "", new.timeout or "")
    if new.examples is not None and new.examples < (old.examples or _DEFAULT_EXAMPLES):
        yield sentences.examples(new, old.examples, new.examples)


def _skip_weight(unit: Unit) -> int:
    return _HEAVIER[unit.skip_scope] if unit.skipped else 0
