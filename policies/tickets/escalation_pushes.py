"""Who is told of what, and when: one message a cause, grouped, at waking hours, and so many a day. Pure.

What is not pushed waits in the digest, and nothing is lost by that: an escalated ticket stays as it is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from policies.escalation_section import Pushes, clock, minutes
from policies.tickets.escalation import Cause, Way

WEEKDAYS = frozenset(range(5))  # Monday is 0
BREAKS_QUIET = frozenset({Cause.STOP_UNCONFIRMED})
ORDER = {cause: place for place, cause in enumerate(sorted(Cause, key=lambda each: each not in BREAKS_QUIET))}
MOST_DAYS = 60  # of working hours that are counted; by then every wait is over


@dataclass(frozen=True, slots=True)
class Hours:
    """When people may be told: from `begins` until `ends` of these days, as clocks in `zone` show it.

    Raises ValueError where the day does not begin before it ends.
    """

    zone: ZoneInfo
    begins: time = time(8)
    ends: time = time(20)
    days: frozenset[int] = WEEKDAYS

    def __post_init__(self) -> None:
        if self.begins >= self.ends:
            raise ValueError(f"The working day begins at {self.begins} and must end after that, not at {self.ends}.")

    def awake(self, moment: datetime) -> bool:
        local = moment.astimezone(self.zone)
        return local.weekday() in self.days and self.begins <= local.time() < self.ends

    def day(self, moment: datetime) -> date:
        return moment.astimezone(self.zone).date()

    def worked(self, since: datetime, until: datetime) -> timedelta:
        """How much of the waking hours lies between two moments; of at most `MOST_DAYS` days."""
        first, total = self.day(since), timedelta()
        for offset in range(min((self.day(until) - first).days + 1, MOST_DAYS)):
            on = first + timedelta(days=offset)
            if on.weekday() in self.days:
                # As moments, not as clocks show them: an hour that is skipped or doubled is counted as it passed.
                opens = datetime.combine(on, self.begins, self.zone).timestamp()
                closes = datetime.combine(on, self.ends, self.zone).timestamp()
                passed = min(closes, until.timestamp()) - max(opens, since.timestamp())
                total += timedelta(seconds=max(0.0, passed))
        return total


@dataclass(frozen=True, slots=True)
class PushRules:
    """`daily`: messages to one person on one day. `together`: how long further tickets join a message that was sent.

    The next person is told after `again` of working hours, of a critical ticket after `critical` of any.
    """

    hours: Hours
    daily: int = 12
    again: timedelta = timedelta(hours=4)
    critical: timedelta = timedelta(minutes=30)
    together: timedelta = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Waiting:
    """An open escalation, the only one of its ticket. `people`: who is told, in that order."""

    ticket: int
    cause: Cause
    way: Way
    people: tuple[str, ...]
    since: datetime
    critical: bool = False


@dataclass(frozen=True, slots=True)
class Push:
    """One message to one person about tickets with the same cause."""

    person: str
    cause: Cause
    tickets: tuple[int, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Plan:
    """What is sent now; `held` are the tickets of messages that wait because their person's day is full."""

    pushes: tuple[Push, ...] = ()
    held: tuple[int, ...] = ()


def rules_of(told: Pushes) -> PushRules:
    """As the policy says it."""
    hours = Hours(ZoneInfo(told.zone), clock(told.begins), clock(told.ends), told.weekdays)
    again, critical, together = map(minutes, (told.again_after, told.critical_after, told.together))
    return PushRules(hours, told.daily, again, critical, together)


def people_for(accepter: str | None, asked: Sequence[str], on_call: Sequence[str]) -> tuple[str, ...]:
    """The accepter, then who is asked for an approval, then those on call; each once, whatever the name's case."""
    named = ([accepter] if accepter is not None else []) + [*asked, *on_call]
    found: dict[str, str] = {}
    for name in named:
        found.setdefault(name.casefold(), name)
    return tuple(found.values())


def plan(
    waiting: Sequence[Waiting],
    sent: Sequence[Push],
    rules: PushRules,
    now: datetime,
    elsewhere: Mapping[str, int] | None = None,
) -> Plan:
    """The messages that are due now. `sent` are those of the last days, at least as far back as what is waiting.

    `elsewhere` counts today's messages of other repositories by person, in small letters: a person's day is one,
    however a policy spells the login.
    """
    groups = _due(waiting, sent, rules, now)
    told = Counter(elsewhere or {})
    told.update(push.person.casefold() for push in sent if rules.hours.day(push.at) == rules.hours.day(now))
    pushes, held = [], set[int]()
    for (person, cause), tickets in groups.items():
        if _is_joined(person, cause, sent, rules, now):
            continue
        if told[person.casefold()] >= rules.daily:
            held.update(tickets)
            continue
        told[person.casefold()] += 1
        pushes.append(Push(person, cause, tuple(sorted(tickets)), now))
    return Plan(tuple(pushes), tuple(sorted(held)))


def _due(
    waiting: Sequence[Waiting], sent: Sequence[Push], rules: PushRules, now: datetime
) -> dict[tuple[str, Cause], list[int]]:
    """Tickets by person and cause, what cannot wait first: it comes before the person's day is full."""
    groups: dict[tuple[str, Cause], list[int]] = {}
    about = _by_ticket(sent)
    for one in sorted(waiting, key=lambda each: (ORDER[each.cause], not each.critical, each.since, each.ticket)):
        person = _next_person(one, about[one.cause, one.ticket], rules, now)
        if person is not None and may_be_told(one.cause, rules, now):
            groups.setdefault((person, one.cause), []).append(one.ticket)
    return groups


def may_be_told(cause: Cause, rules: PushRules, now: datetime) -> bool:
    """Whether anybody is told of this cause at that hour."""
    return cause in BREAKS_QUIET or rules.hours.awake(now)


def _by_ticket(sent: Sequence[Push]) -> defaultdict[tuple[Cause, int], list[Push]]:
    found = defaultdict[tuple[Cause, int], list[Push]](list)
    for push in sent:
        for ticket in push.tickets:
            found[push.cause, ticket].append(push)
    return found


def _next_person(one: Waiting, sent: Sequence[Push], rules: PushRules, now: datetime) -> str | None:
    """Who is to be told of it now; None where somebody was told who may still answer, or everybody was.

    `sent` are the messages about its ticket and cause.
    """
    if one.way == "digest":
        return None
    about = [push for push in sent if push.at >= one.since]
    told = {push.person.casefold() for push in about}
    person = next((each for each in one.people if each.casefold() not in told), None)
    last = max((push.at for push in about), default=None)
    return person if last is None or _is_late(one, last, rules, now) else None


def _is_late(one: Waiting, last: datetime, rules: PushRules, now: datetime) -> bool:
    if one.critical or one.cause in BREAKS_QUIET:
        return abs(now - last) >= rules.critical
    return rules.hours.worked(min(last, now), max(last, now)) >= rules.again


def _is_joined(person: str, cause: Cause, sent: Sequence[Push], rules: PushRules, now: datetime) -> bool:
    """Whether the person heard of this cause a moment ago: what came since is told together, when that is over.

    What a clock that was ahead wrote is as far away as it says, so that it keeps nobody silent until then.
    """
    name = person.casefold()
    return any(
        push.person.casefold() == name and push.cause is cause and abs(now - push.at) < rules.together for push in sent
    )
