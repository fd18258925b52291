"""What-if in the words of the command line: each reaches the verdict, and unknown words say what could be meant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.accounts import Permission
from checks.finding import Status
from checks.snapshot import Ticket
from checks.unread import Unread
from policies.case import Assumed
from policies.deviations import UnknownDeviation, deviate, said_by
from policies.evaluate import evaluate
from tests.policies.build import BEA, approval, snapshot, state

P, F, W = Status.PASSED, Status.FAILED, Status.PENDING
BY_CORE = "version: 1\noverride: {permission: write}\nrules: {x: {require: {approvals: {teams: [core]}}}}"


def _verdict(policy: str, *words: str, said: tuple[str, ...] = (), **changes: Any) -> Any:
    of, assumed = replace(snapshot(), **changes), Assumed()
    for word in words:
        of, assumed = deviate(of, assumed, word)
    for word in said:
        of = said_by(of, word)
    return evaluate(state(policy), of, assumed=assumed)


def test_people_say_something() -> None:
    assert _verdict(BY_CORE).status is W
    assert _verdict(BY_CORE, "team.core=cy, dan", said=("cy:approve",)).status is P
    assert _verdict(BY_CORE, "team.core=cy", "permission.cy=read", said=("cy:approve",)).status is W
    assert _verdict(BY_CORE, said=("bea:request-changes",)).review.status is F
    assert _verdict(BY_CORE, said=("cy:override It burns.",)).status is P
    again = _verdict(
        BY_CORE, "team.core=bea", said=("bea:approve",), reviews=(approval(BEA, state="CHANGES_REQUESTED"),)
    )
    assert again.status is P
    assert _verdict(BY_CORE, "team.core=cy", said=("cy:approve",), reviews=Unread("HTTP 502")).status is P
    assert _verdict(BY_CORE, "team.core=cy", said=("cy:approve",), ticket=Ticket("T", "sha256:t")).status is P
    members = "version: 1\nrules: {x: {require: {approvals: {organizations: [acme]}}}}"
    assert _verdict(members, "organization.acme=cy", said=("cy:approve",)).status is P


def test_facts_are_set() -> None:
    assert _verdict("version: 1", "risk=high").risk.word == "high"
    assert _verdict("version: 1", "kind=person").kind == "person"
    assert _verdict("version: 1", "part.ci=failed").status is F
    assert _verdict(
        "version: 1", "part.verifier=passed", "risk=high", "permission.cy=write", said=("cy:approve",)
    ).status
    for condition, word in (("{title: '^WIP'}", "title=WIP"), ("{labels: [b]}", "labels=a, b"),
                            ("{target: [x]}", "target=x")):  # fmt: skip
        policy = f"version: 1\nbranches: ['*']\nrules: {{x: {{when: {condition}, require: {{approvals: {{}}}}}}}}"
        assert _verdict(policy).review.status is P
        assert _verdict(policy, word).review.status is W
    assert _verdict(BY_CORE, "draft=true").needed == ()
    assert _verdict(BY_CORE, "draft=false").needed == ("acme/core",)


def test_a_permission_that_is_known_stays() -> None:
    of = said_by(snapshot(permissions={"Bea": Permission.READ}), "bea:approve")
    assert of.permissions == {"Bea": Permission.READ}
    assert deviate(of, Assumed(), "permission.BEA=admin")[0].permissions == {"BEA": Permission.ADMIN}


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("risk", "'risk' is no NAME=VALUE"),
        ("risk=hihg", "'hihg' is not known here. Write one of: low, medium, high, critical."),
        ("rsik=high", "there is nothing called 'rsik' to set. Did you mean `risk`?"),
        ("zzz=1", "there is nothing called 'zzz' to set. Known: risk, kind, title"),
        ("part.cx=passed", "there is nothing called 'part.cx' to set. Did you mean `part.ci`?"),
        ("part.ci=green", "'green' is not known here."),
        ("kind=robot", "'robot' is not known here."),
        ("draft=yes", "'yes' is not known here."),
        ("team.=a", "there is nothing called 'team.' to set."),
        ("permission.a=owner", "'owner' is not known here."),
    ],
)
def test_unknown_words_to_set(word: str, said: str) -> None:
    with pytest.raises(UnknownDeviation) as raised:
        deviate(snapshot(), Assumed(), word)
    assert str(raised.value).startswith(said)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("cy", "'cy' is no LOGIN:approve"),
        (":approve", "':approve' is no LOGIN:approve"),
        ("cy:aprove", "'aprove' is nothing that somebody says here. Did you mean `approve`?"),
        ("cy:zzz", "'zzz' is nothing that somebody says here. Write approve, request-changes or override REASON."),
    ],
)
def test_unknown_words_to_say(word: str, said: str) -> None:
    with pytest.raises(UnknownDeviation) as raised:
        said_by(snapshot(), word)
    assert str(raised.value).startswith(said)
