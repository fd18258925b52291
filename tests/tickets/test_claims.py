"""Handing tickets to agents: who gets which, what stands in the way, and what becomes of one that falls silent."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import jsonschema_rs
import pytest

from app.proxy import sessions
from app.store.database import Database
from app.store.tickets.runs import Progress
from app.tickets import candidates
from app.tickets.claims import Claimed, NothingToClaim
from app.tickets.supervisor import Supervisor
from policies.tickets.states import State
from tests.checks.test_tickets import body
from tests.gate.scene import scene
from tests.tickets.desk import FORM, TICKETS, Desk, desk, is_dead

pytestmark = pytest.mark.anyio

DRAWN = TICKETS + "  running: 2\n  day: {minutes: 2880, attempts: 40, cost: 20}\n"
POOLS = TICKETS + "  pools:\n    night: {agents: 1}\n    hosted: {start: workflow, workflow: agent.yml}\n"
POOLS += "    farm: {start: command}\n"


async def accepted(at_desk: Desk, **fields: str) -> int:
    names = {
        "pool": "Agent or pool",
        "cost": "Cost limit (USD)",
        "after": "Depends on",
        "minutes": "Time limit (minutes)",
    }
    given = {names[name]: value for name, value in fields.items()}
    number = (await at_desk.open(body({**FORM, **given}))).number
    said = await at_desk.say(number, "/accept")
    assert at_desk.reactions(said) == ["rocket"]
    return number


def because(found: Claimed | NothingToClaim) -> str:
    assert isinstance(found, NothingToClaim), found
    return found.because


async def test_what_is_claimed_has_everything_an_agent_needs(at_desk: Desk) -> None:
    number = await accepted(at_desk)
    found = await at_desk.claim()
    assert isinstance(found, Claimed)
    record = found.record(with_token=True)
    assert record["ticket"] == number
    assert record["snapshot"]["goal"].startswith("Orders of more than 100")
    assert record["branch"] == f"agent/ticket-{number}"
    assert record["left"] == {"minutes": 90, "attempts": 3, "cost": "8.50"}
    assert record["token"].startswith("mgs_")
    assert "token" not in found.record(with_token=False)
    grant = found.grant
    assert grant is not None
    assert (grant.ticket, grant.operator, grant.branch, grant.base) == (
        number,
        "ada",
        f"refs/heads/agent/ticket-{number}",
        "refs/heads/main",
    )
    # The token dies with the time limit, whoever is there to end it: 90 minutes, and 10 to begin.
    assert timedelta(minutes=99) < grant.expires_at - datetime.now(UTC) <= timedelta(minutes=100)


async def test_agents_get_what_is_theirs_and_wait_for_what_it_depends_on(tmp_path: Path, database: Database) -> None:
    async with scene(tmp_path, database) as stage, desk(stage, POOLS) as at_desk:
        first = await accepted(at_desk, pool="night")
        assert because(await at_desk.claim("claude")) == "no ticket waits for this agent"
        second = await accepted(at_desk, after=f"#{first}")
        assert because(await at_desk.claim("claude")) == f"#{second}: it depends on #{first}, which is not merged"
        found = await at_desk.claim("claude", pool="night")
        assert isinstance(found, Claimed)
        assert found.key.number == first
        await at_desk.say(second, "/assign night")
        await at_desk.say(second, "/limit attempts=1")
        assert "which is not merged" in because(await at_desk.claim("other", pool="night"))


async def test_a_backlog_that_cannot_begin_hides_nothing_behind_it(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "MOST_LOOKED_AT", 1)
    async with scene(tmp_path, database) as stage, desk(stage, POOLS) as at_desk:
        other = await accepted(at_desk, pool="night")
        depends, paused, ready = [await accepted(at_desk, after=f"#{other}"), *[await accepted(at_desk) for _ in "12"]]
        await at_desk.say(paused, "/pause")
        found = await at_desk.claim("claude")
        assert isinstance(found, Claimed) and found.key.number == ready
        assert because(await at_desk.claim("claude")) == f"#{depends}: it depends on #{other}, which is not merged"


async def test_places_and_the_day_s_budget_bound_what_begins(tmp_path: Path, database: Database) -> None:
    async with scene(tmp_path, database) as stage, desk(stage, DRAWN) as at_desk:
        numbers = [await accepted(at_desk, cost="8") for _ in range(3)]
        both = await asyncio.gather(at_desk.claim("a"), at_desk.claim("b"))
        assert {one.key.number for one in both if isinstance(one, Claimed)} == set(numbers[:2])
        assert because(await at_desk.claim("c")) == f"#{numbers[2]}: 2 of 2 tickets are in work"
        await at_desk.say(numbers[0], "/stop")
        # The stopped one never began, so it cost nothing; 8 of the second and 8 of the third are within 20.
        assert isinstance(await at_desk.claim("c"), Claimed)


async def test_what_was_spent_and_may_still_be_spent_counts_against_the_day(tmp_path: Path, database: Database) -> None:
    async with scene(tmp_path, database) as stage, desk(stage, DRAWN) as at_desk:
        first, second = await accepted(at_desk, cost="15"), await accepted(at_desk, cost="8")
        claimed = await at_desk.claimed()
        assert claimed.key.number == first
        assert "23.00 USD at the worst" in because(await at_desk.claim("other"))
        await at_desk.report(claimed, Progress(cost=Decimal("14.00")))
        assert "23.00 USD at the worst" in because(await at_desk.claim("other"))
        await at_desk.say(first, "/stop")
        assert "22.00 USD at the worst" in because(await at_desk.claim("other"))
        await at_desk.say(second, "/limit cost=6")
        assert isinstance(await at_desk.claim("other"), Claimed)


async def test_an_agent_that_does_not_begin_gives_it_back_uncounted(at_desk: Desk) -> None:
    number = await accepted(at_desk)
    found = await at_desk.claim()
    assert isinstance(found, Claimed)
    at_desk.stage.clock = timedelta(minutes=9)
    await at_desk.look(number)
    assert await at_desk.state(number) is State.RUNNING
    at_desk.stage.clock = timedelta(minutes=11)
    await at_desk.look(number)
    row = await at_desk.row(number)
    assert (row.state, row.attempts) == (State.WAITING, 0)
    assert await is_dead(at_desk, found)
    assert isinstance(await at_desk.claim("other"), Claimed)


async def test_a_silent_agent_ends_and_another_goes_on_with_the_branch(at_desk: Desk) -> None:
    number = await accepted(at_desk)
    claimed = await at_desk.claimed()
    at_desk.stage.clock = timedelta(minutes=6)
    await at_desk.look(number)
    assert "silent" in await _status(at_desk, number)
    at_desk.stage.clock = timedelta(minutes=11)
    await at_desk.look(number)
    assert (await at_desk.row(number)).state is State.WAITING
    assert await is_dead(at_desk, claimed)
    other = await at_desk.claim("other")
    assert isinstance(other, Claimed)
    assert (other.run.attempt, other.run.branch) == (2, claimed.run.branch)


async def test_the_limits_end_it_and_the_token_with_it(at_desk: Desk) -> None:
    number = await accepted(at_desk, cost="2")
    claimed = await at_desk.claimed()
    await at_desk.report(claimed, Progress(cost=Decimal("1.99")))
    await at_desk.look(number)
    assert await at_desk.state(number) is State.RUNNING
    await at_desk.report(claimed, Progress(cost=Decimal("2.00")))
    await at_desk.look(number)
    assert await is_dead(at_desk, claimed)
    await at_desk.stage.run_to_rest()
    assert await at_desk.state(number) is State.CAP_HIT
    assert "the cost limit of 2.00 USD is used up" in (await at_desk.changes_with_causes(number))
    assert at_desk.card(number).startswith("**Stopped at a limit.**")


async def _status(at_desk: Desk, number: int) -> str:
    await at_desk.say(number, "/status")
    return at_desk.answers(number)[-1]


@dataclass
class Program:
    """A supervisor's program that notes what it is told, and answers as it is set."""

    folder: Path
    code: int = 0
    said: list[str] = field(default_factory=list)

    def write(self, code: int = 0) -> Path:
        program = self.folder / "supervisor"
        program.write_text(f'#!/bin/sh\necho "$1 $(cat)" >> {self.folder}/said\nexit {code}\n')
        program.chmod(0o755)
        return program

    def told(self) -> list[str]:
        file = self.folder / "said"
        return file.read_text().splitlines() if file.exists() else []


