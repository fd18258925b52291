"""Stacks of pull requests: which layers are below one, whether it still stands on them, and whether they are green.

Merging a layer merges all below it, and a push to one of them leaves what stands on it without ground until it is
rebased. Source: https://docs.github.com/en/pull-requests/reference/stacked-pull-requests
"""

from __future__ import annotations

from dataclasses import replace

from app.gate.effects import EVIDENCE, REVIEW
from app.gate.gate import Gate
from app.gate.git import GitObjects
from app.gate.memory import WANTED
from app.gate.names import RepositoryName
from app.github import reads
from app.github.client import GitHubClient
from app.github.errors import NotFound
from app.store import pulls
from app.store.pulls import PullRow
from checks.finding import Status
from checks.snapshot import Layer, Stack
from checks.unread import Unread


async def with_layers_below(
    client: GitHubClient,
    repository: RepositoryName,
    number: int,
    head_sha: str,
    stack: Stack | None,
    objects: GitObjects | Unread,
) -> Stack | None:
    """`stack` with the open layers below pull request `number`; nothing is asked for the lowest one."""
    if stack is None or stack.position <= 1:
        return stack
    if isinstance(objects, Unread):
        return replace(stack, below=objects)
    try:
        listed = (await reads.layers(client, repository.owner, repository.name, stack.number)).pull_requests
    except NotFound:
        return replace(stack, below=Unread("GitHub does not show the stack any more"))
    numbers = [layer.number for layer in listed]
    if number not in numbers:
        return replace(stack, below=Unread("GitHub does not list it in its stack"))
    below = [layer for layer in listed[: numbers.index(number)] if layer.state == "open"]
    held = [await objects.has(one.head.sha) and await objects.is_ancestor(one.head.sha, head_sha) for one in below]
    return replace(stack, below=tuple(Layer(one.number, one.head.sha, on) for one, on in zip(below, held, strict=True)))


async def below_is_green(gate: Gate, repository_id: int, stack: Stack | None) -> bool:
    """Whether the gate's verdicts on every open layer below pass at their present heads, as they were last stored."""
    if stack is None or isinstance(stack.below, Unread):
        return False
    async with gate.database.transaction() as connection:
        rows = [await pulls.find_pull(connection, repository_id, layer.number) for layer in stack.below]
    return all(_is_green(row, layer) for row, layer in zip(rows, stack.below, strict=True))


def _is_green(row: PullRow | None, layer: Layer) -> bool:
    if row is None or not row.judged or row.head_sha != layer.head_sha:
        return False
    passed = {want.name for want in WANTED.validate_python(row.wants) if want.status is Status.PASSED}
    return passed >= {EVIDENCE, REVIEW}
