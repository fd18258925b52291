"""The agents' API as functions that a coding agent calls: what `mergegate mcp` offers as tools.

Their signatures and docstrings are what the agent reads.
"""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from app.cli.agent_client import LONGEST_WAIT, Api, Asking, CannotAsk, Said, read_secret
from app.cli.agent_verbs import ENROLMENT, SESSION, kept_apart
from app.secret import SecretStr

Seconds = Annotated[int, Field(description="Seconds to wait, at most 30.")]
Cause = Literal["missing_information", "requirement_conflict", "permission_expansion", "data_migration"]


class Desk:
    """What the tools do. The session is the claimed ticket's, else the one of MERGEGATE_SESSION."""

    def __init__(self, address: str, ca: Path | None, token_file: Path | None) -> None:
        self._address = address
        self._ca = ca
        self._token_file = token_file
        self._session: SecretStr | None = None

    async def claim_ticket(self, worker: str | None = None, wait: Seconds = LONGEST_WAIT) -> dict[str, Any]:
        """Claim the next waiting ticket. `claimed` says whether there was one, `branch` what may be pushed."""
        body = {} if worker is None else {"worker": worker}
        asking = Asking("POST", "/agent/claim", body, wait=_within(wait))
        with contextlib.nullcontext() if self._token_file is None else kept_apart(self._token_file) as file:
            said = _object((await self._asked(read_secret(ENROLMENT), asking)).value)
            token = str(said.pop("token", ""))
            if file is not None:
                file.write(token)
        self._session = SecretStr(token) if token else self._session
        return said

    async def report_progress(
        self,
        step: int | None = None,
        steps: int | None = None,
        percent: int | None = None,
        doing: str | None = None,
        blocker: str | None = None,
        cost: str | None = None,
    ) -> dict[str, Any]:
        """Say how far it is: step of steps, percent, what is under way, what blocks, and this attempt's US dollars."""
        given = {"step": step, "steps": steps, "percent": percent, "doing": doing, "blocker": blocker, "cost": cost}
        body = {name: value for name, value in given.items() if value is not None}
        return await self._said(Asking("POST", "/session/progress", body))

    async def ask_question(
        self,
        question: str,
        default: str,
        options: list[str] | None = None,
        recommended: str | None = None,
        cause: Cause = "missing_information",
    ) -> dict[str, Any]:
        """Ask a person. The attempt rests until read_messages has the answer. `default` happens if nobody answers.

        A requirement_conflict quotes both lines of the ticket word by word; a permission_expansion names the path or
        branch that was refused. Of other questions people hear later.
        """
        body: dict[str, Any] = {"question": question, "default": default, "options": options or [], "cause": cause}
        return await self._said(
            Asking("POST", "/session/questions", body | ({"recommended": recommended} if recommended else {}))
        )

    async def read_messages(self, wait: Seconds = 0) -> dict[str, Any]:
        """What people and the gate say: redirect, answer, rejected, failed. Each is shown once."""
        said = await self._said(Asking("GET", "/session/messages", wait=_within(wait)))
        if said["messages"]:
            await self._said(Asking("POST", "/session/messages/read", {"through": said["messages"][-1]["id"]}))
        return said

    async def submit_evidence(self, bundle: str) -> dict[str, Any]:
        """Hand over the evidence bundle (YAML or JSON) for the open pull request of the ticket's branch."""
        return await self._said(Asking("POST", "/session/evidence", text=bundle.encode()))

    async def get_verdict(self, wait: Seconds = 0) -> dict[str, Any]:
        """The gate's verdict on the pull request, with what is open and how to repair it."""
        first = await self._whole(Asking("GET", "/session/verdict"))
        status = (first.value.get("evidence") or {}).get("status")
        if not wait or status in ("passed", "failed"):
            return _object(first.value)
        known = {"If-None-Match": first.etag or ""}
        newer = await self._whole(Asking("GET", "/session/verdict", wait=_within(wait), headers=known))
        return _object(first.value if newer.value is None else newer.value)

    async def get_limits(self) -> dict[str, Any]:
        """Minutes, attempts and US dollars of the ticket: what holds, what was used, what is left."""
        return await self._said(Asking("GET", "/session/limits"))

    async def report_done(self, summary: str | None = None) -> dict[str, Any]:
        """Say that the work is finished: branch pushed, pull request open, evidence given."""
        return await self._said(Asking("POST", "/session/done", {"summary": summary} if summary else {}))

    async def give_up(self, reason: str) -> dict[str, Any]:
        """Say that it cannot be finished. The attempt and the session end."""
        return await self._said(Asking("POST", "/session/failed", {"reason": reason}))

    async def _said(self, asking: Asking) -> dict[str, Any]:
        return _object((await self._whole(asking)).value)

    async def _whole(self, asking: Asking) -> Said:
        return await self._asked(self._session or read_secret(SESSION), asking)

    async def _asked(self, token: SecretStr, asking: Asking) -> Said:
        return await asyncio.to_thread(Api(self._address, token, self._ca).ask, asking)


def _within(wait: int) -> int:
    return max(0, min(wait, LONGEST_WAIT))


def _object(value: Any) -> dict[str, Any]:
    """Raises CannotAsk for an answer that is none of this API."""
    if not isinstance(value, dict):
        raise CannotAsk("the proxy's answer is no object; check its address")
    return value


TOOLS = (
    "claim_ticket",
    "report_progress",
    "ask_question",
    "read_messages",
    "submit_evidence",
    "get_verdict",
    "get_limits",
    "report_done",
    "give_up",
)
