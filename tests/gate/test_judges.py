"""Independent judges in the loop: asked once about a head, shown facts alone, and a person decides when they object."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from app.gate.git import EMPTY_TREE, GitObjects, GitTooLarge, init_bare, run_git
from app.judge import matter
from app.judge.judges import LARGEST_ANSWER, Answer, Judges
from app.judge.matter import patch
from app.judge.programs import judge_programs
from app.judge.reconcile import MOST_TRIES
from app.judge.reply import read_answer
from app.store import opinions
from app.store.opinions import Ended, StoredOpinion
from tests.gate.judge_programs import calls_of, given_to, hire, judge_program, says
from tests.gate.scene import Scene
from tests.gate.shop import POLICY, agent_pull, open_shop
from tests.github.state import PullRequest

pytestmark = pytest.mark.anyio

JUDGED = POLICY + "judge: {low: [one], calls: 5, cost: 1}\n"


async def said_of(stage: Scene, pull: PullRequest) -> list[StoredOpinion]:
    async with stage.gate.database.transaction() as connection:
        rows = await stage.gate.database.query(
            "select id from opinions where number = %s order by asked_at", (pull.number,)
        )
        found = [await opinions.find(connection, row[0]) for row in rows]
    return [row for row in found if row is not None]


async def test_a_judge_that_has_nothing_against_it_is_shown_facts_alone(stage: Scene, tmp_path: Path) -> None:
    shop = await open_shop(stage, JUDGED)
    judge = hire(stage, tmp_path, "one", says("pass", reasons=["fine"], cost=0.25, model="other-1"))
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert pull.merged_at is not None
    shown = given_to(judge)
    assert shown["head"] == pull.head_sha and shown["ticket"] is None
    assert "+++ b/shop/" in shown["diff"]
    assert any("Ran 3 tests" in job.get("output", "") for run in shown["runs"] for job in run["jobs"])
    assert "The cart needs a discount" not in str(shown) and "Add discount" not in str(shown)
    environment = judge.with_name("one.env").read_text()
    assert {line.partition("=")[0] for line in environment.splitlines()} <= {
        "PATH",
        "HOME",
        "PWD",
        "SHLVL",
        "_",
        "OLDPWD",
    }
    (row,) = await said_of(stage, pull)
    assert (row.judge, row.said, row.tries, row.exit_code) == ("one", "pass", 1, 0)
    assert (row.head_sha, row.cost, row.model) == (pull.head_sha, Decimal("0.25"), "other-1")
    assert row.given_digest and row.output_digest and row.began_at and row.ended_at


async def test_one_that_objects_or_is_not_there_sends_it_to_a_person_whose_word_decides(
    stage: Scene, tmp_path: Path
) -> None:
    shop = await open_shop(stage, JUDGED.replace("[one]", "[one, other]"))
    judge = hire(stage, tmp_path, "one", says("fail", reasons=["It drops a `check`."]))
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "in_progress"}
    assert "says no: It drops a" in stage.summary(shop, pull, "review")
    assert "`other`, which this server does not have" in stage.summary(shop, pull, "review")
    assert [row.judge for row in await said_of(stage, pull)] == ["one"]
    await stage.github.push(shop, "agent/discount", {"shop/more.py": "MORE = 1\n"}, author="courier[bot]")
    await stage.settle()
    assert calls_of(judge) == 2, "another head is another subject"
    await stage.github.review(shop, pull.number, "ada")
    await stage.settle()
    assert pull.merged_at is not None
    assert calls_of(judge) == 2


async def test_a_call_that_is_broken_off_again_and_again_ends(stage: Scene, tmp_path: Path) -> None:
    shop = await open_shop(stage, JUDGED)
    judge = hire(stage, tmp_path, "one", says("pass"))
    calls = stage.gate.judges.places
    for _ in range(2):
        await calls.acquire()  # nobody is called, as if every place were taken
    pull = await agent_pull(stage, shop)
    await stage.github.settle()
    await stage.worker.drain()
    await stage.gate.database.query("update opinions set tries = %s", (MOST_TRIES,))
    await stage.gate.database.query("delete from work where starts_with(key, 'judge:')")  # as an older version ends it
    stage.clock += timedelta(minutes=2)
    for _ in range(2):
        calls.release()
    await stage.resync()
    await stage.settle()
    assert calls_of(judge) == 0
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "in_progress"}
    assert "3 calls of it were broken off" in stage.summary(shop, pull, "review")


async def test_the_days_calls_are_counted_where_they_are_noted(stage: Scene) -> None:
    begun = datetime(2026, 5, 4, tzinfo=UTC)
    row = StoredOpinion("a", 1, 2, None, None, "one", "1" * 40, "2" * 40, "3" * 40, begun)
    database = stage.gate.database
    async with database.transaction() as connection:
        assert await opinions.ask(connection, row, begun, calls=2, cost=1)
        await opinions.begin(connection, "a", begun)
        await opinions.begin(connection, "a", begun)
        assert not await opinions.ask(connection, replace(row, id="b"), begun, calls=2, cost=1)
        assert await opinions.ask(connection, replace(row, id="b"), begun, calls=3, cost=1)
        assert await opinions.end(connection, "a", Ended("pass", (), cost=Decimal(1)), begun)
        assert not await opinions.end(connection, "a", Ended("fail", ()), begun), "what was said stands"
        assert not await opinions.ask(connection, replace(row, id="c"), begun, calls=9, cost=1)
        assert await opinions.of_day(connection, 1, begun) == (3, Decimal(1))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("exit 3", "it ended with exit code 3"),
        (says("pass") + "\nexit 1", "it ended with exit code 1"),
        ("sleep 20 & sleep 20", "it took longer than 0.3 seconds"),
        (f"head -c {LARGEST_ANSWER + 1} /dev/zero", f"its answer is longer than {LARGEST_ANSWER} bytes"),
        ("echo pass", "its answer is not in the form that was asked for"),
        (says("PASS"), "its answer is not in the form that was asked for"),
        (says("pass", cost=-1), "its answer is not in the form that was asked for"),
    ],
)
async def test_whatever_is_no_answer_cannot_tell(tmp_path: Path, answer: str, reason: str) -> None:
    judges = Judges({"one": judge_program(tmp_path, "one", answer)}, seconds=0.3 if "sleep" in answer else 20)
    ended = read_answer(await judges.call("one", b"{}" * 100_000))
    assert (ended.said, ended.reasons) == ("cannot_tell", (reason,))


@pytest.mark.parametrize("ending", ["exit 0", "sleep 60", "trap '' TERM; kill 0"])
async def test_nothing_that_a_judge_started_outlives_its_call(tmp_path: Path, ending: str) -> None:
    """In sessions of their own, and of parents that have ended; whether it ends by itself or is ended."""
    left = tmp_path / "left"
    stray = f"setsid sh -c 'echo $$ >> {left}; setsid sleep 60 & echo $! >> {left}; wait' >/dev/null 2>&1 </dev/null &"
    waits = f"while [ $(cat {left} 2>/dev/null | wc -l) -lt 2 ]; do sleep 0.01; done"
    program = judge_program(tmp_path, "one", f"{stray}\n{waits}\n{ending}")
    await Judges({"one": program}, seconds=2).call("one", b"{}")
    pids = [int(line) for line in left.read_text().split()]
    assert len(pids) == 2
    async with asyncio.timeout(10):
        while any(_runs(pid) for pid in pids):  # noqa: ASYNC110 - processes of others tell nobody
            await asyncio.sleep(0.01)


def _runs(pid: int) -> bool:
    """One that has ended and was not waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def test_a_program_that_is_not_there_cannot_tell(tmp_path: Path) -> None:
    ended = read_answer(await Judges({"one": tmp_path / "none"}).call("one", b"{}"))
    assert (ended.said, ended.reasons) == ("cannot_tell", ("the server cannot run it",))


