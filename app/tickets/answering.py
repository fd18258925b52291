"""Acknowledging commands on GitHub: a reaction for each, words where they are needed, and never in a loop."""

from __future__ import annotations

from datetime import timedelta

from app.gate.apply import Applier
from app.gate.effects import PostNotice
from app.gate.people_effects import AnswerComment
from app.store.tickets import commands
from app.store.tickets.commands import CommandComment

# https://docs.github.com/rest/reactions/reactions: what each outcome looks like
REACTIONS = {"done": "rocket", "told": "rocket", "refused": "-1", "unknown": "confused"}
MOST_ANSWERS = 6  # comments of the gate on one issue within an hour; beyond it a reaction is all
WITHIN = timedelta(hours=1)
PURPOSE = "command"
HEADS = {"refused": "**Not carried out.** ", "unknown": "**Not understood.** "}


async def answer(applier: Applier, number: int) -> None:
    """Acknowledge what was carried out. Done again it writes nothing; what dies in between is done by the next look."""
    gate, repository_id = applier.gate, applier.repository.id
    for one in await gate.database.read(commands.unanswered, repository_id, number):
        await _acknowledge(applier, one)
        async with gate.database.transaction() as connection:
            await commands.reacted(connection, one)


async def _acknowledge(applier: Applier, one: CommandComment) -> None:
    reaction = REACTIONS.get(one.outcome or "")
    if reaction is None:
        return
    if one.source == "comment":  # GitHub has no reactions to reviews
        await applier.apply((AnswerComment(one.comment_id, reaction),))
    if one.answer is not None and await _may_speak(applier, one):
        body = f"{HEADS.get(one.outcome or '', '')}{one.answer}"
        await applier.apply((PostNotice(one.number, PURPOSE, f"{one.source} {one.comment_id}", body),))


async def _may_speak(applier: Applier, one: CommandComment) -> bool:
    """Neither the same answer to the same words again, nor more than so many within the hour."""
    async with applier.gate.database.transaction() as connection:
        said = await commands.answered_within(connection, one, WITHIN)
    same = any(other.body == one.body and other.author_id == one.author_id for other in said)
    return len(said) < MOST_ANSWERS and not (same and one.outcome in HEADS)
