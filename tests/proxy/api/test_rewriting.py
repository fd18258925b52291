"""Addresses in answers and pagination (T42), and which redirects of downloads are followed."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.proxy.api.rewriting import Addresses, api_base, may_follow
from app.proxy.incoming import BodyFailed
from tests.proxy.build import grant

OURS = "https://gate.example/api/v3"
ADDRESSES = Addresses("https://api.github.com", OURS, grant())


def rewritten(text: bytes, *cuts: int) -> bytes:
    rewriting = ADDRESSES.stream()
    edges = [0, *sorted(cuts), len(text)]
    parts = [rewriting.feed(text[start:end]) for start, end in itertools.pairwise(edges)]
    return b"".join([*parts, rewriting.end()])


BY_ID = "https://api.github.com/repositories/42/pulls"
JSON = b'{"url":"https://api.github.com/repos/a/b","html_url":"https://github.com/a/b","n":1}'
CASES = [
    (JSON, b'{"url":"https://gate.example/api/v3/repos/a/b","html_url":"https://github.com/a/b","n":1}'),
    (b'["https://api.github.com/x","https://api.github.com/y"]', f'["{OURS}/x","{OURS}/y"]'.encode()),
    # What people wrote stays: in the middle of a text, behind an escaped mark, on a host that only begins so.
    (b'{"body":"see https://api.github.com/x"}', b'{"body":"see https://api.github.com/x"}'),
    (b'{"body":"say \\"https://api.github.com/x\\""}', b'{"body":"say \\"https://api.github.com/x\\""}'),
    (b'{"url":"https://api.github.com.evil/x"}', b'{"url":"https://api.github.com.evil/x"}'),
    (b'{"url":"http://api.github.com/x"}', b'{"url":"http://api.github.com/x"}'),
    (b'"https://api.github.com', b'"https://api.github.com'),
    # A token for cloning a private repository, which GitHub puts into descriptions of it.
    (b'{"temp_clone_token":"AB12","n":1}', b'{"temp_clone_token":null,"n":1}'),
    (
        b'[{"temp_clone_token" : "A\\"B"},{"temp_clone_token":""}]',
        b'[{"temp_clone_token":null},{"temp_clone_token":null}]',
    ),
    (b'{"temp_clone_token":null,"a":"temp_clone_token"}', b'{"temp_clone_token":null,"a":"temp_clone_token"}'),
    (
        b'{"temp_clone_tokens":"x","title":"temp_clone_token: x"}',
        b'{"temp_clone_tokens":"x","title":"temp_clone_token: x"}',
    ),
    (b'{"temp_clone_token":"AB', b"{"),
    (b"", b""),
]


@pytest.mark.parametrize(("before", "after"), CASES)
def test_addresses_of_the_api_become_the_proxy_s(before: bytes, after: bytes) -> None:
    assert rewritten(before) == after
    for cut in range(len(before)):
        assert rewritten(before, cut) == after


@given(st.sampled_from(CASES), st.lists(st.integers(0, 90), max_size=8))
def test_however_the_stream_is_cut(case: tuple[bytes, bytes], cuts: list[int]) -> None:
    before, after = case
    assert rewritten(before, *(min(cut, len(before)) for cut in cuts)) == after


def test_a_token_without_an_end_is_no_answer() -> None:
    with pytest.raises(BodyFailed):
        rewritten(b'{"temp_clone_token":"' + b"x" * 9000, 100)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f'<{BY_ID}?page=2>; rel="next", <{BY_ID}?page=9>; rel="last"',
            f'<{OURS}/repos/acme/shop/pulls?page=2>; rel="next", <{OURS}/repos/acme/shop/pulls?page=9>; rel="last"',
        ),
        (
            '<https://api.github.com/repos/acme/shop/pulls?page=2>; rel="next"',
            f'<{OURS}/repos/acme/shop/pulls?page=2>; rel="next"',
        ),
        ('<https://elsewhere.example/x?token=abc>; rel="next"', ""),
        ('<https://api.github.com.evil/x>; rel="next"', ""),
        ('<https://api.github.com/x>; rel="next"; title="a"', ""),
        ("nonsense", ""),
        ("", ""),
    ],
)
def test_links(before: str, after: str) -> None:
    """GitHub's links name the repository by id, which is no path of the proxy."""
    assert ADDRESSES.link(before) == after


@pytest.mark.parametrize(
    ("scheme", "host", "path", "base"),
    [
        ("https", "gate.example", b"/api/v3/x", "https://gate.example/api/v3"),
        ("https", "gate.example:8443", b"/api/graphql", "https://gate.example:8443/api/v3"),
        ("http", "127.0.0.1:8080", b"/repos", "http://127.0.0.1:8080"),
        ("http", "[::1]:8080", b"/repos", "http://[::1]:8080"),
        ("http", "api.github.com", b"/repos", "https://api.github.com"),
        ("https", 'a"b', b"/", None),
        ("https", "a/b", b"/", None),
        ("https", "a b", b"/", None),
        ("https", "user@host", b"/", None),
        ("https", "", b"/", None),
        ("https", "a" * 300, b"/", None),
    ],
)
def test_the_base_that_whoever_asks_knows(scheme: str, host: str, path: bytes, base: str | None) -> None:
    assert api_base(scheme, host, path) == base


@pytest.mark.parametrize(
    ("location", "followed"),
    [
        ("https://pipelines.actions.githubusercontent.com/x?sig=1", True),
        ("https://results-receiver.actions.githubusercontent.com/x", True),
        ("https://productionresultssa1.blob.core.windows.net/x?sig=1", True),
        ("https://api.github.com/x", True),
        ("http://pipelines.actions.githubusercontent.com/x", False),
        ("https://evil.example/x", False),
        ("https://githubusercontent.com.evil.example/x", False),
        ("https://evilactions.githubusercontent.com.example/", False),
        ("https://169.254.169.254/latest/meta-data", False),
        ("https://localhost/x", False),
        ("https://a.blob.core.windows.net:8443/x", False),
        ("https://a.blob.core.windows.net@evil.example/x", False),
        ("https://evil.example#.blob.core.windows.net", False),
        ("https://evil.example?.blob.core.windows.net", False),
        ("https://evil.example\\.blob.core.windows.net", False),
        ("https://a.blob.core.windows.net/x\r\nHost: evil", False),
        ("https://a.blob.core.windows.net/\xe4", False),
        ("file:///etc/passwd", False),
        ("//evil.example", False),
        ("", False),
    ],
)
def test_redirects_of_downloads(location: str, followed: bool) -> None:
    assert may_follow("https://api.github.com", location) == followed