def test_a_judges_words_are_on_one_line_and_short() -> None:
    long = '{"verdict": "fail", "reasons": ["a\\n\\u202eb", " ", "' + "x" * 1999 + '"], "unknown": [1]}'
    ended = read_answer(Answer(long.encode(), 0))
    assert ended.said == "fail"
    assert [len(reason) for reason in ended.reasons] == [len("a ⟨U+202E⟩b"), 300]
    assert read_answer(Answer(long.replace("x", "xx").encode(), 0)).said == "cannot_tell"


def test_programs_are_named_by_path() -> None:
    assert judge_programs("one=/a/b two-2=/c") == {"one": Path("/a/b"), "two-2": Path("/c")}
    for wrong in ("one", "one=b", "One=/b", "=/b"):
        with pytest.raises(ValueError, match="NAME=/PATH"):
            judge_programs(wrong)


async def test_the_example_is_a_judge_that_cannot_tell() -> None:
    example = Path(__file__).parents[2] / "deploy" / "judge-example"
    ended = read_answer(await Judges({"one": example}).call("one", b'{"runs": [1, 2]}'))
    assert (ended.said, ended.exit_code) == ("cannot_tell", 0)
    assert ended.reasons == ("No model was asked about this difference and its 2 runs.",)


async def test_a_difference_is_shown_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = tmp_path / "a.git"
    await init_bare(bare)
    objects = GitObjects(bare)
    _, blob, _ = await run_git(bare, ("hash-object", "-w", "--stdin"), stdin=b"one\n\xff\n")
    entry = f"100644 blob {blob.decode().strip()}\tx.py\n".encode()
    _, tree, _ = await run_git(bare, ("mktree",), stdin=entry)
    old, new = [await objects.commit_tree(each, (), "x", 0) for each in (EMPTY_TREE, tree.decode().strip())]
    shown = await patch(objects, old, new)
    assert b"+++ b/x.py\n" in shown and b"\n+one\n+\xff\n" in shown
    monkeypatch.setattr(matter, "LARGEST_DIFFERENCE", len(shown) - 1)
    with pytest.raises(GitTooLarge):
        await patch(objects, old, new)
