"""What is weak in one workflow file, and what a change to such files drops or widens."""

from __future__ import annotations

import pytest

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.workflow_edits import LOCK_FILE, alterations, weaknesses
from tests.checks.tampering.honest import changes_between

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
PATH = ".github/workflows/ci.yml"
PINNED = "8e8c483db84b4bee98b60c0593521ed34d9990e8"


def _workflow(steps: str = "- run: pytest", job: str = "", top: str = "on: pull_request") -> str:
    return f"{top}\njobs:\n  test:\n    runs-on: ubuntu-24.04\n{job}    steps:\n      {steps}\n"


def _weak(text: str) -> list[tuple[str, Weight, int | None, str]]:
    return [(each.kind, each.weight, each.line, each.after) for each in weaknesses(PATH, text.encode())]


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ("- run: pytest || true", ("exit-code-swallowed", FAILED, 6, "|| true")),
        ("- run: |\n          a\n          pytest | tee x", ("pipe-without-pipefail", FAILED, 8, "| tee x")),
        ("- run: pytest\n        continue-on-error: true", ("continue-on-error", FAILED, 6, "continue-on-error: true")),
        ("- {run: pytest, if: false}", ("conditional-test", FAILED, 6, "false")),
        ("- {run: pytest, if: '${{ github.actor }}'}", ("conditional-test", PERSON, 6, "github.actor")),
        ("- {run: pytest, if: \"github.actor == 'a'\"}", ("conditional-test", PERSON, 6, "github.actor == 'a'")),
        ("- run: pytest ${{ vars.OPTIONS }}", ("outside-variable", RISK, 6, "vars.OPTIONS")),
        ("- {run: pytest, env: {A: '${{ vars.X }}'}}", ("outside-variable", RISK, 6, "vars.X")),
        ("- {run: ls, env: {NODE_OPTIONS: -r x}}", ("runner-environment", PERSON, 6, "NODE_OPTIONS=-r x")),
        ("- {run: ls, env: {CI: 'false'}}", ("runner-environment", PERSON, 6, "CI=false")),
        ("- {run: ls, env: {CI: ''}}", ("runner-environment", PERSON, 6, "CI=")),
        (
            "- {run: ls, env: {CARGO_TARGET_X86_64_RUNNER: a}}",
            ("runner-environment", PERSON, 6, "CARGO_TARGET_X86_64_RUNNER=a"),
        ),
        ("- uses: someone/action@v1", ("action-not-pinned", RISK, 6, "someone/action@v1")),
        ("- uses: docker://alpine:3", ("action-not-pinned", RISK, 6, "docker://alpine:3")),
        ("- uses: $/.github/actions/x", ("self-repository", RISK, 6, "$/.github/actions/x")),
        (f"- uses: nick-fields/retry@{PINNED}", ("retries-raised", PERSON, 6, "nick-fields/retry")),
        ("- {uses: actions/checkout@v6, with: {ref: main}}", ("checkout-elsewhere", PERSON, 6, "ref: main")),
        (
            "- {uses: actions/checkout@v6, with: {repository: a/b}}",
            ("checkout-elsewhere", PERSON, 6, "repository: a/b"),
        ),
        ("- run: git checkout main", ("checkout-elsewhere", PERSON, 6, "git checkout main")),
        ("- run: git reset --hard HEAD~1 && ls", ("checkout-elsewhere", PERSON, 6, "git reset --hard HEAD~1 ")),
        (
            "- run: git checkout ${{ github.base_ref }} -- src",
            ("checkout-elsewhere", PERSON, 6, "git checkout ${{ github.base_ref }} -- src"),
        ),
        (
            "- run: git restore --source=origin/main src; ls",
            ("checkout-elsewhere", PERSON, 6, "git restore --source=origin/main src"),
        ),
    ],
)
def test_weak_steps(steps: str, found: tuple[str, Weight, int, str]) -> None:
    assert _weak(_workflow(steps)) == [found]


@pytest.mark.parametrize(
    "steps",
    [
        "- run: pytest",
        "- run: ruff check || true",
        "- {run: pytest, if: always()}",
        "- {run: pytest, if: '${{ !cancelled() }}'}",
        "- {run: ls, if: github.actor}",
        "- run: ls ${{ vars.X }}",
        "- {run: ls, env: {CI: 'true', A: b}}",
        "- uses: actions/checkout@v6",
        "- {uses: actions/checkout@v6, with: {ref: '${{ github.event.pull_request.head.sha }}'}}",
        "- {uses: actions/setup-python@v6, with: {ref: main}}",
        f"- uses: someone/action@{PINNED}",
        "- uses: docker://alpine@sha256:" + "a" * 64,
        "- uses: ./.github/actions/x",
        "- run: git checkout -b new",
        "- run: git checkout -- a",
    ],
)
def test_steps_that_are_not_weak(steps: str) -> None:
    assert _weak(_workflow(steps)) == []


