"""Where a bundle is found, what it says, and what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from checks.accounts import Account
from checks.bundle import (
    Bundle,
    BundleReading,
    BundleSource,
    bundle_digest,
    find_blocks,
    find_bundle,
    parse_bundle,
    read_bundle,
    read_given,
)
from checks.document import Fault
from checks.snapshot import Risk
from checks.unread import Unread
from tests.checks import build

A, B = "a" * 40, "b" * 40


def _texts(body: str) -> list[tuple[str, int, bool]]:
    return [(block.text, block.first_line, block.closed) for block in find_blocks(body)]


# Expected values follow https://spec.commonmark.org/0.31.2/#fenced-code-blocks.
@pytest.mark.parametrize(
    ("body", "blocks"),
    [
        ("```mergegate\na\nb\n```", [("a\nb", 2, True)]),
        ("text\n\n```yaml mergegate\na\n```\nmore", [("a", 4, True)]),
        ("```json mergegate\na\n```", [("a", 2, True)]),
        ("```  YAML   Mergegate \na\n```", [("a", 2, True)]),
        ("~~~ mergegate\na\n```\n~~~", [("a\n```", 2, True)]),
        ("````mergegate\na\n```\n````", [("a\n```", 2, True)]),
        ("```mergegate\na\n`````  ", [("a", 2, True)]),
        ("```mergegate\na\n``` x\n```", [("a\n``` x", 2, True)]),
        ("   ```mergegate\na\n   ```", [("a", 2, True)]),
        ("```mergegate\r\na\r\n```\r\n", [("a", 2, True)]),
        ("```mergegate\n```", [("", 2, True)]),
        ("```mergegate\na", [("a", 2, False)]),
        ("```mergegate", [("", 2, False)]),
        ("```mergegate\na\n    ```", [("a\n    ```", 2, False)]),
        ("```mergegate\na\n~~~", [("a\n~~~", 2, False)]),
        ("```mergegate\na\n```\n```mergegate\nb\n```", [("a", 2, True), ("b", 5, True)]),
        ("<!-- x -->\n```mergegate\na\n```", [("a", 3, True)]),
        ("<!--\n```mergegate\na\n```\n-->\n```mergegate\nb\n```", [("b", 7, True)]),
        ("x <!--\n```mergegate\na\n```", [("a", 3, True)]),
        ("```\n<!--\n```\n```mergegate\na\n```", [("a", 5, True)]),
        ("", []),
        ("```\na\n```", []),
        ("```yaml\na\n```", []),
        ("```mergegate yaml\na\n```", []),
        ("``mergegate\na\n``", []),
        ("```mergegate`\na\n```", []),
        ("``` mergegate ```\na", []),
        ("    ```mergegate\na\n    ```", []),
        ("\t```mergegate\na\n\t```", []),
        ("> ```mergegate\n> a\n> ```", []),
        ("````\n```mergegate\na\n```\n````", []),
        ("~~~md\n```mergegate\na\n```\n~~~", []),
        ("<!--\n```mergegate\na\n```", []),
        ("x -->\n<!--\n```mergegate\na\n```\n-->", []),
        ("  <!--\n```mergegate\na\n```\n-->", []),
        # Kinds 1 to 5 of CommonMark's HTML blocks: GitHub shows nothing of them, or no block.
        ("<![CDATA[\n```mergegate\na\n```\n]]>", []),
        ("<?x\n\n```mergegate\na\n```\n?>\n```mergegate\nb\n```", [("b", 8, True)]),
        ("<!X\n```mergegate\na\n```\n>", []),
        ("<SCRIPT>\n```mergegate\na\n```\n</script>", []),
        ("<style type='x'>\n```mergegate\na\n```\n</style>\n```mergegate\nb\n```", [("b", 7, True)]),
        ("<pre\n```mergegate\na\n```", []),
        ("<textarea>\n```mergegate\na\n```\n</TEXTAREA>", []),
        ("<preview>\n\n```mergegate\na\n```", [("a", 4, True)]),
        # A carriage return by itself ends a line too.
        ("x\r```mergegate\ra\r```\rb", [("a", 3, True)]),
    ],
)
def test_finds_fenced_blocks(body: str, blocks: list[tuple[str, int, bool]]) -> None:
    assert _texts(body) == blocks


def test_a_tilde_fence_may_have_a_backtick_in_its_info_string() -> None:
    assert _texts("~~~mergegate`\na\n~~~") == []
    assert _texts("~~~x`\n```mergegate\n~~~\n```mergegate\nb\n```") == [("b", 5, True)]


def test_the_newest_comment_with_a_block_counts_before_the_body() -> None:
    comments = (
        build.comment(build.body(reason="first"), 1),
        build.comment(build.body(reason="second"), 2),
        build.comment("no block", 3),
    )
    source = find_bundle(build.snapshot(comments=comments))
    assert source is not None
    assert (source.comment_id, source.first_line, source.place) == (2, 4, "comment 2")
    assert json.loads(source.text)["reason"] == "second"


def test_comments_count_by_their_time() -> None:
    late, early = build.comment(build.body(reason="late"), 9), build.comment(build.body(reason="early"), 2)
    for comments in ((early, late), (late, early)):
        source = find_bundle(build.snapshot(comments=comments))
        assert source is not None
        assert source.comment_id == 9
    same = replace(build.comment(build.body(reason="later id"), 10), created_at=late.created_at)
    for comments in ((same, late), (late, same)):
        source = find_bundle(build.snapshot(comments=comments))
        assert source is not None
        assert source.comment_id == 10


@pytest.mark.parametrize(
    "author",
    [
        Account("rita", 11),
        Account("rita[bot]", 900, "Bot"),
        replace(build.AGENT, id=901),
        Account("mergegate-courier", 900),
        None,
    ],
)
def test_only_the_author_s_comments_count(author: Account | None) -> None:
    foreign = replace(build.comment(build.body(reason="foreign")), author=author or build.AGENT)
    snapshot = build.snapshot(comments=(foreign,))
    source = find_bundle(snapshot if author else replace(snapshot, author=Unread("HTTP 502")))
    assert source is not None
    assert source.comment_id is None


@pytest.mark.parametrize(
    "author", [replace(build.AGENT, id=None), Account("Mergegate-Courier", 900, "Bot"), build.AGENT]
)
def test_the_author_is_known_in_any_spelling_of_the_api(author: Account) -> None:
    own = replace(build.comment(build.body()), author=author)
    source = find_bundle(build.snapshot(comments=(own,)))
    assert source is not None
    assert source.comment_id == 1
    other = find_bundle(build.snapshot(comments=(build.comment(build.body()),), author=replace(build.AGENT, id=None)))
    assert other is not None
    assert other.comment_id == 1


def test_else_the_body_counts() -> None:
    source = find_bundle(build.snapshot(comments=(build.comment("no block"),)))
    assert source is not None
    assert (source.comment_id, source.first_line, source.place) == (None, 4, "the pull request's body")
    assert source.others == ()
    assert source.closed


def test_without_a_block_there_is_no_bundle() -> None:
    assert read_bundle(build.snapshot(body="Rounds prices.")) == BundleReading()


def test_several_blocks_in_one_place_are_ambiguous() -> None:
    reading = read_bundle(build.snapshot(body=build.body() + "\n" + build.body()))
    assert reading.bundle is None
    fault = "several mergegate blocks stand in the pull request's body (lines 3, 9)"
    assert reading.faults == (Fault(fault, hint="keep one block and remove the others"),)
    assert reading.digest is not None


def test_a_block_must_be_closed() -> None:
    reading = read_bundle(build.snapshot(body="x\n```mergegate\nreason: y"))
    assert (reading.bundle, reading.digest) == (None, bundle_digest(BundleSource("reason: y", 3)))
    assert reading.faults == (Fault("the block is not closed", 2, hint="end it with a line of ```"),)


def test_reads_the_bundle_with_its_digest() -> None:
    reading = read_bundle(build.snapshot())
    assert reading.bundle == build.bundle()
    assert reading.faults == ()
    assert reading.source is not None
    assert reading.digest == bundle_digest(reading.source)


@pytest.mark.parametrize("text", [json.dumps(build.fields()), build.body()])
def test_reads_a_given_file_with_or_without_a_fence(text: str) -> None:
    reading = read_given(text)
    assert reading.bundle == build.bundle()
    assert reading.digest == read_bundle(build.snapshot()).digest
    assert reading.source is not None
    assert (reading.source.place, reading.source.comment_id) == ("the given file", None)
    assert read_bundle(build.snapshot(number=None, body=text)) == reading


def test_the_lines_of_a_given_file() -> None:
    bare, fenced = read_given("riks: x"), read_given("a\n```mergegate\nriks: x\n```")
    assert [fault.line for fault in (*bare.faults, *fenced.faults)] == [1, 3]
    assert read_given(f"{build.body()}\n{build.body()}").faults[0].message == (
        "several mergegate blocks stand in the given file (lines 3, 9)"
    )


def test_a_local_judgement_without_a_file_has_no_bundle() -> None:
    assert read_bundle(build.snapshot(number=None, body="")) == BundleReading()


def test_faults_have_the_body_s_lines() -> None:
    reading = read_bundle(build.snapshot(body="x\n\n```mergegate\nreason: y\nriks: z\n```"))
    assert reading.bundle is None
    assert [(fault.line, fault.field, fault.hint) for fault in reading.faults] == [(5, "riks", "did you mean `risk`?")]


FULL: dict[str, Any] = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [{"name": "acme/shop", "digest": {"gitCommit": A, "gitTree": B, "sha256": "x"}, "uri": "x"}],
    "predicateType": "urn:mergegate:change:v1",
    "predicate": build.fields(head=None),
    "unknown": {"is": "ignored"},
}


def test_reads_the_full_form() -> None:
    assert parse_bundle(json.dumps(FULL)) == build.bundle(head=A, tree=B)


def test_the_full_form_need_not_name_commit_and_tree() -> None:
    text = json.dumps({**FULL, "subject": [{"digest": {"sha1": "x"}}]})
    assert parse_bundle(text) == build.bundle(head=None)


def test_reads_every_field() -> None:
    read = parse_bundle(f"""
