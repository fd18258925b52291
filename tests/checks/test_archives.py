"""Artifact archives that were made to do harm: bounded, named, harmless."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import archives
from checks.archives import ArchiveFile, read_archive
from checks.paths import PathPatterns
from checks.unread import Unread

WANTED = PathPatterns(["*.xml"])
Entry = tuple[str | zipfile.ZipInfo, bytes]


def packed(*entries: Entry, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data, method)
    return buffer.getvalue()


def because(data: bytes) -> str:
    read = read_archive(data, WANTED)
    assert isinstance(read, Unread)
    return read.because.removeprefix("the archive ")


def test_the_wanted_files_in_the_order_of_their_paths() -> None:
    data = packed(("b/TEST.XML", b"2"), ("a.xml", b"1"), ("trace.zip", b"x"), ("c.xml/", b""))
    assert read_archive(data, WANTED) == (ArchiveFile("a.xml", b"1"), ArchiveFile("b/TEST.XML", b"2"))


def test_nothing_is_wanted_and_an_empty_archive() -> None:
    assert read_archive(packed(("a.txt", b"")), WANTED) == ()
    assert read_archive(packed(), WANTED) == ()


def symlink(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("entry", "trick"),
    [
        ("../a.xml", "leads out of it"),
        ("a/../../b.xml", "leads out of it"),
        ("..", "leads out of it"),
        ("/etc/passwd", "leads out of it"),
        ("C:/a.xml", "leads out of it"),
        ("a\\b.xml", "leads out of it"),
        ("a\nb.xml", "has a name that cannot be shown"),
        ("a\u202eb.xml", "has a name that cannot be shown"),
        (symlink("a.xml"), "is a symbolic link"),
    ],
)
def test_one_trick_spoils_the_archive(entry: str | zipfile.ZipInfo, trick: str) -> None:
    name = entry if isinstance(entry, str) else entry.filename
    data = packed(("honest.xml", b"1"), (entry, b"2"))
    assert because(data) == f"is not read: its entry `{name}` {trick}"


def test_names_that_only_look_like_tricks() -> None:
    assert read_archive(packed(("a..xml", b"1"), ("...xml", b"2")), WANTED) != ()


def test_a_trick_in_an_entry_that_nobody_wants() -> None:
    assert "leads out of it" in because(packed(("a.xml", b"1"), ("../b.txt", b"2")))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice() -> None:
    assert because(packed(("a.xml", b"1"), ("a.xml", b"2"))) == "is not read: its entry `a.xml` stands in it twice"


def test_a_name_with_a_zero_byte_is_not_what_is_shown() -> None:
    data = packed(("a.xml_b", b"1")).replace(b"a.xml_b", b"a.xml\0b")
    assert because(data) == "is not read: its entry `a.xml` has a name that cannot be shown"


def test_an_encrypted_entry() -> None:
    data = packed(("a.xml", b"1"))
    at = data.index(b"PK\x01\x02") + 8
    assert "is encrypted" in because(data[:at] + b"\x01" + data[at + 1 :])


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_what_upload_artifact_packs_with_is_read(method: int) -> None:
    assert because(packed(("a.xml", b"1"), method=method)) == (
        "is not read: its entry `a.xml` is packed in a way that is not read"
    )


def test_stored_entries_are_read() -> None:
    data = packed(("a.xml", b"1"), method=zipfile.ZIP_STORED)
    assert read_archive(data, WANTED) == (ArchiveFile("a.xml", b"1"),)


def test_a_bomb_of_one_file() -> None:
    assert because(packed(("a.xml", b"\0" * 2_000_000))) == "is not read: `a.xml` is packed more than 500 times"


def test_a_small_file_may_be_packed_as_much_as_it_likes() -> None:
    small = b"\0" * archives.SMALL
    assert read_archive(packed(("a.xml", small)), WANTED) == (ArchiveFile("a.xml", small),)


def test_a_large_file_that_is_packed_as_reports_are() -> None:
    report = b"".join(f'<testcase classname="t" name="test_{n}" time="0.0"/>\n'.encode() for n in range(40_000))
    assert len(report) > archives.SMALL
    assert read_archive(packed(("a.xml", report)), WANTED) == (ArchiveFile("a.xml", report),)


def test_a_bomb_that_nobody_wants_is_not_unpacked() -> None:
    data = packed(("a.xml", b"1"), ("bomb.bin", b"\0" * 20_000_000))
    assert read_archive(data, WANTED) == (ArchiveFile("a.xml", b"1"),)


def test_many_files_are_a_bomb_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 10)
    assert len(read_archive(packed(("a.xml", b"1" * 5), ("b.xml", b"2" * 5)), WANTED)) == 2  # type: ignore[arg-type]
    assert because(packed(("a.xml", b"1" * 5), ("b.xml", b"2" * 6))) == "holds reports of more than 10 bytes"


def test_more_reports_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_FILES", 2)
    entries: list[Entry] = [(f"{n}.xml", b"") for n in range(3)]
    assert isinstance(read_archive(packed(*entries[:2], ("x.txt", b"")), WANTED), tuple)
    assert because(packed(*entries)) == "holds 3 reports, more than 2 are not read"


def test_more_entries_than_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_ENTRIES", 2)
    entries: list[Entry] = [(f"{n}.txt", b"") for n in range(3)]
    assert isinstance(read_archive(packed(*entries[:2]), WANTED), tuple)
    assert because(packed(*entries)) == "has more than 2 entries"


def test_the_size_of_the_archive_is_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed(("a.xml", b"1"))
    monkeypatch.setattr(archives, "LARGEST", len(data))
    assert isinstance(read_archive(data, WANTED), tuple)
    assert because(b"\0" + data) == f"is {len(data) + 1} bytes, more than {len(data)} are not read"


def with_size(data: bytes, size: int) -> bytes:
    """The archive of one entry, with another unpacked size in its directory."""
    at = data.index(b"PK\x01\x02") + 24
    return data[:at] + struct.pack("<I", size) + data[at + 4 :]


def test_an_entry_gives_no_byte_more_than_it_states() -> None:
    bomb = packed(("a.xml", b"\0" * 20_000_000))
    assert because(with_size(bomb, 1_000)).startswith("is broken: Bad CRC-32")


def test_an_entry_that_states_more_than_it_holds() -> None:
    assert read_archive(with_size(packed(("a.xml", b"12")), 900), WANTED) == (ArchiveFile("a.xml", b"12"),)


def test_a_gzip_bomb_is_no_archive() -> None:
    bomb = zlib.compressobj(wbits=31)
    assert because(bomb.compress(b"\0" * 1_000_000) + bomb.flush()) == "is broken: File is not a zip file"


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x05\x06" + b"\0" * 18, b"PK\x05\x06" + b"\xff" * 18])
def test_no_archive_at_all(data: bytes) -> None:
    read = read_archive(data, WANTED)
    assert read == () or isinstance(read, Unread)


def test_an_archive_that_was_cut() -> None:
    data = packed(("a.xml", b"1" * 100))
    assert all(isinstance(read_archive(data[:cut], WANTED), Unread) for cut in range(len(data)))


@given(st.integers(0, 200), st.integers(0, 255), st.integers(0, 200), st.integers(0, 255))
@settings(max_examples=400, deadline=None)
def test_a_damaged_archive_raises_nothing(first: int, one: int, second: int, other: int) -> None:
    data = bytearray(packed(("a.xml", b"<testsuite/>")))
    data[first % len(data)], data[second % len(data)] = one, other
    assert isinstance(read_archive(bytes(data), WANTED), tuple | Unread)
