"""The published JSON Schema and the shipped presets, held against the loader by a validator that is not ours."""

from __future__ import annotations

import json
from typing import Any, get_args

import jsonschema_rs
import pytest
import yaml

from checks.accounts import Permission
from checks.areas import AREAS
from checks.claims import FIELDS
from checks.snapshot import Risk
from policies.fields import permission_of, risk_of
from policies.load import load
from policies.schema import PresetName, policy_schema
from tests.policies.build import presets


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return policy_schema()


@pytest.fixture(scope="module")
def validator(schema: dict[str, Any]) -> Any:
    return jsonschema_rs.Draft202012Validator(schema)


def test_the_schema_is_a_valid_one(schema: dict[str, Any]) -> None:
    jsonschema_rs.meta.validate(schema)
    assert json.loads(json.dumps(schema)) == schema


def test_only_the_version_must_be_given(schema: dict[str, Any], validator: Any) -> None:
    assert schema["required"] == ["version"]
    assert validator.is_valid({"version": 1})
    assert not validator.is_valid({})
    assert not validator.is_valid({"version": 2})


VALID = [
    {"version": 1, "queue": {"enqueue": "on"}},
    {"version": 1, "risk": {"areas": {"ci": {"more_paths": ["a"]}}}},
    {"version": 1, "people": {"permission": None}},
    {"version": 1, "requirements": {"high": {"approvers": {"users": ["ada"]}}}},
]
_APPROVED = {"approvals": {"teams": ["core"], "count": 2}}
_WHEN = {"paths": ["billing/"], "not": {"any": [{"labels": ["x"]}, {"signed": True}]}}
VALID += [
    {"version": 1, "rules": {"a": {"when": _WHEN, "require": {"any": [_APPROVED, {"code_owners": {}}]}}}},
    {"version": 1, "rules": {"a": {"require": {"at_least": {"count": 1, "of": [_APPROVED]}}}}},
    {"version": 1, "veto": {"users": ["ada"]}, "override": {"permission": "admin"}},
]
INVALID = [
    {"version": 1, "rules": {"a": {"when": _WHEN}}},
    {"version": 1, "rules": {"a": {"require": {}}}},
    {"version": 1, "rules": {"a": {"require": {**_APPROVED, "rule": "b"}}}},
    {"version": 1, "rules": {"a": {"when": {}, "require": _APPROVED}}},
    {"version": 1, "rules": {"a": {"when": {"none_of": {"fork": True}}, "require": _APPROVED}}},
    {"version": 1, "rules": {"a": {"require": {"at_least": {"of": [_APPROVED]}}}}},
    {"version": 1, "rules": {"A": {"require": _APPROVED}}},
    {"version": 1, "queu": {}},
    {"version": 1, "queue": {"enqueue": "maybe"}},
    {"version": 1, "queue": {"enqueue": True}},
    {"version": 1, "risk": {"areas": {"ci": {"risk": "dire"}}}},
    {"version": 1, "approvers": {"users": ["a b"]}},
    {"version": 1, "branches": "main"},
    {"version": 1, "outsiders": {"approvals": 0}},
    {"version": 1, "risk": {"areas": {"Big": {"risk": "low", "paths": []}}}},
]


@pytest.mark.parametrize("document", VALID)
def test_schema_and_loader_accept_the_same(validator: Any, document: dict[str, Any]) -> None:
    assert validator.is_valid(document)
    load(json.dumps(document), presets())


@pytest.mark.parametrize("document", INVALID)
def test_schema_and_loader_refuse_the_same(validator: Any, document: dict[str, Any]) -> None:
    assert not validator.is_valid(document)
    with pytest.raises(ValueError, match="line 1"):
        load(json.dumps(document), presets())


def test_every_field_is_described(schema: dict[str, Any]) -> None:
    for name, model in {"Policy": schema, **schema["$defs"]}.items():
        assert model["description"], name
        assert model["additionalProperties"] is False
        for field, shape in model["properties"].items():
            assert "$ref" in shape or shape["description"].endswith("."), f"{name}.{field}"


def test_it_names_itself(schema: dict[str, Any]) -> None:
    assert schema["$id"] == "urn:mergegate:policy:v1"
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == "Mergegate policy"


def test_words_and_their_order() -> None:
    assert [risk_of(word) for word in ("low", "medium", "high", "critical")] == list(Risk)
    assert permission_of(None) is None
    assert permission_of("maintain") is Permission.MAINTAIN


class TestPresets:
    def test_there_are_four(self) -> None:
        assert set(presets()) == set(get_args(PresetName))

    @pytest.mark.parametrize("name", get_args(PresetName))
    def test_each_is_valid(self, validator: Any, name: str) -> None:
        assert validator.is_valid(yaml.safe_load(presets()[name]))
        load(presets()[name], presets())

    def test_the_default_knows_the_twelve_areas(self) -> None:
        assert set(load("version: 1", presets()).risk.areas) == set(AREAS)

    def test_default(self) -> None:
        policy = load("version: 1", presets())
        assert policy.mode == "enforce"
        assert policy.branches == ()
        assert policy.agents.branches == ("agent/*",)
        assert policy.people.permission == "write"
        assert policy.bundle.required == ("reason", "commands", "risk", "risk.known", "rollback")
        assert [policy.requirements.at(risk).approvals for risk in Risk] == [0, 1, 1, 2]
        assert [policy.requirements.at(risk).evidence for risk in Risk] == ["ci", "ci", "verified", "verified"]
        assert [policy.requirements.at(risk).runs for risk in Risk] == [1, 1, 1, 2]
        assert (policy.queue.enqueue, policy.queue.probation.pull_requests, policy.queue.probation.days) == (
            "probation",
            20,
            14,
        )
        assert policy.approvers.permission == "write"
        assert not policy.review.allow_operator
        assert not policy.ci.allow_push
        assert not policy.ticket.required

    def test_strict_asks_for_everything_and_trusts_only_the_named(self) -> None:
        policy = load("version: 1\nextends: strict", presets())
        assert policy.bundle.required == FIELDS
        assert (policy.people.permission, policy.people.users, policy.people.teams) == (None, (), ())
        assert policy.approvers.permission is None
        assert [policy.requirements.at(risk).approvals for risk in Risk] == [1, 1, 2, 2]
        assert policy.queue.enqueue == "off"
        assert policy.ticket.required

    def test_solo_lets_the_operator_approve_and_the_person_work(self) -> None:
        policy = load("version: 1\nextends: solo", presets())
        assert policy.review.allow_operator
        assert not policy.review.people_need_approval
        assert [policy.requirements.at(risk).approvals for risk in Risk] == [0, 1, 1, 1]

    def test_observe_never_blocks_or_merges(self) -> None:
        policy = load("version: 1\nextends: observe", presets())
        assert (policy.mode, policy.queue.enqueue) == ("observe", "off")
