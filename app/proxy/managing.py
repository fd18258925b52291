"""The operators' API, the agents' API and the exchange of identities, loaded when one of them is first asked for.

They read policies and use the large client of GitHub. Both are half of the proxy's memory, and git needs neither.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from app.config import Misconfigured
from app.github.identity import AppIdentity
from app.proxy.describing import json_answer
from app.proxy.incoming import Application, Incoming, Receive, Send
from app.proxy.upstream import Upstream
from app.secret import SecretStr
from app.store.database import Database

if TYPE_CHECKING:
    from app.agent_api.api import AgentApi
    from app.config import LitellmSettings
    from app.github.clients import GitHubApp
    from app.proxy.exchange import Exchange
    from app.proxy.operator_api import OperatorApi


class Managing:
    """Without a token in `operator` there is no API for operators, without `issuers` no exchange.

    `baseline` is the text of the policy that every repository must meet, `api` gives the slice of GitHub's API,
    `litellm` is the gateway that meters agents' calls of models.
    """

    def __init__(
        self,
        database: Database,
        identity: AppIdentity,
        upstream: Upstream,
        verify: ssl.SSLContext | None,
        operator: Sequence[SecretStr],
        issuers: Collection[str],
        baseline: str | None,
        api: Callable[[], Application],
        litellm: LitellmSettings | None = None,
    ) -> None:
        self._database = database
        self._identity = identity
        self._upstream = upstream
        self._verify = verify
        self._operator = operator
        self._issuers = issuers
        self._baseline = baseline
        self._api = api
        self._litellm = litellm

    async def operate(self, incoming: Incoming, receive: Receive, send: Send) -> None:
        if not self._operator:
            await json_answer(send, 404, {"message": "Not Found"})
            return
        await self.operators(incoming, receive, send)

    async def exchange(self, incoming: Incoming, receive: Receive, send: Send) -> None:
        if not self._issuers:
            await json_answer(send, 404, {"message": "Not Found"})
            return
        await self.exchanging(incoming, receive, send)

    async def agent(self, incoming: Incoming, receive: Receive, send: Send) -> None:
        try:
            agents = self.agents
        except Misconfigured as wrong:
            # The gate's own processes do not start with it; here git goes on, and no ticket is handed out.
            said = {"message": f"{wrong}.", "fix": "Ask whoever runs the gate to repair the setting."}
            await json_answer(send, 503, said)
            return
        await agents(incoming, receive, send)

    async def aclose(self) -> None:
        if "_courier" in self.__dict__:
            await self._courier.aclose()

    @cached_property
    def _courier(self) -> GitHubApp:
        from app.github.clients import GitHubApp

        return GitHubApp(self._identity, verify=self._verify)

    @cached_property
    def operators(self) -> OperatorApi:
        from app.gate.presets import read_presets
        from app.proxy.operator_api import OperatorApi

        return OperatorApi(self._database, self._courier, read_presets(), self._operator)

    @cached_property
    def exchanging(self) -> Exchange:
        from app.gate.presets import read_presets
        from app.proxy.exchange import Exchange
        from app.proxy.identities import Identities

        return Exchange(self._database, self._courier, read_presets(), Identities(self._upstream, self._issuers))

    @cached_property
    def agents(self) -> AgentApi:
        from app.agent_api.api import AgentApi
        from app.agent_api.call import Parts
        from app.agent_api.places import Places
        from app.gate.presets import read_presets
        from app.proxy.identities import Identities
        from app.tickets.litellm import Gateway
        from policies.errors import InvalidPolicyError
        from policies.floor import load_floor

        presets = read_presets()
        try:
            floor = None if self._baseline is None else load_floor(self._baseline, presets)
        except InvalidPolicyError as invalid:
            raise Misconfigured(f"MERGEGATE_POLICY_BASELINE is no policy that can be used: {invalid}") from None
        places = Places(self._database, self._courier, presets, lambda: datetime.now(UTC), floor)
        identities = Identities(self._upstream, self._issuers) if self._issuers else None
        gateway = None if self._litellm is None else Gateway(self._litellm.url, self._litellm.key)
        return AgentApi(Parts(self._database, places, self._api, identities, gateway))
