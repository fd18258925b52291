"""The agent's own word on risk, and the paths that are risky without any rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.areas import AREAS
from checks.bundle import Bundle
from checks.diff import ChangedFile
from checks.finding import Evidence, Finding, Fix, Status
from checks.paths import PathPatterns
from checks.risk import PathRule, RiskReason, RiskResult, check
from checks.snapshot import Risk, Snapshot
from checks.steering import STEERING
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import diff, only, seen

LOW, MEDIUM, HIGH, CRITICAL = Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL
UNREAD = Unread("HTTP 502")
PRICES = PathRule("payment", MEDIUM, PathPatterns(["src/price*", "billing/"]))
LOGIN = PathRule("authentication", HIGH, PathPatterns(["auth/"]))
SECRETS = PathRule("secrets", CRITICAL, PathPatterns(["*.pem"]))
RULES = (PRICES, LOGIN, SECRETS)


def _of(*files: ChangedFile | str, **changes: Any) -> Snapshot:
    """A pull request that changes these files, and so does its merge."""
    both = diff(*files)
    return build.snapshot(**{"diff": both, "merge_diff": both, **changes})


def _check(snapshot: Snapshot, *rules: PathRule, bundle: Bundle | None = None, exempt: Any = ()) -> RiskResult:
    return check(snapshot, rules, bundle, exempt)


# The agent's own word.


@pytest.mark.parametrize(
    ("claim", "level", "findings"),
    [
        ("low", HIGH, {("risk", Status.PASSED), ("risk.claim", Status.FAILED)}),
        ("medium", HIGH, {("risk", Status.PASSED), ("risk.claim", Status.FAILED)}),
        ("high", HIGH, {("risk", Status.PASSED)}),
        ("critical", CRITICAL, {("risk", Status.PASSED)}),
    ],
)
def test_the_agent_may_raise_the_risk_and_never_lower_it(claim: str, level: Risk, findings: Any) -> None:
    result = _check(_of("auth/x.py"), *RULES, bundle=build.bundle(risk={"level": claim}))
    assert (result.level, seen(result.findings)) == (level, findings)


def test_a_word_that_is_too_low_is_false() -> None:
    result = _check(_of("auth/x.py"), *RULES, bundle=build.bundle(risk={"level": "low"}))
    assert only(result.findings, "risk.claim") == Finding(
        "risk.claim",
        Status.FAILED,
        "The bundle says low risk, but it is high: a path of the area authentication changes (auth/x.py).",
        (Evidence("a path of the area authentication changes", path="auth/x.py"),),
        Fix("correct-bundle", "Set risk.level to high.", "risk.level"),
    )
    whole = _check(build.snapshot(diff=UNREAD), bundle=build.bundle(risk={"level": "low"}))
    assert only(whole.findings, "risk.claim").reason == (
        "The bundle says low risk, but it is high: its changes could not be read."
    )


def test_areas_that_are_left_out_make_the_word_false() -> None:
    claimed = build.bundle(risk={"level": "high", "areas": ["payment"]})
    result = _check(
        _of("auth/x.py", "src/price.py", "x.pem"), PRICES, LOGIN, replace(SECRETS, level=HIGH), bundle=claimed
    )
    assert only(result.findings, "risk.claim") == Finding(
        "risk.claim",
        Status.FAILED,
        "The bundle leaves out areas that the change touches: authentication, secrets.",
        fix=Fix("correct-bundle", "Add to risk.areas: authentication, secrets.", "risk.areas"),
    )


@pytest.mark.parametrize(
    "risk",
    [
        {"level": "high"},
        {"level": "high", "areas": ["authentication"]},
        {"level": "high", "areas": ["authentication", "ci"]},
    ],
)
def test_areas_that_are_given_whole_or_not_at_all(risk: dict[str, Any]) -> None:
    own = PathRule("our-own", LOW, PathPatterns(["auth/"]))
    result = _check(_of("auth/x.py"), LOGIN, own, bundle=build.bundle(risk=risk))
    assert seen(result.findings) == {("risk", Status.PASSED)}
    assert "our-own" in result.areas


def test_areas_of_the_agent_s_word_are_added() -> None:
    result = _check(_of("src/a.py"), bundle=build.bundle(risk={"level": "medium", "areas": ["ci", "gate"]}))
    assert (result.level, result.areas) == (MEDIUM, ("ci", "gate"))
    assert result.reasons[0] == RiskReason(MEDIUM, "the bundle says so")
    assert result.reasons[1] == RiskReason(LOW, "the bundle names this area", "ci")
    assert result.findings[0].reason == "The risk is medium: the bundle says so. It touches ci, gate."
    assert result.findings[0].evidence == ()


def test_a_bundle_without_a_word_on_risk_says_nothing() -> None:
    result = _check(_of("auth/x.py"), *RULES, bundle=build.bundle(risk=None))
    assert seen(result.findings) == {("risk", Status.PASSED)}


# Shipped paths.


@pytest.mark.parametrize(
    ("path", "area"),
    [
        (".github/mergegate.yml", "gate"),
        (".GitHub/Mergegate.YML", "gate"),
        (".github/CODEOWNERS", "gate"),
        ("docs/CODEOWNERS", "gate"),
        (".gitattributes", "gate"),
        (".github/workflows/ci.yml", "ci"),
        (".github/actions/x/action.yml", "ci"),
        ("tools/action.yaml", "ci"),
        ("Makefile", "ci"),
        ("package.json", "dependencies"),
        ("web/package-lock.json", "dependencies"),
        ("uv.lock", "dependencies"),
        ("requirements-dev.txt", "dependencies"),
        (".gitmodules", "dependencies"),
        ("tests/conftest.py", "tests"),
        ("pytest.ini", "tests"),
        ("web/jest.config.js", "tests"),
        ("AGENTS.md", "agent-instructions"),
        ("src/CLAUDE.md", "agent-instructions"),
        (".claude/settings.json", "agent-instructions"),
        (".github/copilot-instructions.md", "agent-instructions"),
        (".github/instructions/x.md", "agent-instructions"),
        (".github/agents/x.md", "agent-instructions"),
        (".cursor/rules/x.mdc", "agent-instructions"),
    ],
)
def test_what_steers_is_high_without_any_rule(path: str, area: str) -> None:
    result = _check(_of(path))
    assert (result.level, result.areas) == (HIGH, (area,))


@pytest.mark.parametrize("path", ["tests/test_a.py", "README.md", "src/workflows/x.py", "github/workflows/x.yml"])
def test_what_does_not_steer(path: str) -> None:
    assert _check(_of(path)).level is LOW


def test_exempt_areas_do_not_count() -> None:
    snapshot = _of("package.json", "AGENTS.md")
    assert _check(snapshot, exempt={"dependencies"}).areas == ("agent-instructions",)
    assert _check(_of("package.json"), exempt={"dependencies"}).level is LOW
    rule = PathRule("dependencies", MEDIUM, PathPatterns(["package.json"]))
    assert _check(_of("package.json"), rule, exempt={"dependencies"}).level is MEDIUM


def test_shipped_areas_are_known_and_readable() -> None:
    assert set(STEERING) <= set(AREAS)
    for patterns in STEERING.values():
        assert PathPatterns(patterns).patterns == patterns


def test_area_names() -> None:
    assert " ".join(AREAS) == (
        "authentication payment permissions data-deletion migration ci dependencies secrets infrastructure tests "
        "agent-instructions gate"
    )
