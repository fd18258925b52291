"""What more than one policy asks about at once, and what stands for a group's verdict."""

from __future__ import annotations

from policies.floor import load_floor, with_floor, worse_of
from policies.rule_parts import asks_about_kinds
from policies.verdict import GroupVerdict, Subject
from tests.policies.build import presets, state, verdict
from tests.policies.rule_case import policy_of


def test_all_that_judge() -> None:
    floor = load_floor("version: 1\n", presets())
    assert state().policies == (state().policy,)
    assert with_floor(state(), floor).policies == (state().policy, floor)


def test_whether_a_rule_asks_whose_work_it_is() -> None:
    assert asks_about_kinds(policy_of("rules: {x: {when: {not: {kinds: [person]}}, require: {approvals: {}}}}"))
    assert not asks_about_kinds(policy_of("rules: {x: {when: {paths: [a]}, require: {approvals: {}}}}"))


def test_whether_a_policy_names_any_freeze() -> None:
    window = "{windows: [{starts: 'fri 16:00', ends: 'mon 08:00'}]}"
    said = [policy_of(f"queue: {{freeze: {words}}}").queue.freeze for words in ("{}", "{label: incident}", window)]
    assert [freeze.freezes for freeze in said] == [False, True, True]


def test_a_verdict_without_a_subject_takes_the_other_s() -> None:
    """As one that was recorded before there was any."""
    subject = Subject("acme/shop", None)
    without, with_one = verdict((), ()), verdict((), (), subject=subject)
    assert worse_of(without, with_one).subject == worse_of(with_one, without).subject == subject


def test_the_key_of_a_group_is_its_head_and_its_target() -> None:
    nodes = (verdict((), ()).evidence, verdict((), ()).review)
    group, again = (GroupVerdict("a" * 40, "refs/heads/main", *nodes) for _ in range(2))
    assert group.key == again.key
    assert len({group.key, GroupVerdict("b" * 40, "refs/heads/main", *nodes).key}) == 2
    assert len({group.key, GroupVerdict("a" * 40, "refs/heads/next", *nodes).key}) == 2