@pytest.mark.parametrize(
    ("job", "found"),
    [
        ("    continue-on-error: true\n", ("continue-on-error", FAILED, 7, "continue-on-error: true")),
        ("    if: false\n", ("conditional-test", FAILED, 3, "false")),
        ("    permissions: {checks: write}\n", ("permissions-widened", PERSON, 3, "checks: write")),
        ("    permissions: write-all\n", ("permissions-widened", PERSON, 3, "write-all")),
        ("    env: {PYTEST_PLUGINS: x}\n", ("runner-environment", PERSON, 3, "PYTEST_PLUGINS=x")),
        ("    cache-mode: write\n", ("cache-written", PERSON, 3, "pull_request write")),
        ("    secrets: inherit\n", ("secrets-inherited", PERSON, 3, "secrets: inherit")),
        (
            "    uses: a/b/.github/workflows/c.yml@v1\n",
            ("action-not-pinned", RISK, 3, "a/b/.github/workflows/c.yml@v1"),
        ),
        ("    continue-on-error: false\n", None),
        ("    if: ${{ success() }}\n", None),
        ("    permissions: {checks: read}\n", None),
        ("    cache-mode: read\n", None),
    ],
)
def test_weak_jobs(job: str, found: tuple[str, Weight, int, str] | None) -> None:
    assert _weak(_workflow(job=job)) == ([] if found is None else [found])


def test_a_job_s_condition_on_what_is_outside() -> None:
    assert [kind for kind, *_ in _weak(_workflow(job="    if: vars.RUN\n"))] == ["conditional-test", "outside-variable"]
    assert _weak(_workflow("- run: ls", job="    if: vars.RUN\n")) == []


@pytest.mark.parametrize("labels", ["self-hosted", "[Self-Hosted, linux]", "{labels: self-hosted}"])
def test_machines_that_are_kept(labels: str) -> None:
    text = _workflow().replace("ubuntu-24.04", labels)
    assert [(kind, weight, line) for kind, weight, line, _ in _weak(text)] == [("self-hosted", PERSON, 3)]


@pytest.mark.parametrize(
    ("top", "found"),
    [
        ("on: pull_request_target", [("event-proves-nothing", PERSON, 1, "pull_request_target")]),
        ("on: {workflow_run: {types: [completed]}}", [("event-proves-nothing", PERSON, 1, "workflow_run")]),
        ("on: {pull_request: {paths: [a]}}", [("trigger-filtered", PERSON, 1, "pull_request paths a")]),
        ("on: {pull_request: {branches: [a]}}", [("trigger-filtered", PERSON, 1, "pull_request branches a")]),
        ("on: {pull_request: {types: [opened]}}", [("trigger-filtered", PERSON, 1, "pull_request types opened")]),
        (
            "on: {merge_group: {branches-ignore: [a, b]}}",
            [
                ("trigger-filtered", PERSON, 1, "merge_group branches-ignore a"),
                ("trigger-filtered", PERSON, 1, "merge_group branches-ignore b"),
            ],
        ),
        ("on: {pull_request: {branches: ['**']}}", []),
        ("on: {push: {paths: [a]}}", []),
        ("on: push\ncache-mode: write", []),
        (
            "on: [issue_comment, push]\ncache-mode: write-only",
            [("cache-written", PERSON, 2, "issue_comment write-only")],
        ),
        ("on: push\npermissions: {contents: write}", [("permissions-widened", PERSON, 2, "contents: write")]),
        ("on: push\nenv: {GOFLAGS: -short}", [("runner-environment", PERSON, 2, "GOFLAGS=-short")]),
    ],
)
def test_weak_triggers_and_settings(top: str, found: list[tuple[str, Weight, int, str]]) -> None:
    assert _weak(_workflow(top=top)) == found


