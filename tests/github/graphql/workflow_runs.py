"""Workflow runs, which stand behind the check suites of GitHub Actions."""

from __future__ import annotations

from typing import Any

from tests.github import node_ids
from tests.github.graphql.view import InRepository
from tests.github.state import WorkflowRun


class WorkflowRunView(InRepository):
    typename = "WorkflowRun"
    record: WorkflowRun
    record_type = WorkflowRun

    def id(self) -> str:
        return node_ids.encode("WorkflowRun", self.record.id)

    def database_id(self) -> int:
        return self.record.id

    def address(self) -> str:
        return f"/{self.home.full_name}/actions/runs/{self.record.id}"

    def check_suite(self) -> Any:
        return self.view("CheckSuite", self.home.suites[self.record.suite_id])

    def workflow(self) -> Any:
        return self.view("Workflow", self.record)

    def file(self) -> Any:
        return self.view("WorkflowRunFile", self.record)


class WorkflowRunFileView(InRepository):
    typename = "WorkflowRunFile"
    record: WorkflowRun

    def id(self) -> str:
        return node_ids.encode("WorkflowRunFile", self.record.id)

    def path(self) -> str:
        return self.record.workflow_path


class WorkflowView(InRepository):
    """A workflow file, seen through one of its runs."""

    typename = "Workflow"
    record: WorkflowRun
    record_type = WorkflowRun
    state = "ACTIVE"

    def id(self) -> str:
        return node_ids.encode("Workflow", self.record.workflow_id)

    def database_id(self) -> int:
        return self.record.workflow_id

    def address(self) -> str:
        return f"/{self.home.full_name}/actions/workflows/{self.record.workflow_path.rpartition('/')[2]}"

    def created_at(self) -> Any:
        return self.home.created_at

    def updated_at(self) -> Any:
        return self.home.created_at
