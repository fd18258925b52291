"""Known agents: by id, login and address, never by a name."""

from __future__ import annotations

import pytest

from checks import agents
from checks.accounts import Account, CommitIdentity
from checks.agents import CoAuthor, Trailer


@pytest.mark.parametrize(
    ("account", "name"),
    [
        # Ids as collected in https://github.com/ohcaygo/merge-proof, research note D.
        (Account("renamed", 198982749), "Copilot"),
        (Account("renamed", 175728472), "Copilot"),
        (Account("renamed", 199175422), "Codex"),
        (Account("renamed", 215057067), "Codex"),
        (Account("renamed", 209825114), "Claude"),
        (Account("renamed", 206951365), "Cursor"),
        (Account("renamed", 161369871), "Jules"),
        (Account("renamed", 158243242), "Devin"),
        (Account("Copilot"), "Copilot"),
        (Account("copilot-swe-agent[bot]", None, "Bot"), "Copilot"),
        (Account("chatgpt-codex-connector[bot]", 1, "Bot"), "Codex"),
        (Account("Claude[bot]"), "Claude"),
        (Account("cursoragent"), "Cursor"),
        (Account("google-labs-jules[bot]"), "Jules"),
        (Account("devin-ai-integration[bot]"), "Devin"),
        (Account("olivia", 10), None),
        (Account("dependabot[bot]", 49699333, "Bot"), None),
        (Account("claude-monet"), None),
    ],
)
def test_knows_accounts(account: Account, name: str | None) -> None:
    assert agents.agent_account(account) == name


@pytest.mark.parametrize(
    ("email", "name"),
    [
        ("noreply@anthropic.com", "Claude"),
        ("NoReply@Anthropic.com", "Claude"),
        ("codex@openai.com", "Codex"),
        ("noreply@openai.com", "Codex"),
        ("cursoragent@cursor.com", "Cursor"),
        ("copilot@github.com", "Copilot"),
        ("198982749+Copilot@users.noreply.github.com", "Copilot"),
        ("198982749+renamed@users.noreply.github.com", "Copilot"),
        ("158243242+devin-ai-integration[bot]@users.noreply.github.com", "Devin"),
        ("claude@users.noreply.github.com", "Claude"),
        ("olivia@example.com", None),
        ("10+olivia@users.noreply.github.com", None),
        ("41898282+github-actions[bot]@users.noreply.github.com", None),
        ("", None),
    ],
)
def test_knows_addresses(email: str, name: str | None) -> None:
    assert agents.agent_address(email) == name


def test_an_identity_is_known_by_account_or_address_but_not_by_name() -> None:
    assert agents.agent_identity(CommitIdentity("x", "x@example.com", Account("claude"))) == "Claude"
    assert agents.agent_identity(CommitIdentity("x", "noreply@anthropic.com", Account("olivia"))) == "Claude"
    assert agents.agent_identity(CommitIdentity("x", "noreply@anthropic.com")) == "Claude"
    assert agents.agent_identity(CommitIdentity("Claude", "x@example.com", Account("olivia"))) is None


@pytest.mark.parametrize(
    ("email", "login", "number"),
    [
        ("10+olivia@users.noreply.github.com", "olivia", 10),
        ("10+olivia@Users.NoReply.GitHub.com", "olivia", 10),
        ("olivia@users.noreply.github.com", "olivia", None),
        ("x+olivia@users.noreply.github.com", "olivia", None),
        ("٣+olivia@users.noreply.github.com", "olivia", None),
        (f"{'9' * 18}+olivia@users.noreply.github.com", "olivia", int("9" * 18)),
        (f"{'9' * 19}+olivia@users.noreply.github.com", "olivia", None),
        ("10+@users.noreply.github.com", None, 10),
        ("@users.noreply.github.com", None, None),
        ("olivia@example.com", None, None),
        ("olivia@users.noreply.github.com.example.com", None, None),
    ],
)
def test_reads_no_reply_addresses(email: str, login: str | None, number: int | None) -> None:
    assert agents.noreply_account(email) == (login, number)


def test_reads_every_line_that_looks_like_a_trailer() -> None:
    message = "Fix: the subject\n\nReviewed-by: Rita\nsome text: with a blank in its name\nA:b\n\nX: y\n: z\nEmpty:\nno"
    assert agents.trailers(message) == (Trailer("Reviewed-by", "Rita"), Trailer("A", "b"), Trailer("X", "y"))


def test_a_subject_is_no_trailer() -> None:
    assert agents.trailers("Co-authored-by: x <y@example.com>") == ()


def test_reads_co_authors() -> None:
    message = (
        "s\n\nCo-authored-by: Rita R <11+rita@users.noreply.github.com>\n"
        "CO-AUTHORED-BY:  Ann < ann@example.com >\r\nCo-authored-by: nobody\n"
        "Co-authored-by: A <a@example.com> <b@example.com>\nSigned-off-by: S <s@example.com>"
    )
    assert agents.co_authors(message) == (
        CoAuthor("Rita R", "11+rita@users.noreply.github.com", "rita", 11),
        CoAuthor("Ann", "ann@example.com"),
        CoAuthor("nobody", ""),
        CoAuthor("A", "a@example.com"),
    )


@pytest.mark.parametrize(
    ("login", "folded"), [("Rita", "rita"), ("Claude[bot]", "claude"), ("[bot]x", "[bot]x"), ("STRASSE", "strasse")]
)
def test_folds_logins(login: str, folded: str) -> None:
    assert agents.fold_login(login) == folded
