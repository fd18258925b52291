"""Whose word counts: people named by login, team, organisation or permission, and whether an account is one of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from checks.accounts import Account, Permission
from checks.snapshot import Snapshot
from checks.unread import Unread


@dataclass(frozen=True, slots=True)
class Electorate:
    """Whoever one of these names. `teams` are slugs of the owning organisation, `permission` None: nobody by it.

    A team's members are its active ones and those of its child teams, an organisation's all of its active members.
    """

    permission: Permission | None = None
    users: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    organizations: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Who that is, for a sentence; empty where nobody is named."""
        who = [f"@{login}" for login in self.users] + [f"team {team}" for team in self.teams]
        who += [f"members of {organization}" for organization in self.organizations]
        if self.permission is not None:
            who.append(f"people with {self.permission.name.lower()} permission")
        return ", ".join(who)


def why_not_among(snapshot: Snapshot, electorate: Electorate, account: Account) -> str | Unread | None:
    """Why the account is not one of them, None where it is; Unread where that could not be found out."""
    if account.login.casefold() in _folded_logins(electorate.users):
        return None
    if any(is_member(snapshot, team, account) for team in electorate.teams):
        return None
    if any(is_organization_member(snapshot, name, account) for name in electorate.organizations):
        return None
    by_permission = _why_not_by_permission(snapshot, electorate.permission, account)
    if by_permission is None:
        return None
    return by_permission if isinstance(by_permission, Unread) else _unknown(snapshot, electorate) or by_permission


def _why_not_by_permission(snapshot: Snapshot, wanted: Permission | None, account: Account) -> str | Unread | None:
    held = Permission.NONE if wanted is None else read_permission(snapshot, account.login)
    if isinstance(held, Unread):
        return Unread(f"has a permission that could not be read ({held.because})")
    return None if wanted is not None and held >= wanted else "is not among them"


def _unknown(snapshot: Snapshot, electorate: Electorate) -> Unread | None:
    for team in electorate.teams:
        if isinstance(snapshot.teams.get(team), Unread | None):
            return Unread(f"may be in team {team}, whose members could not be read")
    for name in electorate.organizations:
        if isinstance(snapshot.organizations.get(name), Unread | None):
            return Unread(f"may belong to {name}, whose members could not be read")
    return None


def is_member(snapshot: Snapshot, team: str, account: Account) -> bool:
    """Whether the account is an active member of the team. What could not be read counts as no."""
    members = snapshot.teams.get(team)
    return isinstance(members, frozenset) and account.login.casefold() in _folded(members)


def is_organization_member(snapshot: Snapshot, name: str, account: Account) -> bool:
    """The same for an organisation."""
    members = snapshot.organizations.get(name)
    return isinstance(members, frozenset) and account.login.casefold() in _folded(members)


@lru_cache(maxsize=128)
def _folded(logins: frozenset[str]) -> frozenset[str]:
    return frozenset(login.casefold() for login in logins)


@lru_cache(maxsize=128)
def _folded_logins(logins: tuple[str, ...]) -> frozenset[str]:
    return frozenset(login.casefold() for login in logins)


def read_permission(snapshot: Snapshot, login: str) -> Permission | Unread:
    """The permission as it was read, whatever the case of the login."""
    if (direct := snapshot.permissions.get(login)) is not None:
        return direct
    folded = login.casefold()
    held = (held for name, held in snapshot.permissions.items() if name.casefold() == folded)
    return next(held, Unread("nobody asked for it"))


def permission_of(snapshot: Snapshot, login: str) -> Permission:
    """The permission; NONE where it was not read."""
    found = read_permission(snapshot, login)
    return Permission.NONE if isinstance(found, Unread) else found
