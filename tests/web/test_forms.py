"""A form is read whole and within its limits, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from starlette.requests import Request
from starlette.types import Message

from app.web.forms import LONGEST, MOST_FIELDS, NotOurs, origin_of, read_form

pytestmark = pytest.mark.anyio
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _request(messages: Sequence[Message], content_type: str = FORM) -> Request:
    """After these messages nothing more comes."""
    left = list(messages)

    async def receive() -> Message:
        if not left:
            await asyncio.Event().wait()
        return left.pop(0)

    headers = [(b"content-type", content_type.encode())]
    return Request({"type": "http", "method": "POST", "headers": headers}, receive)


def _part(body: bytes, *, more: bool = False) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://gate.example", "https://gate.example"),
        ("https://Gate.example:443", "https://gate.example"),
        ("https://gate.example:8443", "https://gate.example:8443"),
        ("https://gate.example:80", "https://gate.example:80"),
        ("http://127.0.0.1:80/", "http://127.0.0.1"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_our_origin_is_written_as_browsers_do(url: str, origin: str) -> None:
    assert origin_of(url) == origin


async def test_the_parts_of_a_form_are_one() -> None:
    parts = [_part(b"command=%2Fst", more=True), _part(b"op&words=a+b&reason=")]
    assert await read_form(_request(parts)) == {"command": "/stop", "words": "a b", "reason": ""}


@pytest.mark.parametrize(
    "messages",
    [
        [_part(b"command=%2Fstop", more=True)],  # and the rest never comes
        [_part(b"command=%2Fstop", more=True), {"type": "http.disconnect"}],
        [_part(b"words=" + b"x" * LONGEST)],
        [_part(b"&".join([b"a=b"] * (MOST_FIELDS + 1)))],
        [_part(b"words=%ff")],
        [_part(b"words=\xff")],
    ],
)
async def test_what_is_no_whole_form_is_not_taken(messages: list[Message]) -> None:
    with pytest.raises(NotOurs):
        await read_form(_request(messages), seconds=0.01)


async def test_another_kind_of_body_is_not_read() -> None:
    with pytest.raises(NotOurs):
        await read_form(_request([], "multipart/form-data; boundary=x"))
