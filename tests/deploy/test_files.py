"""Manifests and ruleset against the code: what is asked for is what is used, and nothing that could undo the gate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.gate.effects import EVIDENCE, QUEUE, REVIEW
from app.github.identity import PURPOSES
from app.intake.events import RULES

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
ORDER = {"read": 1, "write": 2}


def read(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((DEPLOY / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("role", ["gate", "courier"])
def test_the_manifest_asks_for_all_that_tokens_are_minted_with(role: str) -> None:
    granted = read(f"app-{role}")["default_permissions"]
    for purpose, wanted in PURPOSES[role].items():  # type: ignore[index]
        missing = {name for name, level in wanted.items() if ORDER[level] > ORDER.get(granted.get(name), 0)}
        assert not missing, purpose


@pytest.mark.parametrize("role", ["gate", "courier"])
def test_no_app_can_change_workflows_or_rules(role: str) -> None:
    granted = read(f"app-{role}")["default_permissions"]
    assert "workflows" not in granted
    assert granted.get("administration", "read") == "read"


def test_the_courier_cannot_write_checks_or_statuses() -> None:
    granted = read("app-courier")["default_permissions"]
    assert (granted["checks"], granted["statuses"]) == ("read", "read")


def test_every_event_of_the_manifest_is_known_to_the_intake() -> None:
    assert set(read("app-gate")["default_events"]) <= set(RULES)


@pytest.mark.parametrize(
    ("name", "wanted"), [("ruleset", {EVIDENCE, REVIEW}), ("ruleset-serial", {EVIDENCE, REVIEW, QUEUE})]
)
def test_a_ruleset_requires_its_checks_with_an_app_id_and_nobody_bypasses(name: str, wanted: set[str]) -> None:
    ruleset = read(name)
    rule = next(rule for rule in ruleset["rules"] if rule["type"] == "required_status_checks")
    checks = {check["context"]: check for check in rule["parameters"]["required_status_checks"]}
    assert set(checks) == wanted
    assert all("integration_id" in check for check in checks.values())
    assert ruleset["bypass_actors"] == []


def test_the_serial_queue_stands_in_for_githubs_and_only_all_green_groups_land() -> None:
    kinds = {name: {rule["type"] for rule in read(name)["rules"]} for name in ("ruleset", "ruleset-serial")}
    assert kinds["ruleset"] - kinds["ruleset-serial"] == {"merge_queue"}
    queue = next(rule for rule in read("ruleset")["rules"] if rule["type"] == "merge_queue")
    assert queue["parameters"]["grouping_strategy"] == "ALLGREEN"
