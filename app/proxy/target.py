"""Which endpoint a request means: from the raw bytes of its target, in the few spellings that git uses.

The address upstream is built from what is returned here and never from the target itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

LONGEST = 2048  # bytes of a target
PREFIX = "/git/"


class Endpoint(Enum):
    UPLOAD_ADVERTISEMENT = "what can be fetched"
    RECEIVE_ADVERTISEMENT = "what can be pushed"
    UPLOAD_PACK = "git-upload-pack"
    RECEIVE_PACK = "git-receive-pack"
    LFS_BATCH = "info/lfs/objects/batch"
    LFS_OBJECT = "info/lfs/objects"


class BadTarget(Exception):
    """No client that means well sends this; the message says what is wrong with it."""


class NoSuchTarget(Exception):
    """There is nothing here. The same for what does not exist and what is not granted."""


@dataclass(frozen=True, slots=True)
class Target:
    """`repository` is without `.git`. `oid` and `size` (bytes) are those of an LFS object."""

    owner: str
    repository: str
    endpoint: Endpoint
    oid: str = ""
    size: int = 0


# Plain `re` takes linear time here: names are bounded, and nothing else that repeats can begin what follows it.
# An owner's name has letters, digits and hyphens (an enterprise's people an underscore more), a repository's dots too.
# Below /git/, or at the root: gh takes a remote for a server's only if its path is the owner and the repository alone.
_FORM = re.compile(
    r"(?:/git)?/([A-Za-z0-9][A-Za-z0-9_-]{0,99})/([A-Za-z0-9._-]{1,100}?)(?:\.git)?"
    r"/(info/refs|git-upload-pack|git-receive-pack|info/lfs/objects/batch|info/lfs/objects/([0-9a-f]{64})/([0-9]{1,15}))"
)
_PLAIN = re.compile(r"(/[A-Za-z0-9._~!$&'()*+,=:@-]+)+")
_POSTS = {one.value: one for one in (Endpoint.UPLOAD_PACK, Endpoint.RECEIVE_PACK, Endpoint.LFS_BATCH)}
_SERVICES = {
    b"service=git-upload-pack": Endpoint.UPLOAD_ADVERTISEMENT,
    b"service=git-receive-pack": Endpoint.RECEIVE_ADVERTISEMENT,
}


def is_git(raw_path: bytes) -> bool:
    """Whether an address is git's and not the API's."""
    return raw_path.startswith(PREFIX.encode()) or _FORM.fullmatch(raw_path.decode("latin-1")) is not None


def read_target(method: str, raw_path: bytes, query: bytes) -> Target:
    """The endpoint of `[/git]/{owner}/{repository}[.git]/…`. Raises BadTarget, NoSuchTarget."""
    if len(raw_path) + len(query) > LONGEST:
        raise BadTarget(f"the address is longer than {LONGEST} bytes")
    path = raw_path.decode("latin-1")
    if not path.isascii() or not _PLAIN.fullmatch(path.removesuffix("/") or "/-"):
        raise BadTarget("the address has characters or escapes that no address here has")
    if any(part in (".", "..") for part in path.split("/")):
        raise BadTarget("the address has dot segments")
    found = _FORM.fullmatch(path)
    if not found or found[2] in (".", ".."):
        raise NoSuchTarget
    owner, repository, rest, oid, size = (found[number] or "" for number in range(1, 6))
    if rest == "info/refs":
        return Target(owner, repository, _advertisement(method, query))
    if query:
        raise BadTarget("the address has a query, which this one does not take")
    if oid and method == "GET":
        return Target(owner, repository, Endpoint.LFS_OBJECT, oid, int(size))
    if method == "POST" and rest in _POSTS:
        return Target(owner, repository, _POSTS[rest])
    raise NoSuchTarget


def _advertisement(method: str, query: bytes) -> Endpoint:
    if method != "GET":
        raise NoSuchTarget
    if query not in _SERVICES:
        raise BadTarget("the query is not exactly service=git-upload-pack or service=git-receive-pack")
    return _SERVICES[query]
