"""What was found out about how a repository is guarded, and what is wrong with that, as values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.local.protection import QueueKind

Level = Literal["wrong", "unknown", "odd"]
Json = Mapping[str, Any]
Context = tuple[str, int | None]
"""A check's name, and the App that posted it; None for a commit status, which names no App."""
NAMED = 5


@dataclass(frozen=True, slots=True)
class CouldNotRead:
    because: str


@dataclass(frozen=True, slots=True)
class Symptom:
    level: Level
    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Installed:
    """The gate's App as it is installed here; `granted` and `events` are what its owner accepted."""

    granted: Mapping[str, str]
    events: tuple[str, ...]
    suspended: bool
    served: bool = True  # whether the settings let this account be served
    id: int = 0


@dataclass(frozen=True, slots=True)
class Followed:
    """What the repository's own policy file says; `faults` where it cannot be used."""

    queue: Literal["native", "serial", "external"]
    namespace: tuple[str, ...]  # patterns of agents' branches
    faults: tuple[str, ...] = ()
    method: Literal["merge", "squash", "rebase"] = "merge"  # of the gate's own queue


@dataclass(frozen=True, slots=True)
class Secrets:
    """Names by where they are kept; GitHub shows no more."""

    repository: Sequence[str] | CouldNotRead
    organization: Sequence[str] | CouldNotRead
    dependabot: Sequence[str] | CouldNotRead


@dataclass(frozen=True, slots=True)
class Environment:
    """`branches` are the patterns that may use it, None: every branch; "protected": those with classic protection."""

    name: str
    branches: Sequence[str] | Literal["protected"] | CouldNotRead | None
    reviewed: bool  # somebody lets each job in
    secrets: Sequence[str] | CouldNotRead


@dataclass(frozen=True, slots=True)
class Posted:
    """Checks and statuses that were seen: on the heads of the newest pull requests, and on the default branch's tip.

    `complete`: no commit has more of them than were asked for.
    """

    pulls: int
    on_pulls: Collection[Context]
    on_tip: Collection[Context]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Facts:
    """Answers of GitHub's API in its own words; see `app.github.rulesets` and `app.github.guards`.

    `installed` is None where there is none, `courier` also where none is configured, `policy` where neither repository
    nor organisation has a file. `workflows` are the
    files of the default branch by path, None where one cannot be read as text. `names` are logins and slugs by kind
    and id of a bypass actor. `group_minutes` is how long runs for merge groups took at most, None where there was none.
    """

    app_id: int
    courier_id: int | None
    queue: QueueKind  # where the policy does not say
    branch: str  # the default branch
    repository: Json
    effective: Sequence[Json] | CouldNotRead
    rulesets: Sequence[Json] | CouldNotRead
    names: Mapping[tuple[str, int], str]
    policy: Followed | CouldNotRead | None
    workflows: Mapping[str, bytes | None] | CouldNotRead
    workflow_permissions: Json | CouldNotRead
    retention: Json | CouldNotRead
    secrets: Secrets
    environments: Sequence[Environment] | CouldNotRead
    posted: Posted | CouldNotRead
    group_minutes: float | CouldNotRead | None
    classic_protection: bool | CouldNotRead
    installed: Installed | CouldNotRead | None
    courier: Installed | CouldNotRead | None
    asked: Mapping[str, str]  # permissions of the manifest
    asked_events: tuple[str, ...]

    @property
    def kind(self) -> QueueKind:
        """Whose queue is to merge: as the policy has it, else as it was given."""
        if not isinstance(self.policy, Followed) or self.policy.faults:
            return self.queue
        return "none" if self.policy.queue == "external" else self.policy.queue

    @property
    def namespace(self) -> tuple[str, ...]:
        return self.policy.namespace if isinstance(self.policy, Followed) else ("agent/*",)

    def parameters(self, rule: str) -> list[Json]:
        """Of every rule of that type that is in force; none where the rules could not be read, which is said once."""
        if isinstance(self.effective, CouldNotRead):
            return []
        return [one.get("parameters") or {} for one in self.effective if one.get("type") == rule]


def unread(what: str, wrong: CouldNotRead, permission: str) -> Symptom:
    """`permission` is what a fine-grained token needs."""
    remedy = f"Use the token of an administrator; a fine-grained one needs `{permission}`."
    return Symptom("unknown", f"{what} could not be read: {wrong.because}", remedy)


def listed(names: Sequence[str]) -> str:
    """The first few, and how many more."""
    more = len(names) - NAMED
    return ", ".join(f"`{name}`" for name in names[:NAMED]) + (f" and {more} more" if more > 0 else "")
