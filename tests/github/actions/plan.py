"""What the engine hands to a runner, and what comes back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.github.actions.workflow_file import JobDefinition


@dataclass(frozen=True)
class JobPlan:
    """One job, ready to run. `github` is the `github` context, keys without the prefix ("sha", "event_name", ...)."""

    definition: JobDefinition
    repository: str  # "acme/shop"
    bare: Path  # the bare repository that is checked out from
    checkout_sha: str
    checkout_ref: str  # "refs/pull/2/merge", "refs/heads/main"
    github: dict[str, str]
    workspaces: Path
    matrix: dict[str, Any] = field(default_factory=dict)
    workflow_env: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    needs: dict[str, str] = field(default_factory=dict)  # {"test.result": "success"}
    event: dict[str, Any] = field(default_factory=dict)  # written to GITHUB_EVENT_PATH
    tool_folders: tuple[str, ...] = ()  # put in front of PATH
    clock_offset: timedelta = timedelta(0)
    resolve: Callable[[str], Awaitable[str | None]] | None = None  # a ref name -> commit id, for checkout's `ref`

    def now(self) -> datetime:
        return (datetime.now(UTC) + self.clock_offset).replace(microsecond=0)

    @property
    def repository_name(self) -> str:
        return self.repository.partition("/")[2]


@dataclass(frozen=True)
class Upload:
    """An artifact that a job left behind."""

    name: str
    zip: bytes


@dataclass(frozen=True)
class Outcome:
    conclusion: str  # success, failure, cancelled, skipped
    uploads: tuple[Upload, ...] = ()
    annotations: tuple[dict[str, Any], ...] = ()


def job_name(definition: JobDefinition, matrix: dict[str, Any], interpolate: Callable[[str], str]) -> str:
    """The name that becomes the check run's: matrix values follow in brackets unless the name uses them itself."""
    name = definition.name or definition.id
    if "${{" in name:
        return interpolate(name)
    return f"{name} ({', '.join(str(value) for value in matrix.values())})" if matrix else name
