"""Sentences about the policy itself and about whom it names."""

from __future__ import annotations

import pytest

from checks.accounts import Permission
from checks.electorate import Electorate
from checks.finding import Status
from checks.unread import Unread
from policies.load import PolicySource, read_policy
from policies.words import policy_finding, still_needed
from tests.policies.build import TARGET, presets, state


def test_where_the_policy_was_read_is_evidence() -> None:
    found = policy_finding(state(None))
    (at,) = found.evidence
    assert (at.label, at.digest) == ("policy", state(None).digest)
    assert (found.check, found.status, found.fix) == ("policy", Status.PASSED, None)
    assert found.reason == "`main` has no `.github/mergegate.yml`, so the default policy applies."


def test_the_words_stay_while_the_branch_moves_on() -> None:
    source = PolicySource("version: 1", "refs/heads/main", "0" * 40)
    assert policy_finding(read_policy(source, presets())) == policy_finding(state("version: 1"))


def test_a_file() -> None:
    found = policy_finding(state("version: 1"))
    assert (found.status, found.reason) == (Status.PASSED, "The policy is `.github/mergegate.yml` of `main`.")
    assert found.evidence[0].digest == state("version: 1").digest


def test_an_unread_file() -> None:
    source = PolicySource(Unread("GitHub answered 502"), "refs/heads/rel/1", TARGET)
    found = policy_finding(read_policy(source, presets()))
    assert found.status is Status.ERRORED
    assert found.reason == "`.github/mergegate.yml` of `rel/1` could not be read: GitHub answered 502"
    assert found.fix is not None
    assert (found.fix.action, found.fix.text) == ("wait", "Nothing to do: the gate looks again by itself.")


def test_a_broken_file_names_the_first_error_and_how_many_more() -> None:
    found = policy_finding(state("version: 1\nmode: x\nzebra: 1\nlion: 2"))
    assert found.status is Status.FAILED
    assert found.reason == (
        "`.github/mergegate.yml` of `main` is broken: line 2, column 1: `mode`: the word is not known here. "
        "Write 'enforce' or 'observe'. There are 2 more."
    )
    assert found.fix is not None
    assert found.fix.text == "A person must repair `.github/mergegate.yml` on `main`. Write 'enforce' or 'observe'."
    assert (found.fix.action, found.fix.field) == ("repair-policy", "mode")
    assert len(found.evidence) == 1


def test_one_error_alone_has_no_more() -> None:
    found = policy_finding(state("[]"))
    assert found.reason.endswith("a policy is a list of fields. Begin with `version: 1`.")
    assert found.fix is not None
    assert found.fix.field is None


NEEDED = [
    (Electorate(), (), ()),
    (Electorate(Permission.WRITE), (), ("anyone with write permission",)),
    (Electorate(users=("Ada", "bea"), teams=("core",)), (), ("Ada", "bea", "acme/core")),
    (Electorate(users=("Ada", "bea"), teams=("core",)), ("ada",), ("bea", "acme/core")),
    (Electorate(users=("ada",)), ("ADA",), ()),
    (Electorate(organizations=("acme",)), (), ("members of acme",)),
    (Electorate(Permission.ADMIN, ("ada",)), (), ("ada", "anyone with admin permission")),
]


@pytest.mark.parametrize(("who", "counted", "expected"), NEEDED)
def test_who_is_still_needed(who: Electorate, counted: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert still_needed(who, "acme", counted) == expected
