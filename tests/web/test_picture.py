"""The page of a pull request as a browser paints it, on a phone and on a desk."""

from __future__ import annotations

import struct
from datetime import timedelta
from pathlib import Path

import pytest

from tests.gate.scene import Scene
from tests.gate.shop import agent_pull, fail_ci, open_shop
from tests.web.browser import Browser, web_of
from tests.web.painting import KEPT, needs_chromium, painted

pytestmark = pytest.mark.anyio


@needs_chromium
async def test_the_page_fits_a_phone_and_a_desk(stage: Scene, tmp_path: Path) -> None:
    shop = await open_shop(stage)
    fail_ci(stage, shop)
    pull = await agent_pull(stage, shop, "discount-" + "long" * 30)
    await stage.settle()
    stage.clock += timedelta(minutes=5)
    async with Browser(stage, web_of(stage), "ada") as ada:
        page = (await ada.open(f"/acme/shop/pull/{pull.number}")).text
        style = (await ada.get("/style.css")).content
    folder = Path(KEPT or tmp_path)
    for width in (360, 1280):
        picture, title = await painted(page, style, width, tmp_path / str(width))
        (folder / f"pull-{width}.png").write_bytes(picture)
        assert title == "fits", f"wider than {width} pixels"
        assert struct.unpack(">II", picture[16:24])[0] >= width
        assert len(set(picture)) > 200, "the picture is empty"
