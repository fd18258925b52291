"""Approvals that people give by a comment or in a review's text, joined with what they were about.

GitHub's list says which comments still stand as they were written; the store keeps what each meant when it was first
looked at. Whatever names nothing that was shown then never means anything: a commit could be made to fit it later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.observation import Unanswered
from app.gate.people_effects import AnswerComment
from app.gate.reviews import TICKET_NOT_TOLD, BundleNow, bundle_seen, unchanged_since
from app.github import writes
from app.github.client import GitHubClient
from app.github.errors import NotFound
from app.github.models import Comment
from app.github.pull_models import PullRequest
from app.github.pull_models import Review as GitHubReview
from app.store import comment_approvals
from app.store.comment_approvals import CommentApproval, CommentWithdrawn, ShownCode
from checks.accounts import Account, Review
from checks.approval_code import approved_word, is_commit
from checks.branches import BRANCHES
from checks.unread import Unread

NOTHING = ""  # in the store: it names nothing that was ever shown here
_NOT_KNOWN = Unread("it is not certain what stood when this comment was written")


@dataclass(frozen=True, slots=True)
class Said:
    """The comments that approve: as reviews, and those that nobody has acknowledged yet."""

    reviews: tuple[Review, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()


async def read_comment_approvals(
    gate: Gate,
    repository_id: int,
    pull: PullRequest,
    known: Sequence[CommentApproval],
    codes: Sequence[ShownCode],
    bundle: BundleNow,
    head_seen_at: datetime | None,
) -> Said:
    """Every approval by comment; `known` and `codes` are the store's, and so is when the gate first saw this head."""
    listed = {comment.full_database_id: comment for comment in pull.comments.nodes}
    seen = {one.comment_id for one in known}
    fresh = [one for one in _observed(repository_id, pull, listed.values()) if one.comment_id not in seen]
    gone = [CommentWithdrawn(repository_id, one.comment_id) for one in known if _is_gone(one, pull, listed)]
    withdrawn = {one.comment_id for one in gone}
    standing = [replace(one, withdrawn=one.withdrawn or one.comment_id in withdrawn) for one in (*known, *fresh)]
    told = [_told(one, pull, codes, bundle, head_seen_at) for one in standing if one.commit_id is None]
    if fresh or told or gone:
        async with gate.database.transaction() as connection:
            await comment_approvals.record(connection, fresh)
            await comment_approvals.withdraw(connection, gone)
            await comment_approvals.tell(connection, told)
    by_id = {one.comment_id: one for one in (*standing, *told)}
    visible = [one for one in by_id.values() if one.withdrawn or one.comment_id in listed]
    unanswered = tuple(
        Unanswered(one.comment_id, one.author_login, one.commit_id or NOTHING)
        for one in visible
        if one.answer is None and not one.withdrawn
    )
    return Said(tuple(_review(one) for one in visible if one.commit_id != NOTHING), unanswered)


def _observed(repository_id: int, pull: PullRequest, comments: Iterable[Comment]) -> Iterator[CommentApproval]:
    """Those whose delivery was lost; one that was edited may have said anything when it was new, and what an App wrote
    in a person's name never meant anything."""
    for comment in comments:
        word, author = approved_word(comment.body), comment.author
        if word is None or author is None or not comment.is_persons_word:
            continue
        yield CommentApproval(
            repository_id,
            pull.number,
            comment.full_database_id,
            author.database_id or 0,
            author.login,
            word,
            comment.created_at,
            "observed",
        )


def _is_gone(one: CommentApproval, pull: PullRequest, listed: dict[int, Comment]) -> bool:
    """Whether it was edited or deleted since; of a comment beyond a cut list nobody knows."""
    if one.withdrawn:
        return False
    comment = listed.get(one.comment_id)
    return pull.comments.complete if comment is None else comment.last_edited_at is not None


def _told(
    one: CommentApproval,
    pull: PullRequest,
    codes: Sequence[ShownCode],
    bundle: BundleNow,
    head_seen_at: datetime | None,
) -> CommentApproval:
    if is_commit(one.word):
        return _about_commit(one, pull, codes, bundle, head_seen_at)
    code = next((code for code in codes if code.code == one.word), None)
    if code is None:
        return replace(one, commit_id=NOTHING)
    return replace(
        one,
        at_head=code.head_sha == pull.head_ref_oid,
        commit_id=code.head_sha,
        base_ref=code.base_ref,
        bundle_digest=code.bundle_digest or "",
        ticket_digest=code.ticket_digest,
    )


