"""What a person can say to a ticket now, as buttons: each is the exact command, and the table of verbs decides. Pure.

A button says nothing that the person could not write as a comment, and the comment is what counts: whatever changed
meanwhile is judged when that is heard.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import re2

from checks.accounts import Permission
from checks.commands import LONGEST as READ
from checks.commands import PREFIX, Command, read_commands
from policies.escape import clean, inert
from policies.tickets.states import State
from policies.tickets.verbs import ALL, VERBS, Raises, Where, is_for_all, refusal

LONGEST = 2_000  # characters of a person's words
LONGEST_OPTION = 120
_CHOICE = re2.compile(r"/[a-z]+( [A-Za-z0-9._*/=-]+){0,6}")
_PLACE = re2.compile(r"(?i)option\b")


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """`ordinal` is its number in the ticket, `recommended` one of its options."""

    ordinal: int
    question: str
    safe: str
    options: tuple[str, ...] = ()
    recommended: str | None = None


@dataclass(frozen=True, slots=True)
class Suggested:
    """A command that the question to people names, and what it does."""

    command: str
    says: str


@dataclass(frozen=True, slots=True)
class Standing:
    """A ticket as far as it decides what can be said. `state` is None for the repository as a whole.

    `head` is the pull request's commit, `risky` that its risk is high or critical; `choices` come first.
    """

    state: State | None
    permission: Permission
    pull: bool = False
    head: str | None = None
    risky: bool = False
    paused: bool = False
    held: bool = False
    braked: bool = False
    questions: tuple[OpenQuestion, ...] = ()
    choices: tuple[Suggested, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """`command` stands at the top of the comment. `asks`: the person's words follow it; `reason`: a line below it may
    say why, and must where `must_reason`. `sure`: it is asked once more. `elsewhere`: it counts only where the person
    wrote it without us.
    """

    command: str
    says: str
    where: Where
    asks: bool = False
    reason: bool = False
    must_reason: bool = False
    sure: bool = False
    elsewhere: bool = False


class NotSaid(ValueError):
    """Words that cannot be a command's; the message says why."""


def offers(standing: Standing) -> tuple[Offer, ...]:
    """In the order in which people want them: answers, judgements, what lets work go on, what ends it."""
    candidates = _of_all(standing) if standing.state is None else _of_ticket(standing)
    once: dict[str, Offer] = {}
    for each in candidates:
        once.setdefault(each.command, each)
    return tuple(each for each in once.values() if _allowed(each, standing))


def comment(offer: Offer, words: str, reason: str, *, prefixed: bool) -> str:
    """The comment's text: exactly one command, whatever the words are. Raises NotSaid."""
    said, why = " ".join(words.split()), " ".join(reason.split())
    if offer.asks and not said:
        raise NotSaid(f"`{offer.command}` needs more.")
    if offer.must_reason and not why:
        raise NotSaid(f"`{offer.command}` needs a reason.")
    if max(len(said), len(why)) > LONGEST:
        raise NotSaid(f"That is longer than {LONGEST:,} characters.")
    command = f"/{PREFIX} {offer.command[1:]}" if prefixed else offer.command
    text = f"{command} {clean(said, 2 * LONGEST)}" if offer.asks else command
    text += f"\n\nReason: {clean(why, 2 * LONGEST)}" if offer.reason and why else ""
    if len(text) > READ:
        raise NotSaid("That is longer than a command can be.")
    return text


def _of_all(standing: Standing) -> Iterator[Offer]:
    yield Offer(f"/stop {ALL}", "every ticket ends, and none begins", "issue", sure=True)
    yield Offer(f"/stop {ALL} now", "the same, and every agent's program is killed", "issue", sure=True)
    if standing.braked:
        yield Offer(f"/start {ALL}", "tickets may begin again", "issue", reason=True, must_reason=True, sure=True)


def _of_ticket(standing: Standing) -> Iterator[Offer]:
    yield from filter(None, map(_chosen, standing.choices))
    for question in standing.questions:
        yield from _answers(question)
    if standing.pull:
        yield from _of_pull(standing)
    yield _row("accept", "/accept")
    yield _row("retry", "/retry")
    yield _row("start", "/start")
    yield _row("assign", "/assign", asks=True)
    yield _row("redirect", "/redirect", asks=True)
    yield _row("resume", "/resume") if standing.paused else _row("pause", "/pause")
    yield _row("limit", "/limit", asks=True, reason=True)
    yield _row("grant", "/grant", asks=True, reason=True)
    yield _row("split", "/split")
    yield _row("status", "/status")
    yield _row("stop", "/stop")
    yield _row("stop", "/stop now")


def _chosen(choice: Suggested) -> Offer | None:
    """A choice in words that mention nobody and link to nothing; every other one can be typed."""
    commands = read_commands(choice.command) if _CHOICE.fullmatch(choice.command) else ()
    if len(commands) != 1 or commands[0].verb not in VERBS:
        return None
    (command,) = commands
    # A question names a limit only to raise it.
    raises = VERBS[command.verb].reason or command.verb == "limit"
    bare = _row(command.verb, choice.command, reason=raises)
    return replace(bare, says=choice.says, must_reason=raises, sure=is_for_all(command))


def _answers(question: OpenQuestion) -> Iterator[Offer]:
    answer = f"/answer {question.ordinal}"
    for place, option in enumerate(question.options, 1):
        # In the person's name nobody is mentioned and nothing is linked because an agent wrote so.
        plain = option if _is_plain(option) else f"option {place}"
        yield Offer(f"{answer} {plain}", option, "issue")
    yield Offer(answer, "", "issue", asks=True)


def _is_plain(option: str) -> bool:
    """Whether it may be said as it stands; one that reads like another one's place would be taken for that one."""
    if _PLACE.match(option):
        return False
    return 0 < len(option) <= LONGEST_OPTION and inert(option, LONGEST_OPTION) == option == clean(
        option, LONGEST_OPTION
    )


def _of_pull(standing: Standing) -> Iterator[Offer]:
    if standing.head is not None:
        yield _row("approve", f"/approve {standing.head[:12]}")
    yield _row("reject", "/reject", asks=True)
    yield _row("unhold", "/unhold") if standing.held else _row("hold", "/hold")
    yield _row("requeue", "/requeue")


def _row(name: str, command: str, *, asks: bool = False, reason: bool = False) -> Offer:
    verb = VERBS[name]
    where: Where = "pull" if "issue" not in verb.where else "issue"
    return Offer(command, verb.says, where, asks, reason, must_reason=verb.reason, elsewhere=verb.elsewhere)


def _allowed(offer: Offer, standing: Standing) -> bool:
    if offer.where == "pull" and not standing.pull:
        return False
    command = _command(offer)
    verb = VERBS[command.verb]
    raises = Raises(risk_high=standing.risky)
    return refusal(command, verb, offer.where, standing.state, standing.permission, raises) is None


def _command(offer: Offer) -> Command:
    """As it will be read, with words and a reason where they can be given."""
    words, reason = " x" if offer.asks else "", "\nReason: x" if offer.reason else ""
    (command,) = read_commands(offer.command + words + reason)
    return command
