"""The judges themselves: one that accepts everything would be no judge."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from tests.github.contract import openapi
from tests.github.contract.differences import KNOWN, is_known
from tests.github.contract.findings import Finding, Findings
from tests.github.contract.json_schema import FOLDER, without_nullable
from tests.github.contract.observe import Observer
from tests.github.contract.operations import adapter, operations
from tests.github.state import Delivery

needs_descriptions = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"GitHub's descriptions are not at {FOLDER}")


def test_githubkit_s_operations_are_found() -> None:
    """Counts and models as the package's documentation of these methods says."""
    known = operations()
    assert len(known) > 1000
    assert known["POST", "/repos/{}/{}/check-runs"].model == "CheckRun"
    assert known["GET", "/repos/{}/{}/pulls"].model == "list[PullRequestSimple]"
    assert known["DELETE", "/repos/{}/{}/git/refs/{}"].model is None
    adapter("list[SimpleUser]").validate_python([])


class TestTheJudges:
    def answer(self, template: str, body: Any, status: int = 200, method: str = "GET") -> Findings:
        findings = Findings()
        request = Request({"type": "http", "method": method, "path": template, "headers": [], "query_string": b""})
        response = Response(json.dumps(body), status, media_type="application/json")
        Observer(findings).on_answer(request, template, response)
        return findings

    def test_a_missing_field_is_found(self) -> None:
        findings = self.answer("/repos/{owner}/{repo}/labels", [{"id": 1, "name": "bug"}])
        assert any(f.judge == "githubkit" and f.place == "/N/color" for f in findings.found)
        with pytest.raises(AssertionError, match="differ from GitHub's descriptions"):
            findings.assert_clean()

    def test_a_wrong_type_is_found_by_index(self) -> None:
        body = {"total_count": "two", "check_runs": []}
        findings = self.answer("/repos/{owner}/{repo}/commits/{ref:path}/check-runs", body)
        assert {f.place for f in findings.found if f.judge == "githubkit"} == {"/total_count"}

    @needs_descriptions
    def test_the_description_of_github_finds_it_too(self) -> None:
        body = {"total_count": "two", "check_runs": []}
        findings = self.answer("/repos/{owner}/{repo}/commits/{ref:path}/check-runs", body)
        assert {f.place for f in findings.found if f.judge == "openapi"} == {"/total_count"}

    @needs_descriptions
    def test_a_status_without_description_is_found(self) -> None:
        findings = self.answer("/repos/{owner}/{repo}/check-runs", {}, status=202, method="POST")
        assert any("status 202 is not described" in f.problem for f in findings.found)

    @pytest.mark.parametrize(
        ("status", "body"),
        [
            (404, {"message": "Not Found"}),
            (404, {"documentation_url": "https://docs.github.com/rest", "message": "Not Found", "status": "403"}),
            (422, {"documentation_url": "x", "message": "Validation Failed", "errors": [{"resource": "Label"}]}),
            (500, {"documentation_url": "x", "message": "KeyError", "status": "500"}),
        ],
    )
    def test_a_bad_refusal_is_found(self, status: int, body: dict[str, Any]) -> None:
        assert self.answer("/repos/{owner}/{repo}", body, status).found

    def test_an_operation_without_description_is_listed(self) -> None:
        assert self.answer("/own", {"a": 1}).undescribed == {"GET /own"}

    def delivered(self, event: str, action: str | None, body: Any) -> Findings:
        findings = Findings()
        now = datetime(2026, 1, 1, tzinfo=UTC)
        Observer(findings).on_delivery(Delivery(1, "guid", 1, event, action, json.dumps(body).encode(), 1, 1, now))
        return findings

    def test_a_bad_webhook_is_found(self) -> None:
        findings = self.delivered("check_run", "completed", {"action": "completed"})
        assert any(f.judge == "githubkit" and f.place == "/check_run" for f in findings.found)

    @needs_descriptions
    def test_the_webhook_schema_finds_it_too(self) -> None:
        findings = self.delivered("check_run", "completed", {"action": "completed"})
        assert any(f.judge == "webhooks" and "check_run" in f.problem for f in findings.found)

    def test_a_webhook_without_description_is_listed(self) -> None:
        assert self.delivered("own_event", "made", {}).undescribed == {"webhook own_event made"}

    @needs_descriptions
    def test_nullable_is_understood(self) -> None:
        schema = without_nullable({"type": "string", "nullable": True, "enum": ["a"]})
        assert schema == {"type": ["string", "null"], "enum": ["a", None]}
        assert openapi.description() is not None

    def test_differences_have_reasons_and_are_narrow(self) -> None:
        assert all(len(difference.reason) > 20 for difference in KNOWN)
        other = Finding("GET /repos/{owner}/{repo} 200", "openapi", "", '"full_name" is a required property')
        assert not is_known(other)
