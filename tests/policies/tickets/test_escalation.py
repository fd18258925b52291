"""The causes that people are told of, and the questions in which they are."""

from __future__ import annotations

import string
from dataclasses import replace
from datetime import timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.commands import read_commands
from policies.tickets.escalation import Cause, Facts, Power, causes, failure_fingerprint, way
from policies.tickets.escalation_question import ANSWERS, SILENCE, Asked, choices, grants, group_text, question_text
from policies.tickets.texts import TEXTS
from policies.tickets.verbs import VERBS
from policies.tickets.words import Language
from tests.policies.test_escape import live_text, tokens

LANGUAGES: tuple[Language, ...] = get_args(Language)
PATH = Power("path", "src/pay/x.py")
ASKED = Asked(12, 2, Cause.REPEATED_FAILURE, "`pytest tests/cart` fails twice", "https://ci.example/log/1", "a" * 40)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (Facts("low"), ()),
        (Facts("low", frozenset({"a  b", "c"}), quoted=("a b", "c")), (Cause.REQUIREMENT_CONFLICT,)),
        (Facts("low", frozenset({"a", "c"}), quoted=("a", "made up")), ()),
        (Facts("low", frozenset({"a", "c"}), quoted=("a", " a")), ()),
        (Facts("low", refused=frozenset({PATH})), ()),  # refused and content with it
        (Facts("low", wanted=frozenset({PATH})), ()),  # a wish that nothing refused
        (Facts("low", refused=frozenset({PATH}), wanted=frozenset({Power("host", PATH.what)})), ()),
        (Facts("low", refused=frozenset({PATH}), wanted=frozenset({PATH})), (Cause.PERMISSION_EXPANSION,)),
        (Facts("low", failures=("f", "g")), ()),
        (Facts("low", failures=("f", "g", "f")), (Cause.REPEATED_FAILURE,)),
        (Facts("low", failures=("f",), attempts_left=0), (Cause.REPEATED_FAILURE,)),
        (Facts("low", attempts_left=0), ()),
        (Facts("low", migration=True), (Cause.DATA_MIGRATION,)),
        (Facts("low", migrating=("db/1.sql",)), (Cause.DATA_MIGRATION,)),
        (Facts("low", stopping=timedelta(seconds=59)), ()),
        (Facts("low", stopping=timedelta(seconds=60), migration=True), (Cause.STOP_UNCONFIRMED, Cause.DATA_MIGRATION)),
        (Facts("low", disagree=True), (Cause.JUDGES_DISAGREE,)),
        (Facts("low", capped=True), (Cause.CAP_HITS,)),
    ],
)
def test_each_cause_is_a_test_over_facts(facts: Facts, expected: tuple[Cause, ...]) -> None:
    assert causes(facts) == expected


def test_only_some_system_causes_wait_for_the_digest() -> None:
    assert {cause for cause in Cause if way(cause, "low") == "digest"} == {Cause.JUDGES_DISAGREE, Cause.CAP_HITS}
    assert way(Cause.JUDGES_DISAGREE, "high") == way(Cause.JUDGES_DISAGREE, "critical") == "push"
    assert (way(Cause.CAP_HITS, "low", 0.10), way(Cause.CAP_HITS, "low", 0.11)) == ("digest", "push")


def test_the_same_failure_is_known_by_what_does_not_vary() -> None:
    first = failure_fingerprint("pytest", "AssertionError at 0x7f3a: 41 != 42\n in 3.1s", ["b", "a"])
    assert first == failure_fingerprint("pytest", "assertionerror at 0x11: 9 != 10  in 0.2s", ["a", "b", "a"])
    assert first != failure_fingerprint("pytest", "AssertionError at 0x7f3a: 41 != 42 in 3.1s", ["a"])
    assert first != failure_fingerprint("make", "AssertionError at 0x7f3a: 41 != 42 in 3.1s", ["a", "b"])
    assert failure_fingerprint("a", "b", ["c", "d"]) != failure_fingerprint("a", "b", ["cd"])


