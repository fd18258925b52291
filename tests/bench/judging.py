"""The pure half: policy, verdict and explanation of a large pull request."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Literal

from policies.evaluate import evaluate
from policies.explain import explain
from policies.load import PolicySource, read_policy
from tests.bench.measured import Row, best_of, milliseconds
from tests.policies import build

FILES = 3000
RULES = 200
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
