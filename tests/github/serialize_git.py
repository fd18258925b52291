"""Commits, refs, trees and diffs as GitHub's JSON."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import quote

from tests.github import node_ids
from tests.github.git import Commit, FileChange, Person, TreeEntry
from tests.github.serialize import Json, simple_user, stamp
from tests.github.serialize_repositories import repository_url
from tests.github.state import Account, Repository, World

NOREPLY = "@users.noreply.github.com"


def account_of(world: World, person: Person) -> Account | None:
    """The account that owns a commit's address, as GitHub links them."""
    if person.email == "noreply@github.com":
        return world.accounts.get("web-flow")
    if person.email.endswith(NOREPLY):
        return world.accounts.get(person.email.removesuffix(NOREPLY).rpartition("+")[2])
    return next((a for a in world.accounts.values() if a.email == person.email), None)


def verification(repository: Repository, sha: str) -> Json:
    """Only commits that GitHub itself made are signed here."""
    if sha not in repository.verified_commits:
        return {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}
    signature = "-----BEGIN PGP SIGNATURE-----\n\nsimulated\n-----END PGP SIGNATURE-----\n"
    return {
        "verified": True,
        "reason": "valid",
        "signature": signature,
        "payload": f"commit {sha}",
        "verified_at": stamp(repository.pushed_at),
    }


def git_user(person: Person, at: datetime) -> Json:
    return {"name": person.name, "email": person.email, "date": stamp(at)}


def commit(world: World, repository: Repository, record: Commit) -> Json:
    """`commit`, without stats and files."""
    url, html = repository_url(world, repository), f"{world.base_url}/{repository.full_name}"
    author, committer = account_of(world, record.author), account_of(world, record.committer)
    return {
        "sha": record.sha,
        "node_id": node_ids.encode("Commit", repository.id, record.sha),
        "commit": {
            "author": git_user(record.author, record.authored_at),
            "committer": git_user(record.committer, record.committed_at),
            "message": record.message,
            "tree": {"sha": record.tree, "url": f"{url}/git/trees/{record.tree}"},
            "url": f"{url}/git/commits/{record.sha}",
            "comment_count": 0,
            "verification": verification(repository, record.sha),
        },
        "url": f"{url}/commits/{record.sha}",
        "html_url": f"{html}/commit/{record.sha}",
        "comments_url": f"{url}/commits/{record.sha}/comments",
        "author": simple_user(world, author.login) if author else None,
        "committer": simple_user(world, committer.login) if committer else None,
        "parents": [{"sha": p, "url": f"{url}/commits/{p}", "html_url": f"{html}/commit/{p}"} for p in record.parents],
    }


def git_commit(world: World, repository: Repository, record: Commit) -> Json:
    """`git-commit`, the form of the git database routes."""
    url, html = repository_url(world, repository), f"{world.base_url}/{repository.full_name}"
    return {
        "sha": record.sha,
        "node_id": node_ids.encode("Commit", repository.id, record.sha),
        "url": f"{url}/git/commits/{record.sha}",
        "html_url": f"{html}/commit/{record.sha}",
        "author": git_user(record.author, record.authored_at),
        "committer": git_user(record.committer, record.committed_at),
        "tree": {"sha": record.tree, "url": f"{url}/git/trees/{record.tree}"},
        "message": record.message,
        "parents": [
            {"sha": p, "url": f"{url}/git/commits/{p}", "html_url": f"{html}/commit/{p}"} for p in record.parents
        ],
        "verification": verification(repository, record.sha),
    }


def stats(changes: list[FileChange]) -> Json:
    additions, deletions = sum(c.additions for c in changes), sum(c.deletions for c in changes)
    return {"total": additions + deletions, "additions": additions, "deletions": deletions}


def diff_entry(world: World, repository: Repository, change: FileChange, head: str) -> Json:
    """`diff-entry`; `head` is the commit at which the file is seen."""
    url, html = repository_url(world, repository), f"{world.base_url}/{repository.full_name}"
    path = quote(change.path)
    entry: Json = {
        "sha": change.sha,
        "filename": change.path,
        "status": change.status,
        "additions": change.additions,
        "deletions": change.deletions,
        "changes": change.additions + change.deletions,
        "blob_url": f"{html}/blob/{head}/{path}",
        "raw_url": f"{html}/raw/{head}/{path}",
        "contents_url": f"{url}/contents/{path}?ref={head}",
    }
    if change.patch is not None:
        entry["patch"] = change.patch
    if change.previous_path is not None:
        entry["previous_filename"] = change.previous_path
    return entry


def ref(world: World, repository: Repository, name: str, sha: str, kind: str = "commit") -> Json:
    """`git-ref`."""
    url = repository_url(world, repository)
    return {
        "ref": name,
        "node_id": node_ids.encode("Ref", repository.id, name),
        "url": f"{url}/git/{name}",
        "object": {"sha": sha, "type": kind, "url": f"{url}/git/{kind}s/{sha}"},
    }


def tree(world: World, repository: Repository, sha: str, entries: list[TreeEntry], *, truncated: bool = False) -> Json:
    """`git-tree`."""
    url = repository_url(world, repository)
    return {
        "sha": sha,
        "url": f"{url}/git/trees/{sha}",
        "tree": [_tree_entry(url, entry) for entry in entries],
        "truncated": truncated,
    }


def _tree_entry(url: str, entry: TreeEntry) -> Json:
    item: Json = {"path": entry.path, "mode": entry.mode, "type": entry.type, "sha": entry.sha}
    if entry.size is not None:
        item["size"] = entry.size
    if entry.type != "commit":
        item["url"] = f"{url}/git/{entry.type}s/{entry.sha}"
    return item
