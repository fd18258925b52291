"""A pull request and a policy that pass; each test changes one thing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from checks.accounts import Account, Commit, CommitIdentity, Permission, Review
from checks.bundle import read_bundle
from checks.diff import ChangedFile, Diff, FileStatus
from checks.finding import Finding
from checks.job_log import read_job_log
from checks.runs import Job, Step, WorkflowFile, WorkflowRun
from checks.snapshot import Head, Repository, Risk, Snapshot
from policies.load import PolicySource, PolicyState, read_policy
from policies.tree import group, required
from policies.verdict import Verdict

HEAD = "a1" * 20
TARGET = "b2" * 20
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@cache
def presets() -> dict[str, str]:
    folder = Path(__file__).parents[2] / "policies"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.yml")}


@cache
def state(text: str | None = None) -> PolicyState:
    """The state of a policy file with this text; None: there is no file."""
    return read_policy(PolicySource(text, "refs/heads/main", TARGET), presets())


def verdict(evidence: tuple[Finding, ...], review: tuple[Finding, ...], **changes: Any) -> Verdict:
    """A verdict over findings given by hand, one part a check."""
    start = Verdict(
        head_sha=HEAD,
        target_ref="refs/heads/main",
        policy_digest="sha256:" + "c" * 64,
        bundle_digest="sha256:" + "d" * 64,
        ticket_digest=None,
        kind="agent",
        mode="enforce",
        gated=True,
        risk=Risk.LOW,
        areas=(),
        evidence=required("evidence", [group(finding.check.partition(".")[0], (finding,)) for finding in evidence]),
        review=required("review", [group("approvals", review)]),
    )
    return replace(start, **changes)


LOG = "\ufeff" + "".join(
    f"2026-05-04T11:58:0{second}.0000000Z {line}\n"
    for second, line in enumerate(
        (
            f"HEAD is now at c3c3c3c Merge {HEAD} into {TARGET}",
            "##[group]Run pytest -q",
            "##[endgroup]",
            "============================= test session starts ==============================",
            "collected 12 items",
            "============================== 12 passed in 0.50s ==============================",
        )
    )
)
BODY = """Faster totals.

```mergegate
reason: Totals were computed once a row.
commands:
  - {command: pytest -q, exit_code: 0, where: ci}
risk: {level: low, known: []}
rollback: {strategy: revert}
```
"""

ADA, BEA = Account("ada", 1), Account("bea", 2)
COURIER = Account("mergegate-courier[bot]", 9, "Bot")
DEPENDABOT = Account("dependabot[bot]", 49699333, "Bot")


def snapshot(**changes: Any) -> Snapshot:
    """An agent's pull request, of low risk, whose evidence is complete."""
    return replace(_AGENT, **changes)


def person_snapshot(**changes: Any) -> Snapshot:
    """Ada's own pull request."""
    head = Head(HEAD, "e5" * 20, "refs/heads/faster", 1, ADA)
    person = snapshot(author=ADA, head=head, commits=(commit(ADA),), body="", session_agent=None)
    return replace(person, **changes)


def commit(account: Account, **changes: Any) -> Commit:
    who = CommitIdentity(account.login, f"{account.login}@example.org", account)
    return replace(Commit(HEAD, "Faster totals", who, who), **changes)


def diff(*paths: str) -> Diff:
    return Diff(tuple(ChangedFile(path, FileStatus.MODIFIED, additions=1, deletions=1) for path in paths))


def change(*paths: str) -> dict[str, Any]:
    """What a snapshot says of a change to these paths."""
    return {"diff": diff(*paths), "merge_diff": diff(*paths), "changed_files_total": len(paths)}


def approval(account: Account, **changes: Any) -> Review:
    """An approval of this head, with the digests that the verdict would show now."""
    digest = read_bundle(_AGENT).digest
    return replace(Review(5, account, "APPROVED", HEAD, NOW, "refs/heads/main", digest, None), **changes)


def run(**changes: Any) -> WorkflowRun:
    data = LOG.encode()
    log = read_job_log(data, "sha256:" + "f" * 64)
    steps = (Step("Run pytest -q", 3, "completed", "success"),)
    url = "https://github.com/acme/shop/actions/runs/7/job/9"
    job = Job(9, "test", 1, "completed", "success", url, steps=steps, log=log)
    start = WorkflowRun(
        7,
        "CI",
        ".github/workflows/ci.yml",
        "pull_request",
        HEAD,
        1,
        "completed",
        "success",
        "https://github.com/acme/shop/actions/runs/7",
        head_repository_id=1,
        jobs=(job,),
        created_at=NOW,
    )
    return replace(start, **changes)


_AGENT = Snapshot(
    repository=Repository(1, "acme", "shop", "refs/heads/main"),
    number=12,
    title="Faster totals",
    body=BODY,
    author=COURIER,
    draft=False,
    open=True,
    head=Head(HEAD, "e5" * 20, "refs/heads/agent/12", 1, COURIER),
    base_ref="refs/heads/main",
    target_ref="refs/heads/main",
    target_sha=TARGET,
    merge_base=TARGET,
    diff=diff("src/total.py"),
    merge_diff=diff("src/total.py"),
    mergeable=True,
    changed_files_total=1,
    commits=(commit(COURIER),),
    comments=(),
    reviews=(),
    runs=(run(),),
    workflows=(WorkflowFile(".github/workflows/ci.yml", "aa" * 20, "aa" * 20),),
    check_runs=(),
    observed_at=NOW,
    permissions={"ada": Permission.WRITE, "bea": Permission.ADMIN},
    session_agent="worker-1",
    head_seen_at=NOW - timedelta(minutes=10),
)
