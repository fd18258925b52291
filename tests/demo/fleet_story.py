"""The first weeks of a small fleet, as the articles tell them: two agents, a board, a week, then the third or not.

The clock is a value: weeks pass in seconds. What is real and what stands in for it is told in `tests.fleet`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from app.tickets.canaries import run_canaries
from tests.agent.bureau import POOL, enrolled
from tests.checks.test_tickets import body
from tests.fleet.agents import Job, Seen, job_of, question
from tests.fleet.town import Town
from tests.github.state import Issue

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
POLICY = """\
version: 1
ticket:
  required: true
  running: 5
  pools: {night: {agents: 5}}
"""
FORM = {
    "Done when": "- a price of 1.005 is shown as 1.01",
    "Verification commands": "```\npython -m unittest\n```",
    "Risk level": "low",
    "Time limit (minutes)": "180",
    "Depends on": "_No response_",
}
ONE_CARD = "<!-- mergegate ticket -->"


class NotAsExpected(RuntimeError):
    """The gate did something else than the story says."""


def expect(seen: bool, words: str) -> None:
    if not seen:
        raise NotAsExpected(words)


@dataclass
class Story:
    """`tell` shows one line, `head` a heading; `heard` are the ids of the gate's comments that were told already."""

    town: Town
    tell: Callable[[str], None]
    head: Callable[[str], None]
    heard: set[int] = field(default_factory=set)

    async def passes(self, minutes: float) -> None:
        """Time, in which everything due is done; what comes again at once needs a few moments of it."""
        ends = self.town.clock.after(minutes)
        for moment in [self.town.clock.now + timedelta(seconds=10 * each) for each in range(1, 7)]:
            await self._at(min(moment, ends))
        await self._at(ends)
        await self._at(ends + timedelta(seconds=10))

    async def _at(self, moment: datetime) -> None:
        await self.town.at(moment)
        await self.town.rest()

    async def until(self, moment: datetime) -> None:
        await self.passes((moment - self.town.clock.now).total_seconds() / 60)

    async def opens(self, title: str, text: str) -> int:
        issue = await self.town.github.open_issue(self.town.shop, title, text, "ada")
        self.tell(f"{self.clock} ada opens #{issue.number}: {title}")
        await self.passes(1)
        return issue.number

    async def says(self, number: int, words: str) -> None:
        """A comment on the phone, and what the gate makes of it."""
        self.tell(f"{self.clock} ada on #{number}:  {words}")
        comment = await self.town.github.comment(self.town.shop, number, "ada", words)
        await self.passes(1)
        reaction = ", ".join(one.content for one in comment.reactions) or "no reaction"
        self.tell(f"      gate: {reaction}; {self.label(number)}")
        self.hears(number)
        expect("rocket" in reaction, f"`{words}` on #{number} was answered with {reaction}")

    def hears(self, number: int) -> list[str]:
        """What the gate wrote there since, beside its card."""
        bot, comments = self.town.app.bot_login, self.issue(number).comments
        fresh = [one for one in comments if one.user == bot and ONE_CARD not in one.body and one.id not in self.heard]
        self.heard |= {one.id for one in fresh}
        for line in (line for one in fresh for line in one.body.splitlines() if is_worth_a_line(line)):
            self.tell(f"      gate: {line}")
        return [one.body for one in fresh]

    def card(self, number: int) -> str:
        return next(one.body for one in self.issue(number).comments if ONE_CARD in one.body)

    def issue(self, number: int) -> Issue:
        return self.town.shop.issues[number]

    def label(self, number: int) -> str:
        return ", ".join(name for name in self.issue(number).labels if name.startswith("agent/")) or "no label"

    def shows_card(self, number: int) -> None:
        for line in self.card(number).split(ONE_CARD)[0].splitlines():
            self.tell(f"      card: {line}" if line else "")

    @property
    def clock(self) -> str:
        return f"{self.town.clock.now:%a %H:%M}"

    async def claims(self, worker: str) -> Job | str:
        """A machine asks for work: its job, or why there is none."""
        status, said = await self.town.ask("POST", "/agent/claim", self.town.enrolment, {"worker": worker})
        expect(status == 200, f"{worker} was answered {status}")
        if not said["claimed"]:
            self.tell(f"{self.clock} {worker} asks for work: {said['because']}")
            return str(said["because"])
        self.tell(f"{self.clock} {worker} has #{said['ticket']}, branch {said['branch']}")
        return job_of(self.town, Random(worker), Seen(), said)

    async def enrols(self) -> None:
        """The machines' token for claiming lives for a day."""
        self.town.enrolment, _ = await enrolled(self.town.database, self.town.shop.id, POOL)

    async def works(self, job: Job, fault: str | None = None, beside: Job | None = None) -> None:
        """Twenty minutes of work, a push with a pull request, and the gate's verdict; `beside` works meanwhile."""
        for step in range(1, 6):
            await job.sign(step, 5)
            await self.goes_on(beside)
        await job.push(fault)
        await job.ask("POST", "/session/done", {"summary": "Done, all tests pass."})
        self.tell(f"{self.clock} #{job.number}: the agent pushes and says: done, all tests pass")
        for _ in range(3):
            await self.goes_on(beside)
        self.tell(f"{self.clock} #{job.number}: the gate looked itself; {self.label(job.number)}")

    async def goes_on(self, beside: Job | None) -> None:
        if beside is not None:
            await beside.sign(1, 9)
        await self.passes(4)

    async def accepted(self, title: str, paths: str) -> int:
        number = await self.opens(title, ticket(title, paths))
        expect("agent/draft" in self.label(number), f"#{number} is no draft")
        return number


