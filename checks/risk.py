"""How risky a change is: the highest of ticket, path rules, structure of the change, and the agent's own word.

The change is the pull request's own diff and the difference that merging it makes to the target, both. What could not
be seen is high.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from posixpath import dirname, join, normpath

from checks.areas import AREAS
from checks.bundle import Bundle
from checks.diff import SUBMODULE_MODE, SYMLINK_MODE, ChangedFile, Diff
from checks.finding import Evidence, Finding, Fix, errored, failed, passed, pending
from checks.paths import PathIndex, PathPatterns
from checks.snapshot import Risk, Snapshot
from checks.steering import STEERING
from checks.unread import Unread

CHECK = "risk"
MOST_FILES = 3_000  # GitHub lists no more: https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files
_PLAIN_MODES = frozenset({"100644", "100755", "000000"})
_MOST_REASONS = 50
_MOST_ALIASES = 10_000  # paths under links of links; they can be made to have no end
_DEEPEST_ALIAS = 4


@dataclass(frozen=True, slots=True)
class PathRule:
    """Changes to these paths have at least this risk and lie in this area."""

    area: str
    level: Risk
    patterns: PathPatterns


@dataclass(frozen=True, slots=True)
class RiskReason:
    level: Risk
    text: str
    area: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class RiskResult:
    """`reasons` are ordered from the highest risk down, one for every rule that hits, with the first path it hit.

    `seen_level` and `seen_areas` leave out what only the agent's own word says.
    """

    level: Risk
    areas: tuple[str, ...]
    reasons: tuple[RiskReason, ...]
    findings: tuple[Finding, ...]
    seen_level: Risk
    seen_areas: tuple[str, ...]


def check(
    snapshot: Snapshot,
    rules: Sequence[PathRule],
    bundle: Bundle | None,
    exempt: Collection[str] = (),
    contents: Iterable[RiskReason] = (),
) -> RiskResult:
    """Findings `risk` and `risk.claim`.

    `exempt` are areas whose shipped paths do not count, for a dependency bot's update: {"dependencies"}. `contents` are
    reasons from what the changed files say, see `checks.tampering.levels`.
    """
    facts = _distinct((*_reasons(snapshot, (*_shipped(exempt), *rules)), *contents))
    reasons = sorted((*facts, *_own_word(bundle)), key=lambda reason: -reason.level)
    level, areas = _level(reasons), _areas(reasons)
    findings = (_finding(snapshot, level, areas, reasons), *_false_word(bundle, facts))
    return RiskResult(level, areas, tuple(reasons[:_MOST_REASONS]), findings, _level(facts), _areas(facts))


def _level(reasons: Iterable[RiskReason]) -> Risk:
    return max((reason.level for reason in reasons), default=Risk.LOW)


def _areas(reasons: Iterable[RiskReason]) -> tuple[str, ...]:
    return tuple(sorted({reason.area for reason in reasons if reason.area is not None}))


@cache
def _steering() -> tuple[PathRule, ...]:
    return tuple(PathRule(area, Risk.HIGH, PathPatterns(patterns)) for area, patterns in STEERING.items())


@lru_cache(maxsize=64)
def _index(lists: tuple[PathPatterns, ...]) -> PathIndex:
    """Kept for a few policies: compiling takes longer than all the rest of a judgement."""
    return PathIndex(lists)


def _shipped(exempt: Collection[str]) -> tuple[PathRule, ...]:
    return tuple(rule for rule in _steering() if rule.area not in exempt)


def _distinct(reasons: Iterable[RiskReason]) -> list[RiskReason]:
    """The first reason of every kind; later paths of the same rule say nothing new."""
    found: dict[tuple[Risk, str, str | None], RiskReason] = {}
    for reason in reasons:
        found.setdefault((reason.level, reason.text, reason.area), reason)
    return list(found.values())


def _reasons(snapshot: Snapshot, rules: Sequence[PathRule]) -> Iterator[RiskReason]:
    if snapshot.ticket is not None:
        yield RiskReason(snapshot.ticket.risk, f"ticket {snapshot.ticket.id} says so")
    files: dict[ChangedFile, None] = {}
    for what, diff in (("its changes", snapshot.diff), ("what merging it would change", snapshot.merge_diff)):
        yield from _whole(what, diff)
        files |= dict.fromkeys(() if isinstance(diff, Unread) else diff.files)
    matched: dict[str, None] = {}
    for file in files:
        yield from _structure(file)
        matched |= dict.fromkeys(_touched(file))
    yield from _twins(snapshot)
    index = _index(tuple(rule.patterns for rule in rules))
    for path in matched:
        yield from _by_path(path, rules, index)
    yield from _by_alias(matched, snapshot.aliases, rules, index)


def touched_paths(snapshot: Snapshot) -> tuple[tuple[str, ...], Unread | None]:
    """Every path that the change touches, by all of its names, and why those may not be all; None where they are.

    Both sides of renames, what changed symbolic links point to, and names behind the links of the target.
    """
    doubt: Unread | None = None
    paths: dict[str, None] = {}
    for diff in (snapshot.diff, snapshot.merge_diff):
        if isinstance(diff, Unread):
            doubt = doubt or diff
            continue
        if not diff.complete or len(diff.files) > MOST_FILES:
            doubt = doubt or Unread("not every changed file is listed")
        paths |= dict.fromkeys(path for file in diff.files for path in _touched(file))
    if isinstance(snapshot.aliases, Unread):
        return tuple(paths), doubt or snapshot.aliases
    others, complete = _other_names(paths, snapshot.aliases)
    if not complete:
        doubt = doubt or Unread("more symbolic links lead to the changed files than are followed")
    return (*paths, *others), doubt


def _twins(snapshot: Snapshot) -> Iterator[RiskReason]:
    for path, other in snapshot.twins:
        yield RiskReason(Risk.HIGH, f"some file systems take a path for {other}", path=path)


def _by_alias(
    paths: Iterable[str], aliases: Mapping[str, str] | Unread, rules: Sequence[PathRule], index: PathIndex
) -> Iterator[RiskReason]:
    """What rules say of the names that changed files also have, behind symbolic links."""
    if isinstance(aliases, Unread):
        yield RiskReason(Risk.HIGH, "the symbolic links that lead to its files could not be read")
        return
    others, complete = _other_names(paths, aliases)
    if not complete:
        yield RiskReason(Risk.HIGH, "more symbolic links lead to its files than are followed")
    for path in others:
        for reason in _by_path(path, rules, index):
            yield RiskReason(reason.level, f"{reason.text} through a symbolic link", reason.area, path)


def _other_names(paths: Iterable[str], aliases: Mapping[str, str]) -> tuple[tuple[str, ...], bool]:
    """Names behind links, links of links included; and whether those are all."""
    links: dict[str, list[str]] = defaultdict(list)
    for link, target in aliases.items():
        links[target].append(link)
    found: dict[str, None] = {}
    latest = tuple(paths) if links else ()
    for _ in range(_DEEPEST_ALIAS):
        known = len(found)
        for alias in (alias for path in latest for alias in _aliases_of(path, links)):
            found[alias] = None
            if len(found) > _MOST_ALIASES:
                return tuple(found), False
        latest = tuple(found)[known:]
    return tuple(found), not latest


def _aliases_of(path: str, links: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The same file under every link to it or to a folder around it, but not under a link that it lies below."""
    ends = [at for at, character in enumerate(path) if character == "/"]
    for folder, rest in ((".", f"/{path}"), *((path[:end], path[end:]) for end in (*ends, len(path)))):
        for link in links.get(folder, ()):
            if not f"{path}/".startswith(f"{link}/"):
                yield link + rest


