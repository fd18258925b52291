"""The pure half: policy, verdict and explanation of a large pull request."""

from __future__ import annotations

import itertools
import statistics
import time
import tracemalloc
from dataclasses import replace
from typing import Literal

from checks.accounts import Account, Permission
from checks.finding import Status
from checks.snapshot import Snapshot
from policies.evaluate import evaluate
from policies.explain import explain
from policies.load import PolicySource, read_policy
from tests.bench.measured import Row, best_of, milliseconds
from tests.policies import build

FILES = 3000
RULES = 200
PEOPLE = 50
TEAMS = 40
RUNS: tuple[Literal["evidence", "review"], ...] = ("evidence", "review")


def policy_text() -> str:
    """A policy with 200 path patterns in 50 areas of its own, beside those of the preset."""
    lines = ["version: 1", "risk:", "  areas:"]
    for area in range(RULES // 4):
        names = (f"/services/s{area}/**", f"**/area-{area}/*.py", f"lib/{area}/[a-m]*/**/gen_*", f"*.kind{area}")
        lines.append(f"    area-{area}: {{risk: medium, paths: [{', '.join(map(repr, names))}]}}")
    return "\n".join(lines) + "\n"


def _another(source: PolicySource, number: int) -> PolicySource:
    """The same policy in a text that was never read before."""
    return replace(source, text=f"{source.text}# {number}\n")


def rules_text() -> str:
    """A policy with 200 rules: 199 by path, whose teams approve, and one that asks 40 teams."""
    lines = ["version: 1", "rules:"]
    for number in range(RULES - 1):
        require = f"{{approvals: {{teams: [team-{number % TEAMS}]}}}}"
        when = f"{{paths: [/services/s{number}/**, '*.kind{number}']}}"
        lines.append(f"  rule-{number}: {{when: {when}, require: {require}}}")
    teams = (
        f"{{any: [{{approvals: {{teams: [team-{team}]}}}}, {{approvals: {{count: 10}}}}]}}" for team in range(TEAMS)
    )
    return "\n".join([*lines, f"  everybody: {{require: {{all: [{', '.join(teams)}]}}}}"]) + "\n"


def measure_rules() -> list[Row]:
    """The bar: a median of at most 50 ms on one core, and at most 50 MB more."""
    state = read_policy(PolicySource(rules_text(), "refs/heads/main", build.TARGET), build.presets())
    assert state.origin == "file", state.errors
    snapshot = _approved_widely()
    assert evaluate(state, snapshot).review.status is Status.PASSED
    durations = []
    for _ in range(15):
        begun = time.process_time()
        evaluate(state, snapshot)
        durations.append(time.process_time() - begun)
    tracemalloc.start()
    evaluate(state, snapshot)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    of = f"{FILES:,} files, {RULES} rules, {PEOPLE} approvals, {TEAMS} teams"
    return [
        Row("rules: evaluate, median of 15", milliseconds(statistics.median(durations)), of),
        Row("rules: memory while evaluating", f"{peak / 1e6:.1f} MB", of),
    ]


def _approved_widely() -> Snapshot:
    people = [Account(f"person-{number}", 1000 + number) for number in range(PEOPLE)]
    members = {f"team-{team}": frozenset(who.login for who in people[team::TEAMS]) for team in range(TEAMS)}
    paths = [f"src/package{number % 60}/module{number % 7}/deep/er/file_{number}.py" for number in range(FILES - TEAMS)]
    return build.snapshot(
        **build.change(*paths, *(f"services/s{number}/a/b.py" for number in range(TEAMS))),
        reviews=tuple(build.approval(who, id=number) for number, who in enumerate(people, start=1)),
        permissions={who.login: Permission.WRITE for who in people},
        teams=members,
    )


def measure_verdict() -> list[Row]:
    source = PolicySource(policy_text(), "refs/heads/main", build.TARGET)
    state = read_policy(source, build.presets())
    paths = [f"src/package{number % 60}/module{number % 7}/deep/er/file_{number}.py" for number in range(FILES)]
    snapshot = build.snapshot(**build.change(*paths))
    verdict = evaluate(state, snapshot)
    of = f"{FILES:,} files, {RULES} path rules and the preset's"
    numbers = itertools.count()
    reading = best_of(3, lambda: read_policy(_another(source, next(numbers)), build.presets()))
    judging = best_of(5, lambda: evaluate(state, snapshot))
    saying = best_of(5, lambda: [explain(verdict, snapshot, run) for run in RUNS])
    return [
        Row("policy: read and compile", milliseconds(reading), f"{RULES} path rules"),
        Row("verdict: evaluate", milliseconds(judging), of),
        Row("verdict: explain both check runs", milliseconds(saying), of),
    ]
