"""What is wrong with a bundle is said with line, field and a guess; the published schema agrees."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from checks.bundle import (
    Bundle,
    BundleFaults,
    bundle_schema,
    parse_bundle,
)
from tests.checks import build

A, B = "a" * 40, "b" * 40
FULL: dict[str, Any] = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [{"name": "acme/shop", "digest": {"gitCommit": A, "gitTree": B, "sha256": "x"}, "uri": "x"}],
    "predicateType": "urn:mergegate:change:v1",
    "predicate": build.fields(head=None),
    "unknown": {"is": "ignored"},
}
KNOWN = "reason, commands, changed_files, evidence, tests, risk, rollback, preview, producer, head, tree"
PLACE = "must be an https address without user name"
AN_ID = "must match pattern '^([0-9a-f]{40}|[0-9a-f]{64})$'"


@pytest.mark.parametrize(
    ("text", "field", "message", "hint"),
    [
        ("reson: x", "reson", "is no known field", "did you mean `reason`?"),
        ("Reason: x", "Reason", "is no known field", "did you mean `reason`?"),
        ("zzz: x", "zzz", "is no known field", f"remove it; known are {KNOWN}"),
        (f"{'z' * 99}: x", "z" * 64, "is no known field", f"remove it; known are {KNOWN}"),
        ("reason: ''", "reason", "must have at least 1 character", ""),
        ("reason: '  '", "reason", "must match pattern '\\S'", ""),
        ("reason: 1", "reason", "must be a string", ""),
        (f"reason: {'x' * 8193}", "reason", "must have at most 8192 characters", ""),
        ("commands: x", "commands", "must be a list", ""),
        ("commands: [x]", "commands.0", "must be a mapping of fields", ""),
        ("commands: [{command: x, where: ci}]", "commands.0.exit_code", "is missing", "add `exit_code`"),
        (
            "commands: [{command: x, exit_code: 0, where: loca}]",
            "commands.0.where",
            "must be 'local' or 'ci'",
            "did you mean `local`?",
        ),
        ("commands: [{command: x, exit_code: 0, where: zz}]", "commands.0.where", "must be 'local' or 'ci'", ""),
        (
            "commands: [{command: x, exit_code: '0', where: ci}]",
            "commands.0.exit_code",
            "must be a whole number",
            "",
        ),
        (
            "commands: [{command: x, exit_code: 256, where: ci}]",
            "commands.0.exit_code",
            "must be less than or equal to 255",
            "",
        ),
        (
            "commands: [{command: x, exit_code: 0, where: ci, evidence: {digest: x}}]",
            "commands.0.evidence.digest",
            "must match pattern '^sha256:[0-9a-f]{64}$'",
            "",
        ),
        ("evidence: [{}]", "evidence.0", "must name a run, a job or an artifact", ""),
        (
            f"evidence: [{{run: 1, digest: '{build.DIGEST}'}}]",
            "evidence.0",
            "a digest needs the job or the artifact that it belongs to",
            "",
        ),
        ("evidence: [{run: 0}]", "evidence.0.run", "must be greater than or equal to 1", ""),
        ("tests: {added: true}", "tests.added", "must be a whole number", ""),
        ("tests: {added: -1}", "tests.added", "must be greater than or equal to 0", ""),
        ("tests: {aded: 1}", "tests.aded", "is no known field", "did you mean `added`?"),
        ("tests: {zz: 1}", "tests.zz", "is no known field", "remove it; known are added, removed, skipped, weakened"),
        (
            "risk: {level: hihg}",
            "risk.level",
            "must be 'low', 'medium', 'high' or 'critical'",
            "did you mean `high`?",
        ),
        ("risk: high", "risk", "must be a mapping of fields", ""),
        ("rollback: {}", "rollback.strategy", "is missing", "add `strategy`"),
        ("rollback: {strategy: revert, tested: 'yes'}", "rollback.tested", "must be a boolean", ""),
        ("head: main", "head", AN_ID, ""),
        (f"head: {A[:39]}", "head", AN_ID, ""),
        (f"tree: {A}0", "tree", AN_ID, ""),
        ("preview: http://a.example", "preview", "must match pattern '^https://'", ""),
        ("preview: https://", "preview", PLACE, ""),
        ("preview: https://u@a.example", "preview", PLACE, ""),
        ("preview: https://[a.example", "preview", PLACE, ""),
        ("preview: https://a.example/b c", "preview", PLACE, ""),
        ("preview: https://a.example/\u00e9", "preview", PLACE, ""),
        ('preview: "https://a.example/\\x07"', "preview", PLACE, ""),
        (f"preview: https://a.example/{'x' * 2048}", "preview", "must have at most 2048 characters", ""),
        ("producer: {model: x}", "producer.agent", "is missing", "add `agent`"),
        ("- reason", None, "a bundle is a mapping of fields", "begin with `reason: …`"),
        ("reason: [", None, "not readable as YAML or JSON: expected the node content, but found '<stream end>'", ""),
        (
            json.dumps({name: value for name, value in FULL.items() if name != "_type"}),
            "_type",
            "is missing",
            "add `_type`",
        ),
        ("evidence: [" + "{run: 1}, " * 501 + "]", "evidence", "must have at most 500 items, not 501", ""),
        (
            json.dumps({**FULL, "_type": "https://in-toto.io/Statement/v0.1"}),
            "_type",
            "must be 'https://in-toto.io/Statement/v1'",
            "did you mean `https://in-toto.io/Statement/v1`?",
        ),
        (
            json.dumps({**FULL, "predicateType": "x"}),
            "predicateType",
            "must be 'urn:mergegate:change:v1'",
            "",
        ),
        (json.dumps({**FULL, "subject": []}), "subject", "must have at least 1 item, not 0", ""),
        (json.dumps({**FULL, "subject": "x"}), "subject", "must be a list", ""),
        (json.dumps({**FULL, "subject": [{}]}), "subject.0.digest", "is missing", "add `digest`"),
        (
            json.dumps({**FULL, "subject": [{"digest": {"gitCommit": "x"}}]}),
            "subject.0.digest.gitCommit",
            AN_ID,
            "",
        ),
        (json.dumps({**FULL, "predicate": {"riks": 1}}), "predicate.riks", "is no known field", "did you mean `risk`?"),
        (
            json.dumps({**FULL, "predicate": {"head": A}}),
            "predicate.head",
            "is no known field",
            f"remove it; known are {KNOWN.removesuffix(', head, tree')}",
        ),
    ],
)
def test_says_what_is_wrong(text: str, field: str | None, message: str, hint: str) -> None:
    read = parse_bundle(text, 7)
    assert isinstance(read, BundleFaults)
    assert [(fault.field, fault.message, fault.hint, fault.line) for fault in read.faults] == [
        (field, message, hint, 7)
    ]


def test_an_unknown_area_is_answered_with_the_known_ones() -> None:
    read = parse_bundle("risk: {level: low, areas: [payments]}")
    assert isinstance(read, BundleFaults)
    (fault,) = read.faults
    assert (fault.field, fault.hint) == ("risk.areas.0", "did you mean `payment`?")
    assert "'agent-instructions' or 'gate'" in fault.message


@pytest.mark.parametrize("key", ["_type", "subject", "predicateType", "predicate"])
def test_one_key_of_a_statement_makes_it_one(key: str) -> None:
    read = parse_bundle(f"{key}:")
    assert isinstance(read, BundleFaults)
    assert {fault.field for fault in read.faults} == {"_type", "subject", "predicateType", "predicate"}


def test_lists_faults_in_the_document_s_order() -> None:
    read = parse_bundle("producer: x\nzzz: 1\nrisk: x\n")
    assert isinstance(read, BundleFaults)
    assert [(fault.line, fault.field) for fault in read.faults] == [(1, "producer"), (2, "zzz"), (3, "risk")]


@pytest.mark.parametrize(("count", "last"), [(20, "is no known field"), (21, "and 1 more faults")])
def test_lists_at_most_twenty_faults(count: int, last: str) -> None:
    read = parse_bundle("\n".join(f"zz{number}: 1" for number in range(count)))
    assert isinstance(read, BundleFaults)
    assert len(read.faults) == count
    assert read.faults[-1].message == last
    assert read.faults[0].field == "zz0"


# The published schema must agree with the models on every bundle of this module.
GOOD = [
    build.fields(),
    FULL,
    {},
    {"tests": {"added": ["a"]}},
    {"evidence": [{"run": 1}]},
    {"preview": "https://a.example"},
]
BAD = [
    {"reson": "x"},
    {"head": "main"},
    {"risk": {"level": "hihg"}},
    {"commands": [{"command": "x"}]},
    {**FULL, "_type": "x"},
    {**FULL, "predicate": {"riks": 1}},
]


@pytest.mark.parametrize("instance", GOOD)
def test_the_schema_accepts_good_bundles(instance: dict[str, Any]) -> None:
    jsonschema_rs.Draft202012Validator(bundle_schema()).validate(instance)
    assert isinstance(parse_bundle(json.dumps(instance)), Bundle)


@pytest.mark.parametrize("instance", BAD)
def test_the_schema_refuses_bad_bundles(instance: dict[str, Any]) -> None:
    assert not jsonschema_rs.Draft202012Validator(bundle_schema()).is_valid(instance)
    assert isinstance(parse_bundle(json.dumps(instance)), BundleFaults)


def test_the_schema_itself_is_valid_and_named() -> None:
    schema = bundle_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == "urn:mergegate:bundle:v1"
    assert schema["title"] == "Mergegate evidence bundle"
    assert jsonschema_rs.meta.is_valid(schema)