head: {A}
tree: {B}
reason: Prices were rounded down.
commands:
  - {{command: pytest -q, exit_code: 0, where: ci, evidence: {{run: 1, job: 2, digest: "{build.DIGEST}"}}}}
  - {{command: ruff check, exit_code: 1, where: local}}
changed_files: [src/a.py]
evidence: [{{artifact: 3}}]
tests: {{added: [test_a, test_b], removed: 1}}
risk: {{level: high, areas: [payment], known: [Totals change.]}}
rollback: {{strategy: manual, steps: [Call Ann.], data_loss: true, tested: false}}
preview: https://preview.example.com/pr/7?x=y
producer: {{agent: claude, version: "1.2", model: m, session: s}}
""")
    assert isinstance(read, Bundle)
    assert read.model_dump(exclude_none=True) == {
        "head": A,
        "tree": B,
        "reason": "Prices were rounded down.",
        "commands": (
            {
                "command": "pytest -q",
                "exit_code": 0,
                "where": "ci",
                "evidence": {"run": 1, "job": 2, "digest": build.DIGEST},
            },
            {"command": "ruff check", "exit_code": 1, "where": "local"},
        ),
        "changed_files": ("src/a.py",),
        "evidence": ({"artifact": 3},),
        "tests": {"added": ("test_a", "test_b"), "removed": 1, "skipped": 0, "weakened": 0},
        "risk": {"level": "high", "areas": ("payment",), "known": ("Totals change.",)},
        "rollback": {"strategy": "manual", "steps": ("Call Ann.",), "data_loss": True, "tested": False},
        "preview": "https://preview.example.com/pr/7?x=y",
        "producer": {"agent": "claude", "version": "1.2", "model": "m", "session": "s"},
    }
    assert read.risk is not None
    assert read.risk.risk is Risk.HIGH
    assert read.tests is not None
    assert [read.tests.count(name) for name in ("added", "removed", "skipped")] == [2, 1, 0]


def test_the_digest_is_of_what_the_bundle_says() -> None:
    one = bundle_digest(BundleSource('{"reason": "x", "head": null}', 1))
    assert one == bundle_digest(BundleSource("head:\nreason: x # said", 9, comment_id=3))
    assert one != bundle_digest(BundleSource("head:\nreason: y", 1))


def test_an_unreadable_block_has_the_digest_of_its_text() -> None:
    one = bundle_digest(BundleSource("a: [", 1))
    assert one.startswith("sha256:")
    assert one == bundle_digest(BundleSource("a: [", 8))
    assert one != bundle_digest(BundleSource("a: [ ", 1))


def test_a_bundle_is_found_whoever_edits_the_rest() -> None:
    snapshot = build.snapshot()
    prefixed = replace(snapshot, body="Hello.\n" + snapshot.body)
    assert read_bundle(prefixed).digest == read_bundle(snapshot).digest
