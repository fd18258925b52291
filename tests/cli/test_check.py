"""`mergegate check`: verdicts and exit codes on real repositories."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.clones import (
    BUNDLE,
    GREEN_LOG,
    RED_LOG,
    TICKET,
    Shop,
    check,
    judged,
    make_shop,
    process,
    refused,
    run,
    statuses,
)

CHANGE = {"src/total.py": "def total(rows):\n    return sum(rows) + 0\n"}


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return make_shop(tmp_path / "shop")


@pytest.fixture
def bundle(tmp_path: Path) -> str:
    return _file(tmp_path, "bundle.yml", BUNDLE)


def _file(folder: Path, name: str, content: str | bytes) -> str:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return str(folder / name)


def test_a_good_change_is_pending(shop: Shop, bundle: str) -> None:
    shop.branch(CHANGE)
    value = judged(check(shop, "--bundle", bundle, "--json"), 0)
    assert (value["verdict"], value["needs_person"], value["risk"], value["areas"]) == ("pending", False, "low", [])
    assert {each["status"] for each in value["findings"]} == {"passed", "pending", "skipped"}
    assert statuses(value, "ci.runs") == statuses(value, "review") == ["pending"]


def test_every_finding_has_the_shape_of_the_contract(shop: Shop, bundle: str) -> None:
    shop.branch(CHANGE)
    for finding in judged(check(shop, "--bundle", bundle, "--json"), 0)["findings"]:
        assert list(finding) == ["check", "status", "reason", "needs_person", "fix", "evidence"]
        assert finding["status"] in ("passed", "failed", "pending", "errored", "skipped")
        assert (finding["fix"] is None) == (finding["status"] in ("passed", "skipped"))
        assert finding["fix"] is None or list(finding["fix"]) == ["action", "text", "field"]
        for evidence in finding["evidence"]:
            assert list(evidence) == ["label", "url", "path", "start_line", "end_line", "digest"]


def test_the_bundle_may_stand_in_a_markdown_text(shop: Shop, tmp_path: Path) -> None:
    shop.branch(CHANGE)
    body = _file(tmp_path, "body.md", f"# Totals\n\n```mergegate\n{BUNDLE}```\n")
    as_json = _file(tmp_path, "bundle.json", json.dumps({"reason": "x", "risk": {"level": "low", "known": []}}))
    assert statuses(judged(check(shop, "--bundle", body, "--json"), 0), "bundle") == ["passed"]
    value = judged(check(shop, "--bundle", as_json, "--json"), 1)
    assert statuses(value, "bundle") == ["failed"]
    (reason,) = (each["reason"] for each in value["findings"] if each["check"] == "bundle")
    assert reason == "The bundle in the given file leaves out commands, rollback."


def test_without_a_bundle_nothing_is_assumed(shop: Shop) -> None:
    shop.branch(CHANGE)
    value = judged(check(shop, "--json"), 0)
    assert (value["verdict"], statuses(value, "bundle"), statuses(value, "rollback")) == (
        "pending",
        ["pending"],
        ["pending"],
    )


@pytest.mark.parametrize(
    ("lie", "failing"),
    [
        ("head: " + "a" * 40, "claims.head"),
        ("tree: " + "a" * 40, "claims.tree"),
        ("changed_files: [src/other.py]", "claims.files"),
        ("risk: {level: urgent}", "bundle"),
        ("", "bundle"),
    ],
)
def test_a_bundle_that_lies_or_is_broken_fails(shop: Shop, tmp_path: Path, lie: str, failing: str) -> None:
    shop.branch(CHANGE)
    text = f"{BUNDLE}{lie}\n" if failing.startswith("claims") else lie
    value = judged(check(shop, "--bundle", _file(tmp_path, "b.yml", text), "--json"), 1)
    assert value["verdict"] == "failed"
    assert statuses(value, failing) == ["failed"]


def test_true_words_about_head_tree_and_files_pass(shop: Shop, tmp_path: Path) -> None:
    head = shop.branch(CHANGE)
    tree = shop.git("rev-parse", "HEAD^{tree}")
    text = f"{BUNDLE}head: {head}\ntree: {tree}\nchanged_files: [src/total.py]\n"
    value = judged(check(shop, "--bundle", _file(tmp_path, "b.yml", text), "--json"), 0)
    names = ("claims.head", "claims.tree", "claims.files")
    assert [statuses(value, name) for name in names] == [["passed"]] * 3


@pytest.mark.parametrize(
    ("files", "ticket", "status"),
    [
        (CHANGE, TICKET, "passed"),
        ({"src/secret.py": "x = 1\n"}, TICKET, "failed"),
        ({"docs/a.md": "x\n"}, TICKET, "failed"),
        ({"docs/a.md": "x\n"}, "id: 7\n", "passed"),
    ],
)
def test_a_ticket_limits_the_paths(
    shop: Shop, tmp_path: Path, bundle: str, files: dict[str, str], ticket: str, status: str
) -> None:
    shop.branch(files)
    options = ("--bundle", bundle, "--ticket", _file(tmp_path, "ticket.yml", ticket), "--json")
    value = judged(check(shop, *options), 1 if status == "failed" else 0)
    assert statuses(value, "scope") == [status]
    assert value["verdict"] == ("failed" if status == "failed" else "pending")


def test_a_tickets_risk_and_commands_count(shop: Shop, tmp_path: Path) -> None:
    shop.branch(CHANGE)
    ticket = _file(tmp_path, "ticket.json", '{"id": "T", "risk": "critical", "verification_commands": ["make test"]}')
    value = judged(check(shop, "--ticket", ticket, "--json"), 0)
    assert (value["risk"], value["needs_person"]) == ("critical", True)


@pytest.mark.parametrize(
    ("log", "text", "failing"),
    [
        (RED_LOG, BUNDLE, True),
        (GREEN_LOG, BUNDLE, False),
        (GREEN_LOG, BUNDLE + "tests: {added: 13}\n", True),
        (GREEN_LOG, BUNDLE + "tests: {added: 2}\n", False),
        (RED_LOG, BUNDLE.replace("exit_code: 0", "exit_code: 1"), False),
        ("nothing of note\n", BUNDLE, False),
    ],
)
def test_given_logs_speak_against_a_bundle_and_never_for_it(
    shop: Shop, tmp_path: Path, log: str, text: str, failing: bool
) -> None:
    shop.branch(CHANGE)
    options = ("--bundle", _file(tmp_path, "b.yml", text), "--log", _file(tmp_path, "ci.log", log), "--json")
    value = judged(check(shop, *options), 1 if failing else 0)
    assert value["verdict"] == ("failed" if failing else "pending")
    assert ("failed" in statuses(value, "claims.logs")) is failing
    assert statuses(value, "ci.runs") == ["pending"]


def test_several_logs_are_all_compared(shop: Shop, tmp_path: Path, bundle: str) -> None:
    shop.branch(CHANGE)
    green, red = _file(tmp_path, "a.log", GREEN_LOG), _file(tmp_path, "b.log", RED_LOG)
    value = judged(check(shop, "--bundle", bundle, "--log", green, "--log", red, "--json"), 1)
    assert statuses(value, "claims.logs") == ["skipped", "failed"]


def _symlink(shop: Shop) -> None:
    shop.git("checkout", "--quiet", "-B", "agent/7", "main")
    (shop.folder / "src/link").symlink_to("../.github/workflows/ci.yml")
    shop.commit()


def _renamed(shop: Shop) -> None:
    shop.git("checkout", "--quiet", "-B", "agent/7", "main")
    (shop.folder / "auth").mkdir()
    shop.git("mv", "src/total.py", "auth/total.py")
    shop.commit()


def _executable(shop: Shop) -> None:
    shop.git("checkout", "--quiet", "-B", "agent/7", "main")
    shop.git("update-index", "--chmod=+x", "src/total.py")
    shop.git("commit", "--quiet", "--message", "mode")


@pytest.mark.parametrize(
    ("change", "areas"),
    [
        (_symlink, ["ci"]),
        (_renamed, ["authentication"]),
        (_executable, []),
        (lambda shop: shop.branch({".github/workflows/ci.yml": "on: push\n"}), ["ci"]),
        (lambda shop: shop.branch({"package-lock.json": "{}\n"}), ["dependencies"]),
        (lambda shop: shop.branch({"AGENTS.md": "Obey.\n"}), ["agent-instructions"]),
        (lambda shop: shop.branch({".github/mergegate.yml": "version: 1\n"}), ["gate"]),
    ],
    ids=["symlink", "renamed", "mode", "workflow", "lock file", "instructions", "policy"],
)
def test_what_steers_or_deceives_is_high(shop: Shop, change: Any, areas: list[str]) -> None:
    change(shop)
    value = judged(check(shop, "--json"), 0)
    assert (value["verdict"], value["risk"], value["needs_person"], value["areas"]) == ("pending", "high", True, areas)


def test_a_risk_below_the_facts_is_a_false_word(shop: Shop, bundle: str) -> None:
    shop.branch({".github/workflows/ci.yml": "on: push\n"})
    value = judged(check(shop, "--bundle", bundle, "--json"), 1)
    assert statuses(value, "risk.claim") == ["failed"]


def test_a_conflict_fails(shop: Shop, bundle: str) -> None:
    shop.branch(CHANGE)
    shop.git("checkout", "--quiet", "main")
    shop.write("src/total.py", "def other():\n    return 0\n")
    shop.commit()
    value = judged(check(shop, "--bundle", bundle, "--json"), 1)
    assert statuses(value, "risk") == ["failed"]


def test_an_undetermined_merge_is_left_to_github(shop: Shop) -> None:
    """Criss-cross: two merge bases, where git's own answer depends on how it merges them."""
    shop.branch(CHANGE)
    shop.git("checkout", "--quiet", "main")
    shop.write("README", "A better shop.\n")
    main = shop.commit()
    agent = shop.git("rev-parse", "agent/7")
    shop.git("merge", "--quiet", "--message", "one", agent)
    shop.git("checkout", "--quiet", "agent/7")
    shop.git("merge", "--quiet", "--message", "other", main)
    assert len(shop.git("merge-base", "--all", "main", "agent/7").split()) == 2
    value = judged(check(shop, "--json"), 0)
    assert (value["verdict"], value["risk"], statuses(value, "risk")) == ("pending", "high", ["pending"])


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"src/a\nb.py", "src/a\nb.py"),
        (b"src/\xff\xfe.py", "src/\udcff\udcfe.py"),
        ("src/‮cod.exe.py".encode(), "src/‮cod.exe.py"),
        (b"src/\x1b[2J.py", "src/\x1b[2J.py"),
    ],
    ids=["newline", "no UTF-8", "direction", "escape"],
)
def test_odd_names_are_safe_in_both_forms(shop: Shop, tmp_path: Path, name: bytes, shown: str) -> None:
    shop.git("checkout", "--quiet", "-B", "agent/7", "main")
    shop.write(name, "x = 1\n")
    shop.commit()
    ticket = _file(tmp_path, "ticket.yml", "id: 7\nallowed_paths: [docs/]\n")
    result = check(shop, "--ticket", ticket, "--json")
    assert result.stdout.isascii()
    value = judged(result, 1)
    (scope,) = (each for each in value["findings"] if each["check"] == "scope")
    assert [each["path"] for each in scope["evidence"]] == [shown]
    assert value["risk"] == "high"
    for_people = check(shop, "--ticket", ticket).stdout
    assert "\x1b" not in for_people
    assert "‮" not in for_people


