"""The verdict on whole pull requests: each row changes one thing of one that passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import pytest

from checks.accounts import Account, Permission
from checks.dependency_steps import DependencyUpdate
from checks.dependency_updates import UpdateReading
from checks.diff import ChangedFile, Diff, FileStatus
from checks.finding import Finding, Status
from checks.runs import JobLog, Step, WorkflowFile
from checks.snapshot import Head, Risk, Snapshot, Ticket
from checks.tampering.alteration import Alteration, Analysis, Weight
from checks.unread import Unread
from policies.evaluate import evaluate
from policies.load import PolicySource, PolicyState, read_policy
from policies.verdict import Node, Verdict, VerificationOrder
from tests.policies.build import (
    ADA,
    BEA,
    BODY,
    COURIER,
    DEPENDABOT,
    HEAD,
    TARGET,
    approval,
    change,
    commit,
    diff,
    person_snapshot,
    presets,
    run,
    snapshot,
    state,
)

P, F, W, E, S = Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED, Status.SKIPPED
BROKEN = "version: 1\nmode: x\n"


def judged(text: str | None = None, of: Snapshot | None = None, **changes: Any) -> Verdict:
    return evaluate(state(text), replace(of or snapshot(), **changes))


def parts(node: Node) -> dict[str, Status]:
    return {child.name: child.status for child in node.children}


def finding(verdict: Verdict, check: str) -> Finding:
    (found,) = (found for found in verdict.findings if found.check == check)
    return found


def snapshot_workflows() -> tuple[WorkflowFile, ...]:
    files = snapshot().workflows
    assert not isinstance(files, Unread)
    return files


def body(risk: str) -> str:
    return BODY.replace("level: low", f"level: {risk}").replace(
        "{strategy: revert}", "{strategy: revert, tested: true}"
    )


def unread_state() -> PolicyState:
    return read_policy(PolicySource(Unread("GitHub answered 502"), "refs/heads/main", TARGET), presets())


class TestAgent:
    def test_all_is_well(self) -> None:
        verdict = judged()
        assert (verdict.evidence.status, verdict.review.status, verdict.status) == (P, P, P)
        assert (verdict.kind, verdict.mode, verdict.gated, verdict.risk, verdict.areas) == (
            "agent",
            "enforce",
            True,
            Risk.LOW,
            (),
        )
        assert (verdict.needed, verdict.approved_by, verdict.needs_person) == ((), (), False)
        assert verdict.may_enqueue
        assert parts(verdict.evidence) == {
            "people": P,
            "policy": P,
            "ticket": S,
            "bundle": P,
            "scope": P,
            "risk": P,
            "rollback": P,
            "tampering": S,
            "ci": P,
            "verifier": S,
        }
        assert parts(verdict.review) == {"approvals": P}
        assert (verdict.evidence.name, verdict.review.name) == ("evidence", "review")

    def test_it_names_what_was_judged(self) -> None:
        verdict = judged()
        assert (verdict.head_sha, verdict.target_ref, verdict.ticket_digest) == (HEAD, "refs/heads/main", None)
        assert verdict.policy_digest == state().digest
        assert verdict.bundle_digest is not None
        assert judged(body=body("medium")).bundle_digest != verdict.bundle_digest
        assert judged(body="").bundle_digest is None
        assert judged(ticket=Ticket("T-1", "sha256:t")).ticket_digest == "sha256:t"

    def test_no_file_is_said(self) -> None:
        assert "the default policy applies" in finding(judged(), "policy").reason
        assert finding(judged("version: 1"), "policy").reason == "The policy is `.github/mergegate.yml` of `main`."

    WRONG: ClassVar = [
        ("no bundle", {"body": ""}, "bundle", F),
        (
            "a false exit code is no word of the log",
            {"body": BODY.replace("exit_code: 0", "exit_code: 1")},
            "bundle",
            F,
        ),
        ("no way back", {"body": BODY.replace("rollback: {strategy: revert}\n", "")}, "rollback", F),
        ("CI still runs", {"runs": (run(status="in_progress", conclusion=None),)}, "ci", W),
        ("CI failed", {"runs": (run(conclusion="failure"),)}, "ci", F),
        ("CI unreadable", {"runs": Unread("GitHub answered 502")}, "ci", E),
        ("GitHub's count unreadable", {"changed_files_total": Unread("GitHub answered 502")}, "scope", E),
        ("outside its ticket", {"ticket": Ticket("T", "sha256:t", allowed_paths=("docs/",))}, "scope", F),
    ]

    @pytest.mark.parametrize(("changes", "part", "status"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
    def test_one_thing_is_wrong(self, changes: dict[str, Any], part: str, status: Status) -> None:
        verdict = judged(**changes)
        assert parts(verdict.evidence)[part] is status
        assert verdict.evidence.status in (status, F)
        assert verdict.status is verdict.evidence.status
        assert not verdict.may_enqueue

    def test_the_root_says_why(self) -> None:
        verdict = judged(body="")
        assert verdict.evidence.reason == finding(verdict, "bundle").reason

    def test_required_fields_come_from_the_policy(self) -> None:
        assert judged("version: 1\nbundle: {required: [reason, preview]}").evidence.status is F
        lenient = judged("version: 1\nbundle: {required: [reason]}", body="```mergegate\nreason: x\n```\n")
        assert (parts(lenient.evidence)["bundle"], parts(lenient.evidence)["rollback"]) == (P, S)

    def test_required_jobs_come_from_the_policy(self) -> None:
        assert judged("version: 1\nci: {jobs: [test]}").evidence.status is P
        assert parts(judged("version: 1\nci: {jobs: [deploy]}").evidence)["ci"] is F
        assert parts(judged("version: 1\nci: {commands: [tox]}").evidence)["ci"] is F
        assert judged("version: 1\nci: {commands: [pytest -q]}").evidence.status is P
        assert parts(judged("version: 1\nci: {workflows: [other.yml]}").evidence)["ci"] is not P
        pushed = (run(event="push"),)
        assert parts(judged("version: 1", runs=pushed).evidence)["ci"] is not P

    def test_risk_paths_come_from_the_policy(self) -> None:
        policy = "version: 1\nrisk: {areas: {totals: {risk: medium, paths: [total.py]}}}"
        verdict = judged(policy, body=body("medium"))
        assert (verdict.risk, verdict.areas) == (Risk.MEDIUM, ("totals",))
        assert (verdict.evidence.status, verdict.review.status) == (P, W)


class TestTicket:
    def test_it_is_named(self) -> None:
        verdict = judged(ticket=Ticket("T-1", "sha256:t"))
        assert (finding(verdict, "ticket").status, finding(verdict, "ticket").reason) == (
            P,
            "It belongs to ticket `T-1`.",
        )

    def test_it_can_be_required(self) -> None:
        found = finding(judged("version: 1\nticket: {required: true}"), "ticket")
        assert found.status is F
        assert found.fix is not None
        assert found.fix.action == "link-ticket"

    def test_it_is_not_required_otherwise(self) -> None:
        assert finding(judged(), "ticket").status is S


class TestRisk:
    def test_medium_needs_one_approval(self) -> None:
        verdict = judged(body=body("medium"))
        assert (verdict.risk, verdict.evidence.status, verdict.review.status, verdict.status) == (Risk.MEDIUM, P, W, W)
        assert verdict.needed == ("anyone with write permission",)
        assert verdict.needs_person
        assert not verdict.may_enqueue
        assert finding(verdict, "ci.verifier").status is S

    def test_an_approval_settles_it(self) -> None:
        verdict = judged(
            body=body("medium"), reviews=(approval(ADA, bundle_digest=judged(body=body("medium")).bundle_digest),)
        )
        assert (verdict.review.status, verdict.approved_by, verdict.needed, verdict.may_enqueue) == (
            P,
            ("ada",),
            (),
            True,
        )
        assert not verdict.needs_person

    def test_an_approval_of_another_bundle_does_not(self) -> None:
        verdict = judged(body=body("medium"), reviews=(approval(ADA),))
        assert (verdict.review.status, verdict.approved_by) == (W, ())

    @pytest.mark.parametrize(
        ("risk", "approvals"),
        [("high", 1), ("critical", 2)],
    )
    def test_high_waits_for_what_the_verifier_runs(self, risk: str, approvals: int) -> None:
        verdict = judged(body=body(risk))
        found = finding(verdict, "ci.verifier")
        assert (found.status, verdict.evidence.status, verdict.orders) == (W, W, ())
        assert found.reason == (
            f"{risk.capitalize()} risk needs a separate verifier run, but the policy does not say what it runs."
        )
        assert found.fix is not None
        assert found.fix.action == "ask-person"
        assert "Ask a person to set `ci.commands` and `verifier.image` in the policy" in found.fix.text
        assert f"`requirements.{risk}.evidence`" in found.fix.text
        assert f"0 of {approvals} approvals" in finding(verdict, "review").reason

    def test_a_policy_may_be_content_with_ci(self) -> None:
        verdict = judged("version: 1\nrequirements: {high: {evidence: ci}}", body=body("high"))
        assert verdict.evidence.status is P

    def test_low_may_need_approvals_too(self) -> None:
        verdict = judged("version: 1\nrequirements: {low: {approvals: 2}}", reviews=(approval(ADA),))
        assert (verdict.review.status, verdict.approved_by) == (W, ("ada",))
        assert "1 of 2" in finding(verdict, "review").reason


class TestVerifierOrder:
    PATH = ".github/workflows/mergegate-verify.yml"
    POLICY = (
        "version: 1\nci: {commands: [pytest -q]}\n"
        "verifier: {image: 'python:3.13', setup: [pip install .], network: true}\n"
    )

    def judged(self, risk: str = "high", policy: str = POLICY, **changes: Any) -> Verdict:
        files = (*snapshot_workflows(), WorkflowFile(self.PATH, "v1" * 20, "v1" * 20))
        return judged(policy, **{"body": body(risk), "workflows": files, **changes})

    def test_runs_are_asked_for_once_all_else_is_settled(self) -> None:
        command = ("pytest -q",)
        order = VerificationOrder(1, self.PATH, "python:3.13", ("pip install .",), command, True, ())
        verdict = self.judged()
        assert (verdict.orders, verdict.evidence.status) == ((order,), W)
        (critical,) = self.judged("critical").orders
        assert critical.count == 2

    def test_the_ticket_adds_commands(self) -> None:
        ticket = Ticket("T-1", "sha256:t", verification_commands=("make check",))
        jobs = tuple(
            replace(
                job,
                log=replace(job.log, commands=(*job.log.commands, "make check")),
                steps=(*job.steps, Step("Run make check", 4, "completed", "success")),
            )
            for job in run().jobs
            if isinstance(job.log, JobLog)
        )
        (order,) = self.judged(ticket=ticket, runs=(run(jobs=jobs),)).orders
        assert order.commands == ("pytest -q", "make check")

    def test_changed_test_infrastructure_is_restored_in_the_second_job(self) -> None:
        changed = change("src/a.py", "tests/conftest.py", "tests/test_a.py", "Makefile")
        (order,) = self.judged(**changed).orders
        assert order.restored == ("Makefile", "tests/conftest.py")

    @pytest.mark.parametrize(
        ("word", "paths"), [("ignore", ()), ("person", ("tests/test_a.py",)), ("refuse", ("tests/test_a.py",))]
    )
    def test_new_tests_are_tried_on_the_target_where_the_policy_asks(self, word: str, paths: tuple[str, ...]) -> None:
        test = ChangedFile("tests/test_a.py", FileStatus.ADDED, additions=4)
        policy = self.POLICY.replace("network", f"new_tests: {word}, network")
        changed = change("src/a.py", "tests/test_a.py")
        (order,) = self.judged(
            policy=policy, **{**changed, "merge_diff": Diff((test,)), "analysis": Analysis(())}
        ).orders
        assert order.new_tests == paths

    def test_new_tests_that_a_dispatch_cannot_carry_are_left_out_of_it(self) -> None:
        tests = tuple(ChangedFile(f"tests/test_{n}.py", FileStatus.ADDED, additions=4) for n in range(400))
        policy = self.POLICY.replace("network", "new_tests: refuse, network")
        infrastructure = tuple(ChangedFile(f"{n}/conftest.py", FileStatus.ADDED, additions=4) for n in range(500))
        (order,) = self.judged(policy=policy, merge_diff=Diff(tests + infrastructure), analysis=Analysis(())).orders
        assert (order.new_tests, order.restored) == ((), ())

    def test_none_is_asked_for_while_something_is_open_or_it_is_a_draft(self) -> None:
        assert self.judged(draft=True).orders == ()
        assert self.judged(runs=()).orders == ()
        assert self.judged("low").orders == ()

    def test_what_only_a_person_can_settle_may_be_settled_later(self) -> None:
        loss = body("high").replace(
            "{strategy: revert, tested: true}", "{strategy: revert, tested: true, data_loss: true}"
        )
        verdict = self.judged(body=loss)
        assert verdict.needs_person
        assert len(verdict.orders) == 1


class TestTampering:
    REMOVED = Alteration(
        "test-removed",
        "tests/test_a.py",
        3,
        "def test_a(): ...",
        "",
        "The test `test_a` is gone.",
        Weight.FAILED,
        "test_a",
    )

    def test_a_removed_test_fails_the_evidence(self) -> None:
        verdict = judged(analysis=Analysis((self.REMOVED,)))
        assert (finding(verdict, "tampering.test-removed").status, verdict.evidence.status) == (F, F)

    def test_declared_in_the_bundle_a_person_decides(self) -> None:
        declared = BODY.replace("rollback:", "tests: {removed: [test_a]}\nrollback:")
        verdict = judged(analysis=Analysis((self.REMOVED,)), body=declared)
        assert (verdict.evidence.status, verdict.review.status, verdict.needs_person) == (P, W, True)
        approved = judged(
            analysis=Analysis((self.REMOVED,)),
            body=declared,
            reviews=(approval(ADA, bundle_digest=verdict.bundle_digest),),
        )
        assert approved.review.status is P

    def test_an_outsider_has_no_bundle_that_could_declare_it(self) -> None:
        of = replace(TestOutsider().fork(), analysis=Analysis((self.REMOVED,)))
        assert judged(of=of).evidence.status is F

    def test_a_person_s_own_change_is_theirs(self) -> None:
        assert judged(of=replace(person_snapshot(), analysis=Analysis((self.REMOVED,)))).evidence.status is P


class TestApprovers:
    POLICY = "version: 1\nrequirements: {low: {approvals: 1}}\napprovers: {users: [bea, ada], teams: [core]}\n"

    def test_only_the_named_count(self) -> None:
        verdict = judged(self.POLICY, reviews=(approval(Account("cy", 3)),), permissions={"cy": Permission.ADMIN})
        assert (verdict.review.status, verdict.needed) == (W, ("bea", "ada", "acme/core"))
        assert judged(self.POLICY, reviews=(approval(ADA),)).review.status is P

    def test_team_members_count(self) -> None:
        cy: dict[str, Any] = {"permissions": {"cy": Permission.WRITE}, "teams": {"core": frozenset({"cy"})}}
        assert judged(self.POLICY, reviews=(approval(Account("cy", 3)),), **cy).approved_by == ("cy",)

    def test_whoever_approved_is_not_asked_again(self) -> None:
        policy = self.POLICY.replace("approvals: 1", "approvals: 2")
        assert judged(policy, reviews=(approval(Account("Ada", 1)),)).needed == ("bea", "acme/core")

    def test_a_risk_may_have_approvers_of_its_own(self) -> None:
        policy = "version: 1\nrequirements: {low: {approvals: 1, approvers: {users: [bea]}}}\n"
        assert judged(policy, reviews=(approval(ADA),)).needed == ("bea",)
        assert judged(policy, reviews=(approval(BEA),)).review.status is P

    def test_a_permission_can_be_asked_for(self) -> None:
        policy = "version: 1\nrequirements: {low: {approvals: 1}}\napprovers: {permission: admin}\n"
        assert judged(policy, reviews=(approval(ADA),)).needed == ("anyone with admin permission",)
        assert judged(policy, reviews=(approval(BEA),)).review.status is P

    def test_the_operator_only_where_the_policy_allows_it(self) -> None:
        asked = "requirements: {low: {approvals: 1}}"
        mine: dict[str, Any] = {"reviews": (approval(ADA),), "operator": "ada"}
        assert judged(f"version: 1\n{asked}", **mine).review.status is W
        assert judged(f"version: 1\nextends: solo\n{asked}", **mine).review.status is P

    def test_reviews_that_could_not_be_read(self) -> None:
        verdict = judged("version: 1\nrequirements: {low: {approvals: 1}}", reviews=Unread("GitHub answered 502"))
        assert (verdict.review.status, verdict.status, verdict.needed) == (E, E, ())


class TestQuestions:
    """Findings that only a person can settle: here, a way back that loses data."""

    LOSS = BODY.replace("{strategy: revert}", "{strategy: revert, data_loss: true}")

    def test_they_wait_in_review_not_in_evidence(self) -> None:
        verdict = judged(body=self.LOSS)
        assert (verdict.evidence.status, verdict.review.status) == (P, W)
        assert parts(verdict.review) == {"approvals": W, "questions": W}
        assert parts(verdict.evidence)["rollback"] is P
        shown = [
            leaf for node in verdict.evidence.children for leaf in node.children if leaf.name == "rollback.data-loss"
        ]
        assert [(leaf.status, leaf.reason) for leaf in shown] == [(S, "A person decides this, see mergegate/review.")]
        assert "0 of 1 approvals" in finding(verdict, "review").reason
        assert verdict.needs_person

    def test_an_approval_settles_them(self) -> None:
        digest = judged(body=self.LOSS).bundle_digest
        reviews = (approval(ADA, bundle_digest=digest), approval(BEA, id=6, bundle_digest=digest))
        verdict = judged(body=self.LOSS, reviews=reviews)
        assert (verdict.review.status, verdict.needs_person, verdict.may_enqueue) == (P, False, True)
        (question,) = verdict.review.children[1].findings
        assert question.reason.endswith(" Accepted by ada, bea.")
        assert (question.status, question.fix) == (P, None)


class TestPerson:
    def test_evidence_is_not_asked_of_people(self) -> None:
        verdict = judged(of=person_snapshot())
        assert (verdict.kind, verdict.status) == ("person", P)
        assert parts(verdict.evidence) == {"people": P, "risk": P}
        assert not verdict.may_enqueue

    def test_risk_binds_them(self) -> None:
        verdict = judged(of=person_snapshot(**change("Makefile")))
        assert (verdict.kind, verdict.risk, verdict.areas) == ("person", Risk.HIGH, ("ci",))
        assert (verdict.evidence.status, verdict.review.status) == (P, W)
        approved = person_snapshot(**change("Makefile"), reviews=(approval(BEA, bundle_digest=None),))
        assert judged(of=approved).review.status is P

    def test_one_person_alone_is_not_asked_for_a_second(self) -> None:
        verdict = judged("version: 1\nextends: solo", of=person_snapshot(**change("Makefile")))
        assert (verdict.risk, verdict.status) == (Risk.HIGH, P)

    def test_strict_knows_only_the_named(self) -> None:
        assert judged("version: 1\nextends: strict", of=person_snapshot()).kind == "agent"
        assert judged("version: 1\nextends: strict\npeople: {users: [ada]}", of=person_snapshot()).kind == "person"
        team = person_snapshot(teams={"core": frozenset({"ada"})})
        assert judged("version: 1\npeople: {teams: [core]}", of=team).kind == "person"

    MARKS: ClassVar = [
        ("agents: {branches: [faster]}", {}),
        ("agents: {apps: [ada]}", {}),
        ("agents: {trailers: [Made-By]}", {"commits": (commit(ADA, message="x\n\nMade-By: bot"),)}),
    ]

    @pytest.mark.parametrize(("line", "changes"), MARKS)
    def test_marks_of_the_policy_make_it_an_agent_s(self, line: str, changes: dict[str, Any]) -> None:
        of = person_snapshot(**changes)
        assert judged("version: 1", of=of).kind == "person"
        assert judged(f"version: 1\n{line}", of=of).kind == "agent"


class TestOutsider:
    FORK = Head(HEAD, "e5" * 20, "refs/heads/faster", 77, Account("eve", 66))

    def fork(self, **changes: Any) -> Snapshot:
        eve = Account("eve", 66)
        return person_snapshot(
            author=eve, head=self.FORK, commits=(commit(eve),), runs=(run(head_repository_id=77),), **changes
        )

    def test_a_person_must_look(self) -> None:
        verdict = judged(of=self.fork())
        assert (verdict.kind, verdict.risk, verdict.evidence.status, verdict.review.status) == (
            "outsider",
            Risk.LOW,
            P,
            W,
        )
        assert parts(verdict.evidence) == {"people": P, "policy": P, "scope": P, "risk": P, "tampering": S, "ci": P}
        assert "0 of 1" in finding(verdict, "review").reason

    def test_how_many_is_in_the_policy(self) -> None:
        assert "0 of 3" in finding(judged("version: 1\noutsiders: {approvals: 3}", of=self.fork()), "review").reason
        risky = "version: 1\noutsiders: {approvals: 2}\nrequirements: {low: {approvals: 3}}"
        assert "0 of 3" in finding(judged(risky, of=self.fork()), "review").reason

    def test_approved_it_passes_and_is_not_enqueued(self) -> None:
        verdict = judged(of=self.fork(reviews=(approval(ADA, bundle_digest=None),)))
        assert (verdict.status, verdict.approved_by, verdict.may_enqueue) == (P, ("ada",), False)

    def test_its_ci_counts(self) -> None:
        assert judged(of=replace(self.fork(), runs=())).evidence.status is not P

    def test_what_a_known_agent_brings_from_a_fork_proves_what_an_agent_must(self) -> None:
        devin = Account("devin-ai-integration[bot]", 158243242, "Bot")
        brought = replace(self.fork(), author=devin, **change("src/auth/login.py"))
        verdict = judged(of=replace(brought, reviews=(approval(ADA, bundle_digest=None),)))
        shown = parts(verdict.evidence)
        assert (verdict.kind, shown["bundle"], shown["verifier"]) == ("outsider", F, W)
        assert verdict.evidence.status is F and not verdict.may_enqueue
        assert "0 of 1" in finding(judged(of=brought), "review").reason  # and a person must look

    def test_a_person_looks_so_no_verifier_must_run(self) -> None:
        verdict = judged(of=replace(self.fork(), **change("src/auth/login.py")))
        assert (verdict.kind, verdict.risk, verdict.evidence.status, verdict.review.status) == (
            "outsider",
            Risk.HIGH,
            P,
            W,
        )


class TestDependencyBot:
    def update(self, *paths: str, **changes: Any) -> Snapshot:
        head = Head(HEAD, "e5" * 20, "refs/heads/dependabot/pip/x", 1, DEPENDABOT)
        signed = (commit(DEPENDABOT, signature_valid=True, signed_by_github=True),)
        of = snapshot(author=DEPENDABOT, head=head, commits=signed, body="", session_agent=None, **change(*paths))
        return replace(of, **{"dependency_updates": UpdateReading(), **changes})

    @pytest.mark.parametrize(
        ("reading", "because"),
        [
            (None, "how far its updates go is not known"),
            (UpdateReading((), ("`uv.lock` could not be read",)), "`uv.lock` could not be read"),
            (UpdateReading((DependencyUpdate("uv.lock", "rich", "13.1.0", "14.0.0"),)), "rich goes from 13.1.0 to 14"),
            (UpdateReading((DependencyUpdate("uv.lock", "evil", None, "1.0.0"),)), "evil 1.0.0 is new in uv.lock"),
        ],
    )
    def test_what_goes_further_than_a_minor_step_is_high(self, reading: Any, because: str) -> None:
        verdict = judged(of=self.update("uv.lock", dependency_updates=reading))
        assert (verdict.kind, verdict.risk, verdict.areas) == ("dependency-bot", Risk.HIGH, ("dependencies",))
        assert because in finding(verdict, "risk").reason

    def test_the_largest_step_can_be_set(self) -> None:
        minor = UpdateReading((DependencyUpdate("uv.lock", "rich", "13.1.0", "13.2.0"),))
        of = self.update("uv.lock", dependency_updates=minor)
        assert judged(of=of).risk is Risk.MEDIUM
        assert judged("version: 1\ndependency_bots: {updates: patch}", of=of).risk is Risk.HIGH

    def test_an_update_needs_no_bundle_and_has_the_section_s_risk(self) -> None:
        verdict = judged(of=self.update("uv.lock"))
        assert (verdict.kind, verdict.risk, verdict.areas) == ("dependency-bot", Risk.MEDIUM, ())
        assert (verdict.evidence.status, verdict.review.status) == (P, W)
        assert parts(verdict.evidence) == {
            "people": P,
            "policy": P,
            "scope": P,
            "risk": P,
            "tampering": S,
            "ci": P,
            "verifier": S,
        }

    def test_the_risk_can_be_set(self) -> None:
        verdict = judged("version: 1\ndependency_bots: {risk: low}", of=self.update("uv.lock"))
        assert (verdict.risk, verdict.status, verdict.may_enqueue) == (Risk.LOW, P, False)

    def test_another_area_still_raises_it(self) -> None:
        policy = "version: 1\nrisk: {areas: {mine: {risk: high, paths: [uv.lock]}}}"
        verdict = judged(policy, of=self.update("uv.lock"))
        assert (verdict.risk, verdict.areas) == (Risk.HIGH, ("mine",))
        assert (finding(verdict, "ci.verifier").status, verdict.evidence.status) == (W, W)

    def test_other_changes_are_an_agent_s(self) -> None:
        assert judged(of=self.update("uv.lock", "src/x.py")).kind == "agent"
        assert judged("version: 1\ndependency_bots: {paths: [other]}", of=self.update("uv.lock")).kind == "agent"
        assert judged("version: 1\ndependency_bots: {accounts: []}", of=self.update("uv.lock")).kind == "agent"


CY = Account("cy", 3)


class TestPolicyTrouble:
    def test_a_broken_file_fails_every_agent_s(self) -> None:
        verdict = judged(BROKEN)
        found = finding(verdict, "policy")
        assert (verdict.evidence.status, found.status, verdict.review.status) == (F, F, P)
        assert "line 2, column 1: `mode`" in found.reason
        assert found.fix is not None
        assert (found.fix.action, found.fix.field) == ("repair-policy", "mode")

    def test_and_every_outsider_s_and_bot_s(self) -> None:
        assert judged(BROKEN, of=TestOutsider().fork()).evidence.status is F
        assert judged(BROKEN, of=TestDependencyBot().update("uv.lock")).evidence.status is F

    def test_people_are_those_with_write_permission(self) -> None:
        verdict = judged("version: 1\nextends: strict\nmode: x", of=person_snapshot())
        assert (verdict.kind, verdict.status) == ("person", P)

    ADMIN: ClassVar[dict[str, Any]] = {"permissions": {"ada": Permission.ADMIN}}
    WITH_CY: ClassVar[dict[str, Any]] = {"permissions": {"ada": Permission.ADMIN, "cy": Permission.MAINTAIN}}
    REPAIRS: ClassVar = [
        ("an administrator replaces the file", {**ADMIN}, P),
        ("without being one", {"permissions": {"ada": Permission.MAINTAIN}}, W),
        ("somebody else wrote a part of it", {**WITH_CY, "commits": (commit(ADA), commit(CY))}, W),
        ("somebody else pushed a part of it", {**WITH_CY, "earlier_pushers": (CY,)}, W),
        ("somebody else pushed it", {**WITH_CY, "head": replace(person_snapshot().head, pusher=CY)}, W),
        ("and another file", {**ADMIN, **change(".github/mergegate.yml", "Makefile")}, W),
        ("another file only", {**ADMIN, **change("Makefile")}, W),
        (
            "not all of the diff is known",
            {**ADMIN, "diff": Diff(diff(".github/mergegate.yml").files, complete=False)},
            W,
        ),
        ("the diff is not known", {**ADMIN, "diff": Unread("git took too long")}, W),
        (
            "moved from elsewhere",
            {
                **ADMIN,
                "diff": Diff((ChangedFile(".github/mergegate.yml", FileStatus.RENAMED, previous_path="src/x.py"),)),
            },
            W,
        ),
    ]

    @pytest.mark.parametrize(("changes", "status"), [row[1:] for row in REPAIRS], ids=[row[0] for row in REPAIRS])
    def test_repairing_it(self, changes: dict[str, Any], status: Status) -> None:
        of = person_snapshot(**change(".github/mergegate.yml"))
        assert judged(BROKEN, of=of, **changes).review.status is status

    def test_a_file_in_order_is_not_repaired_alone(self) -> None:
        of = person_snapshot(**change(".github/mergegate.yml"), **self.ADMIN)
        assert judged("version: 1", of=of).review.status is W

    def test_an_agent_repairs_nothing(self) -> None:
        assert judged(BROKEN, **change(".github/mergegate.yml"), **self.ADMIN).review.status is W

    def test_an_unknown_author_repairs_nothing(self) -> None:
        of = person_snapshot(**change(".github/mergegate.yml"), author=Unread("GitHub answered 502"))
        assert judged(BROKEN, of=of).review.status is W

    def test_an_unread_file_holds_everybody(self) -> None:
        for of in (snapshot(), person_snapshot()):
            verdict = evaluate(unread_state(), of)
            assert verdict.review.status is E
            assert parts(verdict.review) == {"policy": E, "approvals": P}
        assert evaluate(unread_state(), snapshot()).evidence.status is E


class TestDraft:
    def test_nobody_is_asked(self) -> None:
        verdict = judged(body=body("medium"), draft=True)
        assert (verdict.review.status, verdict.needed) == (W, ())
        assert verdict.review.reason == "It is a draft: nobody is asked before it is ready for review."

    def test_it_is_judged_but_not_enqueued(self) -> None:
        verdict = judged(draft=True)
        assert (verdict.status, verdict.may_enqueue) == (P, False)
        assert verdict.review.reason == "No approval is needed for a change of this risk."


class TestEnqueue:
    ROWS: ClassVar = [
        ("probation", None, {}, True),
        ("on", "version: 1\nqueue: {enqueue: on}", {}, True),
        ("off", "version: 1\nqueue: {enqueue: off}", {}, False),
        ("observing", "version: 1\nmode: observe", {}, False),
        ("closed", None, {"open": False}, False),
        ("not passed", None, {"body": ""}, False),
    ]

    @pytest.mark.parametrize(("text", "changes", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
    def test_may_enqueue(self, text: str | None, changes: dict[str, Any], expected: bool) -> None:
        assert judged(text, **changes).may_enqueue is expected


class TestGated:
    @pytest.mark.parametrize(
        ("ref", "expected"),
        [
            ("refs/heads/main", True),
            ("refs/heads/release/1", True),
            ("refs/heads/other", False),
            ("refs/tags/release/1", False),
        ],
    )
    def test_the_policy_says_which_branches(self, ref: str, expected: bool) -> None:
        assert judged("version: 1\nbranches: [release/*]", target_ref=ref, base_ref=ref).gated is expected

    def test_nothing_is_said_on_other_branches(self) -> None:
        verdict = judged(target_ref="refs/heads/other")
        assert (verdict.gated, verdict.evidence.status, verdict.review.status) == (False, S, S)
        assert (verdict.status, verdict.may_enqueue, verdict.needed) == (F, False, ())

    def test_the_default_branch_s_word_decides(self) -> None:
        other = snapshot(target_ref="refs/heads/other", base_ref="refs/heads/other")
        assert evaluate(state(), other, gated=True).gated
        assert not evaluate(state(), snapshot(), gated=False).gated

    def test_observe_is_said(self) -> None:
        assert judged("version: 1\nmode: observe").mode == "observe"


def test_a_local_judgement_is_pending() -> None:
    """Without GitHub a good change is never more than pending."""
    offline = Unread("GitHub was not asked", offline=True)
    verdict = judged(
        number=None,
        author=offline,
        commits=(commit(COURIER),),
        runs=offline,
        workflows=offline,
        reviews=offline,
        check_runs=offline,
        changed_files_total=offline,
        permissions={},
    )
    assert verdict.status is W
    assert not verdict.may_enqueue
