"""Policy files: what is read, and which error with which line, column and hint a broken one gives."""

from __future__ import annotations

import pytest
from pydantic_core import ErrorDetails

from checks.document import Fault, read_document
from checks.snapshot import Risk
from checks.unread import Unread
from policies.errors import InvalidPolicyError, PolicyError, did_you_mean, explain_errors, field_name, unreadable
from policies.load import MAX_BYTES, PolicySource, load, read_policy
from policies.schema import Policy
from tests.policies.build import TARGET, presets, state


def read(text: str) -> Policy:
    return load(text, presets())


def errors(text: str) -> list[tuple[int, int, str, str, str]]:
    with pytest.raises(InvalidPolicyError) as raised:
        read(text)
    return [(e.line, e.column, e.field, e.message, e.hint) for e in raised.value.errors]


def test_a_file_says_only_what_it_changes() -> None:
    policy = read("version: 1\nqueue: {enqueue: on}\nrequirements: {low: {approvals: 2}}\n")
    default = read("version: 1")
    assert policy.queue.enqueue == "on"
    assert policy.queue.probation == default.queue.probation
    assert policy.requirements.low.approvals == 2
    assert policy.requirements.low.evidence == "ci"
    assert policy.requirements.medium == default.requirements.medium
    assert policy.agents == default.agents


def test_lists_replace_and_more_paths_add() -> None:
    policy = read(
        "version: 1\nagents: {branches: [bot/*]}\nrisk:\n  areas:\n    payment: {paths: [money/]}\n"
        "    ci: {more_paths: [tools/build/]}\n    games: {risk: medium, paths: [games/]}\n"
    )
    default = read("version: 1")
    assert policy.agents.branches == ("bot/*",)
    assert policy.agents.trailers == default.agents.trailers
    assert policy.risk.areas["payment"].all_paths == ("money/",)
    assert policy.risk.areas["payment"].risk == "high"
    assert policy.risk.areas["ci"].all_paths == (*default.risk.areas["ci"].paths, "tools/build/")
    assert policy.risk.areas["games"].all_paths == ("games/",)
    assert set(policy.risk.areas) == {*default.risk.areas, "games"}


def test_people_and_approvers_are_replaced_as_a_whole() -> None:
    policy = read(
        "version: 1\npeople: {users: [ada]}\napprovers: {teams: [core]}\nrequirements: {high: {approvers: {}}}"
    )
    assert (policy.people.permission, policy.people.users, policy.people.teams) == (None, ("ada",), ())
    assert (policy.approvers.permission, policy.approvers.users, policy.approvers.teams) == (None, (), ("core",))
    assert policy.requirements.high.approvers is not None
    assert policy.requirements.high.approvers.permission is None
    assert policy.requirements.low.approvers is None


def test_a_file_stands_on_the_preset_it_extends() -> None:
    policy = read("version: 1\nextends: strict\npeople: {users: [ada]}\n")
    assert policy.extends == "strict"
    assert policy.people.users == ("ada",)
    assert policy.people.permission is None
    assert policy.requirements.low.approvals == 1
    assert policy.requirements.low.evidence == "ci"


