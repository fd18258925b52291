"""A repository's files, and a branch with a pull request that changes them: for commands with a person's own token.

The gate itself reads git and changes no file. Source of the paths: https://docs.github.com/rest/repos/contents,
/rest/git/refs and /rest/pulls/pulls
"""

from __future__ import annotations

import base64

from app.github import reads
from app.github.addresses import route
from app.github.client import GitHubClient
from app.github.errors import NotFound, TooLarge
from app.github.models import Model
from app.github.reads import REPO
from app.github.rest_models import Content, GitRef
from checks.branches import BRANCHES

LARGEST_FILE = 1024 * 1024
"""Bytes of a file that the contents API sends along; of a larger one it sends none."""


class About(Model):
    """A repository as its own page names it; `archived` ones are read-only."""

    full_name: str
    default_branch: str
    archived: bool = False


class Entry(Model):
    """One line of a folder's listing: `type` is file, dir, symlink or submodule."""

    name: str
    path: str
    type: str


class Opened(Model):
    """A pull request, by its number and the address of its page."""

    number: int
    html_url: str


async def about(client: GitHubClient, owner: str, name: str) -> About:
    return await client.get(route(REPO, owner=owner, name=name), purpose="read:repository", model=About)


async def folder(client: GitHubClient, owner: str, name: str, path: str, ref: str) -> tuple[Entry, ...]:
    """The first 1,000 names in a folder (`""` for the root) at a commit; nothing when there is no such folder."""
    template = REPO + "/contents/{path}" if path else REPO + "/contents"
    address = route(template, owner=owner, name=name, **({"path": path} if path else {}))
    try:
        found = await client.get(address, purpose="read:content", model=list[Entry], params={"ref": ref})
    except NotFound:
        return ()
    return tuple(found)


async def file(client: GitHubClient, owner: str, name: str, path: str, ref: str) -> tuple[str, bytes] | None:
    """A file's object id and bytes; None when there is none. Raises TooLarge over one megabyte."""
    found = await reads.content(client, owner, name, path, ref)
    return None if found is None else (found.sha, _bytes(found))


def _bytes(content: Content) -> bytes:
    if content.encoding != "base64":
        raise TooLarge(f"GET {content.path}", LARGEST_FILE)
    return base64.b64decode(content.content or "")


async def content_of(client: GitHubClient, owner: str, name: str, path: str, commit: str | None) -> Content:
    """A file at a commit, None: at the default branch's tip. Raises NotFound."""
    address = route(REPO + "/contents/{path}", owner=owner, name=name, path=path)
    params = {} if commit is None else {"ref": commit}
    return await client.get(address, purpose="read:content", model=Content, params=params)


async def create_branch(client: GitHubClient, owner: str, name: str, branch: str, sha: str) -> GitRef:
    """Raises Refused (422) when there is one of that name."""
    path = route(REPO + "/git/refs", owner=owner, name=name)
    return await client.post(path, purpose="push", model=GitRef, json={"ref": BRANCHES + branch, "sha": sha})


async def forward_branch(client: GitHubClient, owner: str, name: str, branch: str, sha: str) -> GitRef:
    """Move a branch ahead to a commit. Raises Refused (422) when it has commits that are not behind that one."""
    path = route(REPO + "/git/refs/heads/{ref}", owner=owner, name=name, ref=branch)
    return await client.patch(path, purpose="push", model=GitRef, json={"sha": sha, "force": False})


async def put_file(
    client: GitHubClient,
    owner: str,
    name: str,
    path: str,
    data: bytes,
    *,
    branch: str,
    message: str,
    replaces: str | None,
) -> None:
    """One commit on a branch. `replaces` is the object id of the file that is there, None when there is none.

    Raises Conflict when the file is another one by now. For a file below `.github/workflows/` GitHub answers NotFound
    to a classic token without the scope `workflow`.
    """
    address = route(REPO + "/contents/{path}", owner=owner, name=name, path=path)
    body = {"message": message, "content": base64.b64encode(data).decode(), "branch": branch}
    await client.put(address, purpose="push", model=object, json=body | ({"sha": replaces} if replaces else {}))


async def open_pulls(client: GitHubClient, owner: str, name: str, *, branch: str, base: str) -> list[Opened]:
    """Open pull requests from a branch of the same repository into `base`: one at most."""
    path, params = route(REPO + "/pulls", owner=owner, name=name), {"head": f"{owner}:{branch}", "base": base}
    return await client.get(path, purpose="read:pulls", model=list[Opened], params=params)


async def open_pull(
    client: GitHubClient, owner: str, name: str, *, branch: str, base: str, title: str, body: str
) -> Opened:
    """Raises Refused (422) when the branch has nothing new, or its pull request is open already."""
    path = route(REPO + "/pulls", owner=owner, name=name)
    fields = {"head": branch, "base": base, "title": title, "body": body}
    return await client.post(path, purpose="pulls", model=Opened, json=fields)
