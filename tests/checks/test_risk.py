"""Risk: the highest of all that is known, never lowered by the agent's own word."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from checks.bundle import Bundle
from checks.diff import ChangedFile, Diff, FileStatus
from checks.finding import Evidence, Finding, Status
from checks.paths import PathPatterns
from checks.risk import MOST_FILES, PathRule, RiskReason, RiskResult, check, is_deceptive
from checks.snapshot import Risk, Snapshot
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import diff, file, only

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


def test_nothing_risky_is_low() -> None:
    result = _check(_of("src/a.py"), *RULES)
    assert (result.level, result.areas, result.reasons) == (LOW, (), ())
    assert result.findings == (Finding("risk", Status.PASSED, "The risk is low: no rule says otherwise."),)


@pytest.mark.parametrize(
    ("files", "level", "areas"),
    [
        (("src/price.py",), MEDIUM, ("payment",)),
        (("SRC/PRICE.py",), MEDIUM, ("payment",)),
        (("a/billing/x.py",), MEDIUM, ("payment",)),
        (("auth/x.py",), HIGH, ("authentication",)),
        (("auth/x.py", "src/price.py"), HIGH, ("authentication", "payment")),
        (("src/price.py", "auth/x.pem"), CRITICAL, ("authentication", "payment", "secrets")),
        ((file("src/a.py", FileStatus.RENAMED, previous_path="auth/a.py"),), HIGH, ("authentication",)),
        ((file("auth/a.py", FileStatus.COPIED, previous_path="src/a.py"),), HIGH, ("authentication",)),
        ((file("auth/a.py", FileStatus.REMOVED, new_mode="000000"),), HIGH, ("authentication",)),
        ((file("auth/a.py", FileStatus.ADDED, old_mode="000000"),), HIGH, ("authentication",)),
    ],
)
def test_path_rules(files: Any, level: Risk, areas: tuple[str, ...]) -> None:
    result = _check(_of(*files), *RULES)
    assert (result.level, result.areas) == (level, areas)


def test_reasons_go_from_the_highest_down_with_the_first_path() -> None:
    result = _check(_of("src/price.py", "src/price2.py", "auth/x.py"), *RULES)
    assert result.reasons == (
        RiskReason(HIGH, "a path of the area authentication changes", "authentication", "auth/x.py"),
        RiskReason(MEDIUM, "a path of the area payment changes", "payment", "src/price.py"),
    )
    (finding,) = result.findings
    assert finding.reason == (
        "The risk is high: a path of the area authentication changes (auth/x.py). It touches authentication, payment."
    )
    assert finding.evidence == (
        Evidence("a path of the area authentication changes", path="auth/x.py"),
        Evidence("a path of the area payment changes", path="src/price.py"),
    )


def test_an_area_with_two_rules_has_two_reasons() -> None:
    other = replace(PRICES, level=HIGH)
    result = _check(_of("src/price.py"), PRICES, other)
    assert [reason.level for reason in result.reasons] == [HIGH, MEDIUM]


@pytest.mark.parametrize("part", ["diff", "merge_diff"])
def test_both_diffs_count(part: str) -> None:
    result = _check(_of("src/a.py", **{part: diff("auth/x.py")}), *RULES)
    assert (result.level, result.areas) == (HIGH, ("authentication",))


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (file("a", new_mode="120000", old_mode="000000"), "a symbolic link changes"),
        (file("a", new_mode="000000", old_mode="120000"), "a symbolic link changes"),
        (file("a", new_mode="120000", old_mode="120000"), "a symbolic link changes"),
        (file("a", new_mode="160000", old_mode="160000"), "a submodule changes"),
        (file("a", new_mode="000000", old_mode="160000"), "a submodule changes"),
        (file("a", new_mode="100755"), "a file's mode changes"),
        (file("a", old_mode="100755"), "a file's mode changes"),
        (file("a", old_mode="100664", new_mode="100664"), "a file has an unusual mode"),
        (file("a\u202eb"), "a path holds control or invisible characters"),
        (file("b", FileStatus.RENAMED, previous_path="a\x01"), "a path holds control or invisible characters"),
    ],
)
def test_structure_is_high(changed: ChangedFile, reason: str) -> None:
    result = _check(_of(changed))
    assert result.level is HIGH
    assert (reason, changed.path) in {(each.text, each.path) for each in result.reasons}


@pytest.mark.parametrize(
    "changed",
    [
        file("a", FileStatus.ADDED, old_mode="000000", new_mode="100755"),
        file("a", FileStatus.REMOVED, old_mode="100755", new_mode="000000"),
        file("a", old_mode="100755", new_mode="100755"),
        file("über/naïve 中文.py"),
    ],
)
def test_plain_changes_are_low(changed: ChangedFile) -> None:
    assert _check(_of(changed)).level is LOW


def test_a_submodule_is_a_dependency() -> None:
    assert _check(_of(file("a", new_mode="160000", old_mode="160000"))).areas == ("dependencies",)


def test_a_submodule_has_one_reason() -> None:
    changed = file("a", new_mode="160000", old_mode="160000")
    assert [each.text for each in _check(_of(changed)).reasons] == ["a submodule changes"]


@pytest.mark.parametrize(
    ("path", "target", "touched"),
    [
        ("src/x", "../auth/key", True),
        ("src/x", "/auth", False),
        ("src/x", "/auth/key", True),
        ("src/x", "auth/key", True),
        ("src/x", "./a/../../auth/./key", True),
        ("src/x", "../../auth/key", True),
        ("src/x", "../lib", False),
        ("src/x", "/", False),
        ("src/x", "", False),
    ],
)
def test_where_a_symbolic_link_points_is_touched(path: str, target: str, touched: bool) -> None:
    link = file(path, new_mode="120000", old_mode="120000", symlink_target=target)
    assert ("authentication" in _check(_of(link), *RULES).areas) is touched


@pytest.mark.parametrize(
    ("target", "touched"),
    [("../auth/key", True), ("/auth/key", True), ("auth/key", False), ("../auth/", True), ("../lib/auth", False)],
)
def test_a_link_is_followed_from_its_own_folder(target: str, touched: bool) -> None:
    anchored = PathRule("authentication", HIGH, PathPatterns(["/auth"]))
    link = file("src/x", new_mode="120000", old_mode="120000", symlink_target=target)
    assert ("authentication" in _check(_of(link), anchored).areas) is touched


def test_several_reasons_are_joined() -> None:
    result = _check(_of(file("a", new_mode="120000"), file("b", new_mode="100755")))
    assert result.findings[0].reason == ("The risk is high: a symbolic link changes (a); a file's mode changes (a).")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"mergeable": False}, "Merge or rebase onto the target branch, settle the conflict and push."),
        ({"diff": Unread("x", offline=True)}, "Open a pull request; the gate looks at the merge there."),
        ({"diff": UNREAD}, "Nothing to do; the gate looks again by itself."),
    ],
)
def test_the_finding_says_the_next_step(changes: dict[str, Any], text: str) -> None:
    finding = only(_check(build.snapshot(**changes)).findings, "risk")
    assert finding.fix is not None
    assert finding.fix.text == text


@pytest.mark.parametrize(
    ("character", "deceptive"),
    [
        ("\u202e", True),
        ("\u2066", True),
        ("\u200b", True),
        ("\u00ad", True),
        ("\x1b", True),
        ("\n", True),
        ("\udcff", True),
        ("\ue000", True),
        ("a", False),
        (" ", False),
        ("é", False),
        ("中", False),
        ("\u00a0", False),
    ],
)
def test_characters_that_deceive(character: str, deceptive: bool) -> None:
    assert is_deceptive(f"src/{character}.py") is deceptive


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"diff": UNREAD}, "its changes could not be read"),
        ({"merge_diff": UNREAD}, "what merging it would change could not be read"),
        ({"diff": diff("a", complete=False)}, "its changes could not be listed as a whole"),
        ({"merge_diff": diff("a", complete=False)}, "what merging it would change could not be listed as a whole"),
        ({"diff": diff(*(f"f{number}" for number in range(3_001)))}, "more than 3000 files change"),
    ],
)
def test_what_could_not_be_seen_is_high(changes: dict[str, Any], text: str) -> None:
    result = _check(build.snapshot(**changes))
    assert (result.level, result.reasons) == (HIGH, (RiskReason(HIGH, text),))


def test_three_thousand_files_are_still_listed() -> None:
    assert MOST_FILES == 3_000
    assert _check(build.snapshot(diff=diff(*(f"f{number}" for number in range(3_000))))).level is LOW


@pytest.mark.parametrize(
    ("changes", "status", "reason", "action"),
    [
        (
            {"diff": UNREAD},
            Status.ERRORED,
            "The change could not be read: HTTP 502. Its risk counts as high.",
            "wait",
        ),
        (
            {"merge_diff": UNREAD},
            Status.ERRORED,
            "The change could not be read: HTTP 502. Its risk counts as high.",
            "wait",
        ),
        (
            {"merge_diff": Unread("judged locally", offline=True)},
            Status.PENDING,
            "Not all of the change is known: judged locally.",
            "open-pull-request",
        ),
        (
            {"merge_diff": UNREAD, "mergeable": False},
            Status.FAILED,
            "It conflicts with the target branch, so what it would change is not known.",
            "update-branch",
        ),
        ({"mergeable": None}, Status.PASSED, "The risk is low: no rule says otherwise.", None),
    ],
)
def test_the_finding(changes: dict[str, Any], status: Status, reason: str, action: str | None) -> None:
    finding = only(_check(build.snapshot(**changes)).findings, "risk")
    assert (finding.status, finding.reason) == (status, reason)
    assert (finding.fix.action if finding.fix else None) == action


def test_the_ticket_counts() -> None:
    result = _check(build.snapshot(ticket=build.ticket(risk=CRITICAL)))
    assert (result.level, result.findings[0].reason) == (CRITICAL, "The risk is critical: ticket T-7 says so.")
    assert _check(build.snapshot(ticket=build.ticket(risk=LOW))).level is LOW


def test_reasons_are_bounded() -> None:
    rules = [PathRule(f"area-{number}", LOW, PathPatterns(["src/"])) for number in range(60)]
    result = _check(_of("src/a.py"), *rules)
    assert (len(result.reasons), len(result.areas)) == (50, 60)
    assert len(result.findings[0].evidence) == 5
    assert result.findings[0].reason.count("(src/a.py)") == 3


def test_git_s_own_raw_diff_of_a_link_is_what_is_called_one(tmp_path: Path) -> None:
    """The modes that the rules look for are those that git prints."""
    run = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    subprocess.run([*run, "init", "-q"], check=True)
    (tmp_path / "link").symlink_to("auth/key")
    (tmp_path / "tool").write_text("x")
    (tmp_path / "tool").chmod(0o755)
    subprocess.run([*run, "add", "."], check=True)
    listed = subprocess.run([*run, "ls-files", "-s"], check=True, capture_output=True, text=True).stdout
    assert [line.split()[0] for line in listed.splitlines()] == ["120000", "100755"]


def test_an_empty_change_is_low() -> None:
    assert _check(build.snapshot(diff=Diff(()), merge_diff=Diff(()))).level is LOW