ERRORS = [
    ("", 1, 1, "", "the document is empty"),
    ("[a]", 1, 1, "", "a policy is a list of fields", "Begin with `version: 1`"),
    ("mode: observe", 1, 1, "", "`version` is missing", "Begin with `version: 1`"),
    ("# x\nversion: 2\nfoo: 1", 2, 1, "version", "only version 1 is known", "Write `version: 1`"),
    ("version: true", 1, 1, "version", "only version 1 is known", "Write `version: 1`"),
    ("version: '1'", 1, 1, "version", "only version 1 is known", "Write `version: 1`"),
    ("version: 1\nextends: strikt", 2, 1, "extends", "there is no preset of that name", "Did you mean `strict`?"),
    (
        "version: 1\nextends: [a]",
        2,
        1,
        "extends",
        "there is no preset of that name",
        "Write one of: default, observe, solo, strict",
    ),
    ("version: 1\nmoed: x", 2, 1, "moed", "there is no such field", "Did you mean `mode`?"),
    (
        "version: 1\nqueue:\n  zzz: 1",
        3,
        3,
        "queue.zzz",
        "there is no such field",
        "Remove it; known here: checks_minutes, enqueue, freeze, jump, kind, method, probation, turn_minutes",
    ),
    (
        "version: 1\nrisk: {areas: {ci: {pathes: []}}}",
        2,
        21,
        "risk.areas.ci.pathes",
        "there is no such field",
        "Did you mean `paths`?",
    ),
    (
        "version: 1\nrequirements: {low: {approvers: {user: []}}}",
        2,
        34,
        "requirements.low.approvers.user",
        "there is no such field",
        "Did you mean `users`?",
    ),
    (
        "version: 1\nqueue:\n  enqueue: maybe",
        3,
        3,
        "queue.enqueue",
        "the word is not known here",
        "Write 'off', 'probation' or 'on'",
    ),
    ("version: 1\nmode: enforced", 2, 1, "mode", "the word is not known here", "Did you mean `enforce`?"),
    ("version: 1\nmode: 1", 2, 1, "mode", "the word is not known here", "Write 'enforce' or 'observe'"),
    ("version: 1\nbranches: x", 2, 1, "branches", "a list is expected", "Write a list, for example [one, two]"),
    ("version: 1\nbranches:\n- 1", 3, 3, "branches[0]", "text is expected", "Put it in quotes"),
    (
        "version: 1\nbranches: ['']",
        2,
        12,
        "branches[0]",
        "the text is empty",
        "Write something, or leave it out",
    ),
    (
        f"version: 1\nbranches: [{'a' * 257}]",
        2,
        12,
        "branches[0]",
        "the text is longer than 256 characters",
        "Shorten it",
    ),
    (
        f"version: 1\nbranches: [{', '.join(['a'] * 501)}]",
        2,
        1,
        "branches",
        "the list has more than 500 entries",
        "Join some of them in a pattern",
    ),
    (
        "version: 1\npeople:",
        2,
        1,
        "people",
        "fields are expected here",
        "Write them below, indented, or leave the line out",
    ),
    (
        "version: 1\nrisk: {areas: [a]}",
        2,
        8,
        "risk.areas",
        "fields are expected here",
        "Write them below, indented, or leave the line out",
    ),
    (
        "version: 1\nrisk: {areas: {Big: {risk: high, paths: []}}}",
        2,
        16,
        "risk.areas.Big",
        "the name is not allowed",
        "Write small letters, digits and hyphens, at most 40",
    ),
    ("version: 1\nrisk: {areas: {mine: {paths: []}}}", 2, 16, "risk.areas.mine.risk", "it is missing", "Add it"),
    (
        "version: 1\nticket: {required: 'yes'}",
        2,
        10,
        "ticket.required",
        "true or false is expected",
        "Write true or false, without quotes",
    ),
    (
        "version: 1\nqueue: {probation: {days: '3'}}",
        2,
        21,
        "queue.probation.days",
        "a whole number is expected",
        "Write a number, without quotes",
    ),
    ("version: 1\noutsiders: {approvals: 0}", 2, 13, "outsiders.approvals", "the number is below 1", "Write 1 or more"),
    (
        "version: 1\noutsiders: {approvals: 11}",
        2,
        13,
        "outsiders.approvals",
        "the number is above 10",
        "Write 10 or less",
    ),
    (
        "version: 1\nticket: {pools: {night: {start: workflow, workflow: ../x.yml}}}",
        2,
        43,
        "ticket.pools.night.workflow",
        "that is no file name of a workflow",
        "Write it without its folder, for example `agent.yml`",
    ),
    ("version: 1\nbundle: {required: []}", 2, 10, "bundle.required", "the list is empty", "Name at least one"),
    (
        "version: 1\npeople: {users: ['@ada']}",
        2,
        18,
        "people.users[0]",
        "that is no person's login, and only a person's word counts here",
        "Write it without `@`, as `ada`",
    ),
    (
        "version: 1\nveto: {users: ['x[bot]']}",
        2,
        16,
        "veto.users[0]",
        "that is no person's login, and only a person's word counts here",
    ),
    (
        "version: 1\nagents: {apps: ['@x']}",
        2,
        17,
        "agents.apps[0]",
        "that is no login",
        "Write it without `@`, for example `ada` or `dependabot[bot]`",
    ),
    (
        "version: 1\napprovers: {teams: [A B]}",
        2,
        21,
        "approvers.teams[0]",
        "that is no team's slug",
        "Write it without the organisation, for example `core`",
    ),
]


