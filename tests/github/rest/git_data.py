"""The git database: refs, trees, commits, blobs. https://docs.github.com/rest/git"""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github import node_ids, serialize_git
from tests.github.answers import answer, json_body, no_content, page_of
from tests.github.auth import actor_of
from tests.github.errors import ApiError, not_found, unprocessable
from tests.github.events import ZERO
from tests.github.git import GitError, Person, TreeEntry
from tests.github.operations.pushes import RefCommand, check_api_push, update_ref
from tests.github.rest.lookup import boolean, github_of, repository_of, world_of
from tests.github.serialize_repositories import repository_url
from tests.github.state import Repository

TREE_ENTRIES = 100_000
BLOB_LIMIT = 100 * 1024 * 1024  # bytes


async def get_ref(request: Request) -> Response:
    repository, name = repository_of(request, "contents"), f"refs/{request.path_params['ref']}"
    git = github_of(request).git(repository)
    sha = await git.rev_parse(name)
    if sha is None:
        raise not_found()
    kind = "commit" if name.startswith("refs/heads/") else await git.object_type(sha)
    return answer(serialize_git.ref(world_of(request), repository, name, sha, kind or "commit"))


async def matching_refs(request: Request) -> Response:
    repository, world = repository_of(request, "contents"), world_of(request)
    found = await github_of(request).git(repository).refs(f"refs/{request.path_params['ref']}")
    page, link = page_of(request, list(found.items()))
    return answer([serialize_git.ref(world, repository, name, sha) for name, sha in page], headers=link)


async def create_ref(request: Request) -> Response:
    repository, body = repository_of(request, "contents", "write"), await json_body(request)
    github, name, sha = github_of(request), str(body.get("ref", "")), str(body.get("sha", ""))
    if not name.startswith(("refs/heads/", "refs/tags/")):
        raise unprocessable("Reference name must start with 'refs/' and have at least two slashes.")
    git = github.git(repository)
    await _need_object(request, repository, sha)
    if await git.rev_parse(name) is not None:
        raise unprocessable("Reference already exists")
    await check_api_push(github, repository, actor_of(request), RefCommand(ZERO, sha, name))
    await update_ref(github, repository, name, sha, actor_of(request).login)
    return answer(serialize_git.ref(github.world, repository, name, sha), 201)


async def _need_object(request: Request, repository: Repository, sha: str) -> None:
    if len(sha) != 40 or await github_of(request).git(repository).object_type(sha) is None:
        raise unprocessable("Object does not exist")


async def change_ref(request: Request) -> Response:
    repository, body = repository_of(request, "contents", "write"), await json_body(request)
    github, name, sha = github_of(request), f"refs/{request.path_params['ref']}", str(body.get("sha", ""))
    git = github.git(repository)
    old = await git.rev_parse(name)
    if old is None:
        raise unprocessable("Reference does not exist")
    await _need_object(request, repository, sha)
    if not boolean(body, "force") and not await git.is_ancestor(old, sha):
        raise unprocessable("Update is not a fast forward")
    await check_api_push(github, repository, actor_of(request), RefCommand(old, sha, name))
    await update_ref(github, repository, name, sha, actor_of(request).login, expected=old)
    return answer(serialize_git.ref(github.world, repository, name, sha))


async def delete_ref(request: Request) -> Response:
    repository, github = repository_of(request, "contents", "write"), github_of(request)
    name = f"refs/{request.path_params['ref']}"
    old = await github.git(repository).rev_parse(name)
    if old is None:
        raise unprocessable("Reference does not exist")
    await check_api_push(github, repository, actor_of(request), RefCommand(old, ZERO, name))
    await update_ref(github, repository, name, ZERO, actor_of(request).login)
    return no_content()


async def get_tree(request: Request) -> Response:
    """At most 100,000 entries; more are cut and marked `truncated`."""
    repository = repository_of(request, "contents")
    git = github_of(request).git(repository)
    named = request.path_params["sha"]
    tree = await git.rev_parse(await git.commit_id(named) or named, "tree")
    if tree is None:
        raise not_found()
    entries = await git.tree(tree, recursive="recursive" in request.query_params)
    shown = entries[:TREE_ENTRIES]
    truncated = len(shown) < len(entries)
    return answer(serialize_git.tree(world_of(request), repository, tree, shown, truncated=truncated))


async def create_tree(request: Request) -> Response:
    repository, body = repository_of(request, "contents", "write"), await json_body(request)
    git = github_of(request).git(repository)
    base = body.get("base_tree")
    entries = {e.path: e for e in await git.tree(base, recursive=True) if e.type != "tree"} if base else {}
    for item in body.get("tree") or []:
        await _change_entry(request, repository, entries, item)
    try:
        sha = await git.write_paths(list(entries.values()))
    except GitError as error:
        raise unprocessable(f"GitRPC::BadObjectState: {error}") from None
    return answer(serialize_git.tree(world_of(request), repository, sha, await git.tree(sha)), 201)


