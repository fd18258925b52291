"""A policy that stands on another repository's file at one commit."""

from __future__ import annotations

import pytest

from checks.unread import Unread
from policies.errors import InvalidPolicyError
from policies.load import PolicySource, Reference, load, read_policy, reference_of
from tests.policies.build import TARGET, presets

AT = "acme/policies/gate/base.yml@" + "c" * 40
TEXT = f"version: 1\nreuse: {AT}\nrules: {{b: {{require: {{approvals: {{count: 2}}}}}}}}\n"
BELOW = """version: 1
extends: solo
mode: observe
rules:
  a: {require: {approvals: {}}}
  b: {when: {fork: true}, require: {approvals: {}}}
"""


def test_it_stands_on_what_it_reuses_and_that_on_its_preset() -> None:
    policy = load(TEXT, presets(), BELOW)
    assert (policy.mode, policy.extends, policy.reuse) == ("observe", "solo", AT)
    assert policy.review.allow_operator
    assert sorted(policy.rules) == ["a", "b"]
    assert policy.rules["b"].when is None


def test_what_it_points_at() -> None:
    assert reference_of(TEXT) == Reference("acme", "policies", "gate/base.yml", "c" * 40)
    for text in ("version: 1", "[", "version: 2\nreuse: x", "version: 1\nreuse: 3", f"version: 1\nreuse: {AT[:-1]}"):
        assert reference_of(text) is None


@pytest.mark.parametrize(
    ("text", "below", "message", "hint"),
    [
        (TEXT, None, "what it reuses was not read here", "Give it with `--reused FILE`"),
        (f"version: 1\nextends: solo\nreuse: {AT}", BELOW, "`extends` and `reuse` are both given", "Leave one"),
        (TEXT, "version: 1\nmode: x", "what it reuses is broken: line 2, column 1: the word is not known", "Point at"),
        (TEXT, "[", "what it reuses is broken: line 1", "Point at"),
        (TEXT, "version: 2", "what it reuses is broken: line 1, column 1: only version 1 is known", "Point at"),
        (TEXT, f"version: 1\nreuse: {AT}", "what it reuses is broken: line 2, column 1: it reuses another", "Point at"),
        (
            "version: 1\nreuse: acme/policies/a.yml@main",
            None,
            "that is no file of a repository at a whole",
            "Write OWNER",
        ),
        ("version: 1\nreuse: [x]", None, "text is expected", "Put it in quotes"),
    ],
)
def test_faults(text: str, below: str | None, message: str, hint: str) -> None:
    with pytest.raises(InvalidPolicyError) as raised:
        load(text, presets(), below)
    (error,) = raised.value.errors
    assert error.field == "reuse"
    assert error.message.startswith(message)
    assert error.hint.startswith(hint)


def test_states() -> None:
    good = read_policy(PolicySource(TEXT, "refs/heads/main", TARGET, reused=BELOW), presets())
    assert (good.origin, good.policy.mode) == ("file", "observe")
    away = read_policy(PolicySource(TEXT, "refs/heads/main", TARGET, reused=Unread("HTTP 502")), presets())
    assert (away.origin, away.because) == ("unread", "HTTP 502")
    lost = read_policy(PolicySource(TEXT, "refs/heads/main", TARGET), presets())
    assert lost.origin == "broken"
    other = read_policy(PolicySource(TEXT, "refs/heads/main", TARGET, reused=f"{BELOW}# more\n"), presets())
    assert other.digest == good.digest
