"""Check suites, check runs and commit statuses: the rules behind the Checks API, for REST, GraphQL and Actions.

https://docs.github.com/rest/checks and https://docs.github.com/rest/commits/statuses
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tests.github.auth import installation_for
from tests.github.events import CheckRunChanged, CheckSuiteChanged, DomainEvent, RefUpdated
from tests.github.state import Account, App, CheckRun, CheckSuite, CommitStatus, PullRequest, Repository, World

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

ACTIONS_APP_ID = 15368  # GitHub Actions' own App, the same on every github.com repository
ACTIONS_BOT_ID = 41898282
PASSING = frozenset({"success", "neutral", "skipped"})
QUEUE_PREFIX = "gh-readonly-queue/"

# How bad a conclusion is for a suite; the worst of its newest runs becomes the suite's.
_BADNESS = (
    "success", "neutral", "skipped", "stale", "action_required", "cancelled", "timed_out", "failure", "startup_failure"
)  # fmt: skip


def actions_app(world: World) -> App:
    """GitHub Actions as an App; the record is made on first use."""
    if ACTIONS_APP_ID not in world.apps:
        app = App(ACTIONS_APP_ID, "github-actions", "GitHub Actions", "github", b"", {"checks": "write"}, [])
        world.apps[app.id] = app
        world.accounts.setdefault("github", Account(9919, "github", "Organization"))
        world.accounts.setdefault(app.bot_login, Account(ACTIONS_BOT_ID, app.bot_login, "Bot"))
    return world.apps[ACTIONS_APP_ID]


def find_suite(repository: Repository, app_id: int, sha: str) -> CheckSuite | None:
    """The one suite of an App on a commit (Actions has one a workflow run, so none is returned for it)."""
    suites = repository.suites.values()
    return next((s for s in suites if s.app_id == app_id and s.head_sha == sha and s.run_id is None), None)


async def suite_for(github: SimulatedGitHub, repository: Repository, app_id: int, sha: str) -> CheckSuite:
    """The App's suite on `sha`, created when there is none yet."""
    found = find_suite(repository, app_id, sha)
    return found or add_suite(github.world, repository, app_id, sha, await branch_of(github, repository, sha))


def add_suite(world: World, repository: Repository, app_id: int, sha: str, branch: str | None) -> CheckSuite:
    now = world.now()
    suite = CheckSuite(world.new_id(), app_id, sha, branch, now, now)
    repository.suites[suite.id] = suite
    return suite


async def branch_of(github: SimulatedGitHub, repository: Repository, sha: str) -> str | None:
    """A branch whose tip `sha` is; an open pull request's head branch first."""
    for pull in repository.pulls.values():
        if pull.head_sha == sha and pull.head_repository_id == repository.id:
            return pull.head_ref
    refs = await github.git(repository).refs("refs/heads/")
    return next((ref.removeprefix("refs/heads/") for ref, tip in refs.items() if tip == sha), None)


def runs_of(repository: Repository, sha: str) -> list[CheckRun]:
    return [run for run in repository.check_runs.values() if run.head_sha == sha]


def runs_in(repository: Repository, suite: CheckSuite) -> list[CheckRun]:
    return [run for run in repository.check_runs.values() if run.suite_id == suite.id]


def newest(runs: Iterable[CheckRun]) -> list[CheckRun]:
    """`filter=latest`: of the runs of one name in one suite only the one created last."""
    found: dict[tuple[int, str], CheckRun] = {}
    for run in sorted(runs, key=lambda r: r.id):
        found[(run.suite_id, run.name)] = run
    return list(found.values())


def suite_state(repository: Repository, suite: CheckSuite) -> tuple[str, str | None]:
    """(status, conclusion) of a suite, computed from its newest runs or its workflow run."""
    workflow_run = repository.runs.get(suite.run_id) if suite.run_id is not None else None
    if workflow_run is not None:
        return workflow_run.status, workflow_run.conclusion
    runs = newest(runs_in(repository, suite))
    if not runs:
        return "queued", None
    if any(run.status != "completed" for run in runs):
        return ("in_progress" if any(run.status != "queued" for run in runs) else "queued"), None
    return "completed", max((run.conclusion or "failure" for run in runs), key=_BADNESS.index)