async def _change_entry(
    request: Request, repository: Repository, entries: dict[str, TreeEntry], item: dict[str, Any]
) -> None:
    git, path = github_of(request).git(repository), str(item["path"])
    if "content" not in item and item.get("sha") is None:
        entries.pop(path, None)
        return
    sha = item.get("sha") or await git.write_blob(str(item["content"]).encode())
    mode = str(item.get("mode", "100644"))
    kind = "commit" if mode == "160000" else "tree" if mode == "040000" else "blob"
    if kind == "tree":
        entries.update({f"{path}/{e.path}": e for e in await git.tree(sha, recursive=True) if e.type != "tree"})
        return
    entries[path] = TreeEntry(mode, kind, sha, None, path)


async def get_commit(request: Request) -> Response:
    repository = repository_of(request, "contents")
    git = github_of(request).git(repository)
    sha = await git.rev_parse(request.path_params["sha"], "commit")
    if sha is None:
        raise not_found()
    return answer(serialize_git.git_commit(world_of(request), repository, await git.commit(sha)))


async def create_commit(request: Request) -> Response:
    """Without an author it is the caller's, and GitHub signs those of bots."""
    repository, body = repository_of(request, "contents", "write"), await json_body(request)
    github, login = github_of(request), actor_of(request).login
    git = github.git(repository)
    await _need_object(request, repository, str(body.get("tree", "")))
    author = _person(body.get("author")) or github.person(login)
    committer = _person(body.get("committer")) or author
    parents = [str(p) for p in body.get("parents") or []]
    at = _moment(body.get("author")) or github.world.now()
    message = str(body.get("message", ""))
    sha = await git.commit_tree(str(body["tree"]), parents, message, author, at=at, committer=committer)
    if actor_of(request).is_bot and not body.get("author") and not body.get("committer"):
        repository.verified_commits.add(sha)
    return answer(serialize_git.git_commit(github.world, repository, await git.commit(sha)), 201)


def _person(given: object) -> Person | None:
    if not isinstance(given, dict) or "name" not in given or "email" not in given:
        return None
    return Person(str(given["name"]), str(given["email"]))


def _moment(given: object) -> datetime | None:
    if not isinstance(given, dict) or "date" not in given:
        return None
    try:
        return datetime.fromisoformat(str(given["date"]))
    except ValueError:
        raise ApiError(422, "Invalid request.\n\nauthor.date is not a valid date-time.") from None


async def get_blob(request: Request) -> Response:
    repository, world = repository_of(request, "contents"), world_of(request)
    git, sha = github_of(request).git(repository), request.path_params["sha"]
    if await git.object_type(sha) != "blob":
        raise not_found()
    data = await git.blob(sha)
    if "raw" in request.headers.get("accept", ""):
        return Response(data, media_type="application/vnd.github.raw")
    if len(data) > BLOB_LIMIT:
        raise ApiError(403, "This API returns blobs up to 100 MB in size.")
    body = {
        "sha": sha,
        "node_id": node_ids.encode("Blob", repository.id, sha),
        "size": len(data),
        "url": f"{repository_url(world, repository)}/git/blobs/{sha}",
        "content": base64.encodebytes(data).decode(),
        "encoding": "base64",
    }
    return answer(body)


async def create_blob(request: Request) -> Response:
    repository, body = repository_of(request, "contents", "write"), await json_body(request)
    content = str(body.get("content", ""))
    try:
        data = base64.b64decode(content) if body.get("encoding") == "base64" else content.encode()
    except binascii.Error:
        raise unprocessable("Content is not valid Base64") from None
    sha = await github_of(request).git(repository).write_blob(data)
    return answer({"sha": sha, "url": f"{repository_url(world_of(request), repository)}/git/blobs/{sha}"}, 201)


routes = [
    Route("/repos/{owner}/{repo}/git/ref/{ref:path}", get_ref),
    Route("/repos/{owner}/{repo}/git/matching-refs/{ref:path}", matching_refs),
    Route("/repos/{owner}/{repo}/git/refs", create_ref, methods=["POST"]),
    Route("/repos/{owner}/{repo}/git/refs/{ref:path}", change_ref, methods=["PATCH"]),
    Route("/repos/{owner}/{repo}/git/refs/{ref:path}", delete_ref, methods=["DELETE"]),
    Route("/repos/{owner}/{repo}/git/trees", create_tree, methods=["POST"]),
    Route("/repos/{owner}/{repo}/git/trees/{sha:path}", get_tree),
    Route("/repos/{owner}/{repo}/git/commits", create_commit, methods=["POST"]),
    Route("/repos/{owner}/{repo}/git/commits/{sha}", get_commit),
    Route("/repos/{owner}/{repo}/git/blobs", create_blob, methods=["POST"]),
    Route("/repos/{owner}/{repo}/git/blobs/{sha}", get_blob),
]
