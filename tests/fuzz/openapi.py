"""Requests that schemathesis makes from an OpenAPI document, good ones and bad ones, and its judgement of the answers.

Its checks: no 5xx, only statuses, headers and shapes that the document names, bad requests refused, other methods
refused, and no answer but a refusal where the credentials are missing or made up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import CHECKS
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode

from tests.proxy.lasting import SOAK

FEW, MANY = 4, 400  # examples of each operation, good ones and bad ones each
SETTINGS = settings(
    max_examples=MANY if SOAK else FEW,
    deadline=None,
    database=None,
    derandomize=not SOAK,
    suppress_health_check=list(HealthCheck),
)
# 409 and 503 are right answers to requests that are right.
ACCEPTANCE = "positive_data_acceptance"
REFUSAL = "negative_data_rejection"
# Its own list of what refuses a bad request has no 413.
CONFIG = {"checks": {REFUSAL: {"expected-statuses": ["400", "401", "403", "404", "405", "409", "413", "415", "422"]}}}
Headers = Mapping[str, str]
Case = schemathesis.Case[Any]
HeadersOf = Callable[[Case], Headers]


def try_api(
    document: Mapping[str, Any], address: str, headers_of: HeadersOf, *, without: Sequence[str] = ()
) -> Counter[str]:
    """Try every operation with all checks but some; how often each status was answered.

    Blocks: the server runs in another thread's loop.
    """
    config = schemathesis.Config.from_dict(CONFIG)
    schema, statuses = schemathesis.openapi.from_dict(dict(document), config=config), Counter[str]()
    checks: list[Any] = [check for check in CHECKS.get_all() if check.__name__ not in (ACCEPTANCE, *without)]
    assert {"ignored_auth", "not_a_server_error"} <= {check.__name__ for check in checks}

    def one(case: Case) -> None:
        if _is_another_when_sent(case):
            return
        headers = dict(headers_of(case))
        answer = case.call(base_url=address, headers=headers)
        try:
            case.validate_response(answer, checks=checks, headers=headers, transport_kwargs={"headers": headers})
        except FailureGroup as wrong:  # a BaseException, which would end anyio's runner
            raise AssertionError(wrong.message) from None
        statuses[f"{case.operation.label} {answer.status_code}"] += 1

    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        SETTINGS(given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))(one))()
        with suppress(Unsatisfiable):  # where nothing is given, nothing can be wrong
            SETTINGS(given(case=operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))(one))()
    return statuses


def _is_another_when_sent(case: Case) -> bool:
    """A parameter of no values is not sent, so that a request that should be wrong is right; and a length that is not
    the body's is no HTTP, which the server refuses before it comes to us."""
    return [] in (case.query or {}).values() or "content-length" in map(str.lower, case.headers or ())
