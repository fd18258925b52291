"""Whose pull request it is at this head, and who may therefore not approve it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from checks.paths import PathPatterns
from checks.snapshot import Permission, Snapshot

Kind = Literal["agent", "person", "outsider", "dependency-bot"]


@dataclass(frozen=True, slots=True)
class AgentMarkers:
    """Marks that policy adds to the known ones: branch patterns (without `refs/heads/`), logins, trailer names."""

    branches: PathPatterns
    logins: tuple[str, ...] = ()
    trailers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PeopleRule:
    """Who is a person: everybody with at least `permission` (None: nobody by permission), users, team members."""

    permission: Permission | None
    users: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DependencyBots:
    """Accounts of dependency bots, and the manifests and lock files that they may change."""

    logins: tuple[str, ...]
    paths: PathPatterns


@dataclass(frozen=True, slots=True)
class Classification:
    kind: Kind
    because: str  # one sentence
    markers: tuple[str, ...] = ()  # every mark of an agent that was found


def classify(
    snapshot: Snapshot, markers: AgentMarkers, people: PeopleRule, bots: DependencyBots | None = None
) -> Classification:
    raise NotImplementedError


def excluded_approvers(snapshot: Snapshot, classification: Classification, allow_operator: bool) -> Mapping[str, str]:
    """Folded login to the reason why that account may not approve."""
    raise NotImplementedError
