"""Refs that move, by whatever door, and what follows at once: the activity row and the event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tests.github.auth import Actor, allowed
from tests.github.errors import ApiError, unprocessable
from tests.github.events import ZERO, RefUpdated
from tests.github.git import GitError
from tests.github.state import PushRecord, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub


class RefCommand(NamedTuple):
    before: str
    after: str
    ref: str


async def update_ref(
    github: SimulatedGitHub,
    repository: Repository,
    ref: str,
    new: str,
    actor: str,
    *,
    expected: str | None = None,
    activity_type: str | None = None,
) -> None:
    """Moves `ref` to `new` (all zeros: deletes it), records the activity and publishes RefUpdated.

    ApiError 422 when the ref is not at `expected` any more.
    """
    git = github.git(repository)
    before = await git.rev_parse(ref) or ZERO
    if before == new:
        return
    try:
        await git.update_ref(ref, new, expected if expected is not None else before)
    except GitError:
        raise unprocessable("Reference cannot be updated") from None
    await record_ref_change(github, repository, RefCommand(before, new, ref), actor, activity_type=activity_type)


async def record_ref_change(
    github: SimulatedGitHub, repository: Repository, change: RefCommand, actor: str, *, activity_type: str | None = None
) -> None:
    """For a ref that has already moved. References under refs/pull are GitHub's own and silent."""
    if change.ref.startswith("refs/pull/"):
        return
    forced = await _is_forced(github, repository, change)
    kind = activity_type or _activity_type(change, forced=forced)
    now = github.world.now()
    repository.pushed_at = now
    record = PushRecord(github.world.new_id(), change.ref, change.before, change.after, actor, now, kind)
    repository.activity.append(record)
    event = RefUpdated(repository, change.ref, change.before, change.after, actor, forced=forced, activity_type=kind)
    await github.publish(event)


async def _is_forced(github: SimulatedGitHub, repository: Repository, change: RefCommand) -> bool:
    if ZERO in (change.before, change.after):
        return False
    return not await github.git(repository).is_ancestor(change.before, change.after)


def _activity_type(change: RefCommand, *, forced: bool) -> str:
    if change.before == ZERO:
        return "branch_creation"
    if change.after == ZERO:
        return "branch_deletion"
    return "force_push" if forced else "push"


def ref_commands(head: bytes) -> list[RefCommand]:
    """The commands at the start of a receive-pack request (pkt-lines, gitprotocol-pack), shallow lines left out."""
    commands = []
    for line in _packets(head):
        fields = line.split(b"\0")[0].decode(errors="replace").strip().split(" ", 2)
        if len(fields) == 3 and len(fields[0]) == 40:
            commands.append(RefCommand(*fields))
    return commands


def _packets(data: bytes) -> Iterator[bytes]:
    position = 0
    while position + 4 <= len(data):
        length = int(data[position : position + 4], 16)
        if length < 4:
            return
        yield data[position + 4 : position + length]
        position += length


async def standing(github: SimulatedGitHub, repository: Repository, commands: list[RefCommand]) -> list[RefCommand]:
    """Before `git receive-pack`: those commands that say rightly where their refs are. The others have no effect."""
    git = github.git(repository)
    return [one for one in commands if one.before == ZERO or await git.rev_parse(one.ref) == one.before]


async def record_push(
    github: SimulatedGitHub, repository: Repository, commands: list[RefCommand], actor: str
) -> list[RefCommand]:
    """After `git receive-pack`: those commands that took effect."""
    git = github.git(repository)
    done = [command for command in commands if (await git.rev_parse(command.ref) or ZERO) == command.after]
    for command in done:
        await record_ref_change(github, repository, command, actor)
    return done


async def check_api_push(
    github: SimulatedGitHub, repository: Repository, actor: Actor, command: RefCommand, *, status: int = 422
) -> None:
    """The same refusals for a ref that is moved through the API; ApiError 403 for workflow files."""
    reason = await refusal_of_push(github, repository, actor, [command])
    if reason is not None:
        raise ApiError(status, reason)
    if actor.is_bot and not allowed(github.world, actor, repository, "workflows", "write"):
        await _refuse_workflow_files(github, repository, command)


async def _refuse_workflow_files(github: SimulatedGitHub, repository: Repository, command: RefCommand) -> None:
    """New commits may not touch workflow files without the permission `workflows`."""
    if command.after == ZERO:
        return
    git = github.git(repository)
    new = await git.commits(command.after, "--not", "--all", path=".github/workflows", limit=1)
    if new:
        message = "refusing to allow a GitHub App to create or update workflow files without `workflows` permission"
        raise ApiError(403, message)


async def refusal_of_push(
    github: SimulatedGitHub, repository: Repository, actor: Actor, commands: list[RefCommand]
) -> str | None:
    """Why GitHub would decline this push as a whole, in its words; None when it would not."""
    for command in commands:
        if command.ref.startswith("refs/heads/gh-readonly-queue/"):
            return f"GH006: Protected branch update failed for {command.ref}."
        for guard in github.push_guards:
            reason = await guard(repository, actor, command)
            if reason is not None:
                return reason
    return None