def _whole(what: str, diff: Diff | Unread) -> Iterator[RiskReason]:
    if isinstance(diff, Unread):
        yield RiskReason(Risk.HIGH, f"{what} could not be read")
    elif not diff.complete:
        yield RiskReason(Risk.HIGH, f"{what} could not be listed as a whole")
    elif len(diff.files) > MOST_FILES:
        yield RiskReason(Risk.HIGH, f"more than {MOST_FILES} files change")


def _structure(file: ChangedFile) -> Iterator[RiskReason]:
    modes = {file.old_mode, file.new_mode}
    if SYMLINK_MODE in modes:
        yield RiskReason(Risk.HIGH, "a symbolic link changes", path=file.path)
    if SUBMODULE_MODE in modes:
        yield RiskReason(Risk.HIGH, "a submodule changes", "dependencies", file.path)
    if not modes <= _PLAIN_MODES | {SYMLINK_MODE, SUBMODULE_MODE}:
        yield RiskReason(Risk.HIGH, "a file has an unusual mode", path=file.path)
    if len(modes - {"000000"}) > 1:
        yield RiskReason(Risk.HIGH, "a file's mode changes", path=file.path)
    if any(is_deceptive(path) for path in file.paths):
        yield RiskReason(Risk.HIGH, "a path holds control or invisible characters", path=file.path)


