"""Performing effects, one by one. Before each the lease is checked; before something is created it is looked for.

Whatever dies in between, the next attempt sees what was done: a check run by GitHub's listing, a queue entry by the
pull request, a comment by its marker.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import assert_never

import structlog

from app.gate.effects import (
    AskJudge,
    CancelCheckRun,
    Dequeue,
    Effect,
    Enqueue,
    HoldTurn,
    JoinQueue,
    LeaveQueue,
    MergeNow,
    PostNotice,
    PutCheckRun,
    ReleaseTurn,
    StartVerification,
    TakeRequeue,
    TellSession,
)
from app.gate.enqueue import enqueue
from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.people_effects import AnswerComment, AskReviewers, WithdrawRequests
from app.gate.plan import output_digest
from app.gate.requesting import towards_people
from app.gate.serial_apply import in_queue
from app.gate.sessions import tell_session
from app.gate.verifications import start_verification
from app.github import issues, reads, writes
from app.github.addresses import route
from app.github.client import GitHubClient
from app.github.errors import NotFound
from app.github.rest_models import CheckRun
from app.github.writes import Annotation, CheckRunFields
from app.judge.asking import ask_judge
from app.keys import PullKey, parse_key
from app.store import check_runs, notices, pulls, work
from app.store.check_runs import CheckRun as StoredRun
from app.store.notices import Notice
from app.store.work import Lease
from app.store.worker import Retry
from policies.explain import Output

log = structlog.get_logger(__name__)

CLOCKS_DIFFER = timedelta(hours=1)  # the database's and GitHub's, at most
CANCELLED = "This commit is no pull request's head any more."


@dataclass(frozen=True, slots=True)
class Applier:
    """The right to change one repository's GitHub for one key, as long as `lease` holds."""

    gate: Gate
    lease: Lease
    installation_id: int
    repository: RepositoryName

    @property
    def client(self) -> GitHubClient:
        return self.gate.client(self.installation_id)

    async def apply(self, effects: tuple[Effect, ...]) -> None:
        """Raises Retry when the lease is lost, and GitHub's errors; what was done before stays done."""
        for effect in effects:
            if not await work.holds(self.gate.database, self.lease):
                raise Retry(timedelta(seconds=1), "the lease was lost")
            log.info("effect", key=self.lease.key, effect=type(effect).__name__)
            await self._one(effect)

    async def _one(self, effect: Effect) -> None:
        match effect:
            case PutCheckRun():
                await self._put(effect)
            case CancelCheckRun():
                await self._cancel(effect)
            case Enqueue():
                await enqueue(self.gate, self.client, self.repository, effect)
            case Dequeue():
                await self._dequeue(effect)
            case PostNotice():
                await self._notice(effect)
            case JoinQueue() | LeaveQueue() | HoldTurn() | ReleaseTurn() | MergeNow() | TakeRequeue():
                await in_queue(self.gate, self.installation_id, self.repository, effect)
            case AnswerComment() | AskReviewers() | WithdrawRequests():
                await towards_people(self.gate, self.client, self.repository, effect)
            case TellSession():
                await tell_session(self.gate, self.repository.id, effect)
            case StartVerification() | AskJudge():
                await self._have_judged(effect)
            case _:
                assert_never(effect)

    async def _have_judged(self, effect: StartVerification | AskJudge) -> None:
        """By somebody else: a run of the verifier, or an independent judge."""
        if isinstance(effect, AskJudge):
            await ask_judge(self.gate, self.installation_id, self.repository.id, effect)
        else:
            await start_verification(self.gate, self.client, self.repository, effect)

    async def _put(self, put: PutCheckRun) -> None:
        existing = put.existing or await self._unknown_runs(put)
        taken = False
        for check_run_id in sorted(existing):
            run = await self._update(put, check_run_id)
            # GitHub may leave a completed run completed; then only a new one of that name can be open.
            taken = taken if run is None else run.status == put.status
        renewed = put.create and bool(put.existing)
        if renewed or not taken:
            await self._create(put)

    async def _unknown_runs(self, put: PutCheckRun) -> tuple[int, ...]:
        """Runs that an attempt made which died before it could note them."""
        if self.lease.attempts <= 1:
            return ()
        listing = await reads.check_runs(
            self.client,
            self.repository.owner,
            self.repository.name,
            put.head_sha,
            check_name=put.name,
            app_id=self.gate.app_id,
        )
        return tuple(run.id for run in listing.items)

    async def _create(self, put: PutCheckRun) -> None:
        run = await writes.create_check_run(
            self.client, self.repository.owner, self.repository.name, put.head_sha, self._fields(put)
        )
        await self._remember(put, run)

    async def _update(self, put: PutCheckRun, check_run_id: int) -> CheckRun | None:
        try:
            run = await writes.update_check_run(
                self.client, self.repository.owner, self.repository.name, check_run_id, self._fields(put)
            )
        except NotFound:  # deleted by GitHub's retention: what it said is in our decisions
            async with self.gate.database.transaction() as connection:
                await check_runs.forget(connection, self.repository.id, check_run_id)
            return None
        await self._remember(put, run)
        return run

    def _fields(self, put: PutCheckRun) -> CheckRunFields:
        """Annotations only add up on GitHub, so they are sent with a conclusion, not while a run is open."""
        output = put.output
        notes = output.annotations if put.status == "completed" else ()
        return CheckRunFields(
            name=put.name,
            status="completed" if put.status == "completed" else "in_progress",
            title=output.title,
            summary=output.summary,
            text=output.text or None,
            conclusion=put.conclusion,
            external_id=put.external_id or None,
            details_url=self._details_url(),
            annotations=tuple(
                Annotation(note.path, note.start_line, note.end_line, note.level, note.message) for note in notes
            ),
        )

    def _details_url(self) -> str | None:
        """The pull request's page, where there are pages; a group has none."""
        key = parse_key(self.lease.key)
        if self.gate.public_url is None or not isinstance(key, PullKey):
            return None
        path = route(
            "/{owner}/{name}/pull/{number}", owner=self.repository.owner, name=self.repository.name, number=key.number
        )
        return self.gate.public_url + path

    async def _remember(self, put: PutCheckRun, run: CheckRun) -> None:
        row = StoredRun(
            self.repository.id,
            run.id,
            put.head_sha,
            put.name,
            put.external_id,
            run.status,
            run.conclusion,
            output_digest(put.output),
        )
        async with self.gate.database.transaction() as connection:
            await check_runs.save(connection, row)

    async def _cancel(self, effect: CancelCheckRun) -> None:
        put = PutCheckRun(
            effect.name, effect.head_sha, "completed", "cancelled", "", Output(CANCELLED, CANCELLED, "", ())
        )
        if await self._update(put, effect.check_run_id) is None:
            await self._remember(put, _gone(effect))

    async def _dequeue(self, effect: Dequeue) -> None:
        try:
            await writes.dequeue(self.client, self.repository.name, effect.pull_id)
        except NotFound:
            log.info("already out of the queue", key=self.lease.key)
        async with self.gate.database.transaction() as connection:
            await pulls.save_enqueued(connection, self.repository.id, effect.number, None, None)

    async def _notice(self, effect: PostNotice) -> None:
        notice = Notice(self.repository.id, effect.number, effect.purpose, effect.subject)
        async with self.gate.database.transaction() as connection:
            before = await notices.intend(connection, notice)
        if before is not None and before.comment_id is not None:
            return
        marker = f"<!-- mergegate {effect.purpose} {effect.subject} -->"
        comment_id = await self._standing(before, marker) if before is not None else None
        if comment_id is None:
            body = f"{effect.body}\n\n{marker}"
            owner, name = self.repository.owner, self.repository.name
            comment_id = (await writes.create_comment(self.client, owner, name, effect.number, body)).id
        async with self.gate.database.transaction() as connection:
            await notices.posted(connection, notice, comment_id)

    async def _standing(self, intended: Notice, marker: str) -> int | None:
        """A comment with this marker that an earlier attempt posted before it died.

        Not among all: a board has more than are listed, and the oldest come first.
        """
        assert intended.created_at is not None  # it was stored
        owner, name = self.repository.owner, self.repository.name
        since = intended.created_at.astimezone(UTC) - CLOCKS_DIFFER
        listing = await issues.comments_since(self.client, owner, name, intended.pull_number, since)
        ours = [one for one in listing.items if marker in (one.body or "") and one.is_of(self.gate.app_id)]
        return ours[0].id if ours else None


def _gone(effect: CancelCheckRun) -> CheckRun:
    return CheckRun(
        id=effect.check_run_id, name=effect.name, head_sha=effect.head_sha, status="completed", conclusion="cancelled"
    )
