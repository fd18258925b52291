"""`mergegate mcp`: the agents' API as tools of a Model Context Protocol server on standard input and output.

Source: https://modelcontextprotocol.io/specification and the official SDK, which is the extra `mergegate[mcp]`.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.agent_client import PROXY, CannotAsk, Refused, checked_address
from app.cli.agent_tools import TOOLS, Desk
from app.cli.agent_verbs import printable
from app.errors import ActionableError

if TYPE_CHECKING:
    from mcp.server import MCPServer

INSTRUCTIONS = (
    "You work on one ticket at a time. Claim it, report progress every few minutes and at each step (silence ends the "
    "attempt), read messages whenever progress says that there are some, and ask only what no document answers. Push "
    "the ticket's branch, open the pull request, hand over the evidence, then read the verdict and repair what failed. "
    "Stop at once when a tool says that the session has ended."
)
Tool = Callable[..., Awaitable[dict[str, Any]]]


class NoMcp(ActionableError):
    """The SDK is not installed."""


def mcp(
    proxy: Annotated[
        str | None, typer.Option("--proxy", envvar=PROXY, metavar="URL", help="The proxy's address.")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", help="Where a claimed session's token is written, for git.")
    ] = None,
    ca: Annotated[
        Path | None, typer.Option("--ca", exists=True, dir_okay=False, help="PEM file of the proxy's authority.")
    ] = None,
) -> None:
    """Serve the agent's side as MCP tools on standard input and output. Exit code 2: it could not start."""
    desk = Desk(checked_address(proxy), ca, token_file)
    try:
        server = made(desk)
    except ImportError as missing:
        raise NoMcp(f"the MCP SDK is not there ({missing.name}); install mergegate[mcp]") from missing
    server.run("stdio")


def made(desk: Desk) -> MCPServer[Any]:
    """The server with its tools. Raises ImportError where the SDK is not installed."""
    from mcp.server import MCPServer

    server: MCPServer[Any] = MCPServer("mergegate", instructions=INSTRUCTIONS, log_level="WARNING")
    for name in TOOLS:
        server.tool(name)(_told(getattr(desk, name)))
    return server


def _told(tool: Tool) -> Tool:
    """The same tool, whose refusals the agent reads instead of a crash."""
    from mcp.server.mcpserver.exceptions import ToolError

    @functools.wraps(tool)
    async def told(*given: Any, **named: Any) -> dict[str, Any]:
        try:
            return await tool(*given, **named)
        except (Refused, CannotAsk) as no:
            ended = " The session has ended: stop." if isinstance(no, Refused) and no.ended else ""
            raise ToolError(printable(str(no)) + ended) from None

    return told
