"""A simulated GitHub with one large repository, as a process of its own; it ends when its input does."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from pathlib import Path

from starlette.requests import Request
from starlette.types import Send

from tests.github.auth import Actor
from tests.github.server import SimulatedGitHub
from tests.github.smart_http import SmartHttp, _backend, _cgi, _end
from tests.github.state import Repository
from tests.proxy.scene import COURIER_PERMISSIONS


class OnlyGit(SmartHttp):
    """`git http-backend` and nothing that follows from a push: what is measured is the way there."""

    async def _receive_pack(self, request: Request, repository: Repository, actor: Actor, send: Send) -> None:
        await _backend(_cgi(request, repository, actor), request.stream(), send)
        await _end(send)


async def main(folder: Path, megabytes: int) -> None:
    github = SimulatedGitHub.create(folder / "github")
    github.app.git = OnlyGit(github)
    url = await github.start()
    app, key = github.register_app("courier", COURIER_PERMISSIONS, [])
    github.organization("acme")
    shop = await github.repository("acme/shop", {"README.md": "# Shop\n"}, collaborators={"ada": "admin"})
    installation = github.install(app, "acme")
    git = github.git(shop)
    # Small packs stay packs, so that a push costs what it costs on a server.
    await git.run("config", "transfer.unpackLimit", "1")
    # Every push asks whether there is enough to pack; that there never is keeps the later ones like the first.
    await git.run("config", "gc.auto", "0")
    # Noise does not shrink and has no deltas; trying takes many minutes.
    for name in ("core.compression", "pack.window"):
        await git.run("config", name, "0")
    await git.run("update-ref", "refs/heads/small", "refs/heads/main")
    entries = []
    for number in range(10):
        noise = random.Random(number).randbytes(megabytes * 100_000)
        oid = (await git.run("hash-object", "-w", "--stdin", stdin=noise)).decode().strip()
        entries.append(f"100644 blob {oid}\tnoise{number}.bin\n")
    tree = (await git.run("mktree", stdin="".join(entries).encode())).decode().strip()
    who = {f"GIT_{role}_{part}": "bench@example.com" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    commit = (await git.run("commit-tree", tree, "-m", "Large", "-p", "refs/heads/main", env=who)).decode().strip()
    await git.run("update-ref", "refs/heads/main", commit)
    await git.run("repack", "-adq")
    (shop.git / "hooks" / "pre-receive").unlink()
    (folder / "courier.pem").write_text(key, encoding="ascii")
    known = {
        "url": url,
        "app_id": str(app.id),
        "key": str(folder / "courier.pem"),
        "installation": str(installation.id),
        "repository": str(shop.id),
        "token": github.user_token("ada"),
    }
    print(json.dumps(known), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await github.stop()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
