"""Files and folders. https://docs.github.com/rest/repos/contents"""

from __future__ import annotations

import base64
import binascii
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github.answers import answer, json_body
from tests.github.auth import Actor, actor_of, allowed, refusal
from tests.github.errors import ApiError, not_found, unprocessable
from tests.github.git import Git, Person, TreeEntry
from tests.github.operations.mergeable import WEB_FLOW
from tests.github.operations.pushes import RefCommand, check_api_push, update_ref
from tests.github.rest.lookup import github_of, repository_of, world_of
from tests.github.serialize_git import git_commit
from tests.github.serialize_repositories import repository_url
from tests.github.state import Repository, World
from tests.github.versions import OLDER

LISTED = 1000
INLINE_LIMIT = 1024 * 1024  # bytes; larger files come without content unless asked for raw
LINE = 60


async def get_contents(request: Request) -> Response:
    """A file, a symbolic link (followed when its target is a file here), a submodule, or a folder's listing."""
    repository = repository_of(request, "contents")
    git, path = github_of(request).git(repository), request.path_params.get("path", "").strip("/")
    ref = request.query_params.get("ref") or repository.default_branch
    commit = await git.commit_id(ref)
    if commit is None:
        raise ApiError(404, f"No commit found for the ref {ref}")
    entry = await git.entry(commit, path) if path else None
    if path and entry is None:
        raise not_found()
    if entry is None or entry.type == "tree":
        return await _listing(request, repository, git, commit, path, ref)
    return await _file(request, repository, git, commit, entry, ref)


async def _listing(request: Request, repository: Repository, git: Git, commit: str, path: str, ref: str) -> Response:
    entries = await git.tree(f"{commit}:{path}" if path else commit)
    world, prefix = world_of(request), f"{path}/" if path else ""
    shown = [TreeEntry(e.mode, e.type, e.sha, e.size, prefix + e.path) for e in entries[:LISTED]]
    body = [_item(world, repository, e, ref, _type(e, request)) for e in shown]
    return answer(body)


def _type(entry: TreeEntry, request: Request) -> str:
    """Version 2026-03-10 calls a submodule in a listing by its name; before it was a `file`."""
    if entry.mode == "160000":
        return "file" if request.state.api_version == OLDER else "submodule"
    return {"120000": "symlink", "040000": "dir"}.get(entry.mode, "file")


def _item(world: World, repository: Repository, entry: TreeEntry, ref: str, kind: str) -> dict[str, Any]:
    path = quote(entry.path)
    url = f"{repository_url(world, repository)}/contents/{path}?ref={quote(ref)}"
    page = "tree" if kind == "dir" else "blob"
    html = f"{world.base_url}/{repository.full_name}/{page}/{ref}/{path}"
    git_url = f"{repository_url(world, repository)}/git/{'trees' if kind == 'dir' else 'blobs'}/{entry.sha}"
    raw = f"{world.base_url}/raw/{repository.full_name}/{ref}/{path}" if kind in ("file", "symlink") else None
    return {
        "name": entry.path.rpartition("/")[2],
        "path": entry.path,
        "sha": entry.sha,
        "size": entry.size or 0,
        "url": url,
        "html_url": html,
        "git_url": git_url,
        "download_url": raw,
        "type": kind,
        "_links": {"self": url, "git": git_url, "html": html},
    }


async def _file(
    request: Request, repository: Repository, git: Git, commit: str, entry: TreeEntry, ref: str
) -> Response:
    world = world_of(request)
    if entry.mode == "160000":
        body = _item(world, repository, entry, ref, "submodule")
        return answer(body | {"submodule_git_url": "", "download_url": None})
    data = await git.blob(entry.sha)
    if entry.mode == "120000":
        target = await _link_target(git, commit, entry.path, data)
        if target is None:
            item = _item(world, repository, entry, ref, "symlink")
            return answer(item | {"target": data.decode(errors="replace")})
        entry = TreeEntry(target.mode, target.type, target.sha, target.size, entry.path)
        data = await git.blob(target.sha)
    if "raw" in request.headers.get("accept", ""):
        return Response(data, media_type="application/vnd.github.raw+json; charset=utf-8")
    return answer(_item(world, repository, entry, ref, "file") | encoded(data))


