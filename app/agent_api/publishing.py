"""Evidence as a comment on the agent's own pull request, where the gate reads it and people see what it is.

It goes through the proxy's own slice of GitHub's API with the session's token: its rights, its limits and its record
hold for this comment as for any other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import re2

from app.agent_api.call import Call, Refused, Session
from app.proxy.incoming import Message
from checks.branches import BRANCHES
from checks.bundle import find_blocks

LONGEST_COMMENT = 65_536  # characters, as GitHub takes them
_BACKTICKS = re2.compile(r"`+")
NO_PULL = Refused(
    409,
    "There is no open pull request of this session's branch.",
    "Push the branch and open one, then hand the evidence over.",
)


async def publish(session: Session, text: str) -> int:
    """The pull request on which the bundle now stands as the newest comment. Raises Refused."""
    words = text if find_blocks(text) else fenced(text)
    if len(words) > LONGEST_COMMENT:
        fix = "Shorten it: point at logs instead of quoting them."
        raise Refused(422, f"The bundle is longer than the {LONGEST_COMMENT} characters of a comment.", fix)
    grant, call = session.grant, session.call
    home = f"/repos/{grant.owner}/{grant.repository}"
    number = await _pull(session, home)
    await _asked(call, "POST", f"{home}/issues/{number}/comments", body={"body": words})
    return number


def fenced(text: str) -> str:
    """The bundle as a block that nothing in it can close."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}mergegate\n{text.rstrip()}\n{fence}\n"


async def _pull(session: Session, home: str) -> int:
    """The number of the open pull request of the session's branch. Raises Refused."""
    branch = session.grant.branch.removeprefix(BRANCHES)
    query = f"head={quote(session.grant.owner + ':' + branch, safe='')}&state=open"
    found = await _asked(session.call, "GET", f"{home}/pulls", query)
    if not isinstance(found, list) or not found or not isinstance(found[0].get("number"), int):
        raise NO_PULL
    number: int = found[0]["number"]
    return number


async def _asked(call: Call, method: str, path: str, query: str = "", body: Mapping[str, Any] | None = None) -> Any:
    """What the slice answers to the agent itself. Raises Refused with its words."""
    raw = b"" if body is None else json.dumps(body).encode()
    status, said = await _through(call, method, path, query, raw)
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        found = None
    if status // 100 == 2:
        return found
    message = found.get("message") if isinstance(found, dict) else None
    known = status if status in (401, 403, 409, 422, 429, 503) else 503
    raise Refused(known, str(message or "GitHub did not take it."), "Look at the pull request, then try again.")


async def _through(call: Call, method: str, path: str, query: str, raw: bytes) -> tuple[int, bytes]:
    """The status and the whole body of the answer of one request within this process."""
    sent: list[Message] = []
    headers = [(b"host", call.incoming.headers[b"host"]), (b"authorization", call.incoming.headers[b"authorization"])]
    if raw:
        headers += [(b"content-type", b"application/json"), (b"content-length", str(len(raw)).encode())]
    scope = {
        "type": "http",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode("ascii"),
        "query_string": query.encode("ascii"),
        "headers": headers,
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": raw, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await call.parts.github()(scope, receive, send)
    status = next((one["status"] for one in sent if one["type"] == "http.response.start"), 503)
    return status, b"".join(one.get("body", b"") for one in sent if one["type"] == "http.response.body")
