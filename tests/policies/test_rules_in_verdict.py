"""Rules, veto, override and unmapped authors in whole verdicts, and what people read of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.accounts import Account, Commit, CommitIdentity, Override, Permission
from checks.finding import Finding, Status
from checks.snapshot import Head, Snapshot
from checks.unread import Unread
from policies.evaluate import evaluate
from policies.explain import blocking, explain
from policies.statement import test_result as statement_of
from policies.titles import title
from policies.verdict import Node, Verdict
from tests.policies.build import ADA, BEA, HEAD, NOW, approval, change, commit, person_snapshot, snapshot, state
from tests.policies.golden import assert_golden
from tests.policies.rule_case import CY, RIGHTS, TEAMS

P, F, W, E, S = Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED, Status.SKIPPED
PAYMENT = """version: 1
rules:
  payment:
    because: Money is at stake.
    when: {paths: [src/]}
    require:
      all:
        - approvals: {count: 1, teams: [security]}
        - any:
            - approvals: {users: [bea]}
            - rule: signed
  signed:
    standalone: false
    require: {condition: {signed: true}}
  forks:
    when: {fork: true}
    require: {approvals: {count: 3}}
"""


def judged(text: str, *reviews: Any, of: Snapshot | None = None, **changes: Any) -> Verdict:
    start = replace(of or snapshot(), permissions=RIGHTS, teams=TEAMS, reviews=reviews)
    return evaluate(state(text), replace(start, **changes))


def finding(verdict: Verdict, check: str) -> Finding:
    (found,) = (found for found in verdict.findings if found.check == check)
    return found


def part(verdict: Verdict, name: str) -> Node:
    (found,) = (node for node in verdict.review.children if node.name == name)
    return found


class TestRules:
    def test_a_rule_waits_for_its_people(self) -> None:
        verdict = judged(PAYMENT)
        assert (verdict.evidence.status, verdict.review.status) == (P, W)
        assert verdict.needs_person
        assert not verdict.may_enqueue
        found = finding(verdict, "rules.payment")
        assert found.reason == (
            "Rule `payment` waits: 0 of 1 approval by team security and (0 of 1 approval by @bea). Money is at stake."
        )
        assert found.fix is not None
        assert found.fix.text == "Ask for approval by team security or @bea, of this very head."
        assert verdict.needed == ("acme/security", "bea")
        assert title(verdict, "review").startswith("Needs approval by acme/security or bea")

    def test_it_is_met_by_them_alone(self) -> None:
        assert judged(PAYMENT, approval(ADA, id=1)).review.status is W
        half = judged(PAYMENT, approval(CY, id=1))
        assert (half.review.status, half.needed) == (W, ("bea",))
        both = judged(PAYMENT, approval(CY, id=1), approval(BEA, id=2))
        assert (both.review.status, both.needed, both.approved_by) == (P, (), ("cy", "bea"))
        assert both.may_enqueue

    def test_a_rule_that_does_not_apply_says_so(self) -> None:
        verdict = judged(PAYMENT)
        assert finding(verdict, "rules.forks") == Finding("rules.forks", S, "Rule `forks` does not apply.")
        assert [node.name for node in part(verdict, "rules").children] == ["forks", "payment"]
        nothing = judged(PAYMENT, **change("docs/a.md"))
        assert part(nothing, "rules").status is S
        assert nothing.review.status is P

    def test_rules_hold_for_people_too(self) -> None:
        solo = PAYMENT + "review: {people_need_approval: false}\n"
        assert judged(solo, of=person_snapshot()).review.status is W

    def test_they_add_to_what_the_risk_asks_for(self) -> None:
        text = "version: 1\nrules: {x: {require: {approvals: {users: [cy]}}}}\n"
        at_high = judged(text, approval(CY, id=1), **change("auth/a.py"))
        assert part(at_high, "approvals").status is P
        assert part(at_high, "rules").status is P
        by_other = judged(text, approval(ADA, id=1), **change("auth/a.py"))
        assert (part(by_other, "approvals").status, part(by_other, "rules").status) == (P, W)
        assert by_other.needed == ("cy",)

    @pytest.mark.parametrize(
        ("rule", "changes", "status", "words"),
        [
            ("{condition: {signed: true}}", {}, F, 'Rule `x` is not met: `{"signed": true}` does not hold.'),
            ("{condition: {signed: true}}", {"commits": Unread("HTTP 502")}, E, "could not be looked at"),
            ("{condition: {workflows: [{path: e2e.yml}]}}", {}, W, "`e2e.yml` has not run on this head"),
            ("{condition: {signed: false}}", {}, P, "Rule `x` is met:"),
        ],
    )
    def test_what_no_person_settles(self, rule: str, changes: dict[str, Any], status: Status, words: str) -> None:
        found = finding(judged(f"version: 1\nrules: {{x: {{require: {rule}}}}}", **changes), "rules.x")
        assert (found.status, found.needs_person) == (status, False)
        assert words in found.reason

    def test_a_draft_asks_nobody(self) -> None:
        assert judged(PAYMENT, draft=True).needed == ()

    def test_a_very_long_rule_is_cut(self) -> None:
        demands = ", ".join(f"{{approvals: {{users: [{name * 50}]}}}}" for name in "abcdefghijklmnopqrstuvwx")
        found = finding(judged(f"version: 1\nrules: {{x: {{require: {{any: [{demands}]}}}}}}"), "rules.x")
        assert len(found.reason) < 800 and "…" in found.reason

    def test_what_people_read(self) -> None:
        of = replace(snapshot(), permissions=RIGHTS, teams=TEAMS, reviews=(approval(CY, id=1),))
        assert_golden("review-rules", explain(evaluate(state(PAYMENT), of), of, "review"))


def test_a_veto_blocks_in_spite_of_approvals() -> None:
    text = "version: 1\nveto: {teams: [security]}\n"
    asked = approval(CY, id=1, state="CHANGES_REQUESTED", given="CHANGES_REQUESTED")
    verdict = judged(text, asked, approval(ADA, id=2), **change("auth/a.py"))
    assert (verdict.review.status, finding(verdict, "review.veto").status) == (F, F)
    dismissed = judged(text, replace(asked, state="DISMISSED"), approval(ADA, id=2), **change("auth/a.py"))
    assert dismissed.review.status is F


@pytest.mark.parametrize(
    ("author", "message", "status"),
    [
        (Account("devin-ai-integration[bot]", 158243242, "Bot"), "x", W),
        (Account("someone[bot]", 77, "Bot"), "x", W),
        (Account("eve", 78), "x", P),
        # Anybody can write that into a commit, and an outsider's it is all the same.
        (Account("eve", 78), "x\n\nCo-authored-by: Claude <noreply@anthropic.com>", P),
    ],
)
def test_a_rule_for_agents_is_for_those_with_a_fork_too(author: Account, message: str, status: Status) -> None:
    text = "version: 1\nrules: {x: {when: {kinds: [agent]}, require: {approvals: {count: 2}}}}\n"
    fork = Head(HEAD, "e5" * 20, "refs/heads/patch", 99, None)
    commits = (commit(author, message=message),)
    given: dict[str, Any] = {"author": author, "head": fork, "commits": commits, "session_agent": None, "body": ""}
    verdict = judged(text, approval(BEA, id=1, bundle_digest=None), **given)
    assert (verdict.kind, verdict.review.status) == ("outsider", status)


class TestUnmapped:
    STRANGER = Commit("9" * 40, "x", CommitIdentity("n", "n@example.org"), commit(ADA).committer)

    def _judged(self, text: str, *reviews: Any, path: str = "auth/a.py") -> Verdict:
        return judged(text, *reviews, commits=(self.STRANGER,), session_agent=None, **change(path))

    def test_one_more_person_is_asked_for(self) -> None:
        one = self._judged("version: 1", approval(BEA, id=1))
        assert finding(one, "review").status is P
        assert (finding(one, "review.unmapped").status, one.review.status) == (W, W)
        assert one.needed == ("anyone with write permission",)
        two = self._judged("version: 1", approval(BEA, id=1), approval(CY, id=2))
        assert two.review.status is P

    def test_whoever_a_rule_counts_is_one_more(self) -> None:
        text = "version: 1\napprovers: {users: [bea]}\nrules: {x: {require: {approvals: {users: [cy]}}}}"
        assert self._judged(text, approval(BEA, id=1), approval(CY, id=2)).review.status is P
        three = text.replace("users: [cy]", "count: 2")
        assert finding(self._judged(three, approval(BEA, id=1)), "review.unmapped").reason.startswith(
            "One more person than the 2 needed must approve"
        )

    def test_where_nobody_is_needed_nobody_is_asked(self) -> None:
        quiet = self._judged("version: 1", path="src/total.py")
        assert all(each.check != "review.unmapped" for each in quiet.findings)
        solo = self._judged("version: 1\nextends: solo", approval(BEA, id=1))
        assert all(each.check != "review.unmapped" for each in solo.findings)


class TestOverride:
    TEXT = "version: 1\noverride: {permission: admin}\n"
    GIVEN = Override(BEA, "The shop is down.", HEAD, NOW, 77)

    def _judged(self, *given: Override, text: str = TEXT, **changes: Any) -> Verdict:
        return judged(text, body="", **{"overrides": given, **change("auth/a.py"), **changes})

    def test_it_lets_through_and_stands_in_the_title(self) -> None:
        assert self._judged().status is F
        verdict = self._judged(self.GIVEN)
        assert (verdict.evidence.status, verdict.review.status, verdict.status) == (P, P, P)
        assert verdict.overridden_by == self.GIVEN
        assert not verdict.needs_person
        assert not verdict.may_enqueue
        assert (verdict.needed, verdict.orders) == ((), ())
        for run in ("evidence", "review"):
            assert title(verdict, run) == "Overridden by bea: The shop is down."
        assert verdict.evidence.reason == "Overridden by bea: The shop is down."
        assert verdict.evidence.children[0].name == "override"

    def test_what_was_found_stays_to_be_read(self) -> None:
        of = snapshot(body="", overrides=(self.GIVEN,), permissions=RIGHTS)
        verdict = evaluate(state(self.TEXT), of)
        shown = explain(verdict, of, "evidence")
        assert shown.summary.startswith("✅ **Passed.** Overridden by bea: The shop is down.")
        assert "❌ **bundle**" in shown.summary
        assert "What blocks" not in shown.summary
        assert blocking(verdict.evidence) == ()
        assert statement_of(verdict) is None

    def test_whoever_may_override_reads_how(self) -> None:
        of = snapshot(body="", permissions=RIGHTS)
        how = f"first line is `/override {HEAD[:12]} REASON`: people with admin permission."
        assert how in explain(evaluate(state(self.TEXT), of), of, "evidence").summary
        assert how not in explain(evaluate(state(self.TEXT), of), of, "review").summary
        assert "/override" not in explain(evaluate(state("version: 1"), of), of, "evidence").summary
        let_through = replace(of, overrides=(self.GIVEN,))
        assert "/override" not in explain(evaluate(state(self.TEXT), let_through), let_through, "evidence").summary

    def test_a_part_that_passed_stays_as_it_is(self) -> None:
        verdict = judged(self.TEXT, body="", overrides=(self.GIVEN,))
        assert verdict.review.reason == "No approval is needed for a change of this risk."

    @pytest.mark.parametrize(
        "given",
        [
            replace(GIVEN, commit="9" * 40),
            replace(GIVEN, reason=" "),
            replace(GIVEN, author=CY),
            replace(GIVEN, author=Account("zed", 9)),
            replace(GIVEN, author=Account("bea", 2, "Bot")),
            replace(GIVEN, author=Account("claude[bot]", 5)),
        ],
    )
    def test_it_counts_only_by_whom_the_policy_names(self, given: Override) -> None:
        assert self._judged(given).overridden_by is None

    def test_nobody_may_unless_the_policy_says_who(self) -> None:
        assert self._judged(self.GIVEN, text="version: 1").status is F

    def test_nobody_overrides_findings_on_their_own_work(self) -> None:
        assert self._judged(self.GIVEN, commits=(commit(BEA),)).overridden_by is None
        assert self._judged(self.GIVEN, operator="bea").overridden_by is None
        solo = "version: 1\nextends: solo\noverride: {permission: admin}\n"
        assert self._judged(self.GIVEN, text=solo, operator="bea").overridden_by == self.GIVEN

    def test_the_first_that_counts_is_told(self) -> None:
        later = replace(self.GIVEN, comment_id=78, reason="Again.")
        own = replace(self.GIVEN, comment_id=76, author=CY)
        assert self._judged(later, self.GIVEN, own).overridden_by == self.GIVEN

    def test_a_right_that_could_not_be_read_is_none(self) -> None:
        assert self._judged(self.GIVEN, permissions={"bea": Unread("HTTP 502")}).overridden_by is None
        assert self._judged(self.GIVEN, permissions={"bea": Permission.ADMIN}).overridden_by == self.GIVEN
