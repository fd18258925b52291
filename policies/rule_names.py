"""Rules that name others: every name exists, none leads back to itself, and none is left that would never hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from checks.document import Document, Path
from policies.errors import PolicyError, did_you_mean, error_at
from policies.rule_parts import all_demands
from policies.rule_sections import Rule
from policies.schema import Policy

DEEPEST = 10  # rules that name one another in a row

_Names = list[tuple[Path, str]]


def name_errors(document: Document, policy: Policy) -> Iterator[PolicyError]:
    """Errors at the places where one rule names another; of cycles only the first that is found."""
    named: dict[str, _Names] = {name: [] for name in policy.rules}
    for path, demand in all_demands(policy):
        if demand.rule is not None:
            named[str(path[1])].append(((*path, "rule"), demand.rule))
    unknown = [(path, word) for names in named.values() for path, word in names if word not in policy.rules]
    for path, word in unknown:
        hint = did_you_mean(word, policy.rules) or "Name a rule of this file"
        yield error_at(document, path, f"there is no rule `{word}`", hint)
    if not unknown:
        yield from _entangled(document, named)
        yield from _idle(document, policy.rules, named)


def _entangled(document: Document, named: Mapping[str, _Names]) -> Iterator[PolicyError]:
    depths: dict[str, int] = {}
    for name in named:
        row = _row(name, named, depths, ())
        if isinstance(row, int):
            continue
        circle = " names ".join(f"`{each}`" for each in row)
        path = next(path for path, word in named[row[0]] if word == row[1])
        if row[0] == row[-1]:
            yield error_at(document, path, f"the rule leads back to itself: {circle}", "Take one of the names out")
        else:
            deep = f"more than {DEEPEST} rules name one another in a row: {circle}"
            yield error_at(document, path, deep, "Write some of them out")
        return


def _row(
    name: str, named: Mapping[str, _Names], depths: dict[str, int], above: tuple[str, ...]
) -> int | tuple[str, ...]:
    """How many rules in a row begin here, kept in `depths`; or the names in a row that is a circle or too long."""
    if name in above:
        return (*above[above.index(name) :], name)
    if len(above) >= DEEPEST:
        return (*above, name)
    if name in depths and len(above) + depths[name] <= DEEPEST:
        return depths[name]
    deepest = 0
    for _, word in named[name]:
        row = _row(word, named, depths, (*above, name))
        if not isinstance(row, int):
            return row
        deepest = max(deepest, row)
    depths[name] = deepest + 1
    return depths[name]


def _idle(document: Document, rules: Mapping[str, Rule], named: Mapping[str, _Names]) -> Iterator[PolicyError]:
    used = {word for names in named.values() for _, word in names}
    for name, rule in rules.items():
        if not rule.standalone and name not in used:
            message = "no rule names it, and it does not hold by itself, so it would never apply"
            yield error_at(document, ("rules", name, "standalone"), message, "Name it in another rule, or take it out")
