"""A pull request on which every check passes, in parts that a test can replace."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from checks.accounts import Account, Comment, Commit, CommitIdentity, Permission, Review
from checks.bundle import Bundle, BundleFaults, parse_bundle
from checks.diff import ChangedFile, Diff, FileStatus
from checks.finding import Finding, Status
from checks.group_snapshot import GroupMember, GroupSnapshot, TreeRebuild
from checks.logs.report import LogReport, Summary
from checks.paths import PathPatterns
from checks.people import AgentMarkers, Classification, PeopleRule
from checks.runs import Artifact, Job, JobLog, Step, WorkflowFile, WorkflowRun
from checks.snapshot import Head, Repository, Snapshot, Ticket

HEAD = "4f" * 20
TREE = "7e" * 20
BASE = "b0" * 20
OTHER = "0d" * 20
BLOB = "c1" * 20
DIGEST = "sha256:" + "ab" * 32
CI_YML = ".github/workflows/ci.yml"
NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)

AGENT = Account("mergegate-courier[bot]", 900, "Bot")
OPERATOR = Account("olivia", 10)
REVIEWER = Account("rita", 11)
SECOND = Account("sam", 12)
READER = Account("ronan", 13)

REPOSITORY = Repository(700, "acme", "shop", "refs/heads/main")
NAMESPACE = AgentMarkers(PathPatterns(["agent/*"]), ("build-agent",), ("Agent-Session",))
WRITERS = PeopleRule(Permission.WRITE)
AN_AGENTS = Classification("agent", "It carries the mark of an agent: test.", ("test",))
A_PERSONS = Classification("person", "Its author, its pusher and every committer are people of this repository.")


def fields(**changes: Any) -> dict[str, Any]:
    """The fields of a complete bundle in its short form; a field set to None is left out."""
    bundle: dict[str, Any] = {
        "head": HEAD,
        "reason": "Prices were rounded down.",
        "commands": [{"command": "pytest -q", "exit_code": 0, "where": "ci"}],
        "changed_files": ["src/price.py", "tests/test_price.py"],
        "risk": {"level": "low", "areas": [], "known": []},
        "rollback": {"strategy": "revert", "data_loss": False, "tested": True},
        **changes,
    }
    return {name: value for name, value in bundle.items() if value is not None}


def command(exit_code: int = 0, where: str = "ci", command: str = "pytest -q", **more: Any) -> dict[str, Any]:
    """A command as a bundle's field."""
    return {"command": command, "exit_code": exit_code, "where": where, **more}


def bundle(**changes: Any) -> Bundle:
    read = parse_bundle(json.dumps(fields(**changes)))
    assert not isinstance(read, BundleFaults), read.faults
    return read


def body(**changes: Any) -> str:
    """A pull request's body with the block; its content begins on line 4."""
    return f"Rounds prices.\n\n```mergegate\n{json.dumps(fields(**changes))}\n```\n"


def comment(text: str, number: int = 1) -> Comment:
    return Comment(number, AGENT, text, NOON + timedelta(minutes=number))


def identity(account: Account | None, email: str | None = None) -> CommitIdentity:
    name = account.login if account else "Nobody"
    return CommitIdentity(name, email or f"{name}@example.com", account)


def commit(
    author: Account | None = AGENT,
    committer: Account | None = None,
    message: str = "Round prices",
    oid: str = HEAD,
    **more: Any,
) -> Commit:
    return Commit(oid, message, identity(author), identity(committer or author), **more)


def file(path: str, status: FileStatus = FileStatus.MODIFIED, **more: Any) -> ChangedFile:
    return ChangedFile(path, status, **more)


def diff(*files: ChangedFile | str, complete: bool = True) -> Diff:
    return Diff(tuple(file(each) if isinstance(each, str) else each for each in files), complete)


def report(green: bool | None = True, **changes: Any) -> LogReport:
    summary = Summary("pytest", 41, "12 passed, 1 skipped in 0.10s", 12, 0, 0, 1, green)
    base = LogReport("pytest", 12, 0, 0, 1, True, green, (summary,), 60, False, ())
    return replace(base, **changes)


NO_TESTS = LogReport(
    None, None, None, None, None, False, None, (), 60, False, ("no summary of a known test runner was found",)
)


def log(given: LogReport | None = None, **changes: Any) -> JobLog:
    base = JobLog(given or report(), DIGEST, 4_000, ("actions/checkout@v4", "pytest -q"), (HEAD, BASE))
    return replace(base, **changes)


