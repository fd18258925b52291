"""Every part of the rules of a policy, at whatever depth, with its place in the file."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from checks.areas import AREAS
from checks.document import Document, Path
from checks.tampering.kinds import KINDS, is_kind
from policies.errors import PolicyError, did_you_mean, error_at
from policies.rule_sections import Condition, Demand, Who
from policies.schema import Policy

TITLE_OPTIONS = re2.Options()
TITLE_OPTIONS.log_errors = False
TITLE_OPTIONS.max_mem = 1 << 20  # bytes; a pattern that needs more is refused

_PATTERNS = ("paths", "only_paths", "agents", "target", "source", "repositories")


def demands_of(path: Path, demand: Demand) -> Iterator[tuple[Path, Demand]]:
    """The demand and whatever stands in it."""
    yield path, demand
    for index, each in enumerate(demand.all):
        yield from demands_of((*path, "all", index), each)
    for index, each in enumerate(demand.any):
        yield from demands_of((*path, "any", index), each)
    for index, each in enumerate(demand.at_least.of if demand.at_least else ()):
        yield from demands_of((*path, "at_least", "of", index), each)


def conditions_of(path: Path, condition: Condition) -> Iterator[tuple[Path, Condition]]:
    """The condition and whatever stands in it."""
    yield path, condition
    for index, each in enumerate(condition.all):
        yield from conditions_of((*path, "all", index), each)
    for index, each in enumerate(condition.any):
        yield from conditions_of((*path, "any", index), each)
    if condition.none_of is not None:
        yield from conditions_of((*path, "not"), condition.none_of)


def all_demands(policy: Policy) -> Iterator[tuple[Path, Demand]]:
    for name, rule in policy.rules.items():
        yield from demands_of(("rules", name, "require"), rule.require)


def all_conditions(policy: Policy) -> Iterator[tuple[Path, Condition]]:
    """Those that say when a rule holds, and those that are required."""
    for name, rule in policy.rules.items():
        if rule.when is not None:
            yield from conditions_of(("rules", name, "when"), rule.when)
    for path, demand in all_demands(policy):
        if demand.condition is not None:
            yield from conditions_of((*path, "condition"), demand.condition)


def pattern_lists(policy: Policy) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Every list of gitignore-style patterns in the rules."""
    for path, condition in all_conditions(policy):
        for name in _PATTERNS:
            yield (*path, name), getattr(condition, name)
        if condition.ticket is not None:
            yield (*path, "ticket", "ids"), condition.ticket.ids
            yield (*path, "ticket", "agents"), condition.ticket.agents


def path_lists(policy: Policy) -> tuple[tuple[str, ...], ...]:
    """Each list of `paths` that some condition asks about, once."""
    lists = (condition.paths for _, condition in all_conditions(policy))
    return tuple(dict.fromkeys(paths for paths in lists if paths))


def word_errors(document: Document, policy: Policy) -> Iterator[PolicyError]:
    """Kinds of finding about contents, and areas, that nothing ever has: a rule about them would never hold."""
    for path, condition in all_conditions(policy):
        yield from unknown_kinds(document, (*path, "content"), condition.content)
        for index, name in enumerate(condition.areas):
            if name not in policy.risk.areas and name not in AREAS:
                hint = did_you_mean(name, (*policy.risk.areas, *AREAS)) or "Add it under `risk.areas`, with its paths"
                yield error_at(document, (*path, "areas", index), f"there is no area `{name}`", hint)


def unknown_kinds(document: Document, path: Path, words: tuple[str, ...]) -> Iterator[PolicyError]:
    """An error for each of `words`, a list that stands at `path`, that is no kind of finding about contents."""
    for index, word in enumerate(words):
        if not is_kind(word):
            hint = did_you_mean(word, KINDS) or "Write one that a check run shows as `tampering.<kind>`"
            yield error_at(document, (*path, index), f"there is no kind of finding `{word[:60]}`", hint)


def title_errors(document: Document, policy: Policy) -> Iterator[PolicyError]:
    """Patterns of titles that cannot be used."""
    for path, condition in all_conditions(policy):
        if condition.title is not None and (why := _refusal(condition.title)):
            hint = "Write it in RE2's syntax, https://github.com/google/re2/wiki/Syntax"
            yield error_at(document, (*path, "title"), f"the pattern cannot be used: {why}", hint)


def _refusal(pattern: str) -> str:
    try:
        re2.compile(pattern, options=TITLE_OPTIONS)
    except re2.error as error:
        text = error.args[0] if error.args else ""
        return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return ""


def people_of(policy: Policy) -> Iterator[Who]:
    """Everybody whom the rules, the veto or the override name."""
    yield from (policy.veto, policy.override)
    for _, demand in all_demands(policy):
        if demand.approvals is not None:
            yield demand.approvals
    for _, condition in all_conditions(policy):
        for who in (condition.author, condition.contributor, condition.only_contributors):
            if who is not None:
                yield who


def asks_about_kinds(policy: Policy) -> bool:
    """Whether some rule asks whose work it is."""
    return any(condition.kinds for _, condition in all_conditions(policy))


def asks_about_contributors(policy: Policy) -> bool:
    """Whether rights of those who wrote the change decide something, beside those of its reviewers."""
    conditions = (condition for _, condition in all_conditions(policy))
    return any(one.author or one.contributor or one.only_contributors for one in conditions)
