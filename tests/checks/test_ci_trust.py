"""What is known about a counted run beside its outcome, by weight."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks import ci_trust
from checks.ci import CiRequirement, check_group
from checks.ci_trust import TrustRule, explained, may_be
from checks.finding import Evidence, Finding, Fix, Status, failed
from checks.runs import CalledWorkflow, Job, WorkflowFile, WorkflowNote, WorkflowRun
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import CI_YML, DIGEST, job, log, report, run, workflow
from tests.checks.ci_case import judge

P, F, W = Status.PASSED, Status.FAILED, Status.PENDING
READ, WRITE = (("Contents", "read"), ("Metadata", "read")), (("Contents", "write"), ("Checks", "write"))
AT = Evidence("job 5001 `test`", "https://github.com/acme/shop/actions/runs/501/job/5001", None, 41, 41, DIGEST)
CALLED = ".github/workflows/tests.yml"
SECRET = WorkflowNote("secret", "test", 9, "NPM_TOKEN")
VARIABLE = WorkflowNote("variable", "test", 9, "vars.SELECT")
SHA = "1f" * 20


def found(given: Job | WorkflowRun, *files: WorkflowFile, **words: Any) -> list[tuple[str, Status, str]]:
    runs = (given if isinstance(given, WorkflowRun) else run(given),)
    findings = ci_trust.check(runs, files or (workflow(),), TrustRule(**words), "acme/shop")
    return [(each.check, each.status, each.reason) for each in findings]


def noted(*notes: WorkflowNote, **changes: Any) -> WorkflowFile:
    return workflow(notes=notes, **changes)


def test_nothing_to_say() -> None:
    assert found(job(log=log(token_permissions=READ, secret_source="Actions"))) == []
    assert found(job(log=log(token_permissions=()))) == []


@pytest.mark.parametrize(
    ("word", "status", "tail", "fix", "person"),
    [
        ("allow", P, " The policy allows that.", None, False),
        ("person", W, "", "Somebody who may approve looks at it, or a person can write", True),
        ("refuse", F, "", "Ask a person to write", False),
    ],
)
def test_each_weight(word: Any, status: Status, tail: str, fix: str | None, person: bool) -> None:
    of = run(job(log=log(token_permissions=WRITE)))
    (finding,) = ci_trust.check((of,), (workflow(),), TrustRule(token=word), "acme/shop")
    reason = f"The token of jobs could write: `test` (Contents, Checks).{tail}"
    cure = None if fix is None else f"{fix} `permissions: {{contents: read}}` at the top of the workflow file."
    expected = None if cure is None else Fix("ask-person", cure)
    assert finding == Finding("ci.token", status, reason, (AT,), expected, needs_person=person)


def test_a_token_that_could_write_anything() -> None:
    many = tuple((f"P{number}", "write") for number in range(7))
    assert found(job(log=log(token_permissions=many)))[0][2].startswith(
        "The token of jobs could write: `test` (P0, P1, P2, P3, P4)."
    )


@pytest.mark.parametrize(("word", "status"), [("allow", None), ("person", W), ("refuse", F)])
def test_a_log_that_does_not_tell_is_not_taken_for_harmless(word: Any, status: Status | None) -> None:
    said = found(job(log=log(token_permissions=None)), token=word)
    wanted = ("ci.token", status, "The token of jobs could write: `test` (its log does not tell).")
    assert said == ([] if status is None else [wanted])


@pytest.mark.parametrize("missing", [None, Unread("HTTP 502")])
def test_a_log_that_was_not_read_is_said_elsewhere(missing: Unread | None) -> None:
    assert found(job(log=missing), token="refuse", cache="refuse") == []


def test_more_jobs_than_are_shown() -> None:
    jobs = [job(f"t{number}", id=number, log=log(token_permissions=WRITE[:1])) for number in range(6)]
    (finding,) = ci_trust.check((run(*jobs),), (), TrustRule(), "acme/shop")
    assert "`t4` (Contents). The policy" in finding.reason
    assert len(finding.evidence) == 5


class TestSecrets:
    REASON = f"Jobs were given secrets: `test` (NPM_TOKEN, line 9 of {CI_YML})."

    def test_by_the_workflow_files_text(self) -> None:
        assert found(job(), noted(SECRET), secrets="refuse") == [("ci.secrets", F, self.REASON)]

    def test_the_line_in_the_log_alone_tells_nothing(self) -> None:
        """Every run of a repository's own branch has it, also where there is no secret."""
        assert found(job(log=log(secret_source="Actions")), secrets="refuse") == []

    @pytest.mark.parametrize(("source", "given"), [("None", 0), ("Actions", 1), ("Dependabot", 1), (None, 1)])
    def test_none_were_there_to_give(self, source: str | None, given: int) -> None:
        assert len(found(job(log=log(secret_source=source)), noted(SECRET))) == given

    def test_of_jobs_that_ran(self) -> None:
        deploy = replace(SECRET, job="deploy")
        assert found(job(), noted(deploy)) == []
        skipped = job("deploy", id=6, conclusion="skipped", log=None)
        assert found(run(job(), skipped), noted(deploy)) == []
        assert found(job("deploy"), noted(deploy))[0][0] == "ci.secrets"

    def test_a_log_that_was_not_read(self) -> None:
        assert found(job(log=None), noted(SECRET))[0][0] == "ci.secrets"

    def test_each_once(self) -> None:
        assert found(job(), noted(SECRET, SECRET), secrets="person") == [("ci.secrets", W, self.REASON)]

    def test_of_what_is_called(self) -> None:
        inner = workflow(CALLED, notes=(replace(SECRET, job="unit"),), called=(workflow(),))
        said = found(job("call / unit"), workflow(called=(inner,)), secrets="refuse")
        assert said == [("ci.secrets", F, f"Jobs were given secrets: `call / unit` (NPM_TOKEN, line 9 of {CALLED}).")]

    def test_of_no_other_workflow_file(self) -> None:
        assert found(job(), workflow(), noted(SECRET, path="other.yml")) == []