def is_worth_a_line(line: str) -> bool:
    """Of a report's table only what was there to be counted."""
    return bool(line) and not line.startswith(("<!--", "|---")) and not line.endswith(("| n/a | n/a |", "recorded |"))


def ticket(goal: str, paths: str) -> str:
    """The issue form as GitHub writes it."""
    return body({**FORM, "Goal": f"{goal}, in whole cents.", "Allowed paths": paths})


async def first_week(story: Story) -> int:
    """Two agents, two tickets; the number of the board's issue."""
    head, says = story.head, story.says
    head("1. Monday morning: a board, and two tickets that cannot collide")
    board = await story.opens("Board", "")
    await says(board, "/board")
    cart = await story.accepted("Round the cart's prices", "src/cart/**")
    mail = await story.accepted("Say prices in mails", "src/mail/**")
    third = await story.accepted("Round the cart's discount", "src/cart/discount/**")
    expect(story.card(cart).startswith("**Ready"), "the first ticket is not ready")
    await says(cart, "/accept")
    await says(mail, "/accept")
    await says(third, "/accept")
    story.shows_card(third)
    expect(f"#{cart}" in story.card(third), "nobody was told that the third ticket overlaps with the first")

    head("2. Two agents fetch work; a third one waits")
    jobs = [await story.claims("vm-1"), await story.claims("vm-2")]
    expect(all(isinstance(job, Job) for job in jobs), "an agent got no ticket")
    first, second = (job for job in jobs if isinstance(job, Job))
    refused = await story.claims("vm-3")
    expect(isinstance(refused, str) and "2 of 2 tickets are in work" in refused, "the third agent got a ticket")

    head("3. One agent asks; the answer is typed on the phone")
    await second.sign(1, 5)
    await second.ask("POST", "/session/questions", question(second, "requirement_conflict"))
    await story.passes(2)
    asked = story.hears(mail)
    expect(any("Gross or net?" in one and "@ada" in one for one in asked), "nobody was asked")
    await shows_board(story, board, "1 need you", "1 running", "1 waiting")
    await says(mail, "/answer 1 first")
    messages = (await second.ask("GET", "/session/messages"))["messages"]
    expect(any("first" in one["words"] for one in messages), "the agent was not told the answer")
    await story.works(first, beside=second)
    expect("agent/merged" in story.label(cart), "the first ticket is not merged")

    head("4. The other agent claims success; the gate looks itself and sends it back, without a word to anybody")
    await story.works(second, fault="the bundle says exit code 0, CI says 1")
    expect("agent/running" in story.label(mail) and not story.hears(mail), "the failure did not go back to the agent")
    await story.works(second)
    expect("agent/merged" in story.label(mail), "the second ticket is not merged")

    head("5. A place is free, so the ticket that waited begins; it is stopped from the phone")
    last = await story.claims("vm-3")
    expect(isinstance(last, Job), "the third ticket was not handed out")
    assert isinstance(last, Job)
    await last.sign()
    await story.passes(3)
    await says(third, "/status")
    await says(third, "/stop now")
    expect("agent/stopped" in story.label(third), "the ticket is not stopped")
    status, _ = await story.town.ask("GET", "/session/verdict", last.token)
    story.tell(f"      its token is answered {status}")
    expect(status == 401, "the stopped agent's token works")
    await shows_board(story, board, "0 need you", "merged: 2", "stopped: 1")
    return board


