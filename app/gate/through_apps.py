"""Comments that an App wrote in a person's name, with a token that the person once gave it: no word of that person.

GraphQL does not tell them from the person's own (`IssueComment` has no such field), REST does, by
`performed_via_github_app`: https://docs.github.com/en/rest/issues/comments. Of a review GitHub tells it nowhere. An App
whose person signed in by OAuth, or who gave it a personal token, is not told from the person at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from app.gate.names import RepositoryName
from app.github import issues
from app.github.client import GitHubClient
from app.github.models import Comment
from app.github.pull_models import PullRequest, PullState
from checks.commands import read_commands

VERBS = frozenset({"approve", "override", "requeue"})  # what is read from the conversation, and not from a delivery


async def without_words_of_apps(
    client: GitHubClient, repository: RepositoryName, state: PullState, vouched: Collection[int]
) -> PullState:
    """The pull request with each such comment marked, and each of which REST does not tell yet: it says nothing.

    `vouched` are ids of comments that are known to be their author's own. Asks GitHub only where another comment
    commands something, and then for a page that costs nothing while it does not change. Raises GitHub's errors.
    """
    pull = state.pull
    doubtful = {one.full_database_id: one for one in _commands(pull) if one.full_database_id not in vouched}
    if not doubtful:
        return state
    since = min(one.created_at for one in doubtful.values())
    listing = await issues.comments_since(client, repository.owner, repository.name, pull.number, since)
    own = {one.id for one in listing.items if one.performed_via_github_app is None}
    return state.model_copy(update={"pull": _marked(pull, doubtful.keys() - own)})


def _commands(pull: PullRequest) -> Iterable[Comment]:
    return (
        one
        for one in pull.comments.nodes
        if one.author is not None and one.author.type == "User" and _is_command(one.body)
    )


def _is_command(body: str) -> bool:
    return any(command.verb in VERBS for command in read_commands(body))


def _marked(pull: PullRequest, ids: Collection[int]) -> PullRequest:
    nodes = tuple(
        one.model_copy(update={"through_app": True}) if one.full_database_id in ids else one
        for one in pull.comments.nodes
    )
    return pull.model_copy(update={"comments": pull.comments.model_copy(update={"nodes": nodes})})