def is_deceptive(path: str) -> bool:
    """Whether a path can look like another one: control, direction, format, surrogate and unassigned characters."""
    if path.isascii():
        return not path.isprintable()
    return any(unicodedata.category(character)[0] == "C" for character in path)


def _touched(file: ChangedFile) -> Iterator[str]:
    """Every path that a rule should see: both sides of a rename, and where a symbolic link points."""
    yield from file.paths
    if file.symlink_target is not None:
        target = normpath(join(dirname(file.path), file.symlink_target))
        yield target.lstrip("/") or target


def _by_path(path: str, rules: Sequence[PathRule], index: PathIndex) -> Iterator[RiskReason]:
    for number, _ in index.matches(path):
        rule = rules[number]
        yield RiskReason(rule.level, f"a path of the area {rule.area} changes", rule.area, path)


def _own_word(bundle: Bundle | None) -> Iterator[RiskReason]:
    if bundle is None or bundle.risk is None:
        return
    yield RiskReason(bundle.risk.risk, "the bundle says so")
    for area in bundle.risk.areas or ():
        yield RiskReason(Risk.LOW, "the bundle names this area", area)


def _finding(snapshot: Snapshot, level: Risk, areas: tuple[str, ...], reasons: Sequence[RiskReason]) -> Finding:
    unread = next((diff for diff in (snapshot.diff, snapshot.merge_diff) if isinstance(diff, Unread)), None)
    if snapshot.mergeable is False:
        fix = Fix("update-branch", "Merge or rebase onto the target branch, settle the conflict and push.")
        return failed(CHECK, "It conflicts with the target branch, so what it would change is not known.", fix=fix)
    if unread is not None and unread.offline:
        fix = Fix("open-pull-request", "Open a pull request; the gate looks at the merge there.")
        return pending(CHECK, f"Not all of the change is known: {unread.because}.", fix=fix)
    if unread is not None:
        fix = Fix("wait", "Nothing to do; the gate looks again by itself.")
        return errored(CHECK, f"The change could not be read: {unread.because}. Its risk counts as high.", fix=fix)
    return passed(
        CHECK, _sentence(level, areas, reasons), *(_evidence(reason) for reason in reasons[:5] if reason.path)
    )


def _sentence(level: Risk, areas: tuple[str, ...], reasons: Sequence[RiskReason]) -> str:
    why = [reason.text + (f" ({reason.path})" if reason.path else "") for reason in reasons if reason.level == level]
    because = "; ".join(why[:3]) or "no rule says otherwise"
    inside = f" It touches {', '.join(areas)}." if areas else ""
    return f"The risk is {level.word}: {because}.{inside}"


def _evidence(reason: RiskReason) -> Evidence:
    return Evidence(reason.text, path=reason.path)


def _false_word(bundle: Bundle | None, facts: Sequence[RiskReason]) -> Iterator[Finding]:
    """The agent's own word may raise the risk. A word below the facts is a false statement.

    Areas that only this repository's policy has need not be named: the bundle's schema does not know them.
    """
    if bundle is None or bundle.risk is None:
        return
    claim, highest = bundle.risk, max(facts, key=lambda reason: reason.level, default=None)
    if highest is not None and highest.level > claim.risk:
        where = f" ({highest.path})" if highest.path else ""
        reason = f"The bundle says {claim.level} risk, but it is {highest.level.word}: {highest.text}{where}."
        fix = Fix("correct-bundle", f"Set risk.level to {highest.level.word}.", "risk.level")
        yield failed("risk.claim", reason, _evidence(highest), fix=fix)
    omitted = sorted(({reason.area for reason in facts if reason.area} & set(AREAS)) - set(claim.areas or ()))
    if claim.areas is not None and omitted:
        reason = f"The bundle leaves out areas that the change touches: {', '.join(omitted)}."
        fix = Fix("correct-bundle", f"Add to risk.areas: {', '.join(omitted)}.", "risk.areas")
        yield failed("risk.claim", reason, fix=fix)
