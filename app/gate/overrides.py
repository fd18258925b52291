"""Comments by which people let a head through, as facts; whether one counts is the policy's to say."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from app.github.models import Comment
from app.github.pull_models import PullRequest
from checks.accounts import Account, Override
from checks.override_word import override_words

MOST = 20


def read_overrides(pull: PullRequest, head_seen_at: datetime | None) -> tuple[Override, ...]:
    """Those of this head, the oldest first.

    One counts as its author wrote it: an edited one says nothing, nor does what an App wrote in their name, and a
    deleted or hidden one is gone. It names the head by the beginning of its id and was written after the gate had seen
    that head, so that no commit can be made to fit it.
    """
    return tuple(_read(pull, head_seen_at))[:MOST]


def _read(pull: PullRequest, head_seen_at: datetime | None) -> Iterator[Override]:
    for comment in pull.comments.nodes:
        words, author = override_words(comment.body), comment.author
        if words is None or author is None or not _stands(comment, head_seen_at):
            continue
        commit, reason = words
        if pull.head_ref_oid.startswith(commit):
            account = Account(author.login, author.database_id, author.type)
            yield Override(account, reason, pull.head_ref_oid, comment.created_at, comment.full_database_id)


def _stands(comment: Comment, head_seen_at: datetime | None) -> bool:
    untouched = comment.is_persons_word and not comment.is_minimized
    return untouched and head_seen_at is not None and comment.created_at >= head_seen_at
