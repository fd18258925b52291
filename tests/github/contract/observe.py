"""Watching simulated GitHubs: `install` for one, `watch` for every one that a test makes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from tests.github.contract import models, openapi, webhooks
from tests.github.contract.differences import is_known
from tests.github.contract.findings import Finding, Findings
from tests.github.contract.operations import Operation, has_model, operations, plain_path
from tests.github.server import SimulatedGitHub
from tests.github.state import Delivery

Problems = set[tuple[str, str]]
# A directory's listing at the root has a route of its own here, and the description of any other path.
ALIASES = {"/repos/{}/{}/contents": "/repos/{}/{}/contents/{}"}
UNCHECKED = ("", "/graphql")  # no route at all; GraphQL answers are checked by graphql-core itself


def install(github: SimulatedGitHub, findings: Findings | None = None) -> Findings:
    """Checks every REST answer of this GitHub from now on; webhooks are checked when they are recorded."""
    observer = Observer(findings if findings is not None else Findings())
    github.response_observers.append(observer.on_answer)
    github.delivery_observers.append(observer.on_delivery)
    return observer.findings


def watch(monkeypatch: pytest.MonkeyPatch) -> Findings:
    """Installs itself in every SimulatedGitHub made while `monkeypatch` lasts."""
    findings, make = Findings(), SimulatedGitHub.__init__

    def make_watched(github: SimulatedGitHub, *arguments: Any, **options: Any) -> None:
        make(github, *arguments, **options)
        install(github, findings)

    monkeypatch.setattr(SimulatedGitHub, "__init__", make_watched)
    return findings


class Observer:
    """Puts each answer and delivery before the judges that know it."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def on_answer(self, request: Request, template: str, response: Response) -> None:
        if template in UNCHECKED:
            return
        subject = f"{request.method} {template} {response.status_code}"
        path = ALIASES.get(plain_path(template), plain_path(template))
        body = bytes(response.body)
        self.findings.answers += 1
        if response.status_code >= 400:
            self._error(subject, operations().get((request.method, path)), response.status_code, body)
        elif body and response.headers.get("content-type", "").startswith("application/json"):
            self._success(subject, request.method, path, response.status_code, body)

    def _success(self, subject: str, method: str, path: str, status: int, body: bytes) -> None:
        operation = operations().get((method, path))
        if operation is not None and operation.model is not None:
            self._note(subject, "githubkit", models.problems(operation.model, body))
        description = openapi.description()
        if description is not None and description.describes(method, path):
            self._note(subject, "openapi", description.check(method, path, status, json.loads(body)))
        elif operation is None:
            self.findings.undescribed.add(f"{method} {path}")

    def _error(self, subject: str, operation: Operation | None, status: int, body: bytes) -> None:
        own_model = operation.errors.get(status) if operation else None
        if own_model is not None and "Error" not in own_model and not models.problems(own_model, body):
            return  # an answer of the operation's own form, such as that of merge-async
        content = json.loads(body)
        if status >= 500:
            self._note(subject, "errors", {("", f"the simulator failed: {content.get('message', '')[:300]}")})
        model = models.error_model(status, content.get("errors"))
        self._note(subject, "errors", models.problems(model, body) | plain_error_problems(status, content))
        description = openapi.description()
        if description is not None and model != "ValidationErrorSimple":
            self._note(subject, "errors", description.check_error(status, content))

    def on_delivery(self, delivery: Delivery) -> None:
        event, action, body = delivery.event, delivery.action, delivery.payload
        subject = f"webhook {event} {action or ''}".rstrip()
        self.findings.deliveries += 1
        model, schemas = webhooks.model_name(event, action), webhooks.schemas()
        if has_model(model):
            self._note(subject, "githubkit", models.problems(model, body))
        if schemas is not None and schemas.describes(event, action):
            self._note(subject, "webhooks", schemas.check(event, action, json.loads(body)))
        elif not has_model(model):
            self.findings.undescribed.add(subject)

    def _note(self, subject: str, judge: str, problems: Problems) -> None:
        noted = {Finding(subject, judge, place, problem) for place, problem in problems}
        self.findings.found |= {finding for finding in noted if not is_known(finding)}


def plain_error_problems(status: int, body: dict[str, Any]) -> Problems:
    """What recorded refusals have in common and the models leave optional."""
    missing = [key for key in ("message", "documentation_url") if not isinstance(body.get(key), str)]
    problems = {(f"/{key}", "is missing or no text") for key in missing}
    if body.get("status") not in (None, str(status)):
        problems.add(("/status", f"says {body['status']!r} in an answer {status}"))
    return problems
