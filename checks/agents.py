"""Accounts, addresses and commit trailers by which coding agents are known.

The ids are GitHub's, as collected in https://github.com/ohcaygo/merge-proof (its research note D). An id or a login
decides; a display name never does, since anybody can carry it. A mark found here only ever adds to the suspicion.
"""

from __future__ import annotations

from dataclasses import dataclass

from checks.accounts import Account, CommitIdentity

NOREPLY = "@users.noreply.github.com"


@dataclass(frozen=True, slots=True)
class KnownAgent:
    name: str
    ids: tuple[int, ...]
    logins: tuple[str, ...]  # folded, without `[bot]`
    emails: tuple[str, ...] = ()  # folded


KNOWN_AGENTS = (
    KnownAgent(
        "Copilot",
        (198982749, 175728472),
        ("copilot", "copilot-swe-agent", "copilot-pull-request-reviewer"),
        ("copilot@github.com",),
    ),
    KnownAgent(
        "Codex",
        (199175422, 215057067),
        ("chatgpt-codex-connector", "openai-codex"),
        ("codex@openai.com", "noreply@openai.com"),
    ),
    KnownAgent("Claude", (209825114,), ("claude",), ("noreply@anthropic.com",)),
    KnownAgent("Cursor", (206951365,), ("cursor", "cursoragent"), ("cursoragent@cursor.com",)),
    KnownAgent("Jules", (161369871,), ("google-labs-jules",)),
    KnownAgent("Devin", (158243242,), ("devin-ai-integration",)),
)

# Written by GitHub's own agent into its commits:
# https://docs.github.com/en/copilot/concepts/agents/cloud-agent/risks-and-mitigations
AGENT_TRAILERS = ("agent-logs-url",)

WEB_FLOW = "web-flow"


@dataclass(frozen=True, slots=True)
class Trailer:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class CoAuthor:
    """A `Co-authored-by` line. `login` and `id` are known only for GitHub's no-reply addresses."""

    name: str
    email: str
    login: str | None = None
    id: int | None = None


def fold_login(login: str) -> str:
    """GitHub's logins differ in more than case; an App is meant with and without `[bot]`."""
    return login.casefold().removesuffix("[bot]")


def agent_account(account: Account) -> str | None:
    """The known agent that this account is, or None."""
    login = fold_login(account.login)
    for agent in KNOWN_AGENTS:
        if account.id in agent.ids or login in agent.logins:
            return agent.name
    return None


def agent_identity(identity: CommitIdentity) -> str | None:
    """The known agent that this author or committer is, by account or by address, or None."""
    by_account = agent_account(identity.account) if identity.account else None
    return by_account or agent_address(identity.email)


def agent_address(email: str) -> str | None:
    """The known agent that uses this address, or None."""
    folded = email.casefold()
    named = next((agent.name for agent in KNOWN_AGENTS if folded in agent.emails), None)
    login, number = noreply_account(folded)
    return named or (agent_account(Account(login, number)) if login else None)


def noreply_account(email: str) -> tuple[str | None, int | None]:
    """Login and id in `ID+LOGIN@users.noreply.github.com` or `LOGIN@users.noreply.github.com`.

    https://docs.github.com/en/account-and-profile/reference/email-addresses-reference
    """
    if not email.casefold().endswith(NOREPLY):
        return None, None
    number, plus, login = email[: -len(NOREPLY)].partition("+")
    if not plus:
        return number or None, None
    return login or None, int(number) if number.isascii() and number.isdigit() and len(number) < 19 else None


def trailers(message: str) -> tuple[Trailer, ...]:
    """Every line `Name: value` below the subject.

    Git only takes those of the last paragraph for trailers. A squash leaves them in the middle, so all count here.
    """
    found = (_trailer(line) for line in message.split("\n")[1:])
    return tuple(trailer for trailer in found if trailer)


def _trailer(line: str) -> Trailer | None:
    name, colon, value = line.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not value or not name or not name.replace("-", "").isalnum():
        return None
    return Trailer(name, value)


def co_authors(message: str) -> tuple[CoAuthor, ...]:
    return tuple(_co_author(each.value) for each in trailers(message) if each.name.casefold() == "co-authored-by")


def _co_author(value: str) -> CoAuthor:
    name, _, rest = value.partition("<")
    email = rest.partition(">")[0].strip()
    login, number = noreply_account(email)
    return CoAuthor(name.strip(), email, login, number)