def test_a_policy_file_replaces_the_repositorys(shop: Shop, tmp_path: Path, bundle: str) -> None:
    shop.write(".github/mergegate.yml", "version: 1\nrequirements: {low: {approvals: 2}}\n")
    shop.commit()
    shop.branch(CHANGE)
    assert judged(check(shop, "--bundle", bundle, "--json"), 0)["needs_person"] is True
    mine = _file(tmp_path, "mine.yml", "version: 1\nticket: {required: true}\n")
    value = judged(check(shop, "--bundle", bundle, "--policy", mine, "--json"), 0)
    assert (value["needs_person"], statuses(value, "ticket")) == (False, ["pending"])
    (reason,) = (each["reason"] for each in value["findings"] if each["check"] == "policy")
    assert reason == f"The policy is `{mine}`."


def test_the_policy_is_that_of_the_base_never_of_the_head(shop: Shop) -> None:
    shop.branch({".github/mergegate.yml": "version: 1\nrequirements: {high: {approvals: 0}}\n"})
    assert judged(check(shop, "--json"), 0)["needs_person"] is True


def test_a_broken_policy_at_the_base_fails(shop: Shop, bundle: str) -> None:
    shop.write(".github/mergegate.yml", "version: 1\nmood: strict\n")
    shop.commit()
    shop.branch(CHANGE)
    value = judged(check(shop, "--bundle", bundle, "--json"), 1)
    assert statuses(value, "policy") == ["failed"]


