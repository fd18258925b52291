"""Whether a pack proves a fast-forward, with packs that git made and packs that lie."""

from __future__ import annotations

import hashlib
import subprocess
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.proxy.ancestry import MOST_PACK, adds_to
from tests.proxy.scene import agent_environment

TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def _git(path: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    environment = agent_environment()
    return subprocess.run(
        ["git", *arguments], cwd=path, env=environment, input=stdin, check=True, capture_output=True
    ).stdout


def _commit(path: Path, name: str) -> str:
    (path / name).write_text(name * 50)
    _git(path, "add", name)
    _git(path, "commit", "-q", "-m", name)
    return _git(path, "rev-parse", "HEAD").decode().strip()


def _pack(path: Path, new: str, *known: str) -> bytes:
    wanted = "\n".join([new, *(f"^{one}" for one in known)]).encode()
    return _git(path, "pack-objects", "--revs", "--stdout", "--thin", "--delta-base-offset", "-q", stdin=wanted)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], str]:
    """A repository, five commits in a row, and one beside the fifth."""
    path = tmp_path_factory.mktemp("history")
    _git(path, "init", "-q", "-b", "main")
    row = [_commit(path, f"f{number}") for number in range(5)]
    _git(path, "checkout", "-q", row[3])
    return path, row, _commit(path, "beside")


def test_one_commit_on_top_is_proved(history: tuple[Path, list[str], str]) -> None:
    path, row, beside = history
    assert adds_to(_pack(path, row[4], row[3]), row[3], row[4])
    assert adds_to(_pack(path, beside, row[3]), row[3], beside)


def test_what_is_no_fast_forward_is_not_proved(history: tuple[Path, list[str], str]) -> None:
    path, row, beside = history
    assert not adds_to(_pack(path, beside, row[4]), row[4], beside)
    assert not adds_to(_pack(path, row[4], row[3]), row[4], row[3])
    assert not adds_to(_pack(path, row[4], row[3]), beside, row[4])
    assert not adds_to(_pack(path, row[2], row[4]), row[4], row[2])


def _object(kind: int, content: bytes, size: int | None = None) -> bytes:
    length = len(content) if size is None else size
    header, rest = (kind << 4) | (length & 15), length >> 4
    made = bytearray()
    while rest:
        made.append(header | 0x80)
        header, rest = rest & 0x7F, rest >> 7
    made.append(header)
    return bytes(made) + zlib.compress(content)


def _packed(*objects: bytes) -> bytes:
    body = b"PACK" + (2).to_bytes(4, "big") + len(objects).to_bytes(4, "big") + b"".join(objects)
    return body + hashlib.sha1(body).digest()


OLD = "1" * 40
WHO = b"author A <a@b> 0 +0000\ncommitter A <a@b> 0 +0000\n"


def _oid(content: bytes) -> str:
    return hashlib.sha1(b"commit %d\0" % len(content) + content).hexdigest()


def _with_parents(*parents: str, message: bytes = b"m") -> bytes:
    lines = [f"tree {TREE}", *(f"parent {parent}" for parent in parents)]
    return "\n".join(lines).encode() + b"\n" + WHO + b"\n" + message


def test_a_merge_and_a_chain() -> None:
    first = _with_parents(OLD)
    second = _with_parents("2" * 40, _oid(first))
    pack = _packed(_object(3, b"blob"), _object(1, second), _object(1, first))
    assert adds_to(pack, OLD, _oid(second))


LIE = _with_parents("2" * 40, message=b"parent " + OLD.encode())


@pytest.mark.parametrize(
    ("pack", "new"),
    [
        (_packed(_object(1, LIE)), _oid(LIE)),
        (_packed(_object(3, _with_parents(OLD))), _oid(_with_parents(OLD))),
        (_packed(_object(1, _with_parents(OLD))), "3" * 40),
        (_packed(_object(1, _with_parents(OLD), size=10)), _oid(_with_parents(OLD))),
        (_packed(_object(1, _with_parents(OLD), size=10**9)), _oid(_with_parents(OLD))),
        (_packed(_object(3, b"\0" * 9_000_000), _object(1, _with_parents(OLD))), _oid(_with_parents(OLD))),
        (_packed(_object(1, _with_parents(OLD)))[:-30], _oid(_with_parents(OLD))),
        (b"PACK" + b"\xff" * 100, OLD),
        (b"PACK", OLD),
        (b"", OLD),
        (_packed(_object(1, _with_parents(OLD))) + b"x" * MOST_PACK, _oid(_with_parents(OLD))),
    ],
)
def test_lies_and_bombs_prove_nothing(pack: bytes, new: str) -> None:
    assert not adds_to(pack, OLD, new)


@given(st.binary(max_size=300))
def test_no_bytes_raise(data: bytes) -> None:
    assert not adds_to(b"PACK" + data, OLD, "2" * 40)
