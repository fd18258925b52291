"""The chain of the audit log, without a store: canonical text, digests, anchors, and what breaks it."""

from __future__ import annotations

import hashlib

import pytest

from app.store.audit_chain import START, Broken, Head, Link, Verified, Verifier, anchor_line, canonical, read_anchor


# The strings and the order of the names are those of the sample in RFC 8785, 3.2.2 and 3.2.4, without its floats.
def test_a_record_is_written_as_rfc_8785_has_it() -> None:
    sample = {"string": '\u20ac$\x0f\nA\'B"\\\\"/', "literals": [None, True, False]}
    assert canonical(sample) == '{"literals":[null,true,false],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'


@pytest.mark.parametrize("value", [1.0, 2**53, -(2**53), {"é": 1}, [float("nan")], {"a": {"b": [0.1]}}, {1: 2}])
def test_what_has_no_single_form_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="audit record"):
        canonical({"held": value})


def chain(*records: str, before: bytes = START, first: int = 1) -> list[Link]:
    links = []
    for seq, record in enumerate(records, start=first):
        before = hashlib.sha256(before + record.encode()).digest()
        links.append(Link(seq, record, before))
    return links


def verified(links: list[Link], head: Head | None = None, **given: object) -> Verified | Broken:
    verifier = Verifier(**given)  # type: ignore[arg-type]
    for link in links:
        verifier.take(link)
    last = links[-1] if links else Link(0, "", START)
    return verifier.done(head or Head(last.seq, last.digest))


WHOLE = chain("a", "b", "c", "d")
END = Head(4, WHOLE[3].digest)


def test_an_empty_log_is_whole() -> None:
    assert verified([]) == Verified(0, 0, START)


def test_a_whole_log_is_whole() -> None:
    assert verified(WHOLE, anchors=[Head(2, WHOLE[1].digest)]) == Verified(1, 4, WHOLE[3].digest)


@pytest.mark.parametrize(
    ("links", "seq"),
    [
        ([WHOLE[0], Link(2, "B", WHOLE[1].digest), *WHOLE[2:]], 2),
        ([WHOLE[0], chain("B", before=WHOLE[0].digest, first=2)[0], *WHOLE[2:]], 3),
        ([WHOLE[0], *WHOLE[2:]], 2),
        (WHOLE[1:], 2),
        (WHOLE[:3], 4),
        ([], 1),
    ],
    ids=["changed", "changed and digested anew", "taken out", "no beginning", "no end", "nothing left"],
)
def test_the_first_broken_link_is_named(links: list[Link], seq: int) -> None:
    found = verified(links, END)
    assert isinstance(found, Broken) and found.seq == seq


def test_a_log_begins_after_its_checkpoint_and_after_no_other() -> None:
    assert verified(WHOLE[2:], checkpoint=Head(2, WHOLE[1].digest)) == Verified(3, 4, WHOLE[3].digest)
    for other in (Head(1, WHOLE[0].digest), Head(2, WHOLE[0].digest)):
        found = verified(WHOLE[2:], checkpoint=other)
        assert isinstance(found, Broken) and found.seq == 3


def test_a_log_that_was_written_anew_does_not_fit_its_anchor() -> None:
    anew = chain("a", "B", "c", "d")
    assert verified(anew) == Verified(1, 4, anew[3].digest)
    found = verified(anew, anchors=[Head(3, WHOLE[2].digest)])
    assert isinstance(found, Broken) and found.seq == 3
    cut = verified(anew[:2], anchors=[END])
    assert isinstance(cut, Broken) and (cut.seq, "missing" in cut.because) == (3, True)


def test_an_anchor_whose_record_is_gone_is_said_to_be_uncompared() -> None:
    found = verified(WHOLE[2:], checkpoint=Head(2, WHOLE[1].digest), anchors=[Head(1, WHOLE[0].digest), END])
    assert found == Verified(3, 4, WHOLE[3].digest, (1,))


def test_an_anchor_is_read_back_from_whatever_stands_around_it() -> None:
    assert read_anchor(f"Weekly report\n{anchor_line(END)}\nmore") == END
    assert read_anchor("mergegate-audit 0 sha256:" + "0" * 64) is None
    assert read_anchor("mergegate-audit 4 sha256:" + "0" * 63) is None
    assert read_anchor("") is None