def step(name: str, conclusion: str | None = "success", number: int = 2) -> Step:
    return Step(name, number, "completed", conclusion)


def job(name: str = "test", **changes: Any) -> Job:
    base = Job(
        id=5_001,
        name=name,
        attempt=1,
        status="completed",
        conclusion="success",
        url="https://github.com/acme/shop/actions/runs/501/job/5001",
        steps=(step("Set up job", number=1), step("Run pytest -q")),
        log=log(),
    )
    return replace(base, **changes)


def run(*jobs: Job, **changes: Any) -> WorkflowRun:
    base = WorkflowRun(
        id=501,
        name="CI",
        path=CI_YML,
        event="pull_request",
        head_sha=HEAD,
        attempt=1,
        status="completed",
        conclusion="success",
        url="https://github.com/acme/shop/actions/runs/501",
        head_repository_id=REPOSITORY.id,
        jobs=jobs or (job(),),
        artifacts=(Artifact(31, "report", 900, DIGEST, NOON, expired=False),),
    )
    return replace(base, **changes)


def workflow(path: str = CI_YML, head: str | None = BLOB, target: str | None = BLOB, **more: Any) -> WorkflowFile:
    return WorkflowFile(path, head, target, **more)


def review(author: Account = REVIEWER, state: str = "APPROVED", number: int = 1, **changes: Any) -> Review:
    base = Review(number, author, state, HEAD, NOON + timedelta(minutes=number), "refs/heads/main", DIGEST, None)
    return replace(base, **changes)


def ticket(**changes: Any) -> Ticket:
    return replace(Ticket("T-7", DIGEST, operator=OPERATOR.login), **changes)


def snapshot(**changes: Any) -> Snapshot:
    base = Snapshot(
        repository=REPOSITORY,
        number=7,
        title="Round prices",
        body=body(),
        author=AGENT,
        draft=False,
        open=True,
        head=Head(HEAD, TREE, "refs/heads/agent/round-prices", REPOSITORY.id, AGENT),
        base_ref="refs/heads/main",
        target_ref="refs/heads/main",
        target_sha=BASE,
        merge_base=BASE,
        diff=diff("src/price.py", "tests/test_price.py"),
        merge_diff=diff("src/price.py", "tests/test_price.py"),
        mergeable=True,
        changed_files_total=2,
        commits=(commit(),),
        comments=(),
        reviews=(),
        runs=(run(),),
        workflows=(workflow(),),
        check_runs=(),
        observed_at=NOON,
        permissions={
            OPERATOR.login: Permission.WRITE,
            REVIEWER.login: Permission.WRITE,
            SECOND.login: Permission.MAINTAIN,
            READER.login: Permission.READ,
        },
        teams={"owners": frozenset({SECOND.login})},
        operator=OPERATOR.login,
        session_agent="claude",
        head_seen_at=NOON - timedelta(minutes=3),
    )
    return replace(base, **changes)


def persons(**changes: Any) -> Snapshot:
    """A pull request of the person `olivia`, on which no mark of an agent is."""
    base = snapshot(
        author=OPERATOR,
        head=Head(HEAD, TREE, "refs/heads/round-prices", REPOSITORY.id, OPERATOR),
        commits=(commit(OPERATOR),),
        operator=None,
        session_agent=None,
    )
    return replace(base, **changes)


def group(**changes: Any) -> GroupSnapshot:
    base = GroupSnapshot(
        repository=REPOSITORY,
        head_sha=HEAD,
        base_sha=BASE,
        target_ref="refs/heads/main",
        members=(GroupMember(7, HEAD, HEAD, "passed", "passed", ""),),
        rebuild=TreeRebuild(TREE, TREE),
        runs=(run(event="merge_group"),),
        workflows=(workflow(),),
        observed_at=NOON,
        head_seen_at=NOON - timedelta(minutes=3),
    )
    return replace(base, **changes)


def seen(findings: tuple[Finding, ...]) -> set[tuple[str, Status]]:
    """Check and status of each finding."""
    return {(finding.check, finding.status) for finding in findings}


def only(findings: tuple[Finding, ...], check: str) -> Finding:
    """The one finding of this check."""
    (found,) = (finding for finding in findings if finding.check == check)
    return found


def worst(findings: tuple[Finding, ...]) -> list[Finding]:
    """The findings that hold a pull request up."""
    return [finding for finding in findings if finding.status not in (Status.PASSED, Status.SKIPPED)]
