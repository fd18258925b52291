"""Reading workflow files and deciding what they want; expected values are GitHub's documented ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.github.actions.expressions import Status, UnsupportedExpressionError, holds, interpolate
from tests.github.actions.log import BYTE_ORDER_MARK, JobLog
from tests.github.actions.triggers import Occasion, glob_matches, starts
from tests.github.actions.workflow_file import InvalidWorkflowError, parse

SHARED = Path(__file__).resolve().parents[2] / "../shared"
JOBS = "jobs: {a: {runs-on: x, steps: [{run: 'true'}]}}\n"


@pytest.mark.parametrize(
    ("on", "expected"),
    [
        ("push", {"push": {}}),
        ("[push, merge_group]", {"push": {}, "merge_group": {}}),
        ("{push: {branches: [main]}, pull_request: }", {"push": {"branches": ["main"]}, "pull_request": {}}),
    ],
)
def test_on_is_a_key_and_has_three_forms(on: str, expected: dict[str, object]) -> None:
    assert parse(f"on: {on}\n{JOBS}".encode()).on == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("on: push\njobs: [", "yaml syntax"),
        ("- on", "mapping"),
        (JOBS, "No event triggers"),
        ("on: push\njobs: {a: {steps: [{run: x}]}}", "runs-on"),
        ("on: push\njobs: {a: {runs-on: x, steps: [{name: x}]}}", "exactly one of"),
        ("on: push\njobs: {a: {runs-on: x, needs: b, steps: [{run: x}]}}", "needs"),
        ("on: push\njobs: {a: {runs-on: x, timeout-minutes: soon, steps: [{run: x}]}}", "timeout-minutes"),
        ("on: push\njobs: {a: {runs-on: x, steps: [{run: x, whith: {}}]}}", "Unexpected value 'whith'"),
        ("on: push\njobs: {a: {runs-on: x, step: [], steps: [{run: x}]}}", "Unexpected value 'step'"),
        ("on: push\nruns: {}\njobs: {a: {runs-on: x, steps: [{run: x}]}}", "Unexpected value 'runs'"),
    ],
)
def test_a_broken_file_says_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(InvalidWorkflowError, match=re.escape(words)):
        parse(text.encode())


def test_a_matrix_of_plain_lists_is_multiplied_out() -> None:
    text = "on: push\njobs: {a: {runs-on: x, strategy: {matrix: {py: [3.11, '3.12'], os: [l]}}, steps: [{run: x}]}}"
    assert parse(text.encode()).jobs[0].matrix == ({"py": 3.11, "os": "l"}, {"py": "3.12", "os": "l"})


# The pattern cheat sheet of "Workflow syntax for GitHub Actions", branches first, then paths.
@pytest.mark.parametrize(
    ("pattern", "matching"),
    [
        ("feature/*", ["feature/my-branch", "feature/your-branch"]),
        ("feature/**", ["feature/beta-a/my-branch", "feature/your-branch", "feature/mona/the/octocat"]),
        ("*", ["main", "releases"]),
        ("**", ["all/the/branches", "every/tag"]),
        ("*feature", ["mona-feature", "feature", "ver-10-feature"]),
        ("v2*", ["v2", "v2.0", "v2.9"]),
        ("v[12].[0-9]+.[0-9]+", ["v1.10.1", "v2.0.0"]),
        ("*.jsx?", ["page.js", "page.jsx"]),
        ("**.js", ["index.js", "js/index.js", "src/js/app.js"]),
        ("docs/*", ["docs/README.md", "docs/file.txt"]),
        ("**/docs/**", ["docs/hello.md", "dir/docs/my-file.txt", "space/docs/plan/space.doc"]),
        ("**/migrate-*.sql", ["migrate-10909.sql", "db/migrate-v1.0.sql", "db/sept/migrate-v1.sql"]),
    ],
)
def test_documented_patterns_match_their_documented_examples(pattern: str, matching: list[str]) -> None:
    assert [text for text in matching if not glob_matches(pattern, text)] == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("*", "all/the/branches"), ("docs/*", "docs/a/b.md"), ("*.js", "js/index.js"), ("v2*", "a/v2")],
)
def test_one_star_does_not_cross_a_slash(pattern: str, text: str) -> None:
    assert not glob_matches(pattern, text)


@pytest.mark.parametrize(
    ("on", "occasion", "expected"),
    [
        ("pull_request", Occasion("pull_request", "opened", "main"), True),
        ("pull_request", Occasion("pull_request", "labeled", "main"), False),
        ("{pull_request: {types: [labeled]}}", Occasion("pull_request", "labeled", "main"), True),
        ("{pull_request: {types: labeled}}", Occasion("pull_request", "opened", "main"), False),
        ("{pull_request: {branches: [dev]}}", Occasion("pull_request", "opened", "main"), False),
        ("{push: {branches: ['releases/**', '!releases/**-alpha']}}", Occasion("push", branch="releases/10"), True),
        (
            "{push: {branches: ['releases/**', '!releases/**-alpha']}}",
            Occasion("push", branch="releases/b-alpha"),
            False,
        ),
        ("{push: {branches-ignore: [main]}}", Occasion("push", branch="main"), False),
        ("{push: {branches: [main]}}", Occasion("push", tag="v1"), False),
        ("{push: {tags: ['v*']}}", Occasion("push", tag="v1"), True),
        ("{push: {tags: ['v*']}}", Occasion("push", branch="main"), False),
        ("{push: {paths: ['**.py']}}", Occasion("push", branch="main", paths=("a.md", "b.py")), True),
        ("{push: {paths: ['*.md', '!README.md']}}", Occasion("push", branch="main", paths=("README.md",)), False),
        ("{push: {paths-ignore: ['docs/**']}}", Occasion("push", branch="main", paths=("docs/a", "b")), True),
        ("{push: {paths-ignore: ['docs/**']}}", Occasion("push", branch="main", paths=("docs/a",)), False),
        ("push", Occasion("merge_group", "checks_requested", "main"), False),
        ("merge_group", Occasion("merge_group", "checks_requested", "main"), True),
    ],
)
def test_filters_decide_which_events_start_a_workflow(on: str, occasion: Occasion, expected: bool) -> None:
    assert starts(parse(f"on: {on}\n{JOBS}".encode()).on, occasion) is expected


@pytest.mark.parametrize(
    ("condition", "failed", "expected"),
    [
        (None, False, True),
        (None, True, False),
        ("always()", True, True),
        ("${{ failure() }}", True, True),
        ("failure()", False, False),
        ("false", False, False),
        ("true", True, False),
        ("github.event_name == 'push'", False, True),
        ("${{ github.event_name != 'push' }}", False, False),
    ],
)
def test_simple_conditions(condition: str | None, failed: bool, expected: bool) -> None:
    status = Status(failed, False, {"github": {"event_name": "push"}})
    assert holds(condition, status) is expected


@pytest.mark.parametrize(
    "condition", ["contains(github.ref, 'x')", "github.actor == 'a' && true", "steps.a.outcome == 'x'"]
)
def test_other_conditions_are_refused(condition: str) -> None:
    with pytest.raises(UnsupportedExpressionError):
        holds(condition, Status(contexts={"github": {"actor": "a", "ref": "x"}}))


def test_expressions_take_values_from_contexts() -> None:
    contexts = {"matrix": {"py": "3.12"}, "github": {"sha": "abc"}, "inputs": {}}
    assert interpolate("${{ matrix.py }}-${{github.sha}}-${{ inputs.none }}", contexts) == "3.12-abc-"
    with pytest.raises(UnsupportedExpressionError, match="hashFiles"):
        interpolate("${{ hashFiles('x') }}", contexts)


def test_log_lines_have_the_form_of_real_logs() -> None:
    log = JobLog()
    log.group(2, "Run ls", ["\x1b[36;1mls\x1b[0m", "shell: /usr/bin/bash -e {0}"])
    log.output(2, "::error file=a.py,line=1::broken")
    data = log.job()
    assert data.startswith(BYTE_ORDER_MARK)
    text = data.removeprefix(BYTE_ORDER_MARK).decode()
    assert re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z [^\n]*\n)+", text)
    assert [line[29:] for line in text.splitlines()][-2:] == ["##[endgroup]", "##[error]broken"]


def test_a_run_step_is_announced_as_in_a_real_log() -> None:
    path = SHARED / "logs/gha_pytest_ansi_collect_errors.log"
    if not path.exists():
        pytest.skip("needs ../shared/logs (real logs)")
    lines = [line[29:] for line in path.read_text(encoding="utf-8").splitlines()]
    start = lines.index("##[group]Run pip install --upgrade hatch")
    env = {name: value for name, _, value in (line.strip().partition(": ") for line in lines[start + 4 : start + 12])}
    log = JobLog()
    shown = ["\x1b[36;1mpip install --upgrade hatch\x1b[0m", "shell: /usr/bin/bash -e {0}"]
    log.group(2, "Run pip install --upgrade hatch", [*shown, "env:", *(f"  {k}: {v}" for k, v in env.items())])
    ours = [line[29:] for line in log.job().decode("utf-8-sig").splitlines()]
    assert ours == lines[start : start + len(ours)]
    assert lines[start + len(ours) - 1] == "##[endgroup]"
