"""Two people with phones: one writes the evening's tickets and accepts them, both look in at night. See `agents`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from random import Random

from tests.checks.test_tickets import body
from tests.fleet.town import Town

Minutes = AsyncIterator[float]
RISKS = ("low", "low", "medium")
CAP = 3  # US dollars
MINUTES = 110
ATTEMPTS = 3


def form(number: int, random: Random) -> str:
    fields = {
        "Goal": f"Module {number} rounds its prices to whole cents.",
        "Allowed paths": f"src/t{number}.py\ntests/t{number}/**",
        "Verification commands": "```\npython -m unittest\n```",
        "Risk level": random.choice(RISKS),
        "Time limit (minutes)": str(MINUTES),
        "Attempts": str(ATTEMPTS),
        "Cost limit (USD)": str(CAP),
        "Depends on": "_No response_",
    }
    return body(fields)  # type: ignore[arg-type]


def typed(words: str, random: Random) -> str:
    """Words as they come from a phone."""
    shape = random.randrange(5)
    if shape == 1:
        return "／" + words.removeprefix("/")
    return (words, "", words + "\r\n", words + " \u00a0 ", "\r\n" + words + "\r\n\r\nThanks!")[shape]


async def author(town: Town, tickets: int, seed: int, within: float = 60.0) -> Minutes:
    """Writes all tickets within an hour, each with its acceptance a little later."""
    random, opened = Random(f"{seed} author"), list[int]()
    for index in range(tickets):
        issue = await town.github.open_issue(town.shop, f"Round prices {index}", form(index, random), "ada")
        opened.append(issue.number)
        yield within / tickets
        if index >= 5:
            await say(town, opened[index - 5], "/accept", random)
    for number in opened[-5:]:
        await say(town, number, "/accept", random)
        yield within / tickets


async def say(town: Town, number: int, words: str, random: Random, login: str = "ada") -> None:
    await town.github.comment(town.shop, number, login, typed(words, random))


async def phone(town: Town, login: str, seed: int, every: float) -> Minutes:
    """Looks at what GitHub shows, and says something to one ticket."""
    random = Random(f"{seed} {login}")
    yield random.uniform(70, 80)
    while True:
        label, words = random.choice(SAYINGS)
        shown = [issue.number for issue in town.shop.issues.values() if f"agent/{label}" in issue.labels]
        if shown:
            number = random.choice(shown)
            for line in words:
                await say(town, number, line, random, login)
        yield random.uniform(0.5, 1.5) * every


# The label that a ticket shows, and the comments that it gets for it.
SAYINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("needs-human", ("/answer 1 net, always",)),
    ("needs-human", ("/answer 1 gross", "/answer 1 gross")),
    ("needs-human", ("/limit attempts=4\nReason: the machine was bad", "/retry")),
    ("running", ("/stop now",)),
    ("running", ("/stop",)),
    ("running", ("/status",)),
    ("running", ("/redirect Leave the old function in place.",)),
    ("running", ("/stopp",)),
    ("waiting", ("/pause",)),
    ("waiting", ("/resume",)),
    ("running", ("/limit cost=2",)),
    ("merged", ("/help",)),
    ("cap-hit", ("/limit minutes=200\nReason: it is worth it", "/retry")),
    ("stopped", ("/retry",)),
)