async def test_a_supervisor_starts_agents_and_confirms_that_they_are_gone(tmp_path: Path, database: Database) -> None:
    program = Program(tmp_path)
    async with scene(tmp_path, database) as stage, desk(stage, POOLS, Supervisor(program.write())) as at_desk:
        number = await accepted(at_desk, pool="farm")
        assert await at_desk.state(number) is State.RUNNING
        (started,) = program.told()
        assert started.startswith('start {"repository": "acme/shop", "ticket": 1')
        program.write(code=1)
        await at_desk.write(number, "/stop now")
        await at_desk.look(number)
        assert await at_desk.state(number) is State.STOPPING
        program.write(code=0)
        await at_desk.stage.run_to_rest()
        assert await at_desk.state(number) is State.STOPPED
        assert program.told()[-1].startswith('stop {"repository": "acme/shop", ')
        assert '"now": true' in program.told()[-1]
        schema = Path(__file__).parents[2] / "deploy" / "supervisor" / "stop.schema.json"
        story = json.loads(program.told()[-1].partition(" ")[2])
        jsonschema_rs.validator_for(json.loads(schema.read_text())).validate(story)
        assert (story["why"], story["by"], story["cause"]) == ("/stop now", "ada", "stop")


async def test_what_cannot_be_started_waits_again(tmp_path: Path, database: Database) -> None:
    program = Program(tmp_path)
    async with scene(tmp_path, database) as stage, desk(stage, POOLS, Supervisor(program.write(code=3))) as at_desk:
        number = await accepted(at_desk, pool="farm")
        assert (await at_desk.row(number)).attempts == 0
        # It is not tried again and again, but after a minute, then after two.
        for minutes, starts in ((0, 1), (1.1, 2), (1.2, 2), (3.3, 3)):
            stage.clock = timedelta(minutes=minutes)
            await at_desk.look(number)
            assert len(program.told()) == starts, minutes
        workflow = await accepted(at_desk, pool="hosted")  # there is no agent.yml on the default branch
        assert (await at_desk.row(workflow)).state is State.WAITING
        assert "running not_started waiting by mergegate" in await at_desk.changes(workflow)