async def _link_target(git: Git, commit: str, path: str, link: bytes) -> TreeEntry | None:
    """The file in this repository that a symbolic link leads to."""
    parts = path.split("/")[:-1]
    for part in link.decode(errors="replace").split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    found = await git.entry(commit, "/".join(parts)) if parts else None
    return found if found and found.type == "blob" and found.mode != "120000" else None


def encoded(data: bytes) -> dict[str, Any]:
    """Base64 in lines of sixty characters; nothing at all for files over one megabyte."""
    if len(data) > INLINE_LIMIT:
        return {"content": "", "encoding": "none"}
    text = base64.b64encode(data).decode()
    lines = [text[i : i + LINE] for i in range(0, len(text), LINE)]
    return {"content": "".join(line + "\n" for line in lines), "encoding": "base64"}


async def put_contents(request: Request) -> Response:
    """Creates (201) or replaces (200) one file in one commit."""
    repository, body = repository_of(request, "contents", "write"), await json_body(request)
    try:
        data = base64.b64decode(str(body.get("content", "")), validate=False)
    except binascii.Error:
        raise unprocessable("content is not valid Base64") from None
    return await _write(request, repository, body, data)


async def delete_contents(request: Request) -> Response:
    repository, body = repository_of(request, "contents", "write"), await json_body(request)
    return await _write(request, repository, body | dict(request.query_params), None)


async def _write(request: Request, repository: Repository, body: dict[str, Any], data: bytes | None) -> Response:
    github, actor = github_of(request), actor_of(request)
    git, path = github.git(repository), request.path_params["path"].strip("/")
    branch = str(body.get("branch") or repository.default_branch)
    tip = await git.rev_parse(f"refs/heads/{branch}")
    if tip is None:
        raise ApiError(404, f"Branch {branch} not found")
    _check_workflow_path(request, repository, actor, path)
    old = await git.entry(tip, path)
    _check_sha(path, old, body.get("sha"), deleting=data is None)
    author, committer = _authors(request, body)
    message = str(body.get("message") or f"{'Update' if old else 'Create'} {path}")
    now = github.world.now()
    commit = await git.commit_files({path: data}, message, author, at=now, parents=[tip], committer=committer)
    ref = f"refs/heads/{branch}"
    await check_api_push(github, repository, actor, RefCommand(tip, commit, ref), status=409)
    if committer == WEB_FLOW:
        repository.verified_commits.add(commit)
    await update_ref(github, repository, ref, commit, actor.login, expected=tip)
    entry = await git.entry(commit, path)
    content = _item(github.world, repository, entry, branch, "file") if entry else None
    written = git_commit(github.world, repository, await git.commit(commit))
    return answer({"content": content, "commit": written}, 200 if old else 201)


def _check_workflow_path(request: Request, repository: Repository, actor: Actor, path: str) -> None:
    if not actor.is_bot or not path.startswith(".github/workflows/"):
        return
    if not allowed(world_of(request), actor, repository, "workflows", "write"):
        raise refusal(actor)


def _check_sha(path: str, old: TreeEntry | None, given: object, *, deleting: bool) -> None:
    if old is None and deleting:
        raise not_found()
    if old is not None and not given:
        raise unprocessable('Invalid request.\n\n"sha" wasn\'t supplied.')
    if given and (old is None or given != old.sha):
        raise ApiError(409, f"{path} does not match {given}")


def _authors(request: Request, body: dict[str, Any]) -> tuple[Person, Person]:
    """Unnamed: the caller as author, and GitHub itself (which signs) as committer."""
    github = github_of(request)
    named = [body.get(key) for key in ("author", "committer")]
    people = [Person(str(p["name"]), str(p["email"])) if isinstance(p, dict) else None for p in named]
    author = people[0] or people[1] or github.person(actor_of(request).login)
    return author, people[1] or (author if people[0] else WEB_FLOW)


routes = [
    Route("/repos/{owner}/{repo}/contents", get_contents),
    Route("/repos/{owner}/{repo}/contents/{path:path}", get_contents),
    Route("/repos/{owner}/{repo}/contents/{path:path}", put_contents, methods=["PUT"]),
    Route("/repos/{owner}/{repo}/contents/{path:path}", delete_contents, methods=["DELETE"]),
]
