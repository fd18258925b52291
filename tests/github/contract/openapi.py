"""GitHub's OpenAPI description, trimmed to 80 operations (@octokit/openapi 23.0.2, REST version 2022-11-28)."""

from __future__ import annotations

import functools
import json
from typing import Any

import jsonschema_rs

from tests.github.contract.json_schema import FOLDER, compiled, problems, without_nullable
from tests.github.contract.operations import plain_path

FILE = FOLDER / "github-rest-80ops.openapi.json"


class OpenApi:
    """The description, each schema compiled at its first use."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.components = without_nullable(document["components"])
        self.operations = {
            (method.upper(), plain_path(path)): operation
            for path, described in without_nullable(document["paths"]).items()
            for method, operation in described.items()
        }
        self._compiled: dict[tuple[str, str, int], jsonschema_rs.Draft202012Validator | None] = {}

    def describes(self, method: str, path: str) -> bool:
        return (method, path) in self.operations

    def check(self, method: str, path: str, status: int, body: Any) -> set[tuple[str, str]]:
        """Problems of a successful answer. A status that the description does not name is one."""
        responses = self.operations[method, path]["responses"]
        if str(status) not in responses:
            return {("", f"status {status} is not described, only {', '.join(sorted(responses))}")}
        validator = self._validator(method, path, status)
        return problems(validator, body) if validator else set()

    def check_error(self, status: int, body: Any) -> set[tuple[str, str]]:
        """Problems of a refusal: `validation-error` for a 422 with a list of objects, else `basic-error`."""
        detailed = status == 422 and any(isinstance(entry, dict) for entry in body.get("errors") or ())
        return problems(self._error("validation-error" if detailed else "basic-error"), body)

    def _validator(self, method: str, path: str, status: int) -> jsonschema_rs.Draft202012Validator | None:
        key = (method, path, status)
        if key not in self._compiled:
            schema = self._schema(self.operations[method, path]["responses"][str(status)])
            self._compiled[key] = compiled(schema, self.components) if schema else None
        return self._compiled[key]

    def _schema(self, response: dict[str, Any]) -> dict[str, Any] | None:
        if "$ref" in response:
            response = self.components["responses"][response["$ref"].rpartition("/")[2]]
        content = response.get("content") or {}
        found = next((described for kind, described in content.items() if "json" in kind), None)
        return found["schema"] if found else None

    @functools.cache  # noqa: B019 - one description a process
    def _error(self, name: str) -> jsonschema_rs.Draft202012Validator:
        return compiled(self.components["schemas"][name], self.components)


@functools.cache
def description() -> OpenApi | None:
    """None where the file is absent."""
    return OpenApi(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.is_file() else None