def test_a_weakness_in_words() -> None:
    (found,) = weaknesses(PATH, _workflow("- run: pytest -q || true").encode())
    assert found == Alteration(
        "exit-code-swallowed",
        PATH,
        6,
        "",
        "|| true",
        "The job `test` passes although `pytest -q` fails.",
        FAILED,
        PATH,
        "ci",
    )


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        (
            _workflow("- {run: pytest, if: false}"),
            ["A step with tests runs never if `false`; a skipped one looks green."],
        ),
        (
            _workflow(job="    if: x\n"),
            ["A job with tests runs only if `x`; a skipped one looks green."],
        ),
        (
            _workflow(top="on: pull_request_target"),
            ["It runs on `pull_request_target`: with the target's rights, but not on the change itself."],
        ),
        (
            _workflow(top="on: {pull_request: {paths: [a]}}"),
            ["On `pull_request` it runs only as `paths` lets it: `a`."],
        ),
        (
            _workflow("- {uses: actions/checkout@v6, with: {ref: main}}"),
            ["It checks out `ref: main` instead of the change."],
        ),
        (_workflow("- uses: a/b@v1"), ["It uses `a/b@v1`, which others can move to other code."]),
        (
            _workflow(f"- uses: nick-fields/retry@{PINNED}"),
            [f"It tries failing commands again: `nick-fields/retry@{PINNED}`."],
        ),
        (_workflow(job="    permissions: write-all\n"), ["Its token may write: `write-all`."]),
        (
            _workflow("- uses: ./" + "a" * 200 + "\n      - uses: a/" + "b" * 200 + "@v1"),
            ["It uses `a/" + "b" * 117 + "…`, which others can move to other code."],
        ),
    ],
)
def test_reasons(text: str, reasons: list[str]) -> None:
    assert [each.reason for each in weaknesses(PATH, text.encode())] == reasons


def test_a_workflow_that_cannot_be_read() -> None:
    assert weaknesses(PATH, b"[") == (
        Alteration(
            "workflow-unreadable",
            PATH,
            None,
            "",
            "",
            "This workflow cannot be read, so what it runs is not known.",
            PERSON,
            PATH,
            "ci",
        ),
    )


def _found(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, Weight, int | None, str, str]]:
    found = alterations(changes_between(before, after))
    return [(each.kind, each.weight, each.line, each.before, each.after) for each in found]


def test_only_what_is_new_is_said_of_a_change() -> None:
    weak = _workflow("- uses: a/b@v1", top="on: pull_request_target")
    assert _found({PATH: weak}, {PATH: f"{weak}      - run: ls\n"}) == []
    assert _found({PATH: weak}, {".github/workflows/other.yml": weak}) == []
    assert _found({PATH: weak}, {PATH: f"{weak}      - uses: a/b@v1\n"}) == [
        ("action-not-pinned", RISK, 7, "", "a/b@v1")
    ]
    assert _found({}, {PATH: _workflow("- uses: a/b@v1")}) == [("action-not-pinned", RISK, 6, "", "a/b@v1")]


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (_workflow(), _workflow(top="on: push"), "It does not run on `pull_request` any more."),
        (_workflow("- run: ls"), "on: pull_request\njobs: {}\n", "The job `test` is not there any more."),
        (_workflow("- run: ls"), None, "A workflow file is taken away, and its checks with it."),
    ],
)
def test_what_is_dropped_in_words(before: str, after: str | None, reason: str) -> None:
    (found,) = alterations(changes_between({PATH: before}, {} if after is None else {PATH: after}))
    assert (found.reason, found.path, found.subject, found.risk_area) == (reason, PATH, PATH, "ci")


@pytest.mark.parametrize(
    ("text", "area"),
    [
        (_workflow("- uses: a/b@v1"), "dependencies"),
        (_workflow(job="    permissions: write-all\n"), "permissions"),
        (_workflow(job="    secrets: inherit\n"), "secrets"),
        (_workflow().replace("ubuntu-24.04", "self-hosted"), "infrastructure"),
        (_workflow("- {run: ls, env: {CI: ''}}"), "ci"),
    ],
)
def test_areas(text: str, area: str) -> None:
    (found,) = weaknesses(PATH, text.encode())
    assert (found.risk_area, found.subject, found.before) == (area, PATH, "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            _workflow("- run: pytest ${{ vars.X }}"),
            "What runs depends on `vars.X`, which is set outside of the repository.",
        ),
        (_workflow("- {run: ls, env: {CI: ''}}"), "It changes how tests are run: `CI=`."),
        (_workflow("- run: git checkout main"), "It looks at other files than the change's: `git checkout main`."),
        (
            _workflow("- uses: $/x"),
            "It calls `$/x` of this repository, whose content may change with the change itself.",
        ),
        (_workflow(job="    secrets: inherit\n"), "It hands all secrets on."),
        (
            _workflow().replace("ubuntu-24.04", "self-hosted"),
            "It runs on a machine that is kept between runs: `self-hosted`.",
        ),
        (
            _workflow(job="    cache-mode: write\n"),
            "On `pull_request`, which anybody can cause, it writes to the cache that trusted runs read.",
        ),
    ],
)
def test_more_reasons(text: str, reason: str) -> None:
    (found,) = weaknesses(PATH, text.encode())
    assert found.reason == reason


def test_triggers_that_are_dropped() -> None:
    before = _workflow(top="on: [push, pull_request, merge_group, issues]")
    assert _found({PATH: before}, {PATH: _workflow(top="name: x\non: workflow_dispatch")}) == [
        ("trigger-removed", PERSON, 2, "pull_request", ""),
        ("trigger-removed", PERSON, 2, "merge_group", ""),
        ("trigger-removed", PERSON, 2, "push", ""),
    ]


