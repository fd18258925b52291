"""Each symptom of `mergegate doctor OWNER/REPO` by itself, from facts as GitHub's API words them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from app.local.examination import CouldNotRead, Facts, Followed, Installed, Level, Posted, examine
from app.local.protection import gate_ruleset
from app.local.shipped import ruleset_template, verifier_workflow
from tests.cli.doctor_facts import (
    ACTIONS,
    AGENTS,
    GATE,
    RULES,
    UNREAD,
    WELL,
    actor,
    agents,
    environment,
    file,
    job,
    required,
    rule,
    secret,
)

SYMPTOMS: list[tuple[dict[str, Any], Level, str]] = [
    # Rules
    ({"effective": UNREAD}, "unknown", "rules in force could not be read: 403"),
    ({"effective": RULES["rules"][:-1]}, "wrong", "there is no merge queue"),
    (rule("pull_request", dismissal_restriction={"enabled": True}), "odd", "Only some may dismiss reviews"),
    (
        rule("pull_request", dismissal_restriction={"enabled": True, "allowed_actors": [{"id": 5, "type": "Team"}]}),
        "odd",
        "Only some may dismiss reviews",
    ),
    # The ruleset of agents' branches
    ({"rulesets": [RULES]}, "wrong", "can be written past the proxy"),
    ({"rulesets": [RULES], "courier_id": None}, "odd", "can be written past the proxy"),
    (agents(rules=[{"type": "update"}]), "wrong", "does not restrict creation, deletion"),
    ({"policy": Followed("native", ("bot/*",))}, "wrong", "leaves out branches like bot/x"),
    (
        agents(conditions={"ref_name": {"include": ["~ALL"], "exclude": ["refs/heads/agent/x"]}}),
        "wrong",
        "leaves out branches like agent/x",
    ),
    (agents(bypass_actors=[]), "wrong", "does not let the courier's App write"),
    # Bypasses
    ({"rulesets": UNREAD}, "unknown", "rulesets could not be read"),
    ({"rulesets": [AGENTS, {"name": "r"}]}, "unknown", "does not show who bypasses"),
    (actor("OrganizationAdmin", "pull_request", None), "odd", "owners of the organisation merge a pull request past"),
    (actor("RepositoryRole", "pull_request", 5), "odd", "everybody with the role admin merge"),
    (actor("RepositoryRole", "always", 77), "wrong", "everybody with the role 77, pushes included"),
    (actor("Team", "always", 3), "wrong", "bypassed by Team 3, pushes included"),
    (
        actor("OrganizationAdmin", "exempt", None),
        "wrong",
        "exempts owners of the organisation. GitHub's records do not",
    ),
    (actor("User", "pull_request", 7), "wrong", "lets the single user @bob merge a pull request past"),
    (actor("User", "always", 6), "wrong", "by the single user 6, pushes included"),
    (actor("DeployKey", "always", None), "wrong", "whoever has a deploy key that writes"),
    (actor("Integration", "pull_request", GATE), "wrong", "lets the gate's own App past it"),
    (actor("Integration", "exempt", GATE), "wrong", "nothing stops a gate that goes wrong. GitHub's records do not"),
    (actor("Integration", "always", 8), "wrong", "App devin-ai-integration (8), an agent (Devin), pushes included"),
    (actor("Integration", "always", 9), "wrong", "bypassed by the App 9, pushes included"),
    (actor("Integration", "always", 9, "mergegate agents"), "wrong", "bypassed by the App 9, pushes included"),
    (actor("Integration", "always", GATE, "mergegate agents"), "wrong", "lets the gate's own App past it"),
    (actor("User", "always", 7, "mergegate agents"), "wrong", "by the single user @bob"),
    # Settings
    ({"workflow_permissions": UNREAD}, "unknown", "What workflows may do"),
    ({"workflow_permissions": {"can_approve_pull_request_reviews": False}}, "wrong", "a token that can write"),
    ({"workflow_permissions": {"default_workflow_permissions": "read"}}, "wrong", "may approve pull requests"),
    ({"retention": UNREAD}, "unknown", "How long checks and logs are kept could not be read: 403"),
    ({"retention": {}}, "unknown", "How long checks and logs are kept could not be read: no days"),
    ({"retention": {"days": 13}}, "odd", "deleted after 13 days"),
    ({"retention": {"days": 1}}, "wrong", "deleted after one day"),
    ({"classic_protection": UNREAD}, "unknown", "Classic branch protection"),
    ({"classic_protection": True}, "odd", "classic protection too"),
    ({"policy": UNREAD}, "unknown", "The policy file could not be read"),
    ({"policy": Followed("native", ("agent/*",), ("line 3",))}, "wrong", "cannot be used, so nothing of an agent's"),
    # The queue
    (rule("merge_queue", grouping_strategy="HEADGREEN"), "wrong", "HEADGREEN"),
    (rule("required_status_checks", strict_required_status_checks_policy=True), "odd", "up to date"),
    (rule("merge_queue", min_entries_to_merge=3), "odd", "holds a pull request for up to 5 minutes until there are 3"),
    (rule("merge_queue", min_entries_to_merge=6), "wrong", "waits for 6 pull requests and merges 5 at most"),
    (
        {"repository": {"allow_merge_commit": False}},
        "wrong",
        "The merge queue merges by `merge`, which the repository or a rule",
    ),
    (
        rule("pull_request", allowed_merge_methods=["squash"]),
        "wrong",
        "The merge queue merges by `merge`, which the repository or a rule",
    ),
    (rule("required_linear_history"), "wrong", "a rule demands a linear history"),
    ({"group_minutes": UNREAD}, "unknown", "How long runs for merge groups take"),
    ({"group_minutes": 50.0}, "odd", "waits 60 minutes for checks, and runs for merge groups took up to 50"),
    ({"group_minutes": 61.0}, "wrong", "waits 60 minutes for checks, and runs for merge groups took up to 61"),
    ({"policy": Followed("serial", ("agent/*",))}, "wrong", "by the policy the gate's own queue merges"),
    ({"policy": Followed("external", ("agent/*",))}, "wrong", "by the policy somebody else merges"),
    (
        {"policy": Followed("serial", ("agent/*",)), "repository": {"allow_auto_merge": False}},
        "odd",
        "people get into the gate's queue by `/requeue` alone",
    ),
    (
        {"policy": Followed("serial", ("agent/*",), method="squash"), "repository": {"allow_squash_merge": False}},
        "wrong",
        "The gate's queue merges by `squash`, which the repository or a rule",
    ),
    # Required checks
    (required("mergegate/queue", GATE), "wrong", "mergegate/queue is required, and the gate posts it only for its own"),
    (file(on="{schedule: [{cron: 1 1 1 1 1}]}", **required("test")), "wrong", "does not run for pull requests"),
    (file(on="{push: {branches: [main]}, merge_group: }", **required("test")), "wrong", "not run for pull requests"),
    (file(on="{pull_request: {paths: [a]}, merge_group: }", **required("test")), "odd", "runs for some paths only"),
    (file(**required("test", ACTIONS)), "wrong", "ci.yml does not run on `merge_group`"),
    (
        file(on="{pull_request: , push: {branches-ignore: ['gh-readonly-queue/**']}}", **required("test")),
        "wrong",
        "does not run on `merge_group`",
    ),
    (required("lint", 5), "unknown", "Nobody has posted lint (App 5) yet."),
    (required("lint", 5) | {"posted": UNREAD}, "unknown", "Whether anybody posts lint (App 5) could not be read"),
    (
        required("lint") | {"posted": Posted(2, frozenset(), frozenset())},
        "wrong",
        "none of the newest pull requests (2) has it",
    ),
    (
        required("lint") | {"posted": Posted(2, frozenset(), frozenset(), complete=False)},
        "unknown",
        "lint is not among the first hundred checks",
    ),
    (
        required("lint", 5) | {"posted": Posted(2, {("lint", 6)}, frozenset())},
        "wrong",
        "lint (App 5) is required, no workflow here makes it",
    ),
    (
        required("lint", 5) | {"posted": Posted(2, {("lint", 5)}, frozenset())},
        "unknown",
        "Whether lint (App 5) is posted for merge groups is not known",
    ),
    # The installations
    ({"courier": CouldNotRead("no answer")}, "unknown", "of the courier's App could not be read: no answer"),
    (
        {"courier": Installed({"workflows": "write"}, (), suspended=False)},
        "wrong",
        "workflow file that names any secret",
    ),
    ({"courier": Installed({"administration": "write"}, (), suspended=False)}, "wrong", "can change the rules"),
    ({"installed": None}, "wrong", "not installed"),
    ({"installed": CouldNotRead("no key")}, "unknown", "no key"),
    ({"installed": Installed({"checks": "write"}, ("push",), suspended=True)}, "wrong", "suspended"),
    (
        {"installed": Installed({"checks": "write"}, ("push",), False, served=False)},
        "wrong",
        "not in MERGEGATE_ACCOUNTS",
    ),
    ({"installed": Installed({"checks": "write"}, (), suspended=False)}, "wrong", "does not hear of push"),
    ({"installed": Installed({}, ("push",), suspended=False)}, "wrong", "may only `none` `checks`"),
]
FINE: list[dict[str, Any]] = [
    {},
    {"policy": None, "courier_id": None, "courier": None},
    {"workflows": {".github/workflows/a.yml": b"on: push\njobs: {a: {uses: ./.github/workflows/a.yml}}\n"}},
    agents(conditions={"ref_name": {"include": ["refs/heads/agent/**"], "exclude": []}}),
    {"rulesets": [AGENTS, {"name": "tags", "target": "tag", "bypass_actors": [{"actor_type": "DeployKey"}]}]},
    rule("pull_request", dismissal_restriction={"enabled": False}),
    rule(
        "pull_request",
        dismissal_restriction={"enabled": True, "allowed_actors": [{"id": 99, "type": "IntegrationInstallation"}]},
    ),
    rule("pull_request", allowed_merge_methods=["merge", "squash"]),
    {"retention": {"days": 14}},
    {"workflows": {".github/workflows/mergegate-verify.yml": verifier_workflow().encode()}},
    {"group_minutes": 20.0},
    environment(secrets=()),
    environment(["main", "release/*", "!agent/*"]),
    environment("protected", classic_protection=False, secrets=()),
    file(secret("GITHUB_TOKEN")),
    file(job("permissions: {contents: read}, steps: []"), "permissions: write-all"),
    file("permissions: {contents: write}", job("steps: []"), on="{push: {tags: [v1]}}"),
    file("permissions: {contents: write}", job("steps: []"), on="{push: {branches: [main, 'release/**']}}"),
    file(job("steps: [{uses: actions/checkout@v6}, {run: gh pr comment}]"), on="pull_request_target"),
    file(job("steps: [{uses: actions/checkout@v6, with: {ref: main}}]"), on="pull_request_target"),
    file(on="{pull_request: , merge_group: }", **required("test", ACTIONS)),
    file(on="[push, pull_request]", **required("test")),
    file(on="{pull_request: {paths: [a]}, push: }", **required("test")) | {"effective": RULES["rules"]},
    file("jobs: {test: {strategy: {matrix: {v: [1, 2]}}, steps: []}}", on="[push]", **required("test (1)")),
    file("jobs: {test: {name: 'on ${{ matrix.v }}', steps: []}}", on="[push]", **required("on 3.11")),
    file("jobs: {call: {uses: ./.github/workflows/x.yml}}", on="[push]", **required("call / test")),
    required("lint", 5) | {"posted": Posted(2, {("lint", 5)}, {("lint", None)})},
]


@pytest.mark.parametrize(("changes", "level", "words"), SYMPTOMS)
def test_each_symptom_has_its_words(changes: dict[str, Any], level: Level, words: str) -> None:
    found = examine(replace(WELL, **changes))
    assert [one.level for one in found if words in one.what] == [level], [one.what for one in found]
    assert all(one.remedy for one in found)


@pytest.mark.parametrize("changes", FINE)
def test_who_is_well_has_no_symptom(changes: dict[str, Any]) -> None:
    assert examine(replace(WELL, **changes)) == []


@pytest.mark.parametrize("name", [one.name for one in fields(Facts) if "CouldNotRead" in str(one.type)])
def test_nothing_that_could_not_be_read_is_taken_for_good(name: str) -> None:
    """Seen with a check of another service, which alone makes it matter what was posted."""
    posted = Posted(1, {("lint", 5)}, {("lint", 5)})
    asking = replace(WELL, **required("lint", 5), posted=posted)
    assert examine(asking) == []
    unread: dict[str, Any] = {name: UNREAD}
    assert [one.level for one in examine(replace(asking, **unread)) if "403" in one.what] == ["unknown"]


def test_one_app_alone_may_write_agents_branches_where_the_couriers_is_not_known() -> None:
    unknown = replace(WELL, courier_id=None)
    assert examine(unknown) == []
    found = examine(replace(unknown, **actor("Integration", "always", 9, "mergegate agents")))
    assert [one.what for one in found] == [
        "The ruleset `mergegate agents` is bypassed by the App 12, pushes included.",
        "The ruleset `mergegate agents` is bypassed by the App 9, pushes included.",
    ]


def test_a_serial_queue_by_policy_needs_no_queue_of_githubs() -> None:
    serial = gate_ruleset(ruleset_template(), GATE, [], "serial")
    facts = replace(WELL, effective=serial["rules"], policy=Followed("serial", ("agent/*",)))
    assert examine(facts) == []
