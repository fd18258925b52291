"""What an agent's machine can and cannot do, proved from inside of it: each finding one line.

Nothing is changed anywhere: the pushes that are tried move a branch from where it is to where it is, so that they do
nothing even where nobody refuses them.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import ssl
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx
import re2

from app.gate.ending import end_process
from app.secret import SecretStr
from policies.escape import clean

SECONDS = 15.0
REACH_SECONDS = 3.0
ANSWER_BYTES = 1024 * 1024
DIRECT = (("github.com", 443), ("github.com", 22), ("api.github.com", 443), ("ssh.github.com", 443))
VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GITHUB_PAT")
WAYS = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
OURS = "mgs_"
EMPTY_PACK = b"PACK" + struct.pack(">II", 2, 0)
Status = Literal["passed", "failed", "errored", "skipped"]
_MISSING = 127  # of a program, as a shell says it
_OID = re2.compile(rb"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Seen:
    """One line: failed = looked, and it is bad; errored = could not look."""

    status: Status
    words: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the doctor looks from. `direct` are hosts and ports that must not be reachable."""

    proxy: str
    token: SecretStr
    ca: Path | None = None
    direct: Sequence[tuple[str, int]] = DIRECT
    environment: Mapping[str, str] | None = None
    server: str = "github.com"


async def examined(machine: Machine) -> list[Seen]:
    """All findings, in the order in which they are shown."""
    session = await session_of(machine)
    reach = await _not_direct(machine)
    held = _credentials(_environment(machine))
    if isinstance(session, Seen):
        return [session, reach, held]
    tips = await _tips(machine, session)
    pushes = [tips] if isinstance(tips, Seen) else await _pushes(machine, session, tips)
    reads = [await _git(machine, session), await _gh(session)]
    return [_described(session), *reads, *pushes, reach, held]


def exit_code(seen: Sequence[Seen]) -> int:
    """0: as it should be; 1: something is bad; 2: something could not be looked at."""
    statuses = {one.status for one in seen}
    return 1 if "failed" in statuses else 2 if "errored" in statuses else 0


def _client(machine: Machine) -> httpx.AsyncClient:
    verify = ssl.create_default_context(cafile=str(machine.ca) if machine.ca else None)
    headers = {"authorization": f"Bearer {machine.token.get_secret_value()}", "user-agent": "git/mergegate-doctor"}
    return httpx.AsyncClient(verify=verify, headers=headers, trust_env=False, timeout=SECONDS)


async def session_of(machine: Machine) -> dict[str, Any] | Seen:
    """The session as the proxy describes it to its holder, or why it cannot be had."""
    try:
        async with _client(machine) as client:
            answer = await client.get(f"{machine.proxy}/session")
            body = answer.json()
    except (httpx.HTTPError, ValueError) as wrong:
        because = f"the proxy at {machine.proxy} cannot be asked ({type(wrong).__name__})"
        return Seen("errored", because, "check the address, the network to it, and --ca for its certificate")
    if answer.status_code != httpx.codes.OK or not isinstance(body, dict):
        said = body.get("message") if isinstance(body, dict) else None
        words = clean(said, 300) if isinstance(said, str) else f"it answered {answer.status_code}"
        return Seen("failed", f"the proxy does not take the session: {words}", "ask for a new session")
    if not all(isinstance(body.get(name), str) for name in ("repository", "branch", "base")):
        return Seen("failed", f"what answers at {machine.proxy} is no proxy of Mergegate", "check the address")
    return body


def _described(session: Mapping[str, Any]) -> Seen:
    known = {name: clean(str(session.get(name)), 200) for name in ("session", "repository", "branch", "expires_at")}
    words = "session {session}: {repository}, {branch}, until {expires_at}".format(**known)
    if session.get("frozen"):
        return Seen("failed", f"{words}; frozen: {clean(str(session['frozen']), 200)}", "a person has to look at it")
    return Seen("passed", words)


async def _git(machine: Machine, session: Mapping[str, Any]) -> Seen:
    """Whether git, as it is configured here, gets from GitHub's address to the proxy."""
    address = f"https://{machine.server}/{session['repository']}.git"
    code, said = await _run("git", "ls-remote", "--heads", address, str(session["base"]))
    if code == 0:
        return Seen("passed", f"git reads {address}")
    fix = "set git up with `mergegate agent setup`"
    return Seen(
        "failed", f"git cannot read {address}: {clean(said.strip().splitlines()[-1] if said else '', 200)}", fix
    )


async def _gh(session: Mapping[str, Any]) -> Seen:
    """Whether gh, as it is configured here, gets to the proxy."""
    repository = str(session["repository"])
    code, said = await _run("gh", "api", f"repos/{repository}", "--jq", ".full_name")
    if code == _MISSING:
        return Seen("skipped", "gh is not installed")
    if code == 0 and said.strip() == repository:
        return Seen("passed", f"gh reads {repository}")
    fix = "set gh up with `mergegate agent setup`"
    return Seen("failed", f"gh cannot read {repository}: {clean(said.strip()[:300], 200)}", fix)


async def _run(*command: str) -> tuple[int, str]:
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
    except OSError as wrong:
        return _MISSING, f"{command[0]} cannot be started ({wrong.strerror})"
    try:
        async with asyncio.timeout(SECONDS):
            out, _ = await process.communicate()
    except TimeoutError:
        await end_process(process)
        return 124, f"it took longer than {SECONDS:g} seconds"
    return process.returncode or 0, out.decode("utf-8", "replace")