class TestCache:
    KEY = log(cache_keys=("Linux-pip-1", "Linux-npm-1"))

    def test_its_log_names_it(self) -> None:
        reason = "Jobs took caches that earlier runs of this branch can have made: `test` (Linux-pip-1, Linux-npm-1)."
        assert found(job(log=self.KEY), cache="refuse") == [("ci.cache", F, reason)]

    @pytest.mark.parametrize(("event", "count"), [("pull_request", 1), ("push", 1), ("merge_group", 0)])
    def test_a_merge_group_has_a_ref_of_its_own(self, event: str, count: int) -> None:
        assert len(found(run(job(log=self.KEY), event=event))) == count


# (labels, group) as `GET …/actions/runs/{id}/jobs` answers them for GitHub's machines, larger ones of GitHub, machines
# registered by hand and scale sets of https://github.com/actions/actions-runner-controller.
RUNNERS: list[tuple[tuple[str, ...], str | None, str | None, str | None]] = [
    (("ubuntu-latest",), "GitHub Actions", None, None),
    (("ubuntu-20.04-16core-64gb",), "Default Larger Runners", None, None),
    ((), None, None, None),
    ((), "", None, None),
    (("self-hosted", "linux"), "Default", "label self-hosted", "label self-hosted"),
    (("Self-Hosted",), "GitHub Actions", "label self-hosted", "label self-hosted"),
    (("arc-runner-set",), "Default", "group Default", "group Default"),
    (("ubuntu-latest",), "default", "group default", "group default"),
    (("fast",), "Big Machines", None, "group Big Machines"),
]


class TestRunner:
    @pytest.mark.parametrize(("labels", "group", "person", "refuse"), RUNNERS)
    def test_by_labels_and_group(
        self, labels: tuple[str, ...], group: str | None, person: str | None, refuse: str | None
    ) -> None:
        of = job(runner_labels=labels, runner_group=group)
        what = "Jobs ran on machines that may keep what earlier jobs left there: `test` ({})."
        wanted: Any = {"person": (person, W), "refuse": (refuse, F)}
        for word, (sign, status) in wanted.items():
            expected = [] if sign is None else [("ci.runner", status, what.format(sign))]
            assert found(of, runner=word) == expected

    @pytest.mark.parametrize("name", ["arc-runner-set", "Default"])
    def test_machines_that_are_used_once(self, name: str) -> None:
        of = job(runner_labels=("arc-runner-set", "self-hosted"), runner_group="Default")
        assert found(of, runner="refuse", ephemeral=(name,)) == []
        assert len(found(of, runner="refuse", ephemeral=("other",))) == 1


def test_variables_in_steps_with_tests() -> None:
    reason = f"Tests depend on values that are set outside of the repository: `test` (vars.SELECT, line 9 of {CI_YML})."
    assert found(job(), noted(VARIABLE), variables="refuse") == [("ci.variables", F, reason)]
    assert found(job("lint"), noted(VARIABLE)) == []


CALLS = [
    ("octo/ci/.github/workflows/test.yml@v1", True),
    ("octo/ci/.github/workflows/test.yml@refs/heads/main", True),
    ("octo/ci/.github/workflows/test.yml@" + "a" * 39, True),
    ("octo/ci/.github/workflows/test.yml@" + "a" * 40, False),
    ("Acme/Shop/.github/workflows/test.yml@main", False),
    ("acme/shop-ci/.github/workflows/test.yml@main", True),
]


