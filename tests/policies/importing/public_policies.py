"""Public configurations of policy-bot: what they demand, written anew as data, with the place of each.

Only the structure is theirs. Each row of `meaning` is a pull request of low risk (fields of `Given`) and what that
configuration means for it: "passes", "never", or whom it waits for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Meaning = tuple[dict[str, Any], str]


@dataclass(frozen=True)
class Public:
    """`lost` are words that must stand among what was not carried over."""

    place: str
    value: dict[str, Any]
    meaning: list[Meaning]
    lost: tuple[str, ...] = ()


def _rule(
    name: str, condition: dict[str, Any] | None = None, requires: dict[str, Any] | None = None, **more: Any
) -> Any:
    rule: dict[str, Any] = {"name": name, **more}
    rule |= {"if": condition} if condition else {}
    return rule | ({"requires": requires} if requires else {})


def _paths(*expressions: str) -> dict[str, Any]:
    return {"paths": list(expressions)}


PEOPLE = {
    "em": {"teams": ["engineering-managers"]},
    "dev": {"teams": ["client", "core-team", "contributors", "engineering", "docs", "reviewers", "org_engineering"]},
    "keeper": {"teams": ["maintainers", "contributors"]},
    "inside": {"organizations": ["cbs", "homelab"]},
    "writer": {},
}

FUEL = Public(
    "FuelLabs/fuel-core",
    {
        "policy": {
            "approval": [{"and": ["guarded files", {"or": ["managers", "engineers"]}]}],
            "disapproval": {"requires": {"teams": ["FuelLabs/engineering-managers"]}},
        },
        "approval_defaults": {"options": {"allow_non_author_contributor": True}},
        "approval_rules": [
            _rule("guarded files", {"changed_files": _paths(r"^\.bulldozer\.yml$", r"^\.policy\.yml$")},
                  {"count": 1, "teams": ["FuelLabs/engineering-managers"]}),
            _rule("managers", None, {"count": 1, "teams": ["FuelLabs/engineering-managers"]}),
            _rule("engineers", None, {"count": 1, "teams": ["FuelLabs/client"]}),
        ],
    },
    [
        ({}, "acme/client, acme/engineering-managers"),
        ({"approvals": ["dev"]}, "passes"),
        ({"approvals": ["em"]}, "passes"),
        ({"paths": [".policy.yml"], "approvals": ["dev"]}, "acme/engineering-managers"),
        ({"paths": [".policy.yml"], "approvals": ["em"]}, "passes"),
        ({"approvals": ["dev"], "changes_requested": ["em"]}, "never"),
    ],
    ("approvals by the author", "invalidate_on_push"),
)  # fmt: skip

PRYSM = Public(
    "OffchainLabs/prysm",
    {
        "policy": {"approval": [{"or": ["tests", "consensus", "large", "critical"]}]},
        "approval_rules": [
            _rule("tests", {"only_changed_files": _paths("*_test.go")}, {"count": 1, "teams": ["prysm/core-team"]}),
            _rule("consensus", {"only_changed_files": _paths("beacon-chain/core/*")},
                  {"count": 2, "teams": ["prysm/core-team"]}),
            _rule("large", {"modified_lines": {"total": "> 1000"}, "changed_files": {"ignore": [r"pb\.go$"]}},
                  {"count": 2, "teams": ["prysm/core-team"]}),
            _rule("critical", {"has_labels": ["Priority: Critical"]}, {"count": 3, "teams": ["prysm/core-team"]}),
        ],
    },
    [
        # Its first two expressions are none that RE2 or these patterns read, so those ways stay closed.
        ({"paths": ["a_test.go"], "approvals": ["dev"]}, "never"),
        ({"lines": 1001, "approvals": ["dev"]}, "acme/core-team"),
        ({"lines": 1001, "paths": ["x.pb.go"], "approvals": ["dev"]}, "never"),
        ({"labels": ["Priority: Critical"], "approvals": ["dev"]}, "acme/core-team"),
    ],
    ("rule 'tests' never passes until its condition is written", "rule 'consensus' never passes"),
)  # fmt: skip

ACTS = Public(
    "acts-project/acts",
    {
        "policy": {"approval": ["reviewers"]},
        "approval_rules": [
            _rule("reviewers", {"targets_branch": {"pattern": "^(main)$"}}, {"count": 1, "teams": ["acts/reviewers"]},
                  options={"allow_contributor": True, "invalidate_on_push": True, "ignore_update_merges": True}),
        ],
    },
    [
        ({}, "acme/reviewers"),
        ({"approvals": ["dev"]}, "passes"),
        ({"approvals_before": ["dev"]}, "acme/reviewers"),
        # policy-bot reports an error where every rule is skipped: nothing passes unlooked at.
        ({"target": "develop"}, "never"),
    ],
    ("approvals by the author",),
)  # fmt: skip

_METADATA = (r"^[^/]+\.md", r"^\.policy\.yml", r"^\.github/", "^LICENSE")
_SUBJECT = r"^(feat|fix|docs|build)(\(\w+\))?: [a-z].+"
SYNCTHING = Public(
    "calmh/syncthing",
    {
        "policy": {
            "approval": ["subject", "metadata", {"or": ["contributor", "dependencies", "trivial"]}],
            "disapproval": {"requires": {"teams": ["syncthing/contributors"]}},
        },
        "approval_rules": [
            _rule("subject", None, {"conditions": {"title": {"matches": [_SUBJECT]}}}),
            _rule("metadata", {"changed_files": _paths(*_METADATA)}, {"count": 1, "teams": ["syncthing/maintainers"]}),
            _rule("contributor", None, {"count": 1, "teams": ["syncthing/contributors"]},
                  options={"ignore_update_merges": True}),
            _rule("dependencies", {
                "only_changed_files": _paths(r"^go\.mod$", r"^go\.sum$"),
                "title": {"matches": [r"^build\(deps\):"]},
                "has_author_in": {"teams": ["syncthing/contributors"]},
            }),
            _rule("trivial", {
                "modified_lines": {"total": "< 25"},
                "title": {"not_matches": ["^feat"]},
                "has_labels": ["trivial"],
                "has_author_in": {"teams": ["syncthing/contributors"]},
            }),
        ],
    },
    [
        ({"title": "fix: a thing"}, "acme/contributors"),
        ({"title": "Fixed a thing", "approvals": ["dev"]}, "never"),
        ({"title": "fix: a thing", "approvals": ["dev"]}, "passes"),
        ({"title": "docs: read me", "paths": ["README.md"], "approvals": ["dev"]}, "acme/maintainers"),
        ({"title": "docs: read me", "paths": ["README.md"], "approvals": ["keeper"]}, "passes"),
        ({"title": "docs: deeper", "paths": ["docs/README.md"], "approvals": ["dev"]}, "passes"),
        ({"title": "build(deps): up", "paths": ["go.mod", "go.sum"], "author": "dev"}, "passes"),
        ({"title": "build(deps): up", "paths": ["go.mod", "main.go"], "author": "dev"}, "acme/contributors"),
        ({"title": "build(deps): up", "paths": ["go.mod"], "author": "writer"}, "acme/contributors"),
        ({"title": "fix: small", "labels": ["trivial"], "author": "dev", "lines": 24}, "passes"),
        ({"title": "fix: small", "labels": ["trivial"], "author": "dev", "lines": 25}, "acme/contributors"),
        ({"title": "feat: small", "labels": ["trivial"], "author": "dev"}, "acme/contributors"),
    ],
)  # fmt: skip

MAGE = Public(
    "coopnorge/mage",
    {
        "policy": {"approval": [{"or": ["updates", "code"]}]},
        "approval_rules": [
            _rule("updates", {
                "only_has_contributors_in": {"users": ["dependabot[bot]", "renovate-coop-norge[bot]"]},
                "only_changed_files": _paths("^.*Dockerfile$", r"^.github/workflows/.*$"),
                "has_valid_signatures_by_keys": {"key_ids": ["B5690EEEBB952194"]},
            }, {"count": 1, "teams": ["coopnorge/engineering"], "users": ["coop-norge-review-bot"]}),
            _rule("code", {"changed_files": _paths(".*")}, {"count": 1, "teams": ["coopnorge/engineering"]},
                  options={"invalidate_on_push": True, "request_review": {"enabled": True, "count": 2}}),
        ],
    },
    [
        ({}, "acme/engineering"),
        ({"approvals": ["dev"]}, "passes"),
        ({"approvals": ["writer"]}, "acme/engineering"),
        ({"paths": ["Dockerfile"], "author": "dependabot[bot]", "approvals": ["writer"]}, "acme/engineering"),
    ],
    ("`has_valid_signatures_by_keys`", "`request_review`"),
)  # fmt: skip

CONDUIT = Public(
    "conduitxyz/conduit-op-geth",
    {
        "policy": {"approval": [{"or": ["forced", "own", {"and": ["review"]}]}]},
        "approval_rules": [
            _rule("forced", {"changed_files": _paths(".*")}, {"count": 1, "teams": ["conduitxyz/org_product_rollup"]},
                  options={"allow_author": True, "methods": {"comments": ["FORCE_COMMIT"]}}),
            _rule("own", {"changed_files": _paths(".*"), "has_author_in": {"teams": ["conduitxyz/org_engineering"]}},
                  {"count": 0}),
            _rule("review", {"changed_files": _paths(".*")}, {"count": 1, "teams": ["conduitxyz/org_engineering"]}),
        ],
    },
    [
        ({"author": "dev"}, "passes"),
        ({"author": "writer"}, "acme/org_engineering, acme/org_product_rollup"),
        ({"author": "writer", "approvals": ["dev"]}, "passes"),
    ],
    ("approval by the words of comments", "approvals by the author"),
)  # fmt: skip

BALENA = Public(
    "balena-io/docs",
    {
        "policy": {
            "approval": [{"or": [{"and": ["branches", "forks"]}, "renovate"]}],
            "disapproval": {"requires": {"permissions": ["write"], "teams": ["balena-io/balena-dev"]}},
        },
        "approval_rules": [
            _rule("branches", {"from_branch": {"pattern": "^[^:]+$"}},
                  {"count": 1, "permissions": ["write"], "teams": ["balena-io/docs"]}),
            _rule("forks", {"from_branch": {"pattern": "^.+:.+$"}},
                  {"count": 1, "permissions": ["write"], "teams": ["balena-io/docs"]}),
            _rule("renovate",
                  {"has_author_in": {"users": ["balena-renovate[bot]"]}, "author_is_only_contributor": True}),
        ],
    },
    [
        ({}, "acme/docs, anyone with write permission"),
        ({"approvals": ["writer"]}, "passes"),
        ({"fork": True}, "acme/docs, anyone with write permission"),
        ({"fork": True, "approvals": ["writer"]}, "passes"),
        ({"author": "balena-renovate[bot]"}, "passes"),
        ({"author": "dev"}, "acme/docs, anyone with write permission"),
        ({"approvals": ["writer"], "changes_requested": ["dev"]}, "never"),
    ],
)  # fmt: skip

AVAST = Public(
    "avast/cats-micrometer",
    {
        "policy": {"approval": [{"or": ["dependencies", "members", "foreigners"]}]},
        "approval_rules": [
            _rule("dependencies", {
                "only_has_contributors_in": {"users": ["scala-steward"]},
                "only_changed_files": _paths("project/Versions.scala", ".scalafmt.conf"),
            }, {"count": 0}),
            _rule("members", {"only_has_contributors_in": {"organizations": ["cbs"]}}, {"count": 0}),
            _rule("foreigners", None, {"count": 1, "write_collaborators": True}),
        ],
    },
    [
        ({"author": "scala-steward", "paths": ["project/Versions.scala"]}, "passes"),
        ({"author": "scala-steward", "paths": ["src/Main.scala"]}, "anyone with write permission"),
        ({"author": "writer", "paths": ["project/Versions.scala"]}, "anyone with write permission"),
        ({"author": "inside"}, "passes"),
        ({"author": "writer", "approvals": ["dev"]}, "passes"),
    ],
)  # fmt: skip

_RELEASE, _RENOVATE = ".github/workflows/push-pr-release.yaml", ".github/workflows/renovate-validate.yaml"


def _ran(path: str) -> dict[str, Any]:
    return {"conditions": {"has_workflow_result": {"conclusions": ["skipped", "success"], "workflows": [path]}}}


GRAFANA = Public(
    "grafana/chromium-swiftshader-alpine",
    {
        "policy": {"approval": [{"or": [{"and": ["release", "validate", "default"]}]}]},
        "approval_rules": [
            _rule("release", {"file_not_deleted": _paths(r"^\.github\/workflows\/push-pr-release\.yaml$")},
                  _ran(_RELEASE)),
            _rule("validate", {
                "changed_files": _paths(r"^\.github\/renovate\.json$", r"^\.github\/renovate\.json5$"),
                "file_not_deleted": _paths(r"^\.github\/workflows\/renovate-validate\.yaml$"),
            }, _ran(_RENOVATE)),
            _rule("default"),
        ],
    },
    [
        ({}, "waits"),
        ({"workflows": {_RELEASE: "success"}}, "passes"),
        ({"workflows": {_RELEASE: "skipped"}}, "passes"),
        ({"workflows": {_RELEASE: "failure"}}, "never"),
        ({"workflows": {_RELEASE: "success"}, "paths": [".github/renovate.json"]}, "waits"),
        ({"workflows": {_RELEASE: "success", _RENOVATE: "success"}, "paths": [".github/renovate.json"]}, "passes"),
    ],
    ("rule 'release' applies whether or not this holds: `file_not_deleted`",),
)  # fmt: skip

ELEVEN = Public(
    "elevenlabs/packages",
    {
        "policy": {"approval": [{"or": ["core", "client"]}]},
        "approval_rules": [
            _rule("core", {"changed_files": _paths("^packages/convai-widget-core/.*$")},
                  {"count": 1, "users": ["keeper"]},
                  options={"ignore_update_merges": True}, description="Changes of the core need its keeper."),
            _rule("client", {"changed_files": _paths("^packages/client/.*$")}, {"count": 1, "users": ["em", "dev"]},
                  options={"ignore_update_merges": True}),
        ],
    },
    [
        ({"paths": ["packages/convai-widget-core/a.ts"]}, "keeper"),
        ({"paths": ["packages/client/a.ts"], "approvals": ["em"]}, "passes"),
        ({"paths": ["packages/client/a.ts"], "approvals": ["keeper"]}, "dev, em"),
        ({"paths": ["README.md"]}, "never"),
    ],
)  # fmt: skip

_GUARDED = (r"^\.policy\.yml$", r"^\.github/", r"(^|/)(AGENTS|CLAUDE)\.md$", "^clusters/[^/]+-agent-platform/")
SMANA = Public(
    "Smana/cloud-native-ref",
    {
        "policy": {"approval": [{"or": ["human", "docs", "agent"]}]},
        "approval_rules": [
            _rule("human", {"has_author_in": {"users": ["Smana"]}}),
            _rule("docs", {
                "has_author_in": {"users": ["ogenki-agents[bot]"]},
                "from_branch": {"pattern": "^agent/docs-.*$"},
                "only_changed_files": _paths(r"^(docs|website/content)/.+\.md$"),
                "no_changed_files": _paths(*_GUARDED),
                "modified_lines": {"total": "< 21"},
            }),
            _rule("agent", {
                "has_author_in": {"users": ["ogenki-agents[bot]"]},
                "no_changed_files": _paths(*_GUARDED),
            }, {"count": 1, "users": ["Smana"]}),
        ],
    },
    [
        ({"author": "Smana"}, "passes"),
        ({"author": "writer"}, "never"),
        ({"author": "ogenki-agents[bot]"}, "Smana"),
        ({"author": "ogenki-agents[bot]", "approvals": ["Smana"]}, "passes"),
        ({"author": "ogenki-agents[bot]", "paths": ["docs/CLAUDE.md"], "approvals": ["Smana"]}, "never"),
        # The branch of a session was chosen by a person; any other one is the agent's own choice.
        ({"author": "ogenki-agents[bot]", "agent": "docs", "paths": ["docs/a.md"], "source": "agent/docs-x"}, "passes"),
        ({"author": "ogenki-agents[bot]", "paths": ["docs/a.md"], "source": "agent/docs-x"}, "Smana"),
        ({"author": "ogenki-agents[bot]", "paths": ["docs/a.md"], "source": "agent/other"}, "Smana"),
        ({"author": "ogenki-agents[bot]", "paths": ["docs/a.md"], "source": "agent/docs-x", "lines": 21}, "Smana"),
    ],
)  # fmt: skip

HOMELAB = Public(
    "Stuhlmuller/homelab",
    {
        "policy": {"approval": ["nobody"], "disapproval": {"requires": {"organizations": ["homelab"]}}},
        "approval_rules": [_rule("nobody", None, {"count": 0}, description="Nobody needs to look.")],
    },
    [({}, "passes"), ({"changes_requested": ["inside"]}, "never"), ({"changes_requested": ["writer"]}, "never")],
)

PUBLIC = (FUEL, PRYSM, ACTS, SYNCTHING, MAGE, CONDUIT, BALENA, AVAST, GRAFANA, ELEVEN, SMANA, HOMELAB)
