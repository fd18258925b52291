"""The whole analysis of a change: tests against tests, and what else can keep them from judging it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from checks.tampering import (
    configuration,
    content_risk,
    foreign,
    migrations,
    own_subjects,
    python_patterns,
    source_patterns,
    surface,
    workflow_edits,
)
from checks.tampering.alteration import MOST_ALTERATIONS, Alteration, Analysis, Weight
from checks.tampering.change import Change, Version
from checks.tampering.compare import compare
from checks.tampering.configuration import steers_tests
from checks.tampering.kept_tests import is_test_source
from checks.tampering.product import Product
from checks.tampering.settings.precedence import unchanged_files
from checks.tampering.sides import read_sides

# What looks at changed files by other means than comparing tests, one line each.
_PARTS: tuple[Callable[[Sequence[Change]], Iterable[Alteration]], ...] = (
    foreign.alterations,
    python_patterns.alterations,
    source_patterns.alterations,
    own_subjects.alterations,
    surface.alterations,
    content_risk.alterations,
    migrations.alterations,
)
_ORDER = (Weight.FAILED, Weight.PERSON, Weight.RISK)


def analyse(changes: Sequence[Change], tree: Collection[str] = ()) -> Analysis:
    """What the changed files do to the tests that judge them, the heaviest first.

    `tree` are all paths of the resulting tree, where they are known. Among `changes` may be files that are the same on
    both sides: settings that new ones may put out of force (`settings.precedence`).
    """
    beside = unchanged_files(changes)
    changes = [change for change in changes if _differs(change)]
    sides = read_sides(changes)
    comparison = compare(sides.before, sides.after, sides.renamed, Product(changes))
    others = (alteration for part in _PARTS for alteration in part(changes))
    steering = _steering(changes, tree, beside)
    found = sorted(dict.fromkeys((*comparison.alterations, *others, *steering)), key=_place)
    return Analysis(
        alterations=tuple(found[:MOST_ALTERATIONS]),
        unread=tuple(sides.unread),
        cut=comparison.cut or len(found) > MOST_ALTERATIONS,
        tests_before=sum(len(file.units) for file in sides.before),
        tests_after=sum(len(file.units) for file in sides.after),
    )


def _steering(changes: Sequence[Change], tree: Collection[str], beside: Mapping[str, Version]) -> Iterator[Alteration]:
    """What settings, commands and workflows do. Only for these the tree's tests are picked out."""
    steers = any(steers_tests(path) for change in changes for path in change.paths)
    tests = tuple(filter(is_test_source, tree)) if steers else ()
    yield from configuration.alterations(changes, tests, beside)
    yield from workflow_edits.alterations(changes, tests)


def _differs(change: Change) -> bool:
    return change.before != change.after


def _place(alteration: Alteration) -> tuple[int, str, int, str]:
    return _ORDER.index(alteration.weight), alteration.path, alteration.line or 0, alteration.kind
