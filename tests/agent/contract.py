"""Real answers against the published OpenAPI document, by validators that nobody here wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
import jsonschema_rs


def check_answer(document: Mapping[str, Any], answer: httpx.Response) -> None:
    """Fails unless the document names this status of this operation, and the body has the shape that it says."""
    operation = document["paths"].get(answer.request.url.path, {}).get(answer.request.method.lower())
    if operation is None:
        assert answer.status_code in (404, 405), (answer.request.url, answer.status_code)
        shape = {"$ref": "#/components/schemas/Wrong"}
    else:
        described = operation["responses"].get(str(answer.status_code))
        assert described is not None, f"{answer.status_code} is not in the document: {answer.text[:300]}"
        if "content" not in described:
            assert answer.content == b""
            return
        shape = described["content"]["application/json"]["schema"]
    assert answer.headers["content-type"].startswith("application/json")
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": document["components"], **shape}
    jsonschema_rs.validator_for(schema).validate(answer.json())
