"""What a change does to the commands that run tests, over the whole difference.

A run that only moves, or is joined by others, is the same run. A weakness counts as *failed* where it takes the place
of a run that did not have it; a new run that has it from the start takes nothing away and only raises the risk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.commands.arguments import is_narrower, loses_nothing, loses_tests, named_places
from checks.tampering.commands.matching import Placed, match_runs
from checks.tampering.commands.options import Weakening, strictness, weakenings
from checks.tampering.commands.runners import TESTS, Program
from checks.tampering.commands.runs import CONTINUED, PIPED, SWALLOWED, Run
from checks.tampering.commands.scope import Scope, does_nothing
from checks.tampering.commands.thresholds import crossed_bars
from checks.tampering.kept_tests import KeptTests, mentions_tests, names_one_test

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
ScopesOf = Callable[[Version], Sequence[Scope]]


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of all changed files: their runs, and what stands in each place by (change, name)."""

    runs: tuple[Placed, ...]
    scopes: dict[tuple[int, str], Scope]


@dataclass(frozen=True, slots=True)
class _Around:
    """What else counts for one run: kept tests, how many runs of a tool are more than before, runs that are new."""

    kept: KeptTests
    more: Counter[str] = field(default_factory=Counter)
    added: tuple[Placed, ...] = ()

    def grew(self, tool: str) -> bool:
        return self.more[tool] > 0


def compare_runs(
    changes: Sequence[Change], scopes_of: ScopesOf, kept: KeptTests, gone: Callable[[Change], bool]
) -> Iterator[Alteration]:
    """Alterations in the order of the pairs. `gone` says of a removed file that all that it tested is gone with it."""
    before = _side([(number, change.before) for number, change in enumerate(changes) if not gone(change)], scopes_of)
    after = _side([(number, change.after) for number, change in enumerate(changes)], scopes_of)
    matching = match_runs(before.runs, after.runs)
    around = _Around(kept, _tools(after) - _tools(before), tuple(new for new in matching.added if not new.implied))
    for old, new in matching.pairs:
        yield from _weaker(old, new, around)
    for old in matching.lost:
        yield from _lost(old, after)
    for new in matching.added:
        yield from _weaker(_without_options(new), new, _Around(kept)) if new.implied else _new_run(new)


def _tools(side: _Side) -> Counter[str]:
    return Counter(each.tool for each in side.runs if not each.implied)


def _side(versions: Sequence[tuple[int, Version | None]], scopes_of: ScopesOf) -> _Side:
    runs: list[Placed] = []
    scopes: dict[tuple[int, str], Scope] = {}
    for number, version in versions:
        for scope in () if version is None else scopes_of(version):
            scopes[number, scope.name] = scope
            runs += [Placed(number, version.path, scope.name, run, scope.implied) for run in scope.runs if version]
    return _Side(tuple(runs), scopes)


def _without_options(run: Placed) -> Placed:
    """A runner that gets no options from its settings runs without any."""
    return replace(run, run=Run(Program(run.tool, TESTS, ()), run.run.line, ""))


def _weaker(old: Placed, new: Placed, around: _Around) -> Iterator[Alteration]:
    yield from _hidden(old, new, around)
    if old.tool != new.tool:
        yield _alteration("runner-exchanged", old, new, RISK, f"Tests that {old.tool} ran are now run by {new.tool}.")
        had = {each.kind for each in weakenings(old.run.program)}
        options = (*weakenings(new.run.program), *crossed_bars(Program(new.tool, TESTS, ()), new.run.program))
        came = [each for each in options if each.kind in _WHATEVER_RUNS - had]
        yield from (_of(each, old, new, PERSON) for each in came)
        return
    known = {(each.kind, each.text) for each in weakenings(old.run.program)}
    kinds = {kind for kind, _ in known}
    for each in weakenings(new.run.program):
        if (each.kind, each.text) not in known:
            weight = _weight(each, around.kept, changed=each.kind in kinds, grew=around.grew(new.tool))
            if weight is not None:
                yield _of(each, old, new, weight)
    yield from (_of(each, old, new, each.weight) for each in crossed_bars(old.run.program, new.run.program))
    yield from _narrower(old, new, around)
    yield from _less_strict(old, new)


def _hidden(old: Placed, new: Placed, around: _Around) -> Iterator[Alteration]:
    hidden = new.run.hidden
    elsewhere = {each.run.condition for each in around.added}  # such as the other branch
    asked = new.run.condition not in ("", *elsewhere) and not old.run.condition
    if asked and new.purpose == TESTS and hidden is None:
        reason = f"The tests run only if `{_short(new.run.condition)}`; before, they always did."
        yield _alteration("conditional-test", old, new, PERSON, reason)
    if hidden is None or old.run.hidden is not None:
        return
    certain = new.purpose == TESTS and "${{" not in hidden.by  # an expression may be true for some legs only
    reason = f"`{_short(hidden.by)}` {_HIDES[hidden.kind]}; before, the failure of this run decided."
    found = _alteration(hidden.kind, old, new, FAILED if certain else PERSON, reason)
    yield replace(found, after=f"{new.run.text} {hidden.by}"[:LONGEST_QUOTE])


