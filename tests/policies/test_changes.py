"""What the history of a pull request says between two verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.finding import Fix, failed, passed
from checks.snapshot import Risk
from policies.changes import changes
from policies.tree import group, required
from policies.verdict import Verdict

CI_FAILED = group("ci", [failed("ci", "A job failed.", fix=Fix("push", "Repair it."))])
CI_PASSED = group("ci", [passed("ci", "All jobs passed.")])
SCOPE = group("scope", [passed("scope", "Inside the ticket's paths.")])
BEFORE = Verdict(
    head_sha="1" * 40,
    target_ref="refs/heads/main",
    policy_digest="sha256:" + "a" * 64,
    bundle_digest=None,
    ticket_digest=None,
    kind="agent",
    mode="enforce",
    gated=True,
    risk=Risk.LOW,
    areas=(),
    evidence=required("evidence", [CI_FAILED]),
    review=required("review", []),
)


@pytest.mark.parametrize(
    ("fields", "sentences"),
    [
        ({}, ()),
        ({"head_sha": "2" * 40}, ("The head moved from 111111111111 to 222222222222.",)),
        ({"target_ref": "refs/heads/next"}, ("The target changed from refs/heads/main to refs/heads/next.",)),
        (
            {"policy_digest": "sha256:" + "b" * 64},
            ("The policy changed from sha256:aaaaaaaaaaaa to sha256:bbbbbbbbbbbb.",),
        ),
        ({"bundle_digest": "sha256:1"}, ("An evidence bundle was given.",)),
        ({"ticket_digest": "sha256:1"}, ("An accepted ticket was given.",)),
        ({"risk": Risk.HIGH}, ("The risk changed from low to high.",)),
        ({"kind": "person"}, ("It is judged as a person's and no longer as an agent's.",)),
        ({"kind": "dependency-bot"}, ("It is judged as a dependency bot's and no longer as an agent's.",)),
        ({"approved_by": ("zoe", "ada")}, ("The approval by @ada counts.", "The approval by @zoe counts.")),
        (
            {"evidence": required("evidence", [CI_PASSED, SCOPE])},
            ("ci: failed became passed.", "scope: skipped became passed."),
        ),
    ],
)
def test_each_difference_is_one_sentence(fields: dict[str, Any], sentences: tuple[str, ...]) -> None:
    assert changes(BEFORE, replace(BEFORE, **fields)) == sentences


def test_what_is_gone_is_said_too() -> None:
    given = replace(BEFORE, bundle_digest="sha256:1", approved_by=("ada",))
    assert changes(given, BEFORE) == ("The evidence bundle is gone.", "The approval by @ada no longer counts.")
    assert changes(given, replace(given, bundle_digest="sha256:2")) == ("The evidence bundle changed.",)
