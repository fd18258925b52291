"""What agents could reach, by symptoms of `mergegate doctor OWNER/REPO`: secrets, environments, rights of workflows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.local.examination import Level, Secrets, examine
from tests.cli.doctor_facts import (
    BY_NAME,
    CALLED,
    COMMENTED,
    HEAD_IN_TIP,
    NAMES,
    STAGING,
    UNREAD,
    WELL,
    environment,
    file,
    job,
    required,
    secret,
)

SYMPTOMS: list[tuple[dict[str, Any], Level, str]] = [
    # Secrets
    ({"secrets": Secrets(UNREAD, [], [])}, "unknown", "Actions secrets of the repository could not be read"),
    ({"secrets": Secrets([], UNREAD, [])}, "unknown", "Actions secrets of the organisation could not be read"),
    ({"secrets": Secrets([], [], UNREAD)}, "unknown", "Dependabot's secrets could not be read"),
    ({"secrets": NAMES["repository"]}, "odd", "can name secrets of the repository (1): `KEY`."),
    (file(secret("OTHER"), secrets=NAMES["organisation"]), "odd", "can name secrets of the organisation (1): `KEY`."),
    (file(secret("key"), secrets=NAMES["repository"]), "wrong", "given secrets of the repository (1): `KEY at .github"),
    (file(secret("KEY"), secrets=NAMES["organisation"]), "wrong", "given secrets of the organisation (1)"),
    (
        file("jobs: {call: {uses: o/r/w.yml@v1, secrets: inherit}}", secrets=NAMES["repository"]),
        "wrong",
        "given secrets of the repository (1)",
    ),
    ({"workflows": CALLED, "secrets": NAMES["repository"]}, "wrong", "KEY at .github/workflows/called.yml:2"),
    (
        file(secret("KEY"), on="{push: {branches: [main]}}", secrets=NAMES["repository"]),
        "odd",
        "can name secrets of the repository (1)",
    ),
    (file(secret("KEY"), secrets=NAMES["dependabot"]), "odd", "Pull requests of Dependabot run new versions"),
    (file(secret("KEY"), on="create", secrets=NAMES["repository"]), "wrong", "given secrets of the repository (1)"),
    (
        {"workflows": BY_NAME, "secrets": NAMES["repository"], "repository": {"full_name": "acme/shop"}},
        "wrong",
        "KEY at .github/workflows/called.yml:2",
    ),
    # Environments
    ({"environments": UNREAD}, "unknown", "The environments could not be read"),
    (environment(UNREAD), "unknown", "Which branches may use the environment `staging`"),
    (environment(secrets=UNREAD), "unknown", "The secrets of the environment `staging`"),
    (
        environment("protected", classic_protection=UNREAD),
        "unknown",
        "Which branches may use the environment `staging`",
    ),
    (environment("protected"), "odd", "`staging` lets agents' branches in, with secrets (1): `KEY`."),
    (environment(), "odd", "`staging` lets agents' branches in, with secrets (1): `KEY`."),
    (environment(["main", "agent/**"]), "odd", "`staging` lets agents' branches in"),
    (environment(reviewed=True, **file(STAGING)), "odd", "Somebody lets each job in."),
    (environment(**file(STAGING)), "wrong", "A workflow on agents' branches uses it."),
    (environment(**file(STAGING.replace("staging", "Staging"))), "wrong", "A workflow on agents' branches uses it."),
    (
        file("jobs:", *(f"  j{number}: {{steps: []}}" for number in range(301))),
        "unknown",
        "ci.yml could not be read as one",
    ),
    (file(job(f"steps: [{'{run: make}, ' * 2001}]")), "unknown", "ci.yml could not be read as one"),
    (
        file("permissions: {contents: write}", job("steps: []"), on="{push: {branches: ['**', '!a[z-a]']}}"),
        "wrong",
        "get a token that writes",
    ),
    (
        file("permissions: {contents: write}", job("steps: []"), on="{push: {branches-ignore: ['a[z-a]']}}"),
        "wrong",
        "get a token that writes",
    ),
    (
        file(
            job('steps: [{uses: Actions/Checkout@v6, with: {Ref: "${{ github.event.Pull_Request.Head.sha }}"}}]'),
            on="pull_request_target",
        ),
        "wrong",
        "fetches the pull request's own code",
    ),
    (
        file(
            job(
                'steps: [{uses: actions/checkout@v6, with: {ref: "${{ github.event.pull_request.merge_commit_sha }}"}}]'
            ),
            on="pull_request_target",
        ),
        "wrong",
        "fetches the pull request's own code",
    ),
    (environment(**file(job("environment: staging, steps: []"))), "wrong", "A workflow on agents' branches uses it."),
    (
        environment(**file(job('environment: "${{ inputs.where }}", steps: []'))),
        "wrong",
        "on agents' branches uses it.",
    ),
    # Rights of workflows
    ({"workflows": UNREAD}, "unknown", "The workflow files could not be read"),
    ({"workflows": {".github/workflows/x.yml": None}}, "unknown", "x.yml could not be read as one"),
    ({"workflows": {".github/workflows/x.yml": b"on: ["}}, "unknown", "x.yml could not be read as one"),
    (file("permissions: write-all", job("steps: []")), "wrong", "get a token that writes: `*: write in"),
    (file("permissions: {contents: write}", job("steps: []")), "wrong", "get a token that writes: `contents: write"),
    (file(job("permissions: {id-token: write}, steps: []")), "wrong", "get a token that writes: `id-token: write"),
    (file(job("permissions: {issues: write}, steps: []")), "odd", "writes words and marks: `issues: write"),
    (
        file(job("steps: [{run: gh pr checkout 1}]"), on="issue_comment"),
        "wrong",
        "runs on `issue_comment` with the default branch's rights",
    ),
    (
        file(job('steps: [{run: "git fetch origin pull/1/head"}]'), on="pull_request_target"),
        "wrong",
        "line 2 fetches the pull request's own code",
    ),
    (
        file(
            job('steps: [{uses: actions/checkout@v6, with: {ref: "${{ github.event.workflow_run.head_sha }}"}}]'),
            on="{workflow_run: {workflows: [ci]}}",
        ),
        "wrong",
        "runs on `workflow_run`",
    ),
    (
        file(
            'env: {SHA: "${{ github.event.pull_request.head.sha }}"}',
            job('steps: [{uses: actions/checkout@v6, with: {ref: "${{ env.sha }}"}}]'),
            on="pull_request_target",
        ),
        "wrong",
        "line 3 fetches the pull request's own code",
    ),
    *(
        (
            file(job(f"steps: [{{run: 'git checkout {name}', env: {HEAD_IN_TIP}}}]"), on="pull_request_target"),
            "wrong",
            "line 2 fetches the pull request's own code",
        )
        for name in ("$TIP", "${TIP}", "%TIP%", "$env:TIP", "${{ env.TIP }}", "${{ ENV[ ''tip'' ] }}")
    ),
    (file("jobs: {test: {runs-on: {group: big}, steps: []}}"), "odd", "runs in a runner group, whose machines may be"),
    ({"workflows": COMMENTED}, "wrong", "called.yml runs on `issue_comment` with the default branch's rights"),
    (file("jobs: {test: {runs-on: [Self-Hosted, big], steps: []}}"), "odd", "on the repository's own machines"),
]


@pytest.mark.parametrize(("changes", "level", "words"), SYMPTOMS)
def test_each_symptom_has_its_words(changes: dict[str, Any], level: Level, words: str) -> None:
    found = examine(replace(WELL, **changes))
    assert [one.level for one in found if words in one.what] == [level], [one.what for one in found]
    assert all(one.remedy for one in found)


KEYS = ["on", "push", "branches", "branches-ignore", "jobs", "test", "uses", "with", "ref", "run", "steps", "name"]
KEYS += [
    "permissions",
    "environment",
    "runs-on",
    "strategy",
    "secrets",
    "pull_request",
    "issue_comment",
    "workflow_call",
]
WORDS = st.sampled_from(
    [*KEYS, "write", "a[", "!", "**/", "./.github/workflows/ci.yml", "${{ secrets.KEY }}", "actions/checkout@v6"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=15,
)


@given(on=VALUES, jobs=st.dictionaries(WORDS, VALUES, max_size=3), permissions=VALUES)
def test_a_workflow_of_any_form_is_read_without_a_fault(on: Any, jobs: Any, permissions: Any) -> None:
    text = json.dumps({"on": on, "jobs": jobs, "permissions": permissions})
    facts = replace(WELL, workflows={".github/workflows/ci.yml": text.encode()}, secrets=NAMES["repository"])
    found = examine(replace(facts, **required("test")))
    assert sum("secrets of the repository (1): `KEY" in one.what for one in found) == 1, "once, whatever else there is"
