"""A double of the key API of LiteLLM's proxy, as its documentation has it, and calls of a model that it meters.

https://docs.litellm.ai/docs/proxy/virtual_keys: requests and answers of `/key/generate`, `/key/info`, `/key/update`,
`/key/block` and `/key/delete`, and that a key whose spend reached its `max_budget` is refused at its next call.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import httpx
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from app.secret import SecretStr
from app.tickets.litellm import Gateway

ADMIN = "sk-admin-of-the-tests"


@dataclass
class Held:
    """A key as the gateway has it; `duration` is as it was asked for."""

    max_budget: Decimal
    duration: str
    metadata: dict[str, Any]
    spend: Decimal = Decimal(0)
    blocked: bool = False


@dataclass
class LiteLlm:
    """`keys` by their SHA-256. While `away`, it answers nothing but 503; `most` is its own upper bound of budgets."""

    keys: dict[str, Held] = field(default_factory=dict)
    deleted: dict[str, Held] = field(default_factory=dict)
    away: bool = False
    unbounded: bool = False
    lavish: bool = False  # it forgets to look at budgets
    most: float = 1_000.0

    def gateway(self) -> Gateway:
        app = self.app()
        return Gateway("http://gateway.test", SecretStr(ADMIN), lambda: httpx.ASGITransport(app=app))

    def app(self) -> FastAPI:
        app = FastAPI()
        app.middleware("http")(self._let_in)
        app.post("/key/generate")(self._generate)
        app.get("/key/info")(self._info)
        app.post("/v1/chat/completions")(self._complete)
        for name in ("update", "block", "delete"):
            app.post(f"/key/{name}")(getattr(self, f"_{name}"))
        return app

    def call(self, key: str, cost: Decimal) -> bool:
        """A call of a model that costs so much; whether it was let through. Its cost is known when it is over."""
        held = self.keys.get(hashed(key))
        if held is None or held.blocked or held.spend >= held.max_budget:
            return False
        held.spend += cost
        return True

    async def _let_in(self, request: Request, follow: Any) -> Any:
        if self.away:
            return JSONResponse({"error": "no database"}, 503)
        model = request.url.path == "/v1/chat/completions"
        if not model and request.headers.get("authorization") != f"Bearer {ADMIN}":
            return JSONResponse({"error": "Authentication Error"}, 401)
        return await follow(request)

    async def _generate(self, body: dict[str, Any]) -> dict[str, Any]:
        key = "sk-" + secrets.token_urlsafe(16)
        budget = min(body["max_budget"], self.most)
        self.keys[hashed(key)] = Held(Decimal(str(budget)), body["duration"], body["metadata"])
        shown = None if self.unbounded else budget
        return {"key": key, "key_name": f"sk-...{key[-4:]}", "max_budget": shown, "expires": "2026-01-01T00:00:00Z"}

    async def _complete(self, request: Request) -> Any:
        """The budget is looked at before the model, of which there is none here."""
        key = request.headers["authorization"].removeprefix("Bearer ")
        if self.lavish or self.call(key, Decimal(0)):
            return JSONResponse({"error": {"message": "Invalid model name", "type": "None", "code": "400"}}, 400)
        told = "Budget has been exceeded! Current cost: 0.0, Max budget: 0.0"
        return JSONResponse({"error": {"message": told, "type": "budget_exceeded", "code": "400"}}, 400)

    async def _info(self, key: str) -> Any:
        held = self.keys.get(key)
        if held is None:
            return JSONResponse({"error": "key not found"}, 404)
        info = {"token": key, "spend": float(held.spend), "max_budget": float(held.max_budget), "blocked": held.blocked}
        return {"key": key, "info": info}

    async def _update(self, body: dict[str, Any]) -> dict[str, Any]:
        self.keys[body["key"]].max_budget = Decimal(str(body["max_budget"]))
        self.keys[body["key"]].duration = body["duration"]
        return body

    async def _block(self, body: dict[str, Any]) -> dict[str, Any]:
        self.keys[body["key"]].blocked = True
        return {"token": body["key"], "blocked": True}

    async def _delete(self, body: dict[str, Any]) -> dict[str, Any]:
        for key in body["keys"]:
            self.deleted[key] = self.keys.pop(key)
        return {"deleted_keys": body["keys"]}


def hashed(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