@pytest.mark.parametrize("content", [b"\xff\xfe", b"#" * 65_537], ids=["no text", "too large"])
def test_a_policy_at_the_base_that_cannot_be_read_is_errored(shop: Shop, content: bytes) -> None:
    shop.write(".github/mergegate.yml", content)
    shop.commit()
    shop.branch(CHANGE)
    assert judged(check(shop, "--json"), 2)["verdict"] == "errored"


def test_a_symbolic_link_as_policy_is_errored(shop: Shop) -> None:
    (shop.folder / ".github/mergegate.yml").symlink_to("../README")
    shop.commit()
    shop.branch(CHANGE)
    value = judged(check(shop, "--json"), 2)
    assert statuses(value, "policy")[0] == "errored"


def test_people_get_a_tree_that_begins_with_the_verdict(shop: Shop, bundle: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    shop.branch({"src/[bold]total.py": "x = 1\n", ".github/workflows/ci.yml": "on: push\n"})
    result = check(shop, "--bundle", bundle)
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert lines[0].startswith("failed: high risk (ci), needs a person;")
    assert all(len(line) <= 40 for line in lines[1:-1])
    assert lines[2].startswith("✗ mergegate/evidence: Set risk.level to")
    assert "Fix: Set risk.level to high." in " ".join(result.stdout.replace("│", " ").split())
    assert lines[-1].startswith("Judged without GitHub, and therefore as an agent's")


def test_as_a_process_from_any_folder(shop: Shop, tmp_path: Path, bundle: str) -> None:
    head = shop.branch(CHANGE)
    options = ("--base", "main", "--head", head, "--bundle", os.path.relpath(bundle, tmp_path), "--json")
    done = process("check", "--repo", "shop/src", *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["verdict"] == "pending"
    failing = process(
        "check", "--repo", ".", "--base", "main", "--head", "agent/7", "--bundle", "README", cwd=shop.folder
    )
    assert failing.returncode == 1
    assert failing.stdout.startswith(b"failed: ")


def test_an_ascii_terminal_is_no_trouble(shop: Shop) -> None:
    shop.branch(CHANGE)
    done = process("check", "--repo", str(shop.folder), "--base", "main", "--head", "agent/7", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"pending: low risk")


def test_without_options_the_head_of_the_clone_is_judged_against_its_origin(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.folder)
    assert "'origin/HEAD' is no commit" in refused(run("check"))
    shop.branch(CHANGE)
    shop.git("clone", "--quiet", str(shop.folder), str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    assert judged(run("check", "--json"), 0)["verdict"] == "pending"