def _placeholders(words: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(words) if name is not None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text_with_the_same_placeholders(language: Language) -> None:
    assert {key: _placeholders(text) for key, text in TEXTS[language].items()} == {
        key: _placeholders(text) for key, text in TEXTS["en"].items()
    }
    assert all(text.strip() for text in TEXTS[language].values())


@pytest.mark.parametrize("cause", Cause)
@pytest.mark.parametrize("asked", [ASKED, replace(ASKED, path="src/pay/x.py", attempts=3), replace(ASKED, head="")])
def test_every_choice_is_a_command_that_there_is(cause: Cause, asked: Asked) -> None:
    offered = choices(replace(asked, cause=cause))
    assert 2 <= len(offered) <= 3
    for choice in offered:
        (command,) = read_commands(choice.command)
        assert command.verb in VERBS
        assert command.text or VERBS[command.verb].bare


def test_what_a_choice_allows_is_named_whole() -> None:
    more = choices(replace(ASKED, attempts=3))
    assert [each.command for each in more] == ["/stop", "/limit attempts=4"]
    granted = choices(replace(ASKED, cause=Cause.PERMISSION_EXPANSION, path="src/pay/x.py"))
    assert [each.command for each in granted] == ["/answer 2 no", "/grant path=/src/pay/x.py once", "/stop"]
    assert choices(replace(ASKED, cause=Cause.DATA_MIGRATION))[1].command == "/approve aaaaaaaaaaaa"


@pytest.mark.parametrize(
    ("named", "besides"),
    [("pay", "src/pay/keys.py"), ("x.py", "src/x.py"), ("docs/a.md", "docs/a.md.bak")],
)
def test_the_grant_that_is_proposed_is_for_the_one_file_that_was_asked_for(named: str, besides: str) -> None:
    offered = choices(replace(ASKED, cause=Cause.PERMISSION_EXPANSION, path=named))
    (command,) = read_commands(offered[1].command)
    assert grants(command.option("path"), named)
    assert not grants(command.option("path"), besides)


@pytest.mark.parametrize("named", ["**", "src/*", "src/[a-z].py", "!x", "a b", ""])
def test_a_file_named_like_a_pattern_is_not_proposed(named: str) -> None:
    offered = choices(replace(ASKED, cause=Cause.PERMISSION_EXPANSION, path=named))
    assert [each.command for each in offered] == ["/answer 2 no", "/stop"]


def test_only_what_holds_the_file_grants_it() -> None:
    assert grants("src/**", "src/a.py")
    assert [grants(one, "src/a.py") for one in ("docs/**", "!src/a.py", "", None)] == [False] * 4
    assert not grants("**", "")


def test_nobodys_answer_never_allows_anything() -> None:
    assert set(SILENCE) == set(Cause)
    assert set(SILENCE.values()) == {"stays", "refused", "unmerged", "dead"}


def test_a_question_reads_on_a_phone() -> None:
    assert question_text(replace(ASKED, attempts=3), "en") == (
        "**#12 needs you: the same failure again, or no attempt is left** (2)\n"
        "`pytest tests/cart` fails twice\n"
        "→ `/stop` end it (recommended) · `/limit attempts=4` one more attempt (needs a line `Reason: …`), "
        "then `/retry`\n"
        "If nobody answers: it stays as it is, and nothing more is allowed.\n"
        "[log](https://ci.example/log/1)"
    )
    assert "log" not in question_text(replace(ASKED, log="javascript:alert(1)"), "en")


def test_the_gates_own_matter_has_no_number_to_answer_by() -> None:
    first = question_text(replace(ASKED, ordinal=None), "en").splitlines()[0]
    assert first == "**#12 needs you: the same failure again, or no attempt is left**"


def test_what_is_decided_on_the_pull_request_leads_there() -> None:
    about = replace(ASKED, cause=Cause.DATA_MIGRATION, log="https://github.com/acme/shop/issues/13")
    lines = question_text(about, "ja").splitlines()
    assert lines[-2:] == [
        "返答がない場合: マージされません。",
        "[プルリクエスト](https://github.com/acme/shop/issues/13)",
    ]


def test_what_settles_a_matter_is_a_verb_and_nothing_confirms_a_stop_by_words() -> None:
    assert set(ANSWERS) == set(Cause)
    assert set().union(*ANSWERS.values()) <= set(VERBS)
    assert not ANSWERS[Cause.STOP_UNCONFIRMED]


@pytest.mark.parametrize("language", LANGUAGES)
def test_many_tickets_are_named_in_four_lines(language: Language) -> None:
    text = group_text(Cause.DATA_MIGRATION, range(1, 201), language)
    assert len(text.splitlines()) == 4
    assert "#30" in text
    assert "#31" not in text
    assert TEXTS[language]["more"].format(count=170) in text
    assert read_commands(text) == ()
    assert not set(live_text(text)) & {"@", "<"}


def test_the_first_line_says_how_many_and_why() -> None:
    assert group_text(Cause.REPEATED_FAILURE, (3, 4), "en") == (
        "**2 tickets need you: the same failure again, or no attempt is left**\n"
        "#3 · #4\n"
        "Each of them says itself what it asks and how to answer.\n"
        "If nobody answers: it stays as it is, and nothing more is allowed."
    )


@given(st.text(max_size=300), st.sampled_from(Cause), st.sampled_from(LANGUAGES), st.text(max_size=40))
def test_hostile_words_stay_words(detail: str, cause: Cause, language: Language, path: str) -> None:
    text = question_text(Asked(1, 1, cause, detail, None, "", path), language)
    assert len(text.splitlines()) <= 5
    assert read_commands(text) == ()
    assert not set(live_text(text)) & {"@", "<"}
    assert not {token.type for token in tokens(text)} & {"html_inline", "html_block", "link_open", "image"}
