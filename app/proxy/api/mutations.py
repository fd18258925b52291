"""The mutations that a session may send: rules of their inputs, what their objects must be, what the ledger needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.proxy.api.bodies import TEXT, TITLE, Json, Rule, boolean, own_base, own_head, text
from app.proxy.api.looks import DiscussedNode, HomeNode, Look, OwnCommentNode, OwnPullNode
from app.proxy.api.routes import EDITING, OPENING, Makes, Permissions
from app.proxy.grant import Right

ALIAS = "mergegate"  # of what is asked for beside the agent's own selection, and taken out of the answer again
_ID: Rule = text(300)
_TALLY: Rule = text(200)


@dataclass(frozen=True, slots=True)
class Mutation:
    """`looks` names what the objects of an input must be. `made` is the selection that tells the ledger what was made.

    `fixed` overrides fields of the input. `permissions` None: those of whatever is commented on.
    """

    right: Right
    rules: Mapping[str, Rule]
    looks: Callable[[Json], tuple[Look, ...]]
    permissions: Permissions | None = None
    fixed: Mapping[str, Any] | None = None
    made: str | None = None
    makes: Makes | None = None


def _creation(given: Json) -> tuple[Look, ...]:
    named = [given["repositoryId"], given.get("headRepositoryId")]
    return tuple(HomeNode(one) for one in dict.fromkeys(named) if one is not None)


def _own_pull(given: Json) -> tuple[Look, ...]:
    return (OwnPullNode(given["pullRequestId"]),)


_PULL: Mapping[str, Rule] = {"pullRequestId": _ID, "clientMutationId": _TALLY}

MUTATIONS: Mapping[str, Mutation] = {
    "createPullRequest": Mutation(
        Right.PULL_REQUEST,
        {
            "repositoryId": _ID,
            "headRepositoryId": _ID,
            "headRefName": own_head,
            "baseRefName": own_base,
            "title": text(TITLE),
            "body": text(TEXT),
            "draft": boolean,
            "maintainerCanModify": boolean,
            "clientMutationId": _TALLY,
        },
        _creation,
        OPENING,
        # gh asks for it unless told not to. Nobody but the session moves its branch.
        fixed={"maintainerCanModify": False},
        made="pullRequest { id number }",
        makes="pull",
    ),
    "updatePullRequest": Mutation(
        Right.PULL_REQUEST, {**_PULL, "title": text(TITLE), "body": text(TEXT)}, _own_pull, EDITING
    ),
    "markPullRequestReadyForReview": Mutation(Right.PULL_REQUEST, _PULL, _own_pull, EDITING),
    "convertPullRequestToDraft": Mutation(Right.PULL_REQUEST, _PULL, _own_pull, EDITING),
    "addComment": Mutation(
        Right.COMMENT,
        {"subjectId": _ID, "body": text(TEXT), "clientMutationId": _TALLY},
        lambda given: (DiscussedNode(given["subjectId"]),),
        made="commentEdge { node { id fullDatabaseId } }",
        makes="comment",
    ),
    "updateIssueComment": Mutation(
        Right.COMMENT,
        {"id": _ID, "body": text(TEXT), "clientMutationId": _TALLY},
        lambda given: (OwnCommentNode(given["id"]),),
    ),
}
