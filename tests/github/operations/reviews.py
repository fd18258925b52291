"""Reviews: submitting, dismissing, and dismissal by a push."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from tests.github.errors import ApiError, unprocessable
from tests.github.events import ReviewCommentCreated, ReviewSubmitted
from tests.github.state import PullRequest, Repository, Review, ReviewComment

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

State = Literal["PENDING", "APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED"]
STATES: dict[str | None, State] = {
    "APPROVE": "APPROVED",
    "REQUEST_CHANGES": "CHANGES_REQUESTED",
    "COMMENT": "COMMENTED",
    None: "PENDING",
}
DECISIVE = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")


def decisive_reviews(pull: PullRequest) -> dict[str, Review]:
    """Each reviewer's latest review that approves, requests changes or was dismissed; comments decide nothing."""
    return {review.user: review for review in pull.reviews if review.state in DECISIVE}


async def submit_review(
    github: SimulatedGitHub,
    repository: Repository,
    pull: PullRequest,
    actor: str,
    event: str | None,
    body: str = "",
    *,
    commit_id: str | None = None,
    comments: Sequence[dict[str, Any]] = (),
) -> Review:
    """`event` is APPROVE, REQUEST_CHANGES, COMMENT, or None for a pending review. ApiError 422 as GitHub refuses."""
    _check_event(pull, actor, event, body, comments)
    if any(r.user == actor and r.state == "PENDING" for r in pull.reviews):
        raise ApiError(422, "Unprocessable Entity", ["User can only have one pending review per pull request"])
    now = github.world.now()
    commit = commit_id or pull.head_sha
    if await github.git(repository).rev_parse(commit, "commit") is None:
        raise ApiError(422, "Unprocessable Entity", ["The commit_id is not part of the pull request"])
    review = Review(github.world.new_id(), actor, STATES[event], body, commit, now)
    pull.reviews.append(review)
    written = [_comment(github, pull, review, comment) for comment in comments]
    pull.review_comments += written
    if event is not None:
        await _submitted(github, repository, pull, review, written)
    return review


def _check_event(pull: PullRequest, actor: str, event: str | None, body: str, comments: Sequence[Any]) -> None:
    if event not in STATES:
        raise ApiError(422, "Unprocessable Entity", [f"Variable $event of type PullRequestReviewEvent: {event}"])
    if actor == pull.issue.user and event == "APPROVE":
        raise ApiError(422, "Unprocessable Entity", ["Can not approve your own pull request"])
    if actor == pull.issue.user and event == "REQUEST_CHANGES":
        raise ApiError(422, "Unprocessable Entity", ["Can not request changes on your own pull request"])
    if event in ("REQUEST_CHANGES", "COMMENT") and not body and not comments:
        raise unprocessable("Unprocessable Entity")


def _comment(github: SimulatedGitHub, pull: PullRequest, review: Review, given: dict[str, Any]) -> ReviewComment:
    now = github.world.now()
    line = given.get("line") or given.get("position") or 1
    return ReviewComment(
        id=github.world.new_id(),
        user=review.user,
        body=given.get("body", ""),
        path=given.get("path", ""),
        commit_id=review.commit_id,
        created_at=now,
        updated_at=now,
        review_id=review.id,
        line=line,
        side=given.get("side", "RIGHT"),
    )


async def submit_pending(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, review: Review, event: str, body: str
) -> None:
    """Turns a pending review into one that counts."""
    _check_event(pull, review.user, event, body or review.body, pull.review_comments)
    if review.state != "PENDING":
        raise ApiError(422, "Unprocessable Entity", ["Can not submit a review that is not pending"])
    review.state, review.body = STATES[event], body or review.body
    review.submitted_at = github.world.now()
    pull.reviews.remove(review)
    pull.reviews.append(review)
    written = [c for c in pull.review_comments if c.review_id == review.id]
    await _submitted(github, repository, pull, review, written)


async def _submitted(
    github: SimulatedGitHub,
    repository: Repository,
    pull: PullRequest,
    review: Review,
    comments: Sequence[ReviewComment],
) -> None:
    if review.user in pull.requested_reviewers:
        pull.requested_reviewers.remove(review.user)
    pull.issue.updated_at = github.world.now()
    await github.publish(ReviewSubmitted(repository, pull, review, "submitted", review.user))
    for comment in comments:
        await github.publish(ReviewCommentCreated(repository, pull, comment, review.user))


async def dismiss_review(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, review: Review, actor: str, message: str
) -> None:
    """ApiError 422 for reviews that decide nothing or are dismissed already."""
    if review.state not in ("APPROVED", "CHANGES_REQUESTED"):
        raise ApiError(422, "Unprocessable Entity", [f"Can not dismiss a {review.state.lower()} pull request review"])
    review.state, review.dismissed_by, review.dismissed_message = "DISMISSED", actor, message
    pull.issue.updated_at = github.world.now()
    await github.publish(ReviewSubmitted(repository, pull, review, "dismissed", actor))


async def dismiss_stale(
    github: SimulatedGitHub, repository: Repository, pull: PullRequest, before: str, pusher: str
) -> None:
    """Where a rule says so, a push that changes the diff dismisses the approvals given before it."""
    if not github.world.switches.stale_dismissal or not _stale_dismissal_wanted(github, repository, pull):
        return
    if await _same_diff(github, repository, pull, before):
        return
    for review in list(pull.reviews):
        if review.state == "APPROVED":
            await dismiss_review(github, repository, pull, review, pusher, "")


def _stale_dismissal_wanted(github: SimulatedGitHub, repository: Repository, pull: PullRequest) -> bool:
    target = stack_base(repository, pull) or pull.base_ref
    rules = github.effective_rules(repository, target)
    return any(
        rule["type"] == "pull_request" and (rule.get("parameters") or {}).get("dismiss_stale_reviews_on_push")
        for rule in rules
    )


def stack_base(repository: Repository, pull: PullRequest) -> str | None:
    """The branch that a stacked pull request is judged against; None outside a stack."""
    stack = repository.stacks.get(pull.stack_id) if pull.stack_id is not None else None
    return stack.base_ref if stack else None


async def _same_diff(github: SimulatedGitHub, repository: Repository, pull: PullRequest, before: str) -> bool:
    """Whether old and new head change the same lines against their merge bases, as after merging the base."""
    git = github.git(repository)
    diffs = []
    for head in (before, pull.head_sha):
        fork_point = await git.merge_base(pull.base_sha, head)
        if fork_point is None:
            return False
        changes = await git.diff(fork_point, head)
        diffs.append([(c.path, c.status, c.new_mode, c.patch or c.sha) for c in changes])
    return diffs[0] == diffs[1]
