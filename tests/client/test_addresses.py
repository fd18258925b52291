"""Addresses: how they are built, and which of those that an answer names may be followed."""

from __future__ import annotations

import pytest

from app.github.addresses import graphql_url, next_page, origin, redirect_target, route
from app.github.errors import NotFound


@pytest.mark.parametrize("value", ["..", ".", "", "a/../b", "/etc", "a//b", "\udcff.py"])
def test_a_path_that_leads_elsewhere_is_not_built(value: str) -> None:
    with pytest.raises(NotFound, match="no name that GitHub could know"):
        route("/repos/{owner}/{name}/contents/{path}", owner="o", name="r", path=value)


@pytest.mark.parametrize(
    ("parts", "built"),
    [
        ({"path": "dir/ä ?#.py"}, "/x/dir/%C3%A4%20%3F%23.py"),
        ({"path": "%2e%2e/a"}, "/x/%252e%252e/a"),
        ({"path": "..a/b.."}, "/x/..a/b.."),
    ],
)
def test_parts_of_a_path_are_quoted(parts: dict[str, str], built: str) -> None:
    assert route("/x/{path}", **parts) == built


def test_a_slash_in_a_name_is_quoted() -> None:
    assert route("/rules/branches/{branch}", branch="feature/x") == "/rules/branches/feature%2Fx"


@pytest.mark.parametrize(
    ("api", "graphql"),
    [
        ("https://api.github.com", "https://api.github.com/graphql"),
        ("https://api.github.com/", "https://api.github.com/graphql"),
        ("https://ghe.example/api/v3", "https://ghe.example/api/graphql"),
        ("https://ghe.example/api/v3/", "https://ghe.example/api/graphql"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/graphql"),
    ],
)
def test_graphql_stands_beside_rest(api: str, graphql: str) -> None:
    assert graphql_url(api) == graphql


def test_an_origin_is_scheme_host_and_port() -> None:
    assert origin("https://API.github.com:443/x") == origin("https://api.github.com")
    assert origin("http://api.github.com") != origin("https://api.github.com")
    assert origin("https://api.github.com:444") != origin("https://api.github.com")


def test_a_test_server_without_encryption_may_redirect_without() -> None:
    assert redirect_target("http://127.0.0.1:1/a", "http://127.0.0.1:2/b") == "http://127.0.0.1:2/b"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("", None),
        ('<https://a/?page=2>; rel="next"', "https://a/?page=2"),
        ('<https://a/1>; rel="prev", <https://a/3>; rel="next"', "https://a/3"),
        ('<https://a/1>; rel="last"', None),
        ('https://a/1; rel="next"', None),
    ],
)
def test_the_next_page_of_a_link_header(text: str, address: str | None) -> None:
    assert next_page(text) == address
