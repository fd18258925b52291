"""Places in a workflow file that say what its runs are worth."""

from __future__ import annotations

import pytest

from checks.runs import WorkflowNote
from checks.workflow_notes import workflow_notes

PATH = ".github/workflows/ci.yml"


def notes(text: str, path: str = PATH) -> list[tuple[str, str, int | None, str]]:
    return [(each.kind, each.job, each.line, each.text) for each in workflow_notes(path, text.encode())]


def in_test(*lines: str) -> str:
    """A workflow of the job `test` whose steps begin on line 6."""
    return "on: pull_request\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n" + "".join(
        f"      {line}\n" for line in lines
    )


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("- run: pytest || true", "|| true"),
        ("- {run: pytest, continue-on-error: true}", "continue-on-error: true"),
    ],
)
def test_failures_that_are_hidden(line: str, text: str) -> None:
    assert notes(in_test("- uses: actions/checkout@v4", line)) == [("hidden-failure", "test", 7, text)]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("${{ secrets.NPM_TOKEN }}", "NPM_TOKEN"),
        ("Bearer ${{secrets.a1}} x", "a1"),
        ("${{ Secrets . KEY }}", "KEY"),
        ("${{ secrets['KEY'] }}", "all of them"),
        ("${{ toJSON(secrets) }}", "all of them"),
        ("${{ toJSON( secrets ) }}", "all of them"),
        ("${{ github.ref == 'x' && secrets.KEY }}", "KEY"),
        ("${{ secrets.GITHUB_TOKEN }}", None),
        ("${{ secrets.github_token }}", None),
        ("secrets.KEY", None),
        ("${{ github.token }}", None),
        ("${{ mysecrets.KEY }}", None),
    ],
)
def test_secrets(value: str, name: str | None) -> None:
    found = notes(in_test("- run: make", f'  env: {{T: "{value}"}}'))
    assert found == ([] if name is None else [("secret", "test", 7, name)])


def test_several_secrets_in_one_expression() -> None:
    found = notes(in_test("- run: make ${{ secrets.A || secrets.B }}"))
    assert [each[3] for each in found] == ["A", "B"]


def test_an_expression_over_several_lines_stands_where_it_begins() -> None:
    assert notes(in_test("- run: |", "    make ${{", "    secrets.A }}")) == [("secret", "test", 7, "A")]


def test_a_comment_gives_nothing() -> None:
    assert notes(in_test("- run: make", "  # T: ${{ secrets.KEY }}")) == []


def test_whose_secrets_they_are() -> None:
    text = "on: push\nenv:\n  A: ${{ secrets.A }}\njobs:\n  a:\n    name: First ${{ matrix.x }}\n    steps:\n"
    text += "      - run: x ${{ secrets.B }}\n  b:\n    steps:\n      - run: x ${{ secrets.C }}\n"
    assert notes(text) == [
        ("secret", "", 3, "A"),
        ("secret", "First ${{ matrix.x }}", 8, "B"),
        ("secret", "b", 11, "C"),
    ]


def test_secrets_that_are_handed_on() -> None:
    text = "on: push\njobs:\n  call:\n    uses: ./.github/workflows/x.yml\n    secrets: inherit\n"
    assert notes(text) == [("secret", "call", 3, "all of them")]


def test_variables_in_steps_with_tests() -> None:
    found = notes(in_test("- run: pytest -k ${{ vars.SELECT }}", "- run: echo ${{ vars.OTHER }}"))
    assert found == [("variable", "test", 6, "vars.SELECT")]


def test_each_once_and_not_too_many() -> None:
    assert len(notes(in_test("- run: x ${{ secrets.A }} ${{ secrets.A }}"))) == 1
    many = in_test(*(f"- run: x ${{{{ secrets.S{number} }}}}" for number in range(101)))
    assert len(notes(many)) == 100


@pytest.mark.parametrize("text", ["", "a: [", "[]", "on: push", "\0"])
def test_what_is_no_workflow_has_none(text: str) -> None:
    assert notes(text) == []


def test_endless_expressions_take_linear_time() -> None:
    assert workflow_notes(PATH, b"${{ secrets" * 40_000) == ()


def test_an_action_has_notes_too_whichever_job_uses_it() -> None:
    text = "runs:\n  using: composite\n  steps:\n    - run: pytest || true\n      shell: bash\n"
    (note,) = workflow_notes(".github/actions/t/action.yml", text.encode())
    assert note == WorkflowNote("hidden-failure", "", 4, "|| true")
