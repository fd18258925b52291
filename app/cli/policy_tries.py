"""`mergegate policy test`, `policy simulate` and `policy replay`: a policy tried without anything being written."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.cli.explain import parse_name
from app.cli.files import read_text, shown
from app.cli.gate_store import in_store, known_repository
from app.cli.printing import counted, print_json, print_line, print_verdict, progress, verdict_record
from app.config import Settings, read_settings
from app.gate.presets import read_presets
from app.gate.recorded import UnreadableRecord, read_snapshot
from app.gate.replaying import read_policy_state
from app.keys import PullKey
from app.local.clone import CannotLook
from app.local.policy import fault_line
from app.store import decided_policies, decisions, landings
from app.store.database import Connection
from app.store.decisions import Decision
from app.store.repositories import Repository
from checks.finding import Status
from checks.snapshot import Snapshot
from policies.case import Assumed
from policies.case_run import CaseResult, run_cases
from policies.case_sections import read_cases
from policies.deviations import UnknownDeviation, deviate, said_by
from policies.errors import InvalidPolicyError
from policies.escape import clean
from policies.evaluate import evaluate
from policies.floor import load_floor, with_floor
from policies.load import PolicySource, PolicyState, read_policy
from policies.schema import POLICY_PATH
from policies.titles import title
from policies.verdict import Verdict

CASES_PATH = ".github/mergegate.cases.yml"
_EXIT_CODES = {Status.FAILED: 1, Status.ERRORED: 2}
_MOST = 1_000  # pull requests of one replay

Policy = Annotated[str, typer.Option("--policy", metavar="FILE", help="The policy file that is tried.")]


def try_cases(
    cases: Annotated[str, typer.Argument(metavar="CASES", help="A table of cases.")] = CASES_PATH,
    policy: Policy = POLICY_PATH,
) -> None:
    """Hold a table of cases against a policy. Exit code 0: all hold; 1: some do not; 2: a file could not be used."""
    state = policy_given(policy)
    try:
        table = read_cases(read_text(cases))
    except InvalidPolicyError as invalid:
        raise CannotLook("\n".join(fault_line(shown(cases), error) for error in invalid.errors)) from None
    results = tuple(run_cases(state, table))
    for result in results:
        print_line(f"{shown(cases)}::{clean(result.name, 200)} {'FAILED' if result.differences else 'PASSED'}")
    raise typer.Exit(_summed_up(results))


def _summed_up(results: Sequence[CaseResult]) -> int:
    failed = [result for result in results if result.differences]
    for result in failed:
        print_line(f"\n____ {clean(result.name, 200)} ____")
        for difference in result.differences:
            print_line(f"E   {clean(difference, 1_000)}")
    counts = f"{len(failed)} failed, {len(results) - len(failed)} passed" if failed else f"{len(results)} passed"
    print_line(f"\n==== {counts} ====", "bold red" if failed else "green")
    return 1 if failed else 0


def simulate(
    pull_request: Annotated[str, typer.Argument(metavar="OWNER/REPO#N", help="For example acme/shop#12.")],
    said: Annotated[
        list[str] | None,
        typer.Option("--as", metavar="LOGIN:WORD", help="approve, request-changes, or `override REASON`."),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="For example risk=high, labels=a,b or team.core=ada,bea."),
    ] = None,
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="FILE", help="Instead of the policy that it was judged by last.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what the verdict on a pull request would be, as the gate saw it last, with changes or under another policy.

    Exit code 0: nothing failed; 1: something failed; 2: it could not be looked at.
    """
    settings, name = read_settings(os.environ), parse_name(pull_request)
    given = None if policy is None else _beside_baseline(policy_given(policy), settings)

    async def look(connection: Connection) -> tuple[Snapshot, PolicyState]:
        repository = await known_repository(connection, name.owner, name.repository)
        decision = await decisions.latest(connection, str(_key(repository, name.number)))
        found = None if decision is None else _readable(decision)
        if decision is None or found is None:
            raise CannotLook(f"nothing was decided about {clean(str(name), 200)} yet. Check the number.")
        return found, given or await _policy_of(connection, decision)

    with progress("Looking it up"):
        snapshot, state = asyncio.run(in_store(settings, look))
    verdict = _deviated(state, snapshot, said or (), changes or ())
    if as_json:
        print_json(verdict_record(verdict))
    else:
        print_verdict(verdict)
        print_line(f"mergegate/review would say: {title(verdict, 'review')}")
    raise typer.Exit(_EXIT_CODES.get(verdict.status, 0))


