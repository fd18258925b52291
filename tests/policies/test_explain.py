"""What people and agents read: golden files, limits, and nothing of the pull request's text alive."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any, ClassVar, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from checks.finding import Evidence, Finding, Fix, Status, errored, failed, needs_person, passed, pending, skipped
from checks.snapshot import Risk, Snapshot, Stack
from policies.evaluate import evaluate
from policies.explain import Annotation, blocking, explain, explain_group, finding_record
from policies.fit import LIMIT, fitted, size
from policies.titles import title
from policies.tree import group, required
from policies.verdict import GroupVerdict, Run, Verdict
from policies.wanted import wanted
from tests.policies.build import BODY, HEAD, NOW, TARGET, change, snapshot, state, verdict
from tests.policies.golden import assert_golden

RUN = "https://github.com/acme/shop/actions/runs/7/job/9"
WAIT = Fix("wait", "Wait for the run to finish.")
BUNDLE_FIX = Fix("add-bundle-field", "Add rollback.strategy to the bundle.", "rollback.strategy")

POLICY = passed("policy", "`main` has no `.github/mergegate.yml`, so the default policy applies.")
BUNDLE = passed(
    "bundle", "Every field that the policy asks for is there.", Evidence("bundle", digest="sha256:" + "d" * 64)
)
CI = passed("ci", "Job test of CI succeeded; its raw log says 12 passed.", Evidence("job test", RUN))
TICKET = skipped("ticket", "It belongs to no ticket, and the policy asks for none.")
NO_REVIEW = passed("review", "No approval is needed for a change of this risk.")
ONE_MORE = needs_person(
    "review",
    "0 of 1 approvals at this head by people with write permission.",
    fix=Fix("ask-person", "Ask for 1 more approval of this very head."),
)
LIE = failed(
    "claims.commands",
    "The bundle says `pytest -q` ended with 0; the raw log of job test says 1.",
    Evidence("job test", RUN),
    Evidence("line", path="src/pay.py", start_line=12, end_line=14),
    fix=Fix(
        "correct-bundle", "Run the command again and write down what it really ended with.", "commands[0].exit_code"
    ),
)
NO_ROLLBACK = failed("rollback", "The bundle names no way back.", fix=BUNDLE_FIX)
RUNNING = pending("ci", "Workflow run CI is still in progress.", Evidence("run CI", RUN), fix=WAIT)
UNREAD = errored(
    "ci.log",
    "The raw log of job test could not be read: GitHub answered 502.",
    fix=Fix("wait", "Nothing to do: the gate looks again by itself."),
)
OPEN = (POLICY, TICKET, BUNDLE, CI)

HOSTILE = failed(
    "claims.reason`<x>",
    "@acme/everyone ![x](https://evil.example/x.png) <img src=x onerror=alert(1)> \u202etxet neddih\u200b"
    "\n\n# Approved\n```\n"
    "[click](javascript:alert(1)) www.evil.example #1 :shipit: `` ` ``",
    Evidence("job `](https://evil.example) <b>", RUN),
    Evidence("run", "javascript:alert(1)"),
    Evidence("line", path="src/@ada/[x](y).py", start_line=3),
    Evidence("line", path="src/a\u202eb.py", start_line=3),
    fix=Fix("correct\nbundle", "Tell @ada to [approve](https://evil.example)\n\n- [ ] done ```\n", "x`y"),
)

CASES: dict[str, tuple[Verdict, Any]] = {
    "evidence-passed": (verdict(OPEN, (NO_REVIEW,)), "evidence"),
    "evidence-lie": (verdict((POLICY, TICKET, BUNDLE, LIE, NO_ROLLBACK, RUNNING), (NO_REVIEW,)), "evidence"),
    "evidence-running": (verdict((POLICY, BUNDLE, RUNNING), (NO_REVIEW,)), "evidence"),
    "evidence-unreadable": (verdict((POLICY, BUNDLE, UNREAD, RUNNING), (NO_REVIEW,)), "evidence"),
    "evidence-person": (
        verdict(
            (passed("people", "Its author and every committer are people."),),
            (ONE_MORE,),
            kind="person",
            risk=Risk.HIGH,
        ),
        "evidence",
    ),
    "evidence-hostile": (verdict((POLICY, HOSTILE), (NO_REVIEW,), areas=("ci", "x`<b>")), "evidence"),
    "review-needed": (
        verdict(OPEN, (ONE_MORE,), risk=Risk.MEDIUM, areas=("payment",), needed=("ada", "acme/core")),
        "review",
    ),
    "review-approved": (
        verdict(OPEN, (passed("review", "Approved at this head by ada; 1 needed."),), approved_by=("ada",)),
        "review",
    ),
    "review-not-needed": (verdict(OPEN, (NO_REVIEW,)), "review"),
    "observe-review": (verdict(OPEN, (ONE_MORE,), mode="observe", needed=("ada",)), "observe"),
    "observe-evidence": (verdict((POLICY, NO_ROLLBACK), (ONE_MORE,), mode="observe", needed=("ada",)), "observe"),
}


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str) -> None:
    judged, run = CASES[name]
    assert_golden(name, explain(judged, snapshot(), run))


def test_golden_too_long() -> None:
    """Cut between entries only, and the number that is missing is said."""
    findings = tuple(
        failed(f"claims.files.{number}", f"File `src/{'deep/' * 30}{number}.py` is not in the diff.", fix=BUNDLE_FIX)
        for number in range(700)
    )
    output = explain(verdict((POLICY, *findings), (NO_REVIEW,)), snapshot(), "evidence")
    assert 60_000 < size(output.summary) <= LIMIT
    assert 40_000 < size(output.text) <= LIMIT
    assert output.summary.count("more\n") == 2
    facts = json.loads(output.text.removeprefix("```json\n").removesuffix("\n```\n"))
    assert facts["omitted"] + len(facts["findings"]) == 701
    lines = output.summary.splitlines()
    shown = [*lines[:8], "[…]", *(line for line in lines[8:-3] if "more" in line or line.startswith("#")), *lines[-3:]]
    assert_golden("evidence-too-long", replace(output, summary="\n".join(shown) + "\n", text="", annotations=()))


def test_golden_group() -> None:
    moved = failed(
        "members.4", "Pull request 4 got new commits after it was queued.", fix=Fix("requeue", "Queue it again.")
    )
    root = required(
        "evidence", (group("members", (moved, passed("members.5", "Pull request 5 stands as it was judged."))),)
    )
    judged = GroupVerdict(HEAD, "refs/heads/main", root, required("review", (group("members", (NO_REVIEW,)),)))
    assert_golden("group-evidence", explain_group(judged, "evidence"))
    assert_golden("group-review", explain_group(judged, "review"))


def test_a_stack_s_layer_is_said() -> None:
    stacked = snapshot(stack=Stack(3, "refs/heads/main", TARGET, 2, 4))
    summary = explain(verdict(OPEN, (NO_REVIEW,)), stacked, "evidence").summary
    assert summary.endswith(" Layer 2 of 4 in a stack.\n")


def test_the_same_verdict_gives_the_same_words() -> None:
    judged = verdict(OPEN, (ONE_MORE,))
    later = snapshot(observed_at=NOW + timedelta(hours=1))
    assert explain(judged, later, "review") == explain(judged, snapshot(), "review")


class TestTitle:
    def test_of_a_long_step_the_first_sentence_stays(self) -> None:
        step = "Add a fenced block with the info string `mergegate` to the body. It needs: reason, commands, risk."
        found = failed("bundle", "There is none.", fix=Fix("add-bundle", step))
        assert title(verdict((found,), (NO_REVIEW,)), "evidence") == (
            "Add a fenced block with the info string `mergegate` to the body"
        )
        assert title(verdict((found, LIE), (NO_REVIEW,)), "evidence") == (
            "Add a fenced block with the info string `mergegate` to the body (+1 more)"
        )

    def test_a_step_that_fits_stays_whole(self) -> None:
        for length in (79, 80):
            found = failed("bundle", "There is none.", fix=Fix("x", "x" * length))
            assert title(verdict((found,), (NO_REVIEW,)), "evidence") == "x" * length

    def test_a_sentence_that_does_not_fit_is_cut(self) -> None:
        found = failed("bundle", "There is none.", fix=Fix("x", "word " * 40))
        assert title(verdict((found,), (NO_REVIEW,)), "evidence") == "word " * 15 + "word…"
        assert title(verdict((found, LIE), (NO_REVIEW,)), "evidence") == ("word " * 14).rstrip() + "… (+1 more)"

    def test_the_most_urgent_step_is_named(self) -> None:
        assert title(verdict((RUNNING, UNREAD), (NO_REVIEW,)), "evidence").startswith("Nothing to do: the gate looks")
        assert title(verdict((RUNNING, UNREAD, LIE), (NO_REVIEW,)), "evidence").startswith("Run the command again")

    def test_without_a_step_the_reason_speaks(self) -> None:
        found = Finding("ci", Status.PENDING, "It runs.")
        assert title(verdict((found,), (NO_REVIEW,)), "evidence") == "It runs."
        nothing = verdict((TICKET,), (NO_REVIEW,))
        assert title(nothing, "evidence") == "Nothing was looked at."

    def test_many_names_are_cut(self) -> None:
        needed = tuple(f"acme/team-{number}" for number in range(20))
        line = title(verdict(OPEN, (ONE_MORE,), needed=needed), "review")
        assert line.startswith("Needs approval by acme/team-0 or acme/team-1 or")
        assert len(line) == 80

    def test_review_that_asks_nobody_says_why(self) -> None:
        assert title(verdict(OPEN, (ONE_MORE,)), "review") == ONE_MORE.reason
        draft = snapshot(body=BODY.replace("level: low", "level: medium"), draft=True)
        assert title(evaluate(state(), draft), "review") == (
            "It is a draft: nobody is asked before it is ready for review."
        )

    def test_review_that_is_refused_says_the_next_step(self) -> None:
        changes = failed("review.changes", "ada asked for changes.", fix=Fix("answer-review", "Do what ada asked for."))
        assert title(verdict(OPEN, (changes, ONE_MORE)), "review") == "Do what ada asked for. (+1 more)"

    def test_many_approvers_are_cut(self) -> None:
        line = title(verdict(OPEN, (NO_REVIEW,), approved_by=tuple(f"person-{n}" for n in range(20))), "review")
        assert line.startswith("Approved by person-0, person-1, ")
        assert len(line) == 80

    @pytest.mark.parametrize("risk", Risk)
    def test_passed(self, risk: Risk) -> None:
        judged = verdict(OPEN, (NO_REVIEW,), risk=risk)
        assert title(judged, "evidence") == f"Evidence complete and true; {risk.word} risk"
        assert title(judged, "review") == f"No approval needed at {risk.word} risk"


TEXT = st.text(alphabet=st.one_of(st.characters(), st.sampled_from("`@#:/\\<>![]()*_~\n\u202e")), max_size=60)
FINDINGS = st.builds(
    Finding,
    check=st.sampled_from(["claims.files", "ci", "x`<b>"]),
    status=st.sampled_from(Status),
    reason=TEXT,
    evidence=st.lists(st.builds(Evidence, label=TEXT, url=st.none() | TEXT, path=st.none() | TEXT), max_size=3).map(
        tuple
    ),
    fix=st.none() | st.builds(Fix, action=TEXT, text=TEXT, field=st.none() | TEXT),
)
MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})
OURS = {
    "heading_open",
    "heading_close",
    "bullet_list_open",
    "bullet_list_close",
    "list_item_open",
    "list_item_close",
    "paragraph_open",
    "paragraph_close",
    "inline",
    "text",
    "code_inline",
    "strong_open",
    "strong_close",
    "softbreak",
}


@given(st.lists(FINDINGS, min_size=1, max_size=4), st.sampled_from(["evidence", "review", "observe"]))
@settings(max_examples=60, deadline=None)
def test_nothing_of_the_pull_request_comes_alive(findings: list[Finding], run: Any) -> None:
    output = explain(verdict(tuple(findings), tuple(findings)), snapshot(), run)
    tokens = [token for top in MARKDOWN.parse(output.summary) for token in (top, *(top.children or ()))]
    assert {token.type for token in tokens} <= OURS
    live = "".join(token.content for token in tokens if token.type == "text")
    assert not set(live.replace("mergegate/review", "")) & set("@#<>&[]\\/`*_~")
    (block,) = MARKDOWN.parse(output.text)
    assert (block.type, block.info) == ("fence", "json")
    facts = json.loads(block.content)
    assert len(facts["findings"]) == len(findings) * (2 if run == "observe" else 1)
    assert len(output.title) <= 80
    assert "\n" not in output.title


class TestMachineText:
    def test_a_finding_for_programs(self) -> None:
        assert finding_record(LIE) == {
            "check": "claims.commands",
            "status": "failed",
            "reason": "The bundle says `pytest -q` ended with 0; the raw log of job test says 1.",
            "needs_person": False,
            "fix": {
                "action": "correct-bundle",
                "text": "Run the command again and write down what it really ended with.",
                "field": "commands[0].exit_code",
            },
        }
        assert finding_record(BUNDLE)["fix"] is None
        assert finding_record(ONE_MORE)["needs_person"] is True

    def test_long_words_are_cut(self) -> None:
        record = finding_record(failed("x", "r" * 2_000, fix=Fix("a", "t" * 2_000)))
        assert record["reason"] == "r" * 999 + "…"
        assert record["fix"]["text"] == "t" * 999 + "…"

    def test_the_most_urgent_come_first(self) -> None:
        text = explain(verdict((CI, TICKET, RUNNING, UNREAD, LIE), (NO_REVIEW,)), snapshot(), "evidence").text
        facts = json.loads(text.removeprefix("```json\n").removesuffix("\n```\n"))
        assert [record["status"] for record in facts["findings"]] == [
            "failed",
            "errored",
            "pending",
            "passed",
            "skipped",
        ]
        assert facts["omitted"] == 0

    def test_everything_fits_up_to_the_limit(self) -> None:
        few = tuple(failed(f"c{number}", "x" * 900, fix=BUNDLE_FIX) for number in range(50))
        text = explain(verdict(few, (NO_REVIEW,)), snapshot(), "evidence").text
        assert '"omitted": 0' in text
        assert size(text) > 50_000


class TestAnnotations:
    def notes(self, *findings: Finding) -> tuple[Annotation, ...]:
        return explain(verdict(findings, (NO_REVIEW,)), snapshot(), "evidence").annotations

    def test_lines_concerned(self) -> None:
        message = f"{LIE.reason} Run the command again and write down what it really ended with."
        assert self.notes(LIE) == (Annotation("src/pay.py", 12, 14, "failure", message),)

    def test_only_what_blocks_is_noted(self) -> None:
        here = Evidence("line", path="a.py", start_line=2)
        quiet = (passed("ci", "Fine.", here), skipped("ci", "Not here.", here))
        loud = (pending("ci", "Soon.", here, fix=WAIT), errored("ci", "Dark.", here, fix=WAIT))
        assert [(note.level, note.message) for note in self.notes(*quiet, *loud)] == [
            ("warning", "Dark. Wait for the run to finish."),
            ("warning", "Soon. Wait for the run to finish."),
        ]

    LINES: ClassVar = [
        (None, None, 1, 1),
        (0, None, 1, 1),
        (-3, -2, 1, 1),
        (5, None, 5, 5),
        (5, 4, 5, 5),
        (5, 5, 5, 5),
        (5, 9, 5, 9),
        (None, 9, 1, 9),
    ]

    @pytest.mark.parametrize(("start", "end", "first", "last"), LINES)
    def test_lines_are_sane(self, start: int | None, end: int | None, first: int, last: int) -> None:
        (note,) = self.notes(
            Finding("x", Status.FAILED, "Bad.", (Evidence("l", path="a", start_line=start, end_line=end),))
        )
        assert (note.start_line, note.end_line, note.message) == (first, last, "Bad.")

    def test_at_most_fifty_and_none_twice(self) -> None:
        places = tuple(Evidence("line", path=f"{number}.py") for number in range(60))
        assert [note.path for note in self.notes(failed("x", "Bad.", *places, fix=WAIT))] == [
            f"{n}.py" for n in range(50)
        ]
        assert len(self.notes(failed("x", "Bad.", places[0], places[0], fix=WAIT))) == 1


def test_blocking_is_ordered_by_urgency() -> None:
    root = verdict((CI, RUNNING, UNREAD, LIE, TICKET), (NO_REVIEW,)).evidence
    assert blocking(root) == (LIE, UNREAD, RUNNING)


@pytest.mark.parametrize("limit", [60, 61, 62, 63, 200])
def test_lists_are_cut_between_entries(limit: int) -> None:
    items = ["- é" + "x" * 6, "- second", "- third"]
    text = fitted("### H", items, limit)
    assert size(text) <= limit
    lines = text.split("\n")
    assert lines[:2] == ["### H", ""]
    shown = [line for line in lines[2:] if line in items]
    hidden = len(items) - len(shown)
    assert lines[2 + len(shown) :] == ([f"- … and {hidden} more"] if hidden else [])


def test_room_is_used() -> None:
    assert fitted("### H", ["- a", "- b"], 47).endswith("- a\n- b")
    assert fitted("### H", ["- a", "- b"], 46).endswith("- a\n- … and 1 more")


def test_what_is_wanted() -> None:
    assert wanted("claims.files") == wanted("claims") == "What the bundle says is what GitHub and git say."
    assert wanted("ci.verifier") != wanted("ci.runs") == wanted("ci")
    assert wanted("unheard.of") == "This check passes."


STORIES: dict[str, tuple[Snapshot, str]] = {
    "story-merged": (snapshot(), "evidence"),
    "story-lie": (snapshot(body=BODY.replace("pytest -q", "pytest --all")), "evidence"),
    "story-no-bundle": (snapshot(body="Trust me.", runs=()), "evidence"),
    "story-waits": (snapshot(body=BODY.replace("level: low", "level: medium")), "review"),
    "story-risky": (snapshot(**change("src/auth/login.py", "Makefile")), "evidence"),
}


@pytest.mark.parametrize("name", STORIES)
def test_golden_story(name: str) -> None:
    """Whole pull requests, judged by the checks themselves."""
    of, run = STORIES[name]
    assert_golden(name, explain(evaluate(state(), of), of, cast("Run", run)))
