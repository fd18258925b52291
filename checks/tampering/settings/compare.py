"""What a change does to settings that are a bar, over the whole difference.

A setting that moves from one file to another (setup.cfg to pyproject.toml) is the same setting.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.kept_tests import KeptTests
from checks.tampering.settings.bars import Bar, BarTables, crossing
from checks.tampering.settings.documents import Unreadable
from checks.tampering.settings.lint import IMPLIED_BY_STRICT
from checks.tampering.settings.precedence import hidden_by
from checks.tampering.settings.reading import decoded, line_of, read_settings

_MOST_TOLD = 2  # settings of one section that went, each for itself
_ORDER = (Weight.FAILED, Weight.PERSON, Weight.RISK)
_Identity = tuple[Bar, str]  # the bar and the part of the key that tells one such setting from another


@dataclass(frozen=True, slots=True)
class _Held:
    """A setting with a bar on one side of a change."""

    version: Version
    key: str
    values: tuple[str, ...]


def compare_settings(
    changes: Sequence[Change],
    tables: BarTables,
    kept: KeptTests,
    gone: Callable[[Change], bool],
    beside: Mapping[str, Version] | None = None,
) -> Iterator[Alteration]:
    """Alterations of every bar that is crossed, and of settings files that cannot be read any more.

    `beside` are unchanged files by their paths, which new ones may put out of force.
    """
    lost: dict[_Identity, list[_Held]] = defaultdict(list)
    gained: dict[_Identity, list[tuple[_Held, bool]]] = defaultdict(list)
    for change in changes:
        before = (
            {} if gone(change) else _held(change.before, tables) if change.before else _hidden(change, beside, tables)
        )
        after = _held(change.after, tables)
        if after is None:
            yield from _unreadable(change, was_readable=before is not None)
            continue
        for identity, new in after.items():
            old = (before or {}).get(identity)
            if old is None:
                gained[identity].append((new, change.before is None))
            elif old.values != new.values:
                yield from _crossed(identity[0], old, new, kept)
        for identity, old in (before or {}).items():
            if identity not in after and not _is_implied(old, after):
                lost[identity].append(old)
    yield from _moved(lost, gained, kept)


def _is_implied(lost: _Held, after: Mapping[_Identity, _Held]) -> bool:
    """Whether `strict = true` stands in its section now, and says the same."""
    section, _, name = lost.key.rpartition(".")
    strict = (held.values for held in after.values() if held.key == f"{section}.strict")
    return name in IMPLIED_BY_STRICT and any(values and values[0].lower() == "true" for values in strict)


def _moved(
    lost: Mapping[_Identity, list[_Held]], gained: Mapping[_Identity, list[tuple[_Held, bool]]], kept: KeptTests
) -> Iterator[Alteration]:
    """What one file lost and another one gained is compared; what has no partner came or went."""
    for identity, news in gained.items():
        olds = lost.get(identity, [])
        for new, in_new_file in news:
            old = olds.pop() if olds else None
            found = _crossed(identity[0], old, new, kept)
            yield from (_lighter(each) for each in found) if old is None and in_new_file else found
    sections: dict[tuple[str, str], list[Alteration]] = defaultdict(list)
    for identity, olds in lost.items():
        for old in olds:
            section = old.version.path, old.key.rpartition(".")[0]
            sections[section] += _crossed(identity[0], old, None, kept)
    for (_, name), together in sections.items():
        yield from _taken_away(name, together)


def _taken_away(section: str, found: Sequence[Alteration]) -> Iterator[Alteration]:
    """What goes with a whole section is said once, by the heaviest of it."""
    if len(found) <= _MOST_TOLD:
        yield from found
        return
    heaviest = min(found, key=lambda each: (_ORDER.index(each.weight), each.line or 0))
    yield replace(heaviest, reason=f"{heaviest.reason} So it does with {len(found) - 1} more of `{section[:80]}`.")


def _hidden(change: Change, beside: Mapping[str, Version] | None, tables: BarTables) -> dict[_Identity, _Held]:
    """What was in force and is not any more; of several files the first one that says anything."""
    for hidden in hidden_by(change, beside or {}):
        held = _held(hidden.version, tables) or {}
        found = {identity: one for identity, one in held.items() if hidden.keys.fullmatch(one.key)}
        if found:
            return found
    return {}


def _held(version: Version | None, tables: BarTables) -> dict[_Identity, _Held] | None:
    """None where the file cannot be read."""
    bars = None if version is None else tables.of(version.path.rpartition("/")[2])
    if version is None or bars is None:
        return {}
    try:
        settings = read_settings(version)
    except Unreadable:
        return None
    found: dict[_Identity, _Held] = {}
    for key, values in settings.items():
        identity = bars.find(key)
        if identity is not None:
            found[identity] = _Held(version, key, values)
    return found


def _crossed(bar: Bar, old: _Held | None, new: _Held | None, kept: KeptTests) -> Iterator[Alteration]:
    was, now = () if old is None else old.values, () if new is None else new.values
    crossed = crossing(bar, was, now, kept)
    shown = new or old
    if crossed is None or shown is None:
        return
    text = decoded(shown.version.data or b"")
    line = line_of(text, crossed.items[0] if crossed.items and new else shown.key.rpartition(".")[2])
    said = f" ({', '.join(crossed.items)[:120]})" if crossed.items else ""
    reason = f"The change {bar.says}: `{shown.key[:80]}`{said}."
    path = shown.version.path
    yield Alteration(bar.kind, path, line, _quote(was), _quote(now), reason, crossed.weight, path)


def _lighter(found: Alteration) -> Alteration:
    """Settings of a new file take nothing away from what was there, unless they leave known tests out."""
    return found if found.weight is Weight.FAILED else replace(found, weight=Weight.RISK)


def _unreadable(change: Change, *, was_readable: bool) -> Iterator[Alteration]:
    if was_readable and change.after is not None:
        reason = "These settings cannot be read, so what they do to the tests is not known."
        path = change.after.path
        yield Alteration("settings-unreadable", path, None, "", "", reason, Weight.PERSON, path)


def _quote(values: Sequence[str]) -> str:
    return ", ".join(values)[:LONGEST_QUOTE]
