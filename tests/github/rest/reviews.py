"""Reviews of a pull request. https://docs.github.com/rest/pulls/reviews"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import serialize_pulls
from tests.github.answers import answer, json_body, page_of
from tests.github.auth import actor_of
from tests.github.errors import ApiError, not_found, unprocessable
from tests.github.events import ReviewSubmitted
from tests.github.operations import reviews
from tests.github.rest.lookup import github_of, number_in, pull_of, repository_of, world_of
from tests.github.state import PullRequest, Repository, Review


def _shown(request: Request, pull: PullRequest) -> list[Review]:
    """A pending review is seen by its author alone."""
    login = actor_of(request).login
    return [r for r in pull.reviews if r.state != "PENDING" or r.user == login]


def _review(request: Request, pull: PullRequest) -> Review:
    wanted = number_in(request, "review_id")
    found = next((r for r in _shown(request, pull) if r.id == wanted), None)
    if found is None:
        raise not_found()
    return found


def _answer(request: Request, repository: Repository, pull: PullRequest, review: Review) -> Response:
    return answer(serialize_pulls.review(world_of(request), repository, pull, review))


async def list_reviews(request: Request) -> Response:
    """In the order in which they were given."""
    repository, world = repository_of(request, "pull_requests"), world_of(request)
    pull = pull_of(request, repository)
    page, link = page_of(request, _shown(request, pull))
    return answer([serialize_pulls.review(world, repository, pull, r) for r in page], headers=link)


async def get_review(request: Request) -> Response:
    repository = repository_of(request, "pull_requests")
    pull = pull_of(request, repository)
    return _answer(request, repository, pull, _review(request, pull))


async def create_review(request: Request) -> Response:
    """Answered 200. Without `event` the review is pending."""
    repository = repository_of(request, "pull_requests", "write", user="read")
    pull, body = pull_of(request, repository), await json_body(request)
    review = await reviews.submit_review(
        github_of(request),
        repository,
        pull,
        actor_of(request).login,
        body.get("event"),
        str(body.get("body") or ""),
        commit_id=body.get("commit_id"),
        comments=body.get("comments") or (),
    )
    return _answer(request, repository, pull, review)


async def submit_review(request: Request) -> Response:
    repository = repository_of(request, "pull_requests", "write", user="read")
    pull, body = pull_of(request, repository), await json_body(request)
    review, event = _review(request, pull), body.get("event")
    if not isinstance(event, str):
        raise unprocessable('Invalid request.\n\n"event" wasn\'t supplied.')
    text = str(body.get("body") or "")
    await reviews.submit_pending(github_of(request), repository, pull, review, event, text)
    return _answer(request, repository, pull, review)


async def change_review(request: Request) -> Response:
    """The author changes the summary."""
    repository = repository_of(request, "pull_requests", "write", user="read")
    pull, body = pull_of(request, repository), await json_body(request)
    review, login = _review(request, pull), actor_of(request).login
    if review.user != login:
        raise ApiError(422, "Unprocessable Entity", ["Can not edit a review of somebody else"])
    review.body = str(body.get("body", ""))
    if review.state != "PENDING":
        await github_of(request).publish(ReviewSubmitted(repository, pull, review, "edited", login))
    return _answer(request, repository, pull, review)


async def delete_review(request: Request) -> Response:
    """Only a pending one."""
    repository = repository_of(request, "pull_requests", "write", user="read")
    pull = pull_of(request, repository)
    review = _review(request, pull)
    if review.state != "PENDING":
        raise ApiError(422, "Unprocessable Entity", ["Can not delete a non-pending pull request review"])
    pull.reviews.remove(review)
    return _answer(request, repository, pull, review)


async def dismiss_review(request: Request) -> Response:
    repository = repository_of(request, "pull_requests", "write")
    pull, body = pull_of(request, repository), await json_body(request)
    review = _review(request, pull)
    if not body.get("message"):
        raise unprocessable('Invalid request.\n\n"message" wasn\'t supplied.')
    login, message = actor_of(request).login, str(body["message"])
    await reviews.dismiss_review(github_of(request), repository, pull, review, login, message)
    return _answer(request, repository, pull, review)


async def list_review_comments(request: Request) -> Response:
    repository, world = repository_of(request, "pull_requests"), world_of(request)
    pull = pull_of(request, repository)
    review = _review(request, pull)
    page, link = page_of(request, [c for c in pull.review_comments if c.review_id == review.id])
    return answer([serialize_pulls.review_comment(world, repository, pull, c) for c in page], headers=link)


ONE = "/repos/{owner}/{repo}/pulls/{number:int}/reviews/{review_id}"
routes = [
    Route("/repos/{owner}/{repo}/pulls/{number:int}/reviews", list_reviews),
    Route("/repos/{owner}/{repo}/pulls/{number:int}/reviews", create_review, methods=["POST"]),
    Route(ONE, get_review),
    Route(ONE, change_review, methods=["PUT"]),
    Route(ONE, delete_review, methods=["DELETE"]),
    Route(f"{ONE}/events", submit_review, methods=["POST"]),
    Route(f"{ONE}/dismissals", dismiss_review, methods=["PUT"]),
    Route(f"{ONE}/comments", list_review_comments),
]