@pytest.mark.parametrize("row", ERRORS, ids=[f"{number} {row[4]}" for number, row in enumerate(ERRORS)])
def test_an_error_says_where_what_and_how_to_repair(row: tuple[str, int, int, str, str, str]) -> None:
    text, *expected = row
    (found,) = errors(text)
    assert list(found)[: len(expected)] == expected


@pytest.mark.parametrize("place", ["branches", "agents.branches", "dependency_bots.paths", "ci.workflows"])
def test_patterns_that_cannot_be_used_are_named(place: str) -> None:
    section, _, field = place.rpartition(".")
    text = f"version: 1\n{section}: {{{field}: [ok, '#x']}}" if section else f"version: 1\n{field}: [ok, '#x']"
    (found,) = errors(text)
    assert found[0] == 2
    assert found[2] == f"{place}[1]"
    assert found[3].startswith("the pattern cannot be used: ")
    assert "'#x'" in found[3]
    assert found[4] == "Write it in gitignore style"


@pytest.mark.parametrize(("paths", "more"), [(80, 0), (40, 40), (0, 80)])
def test_an_area_s_patterns_that_are_too_large_together_are_named(paths: int, more: int) -> None:
    first, second = (", ".join(["x" * 200] * count) for count in (paths, more))
    (found,) = errors(f"version: 1\nrisk: {{areas: {{payment: {{paths: [{first}], more_paths: [{second}]}}}}}}\n")
    assert found[2:4] == (
        "risk.areas.payment",
        "the pattern cannot be used: the path patterns are 16000 bytes together; at most 15000 are read",
    )


def test_other_patterns_that_are_too_large_together_are_named() -> None:
    (found,) = errors(f"version: 1\nbranches: [{', '.join(['x' * 200] * 80)}]\n")
    assert found[2] == "branches"


@pytest.mark.parametrize("field", ["paths", "more_paths"])
def test_an_area_s_patterns_are_looked_at(field: str) -> None:
    (found,) = errors(f"version: 1\nrisk: {{areas: {{ci: {{{field}: ['#x']}}}}}}")
    assert found[2] == f"risk.areas.ci.{field}[0]"


def test_all_errors_are_told_in_the_order_of_their_lines() -> None:
    found = errors("version: 1\nzebra: 1\nmode: x\nticket: {required: 3}\nbranches: 7\n")
    assert [(line, field) for line, _, field, _, _ in found] == [
        (2, "zebra"),
        (3, "mode"),
        (4, "ticket.required"),
        (5, "branches"),
    ]


def test_two_errors_in_a_line_are_told_by_column() -> None:
    found = errors("version: 1\nqueue: {enqueue: x, method: y}\n")
    assert [(column, field) for _, column, field, _, _ in found] == [(9, "queue.enqueue"), (21, "queue.method")]


def test_at_most_twenty_errors_are_told() -> None:
    text = "version: 1\n" + "".join(f"unknown{number}: 1\n" for number in range(30))
    found = errors(text)
    assert len(found) == 20
    assert [line for line, *_ in found] == list(range(2, 22))


UNREADABLE = [
    ("version: 1\na: &x 1", 2, 4, "anchor"),
    ("version: 1\na: *x", 2, 4, "alias"),
    ("version: 1\na: !!str 1", 2, 4, "tag"),
    ("version: 1\nmode: enforce\nmode: observe", 3, 1, "twice"),
    ("version: 1\n? [a]\n: b", 2, 3, "key must be text"),
    ("version: 1\na: b: c", 2, 5, "not readable"),
    ("version: 1\na: " + "[" * 40, 2, 23, "deeper than 20 levels"),
    ("version: 1\n---\nversion: 1", 2, 1, "second document"),
    ("version: 1\nmode: \x07", 1, 1, "not allowed"),
    ("version: 1\n#" + "x" * MAX_BYTES, 1, 1, "too many"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), UNREADABLE, ids=[row[3] for row in UNREADABLE])
