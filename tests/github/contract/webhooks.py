"""Schemas of webhook bodies, cut from GitHub's description (@octokit/openapi-webhooks 12.1.0)."""

from __future__ import annotations

import functools
import json
from typing import Any

import jsonschema_rs

from tests.github.contract.json_schema import FOLDER, compiled, problems

FILE = FOLDER / "github-webhooks-trimmed.schema.json"


class WebhookSchemas:
    """One schema an event and action, each compiled at its first use."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.components = document["components"]
        self.schemas: dict[str, dict[str, Any]] = document["webhooks"]
        self._compiled: dict[str, jsonschema_rs.Draft202012Validator] = {}

    def describes(self, event: str, action: str | None) -> bool:
        return webhook_name(event, action) in self.schemas

    def check(self, event: str, action: str | None, body: Any) -> set[tuple[str, str]]:
        name = webhook_name(event, action)
        if name not in self._compiled:
            self._compiled[name] = compiled(self.schemas[name], self.components)
        return problems(self._compiled[name], body)


def webhook_name(event: str, action: str | None) -> str:
    """`check_run`, `completed` → `check-run-completed`; events without actions have the event's name alone."""
    return (f"{event}-{action}" if action else event).replace("_", "-")


def model_name(event: str, action: str | None) -> str:
    """githubkit's name of the model: `check_run`, `completed` → `WebhookCheckRunCompleted`."""
    words = (f"{event}_{action}" if action else event).split("_")
    return "Webhook" + "".join(word.capitalize() for word in words)


@functools.cache
def schemas() -> WebhookSchemas | None:
    """None where the file is absent."""
    return WebhookSchemas(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.is_file() else None
