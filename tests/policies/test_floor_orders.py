"""Verifier runs under a baseline: each policy counts those alone that were made for exactly its order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.finding import Status
from checks.runs import JobLog, Step, Verification, WorkflowFile, WorkflowRun
from checks.snapshot import Snapshot
from checks.tampering.alteration import Analysis
from policies.evaluate import evaluate
from policies.floor import floor_state, load_floor, with_floor
from policies.load import PolicyState
from policies.verdict import Verdict, VerificationOrder
from tests.policies.build import TARGET, change, presets, run, snapshot, state

P, F, W = Status.PASSED, Status.FAILED, Status.PENDING
COMMANDS = ("pytest -q", "make lint")
WORKFLOWS = (".github/workflows/mergegate-verify.yml", ".github/workflows/lenient.yml")
NAMES = ("unchanged", "restored", "new-tests")

Ends = Callable[[VerificationOrder], tuple[bool, ...]]
"""Whether the jobs of a run that is told this end well, in the order of `NAMES`."""


def policy_text(image: str = "python@sha256:1", commands: str = "[pytest -q]", more: str = "", runs: int = 1) -> str:
    risks = ", ".join(f"{risk}: {{evidence: verified, runs: {runs}, approvals: 0}}" for risk in RISKS)
    return (
        f"version: 1\nrequirements: {{{risks}}}\nci: {{commands: {commands}}}\n"
        f"verifier: {{image: '{image}'{more}}}\nreview: {{one_more_for_unmapped: false}}\n"
    )


RISKS = ("low", "medium", "high", "critical")


def pull(*paths: str) -> Snapshot:
    """Its own runs ran every one of `COMMANDS`, and every one of `WORKFLOWS` is on the target branch."""
    (job,) = run().jobs
    assert isinstance(job.log, JobLog)
    steps = tuple(Step(f"Run {command}", 3 + n, "completed", "success") for n, command in enumerate(COMMANDS))
    ran = run(jobs=(replace(job, steps=steps, log=replace(job.log, commands=COMMANDS)),))
    files = (*_files(), *(WorkflowFile(path, "bb" * 20, "bb" * 20) for path in WORKFLOWS))
    return snapshot(
        runs=(ran,),
        workflows=files,
        merge_tree="e" * 40,
        gate_login="mergegate[bot]",
        analysis=Analysis((), tests_after=1),
        **change("src/total.py", *paths),
    )


def _files() -> tuple[WorkflowFile, ...]:
    files = snapshot().workflows
    assert isinstance(files, tuple)
    return files


def carried_out(order: VerificationOrder, number: int, ends: Ends) -> Verification:
    """A run as the gate starts it for this order."""
    (job,) = run().jobs
    well = dict(zip(NAMES, ends(replace(order, count=1)), strict=True))
    assert isinstance(job.log, JobLog)
    log = replace(job.log, checked_out=None)
    red = replace(log, report=replace(log.report, failed=1))
    jobs = tuple(
        replace(
            job,
            id=number * 10 + place,
            name=name,
            conclusion="success" if well[name] else "failure",
            log=red if name == "new-tests" else log,
        )
        for place, name in enumerate(NAMES)
    )
    made = WorkflowRun(
        number, "verify", order.workflow, "workflow_dispatch", TARGET, 1, "completed", "success", jobs=jobs
    )
    made = replace(made, actor="mergegate[bot]")
    return Verification(f"v{number}", order.digest, TARGET, made, order.restored, order.new_tests)


def settled(
    by: PolicyState, of: Snapshot, ends: Ends, earlier: tuple[str, ...] = ()
) -> tuple[Verdict, tuple[VerificationOrder, ...]]:
    """The verdict once nothing more is ordered, and all that was; `earlier` policies had their runs before."""
    ordered: list[VerificationOrder] = []
    made: tuple[Verification, ...] = ()
    for text in earlier:
        for order in evaluate(state(text), of).orders:
            made += (carried_out(order, 900 + len(made), ends),)
    for _ in range(4):
        verdict = evaluate(by, replace(of, verifications=made))
        if not verdict.orders:
            return verdict, tuple(ordered)
        for order in verdict.orders:
            ordered.append(order)
            made += tuple(carried_out(order, 900 + len(made) + n, ends) for n in range(order.count))
    raise AssertionError("runs are ordered for ever")


def both(own: str, baseline: str) -> PolicyState:
    return with_floor(state(own), load_floor(baseline, presets()))


def all_well(_: VerificationOrder) -> tuple[bool, ...]:
    return (True, True, True)


def told(**words: object) -> Ends:
    """Runs that are told one of these words end well, and no others."""

    def ends(order: VerificationOrder) -> tuple[bool, ...]:
        good = any(getattr(order, name) == value for name, value in words.items())
        return (good, good, good)

    return ends


def test_what_both_ask_for_is_run_once() -> None:
    verdict, ordered = settled(both(policy_text(), policy_text(runs=2)), pull(), all_well)
    assert verdict.evidence.status is P
    assert [order.count for order in ordered] == [2]


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (policy_text(image="evil"), {"image": "evil"}),
        (policy_text(commands="[make lint]"), {"commands": ("make lint",)}),
        (policy_text(more=", setup: [cp good.py src/total.py]"), {"setup": ("cp good.py src/total.py",)}),
        (policy_text(more=", network: true"), {"network": True}),
        (policy_text(more=", workflow: .github/workflows/lenient.yml"), {"workflow": WORKFLOWS[1]}),
    ],
)
def test_runs_for_one_side_s_words_prove_nothing_to_the_other(own: str, words: dict[str, object]) -> None:
    for by in (both(own, policy_text()), both(policy_text(), own)):
        verdict, ordered = settled(by, pull(), told(**words), (own,))
        assert len(ordered) == 1
        assert verdict.evidence.status is F
        verdict, ordered = settled(by, pull(), told(**words))
        assert len(ordered) == 2
        assert verdict.evidence.status is F
        good, _ = settled(by, pull(), all_well)
        assert good.evidence.status is P


@pytest.mark.parametrize("words", [("ignore", "refuse"), ("refuse", "ignore")])
def test_new_tests_are_tried_for_the_side_that_asks(words: tuple[str, str]) -> None:
    own, baseline = (policy_text(more=f", new_tests: {word}") for word in words)
    verdict, ordered = settled(both(own, baseline), pull("tests/test_total.py"), lambda _: (True, True, False))
    assert sorted(bool(order.new_tests) for order in ordered) == [False, True]
    assert verdict.evidence.status is F


def test_a_side_that_does_not_say_what_is_run_waits_whatever_the_other_runs() -> None:
    verdict, _ = settled(both(policy_text(), policy_text(image="")), pull(), all_well)
    assert verdict.evidence.status is W


_TEXTS = st.builds(
    policy_text,
    image=st.sampled_from(["one", "two", ""]),
    commands=st.sampled_from(["[pytest -q]", "[make lint]", "[make lint, pytest -q]", "[]"]),
    more=st.builds(
        ", setup: {}, network: {}, new_tests: {}, workflow: {}".format,
        st.sampled_from(["[]", "[make]", "['true']"]),
        st.sampled_from(["true", "false"]),
        st.sampled_from(["ignore", "person", "refuse"]),
        st.sampled_from(WORKFLOWS),
    ),
    runs=st.integers(1, 2),
)


_ENDS = [(True, True, True), (False, False, False), (True, False, True), (True, True, False)]


def _ends(_: VerificationOrder) -> tuple[bool, ...]:
    raise NotImplementedError  # only the form that hypothesis makes functions of


@settings(max_examples=60, deadline=None)
@given(
    own=_TEXTS,
    baseline=_TEXTS,
    earlier=st.lists(_TEXTS, max_size=2).map(tuple),
    paths=st.sampled_from([(), ("tests/test_total.py",), ("tests/conftest.py", "tests/test_total.py")]),
    ends=st.functions(like=_ends, returns=st.sampled_from(_ENDS), pure=True),
)
def test_neither_policy_turns_what_the_other_refuses_into_a_pass(
    own: str, baseline: str, earlier: tuple[str, ...], paths: tuple[str, ...], ends: Ends
) -> None:
    """However the runs end that are told this or that: what counts for one policy is what it alone would have run."""
    of, floor = pull(*paths), load_floor(baseline, presets())
    together, _ = settled(with_floor(state(own), floor), of, ends, (*earlier, own))
    for alone in (floor_state(state(), floor), state(own)):
        verdict, _ = settled(alone, of, ends)
        for part in ("evidence", "review"):
            assert getattr(verdict, part).status is P or getattr(together, part).status is not P
