"""What an agent types: run, bundle make, agent-prompt and the stop hooks, on a real repository without any network."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.local import recording, records
from app.local.clone import find_clone
from app.local.prompting import section
from app.local.records import read_records
from app.proxy import agent_doctor
from checks.bundle import read_given
from policies.schema import Policy
from tests.cli.clones import Shop, command, make_shop, run
from tests.policies.build import state

CHANGE = {"src/total.py": "def total(rows):\n    return sum(rows) + 0\n"}
HOOKS = Path(__file__).parents[2] / "deploy" / "hooks"
SAID = ("--reason", "Totals were wrong.", "--no-known-risk")


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    made = make_shop(tmp_path / "shop")
    made.branch(CHANGE)
    return made


def commit(shop: Shop, files: dict[str, str]) -> None:
    for path, content in files.items():
        shop.write(path, content)
    shop.commit()


def typed(shop: Shop, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return command(*arguments, cwd=shop.folder, stdin=stdin)


def made(shop: Shop, *more: str) -> subprocess.CompletedProcess[bytes]:
    return typed(shop, "bundle", "make", "--base", "main", *more)


class TestRun:
    def test_output_and_exit_code_pass_through_and_are_recorded(self, shop: Shop) -> None:
        script = "import sys; print('out'); sys.stdout.flush(); print('err', file=sys.stderr); sys.exit(7)"
        done = typed(shop, "run", "--", "python", "-c", script)
        assert (done.returncode, done.stdout) == (7, b"out\nerr\n")
        assert done.stderr.endswith(b"ended with 7, recorded.\n")
        (record,) = read_records(find_clone(shop.folder))
        assert (record.argv, record.exit_code) == (("python", "-c", script), 7)
        assert record.head == shop.git("rev-parse", "HEAD")
        assert record.tree_before == record.tree_after == shop.git("rev-parse", "HEAD^{tree}")
        assert record.output == f"sha256:{hashlib.sha256(done.stdout).hexdigest()}"
        assert (record.bytes, record.kept) == (8, 8)
        log = records.records_folder(find_clone(shop.folder)) / record.log
        assert log.read_bytes() == done.stdout

    def test_options_of_the_command_are_the_command_s(self, shop: Shop) -> None:
        done = typed(shop, "run", "echo", "--json", "--help", "--")
        assert done.stdout == b"--json --help --\n"

    def test_a_command_that_changes_files_is_said(self, shop: Shop) -> None:
        done = typed(shop, "run", "--", "sh", "-c", "echo new > new.txt")
        assert b"it changed files, so run it again before the commit" in done.stderr
        (record,) = read_records(find_clone(shop.folder))
        assert record.tree_before != record.tree_after
        assert shop.git("status", "--short") == "?? new.txt", "the index is as it was"

    def test_ignored_files_are_none(self, shop: Shop) -> None:
        shop.write(".gitignore", "out/\n")
        done = typed(shop, "run", "--", "sh", "-c", "mkdir out; echo x > out/x")
        assert b"changed files" not in done.stderr

    def test_a_signal_is_told_as_shells_do(self, shop: Shop) -> None:
        assert typed(shop, "run", "--", "sh", "-c", "kill -9 $$").returncode == 137

    @pytest.mark.parametrize(
        ("argv", "said"),
        [
            (("no-such-program",), "cannot be run (No such file or directory). Look at its name, and at PATH."),
            (("echo a | cat",), "`sh -c '…'`"),
        ],
    )
    def test_what_cannot_be_run_is_not_recorded(self, shop: Shop, argv: tuple[str, ...], said: str) -> None:
        done = typed(shop, "run", "--", *argv)
        assert done.returncode == 2
        assert said in done.stderr.decode()
        assert read_records(find_clone(shop.folder)) == ()

    def test_outside_of_a_clone_it_says_so(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        done = command("run", "--", "true", cwd=tmp_path / "empty")
        assert (done.returncode, b"there is no git repository" in done.stderr) == (2, True)

    def test_before_the_first_commit_there_is_no_head(self, tmp_path: Path) -> None:
        subprocess.run(["git", "init", "--quiet", str(tmp_path / "new")], check=True)
        assert command("run", "--", "true", cwd=tmp_path / "new").returncode == 0
        (record,) = read_records(find_clone(tmp_path / "new"))
        assert record.head is None

    def test_nothing_of_the_clone_runs(self, shop: Shop, tmp_path: Path) -> None:
        trap = tmp_path / "trap"
        hook = f"#!/bin/sh\ntouch {trap}\n"
        (shop.folder / ".git" / "hooks").mkdir(exist_ok=True)
        for name in ("fsmonitor-watchman", "post-index-change"):
            path = shop.folder / ".git" / "hooks" / name
            path.write_text(hook)
            path.chmod(0o755)
        shop.git("config", "core.fsmonitor", str(shop.folder / ".git" / "hooks" / "fsmonitor-watchman"))
        assert typed(shop, "run", "--", "true").returncode == 0
        assert not trap.exists()

    @pytest.mark.anyio
    async def test_a_long_output_is_cut_in_the_file_only(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        monkeypatch.setattr(recording, "KEPT_OUTPUT", 4)
        record = await recording.record_command(shop.folder, ["printf", "0123456789"])
        assert (record.bytes, record.kept) == (10, 4)
        assert record.output == f"sha256:{hashlib.sha256(b'0123456789').hexdigest()}"
        assert capfdbinary.readouterr().out == b"0123456789"

    def test_old_and_broken_records_go_or_are_passed_over(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        for _ in range(2):
            typed(shop, "run", "--", "true")
        clone = find_clone(shop.folder)
        first, second = read_records(clone)
        (records.records_folder(clone) / "0.json").write_text("{")
        assert read_records(clone) == (first, second)
        monkeypatch.setattr(records, "MOST_RECORDS", 1)
        records.save_record(records.records_folder(clone), "9", second)
        assert sorted(file.name for file in records.records_folder(clone).iterdir()) == ["9.json"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class TestBundleMake:
    def test_it_asks_only_for_what_it_cannot_know(self, shop: Shop) -> None:
        typed(shop, "run", "--", "true")
        done = made(shop)
        assert (done.returncode, done.stdout) == (1, b"")
        asked = [line.rpartition(" Give ")[2] for line in done.stderr.decode().splitlines()[1:]]
        assert asked == ["--reason TEXT.", "--known-risk TEXT or --no-known-risk."]

    def test_the_bundle_passes_the_check_it_was_made_for(self, shop: Shop, tmp_path: Path) -> None:
        typed(shop, "run", "--", "true")
        done = made(shop, *SAID)
        assert done.returncode == 0, done.stderr
        bundle = read_given(done.stdout.decode()).bundle
        assert bundle is not None
        assert bundle.commands is not None
        assert [(each.command, each.exit_code, each.where) for each in bundle.commands] == [("true", 0, "local")]
        assert bundle.commands[0].tree == shop.git("rev-parse", "HEAD^{tree}")
        assert bundle.head is None, "it stays valid over pushes"
        (tmp_path / "body.md").write_bytes(b"A change.\n\n" + done.stdout)
        checked = typed(shop, "check", "--base", "main", "--bundle", str(tmp_path / "body.md"), "--json")
        assert checked.returncode == 0
        assert "failed" not in {each["status"] for each in json.loads(checked.stdout)["findings"]}

    def test_a_record_of_other_files_is_none(self, shop: Shop) -> None:
        typed(shop, "run", "--", "true")
        commit(shop, {"src/more.py": "x = 1\n"})
        done = made(shop, *SAID)
        assert done.returncode == 1
        assert "No recorded command ran on exactly these files. Give mergegate run -- COMMAND." in done.stderr.decode()

    def test_of_a_command_the_newest_record_counts(self, shop: Shop) -> None:
        for code in ("1", "0"):
            (shop.folder / ".git" / "code").write_text(code)
            typed(shop, "run", "--", "sh", "-c", "exit $(cat .git/code)")
        bundle = read_given(made(shop, *SAID).stdout.decode()).bundle
        assert bundle is not None
        assert bundle.commands is not None
        assert [each.exit_code for each in bundle.commands] == [0]

    def test_high_risk_needs_the_way_back_and_the_level_is_the_facts(self, shop: Shop) -> None:
        commit(shop, {"db/migrations/0002_drop.sql": "DROP TABLE orders;\n"})
        typed(shop, "run", "--", "true")
        done = made(shop, *SAID)
        asked = [line.rpartition(" Give ")[2] for line in done.stderr.decode().splitlines()[1:]]
        assert asked == [
            "--rollback-step TEXT, --rollback-strategy WORD.",
            "--data-loss or --no-data-loss.",
        ]
        done = made(
            shop, *SAID, "--risk", "low", "--rollback-step", "Restore the backup.", "--data-loss", "--rollback-tested"
        )
        bundle = read_given(done.stdout.decode()).bundle
        assert bundle is not None
        assert bundle.risk is not None
        assert bundle.rollback is not None
        assert bundle.risk.level == "high"
        assert "migration" in (bundle.risk.areas or ())
        assert (bundle.rollback.strategy, bundle.rollback.data_loss, bundle.rollback.tested) == ("manual", True, True)

    def test_a_strict_policy_gets_all_that_it_asks_for(self, shop: Shop) -> None:
        shop.git("switch", "--quiet", "main")
        commit(shop, {".github/mergegate.yml": "version: 1\nextends: strict\n"})
        shop.git("switch", "--quiet", "--create", "agent/strict")
        commit(shop, CHANGE | {"src/other.py": "y = 2\n"})
        typed(shop, "run", "--", "true")
        done = made(shop, *SAID)
        asked = [line.rpartition(" Give ")[2] for line in done.stderr.decode().splitlines()[1:]]
        assert asked == ["--preview URL.", "--agent NAME."]
        done = made(shop, *SAID, "--preview", "https://example.org/1", "--agent", "worker")
        assert (done.returncode, "it leaves out evidence" in done.stderr.decode()) == (1, True), done.stderr

    def test_a_reason_that_would_close_the_block_does_not(self, shop: Shop) -> None:
        typed(shop, "run", "--", "true")
        reason = "It said:\n```\nx\n```\nand more."
        done = made(shop, "--reason", reason, "--no-known-risk")
        bundle = read_given(done.stdout.decode()).bundle
        assert bundle is not None
        assert bundle.reason == reason

    def test_a_value_that_no_bundle_can_have_is_named(self, shop: Shop) -> None:
        typed(shop, "run", "--", "true")
        done = made(shop, *SAID, "--rollback-strategy", "hope")
        assert done.returncode == 1
        assert "rollback.strategy" in done.stderr.decode()


class TestAgentPrompt:
    def test_it_names_what_the_policy_wants(self, shop: Shop) -> None:
        done = typed(shop, "agent-prompt", "--base", "main")
        text = done.stdout.decode()
        assert done.returncode == 0, done.stderr
        for words in ("`agent/*`", "`main`", "mergegate run --", "mergegate bundle make", "mergegate wait"):
            assert words in text

    @pytest.mark.parametrize("commands", [0, 100])
    def test_it_costs_at_most_600_tokens(self, commands: int) -> None:
        listed = ", ".join(f"'python -m pytest tests/part_{number}'" for number in range(commands))
        policy: Policy = state(f"version: 1\nci: {{commands: [{listed}]}}\n").policy
        text = section(policy, "main")
        assert len(text) <= 600 * 3, "a token is seldom less than three characters of English"
        assert ("94 more" in text) == bool(commands)


class TestStopHook:
    def answered(self, shop: Shop, harness: str, **event: Any) -> Any:
        given = json.dumps({"cwd": str(shop.folder), **event}).encode()
        done = typed(shop, "stop-hook", "--for", harness, "--base", "main", stdin=given)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    @pytest.mark.parametrize("harness", ["claude-code", "codex", "copilot"])
    def test_what_the_gate_would_refuse_holds_the_agent_back_once(self, shop: Shop, harness: str) -> None:
        assert self.answered(shop, harness) == {}
        commit(shop, {"src/total.py": "<<<<<<< ours\n", ".github/mergegate.yml": "version: 1\n"})
        shop.git("switch", "--quiet", "main")
        commit(shop, {".github/mergegate.yml": "version: 2\n"})
        shop.git("switch", "--quiet", "-")
        answer = self.answered(shop, harness)
        assert answer["decision"] == "block"
        assert answer["reason"].startswith("The merge gate will refuse this change:\n- ")
        assert " Fix: " in answer["reason"]
        assert self.answered(shop, harness, stop_hook_active=True) == {}

    def test_cursor_is_told_in_its_own_way(self, shop: Shop) -> None:
        shop.git("switch", "--quiet", "main")
        commit(shop, {".github/mergegate.yml": "version: 2\n"})
        shop.git("switch", "--quiet", "-")
        assert self.answered(shop, "cursor")["followup_message"].startswith("The merge gate will refuse this change:")
        assert self.answered(shop, "cursor", loop_count=1) == {}

    @pytest.mark.parametrize("event", [b"", b"[]", b"{", b"[" * 100_000])
    def test_an_event_that_cannot_be_read_is_an_empty_one(self, shop: Shop, event: bytes) -> None:
        done = typed(shop, "stop-hook", "--base", "main", stdin=event)
        assert (done.returncode, done.stdout) == (0, b"{}\n")

    def test_what_cannot_be_looked_at_holds_nobody_back(self, shop: Shop) -> None:
        done = typed(shop, "stop-hook", "--base", "no-such-branch", stdin=b"{}")
        assert (done.returncode, done.stdout) == (0, b"{}\n")
        assert b"no-such-branch" in done.stderr

    @pytest.mark.parametrize("file", sorted(HOOKS.glob("*.json")), ids=lambda file: file.stem)
    def test_shipped_hooks_call_it(self, file: Path) -> None:
        text = file.read_text("utf-8")
        json.loads(text)
        assert f"mergegate stop-hook --for {file.stem}" in text


@pytest.mark.parametrize(
    ("status", "code", "first"),
    [
        ("passed", 0, "This machine can do what it should, and nothing else."),
        ("failed", 1, "This machine is not as it should be:"),
        ("errored", 2, "Not all of this machine could be looked at:"),
    ],
)
def test_the_doctor_of_a_machine_begins_with_the_verdict(
    status: str, code: int, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def examined(_: agent_doctor.Machine) -> list[agent_doctor.Seen]:
        return [agent_doctor.Seen("passed", "one"), agent_doctor.Seen(status, "two.", "mend it")]  # type: ignore[arg-type]

    monkeypatch.setattr(agent_doctor, "examined", examined)
    monkeypatch.setenv("MERGEGATE_SESSION", "mgs_x")
    done = run("agent", "doctor", "--proxy", "http://127.0.0.1:1")
    lines = done.stdout.splitlines()
    assert (done.exit_code, lines[0], lines[1], lines[2][1:]) == (code, first, "✓ one", " two. Fix: mend it")