def _about_commit(
    one: CommentApproval,
    pull: PullRequest,
    codes: Sequence[ShownCode],
    bundle: BundleNow,
    head_seen_at: datetime | None,
) -> CommentApproval:
    """The beginning of a commit id names a head, and of the rest what provably has not changed since.

    Not a head that came after it: a commit can be made whose first letters are those of the one that was meant.
    """
    was_there = head_seen_at is not None and head_seen_at <= one.created_at
    heads = {head for head in (pull.head_ref_oid, *(code.head_sha for code in codes)) if head.startswith(one.word)}
    if not (was_there or one.word == pull.head_ref_oid):
        heads.discard(pull.head_ref_oid)
    if len(heads) != 1:
        return replace(one, commit_id=NOTHING)
    base_known = unchanged_since(pull.base_changed_at, one.created_at)
    seen = bundle_seen(bundle, one.created_at, body_known=unchanged_since(pull.last_edited_at, one.created_at))
    head = heads.pop()
    return replace(
        one,
        at_head=head == pull.head_ref_oid,
        commit_id=head,
        base_ref=BRANCHES + pull.base_ref_name if base_known else "",
        bundle_digest=seen,
    )


def _review(one: CommentApproval) -> Review:
    return Review(
        one.comment_id,
        Account(one.author_login, one.author_id),
        "DISMISSED" if one.withdrawn else "APPROVED",
        one.commit_id or "",
        one.created_at,
        one.base_ref or _NOT_KNOWN,
        _NOT_KNOWN if one.bundle_digest is None else one.bundle_digest or None,
        TICKET_NOT_TOLD if is_commit(one.word) else one.ticket_digest,
        comment=True,
        given="APPROVED",
        dismissed_by=one.author_login if one.withdrawn else None,
        at_head=one.at_head,
    )


def approvals_in_reviews(
    reviews: tuple[Review, ...] | Unread, listed: Iterable[GitHubReview], codes: Sequence[ShownCode]
) -> tuple[Review, ...]:
    """Approvals that stand at the top of a review's text, by the grammar of comments, as of the moment it was given.
    `listed` are the same reviews as GitHub shows them.

    A review is never deleted, and that its text was edited is shown for good; so nothing of it needs to be kept. Its
    code must stand for what the review itself is about: one that was mistyped, or is another pull request's, can be
    shown here later, as whoever pushes can make commits and bundles until it is. One that asks for changes approves
    nothing, and one that was dismissed no more.
    """
    if isinstance(reviews, Unread):
        return ()
    given = {review.id: review for review in reviews if review.state in ("APPROVED", "COMMENTED")}
    found = (_said_in(given.get(one.full_database_id), one, codes) for one in listed)
    return tuple(one for one in found if one is not None)


def _said_in(given: Review | None, listed: GitHubReview, codes: Sequence[ShownCode]) -> Review | None:
    if given is None or given.author.is_bot or listed.last_edited_at is not None:
        return None
    word = approved_word(listed.body)
    approved = replace(given, state="APPROVED", comment=True, given="APPROVED", dismissed_by=None)
    if word is None or is_commit(word):
        # By a commit's id it approves what the review is about, and no other commit.
        return approved if word is not None and given.commit.startswith(word) else None
    code = next((code for code in codes if code.code == word), None)
    if code is None or not _is_about(given, (code.head_sha, code.base_ref, code.bundle_digest)):
        return None
    return replace(approved, ticket_digest=code.ticket_digest)


def with_comments(
    reviews: tuple[Review, ...] | Unread, said: Sequence[Review], now: tuple[str, str, str | None]
) -> tuple[Review, ...] | Unread:
    """Both kinds together; `now` are head, base and bundle as they stand.

    A comment about something else takes nothing from an approval of the same person that may count.
    """
    if isinstance(reviews, Unread):
        return reviews
    together = (*reviews, *said)
    approvals = [one for one in together if one.state == "APPROVED"]
    current = {one.author.login.casefold() for one in approvals if _is_about(one, now) or not one.comment}
    stale = [one for one in said if one.state == "APPROVED" and not _is_about(one, now)]
    return tuple(one for one in together if one not in stale or one.author.login.casefold() not in current)


async def answer_comment(gate: Gate, client: GitHubClient, repository: RepositoryName, effect: AnswerComment) -> None:
    """GitHub takes the same reaction twice for one, so an answer that was given and not noted does no harm."""
    with suppress(NotFound):  # the comment was deleted meanwhile
        await writes.react(client, repository.owner, repository.name, effect.comment_id, effect.content)
    async with gate.database.transaction() as connection:
        await comment_approvals.answered(connection, repository.id, effect.comment_id, effect.content)


def _is_about(review: Review, now: tuple[str, str, str | None]) -> bool:
    return (review.commit, review.base_ref, review.bundle_digest) == now
