"""Tests as units with assertions, the same for every language; made by one adapter a language, compared by `compare`.

An adapter is a module with `read_units(path: str, source: bytes) -> FileUnits`, total over hostile sources: it never
raises, its time is linear in the size of the source, and what cannot be parsed is `parsed=False`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Strength(IntEnum):
    """How much a passing assertion says about its target, weakest first."""

    NOTHING = 0  # asserts a constant, or cannot fail
    EXISTS = 1  # truthy, defined, not null, called, no exception
    SHAPE = 2  # type, length, contains, matches, greater than, any exception
    CLOSE = 3  # equal within a tolerance, a named exception
    EXACT = 4  # equal to a value


class SkipScope(StrEnum):
    """Where a skipped test does not run."""

    ALWAYS = "always"
    CONDITION = "condition"  # on something that is neither (a variable of the environment, a missing program)
    PLATFORM = "platform"  # on other systems or versions than the usual: Linux and the newest still run it


@dataclass(frozen=True, slots=True)
class Assertion:
    """One assertion. Texts are normalised source (blanks evened, quotes unified), at most some 300 characters; what is
    expected may be some 4,000, as whole answers are compared.

    `matcher` is the canonical word: `equal`, `close`, `contains`, `matches`, `type`, `length`, `compare`, `truthy`,
    `none`, `raises`, `called`, `snapshot`, `custom:<name>`. `target` is the checked expression, `expected` what it is
    compared with. `tolerance` is the numeric bound of `close` as written. `message` texts are left out everywhere.
    `swallowed`: its failure is caught (try/except, rescue, catch) or it runs only under a condition.
    """

    line: int
    text: str
    matcher: str
    target: str
    expected: str | None
    strength: Strength
    negated: bool = False
    tolerance: str | None = None
    swallowed: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """One test function, method or block.

    `name` is qualified inside its file (`TestCart.test_total`, `cart > adds an item`). `skipped` and `focused` are the
    marker's source where there is one (of the unit or of what encloses it). `cases` is the number of written rows of a
    parametrised test, 1 otherwise and 0 where they are computed or stand elsewhere. `body` is the normalised source
    without comments and without its own name, for recognising a moved test; it includes the written rows of a
    parametrised test, since other tests may have become rows. `calls` are the names of functions called in it, as
    written. `may_fail`: an expected failure, which the run does not count as one (xfail, `it.failing`, `todo`).
    `collected` is false where the runner would not find it by its own rules (the file's or function's name, the
    folder), so that only the project's settings can make it a test.
    """

    path: str
    name: str
    line: int
    end_line: int
    assertions: tuple[Assertion, ...]
    body: str
    calls: frozenset[str] = frozenset()
    skipped: str | None = None
    focused: str | None = None
    may_fail: str | None = None
    cases: int = 1
    retries: str | None = None  # the marker that retries it
    timeout: str | None = None
    collected: bool = True
    skip_scope: SkipScope = SkipScope.ALWAYS  # of `skipped`
    mocks: frozenset[str] = frozenset()  # what it replaces, dotted as far as written (`shop.cart.total`)
    examples: int | None = None  # a property test's bound on generated examples, where one is written
    rows: tuple[str, ...] = ()  # the written rows of a parametrised test, normalised, as far as the adapter reads them


@dataclass(frozen=True, slots=True)
class FileUnits:
    """What one side of a file holds.

    `helpers` are functions that assert and are no tests themselves, in the same form and in whatever file: an assertion
    that moved into one is not lost, and a test that became one does not run any more. A function named like an
    assertion (`assert_…`, `check_…`, `expect…`) is one even where it asserts nothing. `defines` are the names, without
    their class or module, of product code that the file defines (functions, classes, methods), so that a test deleted
    with what it tested is recognised.
    """

    path: str
    units: tuple[Unit, ...] = ()
    helpers: tuple[Unit, ...] = ()
    defines: frozenset[str] = frozenset()
    parsed: bool = True
    is_test_file: bool = False
