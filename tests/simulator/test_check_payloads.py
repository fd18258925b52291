"""Webhook bodies of checks, Actions, the queue and rulesets against GitHub's webhook schemas."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.github import merge_queue
from tests.github.events import DomainEvent
from tests.github.payloads import Message, messages_for
from tests.github.server import SimulatedGitHub
from tests.simulator.shop import ADA, TEST_WORKFLOW, as_app, as_user, gate, pull, queue, required, shop

pytestmark = pytest.mark.anyio
SCHEMAS = Path(__file__).resolve().parents[2] / "../shared/github/contract/github-webhooks-trimmed.schema.json"
OURS = {"check_run", "check_suite", "status", "workflow_run", "workflow_job", "merge_group", "repository_ruleset"}


def judge() -> Callable[[Message], list[str]]:
    """A function that lists what GitHub's schema has against a message."""
    if not SCHEMAS.exists():
        pytest.skip("needs ../shared/github/contract (webhook schemas)")
    schemas = json.loads(SCHEMAS.read_text())

    def complaints(message: Message) -> list[str]:
        name = message.event.replace("_", "-")
        if message.action:
            name = f"{name}-{message.action.replace('_', '-')}"
        document: dict[str, Any] = {"allOf": [schemas["webhooks"][name]], "components": schemas["components"]}
        validator = jsonschema_rs.Draft202012Validator(document)
        return [f"{name} {list(e.instance_path)}: {e.message[-200:]}" for e in validator.iter_errors(message.body)]

    return complaints


async def test_bodies_satisfy_github_s_schemas(hub: SimulatedGitHub) -> None:
    complaints = judge()
    messages: list[Message] = []

    async def gather(event: DomainEvent) -> None:
        messages.extend(m for m in await messages_for(hub, event) if m.event in OURS)

    hub.listeners.append(gather)
    app = gate(hub)
    repository = await shop(hub, {".github/workflows/ci.yml": TEST_WORKFLOW})
    await hub.set_ruleset(repository, "main", [required("test", 15368), queue()])
    await hub.set_ruleset(repository, "main", [required("test", 15368), queue(), {"type": "deletion"}])
    change = await pull(hub, repository)
    await hub.settle()
    async with as_app(hub, app) as api, as_user(hub, "bob") as bob:
        run = (await api.post("/repos/acme/shop/check-runs", json={"name": "x", "head_sha": change.head_sha})).json()
        await api.patch(f"/repos/acme/shop/check-runs/{run['id']}", json={"conclusion": "neutral"})
        await api.post(f"/repos/acme/shop/check-runs/{run['id']}/rerequest")
        await bob.post(f"/repos/acme/shop/statuses/{change.head_sha}", json={"state": "success"})
    await merge_queue.enqueue(hub, repository, change, ADA)
    await hub.settle()
    seen = {(m.event, m.action) for m in messages}
    assert {
        ("check_run", "created"),
        ("check_run", "completed"),
        ("check_run", "rerequested"),
        ("check_suite", "requested"),
        ("check_suite", "completed"),
        ("status", None),
        ("workflow_run", "requested"),
        ("workflow_run", "in_progress"),
        ("workflow_run", "completed"),
        ("workflow_job", "queued"),
        ("workflow_job", "in_progress"),
        ("workflow_job", "completed"),
        ("merge_group", "checks_requested"),
        ("merge_group", "destroyed"),
        ("repository_ruleset", "created"),
        ("repository_ruleset", "edited"),
    } <= seen
    assert sorted({line for m in messages for line in complaints(m)}) == []
