"""What the store knows that belongs into a look at a pull request, read in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter

from app.gate.effects import EVIDENCE, LOOKING, QUEUE, REVIEW
from app.gate.gate import Gate
from app.gate.observation import OwnRun, Wanted
from app.keys import PullKey
from app.store import (
    check_runs,
    ci_runs,
    comment_approvals,
    notices,
    pulls,
    pushes,
    review_requests,
    reviews,
    work,
)
from app.store.check_runs import CheckRun
from app.store.comment_approvals import CommentApproval, ShownCode
from app.store.database import Connection
from app.store.work import Mark
from checks.finding import Status

REQUIRED = (EVIDENCE, REVIEW)
WANTED: TypeAdapter[list[Wanted]] = TypeAdapter(list[Wanted])


@dataclass(frozen=True, slots=True)
class Memory:
    row: pulls.PullRow
    own_runs: tuple[CheckRun, ...]  # on the head
    abandoned: tuple[CheckRun, ...]  # open ones and given turns on earlier heads that are nobody's head now
    same_head: tuple[pulls.PullRow, ...]  # other open pull requests
    reviews: tuple[reviews.Review, ...]
    pushes: tuple[pushes.Push, ...]  # that brought the head
    notices: frozenset[tuple[str, str]]
    seen_runs: tuple[int, ...]  # workflow runs that were ever read on the head
    other_bases: tuple[int, ...]  # pull requests, open or not, that ever had this head and another base
    comment_approvals: tuple[CommentApproval, ...]
    codes: tuple[ShownCode, ...]  # that were shown on the pull request, the oldest first
    asked: Mapping[str, bool]  # whom the gate asked for a review and did not withdraw; true: just now
    loads: Mapping[str, int]  # open requests for reviews of other pull requests, by reviewer

    @property
    def siblings(self) -> tuple[Wanted, ...]:
        """What they want; one that was not judged yet wants both required checks to stay open."""
        judged = [want for row in self.same_head if row.judged for want in WANTED.validate_python(row.wants)]
        unjudged = [row.number for row in self.same_head if not row.judged]
        return (*judged, *(Wanted(name, Status.PENDING, "", LOOKING, each) for each in unjudged for name in REQUIRED))


async def recall(gate: Gate, key: PullKey, seen: pulls.PullRow) -> Memory:
    """Remember whose head this is, before anything slow begins, and read what is known."""
    repository_id, head = key.repository_id, seen.head_sha
    async with gate.database.transaction() as connection:
        before = await pulls.find_pull(connection, repository_id, key.number)
        await pulls.note_head(connection, seen)
        row = await pulls.find_pull(connection, repository_id, key.number)
        others = await pulls.open_pulls_with_head(connection, repository_id, head)
        memory = Memory(
            row or seen,
            tuple(await check_runs.of_head(connection, repository_id, head)),
            await _abandoned(connection, key),
            tuple(other for other in others if other.number != key.number),
            tuple(await reviews.of_pull(connection, repository_id, key.number)),
            tuple(await pushes.of_head(connection, repository_id, head)),
            await notices.of_pull(connection, repository_id, key.number),
            await ci_runs.seen_on(connection, repository_id, head),
            await pulls.numbers_with_other_base(connection, seen),
            tuple(await comment_approvals.of_pull(connection, repository_id, key.number)),
            tuple(await comment_approvals.codes_of_pull(connection, repository_id, key.number)),
            await review_requests.asked_on(connection, repository_id, key.number),
            await review_requests.loads(connection, repository_id, key.number),
        )
        if before is None or _place(before) != _place(seen):
            left = (
                [] if before is None else await pulls.open_pulls_with_head(connection, repository_id, before.head_sha)
            )
            siblings = {each.number: each for each in (*left, *others) if each.number != key.number}
            await work.mark(connection, [Mark(str(_sibling(key, each))) for each in siblings.values()])
        return memory


def _place(row: pulls.PullRow) -> tuple[str, str, bool]:
    """What others with the same head depend on; they are looked at again when it changes."""
    return row.head_sha, row.base_ref, row.open


def _sibling(key: PullKey, row: pulls.PullRow) -> PullKey:
    return PullKey(key.installation_id, key.repository_id, row.number)


async def _abandoned(connection: Connection, key: PullKey) -> tuple[CheckRun, ...]:
    heads = await pulls.earlier_heads(connection, key.repository_id, key.number)
    runs = [run for sha in heads for run in await check_runs.of_head(connection, key.repository_id, sha)]
    return tuple(
        run for run in runs if run.status != "completed" or (run.name == QUEUE and run.conclusion == "success")
    )


def as_written(run: CheckRun) -> OwnRun:
    """A check run of ours as we last wrote it, for when GitHub's listing does not show it."""
    return OwnRun(
        run.check_run_id,
        run.name,
        run.status,
        run.conclusion,
        run.external_id,
        run.output_digest,
        written_key=run.external_id,
    )
