"""More of the numbered ways to fake evidence: what a run prints, leaves and concludes, with jobs that really run.

Here the workflow runs a script of the repository and keeps a report, a second job only says that all is well, and the
target branch's own run is what later ones are compared with.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.gate.catalogue import BUNDLE, CART, POLICY, START, WRONG, Cheat

WORKFLOW = """\
name: CI
on: {push: {branches: [main]}, pull_request: {}, merge_group: {}}
permissions: {contents: read}
env: {PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1'}
jobs:
  test:
    runs-on: ubuntu-latest
    if: github.head_ref != 'agent/docs'
    steps:
      - uses: actions/checkout@v4
      - run: sh test.sh
      - if: always()
        uses: actions/upload-artifact@v4
        with: {name: junit, path: junit.xml}
  all:
    runs-on: ubuntu-latest
    needs: [test]
    if: always()
    steps: [{run: echo All is well}]
"""
PYTEST = "python -m pytest -p no:cacheprovider"
SCRIPT = f"{PYTEST} --junitxml=junit.xml\n"
SMALL = "def test_one():\n    assert 1 + 1 == 2\n"
START_OF_RUNS: dict[str, str] = START | {
    ".github/workflows/ci.yml": WORKFLOW,
    ".github/mergegate.yml": POLICY.replace("[test]", "[test], attempts: 1, reports: {required: true}")
    + "risk: {areas: {payment: {risk: medium}}}\n",
    "test.sh": SCRIPT,
    "tools/test_small.py": SMALL,
}
RUN_BUNDLE = BUNDLE.replace("python -m pytest -q -p no:cacheprovider", "sh test.sh")


def _cheat(number: int, name: str, files: Mapping[str, str | None], found: str, branch: str = "") -> Cheat:
    return Cheat(number, name, files, found, body=RUN_BUNDLE, branch=branch)


def _at_the_end(*statements: str) -> dict[str, str | None]:
    """Wrong code, and a hook of pytest's that does this after the last test."""
    body = "".join(f"    {line}\n" for line in statements)
    return {**WRONG, "conftest.py": f"import atexit, os\n\n\ndef pytest_sessionfinish(session):\n{body}"}


def _script(text: str) -> dict[str, str | None]:
    return {**WRONG, "test.sh": text}


_SUCCESS = "session.exitstatus = 0"
_REPORTER = "stats = session.config.pluginmanager.get_plugin('terminalreporter').stats"
_FORGED = "=" * 20 + " 4 passed in 0.01s " + "=" * 20
_QUIET = "\n\ndef pytest_report_teststatus(report):\n    return ('', '', '') if report.failed else None\n"
_CUT = _at_the_end(_SUCCESS)
_CUT["conftest.py"] = f"{_CUT['conftest.py']}{_QUIET}"
_FEWER = "def pytest_collection_modifyitems(items):\n    del items[:2]\n"

IN_RUNS = (
    _cheat(
        5,
        "the summary line is edited",
        _at_the_end(_REPORTER, "stats.setdefault('passed', []).extend(stats.pop('failed', []))", _SUCCESS),
        "ci.logs",
    ),
    _cheat(6, "failures are cut out of the log", _CUT, "ci.logs"),
    _cheat(
        7, "the log ends before the summary", _at_the_end("os.dup2(os.open(os.devnull, 1), 1)", _SUCCESS), "ci.logs"
    ),
    _cheat(
        8,
        "a summary is printed beside the true one",
        _at_the_end(_SUCCESS, f"atexit.register(print, {_FORGED!r})"),
        "ci.logs",
    ),
    _cheat(9, "a small green run after the red one", _script(f"{PYTEST} || {PYTEST} tools/test_small.py\n"), "ci.logs"),
    _cheat(
        10,
        "the command names one test",
        _script(f"{PYTEST} test_cart.py::test_cheapest\n"),
        "tampering.collection-narrowed",
    ),
    _cheat(11, "no test is chosen", _script(f"{PYTEST} -k absent\ntest $? = 5\n"), "ci.logs"),
    _cheat(14, "the run is of fewer tests", {**WRONG, "conftest.py": _FEWER}, "ci.baseline"),
    _cheat(21, "a job that only says that all is well", WRONG, "ci.jobs"),
    _cheat(22, "the job is skipped", WRONG, "ci.jobs", branch="agent/docs"),
    _cheat(
        24,
        "a job is dropped",
        {**WRONG, ".github/workflows/ci.yml": WORKFLOW.partition("  all:\n")[0]},
        "tampering.job-removed",
    ),
    _cheat(
        32,
        "markers of another step are printed",
        _at_the_end(
            _SUCCESS, f"atexit.register(print, '##[endgroup]\\n##[group]Run sh test.sh\\n##[endgroup]\\n{_FORGED}')"
        ),
        "ci.logs",
    ),
)
# These are played apart, since more than one push is done about each.
UNSTEADY = CART.replace("sum(prices)", "sum(prices) + (os.environ['GITHUB_RUN_ATTEMPT'] == '1')", 1)
RUN_AGAIN = _cheat(29, "tried until it passed", {"cart.py": f"import os\n\n\n{UNSTEADY}"}, "ci.attempts")
OLD_REPORT = _cheat(
    30,
    "the report is of an earlier attempt",
    {"test.sh": f'test "$GITHUB_RUN_ATTEMPT" = 1 && exec {SCRIPT}{PYTEST}\n'},
    "ci.reports",
)
CANCELLED = _cheat(31, "the run is cancelled", WRONG, "ci.jobs")
APPROVED = Cheat(
    34,
    "pushed after the approval",
    {"payment/rate.py": "RATE = 0.1\n"},
    "review",
    "medium",
    body=RUN_BUNDLE,
    branch="agent/payment",
)
STALE = _cheat(35, "tested on a commit that the target branch left", {"cart.py": CART + "\n\nRATE = 0.1\n"}, "ci.logs")