_WHATEVER_RUNS = frozenset({"retries-raised", "nothing-runs", "failures-ignored"})
_HIDES = {
    SWALLOWED: "throws the exit code of a run away",
    PIPED: "takes the exit code of another command for that of a run",
    CONTINUED: "lets the job go on as if a run had passed",
}


def _new_run(new: Placed) -> Iterator[Alteration]:
    hidden = new.run.hidden
    if hidden is not None and new.purpose == TESTS:
        reason = f"A new test run cannot fail: `{_short(hidden.by)}` hides its exit code."
        yield _alteration(hidden.kind, None, new, RISK, reason)


def _weight(each: Weakening, kept: KeptTests, *, changed: bool, grew: bool) -> Weight | None:
    """What an option that was not there before weighs, None for nothing.

    An exclusion is *failed* where it takes out a test that is still there. Where the same runner runs more often than
    before, the tests may be split over the runs, which a person must see; and so is an exclusion that was only changed.
    """
    if each.kind != "collection-narrowed" or not each.style:
        return each.weight
    if each.style == "id" and each.value.partition("::")[0] in kept.removed:
        return None
    if kept.taken_out(each.style, each.value) is not None or names_one_test(each.value):
        return FAILED
    if each.style in ("path", "glob", "regex"):
        return PERSON if mentions_tests(each.value) else RISK
    if each.weight is FAILED:
        return PERSON if grew or changed else FAILED
    return RISK if grew else PERSON


def _of(each: Weakening, old: Placed, new: Placed, weight: Weight) -> Alteration:
    return _alteration(each.kind, old, new, weight, f"With `{_short(each.text)}` the test run {each.says}.")


def _narrower(old: Placed, new: Placed, around: _Around) -> Iterator[Alteration]:
    """A run may be split in several, which together name all that it named."""
    was, now = named_places(old.run.program), named_places(new.run.program)
    others = [named_places(each.run.program) for each in around.added if each.tool == new.tool]
    together = [*now, *(place for other in others for place in other)]
    if new.implied or () in others or not is_narrower(was, together):
        return
    if loses_nothing(new.tool, was, together, around.kept):
        return
    weight = FAILED if not others and loses_tests(new.tool, was, now, around.kept) else PERSON
    reason = f"The test run names only `{_short(' '.join(now))}`, less than before."
    yield _alteration("collection-narrowed", old, new, weight, reason)


def _less_strict(old: Placed, new: Placed) -> Iterator[Alteration]:
    missing = sorted(strictness(old.run.program) - strictness(new.run.program))
    if missing:
        reason = f"The run lost `{_short(' '.join(missing))}`, which made it stricter."
        yield _alteration("runner-configuration", old, new, RISK, reason)


def _lost(old: Placed, after: _Side) -> Iterator[Alteration]:
    """A run that is nowhere any more."""
    if old.implied:
        bare = _without_options(old)
        yield from (_of(each, old, bare, each.weight) for each in crossed_bars(old.run.program, bare.run.program))
        yield from _less_strict(old, bare)
        return
    scope = after.scopes.get((old.change, old.scope))
    if scope is not None and old.purpose == TESTS:
        yield _replaced(old, scope)
        return
    others = any(each.change == old.change and each.purpose == TESTS for each in after.runs)
    weight = PERSON if old.purpose == TESTS and not others else RISK
    what = "test run" if old.purpose == TESTS else "check"
    reason = f"The {what} `{_short(old.run.text)}` is not run here any more."
    yield Alteration("test-run-removed", old.path, old.run.line, old.run.text, "", reason, weight, old.path)


def _replaced(old: Placed, scope: Scope) -> Alteration:
    """The place is still there under its name and runs no tests."""
    said = scope.body.strip() or "nothing"
    weight = FAILED if does_nothing(scope.body) else PERSON
    reason = f"What ran the tests here now runs `{_short(said)}`."
    after = said[:LONGEST_QUOTE]
    return Alteration("runner-replaced", old.path, scope.line, old.run.text, after, reason, weight, old.path)


def _alteration(kind: str, old: Placed | None, new: Placed, weight: Weight, reason: str) -> Alteration:
    before = "" if old is None else old.run.text
    return Alteration(kind, new.path, new.run.line, before, new.run.text, reason, weight, new.path)


def _short(text: str) -> str:
    """At most 120 characters on one line, for a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= 120 else line[:119] + "…"
