"""The command `/approve` as people type it, and codes that can be neither confused nor forged."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.approval_code import ALPHABET, SHORTEST, approved_word, code_of, is_commit


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("/approve KHJT", "KHJT"),
        ("/approve khjt", "KHJT"),
        ("  /approve  KHJT  ", "KHJT"),
        ("\n\n/approve KHJT", "KHJT"),
        ("/approve KHJT\r\nLooks good.", "KHJT"),
        ("/approve KHJT looks good", "KHJT"),
        ("/approve\tKHJT", "KHJT"),
        ("/ approve KHJT", "KHJT"),
        ("/Approve KHJT", "KHJT"),
        ("／approve KHJT", "KHJT"),
        ("／ａｐｐｒｏｖｅ　ＫＨＪＴ", "KHJT"),
        ("/approve\u00a0KHJT", "KHJT"),
        ("/approve 3FA94C1", "3fa94c1"),
        (f"/approve {'a' * 40}", "a" * 40),
        ("/approve KHJTGX", "KHJTGX"),
        ("/approve 12345", "12345"),  # too short for a commit, so a code that nobody was shown
    ],
)
def test_what_people_type(body: str, word: str) -> None:
    assert approved_word(body) == word


@pytest.mark.parametrize(
    "body",
    [
        "",
        "approve KHJT",
        "/approve",
        "/approve now!",
        "/approved KHJT",
        "/approveKHJT",
        "> /approve KHJT",
        "`/approve KHJT`",
        "Thanks.\n/approve KHJT",
        "please /approve KHJT",
        "//approve KHJT",
        "/approve KHJ",
        f"/approve {'K' * 65}",
        "/approve K-JT",
        "/unapprove KHJT",
    ],
)
def test_what_is_no_command(body: str) -> None:
    assert approved_word(body) is None


def test_a_long_first_line_is_cut_before_it_is_read() -> None:
    assert approved_word("/approve KHJT " + "x" * 1_000_000) == "KHJT"
    assert approved_word(" " * 1_000_000 + "/approve KHJT") is None


def test_a_code_is_letters_of_the_keys_digest() -> None:
    digest = hashlib.sha256(b"mg1:one").hexdigest()
    assert code_of("mg1:one", {}) == "".join("GHJKLMNPQRSTVWXZ"[int(digit, 16)] for digit in digest[:4])


def test_a_key_keeps_its_code() -> None:
    first = code_of("mg1:one", {})
    assert code_of("mg1:one", {first: "mg1:one", "XXXX": "mg1:other"}) == first


def test_a_key_with_the_letters_of_another_gets_more_of_them() -> None:
    short = code_of("mg1:one", {})
    longer = code_of("mg1:one", {short: "mg1:other"})
    assert longer.startswith(short)
    assert len(longer) == SHORTEST + 1
    assert len(code_of("mg1:one", {short: "mg1:other", longer: "mg1:third"})) == SHORTEST + 2


@given(st.text(max_size=100))
def test_a_code_reads_back_and_is_no_commit(key: str) -> None:
    code = code_of(key, {})
    assert approved_word(f"/approve {code.lower()}") == code
    assert not is_commit(code.lower())
    assert not set(ALPHABET.lower()) & set("0123456789abcdefaeiouy")


@given(st.text(max_size=400))
def test_any_text_is_read(body: str) -> None:
    word = approved_word(body)
    assert word is None or 4 <= len(word) <= 64
