"""What `mergegate proxy` loads to carry git's transfers: memory that stays for as long as it runs."""

from __future__ import annotations

import json
import subprocess
import sys

# Each takes megabytes and has its place elsewhere: in the API's slice, in LFS, for operators, or at a terminal.
HEAVY = {
    "cryptography",
    "fastapi",
    "githubkit",
    "graphql",
    "httpx",
    "jinja2",
    "jwt",
    "pydantic",
    "re2",
    "rich",
    "sqlglot",
    "typer",
    "yaml",
}
# What `mergegate proxy` does, up to where it would open the database and serve.
PROGRAM = """
import asyncio, json, sys
from app.cli import main

run, asyncio.run = asyncio.run, lambda serving: serving.close()
main._run(["proxy"])

async def made():
    from app.github.identity import AppIdentity
    from app.proxy.running import proxying
    async with proxying(None, AppIdentity("courier", 1, ())):
        pass

run(made())
import uvicorn.protocols.http.httptools_impl
print(json.dumps(sorted(sys.modules)))
"""


def test_what_a_transfer_needs_is_loaded_and_nothing_large_beside_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"}
    )
    assert done.returncode == 0, done.stderr
    loaded = set(json.loads(done.stdout))
    assert {"app.proxy.pushing", "app.proxy.fetching", "app.proxy.listening", "aiohttp", "psycopg"} <= loaded
    assert loaded.isdisjoint(HEAVY), sorted(loaded & HEAVY)
    # Colours of tracebacks are all that structlog wants it for; whoever else asks for rich gets it.
    again = "from app.cli import proxy\nwith proxy._without_rich():\n  import structlog\nimport rich; rich.print('x')"
    assert subprocess.run([sys.executable, "-c", again], capture_output=True, text=True).stdout == "x\n"