async def test_a_supervisor_that_hangs_or_is_not_there_did_nothing(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    assert not await Supervisor(slow, seconds=0.2).tell("stop", {})
    assert not await Supervisor(tmp_path / "none").tell("stop", {})


@pytest.mark.parametrize(
    ("script", "done"),
    [
        ("sleep 60 & echo $! > pid", True),  # an agent that lives on and keeps what it was given
        ("head -c 1000000 /dev/zero >&2", True),  # more than a pipe holds
        ("exec <&-; exit 0", True),  # without reading what it is told
        ("echo no room >&2; exit 3", False),
        ("kill -9 $$", False),
    ],
)
async def test_a_supervisor_is_judged_by_its_own_end(
    script: str, done: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = a_program(tmp_path, script)
    assert await Supervisor(program, seconds=20).tell("start", {"words": "x" * 300_000}) is done
    assert ("no room" in capsys.readouterr().out) is ("no room" in script)
    if (tmp_path / "pid").exists():
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)  # it is still there


async def test_each_change_is_in_the_audit_log_with_the_sessions_that_it_ended(at_desk: Desk) -> None:
    number = await accepted(at_desk)
    claimed = await at_desk.claimed()
    assert claimed.grant is not None
    await at_desk.say(number, "/stop now", "bob")
    rows = await at_desk.stage.gate.database.query(
        "select kind, subject, record::json #>> '{data,to}', record::json #>> '{data,by}' from audit_log "
        "where kind in ('ticket', 'session-opened', 'session-ended') order by seq"
    )
    session = f"session:{claimed.grant.session}"
    assert rows == [
        ("ticket", f"ticket:{number}", "waiting", "ada"),
        ("session-opened", session, None, None),
        ("ticket", f"ticket:{number}", "running", "claude"),
        ("ticket", f"ticket:{number}", "stopping", "bob"),
        ("session-ended", session, None, None),
        ("ticket", f"ticket:{number}", "stopped", "mergegate"),
    ]


async def test_an_agent_that_a_workflow_starts_has_no_session_and_is_not_missed_while_silent(
    tmp_path: Path, database: Database
) -> None:
    async with scene(tmp_path, database) as stage, desk(stage, POOLS) as at_desk:
        workflow = "on:\n  workflow_dispatch:\n    inputs:\n      ticket: {required: true}\n"
        workflow += "jobs:\n  agent:\n    runs-on: ubuntu-latest\n    steps:\n      - run: 'true'\n"
        stage.github.actions.script(at_desk.shop, ".github/workflows/agent.yml", lambda *_: None)
        await stage.github.push(at_desk.shop, "main", {".github/workflows/agent.yml": workflow}, author="ada")
        await stage.run_to_rest()
        number = await accepted(at_desk, pool="hosted")
        row = await at_desk.row(number)
        assert (row.state, row.attempts) == (State.RUNNING, 1)
        assert await sessions.listed(database, every=True) == []
        stage.clock = timedelta(minutes=60)
        await at_desk.look(number)
        assert await at_desk.state(number) is State.RUNNING
        inputs = [run.inputs for run in at_desk.shop.runs.values() if run.event == "workflow_dispatch"]
        assert json.loads(inputs[0]["ticket"])["branch"] == f"agent/ticket-{number}"


async def test_a_ticket_whose_issue_is_gone_ends(at_desk: Desk) -> None:
    number = await accepted(at_desk)
    claimed = await at_desk.claimed()
    del at_desk.shop.issues[number]
    await at_desk.look(number)
    assert await is_dead(at_desk, claimed)
    await at_desk.stage.run_to_rest()
    assert await at_desk.state(number) is State.CANCELLED


def a_program(folder: Path, script: str) -> Path:
    program = folder / "program"
    program.write_text(f"#!/bin/sh\ncd {folder}\n{script}\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("cancelled", [1, 2])
@pytest.mark.parametrize("turns", range(8))
async def test_one_that_is_cancelled_while_it_is_made_is_ended_with_what_it_started(
    turns: int, cancelled: int, tmp_path: Path
) -> None:
    program = a_program(tmp_path, "sleep 60 & echo $! > pid; wait")
    before = set(Path("/dev/fd").iterdir())
    task = asyncio.create_task(Supervisor(program, seconds=20).tell("start", {}))
    for _ in range(turns):
        await asyncio.sleep(0)
    time.sleep(0.1)  # noqa: ASYNC251 - a loop that is busy, while the program is not
    for _ in range(cancelled):
        task.cancel()
        await asyncio.sleep(0)
    await asyncio.wait([task], timeout=10)
    assert task.cancelled()
    await asyncio.sleep(0.1)
    assert set(Path("/dev/fd").iterdir()) == before
    pid = (tmp_path / "pid").read_text().strip() if (tmp_path / "pid").exists() else ""
    assert not pid or not Path(f"/proc/{pid}").exists() or _state(pid) == "Z"


def _state(pid: str) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


async def test_nothing_stays_open_for_an_agent_that_was_given_what_nobody_read(tmp_path: Path) -> None:
    program = a_program(tmp_path, "exec 3<&0; sleep 60 0<&3 & echo $! > pid")
    before = set(Path("/dev/fd").iterdir())
    try:
        assert await Supervisor(program, seconds=20).tell("start", {"words": "x" * 300_000})
        await asyncio.sleep(0.05)
        assert set(Path("/dev/fd").iterdir()) == before
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