async def _tips(machine: Machine, session: Mapping[str, Any]) -> dict[str, str] | Seen:
    """Where the branches are, by full ref, from the advertisement of a push."""
    url = f"{machine.proxy}/git/{session['repository']}.git/info/refs?service=git-receive-pack"
    try:
        async with _client(machine) as client:
            answer = await client.get(url)
    except httpx.HTTPError as wrong:
        return Seen("errored", f"the proxy does not say what may be pushed ({type(wrong).__name__})", "try again")
    if answer.status_code != httpx.codes.OK:
        return Seen("failed", f"this session may not push: {clean(answer.text, 300)}", "ask for one that may")
    return _refs(answer.content[:ANSWER_BYTES])


def _refs(advertisement: bytes) -> dict[str, str]:
    """Of lines `<oid> <ref>`, after four digits of length; https://git-scm.com/docs/gitprotocol-http"""
    found = {}
    for line in advertisement.split(b"\n"):
        oid, _, ref = line.partition(b"\0")[0].rpartition(b" ")
        if _OID.fullmatch(oid[-40:]) and ref.startswith(b"refs/"):
            found[ref.decode("utf-8", "replace")] = oid[-40:].decode("ascii")
    return found


async def _pushes(machine: Machine, session: Mapping[str, Any], tips: Mapping[str, str]) -> list[Seen]:
    own, base = str(session["branch"]), str(session["base"])
    if own in tips:
        said = await _pushed(machine, session, own, tips[own])
        good = f"ok {own}" in said
        words = f"a push to {own} works" if good else f"a push to {own} does not work: {clean(said, 300)}"
        first = Seen("passed" if good else "failed", words, "" if good else "ask the person who started this agent")
    else:
        first = Seen("skipped", f"{own} is not there yet; the first push creates it")
    if base not in tips:
        return [first, Seen("errored", f"{base} was not found, so a push to it was not tried")]
    refused = f"ng {base}" in await _pushed(machine, session, base, tips[base])
    fix = "the proxy must not let this through: tell its operator"
    second = (
        Seen("passed", f"a push to {base} is refused") if refused else Seen("failed", f"a push to {base} passes", fix)
    )
    return [first, second]


async def _pushed(machine: Machine, session: Mapping[str, Any], ref: str, oid: str) -> str:
    """What is reported of a push that moves a ref from where it is to where it is."""
    command = f"{oid} {oid} {ref}\0report-status object-format=sha1 agent=mergegate-doctor".encode()
    body = b"%04x%s0000" % (len(command) + 4, command) + EMPTY_PACK + hashlib.sha1(EMPTY_PACK).digest()  # noqa: S324 - git's own
    kind = {"content-type": "application/x-git-receive-pack-request"}
    url = f"{machine.proxy}/git/{session['repository']}.git/git-receive-pack"
    try:
        async with _client(machine) as client:
            answer = await client.post(url, content=body, headers=kind)
    except httpx.HTTPError as wrong:
        return f"no answer ({type(wrong).__name__})"
    return answer.content[:ANSWER_BYTES].decode("utf-8", "replace")


async def _not_direct(machine: Machine) -> Seen:
    """No way to GitHub but the proxy, also not by an HTTP proxy that the environment names."""
    answers = await asyncio.gather(*(_reaches(host, port) for host, port in machine.direct))
    reached = [f"{host}:{port}" for (host, port), open_ in zip(machine.direct, answers, strict=True) if open_]
    reached += [f"{machine.server} by {name}" for name in WAYS if await _by_way(machine, name)]
    if reached:
        fix = "close the machine's way out to everything but the proxy; whoever has a credential could go around it"
        return Seen("failed", f"reachable without the proxy: {', '.join(reached)}", fix)
    return Seen("passed", f"{machine.server} is not reachable but through the proxy")


async def _by_way(machine: Machine, name: str) -> bool:
    """Whether the HTTP proxy that a variable names opens a way to GitHub: it answers CONNECT with 200 (RFC 9110)."""
    way = urlsplit(_environment(machine).get(name, ""))
    if not way.hostname:
        return False
    asked = f"CONNECT {machine.server}:443 HTTP/1.1\r\nHost: {machine.server}:443\r\n\r\n"
    try:
        async with asyncio.timeout(REACH_SECONDS):
            reader, writer = await asyncio.open_connection(way.hostname, way.port or 80)
            writer.write(asked.encode("ascii"))
            line = await reader.readline()
            writer.close()
    except (OSError, TimeoutError, ValueError):
        return False
    return line.split(b" ")[1:2] == [b"200"]


def _environment(machine: Machine) -> Mapping[str, str]:
    return os.environ if machine.environment is None else machine.environment


async def _reaches(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(REACH_SECONDS):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


def _credentials(environment: Mapping[str, str]) -> Seen:
    """By name alone: no value is ever shown."""
    held = [name for name in VARIABLES if environment.get(name) and not environment[name].startswith(OURS)]
    if held:
        return Seen("failed", f"a credential that is no session is in {', '.join(held)}", "take it out of the machine")
    return Seen("passed", "no other credential is in the usual variables")
