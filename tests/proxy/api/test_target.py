"""Paths and queries as they come: what is understood, and the many spellings that are not (T03, T41)."""

from __future__ import annotations

import pytest

from app.proxy.api.target import Target, read_target, written
from app.proxy.refusal import Refusal

PLAIN = ("repos", "acme", "shop", "pulls")


@pytest.mark.parametrize(
    ("path", "segments"),
    [
        (b"/repos/acme/shop/pulls", PLAIN),
        (b"/api/v3/repos/acme/shop/pulls", PLAIN),
        (b"/api/v3/", ()),
        (b"/api/v3", ()),
        (b"/", ()),
        (b"/meta", ("meta",)),
        (b"/repos/acme/shop/branches/agent/work", ("repos", "acme", "shop", "branches", "agent", "work")),
        (b"/repos/acme/shop/compare/main...agent/work", ("repos", "acme", "shop", "compare", "main...agent", "work")),
    ],
)
def test_paths_that_are_understood(path: bytes, segments: tuple[str, ...]) -> None:
    assert read_target(path, b"") == Target("rest", segments, ())


@pytest.mark.parametrize("path", [b"/graphql", b"/api/graphql"])
def test_graphql_has_two_addresses(path: bytes) -> None:
    assert read_target(path, b"") == Target("graphql", (), ())


@pytest.mark.parametrize(
    "path",
    [
        b"",
        b"repos/acme/shop",
        b"*",
        b"http://api.github.com/repos/acme/shop",
        b"//repos/acme/shop",
        b"/repos//acme/shop",
        b"/repos/acme/shop/",
        b"/repos/acme/shop/pulls/",
        b"/api/v3//repos/acme/shop",
        b"/repos/acme/shop/../other",
        b"/repos/acme/./shop",
        b"/repos/acme/shop/%2e%2e/other",
        b"/repos/acme%2fshop/pulls",
        b"/repos/acme%2Fshop/pulls",
        b"/repos/acme/shop/branches/agent%2Fwork",
        b"/repos/acme/shop%00",
        b"/repos/acme/shop%252e",
        b"/%72epos/acme/shop",
        b"/repos/acme/shop;x=1/pulls",
        b"/repos/acme\\shop",
        b"/repos/acme/sh\xc3\xb6p",
        b"/repos/acme/shop/pulls\r\n",
        b"/repos/acme/shop/pulls ",
        b"/repos/acme/shop/pulls?x",
        b"/" + b"a" * 3000,
    ],
)
def test_paths_that_could_be_read_in_two_ways(path: bytes) -> None:
    assert isinstance(read_target(path, b""), Refusal)


@pytest.mark.parametrize(
    ("query", "pairs"),
    [
        (b"", ()),
        (b"per_page=100&page=2", (("per_page", "100"), ("page", "2"))),
        (b"head=acme%3Aagent%2Fwork", (("head", "acme:agent/work"),)),
        (b"head=acme:agent/work&state=open", (("head", "acme:agent/work"), ("state", "open"))),
        (b"branch=a+b", (("branch", "a b"),)),
        (b"branch=", (("branch", ""),)),
        (b"author=%C3%B6", (("author", "ö"),)),
    ],
)
def test_queries_that_are_understood(query: bytes, pairs: tuple[tuple[str, str], ...]) -> None:
    assert read_target(b"/repos/acme/shop", query) == Target("rest", ("repos", "acme", "shop"), pairs)


@pytest.mark.parametrize(
    "query",
    [
        b"page=1&page=2",
        b"page=1&&state=open",
        b"page",
        b"=1",
        b"page=1;state=open",
        b"pa%67e=1",
        b"_method=PUT",
        b"page[]=1",
        b"Page=1",
        b"branch=%",
        b"branch=%zz",
        b"branch=%ff",
        b"branch=%00",
        b"branch=%0d%0aX-Evil:1",
        b"branch=a=b",
        b"branch=a#b",
        b"branch=\xff",
        b"&".join(b"p%c=1" % (97 + n) for n in range(20)),
        b"branch=" + b"a" * 5000,
    ],
)
def test_queries_that_are_not(query: bytes) -> None:
    assert isinstance(read_target(b"/repos/acme/shop", query), Refusal)


def test_what_goes_on_is_written_anew() -> None:
    segments = ("repos", "acme", "shop", "commits")
    assert written(segments, (("sha", "agent/work"), ("author", "ö &"))) == (
        "/repos/acme/shop/commits?sha=agent%2Fwork&author=%C3%B6%20%26"
    )
    assert written(segments, ()) == "/repos/acme/shop/commits"
