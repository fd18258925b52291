"""What people say reaches an agent that only pushes: git shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.bureau import Bureau

pytestmark = pytest.mark.anyio


async def test_a_redirect_and_a_stop_are_told_by_git(town: Bureau, tmp_path: Path) -> None:
    number = await town.accepted()
    token = (await town.claim())["token"]
    clone = tmp_path / "clone"
    code, said = await town.git(token, "clone", "-q", f"{town.address}/git/acme/shop.git", str(clone), cwd=tmp_path)
    assert code == 0, said
    await town.desk.stage.run_to_rest()
    await town.desk.say(number, "/redirect Use the old rounding.")
    (clone / "shop" / "discount.py").write_text("RATE = 0.1\n")
    for words in (("add", "."), ("commit", "-q", "-m", "Discount")):
        assert (await town.git(token, *words, cwd=clone))[0] == 0
    push = ("push", "origin", f"HEAD:refs/heads/agent/ticket-{number}")
    code, said = await town.git(token, *push, cwd=clone)
    assert code == 0 and "remote: redirect by ada: Use the old rounding." in said, said
    await town.desk.say(number, "/stop now")
    code, said = await town.git(token, *push, cwd=clone)
    assert code != 0 and "The session was stopped" in said and "/stop now" in said, said
