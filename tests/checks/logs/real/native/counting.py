"""How the runners themselves count: their JSON, JUnit, XML and other reports of the runs whose logs lie here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
WORK = Path(tempfile.gettempdir()) / "native-logs"
ENVIRONMENT = os.environ | {
    "RUST_BACKTRACE": "0",
    "MIX_ENV": "test",
    "CARGO_TERM_PROGRESS_WHEN": "never",
    "LANG": "C.UTF-8",
}
BATS = os.environ.get("BATS", "bats")

Counts = tuple[int, int, int, int]
"""Tests that passed, failed, broke outside a test, and were skipped."""


def run(command: str, folder: str, **environment: str) -> str:
    """The output of a shell command in a project, both streams as they come."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=WORK / folder,
        env=ENVIRONMENT | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        timeout=300,
        check=False,
    )
    return done.stdout.decode("utf-8", errors="surrogateescape")


def libtest(arguments: str) -> Callable[[str], Counts]:
    """The events of libtest's JSON reporter, which is unstable and so asked for with RUSTC_BOOTSTRAP."""

    def count(_: str) -> Counts:
        test, _, libtests = arguments.partition(" -- ")
        extra = f"-- {libtests} -Z unstable-options --format json"
        events = Counter[str]()
        for line in run(f"cargo test --offline {test} {extra} 2>/dev/null", "rust", RUSTC_BOOTSTRAP="1").splitlines():
            event = json.loads(line) if line.startswith('{ "type": "test"') else {}
            events[event.get("event", "")] += 1
        return events["ok"], events["failed"], 0, events["ignored"]

    return count


def compiler(arguments: str) -> Callable[[str], Counts]:
    """Packages for which cargo's JSON messages hold an error."""

    def count(_: str) -> Counts:
        output = run(f"cargo test --offline {arguments} --message-format json 2>/dev/null", "rust")
        messages = [json.loads(line) for line in output.splitlines() if line.startswith('{"reason"')]
        broken = {m["package_id"] for m in messages if m.get("message", {}).get("level") == "error"}
        return 0, 0, len(broken), 0

    return count


def nextest(arguments: str) -> Callable[[str], Counts]:
    """The JUnit report; for skipped tests, which it leaves out, the list of tests that the filter does not match."""

    def count(log: str) -> Counts:
        passed, failed, errors, none = junit(next((WORK / "rust/target/nextest").glob("*/junit.xml")))
        listing = re.sub(r"--(?:profile|color|status-level|final-status-level) \S+|--no-\S+", "", arguments)
        found = json.loads(
            run(f"cargo-nextest nextest list --offline {listing} --message-format json 2>/dev/null", "rust")
        )
        cases = [case for suite in found["rust-suites"].values() for case in suite["testcases"].values()]
        return passed, failed, errors, none + sum(case["filter-match"]["status"] == "mismatch" for case in cases)

    return count


def junit(path: Path) -> Counts:
    """JUnit XML, its cases counted one by one."""
    passed = failed = errors = skipped = 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        children = {child.tag for child in case}
        kind = next((tag for tag in ("failure", "error", "skipped") if tag in children), "passed")
        passed, failed = passed + (kind == "passed"), failed + (kind == "failure")
        errors, skipped = errors + (kind == "error"), skipped + (kind == "skipped")
    path.unlink()
    return passed, failed, errors, skipped


def ctest(_: str) -> Counts:
    """ctest's JUnit report. A program that does not exist is a failure on the console, "not run" in the report."""
    passed = failed = skipped = 0
    path = WORK / "cpp/b/report.xml"
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        message = next((child.get("message", "") for child in case.iter("skipped")), "")
        lost = case.get("status") == "notrun" and "SKIP_RETURN_CODE" not in message
        passed += case.get("status") == "run"
        failed += case.get("status") == "fail" or lost
        skipped += case.get("status") == "notrun" and not lost
    path.unlink()
    return passed, failed, 0, skipped


def googletest(arguments: str) -> Callable[[str], Counts]:
    def count(_: str) -> Counts:
        run(f"./shop_gtest {arguments} --gtest_output=json:report.json", "cpp")
        report = json.loads((WORK / "cpp/report.json").read_text())
        cases = [case for suite in report["testsuites"] for case in suite["testsuite"]]
        ran = [case for case in cases if case["status"] == "RUN"]
        failed = sum("failures" in case for case in ran)
        skipped = sum(case["result"] == "SKIPPED" for case in ran)
        return len(ran) - failed - skipped, failed, 0, skipped

    return count


def catch2(arguments: str) -> Callable[[str], Counts]:
    """The totals at the end of the XML; test cases that are expected to fail are not among the four counts."""

    def count(_: str) -> Counts:
        root = ElementTree.fromstring(run(f"./shop_catch {arguments} -r xml 2>/dev/null", "cpp"))
        total = root.findall("OverallResultsCases")[-1]
        return int(total.get("successes", 0)), int(total.get("failures", 0)), 0, 0

    return count


def doctest(arguments: str) -> Callable[[str], Counts]:
    def count(_: str) -> Counts:
        root = ElementTree.fromstring(run(f"./shop_doctest {arguments} -r=xml 2>/dev/null", "cpp"))
        total = root.find("OverallResultsTestCases")
        assert total is not None
        return int(total.get("successes", 0)), int(total.get("failures", 0)), 0, int(total.get("skipped", 0))

    return count


def tap_parser(files: str, *, quiet: bool = False) -> Callable[[str], Counts]:
    """TAP::Parser, the parser of prove, on the same files. Without -v prove calls skipped and todo tests passed."""

    def count(_: str) -> Counts:
        sums = json.loads(run(f"perl {HERE}/count_tap.pl {files} 2>/dev/null", "tap"))
        if quiet:
            return sums["all_ok"], sums["failed"], sums["broken"], 0
        return sums["passed"], sums["failed"], sums["broken"], sums["skipped"]

    return count


def stream(log: str) -> Counts:
    """TAP::Parser on the log itself, which is one TAP stream."""
    (WORK / "log.tap").write_text(log)
    sums = json.loads(run(f"perl {HERE}/count_tap.pl log.tap", "."))
    return sums["passed"], sums["failed"], 0, sums["skipped"]


def bats(arguments: str) -> Callable[[str], Counts]:
    def count(_: str) -> Counts:
        run(f"{BATS} --report-formatter junit -o . {arguments}", "bats")
        return junit(WORK / "bats/report.xml")

    return count


def gotestsum(_: str) -> Counts:
    return junit(WORK / "go/report.xml")


def exunit(_: str) -> Counts:
    path = WORK / "elixir/counts.json"
    counts = json.loads(path.read_text())
    path.unlink()
    return counts["passed"], counts["failed"], counts["invalid"], counts["skipped"]


def mocha(log: str) -> Counts:
    report = json.loads(run(f"{'BAD=1' if 'not ok' in log else ''} npx mocha --reporter json mocha.js", "node"))[
        "stats"
    ]
    return report["passes"], report["failures"], 0, report["pending"]
