"""What-if: a pull request as it was seen, with something changed, in the words of the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import get_args

from checks.accounts import Account, Override, Permission, Review
from checks.branches import BRANCHES
from checks.bundle import read_bundle
from checks.finding import Status
from checks.snapshot import Risk, Snapshot
from checks.unread import Unread
from policies.case import Assumed
from policies.errors import did_you_mean
from policies.fields import Kind

_SAID = {"approve": "APPROVED", "request-changes": "CHANGES_REQUESTED"}
PARTS = ("ticket", "bundle", "scope", "origin", "rollback", "tampering", "ci", "verifier")


class UnknownDeviation(ValueError):
    """A word that no deviation has; the message says what could be meant."""


def said_by(snapshot: Snapshot, text: str) -> Snapshot:
    """`LOGIN:approve`, `LOGIN:request-changes` or `LOGIN:override REASON`, said now on this head.

    Somebody whose permission is not known may write. Raises UnknownDeviation.
    """
    login, _, word = text.partition(":")
    if not login or not word:
        raise UnknownDeviation(f"{text[:80]!r} is no LOGIN:approve, LOGIN:request-changes or LOGIN:override REASON")
    rights = dict(snapshot.permissions)
    if login.casefold() not in {known.casefold() for known in rights}:
        rights[login] = Permission.WRITE
    snapshot = replace(snapshot, permissions=rights)
    if word.startswith("override "):
        given = Override(Account(login), word.removeprefix("override "), snapshot.head.sha, snapshot.observed_at, 0)
        return replace(snapshot, overrides=(*snapshot.overrides, given))
    if word not in _SAID:
        hint = did_you_mean(word, _SAID) or "Write approve, request-changes or override REASON."
        raise UnknownDeviation(f"{word[:40]!r} is nothing that somebody says here. {hint}")
    return replace(snapshot, reviews=(*_reviews(snapshot), _review(snapshot, login, _SAID[word])))


def _reviews(snapshot: Snapshot) -> tuple[Review, ...]:
    return () if isinstance(snapshot.reviews, Unread) else snapshot.reviews


def _review(snapshot: Snapshot, login: str, state: str) -> Review:
    ticket = snapshot.ticket.digest if snapshot.ticket else None
    seen, number = read_bundle(snapshot).digest, max((each.id for each in _reviews(snapshot)), default=0) + 1
    return Review(
        number,
        Account(login),
        state,
        snapshot.head.sha,
        snapshot.observed_at,
        snapshot.base_ref,
        seen,
        ticket,
        given=state,
    )


def deviate(snapshot: Snapshot, assumed: Assumed, text: str) -> tuple[Snapshot, Assumed]:
    """`NAME=VALUE` as `--set` takes it. Raises UnknownDeviation."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UnknownDeviation(f"{text[:80]!r} is no NAME=VALUE, for example risk=high")
    family, _, rest = name.partition(".")
    if name in _ASSUMED:
        return snapshot, _ASSUMED[name](assumed, value)
    if name in _FIELDS:
        return _FIELDS[name](snapshot, value), assumed
    if family == "part" and rest in PARTS:
        return snapshot, replace(assumed, parts={**assumed.parts, rest: Status(_word(value, [*Status]))})
    if family in _MAPPINGS and rest:
        return _MAPPINGS[family](snapshot, rest, value), assumed
    hint = did_you_mean(name, NAMES) or f"Known: {', '.join(NAMES)}."
    raise UnknownDeviation(f"there is nothing called {name[:40]!r} to set. {hint}")


def _word(value: str, known: list[str]) -> str:
    if value not in known:
        raise UnknownDeviation(f"{value[:40]!r} is not known here. Write one of: {', '.join(known)}.")
    return value


def _names(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _risk(assumed: Assumed, value: str) -> Assumed:
    return replace(assumed, risk=Risk[_word(value, [risk.word for risk in Risk]).upper()])


def _kind(assumed: Assumed, value: str) -> Assumed:
    return replace(assumed, kind=next(kind for kind in get_args(Kind) if kind == _word(value, list(get_args(Kind)))))


def _permission(snapshot: Snapshot, login: str, value: str) -> Snapshot:
    held = Permission[_word(value, [each.name.lower() for each in Permission]).upper()]
    others = {name: right for name, right in snapshot.permissions.items() if name.casefold() != login.casefold()}
    return replace(snapshot, permissions={**others, login: held})


def _team(snapshot: Snapshot, slug: str, value: str) -> Snapshot:
    return replace(snapshot, teams={**snapshot.teams, slug: frozenset(_names(value))})


def _organization(snapshot: Snapshot, name: str, value: str) -> Snapshot:
    return replace(snapshot, organizations={**snapshot.organizations, name: frozenset(_names(value))})


def _target(snapshot: Snapshot, value: str) -> Snapshot:
    return replace(snapshot, target_ref=BRANCHES + value)


_ASSUMED: Mapping[str, Callable[[Assumed, str], Assumed]] = {"risk": _risk, "kind": _kind}
_FIELDS: Mapping[str, Callable[[Snapshot, str], Snapshot]] = {
    "title": lambda snapshot, value: replace(snapshot, title=value),
    "labels": lambda snapshot, value: replace(snapshot, labels=_names(value)),
    "draft": lambda snapshot, value: replace(snapshot, draft=_word(value, ["true", "false"]) == "true"),
    "target": _target,
}
_MAPPINGS: Mapping[str, Callable[[Snapshot, str, str], Snapshot]] = {
    "permission": _permission,
    "team": _team,
    "organization": _organization,
}
NAMES = (*_ASSUMED, *_FIELDS, *(f"part.{part}" for part in PARTS), *(f"{name}.NAME" for name in _MAPPINGS))