def test_what_is_no_plain_document_is_refused(text: str, line: int, column: int, message: str) -> None:
    (found,) = errors(text)
    assert found[:3] == (line, column, "")
    assert message in found[3]
    assert found[4]


def test_a_complaint_without_words_of_ours_keeps_its_own() -> None:
    document = read_document("version: 1\nmode: x")
    details: ErrorDetails = {"type": "date_type", "loc": ("mode",), "msg": "Input should be a valid date", "input": "x"}
    assert explain_errors(document, [details]) == (
        PolicyError(2, 1, "mode", "Input should be a valid date", "See `mergegate policy schema`"),
    )


def test_a_fault_may_name_less_or_more() -> None:
    hint = "Repair it there; an editor with YAML support shows it too"
    assert unreadable(Fault("odd")) == PolicyError(1, 1, "", "odd", hint)
    assert unreadable(Fault("odd", 3, "a.b", "Do this", 4)) == PolicyError(3, 4, "a.b", "odd", "Do this")


def test_the_size_limit_is_64_kib() -> None:
    text = "version: 1\n#"
    assert MAX_BYTES == 65_536
    assert read(text + "x" * (MAX_BYTES - len(text))) == read("version: 1")


def test_an_error_reads_as_a_sentence() -> None:
    error = PolicyError(3, 5, "queue.enqueue", "the word is not known here", "Write 'on'")
    assert str(error) == "line 3, column 5: `queue.enqueue`: the word is not known here. Write 'on'."
    assert (
        str(PolicyError(1, 1, "", "it is empty", "Did you mean `x`?"))
        == "line 1, column 1: it is empty. Did you mean `x`?"
    )
    assert str(InvalidPolicyError(error, error)) == f"{error} {error}"


def test_field_names() -> None:
    assert field_name(()) == ""
    assert field_name(("risk", "areas", "ci", "paths", 3)) == "risk.areas.ci.paths[3]"


def test_did_you_mean() -> None:
    assert did_you_mean("enforse", ("observe", "enforce")) == "Did you mean `enforce`?"
    assert did_you_mean("xyz", ("observe", "enforce")) == ""
    assert did_you_mean("a" * 100_000, ("a" * 100,)) == f"Did you mean `{'a' * 100}`?"


class TestState:
    def test_a_good_file(self) -> None:
        found = state("version: 1\nmode: observe\n")
        assert (found.origin, found.policy.mode, found.errors, found.because) == ("file", "observe", (), "")
        assert found.source == PolicySource("version: 1\nmode: observe\n", "refs/heads/main", TARGET)

    def test_no_file(self) -> None:
        found = state(None)
        assert (found.origin, found.policy, found.errors) == ("default", read("version: 1"), ())

    def test_a_broken_file_is_judged_by_the_default_and_its_errors_are_kept(self) -> None:
        found = state("version: 1\nextends: strict\nmode: x\n")
        assert (found.origin, found.policy) == ("broken", read("version: 1"))
        assert [error.field for error in found.errors] == ["mode"]
        assert found.policy.people.permission == "write"

    def test_a_file_that_could_not_be_read(self) -> None:
        found = read_policy(PolicySource(Unread("GitHub answered 502"), "refs/heads/main", TARGET), presets())
        assert (found.origin, found.policy, found.because) == ("unread", read("version: 1"), "GitHub answered 502")

    def test_the_digest_is_of_what_decides(self) -> None:
        plain = state(None).digest
        assert plain.startswith("sha256:")
        assert len(plain) == 71
        assert state("version: 1 # a comment").digest == plain
        assert state("version: 1\nmode: observe").digest != plain
        broken = state("version: 1\nmode: x").digest
        assert broken not in (plain, state("version: 1\nmode: y").digest)
        unread = read_policy(PolicySource(Unread("a"), "refs/heads/main", TARGET), presets()).digest
        assert unread not in (plain, broken)

    def test_the_digest_of_hostile_text_is_taken_too(self) -> None:
        assert state("version: \ud83d").origin == "broken"

    def test_risk_words_are_ordered(self) -> None:
        assert [read("version: 1").requirements.at(risk).approvals for risk in Risk] == [0, 1, 1, 2]
