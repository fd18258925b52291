"""Whether a push is within its session's grant. Pure: decided from the head alone, before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.proxy.grant import Grant, Right
from app.proxy.refusal import Refusal
from app.proxy.wire import Command
from checks.branches import BRANCHES
from policies.escape import clean

LONGEST_NAME = 200  # characters of a ref that a refusal quotes


@dataclass(frozen=True, slots=True)
class AllowedPush:
    """The one command, and whether it must turn out to be a fast-forward."""

    command: Command
    forward_only: bool


def decide(grant: Grant, commands: Sequence[Command]) -> AllowedPush | Refusal:
    """Allowed is one command on the session's own branch, byte for byte, of a kind that was granted."""
    for command in commands:
        if command.ref != grant.branch.encode():
            return _refusal(grant, f"{shown(command.ref)} is not this session's branch")
    if len(commands) != 1:
        return _refusal(grant, f"a push has one command, this one has {len(commands)} for the same branch")
    command = commands[0]
    if command.deletes:
        if Right.DELETE not in grant.rights or command.creates:
            return _refusal(grant, f"this session may not delete {shown(command.ref)}")
        return AllowedPush(command, forward_only=False)
    if grant.rights.isdisjoint((Right.PUSH, Right.FORCE)):
        return _refusal(grant, "this session may read, but not push")
    return AllowedPush(command, forward_only=not command.creates and Right.FORCE not in grant.rights)


def not_forward(grant: Grant) -> Refusal:
    """The push turned out to leave commits of the branch behind."""
    return Refusal(
        f"Mergegate put {grant.branch} back: the push would have replaced commits that are on it (a force push), and "
        "this session may only add to its branch",
        "Fetch the branch and put your commits on top of it (git pull --rebase), then push without --force",
    )


def not_known_forward(grant: Grant) -> Refusal:
    """Nobody said whether it did; without the right to force that is a no."""
    return Refusal(
        f"Mergegate put {grant.branch} back: GitHub did not say whether the push only adds to the branch, which is all "
        "that this session may do",
        "Nothing is wrong with the push",
        True,
    )


def policy(grant: Grant) -> str:
    """What the session may do, in the words of its refusals."""
    words = [f"read {grant.owner}/{grant.repository}"]
    if not grant.rights.isdisjoint((Right.PUSH, Right.FORCE)):
        how = "push to, also with --force," if Right.FORCE in grant.rights else "push to"
        words.append(f"{how} {grant.branch}")
    if Right.DELETE in grant.rights:
        words.append("delete that branch")
    if Right.PULL_REQUEST in grant.rights:
        words.append(f"open and edit its pull request into {grant.base}")
    if Right.COMMENT in grant.rights:
        words.append("comment on that and on its ticket")
    return "This session may " + ", ".join(words) + ", and nothing else"


def shown(ref: bytes) -> str:
    """A ref's name for people: one short line, whatever bytes it has."""
    return clean(ref.decode("utf-8", "backslashreplace"), LONGEST_NAME)


def _refusal(grant: Grant, because: str) -> Refusal:
    branch = grant.branch.removeprefix(BRANCHES)
    if grant.rights.isdisjoint((Right.PUSH, Right.FORCE)):
        return Refusal(f"Mergegate refused this push: {because}", policy(grant))
    fix = f"{policy(grant)}. Push with: git push origin HEAD:{branch}"
    return Refusal(f"Mergegate refused this push: {because}", fix)
