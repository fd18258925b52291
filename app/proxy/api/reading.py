"""What a session reads: GitHub's answer streams through, downloads are fetched for it."""

from __future__ import annotations

import json

from app.github.addresses import graphql_url, redirect_target
from app.proxy.api.answering import stream
from app.proxy.api.asking import Asking, Url, is_redirect, moved
from app.proxy.api.call import Call
from app.proxy.api.denied import Denied, NotDone
from app.proxy.api.graph import READING, Query
from app.proxy.api.rest import Forward
from app.proxy.api.rewriting import may_follow
from app.proxy.api.subjects import Subjects
from app.proxy.api.target import written
from app.proxy.courier import Credential
from app.proxy.refusal import Refusal


class Reading:
    """Every method may raise NotDone, Failed, DatabaseAway."""

    def __init__(self, asking: Asking, subjects: Subjects) -> None:
        self._asking = asking
        self._subjects = subjects

    async def rest(self, call: Call, asked: Forward) -> None:
        """GET of an allowed route."""
        for look in asked.looks:
            found = await self._subjects.look(call.grant, look)
            if isinstance(found, Refusal):
                raise NotDone(Denied(403, found))
        permissions = asked.route.permissions or {}
        url = rest_url(self._asking.api_url, asked)
        async with self._asking.read(call.grant, permissions, url, call.headers()) as response:
            if not is_redirect(response):
                await stream(call.send, response, call.addresses)
                return
            target = redirect_target(str(response.url), response.headers.get("Location", ""))
        if not asked.route.download or target is None or not may_follow(self._asking.api_url, target):
            raise moved()
        async with self._asking.abroad(target) as response:
            await stream(call.send, response, call.addresses)

    async def graphql(self, call: Call, asked: Query) -> None:
        """A query. Objects that it names and the session may not see make the whole of it a refusal."""
        for look in asked.looks:
            found = await self._subjects.look(call.grant, look)
            if isinstance(found, Refusal):
                raise NotDone(Denied(200, found))
        document = json.dumps({"query": asked.document}).encode("ascii")
        url = graphql_url(self._asking.api_url)
        headers = {**call.headers(), "Content-Type": "application/json"}
        async with self._asking.read(call.grant, READING, lambda _: url, headers, document) as response:
            if is_redirect(response):
                raise moved()
            await stream(call.send, response, call.addresses)


def rest_url(api_url: str, asked: Forward) -> Url:
    """The address at GitHub, with the present name of the session's repository."""

    def url(credential: Credential) -> str:
        return api_url + written(("repos", credential.owner, credential.repository, *asked.segments), asked.query)

    return url