def _deviated(state: PolicyState, snapshot: Snapshot, said: Iterable[str], changes: Iterable[str]) -> Verdict:
    assumed = Assumed()
    try:
        for text in changes:
            snapshot, assumed = deviate(snapshot, assumed, text)
        for text in said:
            snapshot = said_by(snapshot, text)
    except UnknownDeviation as wrong:
        raise CannotLook(clean(str(wrong), 500)) from None
    return evaluate(state, snapshot, gated=True, assumed=assumed)


@dataclass(frozen=True, slots=True)
class Replayed:
    """A merged pull request; `verdict` is None where what was seen of it cannot be read any more."""

    number: int
    verdict: Verdict | None


def replay(
    repository: Annotated[str, typer.Argument(metavar="OWNER/REPO", help="For example acme/shop.")],
    last: Annotated[int, typer.Option("--last", min=1, max=_MOST, help="How many merged pull requests.")] = 50,
    policy: Policy = POLICY_PATH,
) -> None:
    """Hold a policy against the pull requests merged last, as the gate saw them: what would have waited, on whom."""
    settings = read_settings(os.environ)
    state = _beside_baseline(policy_given(policy), settings)
    owner, _, name = repository.partition("/")

    async def look(connection: Connection) -> list[tuple[int, Snapshot | None]]:
        row = await known_repository(connection, owner, name)
        numbers = await landings.merged_pulls(connection, row.repository_id, last)
        return [(number, await _seen(connection, row, number)) for number in numbers]

    with progress("Looking them up"):
        seen = asyncio.run(in_store(settings, look))
    replayed = [Replayed(number, None if of is None else evaluate(state, of, gated=True)) for number, of in seen]
    for one in replayed:
        print_line(_line(one))
    _counted(replayed)


def _line(one: Replayed) -> str:
    verdict = one.verdict
    if verdict is None:
        return f"#{one.number} was not seen by this version"
    if verdict.status is Status.PASSED:
        return f"#{one.number} passed"
    root = verdict.evidence if verdict.evidence.status is verdict.status else verdict.review
    if verdict.needed:
        return f"#{one.number} would have waited on {clean(', '.join(verdict.needed), 200)}"
    return f"#{one.number} {verdict.status.value}: {clean(root.reason, 200)}"


def _counted(replayed: Sequence[Replayed]) -> None:
    if not replayed:
        print_line("No merged pull request of that repository is known here.")
        return
    statuses = [one.verdict.status.value if one.verdict else "unknown" for one in replayed]
    counts = ", ".join(f"{statuses.count(word)} {word}" for word in dict.fromkeys(sorted(statuses)))
    print_line(f"{counted(len(replayed), 'merged pull request')}: {counts}.")


def policy_given(name: str) -> PolicyState:
    """The state of a policy file on this machine. Raises CannotLook with its faults."""
    if name == POLICY_PATH and not Path(name).exists():
        raise CannotLook(f"there is no {POLICY_PATH} in this folder. Start this in the clone, or give --policy FILE.")
    state = read_policy(PolicySource(read_text(name), "refs/heads/main", "0" * 40, shown(name)), read_presets())
    if state.errors:
        raise CannotLook("\n".join(fault_line(shown(name), error) for error in state.errors))
    return state


def _beside_baseline(state: PolicyState, settings: Settings) -> PolicyState:
    """As this server would judge by it, or a dry run would pass what the gate refuses. Raises CannotLook."""
    if settings.policy_baseline is None:
        return state
    try:
        return with_floor(state, load_floor(settings.policy_baseline, read_presets()))
    except InvalidPolicyError as invalid:
        raise CannotLook(f"MERGEGATE_POLICY_BASELINE is no policy that can be used: {invalid}") from None


async def _seen(connection: Connection, repository: Repository, number: int) -> Snapshot | None:
    decision = await decisions.latest(connection, str(_key(repository, number)))
    return None if decision is None else _readable(decision)


def _readable(decision: Decision) -> Snapshot | None:
    try:
        return read_snapshot(decision.snapshot)
    except UnreadableRecord:
        return None


async def _policy_of(connection: Connection, decision: Decision) -> PolicyState:
    """Raises CannotLook."""
    record = None if decision.policy is None else await decided_policies.find(connection, decision.policy)
    try:
        if record is not None:
            return read_policy_state(record)
    except UnreadableRecord:
        record = None
    raise CannotLook("the policy that it was judged by is not recorded. Give one with --policy FILE.")


def _key(repository: Repository, number: int) -> PullKey:
    return PullKey(repository.installation_id, repository.repository_id, number)
