"""Whether the objects that a request names are the session's: asked of GitHub, or of the ledger, and compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import structlog
from pydantic import ConfigDict, Field, ValidationError

from app.github.addresses import graphql_url
from app.json_model import JsonModel
from app.proxy import ledger
from app.proxy.api.asking import Asking, read_whole
from app.proxy.api.bodies import short
from app.proxy.api.denied import Denied, NotDone
from app.proxy.api.looks import (
    DiscussedNode,
    HomeNode,
    Look,
    OwnComment,
    OwnCommentNode,
    OwnPull,
    OwnPullNode,
    PullNumber,
    ReadableNode,
)
from app.proxy.grant import Grant
from app.proxy.refusal import Refusal
from app.store.database import Database

log = structlog.get_logger(__name__)

LOOKING: Mapping[str, str] = {"issues": "read", "pull_requests": "read"}
ANSWER_BYTES = 64 * 1024
_FIELDS = """
__typename
... on Issue { number repository { databaseId } }
... on PullRequest { number state headRefName headRepository { databaseId } repository { databaseId } }
"""
_BY_ID = f"query Subject($id: ID!) {{ node(id: $id) {{ ... on Repository {{ databaseId }} {_FIELDS} }} }}"
_BY_NUMBER = (
    "query SubjectByNumber($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) "
    f"{{ node: issueOrPullRequest(number: $number) {{ {_FIELDS} }} }} }}"
)
Kind = Literal["issue", "pull"]


class _Home(JsonModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    database_id: int | None = Field(alias="databaseId")


class Subject(JsonModel):
    """An object as GitHub describes it; `number` and `repository` are those of an issue or a pull request."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    typename: str = Field(alias="__typename")
    database_id: int | None = Field(None, alias="databaseId")
    number: int | None = None
    state: str | None = None
    repository: _Home | None = None
    head_ref_name: str | None = Field(None, alias="headRefName")
    head_repository: _Home | None = Field(None, alias="headRepository")


@dataclass(frozen=True, slots=True)
class Found:
    """The issue or pull request that a request writes to."""

    number: int
    kind: Kind


def judged(grant: Grant, look: Look, subject: Subject | None) -> Found | Refusal | None:
    """What a look came to: the issue or pull request, None where it is a repository, or a refusal.

    The refusal is the same for what does not exist and for what is another's.
    """
    if subject is None or _home(subject) != grant.repository_id:
        return refusal(grant, look)
    if isinstance(look, HomeNode):
        return None if subject.typename == "Repository" else refusal(grant, look)
    found = _found(subject)
    if found is None or not _is_enough(grant, look, subject, found):
        return refusal(grant, look)
    return found


def _home(subject: Subject) -> int | None:
    if subject.typename == "Repository":
        return subject.database_id
    return subject.repository.database_id if subject.repository else None


def _found(subject: Subject) -> Found | None:
    kinds: Mapping[str, Kind] = {"Issue": "issue", "PullRequest": "pull"}
    kind = kinds.get(subject.typename)
    return None if kind is None or subject.number is None else Found(subject.number, kind)


def _is_enough(grant: Grant, look: Look, subject: Subject, found: Found) -> bool:
    is_ticket = grant.ticket is not None and found == Found(grant.ticket, "issue")
    is_own = found.kind == "pull" and subject.head_ref_name == short(grant.branch)
    is_own = is_own and subject.head_repository == _Home(databaseId=grant.repository_id)
    match look:
        case OwnPull(_, edited=False):
            return is_own
        case OwnPull() | OwnPullNode():
            return is_own and subject.state == "OPEN"
        case DiscussedNode():
            return is_own or is_ticket
        case ReadableNode():
            return found.kind == "pull" or is_ticket
        case PullNumber():
            return found.kind == "pull"
    return False


def refusal(grant: Grant, look: Look) -> Refusal:
    """Why a look failed, in words that do not depend on what there is."""
    branch = short(grant.branch)
    ticket = "" if grant.ticket is None else f" and on its ticket, number {grant.ticket}"
    match look:
        case OwnPull() | OwnPullNode():
            return Refusal("This is not the session's open pull request", f"Name the pull request of `{branch}`")
        case DiscussedNode():
            fix = f"Name one of them; the pull request is the one of `{branch}`"
            return Refusal(f"A session comments on its own pull request{ticket}, nowhere else", fix)
        case HomeNode():
            return Refusal(f"Pull requests are opened in {grant.owner}/{grant.repository}", "Name its id")
        case OwnComment() | OwnCommentNode():
            return Refusal("Only a comment that this session wrote may be changed", "Write a new comment")
        case ReadableNode() | PullNumber():
            return Refusal("There is no such pull request or ticket that this session may see", "Check what it names")


class Subjects:
    """Asks with a token that may read issues and pull requests of the one repository."""

    def __init__(self, database: Database, asking: Asking) -> None:
        self._database = database
        self._asking = asking

    async def look(self, grant: Grant, look: Look) -> Found | Refusal | None:
        """What a look comes to. Raises NotDone, Failed, DatabaseAway."""
        match look:
            case OwnComment(object_id):
                return await self._comment(grant, look, object_id, None)
            case OwnCommentNode(node_id):
                return await self._comment(grant, look, None, node_id)
            case OwnPull(number=number) | PullNumber(number):
                return judged(grant, look, await self._asked(grant, number=number))
            case OwnPullNode(node_id) | DiscussedNode(node_id) | ReadableNode(node_id) | HomeNode(node_id):
                return judged(grant, look, await self._asked(grant, node_id=node_id))

    async def _comment(
        self, grant: Grant, look: Look, object_id: int | None, node_id: str | None
    ) -> Found | Refusal | None:
        for entry in await ledger.made(self._database, grant):
            same = entry.object_id == object_id if node_id is None else entry.node_id == node_id
            if same and entry.object_id is not None and entry.number is not None:
                return Found(entry.number, "issue" if entry.number == grant.ticket else "pull")
        return refusal(grant, look)

    async def _asked(self, grant: Grant, *, node_id: str | None = None, number: int = 0) -> Subject | None:
        named: dict[str, object] = {"owner": grant.owner, "name": grant.repository, "number": number}
        body = {"query": _BY_NUMBER, "variables": named}
        if node_id is not None:
            body = {"query": _BY_ID, "variables": {"id": node_id}}
        answer = await self._answer(grant, json.dumps(body).encode("ascii"))
        holder = answer if node_id is not None else answer.get("repository")
        return _subject((holder or {}).get("node"))

    async def _answer(self, grant: Grant, document: bytes) -> dict[str, Any]:
        url = graphql_url(self._asking.api_url)
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        async with self._asking.read(grant, LOOKING, lambda _: url, headers, document) as response:
            raw = await read_whole(response, ANSWER_BYTES)
            return _data(response.status, raw)


def _data(status: int, raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError):
        answer = None
    if status != 200 or not isinstance(answer, dict) or not isinstance(answer.get("data"), dict):
        raise could_not_look(f"it answered {status}")
    data: dict[str, Any] = answer["data"]
    return data


def _subject(node: Any) -> Subject | None:
    if node is None:
        return None
    try:
        return Subject.model_validate(node)
    except ValidationError as wrong:
        raise could_not_look("it described it in a way that is not known") from wrong


def could_not_look(because: str) -> NotDone:
    """Not knowing is no yes."""
    log.warning("what a request names could not be looked up", because=because)
    refusal = Refusal(f"GitHub did not say what the request names: {because}", "Nothing was sent", retry=True)
    return NotDone(Denied(503, refusal, retry_after=10))
