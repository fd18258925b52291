"""Check runs, suites, statuses and the workflow runs behind them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.github import mergeability, node_ids
from tests.github.checks import combined_state, newest, newest_statuses, rollup_state, runs_of, suite_state
from tests.github.graphql.connections import connect
from tests.github.graphql.errors import unprocessable
from tests.github.graphql.view import InRepository
from tests.github.state import CheckRun, CheckSuite, CommitStatus, PullRequest, Step

PAGE = ("first", "last", "after", "before")


class ContextView(InRepository):
    """A check run or a status: something that may be required."""

    def _context(self) -> tuple[str, int | None]:
        """Its name, and the App that gave it (None for a status, which fits every required source)."""
        raise NotImplementedError

    def is_required(self, pull_request_id: str | None = None, pull_request_number: int | None = None) -> bool:
        pull = self._pull(pull_request_id, pull_request_number)
        branch = mergeability.target_branch(self.home, pull)
        return mergeability.is_required(self.graph.world, self.home, branch, *self._context())

    def _pull(self, node_id: str | None, number: int | None) -> PullRequest:
        wanted = node_ids.decode(node_id).database_id if node_id else None
        for pull in self.home.pulls.values():
            if (number is not None and pull.number == number) or (wanted is not None and pull.id == wanted):
                return pull
        raise unprocessable("Either the pull request ID or number must be provided.")


class RollupView(InRepository):
    """Everything said about a commit; `record` is its id."""

    typename = "StatusCheckRollup"
    record: str

    def id(self) -> str:
        return node_ids.encode("StatusCheckRollup", self.home.id, self.record)

    def commit(self) -> Any:
        return self.view("Commit", self.record)

    def state(self) -> str:
        return rollup_state(self.home, self.record) or "PENDING"

    def contexts(self, **page: Any) -> dict[str, Any]:
        runs, statuses = newest(runs_of(self.home, self.record)), newest_statuses(self.home, self.record)
        nodes = [*self.views("CheckRun", runs), *self.views("StatusContext", statuses)]
        return connect("contexts", nodes, page, more=_counts(runs, statuses))


def _counts(runs: list[CheckRun], statuses: list[CommitStatus]) -> dict[str, Any]:
    by_run = Counter((r.conclusion or r.status).upper() if r.status == "completed" else r.status.upper() for r in runs)
    by_status = Counter(s.state.upper() for s in statuses)
    return {
        "checkRunCount": len(runs),
        "checkRunCountsByState": [{"state": state, "count": count} for state, count in by_run.items()],
        "statusContextCount": len(statuses),
        "statusContextCountsByState": [{"state": state, "count": count} for state, count in by_status.items()],
    }


class StatusView(RollupView):
    """The statuses alone."""

    typename = "Status"

    def id(self) -> str:
        return node_ids.encode("Status", self.home.id, self.record)

    def state(self) -> str:
        return combined_state(newest_statuses(self.home, self.record)).upper()

    def context(self, name: str) -> Any:
        found = [s for s in newest_statuses(self.home, self.record) if s.context == name]
        return self.view("StatusContext", found[0]) if found else None

    def contexts(self) -> list[Any]:  # type: ignore[override]  # a plain list here, a connection in the rollup
        return self.views("StatusContext", newest_statuses(self.home, self.record))

    def combined_contexts(self, **page: Any) -> dict[str, Any]:
        return RollupView.contexts(self, **page)


class StatusContextView(ContextView):
    typename = "StatusContext"
    record: CommitStatus
    record_type = CommitStatus

    def id(self) -> str:
        return node_ids.encode("StatusContext", self.record.id)

    def _context(self) -> tuple[str, int | None]:
        app = self.graph.world.app_of(self.record.creator)
        return self.record.context, app.id if app else None

    def avatar_url(self, size: int = 40) -> str | None:
        creator = self.creator()
        url: str | None = creator.avatar_url() if creator else None
        return url

    def commit(self) -> Any:
        return self.view("Commit", self.record.sha)

    def creator(self) -> Any:
        return self.graph.account(self.record.creator)

    def state(self) -> str:
        return self.record.state.upper()


class CheckRunView(ContextView):
    typename = "CheckRun"
    record: CheckRun
    record_type = CheckRun

    def id(self) -> str:
        return node_ids.encode("CheckRun", self.record.id)

    def database_id(self) -> int:
        return self.record.id

    def _context(self) -> tuple[str, int | None]:
        return self.record.name, self.record.app_id

    def address(self) -> str:
        return f"/{self.home.full_name}/runs/{self.record.id}"

    def permalink(self) -> str:
        return self.url()

    def details_url(self) -> str:
        return self.record.details_url or self.url()

    def status(self) -> str:
        return self.record.status.upper()

    def conclusion(self) -> str | None:
        return self.record.conclusion.upper() if self.record.conclusion else None

    def check_suite(self) -> Any:
        return self.view("CheckSuite", self.home.suites[self.record.suite_id])

    def annotations(self, **page: Any) -> dict[str, Any]:
        return connect("annotations", self.views("CheckAnnotation", self.record.annotations), page)

    def steps(self, number: int | None = None, **page: Any) -> dict[str, Any]:
        jobs = [job for run in self.home.runs.values() for jobs in run.jobs.values() for job in jobs]
        steps = [step for job in jobs if job.id == self.record.job_id for step in job.steps]
        return connect("steps", self.views("CheckStep", [s for s in steps if number in (None, s.number)]), page)


class CheckStepView(InRepository):
    typename = "CheckStep"
    record: Step
    record_type = Step
    external_id = None

    def status(self) -> str:
        return self.record.status.upper()

    def conclusion(self) -> str | None:
        return self.record.conclusion.upper() if self.record.conclusion else None

    def seconds_to_completion(self) -> int | None:
        if self.record.started_at is None or self.record.completed_at is None:
            return None
        return int((self.record.completed_at - self.record.started_at).total_seconds())


class CheckAnnotationView(InRepository):
    """`record` is the annotation as the REST API took it."""

    typename = "CheckAnnotation"
    record: dict[str, Any]
    database_id = None

    def annotation_level(self) -> str:
        return str(self.record["annotation_level"]).upper()

    def blob_url(self) -> str:
        return f"{self.graph.world.base_url.rstrip('/')}/{self.home.full_name}/blob/HEAD/{self.path()}"

    def path(self) -> str:
        return str(self.record["path"])

    def message(self) -> str:
        return str(self.record["message"])

    def title(self) -> str | None:
        return self.record.get("title")

    def raw_details(self) -> str | None:
        return self.record.get("raw_details")

    def location(self) -> dict[str, Any]:
        start = {"line": self.record["start_line"], "column": self.record.get("start_column")}
        end = {"line": self.record["end_line"], "column": self.record.get("end_column")}
        return {"start": start, "end": end}


class CheckSuiteView(InRepository):
    typename = "CheckSuite"
    record: CheckSuite
    record_type = CheckSuite
    creator = None

    def id(self) -> str:
        return node_ids.encode("CheckSuite", self.record.id)

    def database_id(self) -> int:
        return self.record.id

    def app(self) -> Any:
        found = self.graph.world.apps.get(self.record.app_id)
        return None if found is None else self.graph.view("App", found)

    async def branch(self) -> Any:
        if self.record.head_branch is None:
            return None
        return await self.repository().ref(f"refs/heads/{self.record.head_branch}")

    def commit(self) -> Any:
        return self.view("Commit", self.record.head_sha)

    def status(self) -> str:
        return suite_state(self.home, self.record)[0].upper()

    def conclusion(self) -> str | None:
        conclusion = suite_state(self.home, self.record)[1]
        return conclusion.upper() if conclusion else None

    def check_runs(self, filter_by: dict[str, Any] | None = None, **page: Any) -> dict[str, Any]:
        wanted = filter_by or {}
        runs = [r for r in self.home.check_runs.values() if r.suite_id == self.record.id]
        if wanted.get("checkType", "LATEST") == "LATEST":
            runs = newest(runs)
        kept = [r for r in runs if wanted.get("checkName") in (None, r.name)]
        return connect("checkRuns", self.views("CheckRun", kept), page)

    def workflow_run(self) -> Any:
        found = next((r for r in self.home.runs.values() if r.suite_id == self.record.id), None)
        return self.view("WorkflowRun", found)

    def matching_pull_requests(self, **page: Any) -> dict[str, Any]:
        limits = {key: value for key, value in page.items() if key in PAGE}
        found = [p for p in self.home.pulls.values() if p.head_sha == self.record.head_sha and p.issue.state == "open"]
        return connect("matchingPullRequests", self.views("PullRequest", found), limits)