def pulls_of(repository: Repository, sha: str) -> list[PullRequest]:
    """Open pull requests of this repository (not of forks) with that head, as check runs list them."""
    pulls = repository.pulls.values()
    return [p for p in pulls if p.issue.state == "open" and p.head_sha == sha and p.head_repository_id == repository.id]


async def add_run(github: SimulatedGitHub, repository: Repository, run: CheckRun, actor: str) -> None:
    """Store a new check run and tell the world."""
    repository.check_runs[run.id] = run
    await changed(github, repository, run, "created", actor)
    if run.status == "completed":
        await changed(github, repository, run, "completed", actor)


async def changed(
    github: SimulatedGitHub,
    repository: Repository,
    run: CheckRun,
    action: str,
    actor: str,
    extra: dict[str, Any] | None = None,
) -> None:
    suite = repository.suites[run.suite_id]
    suite.updated_at = github.world.now()
    await github.publish(CheckRunChanged(repository, run, action, actor, extra or {}))
    if action == "completed" and suite.run_id is None and suite_state(repository, suite)[0] == "completed":
        await github.publish(CheckSuiteChanged(repository, suite, "completed", actor))


async def request_action(
    github: SimulatedGitHub, repository: Repository, run: CheckRun, identifier: str, actor: str
) -> None:
    """A person presses one of the run's buttons; KeyError when it has none of that identifier."""
    if identifier not in {action["identifier"] for action in run.actions}:
        raise KeyError(identifier)
    await changed(github, repository, run, "requested_action", actor, {"requested_action": {"identifier": identifier}})


class SuiteRequests:
    """Listener: each push makes a suite for every App that may write checks and says `check_suite` requested."""

    def __init__(self, github: SimulatedGitHub) -> None:
        self.github = github

    async def on_event(self, event: DomainEvent) -> None:
        if not isinstance(event, RefUpdated) or event.branch is None or event.deleted:
            return
        for app in list(self.github.world.apps.values()):
            if app.id != ACTIONS_APP_ID:
                await self._request(event, app)

    async def _request(self, event: RefUpdated, app: App) -> None:
        repository, world = event.repository, self.github.world
        installation = installation_for(world, app.id, repository)
        if installation is None or installation.suspended or installation.permissions.get("checks") != "write":
            return
        if find_suite(repository, app.id, event.after) is not None:
            return
        suite = add_suite(world, repository, app.id, event.after, event.branch)
        suite.before = event.before
        await self.github.publish(CheckSuiteChanged(repository, suite, "requested", event.actor))


def newest_statuses(repository: Repository, sha: str) -> list[CommitStatus]:
    """The newest status of each context, in order of first appearance."""
    found: dict[str, CommitStatus] = {}
    for status in repository.statuses:
        if status.sha == sha:
            found[status.context] = status
    return list(found.values())


def combined_state(statuses: list[CommitStatus]) -> str:
    """failure if any failed, pending if any is pending or there is none, else success (documented)."""
    states = {status.state for status in statuses}
    if states & {"error", "failure"}:
        return "failure"
    return "pending" if "pending" in states or not states else "success"


def rollup_state(repository: Repository, sha: str) -> str | None:
    """GraphQL's StatusState over check runs and statuses; None when there is neither."""
    runs, statuses = newest(runs_of(repository, sha)), newest_statuses(repository, sha)
    if not runs and not statuses:
        return None
    states = {status.state for status in statuses}
    failed = states & {"error", "failure"} or any(r.status == "completed" and r.conclusion not in PASSING for r in runs)
    if failed:
        return "FAILURE"
    waiting = "pending" in states or any(run.status != "completed" for run in runs)
    return "PENDING" if waiting else "SUCCESS"