@pytest.mark.parametrize(("path", "moves"), CALLS)
def test_workflows_of_other_repositories(path: str, moves: bool) -> None:
    of = run(called=(CalledWorkflow(path, SHA),))
    findings = ci_trust.check((of,), (workflow(),), TrustRule(calls="person"), "acme/shop")
    at = Evidence("run 501 `CI`", "https://github.com/acme/shop/actions/runs/501", digest=SHA)
    reason = f"Workflows that others can move were called: `{path}` at 1f1f1f1f1f1f."
    cure = "call them by full commit id: `uses: owner/repository/path@COMMIT`."
    fix = Fix("ask-person", f"Somebody who may approve looks at it, or a person can {cure}")
    wanted = Finding("ci.workflow-files", W, reason, (at,), fix, needs_person=True)
    assert findings == ([wanted] if moves else [])


NAMES = [
    ("test", "test", True),
    ("test (3.12, linux)", "test", True),
    ("tests", "test", False),
    ("call / test", "test", True),
    ("call / test (3.12)", "test", True),
    ("call / test", "call", True),
    ("lint / ruff", "lint / ruff", True),
    ("lint / ruff (1)", "lint / ruff", True),
    ("Python 3.12", "Python ${{ matrix.python }}", True),
    ("call / Python 3.12", "Python ${{ matrix.python }}", True),
    ("Node 22", "Python ${{ matrix.python }}", False),
    ("anything", "${{ matrix.name }}", True),
    ("anything", "", True),
]


@pytest.mark.parametrize(("shown", "written", "wanted"), NAMES)
def test_names_of_jobs(shown: str, written: str, wanted: bool) -> None:
    assert may_be(job(shown), written) is wanted


class TestExplained:
    DOUBT = failed("ci.logs", "Its log is red.", fix=Fix("push", "Repair it."))
    HIDDEN = WorkflowNote("hidden-failure", "test", 9, "|| true")
    RED = job(log=log(report(green=False)))

    def test_the_lines_that_hide_a_failure(self) -> None:
        said = explained(self.DOUBT, run(), self.RED, (noted(self.HIDDEN, replace(self.HIDDEN, line=12)),))
        assert said.reason == (
            "Its log is red. The workflow hides failures: "
            f"line 9 of {CI_YML} has `|| true`; line 12 of {CI_YML} has `|| true`."
        )
        text = "Repair the failure and push; ask a person to let the workflow fail when tests do."
        assert said.fix == Fix("ask-person", text)

    @pytest.mark.parametrize(
        ("of", "file"),
        [
            (job(), noted(HIDDEN)),
            (job(log=None), noted(HIDDEN)),
            (job(log=log(report(green=None))), noted(HIDDEN)),
            (RED, workflow()),
            (RED, noted(SECRET)),
            (RED, noted(replace(HIDDEN, job="lint"))),
        ],
    )
    def test_nothing_hides_it(self, of: Job, file: WorkflowFile) -> None:
        assert explained(self.DOUBT, run(), of, (file,)) == self.DOUBT

    def test_in_the_verdict(self) -> None:
        result = judge(run(self.RED), workflows=(noted(self.HIDDEN),))
        assert (
            f"The workflow hides failures: line 9 of {CI_YML} has `|| true`."
            in build.only(result.findings, "ci.logs").reason
        )


class TestWired:
    RULES = CiRequirement(
        trust=TrustRule("person", "person", "person", "person", "person", "person", ephemeral=("once",))
    )
    EVERYTHING = run(
        job(
            log=log(token_permissions=WRITE, cache_keys=("k",)),
            runner_labels=("self-hosted",),
        ),
        called=(CalledWorkflow("octo/ci/.github/workflows/test.yml@v1", SHA),),
    )
    NAMES = ("ci.token", "ci.secrets", "ci.runner", "ci.variables", "ci.cache")

    def statuses(self, findings: tuple[Finding, ...]) -> dict[str, Status]:
        return {each.check: each.status for each in findings if each.check in self.NAMES}

    def test_a_pull_request(self) -> None:
        result = judge(self.EVERYTHING, rules=self.RULES, workflows=(noted(SECRET, VARIABLE),))
        assert self.statuses(result.findings) == dict.fromkeys(self.NAMES, W)
        assert {each.status for each in result.findings if each.check == "ci.workflow-files"} == {P, W}
        assert all(each.needs_person for each in result.findings if each.status is W)

    def test_nobody_reviews_a_group_so_only_refusals_hold_it(self) -> None:
        group = build.group(runs=(replace(self.EVERYTHING, event="merge_group"),), workflows=(noted(SECRET, VARIABLE),))
        findings = check_group(group, self.RULES).findings
        assert self.statuses(findings) == dict.fromkeys(("ci.token", "ci.secrets", "ci.runner", "ci.variables"), P)
        assert {each.status for each in findings if each.check == "ci.workflow-files"} == {P}
        refused = check_group(group, CiRequirement(trust=replace(self.RULES.trust, runner="refuse"))).findings
        assert self.statuses(refused)["ci.runner"] is F

    def test_what_a_group_keeps(self) -> None:
        rule = TrustRule("refuse", "person", "allow", "refuse", "person", "person", ("once",))
        assert rule.of_group() == TrustRule("refuse", "allow", "allow", "refuse", "allow", "allow", ("once",))
