"""git's smart HTTP protocol: `git http-backend` behind ASGI, streaming both ways.

After a push the refs are compared with those before it, and every difference is recorded and published. What a push may
not do is refused in a pre-receive hook, so that git itself words the refusal.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from app.gate.ending import end_process
from tests.github import rule_suites
from tests.github.auth import Access, Actor, allowed, authenticate, can_see
from tests.github.errors import ApiError
from tests.github.git import clean_environment
from tests.github.operations.pushes import record_push, ref_commands, refusal_of_push, standing
from tests.github.state import Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

CHUNK = 65536
COMMANDS_LIMIT = 1 << 20  # bytes of ref commands before a push's pack


class SmartHttp:
    """ASGI application for `/{owner}/{repo}[.git]/(info/refs|git-upload-pack|git-receive-pack)`."""

    def __init__(self, github: SimulatedGitHub) -> None:
        self.github = github

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        writing = "git-receive-pack" in scope["path"] + request.url.query
        try:
            actor = authenticate(self.github.world, request.headers.get("authorization"))
            repository = self._repository(request, actor, writing=writing)
        except ApiError as error:
            await _refusal(error)(scope, receive, send)
            return
        if scope["path"].endswith("/git-receive-pack"):
            await self._receive_pack(request, repository, actor, send)
        else:
            await _backend(_cgi(request, repository, actor), request.stream(), send)
            await _end(send)

    def _repository(self, request: Request, actor: Actor, *, writing: bool) -> Repository:
        owner, name = request.url.path.strip("/").split("/")[:2]
        repository = self.github.world.repository(owner, name.removesuffix(".git"))
        if repository is None or not can_see(self.github.world, actor, repository):
            raise ApiError(401 if actor.kind == "anonymous" else 404, "Repository not found.")
        access: Access = "write" if writing else "read"
        if not allowed(self.github.world, actor, repository, "contents", access):
            denied = f"Permission to {repository.full_name}.git denied to {actor.login}."
            raise ApiError(401 if actor.kind == "anonymous" else 403, denied)
        return repository

    async def _receive_pack(self, request: Request, repository: Repository, actor: Actor, send: Send) -> None:
        head, body = await _commands(request)
        commands = ref_commands(head)
        refusal = await refusal_of_push(self.github, repository, actor, commands)
        env = _cgi(request, repository, actor)
        if refusal:
            env["PUSH_REFUSAL"] = refusal
        if actor.is_bot and not allowed(self.github.world, actor, repository, "workflows", "write"):
            env["WITHOUT_WORKFLOWS"] = "1"
        before = await standing(self.github, repository, commands)
        await _backend(env, body, send)
        done = await record_push(self.github, repository, before, actor.login)
        await rule_suites.keep_push(self.github, repository, actor, done)
        await _end(send)


async def _backend(env: dict[str, str], body: AsyncIterator[bytes], send: Send) -> None:
    """Runs `git http-backend` and passes its answer on, all but the end of it."""
    process = await asyncio.create_subprocess_exec(
        "git",
        "http-backend",
        env=env,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None
    feeding = asyncio.create_task(_feed(body, process))
    try:
        await _answer(process.stdout, send)
        await process.wait()
    finally:
        feeding.cancel()
        await asyncio.gather(feeding, end_process(process, group=process.pid), return_exceptions=True)


def _cgi(request: Request, repository: Repository, actor: Actor) -> dict[str, str]:
    service = request.url.path.split("/", 3)[3]
    passed = {
        "CONTENT_TYPE": request.headers.get("content-type"),
        "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding"),
        "GIT_PROTOCOL": request.headers.get("git-protocol"),
        "CONTENT_LENGTH": request.headers.get("content-length"),
    }
    return clean_environment() | {
        "GIT_PROJECT_ROOT": str(repository.git),
        "GIT_HTTP_EXPORT_ALL": "1",
        "REQUEST_METHOD": request.method,
        "PATH_INFO": f"/{service}",
        "QUERY_STRING": request.url.query,
        "REMOTE_USER": actor.login,
        "REMOTE_ADDR": "127.0.0.1",
        **{name: value for name, value in passed.items() if value is not None},
    }


async def _commands(request: Request) -> tuple[bytes, AsyncIterator[bytes]]:
    """The ref commands at the start of a push, and the whole body again as a stream."""
    stream = request.stream()
    if request.headers.get("content-encoding") == "gzip":
        return b"", stream  # git compresses only small negotiations, never a pack
    head = b""
    async for chunk in stream:
        head += chunk
        if _flushed(head) or len(head) > COMMANDS_LIMIT:
            break

    async def everything() -> AsyncIterator[bytes]:
        yield head
        async for chunk in stream:
            yield chunk

    return head, everything()


def _flushed(data: bytes) -> bool:
    """Whether a flush packet ends the command list within `data`."""
    position = 0
    while position + 4 <= len(data):
        length = int(data[position : position + 4], 16)
        if length == 0:
            return True
        position += length
    return False


async def _feed(body: AsyncIterator[bytes], process: asyncio.subprocess.Process) -> None:
    assert process.stdin is not None
    try:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            async for chunk in body:
                process.stdin.write(chunk)
                await process.stdin.drain()
    except ClientDisconnect:
        # At the end of a body that is shorter than was said, `git http-backend` would go on reading for ever.
        _kill(process)
    process.stdin.close()


def _kill(process: asyncio.subprocess.Process) -> None:
    """With all that it started: `git http-backend` is itself a child of git."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


async def _answer(stdout: asyncio.StreamReader, send: Send) -> None:
    status, headers = 200, []
    try:
        head = await stdout.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        head = b"Status: 500 git http-backend gave no answer"
    for line in head.decode().split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "status":
            status = int(value.split()[0])
        elif name:
            headers.append((name.lower().encode(), value.strip().encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    while chunk := await stdout.read(CHUNK):
        await send({"type": "http.response.body", "body": chunk, "more_body": True})


async def _end(send: Send) -> None:
    """The client of a push goes on only after this: what follows from the push is then visible."""
    await send({"type": "http.response.body", "body": b""})


def _refusal(error: ApiError) -> PlainTextResponse:
    headers = {"www-authenticate": 'Basic realm="GitHub"'} if error.status == 401 else {}
    return PlainTextResponse(error.message + "\n", error.status, headers)
