"""`mergegate bundle make`: the evidence bundle from what is known, asking only for what is not."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from app.cli.judging import read_ticket
from app.cli.printing import progress
from app.local.clone import find_clone
from app.local.drafting import Given, Known, Question, block, draft, faults, questions
from app.local.judge import Request, look_at
from app.local.records import read_records
from app.local.work import finish
from policies.escape import clean
from policies.evaluate import evaluate

_YES, _NO = ("y", "yes"), ("n", "no")


def make(
    repo: Annotated[str, typer.Option("--repo", metavar="DIR", help="A clone, or a folder in it.")] = ".",
    base: Annotated[str, typer.Option("--base", metavar="REV", help="The target branch's tip.")] = "origin/HEAD",
    head: Annotated[str, typer.Option("--head", metavar="REV", help="The commit that the bundle is about.")] = "HEAD",
    ticket: Annotated[str | None, typer.Option("--ticket", metavar="FILE", help="The ticket.")] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Why this change is made.")] = None,
    known_risk: Annotated[list[str] | None, typer.Option("--known-risk", help="A known risk; may be repeated.")] = None,
    no_known_risk: Annotated[bool, typer.Option("--no-known-risk", help="There is none.")] = False,
    risk: Annotated[str | None, typer.Option("--risk", help="Only to raise it: low, medium, high, critical.")] = None,
    rollback_strategy: Annotated[
        str | None, typer.Option("--rollback-strategy", help="revert, flag-off, down-migration or manual.")
    ] = None,
    rollback_step: Annotated[list[str] | None, typer.Option("--rollback-step", help="A step; may be repeated.")] = None,
    data_loss: Annotated[bool | None, typer.Option(help="Whether going back loses data.")] = None,
    rollback_tested: Annotated[bool | None, typer.Option(help="Whether going back was tried.")] = None,
    preview: Annotated[str | None, typer.Option("--preview", help="Where the change can be seen.")] = None,
    agent: Annotated[str | None, typer.Option("--agent", help="Name of the agent.")] = None,
) -> None:
    """Print the bundle for the pull request's body, made from recorded commands, the difference and the policy.

    Exit code 0: it is complete; 1: an answer is missing, which is named; 2: it could not be looked at.
    """
    given = Given(
        reason=reason,
        known_risks=() if no_known_risk else tuple(known_risk) if known_risk else None,
        risk=risk,
        strategy=rollback_strategy or ("manual" if rollback_step else None),
        steps=tuple(rollback_step or ()),
        data_loss=data_loss,
        tested=rollback_tested,
        preview=preview,
        producer=agent,
    )
    with progress("Reading the change"):
        known = finish(_known(Path(repo), base, head, ticket))
    given = _answered(given, questions(known, given))
    _refuse_open(questions(known, given))
    text = block(draft(known, given))
    if wrong := faults(text, known.required):
        typer.echo(f"mergegate: this bundle would not be taken: {clean('; '.join(wrong), 800)}.", err=True)
        raise typer.Exit(1)
    sys.stdout.write(text)


async def _known(repo: Path, base: str, head: str, ticket: str | None) -> Known:
    frozen = None if ticket is None else read_ticket(ticket)
    request = Request(repository=repo, base=base, head=head, now=datetime.now(UTC), ticket=frozen)
    state, snapshot = await look_at(request)
    verdict = evaluate(state, snapshot, gated=True)
    return Known(state, snapshot, verdict, read_records(find_clone(repo)))


def _answered(given: Given, asked: Iterable[Question]) -> Given:
    """With the answers of a person at a terminal; of nobody otherwise."""
    if not sys.stdin.isatty():
        return given
    for question in asked:
        if question.field != "commands":
            given = _with(given, question.field, typer.prompt(question.words, default="", err=True))
    return given


def _with(given: Given, field: str, answer: str) -> Given:
    words = answer.strip()
    match field:
        case "reason":
            return replace(given, reason=words or None)
        case "risk.known":
            return replace(given, known_risks=(words,) if words else ())
        case "rollback":
            return replace(given, strategy="manual" if words else None, steps=(words,) if words else ())
        case "rollback.data_loss":
            known = words.casefold() in (*_YES, *_NO)
            return replace(given, data_loss=words.casefold() in _YES if known else None)
        case "preview":
            return replace(given, preview=words or None)
    return replace(given, producer=words or None)


def _refuse_open(left: Iterable[Question]) -> None:
    missing = [f"  {question.words} Give {question.option}." for question in left]
    if missing:
        typer.echo("mergegate: the bundle needs what only you can know:\n" + "\n".join(missing), err=True)
        raise typer.Exit(1)
