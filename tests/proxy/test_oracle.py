"""Whatever bytes begin a push: what the proxy lets through, real `git receive-pack` does not turn into another ref.

The oracle runs in a scratch repository. A body is allowed by us only if git, given the same bytes, moves nothing but
the session's branch; what we refuse may be anything. Long under MERGEGATE_SOAK=1.
"""

from __future__ import annotations

import hashlib
import itertools
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.proxy.authorize import AllowedPush, decide
from app.proxy.grant import Right
from app.proxy.wire import Malformed, PushHead, packet
from tests.proxy.build import BRANCH, grant
from tests.proxy.lasting import SOAK, lasting
from tests.proxy.scene import agent_environment

EVERYTHING = grant(rights=frozenset(Right))
ZERO = "0" * 40


def _git(path: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    environment = agent_environment()
    return subprocess.run(
        ["git", *arguments], cwd=path, env=environment, input=stdin, capture_output=True, check=False, timeout=20
    ).stdout


class Oracle:
    """A repository with main, a tag and the session's branch, and git's own word on what a body does to it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "scratch.git"
        _git(folder, "init", "-q", "--bare", "-b", "main", str(self.path))
        loose = {"advertisePushOptions": "true", "certNonceSeed": "seed", "denyDeleteCurrent": "ignore"}
        for name, value in loose.items():
            _git(self.path, "config", f"receive.{name}", value)
        tree = _git(self.path, "mktree").decode().strip()
        self.first = _git(self.path, "commit-tree", tree, "-m", "one").decode().strip()
        self.second = _git(self.path, "commit-tree", tree, "-m", "two", "-p", self.first).decode().strip()
        for ref in ("refs/heads/main", "refs/tags/v1", BRANCH):
            _git(self.path, "update-ref", ref, self.first)
        self._kept = folder / "kept"
        shutil.copytree(self.path, self._kept)

    def refs(self) -> dict[str, str]:
        text = _git(self.path, "for-each-ref", "--format=%(refname) %(objectname)").decode(errors="replace")
        return dict(line.split(" ", 1) for line in text.splitlines() if " " in line)

    def moved(self, body: bytes) -> set[str]:
        """The refs that `git receive-pack` changes when it reads these bytes."""
        before = self.refs()
        _git(self.path, "receive-pack", "--stateless-rpc", ".", stdin=body)
        after = self.refs()
        if after != before:
            shutil.rmtree(self.path)
            shutil.copytree(self._kept, self.path)
        return {name for name in {*before, *after} if before.get(name) != after.get(name)}


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    return Oracle(tmp_path_factory.mktemp("oracle"))


def empty_pack() -> bytes:
    header = b"PACK" + (2).to_bytes(4, "big") + (0).to_bytes(4, "big")
    return header + hashlib.sha1(header).digest()


def allowed(body: bytes) -> bool:
    """Our word on the same bytes, read in one piece."""
    head = PushHead()
    try:
        head.feed(body)
        head.end()
        decided = decide(EVERYTHING, head.commands)
    except Malformed:
        return False
    if head.is_probe or not isinstance(decided, AllowedPush):
        return False
    return not head.rest if decided.command.deletes else head.rest.startswith(b"PACK")


FIRST, SECOND = "@first", "@second"  # replaced by the scratch repository's own commits
REFS = [BRANCH] * 4 + ["refs/heads/main", "refs/heads/new", "refs/tags/v1", "HEAD", BRANCH + "/x", "refs/heads/agent"]
OIDS = [ZERO, FIRST, FIRST, SECOND, SECOND, "1" * 40]
CAPABILITIES = [b"", b"\0report-status", b"\0 report-status side-band-64k agent=x", b"\0push-options"]


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return packet(f"shallow {draw(st.sampled_from(OIDS))}".encode())
    if kind == 1:
        ends = [b"0000", b"0001", b"0002", b"0004", packet(b"push-cert\0report-status\n"), b"0003"]
        return draw(st.sampled_from(ends))
    ref = draw(st.sampled_from(REFS)).encode()
    odd = draw(st.sampled_from([b"", b"", b"", b"\n", b"\0", b" ", b"\0refs/heads/main", b"\xff", b"\r\n"]))
    command = f"{draw(st.sampled_from(OIDS))} {draw(st.sampled_from(OIDS))} ".encode()
    return packet(command + ref + odd + draw(st.sampled_from(CAPABILITIES)) + draw(st.sampled_from([b"", b"\n"])))


@st.composite
def usual(draw: st.DrawFn) -> bytes:
    """A head as git writes it for the session's branch."""
    shallow = packet(f"shallow {FIRST}".encode()) * draw(st.integers(0, 1))
    command = f"{draw(st.sampled_from([FIRST, ZERO, SECOND]))} {draw(st.sampled_from([SECOND, SECOND, ZERO]))} {BRANCH}"
    return shallow + packet(command.encode() + draw(st.sampled_from(CAPABILITIES[:3])))


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """Mostly heads as git writes them, then changed in a byte or two."""
    good = draw(st.booleans())
    head = draw(usual()) if good else b"".join(draw(st.lists(lines(), min_size=1, max_size=4)))
    end = b"0000" if good else draw(st.sampled_from([b"0000", b"0000", b"", b"0001", b"0002"]))
    pack = (
        empty_pack() if good else draw(st.sampled_from([empty_pack(), empty_pack(), b"", packet(b"ci.skip") + b"0000"]))
    )
    body = bytearray(head + end + pack)
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        place = draw(st.integers(0, len(body) - 1))
        match draw(st.integers(0, 2)):
            case 0:
                body[place] = draw(st.integers(0, 255))
            case 1:
                del body[place]
            case _:
                body.insert(place, draw(st.integers(0, 255)))
    return bytes(body)


@settings(
    max_examples=20_000 if SOAK else 150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=bodies())
def test_what_is_let_through_moves_only_the_branch(oracle: Oracle, data: bytes) -> None:
    # The placeholders are shorter than ids, so that lengths are set anew.
    body = _with_ids(data, oracle)
    if allowed(body):
        assert oracle.moved(body) <= {BRANCH}
    elif SOAK and len(body) % 17 == 0:
        oracle.moved(body)


def _with_ids(data: bytes, oracle: Oracle) -> bytes:
    for mark, oid in ((FIRST, oracle.first), (SECOND, oracle.second)):
        while (place := data.find(mark.encode())) >= 0:
            start = _packet_start(data, place)
            data = data[:place] + oid.encode() + data[place + len(mark) :]
            if start is not None:
                grown = int(data[start : start + 4], 16) + len(oid) - len(mark)
                data = data[:start] + b"%04x" % min(grown, 0xFFFF) + data[start + 4 :]
    return data


def _packet_start(data: bytes, place: int) -> int | None:
    """Where the packet begins that holds this place, if the bytes before are packets."""
    position = 0
    while position < place:
        try:
            length = int(data[position : position + 4], 16)
        except ValueError:
            return None
        if position + max(length, 4) > place:
            return position
        position += max(length, 4)
    return None


def test_the_oracle_moves_refs(oracle: Oracle) -> None:
    """So that the property above cannot be true by a git that does nothing."""

    def body(ref: str, old: str, new: str) -> bytes:
        return packet(f"{old} {new} {ref}\0report-status".encode()) + b"0000" + empty_pack()

    for ref in (BRANCH, "refs/heads/main"):
        assert oracle.moved(body(ref, oracle.first, oracle.second)) == {ref}
    assert oracle.moved(packet(f"{oracle.first} {ZERO} refs/heads/main".encode()) + b"0001") == {"refs/heads/main"}
    assert oracle.moved(body(BRANCH, oracle.second, oracle.second)) == set()
    assert allowed(body(BRANCH, oracle.first, oracle.second))
    assert not allowed(body("refs/heads/main", oracle.first, oracle.second))


@lasting(data=bodies(), cuts=st.lists(st.integers(0, 600), max_size=8))
def test_any_pieces_give_the_same_answer(data: bytes, cuts: list[int]) -> None:
    whole, pieces = PushHead(), PushHead()
    ends = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    answers: list[tuple[object, ...]] = []
    for head, parts in ((whole, [data]), (pieces, [data[a:b] for a, b in itertools.pairwise(ends)])):
        try:
            for part in parts:
                head.feed(part)
            answers.append((head.ended, [*head.commands], head.capabilities, head.rest if head.ended else b""))
        except Malformed as malformed:
            answers.append((str(malformed), [*head.commands], head.capabilities, b""))
    assert answers[0] == answers[1]


@lasting(data=st.binary(max_size=400))
def test_no_bytes_are_let_through_by_chance(data: bytes) -> None:
    assert not allowed(data)
