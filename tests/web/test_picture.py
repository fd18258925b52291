"""The page as a browser paints it, on a phone and on a desk. `MERGEGATE_PICTURES=folder` keeps the pictures."""

from __future__ import annotations

import asyncio
import os
import shutil
import struct
from datetime import timedelta
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.gate.scene import Scene
from tests.gate.shop import agent_pull, fail_ci, open_shop
from tests.github.server import QuietServer
from tests.web.browser import Browser, web_of

pytestmark = pytest.mark.anyio

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SECONDS = 60
# Chromium's window is never narrower than 500 pixels, a frame in it is; the title says whether the page fits in it.
FRAME = """<body style="margin: 0"><iframe src="/page" width="{width}" height="2400" style="border: 0"></iframe><script>
onload = () => document.title =
  frames[0].document.documentElement.scrollWidth <= {width} ? "fits" : "too wide"</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
async def test_the_page_fits_a_phone_and_a_desk(stage: Scene, tmp_path: Path) -> None:
    shop = await open_shop(stage)
    fail_ci(stage, shop)
    pull = await agent_pull(stage, shop, "discount-" + "long" * 30)
    await stage.settle()
    stage.clock += timedelta(minutes=5)
    async with Browser(stage, web_of(stage), "ada") as ada:
        page = (await ada.open(f"/acme/shop/pull/{pull.number}")).text
        style = (await ada.get("/style.css")).content
    folder = Path(os.environ.get("MERGEGATE_PICTURES") or tmp_path)
    for width in (360, 1280):
        picture, title = await _painted(page, style, width, tmp_path / str(width))
        (folder / f"pull-{width}.png").write_bytes(picture)
        assert title == "fits", f"wider than {width} pixels"
        assert struct.unpack(">II", picture[16:24])[0] >= width
        assert len(set(picture)) > 200, "the picture is empty"


async def _painted(page: str, style: bytes, width: int, folder: Path) -> tuple[bytes, str]:
    """The picture, and the title that the page has given itself."""
    folder.mkdir()
    served = Starlette(
        routes=[
            Route("/", lambda _: HTMLResponse(FRAME.format(width=width))),
            Route("/page", lambda _: HTMLResponse(page)),
            Route("/style.css", lambda _: Response(style, media_type="text/css")),
        ]
    )
    server = QuietServer(uvicorn.Config(served, port=0, log_config=None, lifespan="off"))
    serving = asyncio.create_task(server.serve())
    while not server.started and not serving.done():  # noqa: ASYNC110 - uvicorn offers but a flag
        await asyncio.sleep(0.01)
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    try:
        picture = folder / "page.png"
        dom = await _chromium(
            folder, f"--window-size={max(width, 500)},2400", f"--screenshot={picture}", "--dump-dom", address
        )
    finally:
        server.should_exit = True
        await serving
    return picture.read_bytes(), dom.partition("<title>")[2].partition("</title>")[0]


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
