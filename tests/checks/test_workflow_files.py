"""Workflow files that ran must be the target branch's own, with everything that they call."""

from __future__ import annotations

import pytest

from checks.finding import Evidence, Finding, Fix, Status
from checks.runs import WorkflowFile
from checks.workflow_files import bare_path, check_file
from tests.checks.build import BLOB, CI_YML, OTHER, workflow

SPLIT = Fix(
    "split-pull-request",
    "Take the change of workflow files out, or bring the branch up to date; a person merges workflow changes first.",
)
PIN = Fix("ask-person", "Ask a person to call only files of this repository, or others by full commit id.")
CALLED = ".github/workflows/tests.yml"
ACTION = ".github/actions/setup/action.yml"


@pytest.mark.parametrize(
    ("path", "bare"),
    [
        # https://docs.github.com/en/rest/actions/workflow-runs shows the form with a ref.
        (".github/workflows/build.yml@main", ".github/workflows/build.yml"),
        (".github/workflows/build.yaml@refs/heads/a@b", ".github/workflows/build.yaml"),
        (".github/workflows/build.yml", ".github/workflows/build.yml"),
        (".github/workflows/a@b.yml", ".github/workflows/a@b.yml"),
        ("dynamic/pages/pages-build-deployment", "dynamic/pages/pages-build-deployment"),
    ],
)
def test_takes_the_ref_off(path: str, bare: str) -> None:
    assert bare_path(path) == bare


def test_an_unchanged_file_has_no_finding() -> None:
    file = workflow(called=(workflow(CALLED, called=(workflow(ACTION, OTHER, OTHER),)),))
    assert check_file(CI_YML, (workflow("other.yml", BLOB, OTHER), file)) == ()


@pytest.mark.parametrize(
    ("file", "reason", "path", "digest"),
    [
        (
            workflow(head=OTHER),
            f"The workflow file {CI_YML} is not the target branch's version, so its runs prove nothing.",
            CI_YML,
            OTHER,
        ),
        (
            workflow(target=None),
            f"The workflow file {CI_YML} is not on the target branch, so its runs prove nothing.",
            CI_YML,
            BLOB,
        ),
        (
            workflow(head=None),
            f"The workflow file {CI_YML} is deleted at this head, so its runs prove nothing.",
            CI_YML,
            None,
        ),
        (
            workflow(head=None, target=None),
            f"The workflow file {CI_YML} is not on the target branch, so its runs prove nothing.",
            CI_YML,
            None,
        ),
        (
            workflow(called=(workflow(CALLED, OTHER),)),
            f"{CALLED}, which {CI_YML} calls, is not the target branch's version, so its runs prove nothing.",
            CALLED,
            OTHER,
        ),
        (
            workflow(called=(workflow(CALLED, called=(workflow(ACTION, target=None),)),)),
            f"{ACTION}, which {CI_YML} calls, is not on the target branch, so its runs prove nothing.",
            ACTION,
            BLOB,
        ),
    ],
)
def test_a_changed_file_proves_nothing(file: WorkflowFile, reason: str, path: str, digest: str | None) -> None:
    expected = Finding("ci.workflow-files", Status.FAILED, reason, (Evidence(path, path=path, digest=digest),), SPLIT)
    assert check_file(CI_YML, (file,)) == (expected,)


def test_a_reference_that_cannot_be_followed_is_an_error() -> None:
    called = workflow(CALLED, unresolved=("acme/tools/x.yml@main",))
    (finding,) = check_file(CI_YML, (workflow(called=(called,)),))
    assert (finding.status, finding.fix) == (Status.ERRORED, PIN)
    assert (
        finding.reason == f"{CALLED}, which {CI_YML} calls, uses `acme/tools/x.yml@main`, which could not be followed."
    )


def test_a_long_reference_is_cut() -> None:
    (finding,) = check_file(CI_YML, (workflow(unresolved=("x" * 300,)),))
    assert finding.reason == f"The workflow file {CI_YML} uses `{'x' * 200}`, which could not be followed."


def test_every_difference_is_told() -> None:
    file = workflow(head=OTHER, called=(workflow(CALLED, OTHER), workflow(ACTION, OTHER)), unresolved=("a", "b"))
    assert [each.status for each in check_file(CI_YML, (file,))].count(Status.FAILED) == 3
    assert [each.status for each in check_file(CI_YML, (file,))].count(Status.ERRORED) == 2


def test_a_file_called_twice_is_told_once() -> None:
    action = workflow(ACTION, OTHER)
    file = workflow(called=(workflow(CALLED, called=(action,)), workflow("b.yml", called=(action,)), workflow(CI_YML)))
    assert len(check_file(CI_YML, (file,))) == 1


def test_a_file_that_was_not_read_is_an_error() -> None:
    (finding,) = check_file(CI_YML, (workflow("other.yml"),))
    assert (finding.check, finding.status) == ("ci.workflow-files", Status.ERRORED)
    assert finding.reason == (
        f"The workflow file {CI_YML} could not be compared with the target branch's: it was not read."
    )
    assert finding.evidence == (Evidence(CI_YML, path=CI_YML),)
    assert finding.fix == Fix("wait", "Nothing to do; the gate reads it again by itself.")


def test_accepted_changes_do_not_count() -> None:
    file = workflow(head=OTHER, called=(workflow(CALLED, OTHER),))
    assert [each.evidence[0].path for each in check_file(CI_YML, (file,), {CI_YML})] == [CALLED]
    assert check_file(CI_YML, (file,), {CI_YML, CALLED}) == ()
