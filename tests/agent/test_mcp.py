"""`mergegate mcp` as a coding agent has it: a process, judged by the official SDK's own client."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from app.cli.agent_tools import TOOLS
from tests.agent.bureau import Bureau

pytestmark = pytest.mark.anyio


async def told(client: Any, tool: str, **given: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    return found


async def refused(client: Any, tool: str, **given: Any) -> str:
    result = await client.call_tool(tool, given)
    assert result.is_error
    return str(result.content[0].text)


async def test_a_ticket_worked_on_through_tools(town: Bureau) -> None:
    # Here, because every worker that collects tests would load it.
    mcp = pytest.importorskip("mcp", reason="the extra mergegate[mcp] is not installed")
    environment = {"PATH": os.defpath, "MERGEGATE_PROXY": town.address, "MERGEGATE_ENROLMENT": town.token}
    server = mcp.StdioServerParameters(command=sys.executable, args=["-m", "app.cli.main", "mcp"], env=environment)
    async with mcp.stdio_client(server) as (reading, writing), mcp.ClientSession(reading, writing) as client:
        opened = await client.initialize()
        assert "one ticket at a time" in (opened.instructions or "")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == set(TOOLS)
        assert all(tool.description for tool in tools.values())
        assert "there is no token" in await refused(client, "get_limits")
        assert (await told(client, "claim_ticket", wait=0))["claimed"] is False
        number = await town.accepted()
        claimed = await told(client, "claim_ticket", worker="vm-7", wait=0)
        assert claimed["ticket"] == number and "token" not in claimed
        assert (await told(client, "report_progress", step=1, steps=2, percent=50, cost="1.5"))["state"] == "running"
        assert (await told(client, "get_limits"))["left"]["cost"] == "7.00"
        assert (await told(client, "get_verdict"))["evidence"] is None
        assert "cannot be read" in await refused(client, "submit_evidence", bundle="reason: [")
        asked = await told(client, "ask_question", question="Up or down?", options=["up", "down"], default="stop")
        assert asked["state"] == "needs_human"
        await town.desk.say(number, "/answer 1 down")
        (message,) = (await told(client, "read_messages", wait=5))["messages"]
        assert message["words"] == "1: down"
        assert (await told(client, "read_messages"))["messages"] == []
        assert (await told(client, "report_done", summary="Done."))["ticket"] == number
        await town.desk.say(number, "/stop now")
        said = await refused(client, "report_progress", percent=60)
        assert "/stop now" in said and "The session has ended: stop." in said
