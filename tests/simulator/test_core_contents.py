"""Git data over REST, compared with what the git command says about the same repository."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github.git import FileContent, Files, Git
from tests.github.server import SimulatedGitHub
from tests.simulator.shop import as_user, client, required, shop, valid

pytestmark = pytest.mark.anyio
SHOP = "/repos/acme/shop"
FILES: Files = {
    "src/shop.py": "def price():\n    return 1\n",
    "src/größe & maß.txt": "x\n",
    "tool.sh": FileContent(b"#!/bin/sh\n", "100755"),
    "link": FileContent(b"src/shop.py", "120000"),
    "dangling": FileContent(b"../outside", "120000"),
    "vendor": FileContent(b"a" * 40, "160000"),
    "logo.bin": b"\0\1\2" * 100,
}


@dataclass
class Opened:
    hub: SimulatedGitHub
    git: Git
    api: httpx.AsyncClient


@pytest.fixture
async def opened(hub: SimulatedGitHub) -> AsyncIterator[Opened]:
    repository = await shop(hub, FILES)
    async with as_user(hub, "ada") as api:
        yield Opened(hub, hub.git(repository), api)


def decoded(body: dict[str, str]) -> bytes:
    assert body["encoding"] == "base64"
    return base64.b64decode(body["content"])


async def test_files_of_every_kind(opened: Opened) -> None:
    for path in ("src/shop.py", "src/größe & maß.txt", "tool.sh", "logo.bin"):
        body = valid(models.ContentFile, (await opened.api.get(f"{SHOP}/contents/{path}")).json())
        assert decoded(body) == await opened.git.run("show", f"main:{path}")
        assert body["sha"] == await opened.git.text("rev-parse", f"main:{path}")
        raw = await opened.api.get(f"{SHOP}/contents/{path}", headers={"accept": "application/vnd.github.raw+json"})
        assert raw.content == decoded(body)
    followed = valid(models.ContentFile, (await opened.api.get(f"{SHOP}/contents/link")).json())
    assert decoded(followed) == b"def price():\n    return 1\n"
    dangling = valid(models.ContentSymlink, (await opened.api.get(f"{SHOP}/contents/dangling")).json())
    assert dangling["target"] == "../outside"
    module = valid(models.ContentSubmodule, (await opened.api.get(f"{SHOP}/contents/vendor")).json())
    assert module["sha"] == "a" * 40


async def test_a_folder_s_listing(opened: Opened) -> None:
    listed = (await opened.api.get(f"{SHOP}/contents")).json()
    valid(list[models.ContentDirectoryItems], listed)
    kinds = {entry["name"]: entry["type"] for entry in listed}
    assert kinds == {
        "README.md": "file",
        "dangling": "symlink",
        "link": "symlink",
        "logo.bin": "file",
        "src": "dir",
        "tool.sh": "file",
        "vendor": "submodule",
    }
    older = await opened.api.get(f"{SHOP}/contents", headers={"x-github-api-version": "2022-11-28"})
    assert {e["name"]: e["type"] for e in older.json()}["vendor"] == "file"
    inner = (await opened.api.get(f"{SHOP}/contents/src")).json()
    assert [e["path"] for e in inner] == ["src/größe & maß.txt", "src/shop.py"]


async def test_what_is_not_there(opened: Opened) -> None:
    assert (await opened.api.get(f"{SHOP}/contents/none.txt")).status_code == 404
    refused = await opened.api.get(f"{SHOP}/contents/README.md?ref=none")
    assert (refused.status_code, refused.json()["message"]) == (404, "No commit found for the ref none")
    unknown = await opened.api.get(f"{SHOP}/commits/{'0' * 40}")
    assert (unknown.status_code, unknown.json()["message"]) == (422, f"No commit found for SHA: {'0' * 40}")
    for path in ("git/ref/heads/none", "git/trees/none", f"git/commits/{'1' * 40}", f"git/blobs/{'1' * 40}"):
        assert (await opened.api.get(f"{SHOP}/{path}")).status_code == 404
    assert (await opened.api.get(f"{SHOP}/contents/README.md?ref=--help")).status_code == 404


async def test_a_file_over_one_megabyte_comes_only_raw(opened: Opened) -> None:
    data = b"0123456789abcdef" * 70_000
    await opened.hub.push("acme/shop", "main", {"big": data})
    body = (await opened.api.get(f"{SHOP}/contents/big")).json()
    assert (body["content"], body["encoding"], body["size"]) == ("", "none", len(data))
    blob = valid(models.Blob, (await opened.api.get(f"{SHOP}/git/blobs/{body['sha']}")).json())
    assert decoded(blob) == data


async def test_trees_refs_and_commits(opened: Opened) -> None:
    head = await opened.git.text("rev-parse", "main")
    tree = valid(models.GitTree, (await opened.api.get(f"{SHOP}/git/trees/main?recursive=1")).json())
    told = {(e["mode"], e["type"], e["sha"], e["path"]) for e in tree["tree"]}
    raw = (await opened.git.run("ls-tree", "-r", "-t", "-z", "main")).decode().split("\0")
    assert told == {(*line.partition("\t")[0].split(), line.partition("\t")[2]) for line in raw if line}
    assert (tree["sha"], tree["truncated"]) == (await opened.git.text("rev-parse", "main^{tree}"), False)
    ref = valid(models.GitRef, (await opened.api.get(f"{SHOP}/git/ref/heads/main")).json())
    assert (ref["ref"], ref["object"]["sha"], ref["object"]["type"]) == ("refs/heads/main", head, "commit")
    commit = valid(models.GitCommit, (await opened.api.get(f"{SHOP}/git/commits/{head}")).json())
    assert commit["tree"]["sha"] == tree["sha"]
    branch = valid(models.BranchWithProtection, (await opened.api.get(f"{SHOP}/branches/main")).json())
    assert (branch["commit"]["sha"], branch["protected"]) == (head, False)


async def test_a_ruleset_protects_but_classic_protection_is_absent(opened: Opened) -> None:
    """Recorded on github.com: 404, while the branch object says `protected: true`."""
    await opened.hub.set_ruleset("acme/shop", "main", [required("test")])
    assert (await opened.api.get(f"{SHOP}/branches/main")).json()["protected"] is True
    refused = await opened.api.get(f"{SHOP}/branches/main/protection")
    assert (refused.status_code, refused.json()["message"]) == (404, "Branch not protected")


async def test_comparing(opened: Opened) -> None:
    base = await opened.git.text("rev-parse", "main")
    head = await opened.hub.push(
        "acme/shop", "feature/one", {"src/shop.py": "def price():\n    return 2\n", "tool.sh": None, "new": "n\n"}
    )
    await opened.hub.push("acme/shop", "main", {"other": "o\n"})
    body = valid(models.CommitComparison, (await opened.api.get(f"{SHOP}/compare/main...feature/one")).json())
    assert (body["status"], body["ahead_by"], body["behind_by"]) == ("diverged", 1, 1)
    assert (body["merge_base_commit"]["sha"], [c["sha"] for c in body["commits"]]) == (base, [head])
    counted = await opened.git.text("diff", "--numstat", "--no-renames", base, head)
    told = [f"{f['additions']}\t{f['deletions']}\t{f['filename']}" for f in body["files"]]
    assert told == counted.splitlines()
    shop_file = next(f for f in body["files"] if f["filename"] == "src/shop.py")
    assert shop_file["patch"] == "@@ -1,2 +1,2 @@\n def price():\n-    return 1\n+    return 2"
    for pair, status in (
        ("main...main", "identical"),
        (f"feature/one...{base}", "behind"),
        (f"{base}...main", "ahead"),
    ):
        assert (await opened.api.get(f"{SHOP}/compare/{pair}")).json()["status"] == status
    diff = await opened.api.get(f"{SHOP}/compare/main...feature/one", headers={"accept": "application/vnd.github.diff"})
    assert diff.text.startswith("diff --git a/new b/new")
    assert (await opened.api.get(f"{SHOP}/compare/main...none")).status_code == 404


async def test_renames_modes_and_binary_files_in_a_commit(opened: Opened) -> None:
    moved = {"src/shop.py": None, "src/store.py": "def price():\n    return 1\n", "logo.bin": b"\0\2" * 90}
    sha = await opened.hub.push("acme/shop", "work", {**moved, "README.md": FileContent(b"A shop\n", "100755")})
    body = valid(models.Commit, (await opened.api.get(f"{SHOP}/commits/work")).json())
    assert body["sha"] == sha
    files = {f["filename"]: f for f in body["files"]}
    assert files["src/store.py"]["status"] == "renamed"
    assert files["src/store.py"]["previous_filename"] == "src/shop.py"
    assert "patch" not in files["logo.bin"]
    assert (files["README.md"]["status"], files["README.md"]["changes"]) == ("modified", 0)
    plain = await opened.api.get(f"{SHOP}/commits/work", headers={"accept": "application/vnd.github.sha"})
    assert plain.text == sha


async def test_people_behind_commits(opened: Opened) -> None:
    hub = opened.hub
    await hub.push("acme/shop", "work", {"a": "b"}, author="bob")
    await hub.push("acme/shop", "other", {"a": "b"}, author=hub.person("nobody"))
    commits = [(await opened.api.get(f"{SHOP}/commits/{name}")).json() for name in ("work", "other", "main")]
    assert [c["author"] and c["author"]["login"] for c in commits] == ["bob", None, "web-flow"]
    assert [c["commit"]["verification"]["verified"] for c in commits] == [False, False, True]


async def test_writing_a_file(opened: Opened) -> None:
    put = {"message": "Add", "content": base64.b64encode(b"hello\n").decode(), "branch": "main"}
    made = await opened.api.put(f"{SHOP}/contents/docs/a.txt", json=put)
    assert made.status_code == 201
    body = valid(models.FileCommit, made.json())
    assert await opened.git.run("show", "main:docs/a.txt") == b"hello\n"
    assert await opened.git.text("log", "-1", "--format=%an <%ae>, %cn, %s", "main") == (
        f"ada <{opened.hub.person('ada').email}>, GitHub, Add"
    )
    assert body["commit"]["verification"]["verified"] is True
    again = await opened.api.put(f"{SHOP}/contents/docs/a.txt", json=put)
    assert (again.status_code, again.json()["message"]) == (422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
    wrong = await opened.api.put(f"{SHOP}/contents/docs/a.txt", json=put | {"sha": "1" * 40})
    assert wrong.status_code == 409
    changed = await opened.api.put(f"{SHOP}/contents/docs/a.txt", json=put | {"sha": body["content"]["sha"]})
    assert changed.status_code == 200
    gone = await opened.api.request(
        "DELETE", f"{SHOP}/contents/docs/a.txt", json={"message": "Remove", "sha": body["content"]["sha"]}
    )
    assert gone.status_code == 200
    assert await opened.git.rev_parse("main:docs/a.txt") is None


async def test_writing_through_the_git_database(opened: Opened) -> None:
    api, base = opened.api, await opened.git.text("rev-parse", "main")
    blob = (await api.post(f"{SHOP}/git/blobs", json={"content": "aGVsbG8=", "encoding": "base64"})).json()["sha"]
    entries = [
        {"path": "deep/er/file", "mode": "100644", "type": "blob", "sha": blob},
        {"path": "README.md", "mode": "100644", "type": "blob", "sha": None},
    ]
    tree = (await api.post(f"{SHOP}/git/trees", json={"base_tree": base, "tree": entries})).json()["sha"]
    commit = await api.post(f"{SHOP}/git/commits", json={"message": "By hand", "tree": tree, "parents": [base]})
    sha = valid(models.GitCommit, commit.json())["sha"]
    made = await api.post(f"{SHOP}/git/refs", json={"ref": "refs/heads/hand", "sha": sha})
    assert made.status_code == 201
    changed = await opened.git.text("diff", "--no-renames", "--name-status", base, "hand")
    assert changed.splitlines() == ["D\tREADME.md", "A\tdeep/er/file"]
    twice = await api.post(f"{SHOP}/git/refs", json={"ref": "refs/heads/hand", "sha": sha})
    assert twice.json()["message"] == "Reference already exists"
    back = await api.patch(f"{SHOP}/git/refs/heads/hand", json={"sha": base})
    assert (back.status_code, back.json()["message"]) == (422, "Update is not a fast forward")
    assert (await api.patch(f"{SHOP}/git/refs/heads/hand", json={"sha": base, "force": True})).status_code == 200
    assert (await api.patch(f"{SHOP}/git/refs/heads/none", json={"sha": base})).json()["message"] == (
        "Reference does not exist"
    )
    assert (await api.post(f"{SHOP}/git/refs", json={"ref": "refs/heads/x", "sha": "1" * 40})).json()["message"] == (
        "Object does not exist"
    )
    assert (await api.delete(f"{SHOP}/git/refs/heads/hand")).status_code == 204
    assert [row.activity_type for row in opened.hub.repo("acme/shop").activity] == [
        "branch_creation",
        "force_push",
        "branch_deletion",
    ]


async def test_an_app_may_not_touch_workflow_files(opened: Opened) -> None:
    hub = opened.hub
    app, _ = hub.register_app("courier", {"contents": "write"}, [])
    token = hub.installation_token(hub.install(app, "acme"))
    body = {"message": "CI", "content": "aGk=", "branch": "main"}
    async with client(hub, token) as api:
        assert (await api.put(f"{SHOP}/contents/.github/workflows/ci.yml", json=body)).status_code == 403
        assert (await api.put(f"{SHOP}/contents/plain.yml", json=body)).status_code == 201


async def test_activity_is_filtered_and_paged(opened: Opened) -> None:
    hub = opened.hub
    for n in range(4):
        await hub.push("acme/shop", "work", {f"f{n}": "x"}, author="bob")
    await hub.push("acme/shop", "other", {"a": "b"}, author="ada")
    rows = valid(list[models.Activity], (await opened.api.get(f"{SHOP}/activity")).json())
    assert [r["ref"] for r in rows] == ["refs/heads/other"] + ["refs/heads/work"] * 4
    assert rows[1]["before"] == rows[2]["after"]
    first = await opened.api.get(f"{SHOP}/activity?ref=refs/heads/work&actor=bob&per_page=3")
    second = await opened.api.get(first.links["next"]["url"])
    assert [r["activity_type"] for r in first.json() + second.json()] == ["push", "push", "push", "branch_creation"]