def test_jobs_that_are_dropped() -> None:
    two = _workflow() + "  docs:\n    name: Docs\n    steps:\n      - uses: ./x\n"
    assert _found({PATH: two}, {PATH: _workflow()}) == [("job-removed", PERSON, 7, "Docs", "")]
    renamed = two.replace("  docs:", "  pages:")
    assert _found({PATH: two}, {PATH: renamed}) == []
    called_otherwise = two.replace("name: Docs", "name: Pages")
    assert _found({PATH: two}, {PATH: called_otherwise}) == []


def test_a_workflow_that_is_removed() -> None:
    text = "on: push\njobs:\n  a:\n    steps: [{uses: ./x}]\n  b:\n    steps: []\n"
    assert _found({PATH: text}, {}) == [("workflow-removed", PERSON, None, "a, b", "")]
    assert _found({PATH: "on: push\n"}, {}) == []
    assert _found({PATH: text}, {"docs/ci.yml": text}) == [("workflow-removed", PERSON, None, "a, b", "")]


def test_a_workflow_that_cannot_be_read_any_more() -> None:
    assert [kind for kind, *_ in _found({PATH: _workflow("- run: ls")}, {PATH: "["})] == ["workflow-unreadable"]
    assert [kind for kind, *_ in _found({PATH: "["}, {PATH: "{"})] == ["workflow-unreadable"]
    assert _found({PATH: "["}, {PATH: _workflow()}) == []
    assert _found({PATH: "["}, {}) == []


def test_legs() -> None:
    def matrix(values: str) -> dict[str, str]:
        return {PATH: _workflow(job=f"    strategy: {{matrix: {values}}}\n")}

    (found,) = alterations(changes_between(matrix("{a: [1, 2, 3]}"), matrix("{a: [3]}")))
    assert found == Alteration(
        "matrix-leg-removed",
        PATH,
        3,
        "a=1; a=2",
        "",
        "The job `test` runs in fewer ways: 3 became 1.",
        PERSON,
        PATH,
        "ci",
    )
    assert _found(matrix("{a: [1, 2]}"), matrix("{a: [2, 3]}")) == []
    assert _found(matrix("{a: [1, 2]}"), matrix("{a: '${{ x }}'}")) == []
    assert _found(matrix("{a: '${{ x }}'}"), matrix("{a: [1]}")) == []
    assert len(_found(matrix("{a: [1, 2]}"), {PATH: _workflow()})) == 1


def test_jobs_of_the_same_name_in_two_files() -> None:
    other = ".github/workflows/other.yml"
    text = _workflow("- run: ls")
    both = {PATH: f"{text}# 1\n", other: f"name: o\n{text}"}
    assert _found({PATH: text}, both) == [("same-named-job", PERSON, 4, "", "test")]
    (found,) = alterations(changes_between({PATH: text}, both))
    assert (found.path, found.reason) == (
        other,
        "Jobs of 2 workflow files are called `test`; a check of that name is ambiguous.",
    )
    assert _found(both, {path: f"{text}# 2\n" for path, text in both.items()}) == []
    apart = {PATH: f"{text}# 1\n", other: f"name: o\n{text}".replace("  test:", "  test2:")}
    assert _found({PATH: text}, apart) == []
    twice = text + "  again:\n    name: test\n    steps: []\n"
    assert _found({PATH: text}, {PATH: twice}) == []


def test_a_lock_that_changes_alone() -> None:
    assert list(alterations(changes_between({LOCK_FILE: "1"}, {LOCK_FILE: "2"}))) == [
        Alteration(
            "actions-lock-changed",
            ".github/workflows/actions.lock",
            None,
            "",
            "",
            "The lock of the actions' commits changes although no workflow does.",
            PERSON,
            LOCK_FILE,
            "dependencies",
        )
    ]
    text = _workflow("- run: ls")
    assert _found({LOCK_FILE: "1", PATH: text}, {LOCK_FILE: "2", PATH: f"{text}# 1\n"}) == []
    assert _found({"a.py": "1"}, {"a.py": "2"}) == []


def test_quotes_are_bounded() -> None:
    name = "a" * 1_000
    text = f"on: push\njobs:\n  x:\n    name: {name}\n    steps: []\n"
    (found,) = alterations(changes_between({PATH: text}, {PATH: "on: push\njobs: {}\n"}))
    assert (found.before, found.reason) == ("a" * 300, f"The job `{'a' * 80}` is not there any more.")
    (removed,) = alterations(changes_between({PATH: text}, {}))
    assert removed.before == "a" * 300
