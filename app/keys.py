"""Keys of work: what a delivery or the resync says should be looked at again.

Pull request, merge group, queue, ticket and tip keys are reconciled. Branch, commit, repository and installation keys
only fan out to those. A key is text in the store, `kind:installation:repository:rest`, so that a person can read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self, get_args


class UnknownKey(ValueError):
    """A stored key has no known kind or a malformed number; it came from a newer version or from damage."""


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A pull request or an issue, by its number."""

    kind: ClassVar[str]
    installation_id: int
    repository_id: int
    number: int

    def __str__(self) -> str:
        return f"{self.kind}:{self.installation_id}:{self.repository_id}:{self.number}"

    @classmethod
    def parse(cls, installation: str, repository: str, rest: str) -> Self:
        return cls(int(installation), int(repository), int(rest))


@dataclass(frozen=True, slots=True)
class PullKey(_Numbered):
    kind: ClassVar = "pull"


@dataclass(frozen=True, slots=True)
class TicketKey(_Numbered):
    """An issue that is, or may become, a ticket."""

    kind: ClassVar = "ticket"


@dataclass(frozen=True, slots=True)
class GroupKey:
    """A merge group, by the SHA of its head commit and the full ref of the branch that it will land on."""

    kind: ClassVar = "group"
    installation_id: int
    repository_id: int
    head_sha: str
    target_ref: str

    def __str__(self) -> str:
        return f"group:{self.installation_id}:{self.repository_id}:{self.head_sha}:{self.target_ref}"

    @classmethod
    def parse(cls, installation: str, repository: str, rest: str) -> Self:
        head_sha, separator, target_ref = rest.partition(":")
        if not separator:
            raise ValueError(rest)
        return cls(int(installation), int(repository), head_sha, target_ref)


@dataclass(frozen=True, slots=True)
class _OfRef:
    """A branch by its full ref, `refs/heads/main`."""

    kind: ClassVar[str]
    installation_id: int
    repository_id: int
    ref: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.installation_id}:{self.repository_id}:{self.ref}"

    @classmethod
    def parse(cls, installation: str, repository: str, rest: str) -> Self:
        return cls(int(installation), int(repository), rest)


@dataclass(frozen=True, slots=True)
class BranchKey(_OfRef):
    """A branch that moved; fans out to the pull requests that target or come from it."""

    kind: ClassVar = "branch"


@dataclass(frozen=True, slots=True)
class TipKey(_OfRef):
    """A gated branch whose tip's own runs say what later ones are compared with."""

    kind: ClassVar = "tip"


@dataclass(frozen=True, slots=True)
class QueueKey(_OfRef):
    """The serial queue of a branch."""

    kind: ClassVar = "queue"


@dataclass(frozen=True, slots=True)
class CommitKey:
    """A commit; fans out to the pull requests and merge groups whose head it is."""

    kind: ClassVar = "commit"
    installation_id: int
    repository_id: int
    sha: str

    def __str__(self) -> str:
        return f"commit:{self.installation_id}:{self.repository_id}:{self.sha}"

    @classmethod
    def parse(cls, installation: str, repository: str, rest: str) -> Self:
        return cls(int(installation), int(repository), rest)


@dataclass(frozen=True, slots=True)
class JudgeKey:
    """A call of an independent judge, by the opinion that it shall give."""

    kind: ClassVar = "judge"
    installation_id: int
    repository_id: int
    opinion: str

    def __str__(self) -> str:
        return f"judge:{self.installation_id}:{self.repository_id}:{self.opinion}"

    @classmethod
    def parse(cls, installation: str, repository: str, rest: str) -> Self:
        return cls(int(installation), int(repository), rest)


@dataclass(frozen=True, slots=True)
class _OfRepository:
    """A whole repository."""

    kind: ClassVar[str]
    installation_id: int
    repository_id: int

    def __str__(self) -> str:
        return f"{self.kind}:{self.installation_id}:{self.repository_id}:"

    @classmethod
    def parse(cls, installation: str, repository: str, rest: str) -> Self:
        if rest:
            raise ValueError(rest)
        return cls(int(installation), int(repository))


@dataclass(frozen=True, slots=True)
class RepositoryKey(_OfRepository):
    """A whole repository; fans out to its open pull requests and merge groups."""

    kind: ClassVar = "repository"


@dataclass(frozen=True, slots=True)
class InstallationKey:
    """An installation; fans out to its repositories."""

    kind: ClassVar = "installation"
    installation_id: int

    def __str__(self) -> str:
        return f"installation:{self.installation_id}::"

    @classmethod
    def parse(cls, installation: str, repository: str, rest: str) -> Self:
        if repository or rest:
            raise ValueError(repository + rest)
        return cls(int(installation))


@dataclass(frozen=True, slots=True)
class ResyncKey:
    """The clock: looks at every installation again, finds lost deliveries, sets its own next time."""

    kind: ClassVar = "resync"

    def __str__(self) -> str:
        return "resync:::"

    @classmethod
    def parse(cls, installation: str, repository: str, rest: str) -> Self:
        if installation or repository or rest:
            raise ValueError(installation + repository + rest)
        return cls()


@dataclass(frozen=True, slots=True)
class RulesKey(_OfRepository):
    """The rules that protect a repository, and what landed past them."""

    kind: ClassVar = "rules"


@dataclass(frozen=True, slots=True)
class BoardKey(_OfRepository):
    """The issue that shows a repository's tickets."""

    kind: ClassVar = "board"


@dataclass(frozen=True, slots=True)
class WatchKey(_OfRepository):
    """The limits and the silence of a repository's tickets at work."""

    kind: ClassVar = "watch"


@dataclass(frozen=True, slots=True)
class PeopleKey(_OfRepository):
    """Whoever is told of a repository's tickets: at once, in the morning, after a week."""

    kind: ClassVar = "people"


@dataclass(frozen=True, slots=True)
class UpkeepKey:
    """The clock of what only the service itself needs: old rows go, the audit log is anchored."""

    kind: ClassVar = "upkeep"

    def __str__(self) -> str:
        return "upkeep:::"

    @classmethod
    def parse(cls, installation: str, repository: str, rest: str) -> Self:
        if installation or repository or rest:
            raise ValueError(installation + repository + rest)
        return cls()


@dataclass(frozen=True, slots=True)
class CanaryKey:
    """The clock of the tickets that are made to exceed limits."""

    kind: ClassVar = "canary"

    def __str__(self) -> str:
        return "canary:::"

    @classmethod
    def parse(cls, installation: str, repository: str, rest: str) -> Self:
        if installation or repository or rest:
            raise ValueError(installation + repository + rest)
        return cls()


Key = (
    PullKey
    | GroupKey
    | TicketKey
    | BoardKey
    | PeopleKey
    | WatchKey
    | BranchKey
    | TipKey
    | QueueKey
    | CommitKey
    | JudgeKey
    | RepositoryKey
    | InstallationKey
    | ResyncKey
    | UpkeepKey
    | CanaryKey
    | RulesKey
)

KINDS: dict[str, type[Key]] = {kind.kind: kind for kind in get_args(Key)}


def parse_key(text: str) -> Key:
    """The key that `str(key)` wrote.

    Raises UnknownKey when the kind is not known or a part is malformed.
    """
    kind, *parts = text.split(":", 3)
    if kind not in KINDS or len(parts) != 3:
        raise UnknownKey(f"{text!r} is not a key of a known kind ({', '.join(KINDS)})")
    try:
        return KINDS[kind].parse(*parts)
    except ValueError as wrong:
        raise UnknownKey(f"{text!r}: {wrong}") from wrong
