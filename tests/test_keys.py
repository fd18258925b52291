"""Keys are written and read back; anything else is refused by name."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keys import (
    KINDS,
    BoardKey,
    BranchKey,
    CanaryKey,
    CommitKey,
    GroupKey,
    InstallationKey,
    JudgeKey,
    Key,
    PeopleKey,
    PullKey,
    QueueKey,
    RepositoryKey,
    ResyncKey,
    RulesKey,
    TicketKey,
    TipKey,
    UnknownKey,
    UpkeepKey,
    WatchKey,
    parse_key,
)

NUMBERS = st.integers(min_value=0, max_value=2**63)
SHAS = st.text("0123456789abcdef", min_size=40, max_size=64)
REFS = st.text(min_size=1, max_size=80).map(lambda name: f"refs/heads/{name}")
KEYS = st.one_of(
    st.builds(PullKey, NUMBERS, NUMBERS, NUMBERS),
    st.builds(TicketKey, NUMBERS, NUMBERS, NUMBERS),
    st.builds(BoardKey, NUMBERS, NUMBERS),
    st.builds(PeopleKey, NUMBERS, NUMBERS),
    st.builds(WatchKey, NUMBERS, NUMBERS),
    st.builds(GroupKey, NUMBERS, NUMBERS, SHAS, REFS),
    st.builds(BranchKey, NUMBERS, NUMBERS, REFS),
    st.builds(TipKey, NUMBERS, NUMBERS, REFS),
    st.builds(QueueKey, NUMBERS, NUMBERS, REFS),
    st.builds(CommitKey, NUMBERS, NUMBERS, SHAS),
    st.builds(JudgeKey, NUMBERS, NUMBERS, SHAS),
    st.builds(RepositoryKey, NUMBERS, NUMBERS),
    st.builds(InstallationKey, NUMBERS),
    st.builds(ResyncKey),
    st.builds(UpkeepKey),
    st.builds(CanaryKey),
    st.builds(RulesKey, NUMBERS, NUMBERS),
)


@given(KEYS)
def test_every_key_reads_back(key: Key) -> None:
    assert parse_key(str(key)) == key


@given(KEYS, KEYS)
def test_different_keys_are_different_texts(one: Key, other: Key) -> None:
    assert (str(one) == str(other)) == (one == other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pull",
        "pull:1:2",
        "pull:1:2:x",
        "nothing:1:2:3",
        "group:1:2:abc",
        "repository:1:2:3",
        "resync:1::",
        "pull:1:2:",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(UnknownKey):
        parse_key(text)


def test_every_kind_is_walked() -> None:
    assert set(KINDS.values()) == set(get_args(Key))
