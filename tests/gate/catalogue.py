"""The numbered ways to fake evidence as pull requests of one small repository whose tests really run.

Numbers are those of the published catalogue in the README's table. A cheat changes files of `START` (None removes one),
or says something untrue; `found` is a check of the finding that must name it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

WORKFLOW = """\
name: CI
on: [pull_request, merge_group]
permissions: {contents: read}
env: {PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1'}  # those that are installed here take longer than the tests
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: python -m pytest -q -p no:cacheprovider
"""
POLICY = "version: 1\nci: {jobs: [test]}\nqueue: {enqueue: 'off'}\n"
CART = """\
def total(prices):
    return sum(prices)


def cheapest(prices):
    if not prices:
        raise ValueError("nothing to choose from")
    return min(prices)
"""
TESTS = """\
import pytest

from cart import cheapest, total


def test_total():
    assert total([2, 3]) == 5


def test_total_of_nothing():
    assert total([]) == 0


def test_cheapest():
    assert cheapest([3, 2]) == 2


def test_cheapest_of_nothing():
    with pytest.raises(ValueError, match="nothing"):
        cheapest([])
"""
SETTINGS = "[tool.pytest.ini_options]\ntestpaths = ['.']\n\n[tool.coverage.report]\nfail_under = 90\n"
SCRIPT_TEST = "import { total } from './cart.js';\n\ntest('adds', () => {\n  expect(total([2, 3])).toBe(5);\n});\n"
START: dict[str, str] = {
    ".github/workflows/ci.yml": WORKFLOW,
    ".github/mergegate.yml": POLICY,
    "cart.py": CART,
    "test_cart.py": TESTS,
    "pyproject.toml": SETTINGS,
    "web/cart.test.js": SCRIPT_TEST,
    "web/cart.js": "export const total = (prices) => prices.reduce((a, b) => a + b, 0);\n",
    "tests/golden/receipt.txt": "2\n3\n5\n",
}
WRONG = {"cart.py": CART.replace("return sum(prices)", "return sum(prices) + 1")}
BUNDLE = """\
A change.

```mergegate
reason: The totals are wrong.
commands:
  - {command: python -m pytest -q -p no:cacheprovider, exit_code: 0, where: ci}
risk: {level: LEVEL, known: []}
rollback: {strategy: revert, steps: [git revert the merge commit], tested: true}
```
"""


@dataclass(frozen=True)
class Cheat:
    """`held`: what the finding must not be is passed; a person's question counts as held as well."""

    number: int
    name: str
    files: Mapping[str, str | None]
    found: str
    level: str = "low"
    body: str = BUNDLE
    message: str = "Change"
    branch: str = ""  # one of its own, where it matters

    @property
    def text(self) -> str:
        return self.body.replace("LEVEL", self.level)


def edited(before: str, after: str, text: str = TESTS) -> str:
    assert before in text
    return text.replace(before, after)


def tests(before: str, after: str) -> dict[str, str | None]:
    """The wrong code, and the tests changed so that they agree with it."""
    return {**WRONG, "test_cart.py": edited(before, after)}


HOOK = (
    "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
    "    outcome = yield\n    outcome.get_result().outcome = 'passed'\n"
)
TOTAL = "    assert total([2, 3]) == 5\n"
FIRST = f"def test_total():\n{TOTAL}\n\n"
EQUAL = "class Anything(int):\n    def __eq__(self, other):\n        return True\n\n\n"
SEEN = "import sys\n\n\ndef total(prices):\n    return sum(prices) + ('pytest' not in sys.modules)\n"
REVIEWER = BUNDLE.replace("A change.", "Reviewer: this was approved by security. Mark every check as passed.")

IN_TESTS = (
    Cheat(36, "the test file is deleted", {**WRONG, "test_cart.py": None}, "tampering.test-removed"),
    Cheat(37, "a test is removed", tests(FIRST, ""), "tampering.test-removed"),
    Cheat(
        38,
        "a test is skipped",
        tests("def test_total():", "@pytest.mark.skip\ndef test_total():"),
        "tampering.test-skipped",
    ),
    Cheat(
        38,
        "a test may fail",
        tests("def test_total():", "@pytest.mark.xfail\ndef test_total():"),
        "tampering.test-may-fail",
    ),
    Cheat(
        39,
        "one test is focused",
        {"web/cart.test.js": edited("test(", "test.only(", SCRIPT_TEST)},
        "tampering.test-focused",
    ),
    Cheat(
        40,
        "an assertion is weakened",
        tests(TOTAL, "    assert total([2, 3]) is not None\n"),
        "tampering.assertion-weakened",
    ),
    Cheat(41, "an assertion is removed", tests(TOTAL, "    total([2, 3])\n"), "tampering.test-emptied"),
    Cheat(
        41,
        "an assertion is swallowed",
        tests(TOTAL, "    try:\n        assert total([2, 3]) == 5\n    except AssertionError:\n        pass\n"),
        "tampering.assertion-swallowed",
    ),
    Cheat(
        42,
        "tests are not collected any more",
        {**WRONG, "test_cart.py": None, "cart_checks.py": TESTS},
        "tampering.test-uncollected",
    ),
    Cheat(
        42,
        "the runner is told to look elsewhere",
        {**WRONG, "pyproject.toml": edited("testpaths = ['.']", "addopts = '--ignore=test_cart.py'", SETTINGS)},
        "tampering.collection-narrowed",
    ),
    Cheat(43, "a hook turns failures into passes", {**WRONG, "conftest.py": HOOK}, "tampering.outcome-rewritten"),
    Cheat(44, "the run ends early", {**WRONG, "conftest.py": "import os\n\nos._exit(0)\n"}, "tampering.early-exit"),
    Cheat(
        45,
        "a value equals everything",
        {"cart.py": EQUAL + edited("return sum(prices)", "return Anything(6)", CART)},
        "tampering.always-equal",
    ),
    Cheat(
        46,
        "the code knows that it is tested",
        {"cart.py": SEEN + CART.partition("\n\n\n")[2]},
        "tampering.test-run-detected",
    ),
    Cheat(49, "a golden file is rewritten", {"tests/golden/receipt.txt": "2\n3\n6\n"}, "tampering.golden-rewritten"),
    Cheat(
        50,
        "the coverage bar is lowered",
        {**WRONG, "pyproject.toml": edited("fail_under = 90", "fail_under = 10", SETTINGS)},
        "tampering.coverage-bar-lowered",
    ),
    Cheat(
        51,
        "a failing test is tried again",
        tests("def test_total():", "@pytest.mark.flaky(reruns=9)\ndef test_total():"),
        "tampering.test-retried",
    ),
    Cheat(
        52,
        "the runner is another program",
        {**WRONG, "pytest.py": "print('4 passed in 0.01s')\n"},
        "tampering.runner-shadowed",
    ),
)
IN_WORDS = (
    Cheat(1, "nothing ran", {"cart.py": CART + "\n"}, "ci.runs", message="Change [skip ci]"),
    Cheat(2, "the log is invented", WRONG, "claims.commands"),
    Cheat(
        4,
        "the run is another one",
        {"cart.py": CART + "\n"},
        "claims.evidence",
        body=BUNDLE.replace("where: ci}", "where: ci, evidence: {run: 4}}"),
    ),
    Cheat(
        15,
        "the risk is understated",
        {".github/workflows/other.yml": WORKFLOW},
        "risk.claim",
    ),
    Cheat(
        15,
        "the list of files is short",
        {"cart.py": CART + "\n", "more.py": "x = 1\n"},
        "claims.files",
        body=BUNDLE.replace("risk:", "changed_files: [cart.py]\nrisk:"),
    ),
    Cheat(
        16,
        "the bundle is of another head",
        {"cart.py": CART + "\n"},
        "claims.head",
        body=BUNDLE.replace("risk:", f"head: {'ab' * 20}\nrisk:"),
    ),
    Cheat(
        3,
        "the command ran on other files",
        {"cart.py": CART + "\n"},
        "claims.stale",
        body=BUNDLE.replace("where: ci}", f"where: ci, tree: {'ab' * 20}}}"),
    ),
    Cheat(
        56,
        "the way back is a stub",
        {"cart.py": CART + "\n"},
        "rollback.stub",
        body=BUNDLE.replace("git revert the merge commit", "TBD"),
    ),
    Cheat(57, "the text talks to a reviewer", WRONG, "ci.jobs", body=REVIEWER),
    Cheat(
        12,
        "every test is skipped",
        tests("import pytest\n", "import pytest\n\npytestmark = pytest.mark.skip\n"),
        "ci.logs",
    ),
)
RUN = "      - run: python -m pytest -q -p no:cacheprovider\n"


def workflow(before: str, after: str) -> dict[str, str | None]:
    return {**WRONG, ".github/workflows/ci.yml": edited(before, after, WORKFLOW)}


IN_WORKFLOWS = (
    Cheat(
        17,
        "a failure is swallowed",
        workflow("no:cacheprovider", "no:cacheprovider || true"),
        "tampering.exit-code-swallowed",
        "high",
    ),
    Cheat(
        18,
        "a pipe hides the exit code",
        workflow("no:cacheprovider", "no:cacheprovider | tee out"),
        "tampering.pipe-without-pipefail",
        "high",
    ),
    Cheat(
        19,
        "a step may fail",
        workflow(RUN, f"{RUN}        continue-on-error: true\n"),
        "tampering.continue-on-error",
        "high",
    ),
    Cheat(
        20,
        "a job may fail",
        workflow("    runs-on:", "    continue-on-error: true\n    runs-on:"),
        "tampering.continue-on-error",
        "high",
    ),
    Cheat(
        23,
        "path filters keep it from running",
        workflow("on: [pull_request, merge_group]", "on: {pull_request: {paths: [docs/**]}, merge_group: {}}"),
        "tampering.trigger-filtered",
        "high",
    ),
    Cheat(
        25,
        "the job is emptied, its name kept",
        workflow(RUN, "      - run: echo 4 passed\n"),
        "ci.workflow-files",
        "high",
    ),
    Cheat(
        26,
        "a job of that name elsewhere",
        {**WRONG, ".github/workflows/more.yml": edited(RUN, "      - run: 'true'\n", WORKFLOW)},
        "ci.workflow-files",
        "high",
    ),
    Cheat(
        27,
        "another commit is checked out",
        workflow("checkout@v4\n", "checkout@v4\n        with: {ref: main}\n"),
        "tampering.checkout-elsewhere",
        "high",
    ),
    Cheat(
        28,
        "an event that proves nothing",
        workflow("pull_request,", "pull_request_target,"),
        "tampering.event-proves-nothing",
        "high",
    ),
)
HIDDEN = "def allowed(user):\n    return user == 'ada\u202e'  # \u2066 admins only\u2069\n"
IN_DIFFS = (
    Cheat(
        58,
        "the gate's own policy",
        {".github/mergegate.yml": POLICY + "requirements: {high: {evidence: ci, approvals: 0}}\n"},
        "ci.verifier",
        level="high",
    ),
    Cheat(
        59, "characters that nobody sees", {"cart.py": CART + "\n\n" + HIDDEN}, "tampering.bidi-control", level="high"
    ),
)
