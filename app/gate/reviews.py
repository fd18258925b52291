"""Reviews joined with what was true when they were delivered.

GitHub may bind a review to another commit later, and a body or base may change after it. The store keeps what the
delivery said; a review whose delivery was lost is recorded at first sight, and then only what provably has not
changed since the review is taken as known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.gate.gate import Gate
from app.github.pull_models import PullRequest
from app.github.pull_models import Review as GitHubReview
from app.store import reviews as stored_reviews
from checks.accounts import Account, Review
from checks.branches import BRANCHES
from checks.bundle import read_bundle
from checks.snapshot import Snapshot
from checks.unread import Unread

NO_BUNDLE = ""  # in the store: there was no bundle
GONE = ""  # in the store: the commit is gone, so that an approval is of no head, and a request for changes stands
UNKNOWN = "unknown"  # in the store: nobody can tell what the reviewer saw
# Until `app.gate.tickets` has looked which one was accepted then: no delivery tells of tickets.
TICKET_NOT_TOLD = Unread("it is not certain which ticket stood when this was said")


@dataclass(frozen=True, slots=True)
class BundleNow:
    """The bundle as it stands: its digest (None without one), and when it was last written if it is in a comment."""

    digest: str | None
    commented_at: datetime | None


def bundle_now(snapshot: Snapshot) -> BundleNow:
    reading = read_bundle(snapshot)
    comment_id = reading.source.comment_id if reading.source else None
    comment = next((comment for comment in snapshot.comments if comment.id == comment_id), None)
    return BundleNow(reading.digest, (comment.edited_at or comment.created_at) if comment else None)


async def read_reviews(
    gate: Gate, repository_id: int, pull: PullRequest, known: Sequence[stored_reviews.Review], bundle: BundleNow
) -> tuple[Review, ...] | Unread:
    """Every review of the pull request; `known` are the store's records."""
    if pull.reviews is None or not pull.reviews.complete:
        return Unread("GitHub's list of reviews is cut")
    rows = {row.review_id: row for row in known}
    found = [review for review in pull.reviews.nodes if review.author and review.submitted_at]
    fresh = [
        _observed(repository_id, pull, review, bundle.digest) for review in found if review.full_database_id not in rows
    ]
    rows |= {row.review_id: row for row in fresh}
    shown = {row.review_id: _shown(row, bundle) if row.shown is None else row.shown for row in rows.values()}
    new = {review_id: digest for review_id, digest in shown.items() if rows[review_id].shown is None}
    if new:
        async with gate.database.transaction() as connection:
            await stored_reviews.record(connection, fresh)
            await stored_reviews.show(connection, repository_id, new)
    return tuple(_joined(review, rows[review.full_database_id], shown[review.full_database_id]) for review in found)


def _observed(repository_id: int, pull: PullRequest, review: GitHubReview, digest: str | None) -> stored_reviews.Review:
    assert review.author is not None
    assert review.submitted_at is not None
    commit = review.commit.oid if review.commit is not None else GONE
    body_known = unchanged_since(pull.last_edited_at, review.submitted_at)
    base_known = unchanged_since(pull.base_changed_at, review.submitted_at)
    return stored_reviews.Review(
        repository_id=repository_id,
        pull_number=pull.number,
        review_id=review.full_database_id,
        reviewer_id=review.author.database_id or 0,
        reviewer_login=review.author.login,
        state=review.state,
        commit_id=commit,
        base_ref=BRANCHES + pull.base_ref_name if base_known else "",
        bundle_digest=(digest or NO_BUNDLE) if body_known else None,
        ticket_digest=None,
        submitted_at=review.submitted_at,
        source="observed",
        at_head=commit == pull.head_ref_oid or None,
    )


def unchanged_since(changed_at: datetime | None, moment: datetime) -> bool:
    """GitHub's times are whole seconds: what changed within the same one may have changed afterwards."""
    return changed_at is None or changed_at < moment


def _joined(review: GitHubReview, row: stored_reviews.Review, shown: str) -> Review:
    assert review.author is not None
    return Review(
        review.full_database_id,
        Account(review.author.login, review.author.database_id, review.author.type),
        review.state,
        row.commit_id,
        row.submitted_at,
        row.base_ref or Unread("the base branch was changed after this review and its delivery is not known"),
        Unread("it is not certain which bundle stood when this review was given")
        if shown == UNKNOWN
        else shown or None,
        row.ticket_digest or TICKET_NOT_TOLD,
        given=row.given,
        dismissed_by=row.dismissed_by,
        at_head=row.at_head,
    )


def _shown(row: stored_reviews.Review, bundle: BundleNow) -> str:
    """The digest of the bundle that the reviewer saw, told once: a comment that is deleted later leaves no trace."""
    if bundle.commented_at is not None:
        return bundle.digest or NO_BUNDLE if bundle.commented_at < row.submitted_at else UNKNOWN
    return UNKNOWN if row.bundle_digest is None else row.bundle_digest


def bundle_seen(bundle: BundleNow, moment: datetime, *, body_known: bool) -> str | None:
    """Digest of the bundle that somebody saw who wrote at that moment, empty where there was none; None: not known.

    `body_known` tells whether the pull request's own text is the same as then.
    """
    known = body_known if bundle.commented_at is None else bundle.commented_at < moment
    return (bundle.digest or NO_BUNDLE) if known else None
