"""What must hold for any pull request: nothing an agent says or does lowers what is asked of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from checks import ci, people, review, risk
from checks.accounts import Account, Review
from checks.areas import AREAS
from checks.bundle import find_blocks
from checks.diff import FileStatus
from checks.finding import Status
from checks.paths import PathPatterns
from checks.risk import PathRule
from checks.snapshot import Risk, Snapshot
from tests.checks import build

PATHS = st.sampled_from(["src/a.py", "auth/key.py", "README.md", "uv.lock", "db/1.sql", "AGENTS.md", "billing/x"])
RULES = (
    PathRule("authentication", Risk.CRITICAL, PathPatterns(["auth/"])),
    PathRule("payment", Risk.MEDIUM, PathPatterns(["billing/"])),
)
CLAIMS = st.fixed_dictionaries(
    {"level": st.sampled_from(["low", "medium", "high", "critical"])},
    optional={"areas": st.lists(st.sampled_from(AREAS), max_size=3)},
)


@st.composite
def files(draw: st.DrawFn) -> Any:
    status = draw(st.sampled_from([FileStatus.MODIFIED, FileStatus.RENAMED]))
    before = draw(PATHS) if status is FileStatus.RENAMED else None
    modes = st.sampled_from(["100644", "100755", "120000"])
    return build.file(draw(PATHS), status, previous_path=before, old_mode=draw(modes), new_mode=draw(modes))


def _changing(changed: list[Any]) -> Snapshot:
    return build.snapshot(diff=build.diff(*changed), merge_diff=build.diff(*changed))


@settings(max_examples=60, deadline=None)
@given(st.lists(files(), max_size=4), CLAIMS)
def test_the_agent_s_word_never_lowers_the_risk(changed: list[Any], claim: dict[str, Any]) -> None:
    silent = risk.check(_changing(changed), RULES, None)
    spoken = risk.check(_changing(changed), RULES, build.bundle(risk=claim))
    assert spoken.level >= silent.level
    assert set(spoken.areas) >= set(silent.areas)
    too_low = Risk[claim["level"].upper()] < silent.level
    assert any(finding.status is Status.FAILED for finding in spoken.findings) or not too_low


@settings(max_examples=60, deadline=None)
@given(st.lists(files(), max_size=4), files())
def test_one_more_file_never_lowers_the_risk(changed: list[Any], one: Any) -> None:
    before, after = risk.check(_changing(changed), RULES, None), risk.check(_changing([*changed, one]), RULES, None)
    assert after.level >= before.level
    assert set(after.areas) >= set(before.areas)


MARKS: dict[str, Any] = {
    "session_agent": "claude",
    "author": Account("Copilot", 198982749, "Bot"),
    "commits": (build.commit(build.OPERATOR, message="s\n\nAgent-Session: 5"),),
    "head": replace(build.persons().head, ref="refs/heads/agent/x"),
}


@settings(max_examples=60, deadline=None)
@given(st.sets(st.sampled_from(sorted(MARKS))))
def test_marks_only_ever_add(names: set[str]) -> None:
    snapshot = build.persons(**{name: MARKS[name] for name in names})
    found = people.classify(snapshot, build.NAMESPACE, build.WRITERS)
    assert (found.kind == "person") is not bool(names)
    assert len(found.markers) >= len(names)


@st.composite
def reviews(draw: st.DrawFn) -> tuple[Review, ...]:
    states = st.sampled_from(["APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED", "NEW_WORD"])
    accounts = st.sampled_from([build.REVIEWER, build.SECOND, build.OPERATOR, build.READER])
    count = draw(st.integers(0, 6))
    return tuple(
        build.review(draw(accounts), draw(states), number, commit=draw(st.sampled_from([build.HEAD, build.OTHER])))
        for number in range(count)
    )


@settings(max_examples=60, deadline=None)
@given(reviews(), st.integers(0, 3))
def test_only_approvals_of_this_head_by_others_count(given_reviews: tuple[Review, ...], wanted: int) -> None:
    asked = review.ReviewRequirement(wanted, build.AN_AGENTS, build.DIGEST)
    result = review.check(build.snapshot(reviews=given_reviews), asked)
    approved = {
        each.author.login for each in given_reviews if each.state == "APPROVED" and each.commit == build.HEAD
    } & {build.REVIEWER.login, build.SECOND.login}
    assert set(result.counted) <= approved
    passed = build.only(result.findings[:1], "review").status is Status.PASSED
    assert passed is (len(result.counted) >= wanted)


@settings(max_examples=60, deadline=None)
@given(reviews(), st.sampled_from([build.REVIEWER, build.SECOND]))
def test_a_request_for_changes_takes_the_approval_back(given_reviews: tuple[Review, ...], who: Account) -> None:
    asked = review.ReviewRequirement(1, build.AN_AGENTS, build.DIGEST)
    result = review.check(build.snapshot(reviews=(*given_reviews, build.review(who, "CHANGES_REQUESTED", 90))), asked)
    assert who.login not in result.counted
    assert any(finding.status is Status.FAILED for finding in result.findings)


CONCLUSIONS = st.sampled_from(["success", "failure", "skipped", "neutral", "cancelled", "timed_out", "odd", None])
STATUSES = st.sampled_from(["completed", "in_progress", "queued", "waiting"])
GREEN = st.sampled_from([True, False, None])


@settings(max_examples=60, deadline=None)
@given(CONCLUSIONS, STATUSES, CONCLUSIONS, STATUSES, GREEN, st.booleans())
def test_green_only_where_every_witness_says_so(
    run_conclusion: str | None, run_status: str, conclusion: str | None, status: str, green: bool | None, bound: bool
) -> None:
    log = build.log(build.report(green), checked_out=(build.HEAD, build.BASE) if bound else None)
    job = build.job(status=status, conclusion=conclusion, log=log)
    snapshot = build.snapshot(runs=(build.run(job, status=run_status, conclusion=run_conclusion),))
    result = ci.check(snapshot, ci.CiRequirement())
    all_well = (run_status, run_conclusion, status, conclusion, green, bound) == (
        "completed",
        "success",
        "completed",
        "success",
        True,
        True,
    )
    assert (build.worst(result.findings) == []) is all_well


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["```", "```mergegate", "~~~", "<!--", "-->", "text", "    ```", ""]), max_size=12))
def test_blocks_lie_where_they_say(lines: list[str]) -> None:
    for block in find_blocks("\n".join(lines)):
        assert lines[block.first_line - 2].strip() == "```mergegate"
        inner = block.text.split("\n") if block.text else []
        assert lines[block.first_line - 1 :][: len(inner)] == inner
