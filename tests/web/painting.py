"""Pages as a browser paints them, at any width. `MERGEGATE_PICTURES=folder` keeps the pictures."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.github.server import QuietServer

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SECONDS = 60
# Chromium's window is never narrower than 500 pixels, a frame in it is; the title says whether the page fits in it.
FRAME = """<body style="margin: 0"><iframe src="/page" width="{width}" height="2400" style="border: 0"></iframe><script>
onload = () => document.title =
  frames[0].document.documentElement.scrollWidth <= {width} ? "fits" : "too wide"</script>"""
KEPT = os.environ.get("MERGEGATE_PICTURES")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


async def painted(page: str, style: bytes, width: int, folder: Path) -> tuple[bytes, str]:
    """The picture, and the title that the page has given itself."""
    routes = [
        Route("/", lambda _: HTMLResponse(FRAME.format(width=width))),
        Route("/page", lambda _: HTMLResponse(page)),
        Route("/style.css", lambda _: Response(style, media_type="text/css")),
    ]
    folder.mkdir()
    picture = folder / "page.png"
    window = f"--window-size={max(width, 500)},2400"
    dom = await opened(routes, "/", folder, window, f"--screenshot={picture}")
    return picture.read_bytes(), dom.partition("<title>")[2].partition("</title>")[0]


async def opened(routes: list[Route], path: str, folder: Path, *arguments: str) -> str:
    """The document of a served page after the browser has run it."""
    server = QuietServer(uvicorn.Config(Starlette(routes=routes), port=0, log_config=None, lifespan="off"))
    serving = asyncio.create_task(server.serve())
    while not server.started and not serving.done():  # noqa: ASYNC110 - uvicorn offers but a flag
        await asyncio.sleep(0.01)
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}{path}"
    try:
        return await _chromium(folder, *arguments, "--dump-dom", address)
    finally:
        server.should_exit = True
        await serving


async def _chromium(folder: Path, *arguments: str) -> str:
    assert CHROMIUM is not None
    process = await asyncio.create_subprocess_exec(
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={folder / 'profile'}",
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(SECONDS):
            output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output.decode()