async def shows_board(story: Story, board: int, *said: str) -> None:
    story.head(f"The board, {story.clock}")
    await story.passes(2)
    shown = story.issue(board).body or ""
    for line in (line for line in shown.splitlines() if line):
        story.tell(f"      {line}")
    for words in said:
        expect(words in shown, f"the board does not say: {words}")


async def weeks_work(story: Story, week: int) -> None:
    """Two tickets that need nobody."""
    story.head(f"Week {week}: two tickets, nobody is asked anything")
    await story.enrols()
    numbers = [await story.accepted(f"Part {week} of {area}", f"src/{area}/part{week}/**") for area in ("cart", "mail")]
    for number in numbers:
        await story.says(number, "/accept")
    jobs = [await story.claims("vm-1"), await story.claims("vm-2")]
    expect(all(isinstance(job, Job) for job in jobs), "an agent got no ticket")
    first, second = (job for job in jobs if isinstance(job, Job))
    for job, beside in ((first, second), (second, None)):
        await story.works(job, beside=beside)
        expect("agent/merged" in story.label(job.number), f"#{job.number} is not merged")


async def monday(story: Story, board: int, week: int) -> tuple[int, bool]:
    """What the gate says after a week: tickets that may be in work, and whether they were raised."""
    for day in range(1, 7):
        await story.until(MONDAY + timedelta(weeks=week - 1, days=day))
        story.tell(story.clock)
        story.hears(board)
    ran = await run_canaries(story.town.tickets)
    expect(all(one.passed for one in ran), "a canary was not stopped")
    story.tell(f"{story.clock} canary tickets, made to exceed each limit: {len(ran)} of {len(ran)} were stopped")
    story.head(f"Monday after week {week}: the report, and the decision about the third agent")
    await story.until(MONDAY + timedelta(weeks=week))
    await story.passes(11)
    told = story.hears(board)
    name = f"{(MONDAY + timedelta(weeks=week - 1)).isocalendar().week:02}"
    expect(any(f"-W{name}" in one for one in told), "there is no report on the board")
    (step, raised, because) = (
        await story.town.database.query("select step, raised, because from ticket_steps order by week desc limit 1")
    )[0]
    if raised:
        story.tell(f"      Decision: {step} tickets may be in work now. The third agent may come.")
    else:
        story.tell(f"      Decision: {step} stay. No third agent, because:")
    for reason in because:
        story.tell(f"        - {reason}")
    return step, raised


async def play(story: Story) -> None:
    """Raises NotAsExpected. What has to be known before a third agent may come takes three weeks to be known."""
    board = await first_week(story)
    step, raised = await monday(story, board, 1)
    expect((step, raised) == (2, False), "a third agent was allowed after a week with a question and without numbers")
    await weeks_work(story, 2)
    step, raised = await monday(story, board, 2)
    expect((step, raised) == (2, False), "a third agent was allowed before reverts of the first week could be known")
    await weeks_work(story, 3)
    step, raised = await monday(story, board, 3)
    expect((step, raised) == (5, True), f"the third agent may still not come: {step}")
    await story.enrols()
    numbers = [await story.accepted(f"Part 4 of {area}", f"src/{area}/**") for area in ("cart", "mail", "shop")]
    for number in numbers:
        await story.says(number, "/accept")
    jobs = [await story.claims(f"vm-{index}") for index in (1, 2, 3)]
    expect(all(isinstance(job, Job) for job in jobs), "the third agent got no ticket")
