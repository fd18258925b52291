"""Which addresses are endpoints, from the raw bytes of the request."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import strategies as st

from app.proxy.target import BadTarget, Endpoint, NoSuchTarget, Target, is_git, read_target
from tests.proxy.lasting import lasting

OID = "a" * 64
UPLOAD, RECEIVE = b"service=git-upload-pack", b"service=git-receive-pack"


@pytest.mark.parametrize(
    ("method", "path", "query", "endpoint"),
    [
        ("GET", "/git/acme/shop.git/info/refs", UPLOAD, Endpoint.UPLOAD_ADVERTISEMENT),
        ("GET", "/git/acme/shop/info/refs", RECEIVE, Endpoint.RECEIVE_ADVERTISEMENT),
        ("POST", "/git/acme/shop.git/git-upload-pack", b"", Endpoint.UPLOAD_PACK),
        ("POST", "/git/acme/shop/git-receive-pack", b"", Endpoint.RECEIVE_PACK),
        ("POST", "/git/acme/shop.git/info/lfs/objects/batch", b"", Endpoint.LFS_BATCH),
    ],
)
def test_the_routes(method: str, path: str, query: bytes, endpoint: Endpoint) -> None:
    assert read_target(method, path.encode(), query) == Target("acme", "shop", endpoint)


def test_an_lfs_object_has_an_id_and_a_size() -> None:
    found = read_target("GET", f"/git/acme/shop.git/info/lfs/objects/{OID}/12".encode(), b"")
    assert found == Target("acme", "shop", Endpoint.LFS_OBJECT, OID, 12)


@pytest.mark.parametrize(
    ("path", "repository"),
    [("/git/acme/a.b-c_d.git/git-upload-pack", "a.b-c_d"), ("/git/acme/shop.git.git/git-upload-pack", "shop.git")],
)
def test_names(path: str, repository: str) -> None:
    assert read_target("POST", path.encode(), b"").repository == repository


# T03
@pytest.mark.parametrize(
    "path",
    [
        "/git/acme%2fshop/git-receive-pack",
        "/git/acme/%2e%2e/other/git-receive-pack",
        "/git/acme/shop%252e/git-receive-pack",
        "/git/acme/shop%00/git-receive-pack",
        "/git/acme/shop.git/%67it-receive-pack",
        "/git/acme/shop.git/git-receive-pack;x=1",
        "/git/acme\\shop/git-receive-pack",
        "/git/acme//shop/git-receive-pack",
        "/git//acme/shop/git-receive-pack",
        "/git/acme/shop.git//git-receive-pack",
        "/git/acme/shop.git/./git-receive-pack",
        "/git/acme/other/../shop/git-receive-pack",
        "/git/acme/../git-receive-pack",
        "/git/acme/./git-receive-pack",
        "/git/acme/sh\xf6p/git-receive-pack",
        "/git/acme/shop.git/git-receive-pack//",
        "/git/acme/" + "x" * 8192 + "/git-receive-pack",
        "/git/acme/sh op/git-receive-pack",
        "/git/acme/shop\t/git-receive-pack",
        '/git/acme/"shop"/git-receive-pack',
    ],
)
def test_what_nobody_sends_who_means_well(path: str) -> None:
    with pytest.raises(BadTarget):
        read_target("POST", path.encode("latin-1"), b"")


# T04
@pytest.mark.parametrize(
    "query",
    [
        b"",
        b"service=git-upload-pack&service=git-receive-pack",
        b"service=git-receive-pack&service=git-receive-pack",
        b"service=git-upload-pack&x=1",
        b"x=1&service=git-upload-pack",
        b"service=Git-Upload-Pack",
        b"Service=git-upload-pack",
        b"service=git-upload-pack%00",
        b"service=git%2dupload-pack",
        b"service=git-upload-pack;",
        b"service=git-upload-archive",
        b"service",
    ],
)
def test_the_service_is_exact(query: bytes) -> None:
    with pytest.raises(BadTarget):
        read_target("GET", b"/git/acme/shop.git/info/refs", query)


@pytest.mark.parametrize("path", ["git-upload-pack", "git-receive-pack", "info/lfs/objects/batch"])
@pytest.mark.parametrize("query", [b"x=1", b"service=git-receive-pack"])
def test_a_post_has_no_query(path: str, query: bytes) -> None:
    with pytest.raises(BadTarget):
        read_target("POST", f"/git/acme/shop.git/{path}".encode(), query)


# T02, T06
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/git/acme/shop.git/HEAD"),
        ("GET", "/git/acme/shop.git/objects/info/packs"),
        ("GET", f"/git/acme/shop.git/objects/aa/{'b' * 38}"),
        ("GET", "/git/acme/shop/archive/main.zip"),
        ("GET", "/git/acme/shop/raw/main/README.md"),
        ("GET", "/git/acme/shop.git"),
        ("GET", "/git/acme/shop.git/"),
        ("GET", "/git/acme"),
        ("GET", "/git/"),
        ("GET", "/git/gist/acme/shop/info/refs"),
        ("GET", "/git/acme/shop.git/info/refs/"),
        ("POST", "/git/acme/shop.git/git-receive-pack/"),
        ("POST", "/git/acme/shop.git/info/refs"),
        ("GET", "/git/acme/shop.git/git-receive-pack"),
        ("PUT", "/git/acme/shop.git/git-receive-pack"),
        ("OPTIONS", "/git/acme/shop.git/git-receive-pack"),
        ("HEAD", "/git/acme/shop.git/info/refs"),
        ("POST", "/git/acme/shop.git/git-upload-archive"),
        ("POST", "/git/acme/shop.git/info/lfs/locks/verify"),
        ("POST", "/git/acme/shop.git/info/lfs/locks"),
        ("PUT", f"/git/acme/shop.git/info/lfs/objects/{OID}/12"),
        ("GET", f"/git/acme/shop.git/info/lfs/objects/{OID.upper()}/12"),
        ("GET", f"/git/acme/shop.git/info/lfs/objects/{OID}/-1"),
        ("GET", f"/git/acme/shop.git/info/lfs/objects/{OID}"),
        ("POST", "/git/-acme/shop.git/git-receive-pack"),
        ("POST", "/git/acme/a/b/git-receive-pack"),
        ("POST", "/GIT/acme/shop.git/git-receive-pack"),
    ],
)
def test_everything_else_is_not_there(method: str, path: str) -> None:
    with pytest.raises(NoSuchTarget):
        read_target(method, path.encode(), UPLOAD if path.endswith("refs") and method == "HEAD" else b"")


PIECES = st.sampled_from(
    [
        *("git", "acme", "shop", "shop.git", "other.git", "info", "refs", "git-upload-pack", "git-receive-pack", "lfs"),
        *(
            "objects",
            "batch",
            OID,
            "12",
            "..",
            ".",
            "",
            ".git",
            "%2e%2e",
            "%2f",
            "%00",
            ";x",
            "\\",
            "#",
            "\n",
            "\x7f",
            "\xe9",
        ),
        *("acme%2fshop", "GIT", "git-receive-pack ", "\u0000", "shop.git.git", "-acme", "a" * 101),
    ]
)
PATHS = st.one_of(
    st.lists(PIECES, min_size=1, max_size=8).map(lambda parts: "/" + "/".join(parts)),
    st.lists(PIECES, max_size=4).map(lambda parts: "/git/acme/shop.git/" + "/".join(parts)),
    st.text(max_size=40),
)
QUERIES = st.one_of(
    st.sampled_from([b"", UPLOAD, RECEIVE, UPLOAD + b"&" + RECEIVE, UPLOAD + b"\0", b"service=git-upload-archive"]),
    st.binary(max_size=30),
)


@lasting(st.sampled_from(["GET", "POST", "PUT", "HEAD", "get"]), PATHS, QUERIES)
def test_what_is_understood_has_one_of_four_spellings(method: str, path: str, query: bytes) -> None:
    """Written anew from what was understood, an address is the very one that came: there was nothing else in it."""
    raw = path.encode("utf-8", "surrogatepass")
    is_git(raw)
    with contextlib.suppress(BadTarget, NoSuchTarget):
        found = read_target(method, raw, query)
        rest = (
            found.endpoint.value if found.endpoint.value.isascii() and " " not in found.endpoint.value else "info/refs"
        )
        rest += f"/{found.oid}/{path.rpartition('/')[2]}" if found.endpoint is Endpoint.LFS_OBJECT else ""
        assert path in {
            f"{below}/{found.owner}/{found.repository}{end}/{rest}" for below in ("", "/git") for end in ("", ".git")
        }
        services = {Endpoint.UPLOAD_ADVERTISEMENT: UPLOAD, Endpoint.RECEIVE_ADVERTISEMENT: RECEIVE}
        assert query == services.get(found.endpoint, b"")
        assert method == ("POST" if found.endpoint in POSTS else "GET") and is_git(raw)


POSTS = (Endpoint.UPLOAD_PACK, Endpoint.RECEIVE_PACK, Endpoint.LFS_BATCH)
