"""What is read of a raw job log besides its test summaries."""

from __future__ import annotations

import hashlib
from functools import partial

import pytest

from checks.job_log import LONGEST_COMMAND, MOST_COMMANDS, read_job_log, read_job_log_stream
from checks.logs.decode import TextBlocks
from checks.logs.parse import parse_log
from tests.checks.build import BASE, DIGEST, HEAD, OTHER
from tests.shared import SHARED, needs_shared

AT = "2026-05-04T12:00:00.0000000Z "
CHECKOUT = f"HEAD is now at 4f4f4f4 Merge {HEAD} into {BASE}"


def _log(*lines: str) -> bytes:
    return "".join(f"{AT}{line}\n" for line in lines).encode()


@needs_shared
def test_a_real_log() -> None:
    """The values were read in the file by eye."""
    read = read_job_log((SHARED / "logs/gha_django_runtests_crash_no_summary.log").read_bytes(), DIGEST)
    assert read.commands == (
        "actions/checkout@v3",
        "actions/setup-python@v3",
        "python -m pip install --upgrade pip",
        "./runtests.py",
    )
    assert read.checked_out == ("8ed08d47f2b17d31b12acd898affb32a969c6e97", "ab92256b093b3817ac58aff5c1e2b1b04af8c10f")
    assert read.report.green is not True
    assert read.token_permissions is not None
    assert (len(read.token_permissions), read.token_permissions[9]) == (13, ("PullRequests", "read"))
    assert (read.secret_source, read.runner_name, read.cache_keys) == ("None", None, ())


@needs_shared
@pytest.mark.parametrize(
    ("name", "writes", "source", "key"),
    [
        ("gha_pytest_pass_small", 12, "Actions", None),
        ("gha_mocha_ansi_pending", 0, "None", "npm-v18-Linux-refs/pull/1397/merge-"),
    ],
)
def test_what_runner_and_caches_say_in_real_logs(name: str, writes: int, source: str, key: str | None) -> None:
    """`writes`: how many permissions are to write; the last of thirteen is Statuses."""
    read = read_job_log((SHARED / f"logs/{name}.log").read_bytes(), DIGEST)
    assert read.token_permissions is not None
    assert [level for _, level in read.token_permissions].count("write") == writes
    assert (len(read.token_permissions), read.token_permissions[-1][0]) == (13, "Statuses")
    assert (read.secret_source, read.runner_name) == (source, None)
    assert len(read.cache_keys) == (key is not None)
    assert all(found.startswith(key or "") for found in read.cache_keys)


def test_reads_commands_and_checkout() -> None:
    data = _log("##[group]Run actions/checkout@v4", CHECKOUT, "##[group]Run   pytest -q  ", "== 1 passed in 0.1s ==")
    read = read_job_log(data, DIGEST)
    assert read.commands == ("actions/checkout@v4", "pytest -q")
    assert read.checked_out == (HEAD, BASE)
    assert (read.digest, read.size, read.report) == (DIGEST, len(data), parse_log(data))


def test_only_the_first_checkout_counts() -> None:
    later = f"HEAD is now at 0d0d0d0 Merge {OTHER} into {BASE}"
    assert read_job_log(_log(CHECKOUT, later), DIGEST).checked_out == (HEAD, BASE)
    assert read_job_log(_log(later, CHECKOUT), DIGEST).checked_out == (OTHER, BASE)


@pytest.mark.parametrize(
    "line",
    [
        "HEAD is now at 4f4f4f4 Round prices",
        f"HEAD is now at 4f4f4f4 Merge {HEAD[:12]} into {BASE[:12]}",
        f"x {CHECKOUT}",
        f"{CHECKOUT} x",
        f"HEAD is now at 4f4f4f4 Merge {HEAD.upper()} into {BASE}",
        f"Merge {HEAD} into {BASE}",
    ],
)
def test_other_lines_name_no_checkout(line: str) -> None:
    assert read_job_log(_log(line), DIGEST).checked_out is None


@pytest.mark.parametrize("line", ["Run pytest", "##[group]run pytest", " ##[group]Run pytest", "##[group]Set up"])
def test_other_lines_name_no_command(line: str) -> None:
    assert read_job_log(_log(line), DIGEST).commands == ()


def test_commands_are_bounded() -> None:
    read = read_job_log(_log(*(f"##[group]Run c{number}" for number in range(501))), DIGEST)
    assert (MOST_COMMANDS, len(read.commands), read.commands[-1]) == (500, 500, "c499")
    assert LONGEST_COMMAND == 500
    assert read_job_log(_log("##[group]Run " + "x" * 501), DIGEST).commands == ("x" * 500,)
    many = [*(f"##[group]Run c{number}" for number in range(501)), CHECKOUT]
    assert read_job_log(_log(*many), DIGEST).checked_out == (HEAD, BASE)


def test_a_log_of_nothing_but_summaries_is_judged_whole_and_carried_in_part() -> None:
    many = ["1 failed in 0.01s", *["1 passed in 0.01s"] * 3000]
    read = read_job_log("\n".join(many).encode(), DIGEST).report
    assert read.green is False
    assert "failed" in read.reasons[0]
    assert (len(read.summaries), read.summaries[-1].line) == (200, 3001)
    assert len(read.reasons) <= 50


# As https://github.com/actions/runner prints them, src/Runner.Worker/JobExtension.cs
SET_UP = (
    "Current runner version: '2.336.0'",
    "Runner name: 'build-7'",
    "Runner group name: 'Default'",
    "Machine name: 'build-7'",
    "##[group]GITHUB_TOKEN Permissions",
    "Contents: read",
    "Metadata: read",
    "PullRequests: write",
    "##[endgroup]",
    "Secret source: Actions",
    "Prepare workflow directory",
)


def _said(*lines: str) -> tuple[object, ...]:
    read = read_job_log(_log(*lines), DIGEST)
    return read.token_permissions, read.secret_source, read.runner_name


def test_what_the_runner_says_of_token_secrets_and_itself() -> None:
    permissions = (("Contents", "read"), ("Metadata", "read"), ("PullRequests", "write"))
    assert _said(*SET_UP) == (permissions, "Actions", "build-7")
    assert _said(*SET_UP, "##[group]Run x", "Secret source: None") == (permissions, "Actions", "build-7")
    assert _said() == (None, None, None)


@pytest.mark.parametrize("step", ["##[group]Run x", "Post job cleanup."])
def test_after_the_first_step_any_program_can_print_it(step: str) -> None:
    assert _said(step, *SET_UP) == (None, None, None)
    assert _said(*SET_UP[4:6], step, *SET_UP[6:])[0] == (("Contents", "read"),)


def test_what_is_said_twice_counts_as_it_was_said_first() -> None:
    again = ("##[group]GITHUB_TOKEN Permissions", "Contents: write", "Secret source: None", "Runner name: 'other'")
    permissions = (("Contents", "read"), ("Metadata", "read"), ("PullRequests", "write"))
    assert _said(*SET_UP, *again) == (permissions, "Actions", "build-7")


@pytest.mark.parametrize(
    ("lines", "permissions"),
    [
        (("##[endgroup]",), ()),
        (("Contents: read", "Fail to parse", "Metadata: read"), (("Contents", "read"),)),
        (("id-token: write",), ()),
        (("Contents: read x",), ()),
        (("",), ()),
        (("", "IdToken: write"), (("IdToken", "write"),)),
        (tuple(f"P{number}: read" for number in range(120)), tuple((f"P{number}", "read") for number in range(100))),
    ],
)
def test_the_list_of_permissions_ends_with_its_group(lines: tuple[str, ...], permissions: object) -> None:
    assert _said("##[group]GITHUB_TOKEN Permissions", *lines)[0] == permissions


@pytest.mark.parametrize(
    "line",
    [
        "##[group]GITHUB_TOKEN Permissions x",
        "Secret source: a b",
        "Secret source: ",
        "Runner name: x",
        "Runner name: ''",
    ],
)
def test_other_lines_say_nothing_of_the_runner(line: str) -> None:
    assert _said(line) == (None, None, None)


def test_restored_caches() -> None:
    """Lines of actions/cache and of its toolkit; the first key of a cache is not told twice."""
    lines = (
        "##[group]Run actions/cache@v4",
        "Cache hit for: Linux-build-1",
        "Cache restored successfully",
        "Cache restored from key: Linux-build-1",
        "  Cache hit for restore-key: golangci-lint.cache-Linux-2942",
        "Cache hit occurred on the primary key a key, not saving cache.",
        "Cache not found for input keys: x",
        "Cache saved with key: y",
        "x Cache restored from key: z",
    )
    assert read_job_log(_log(*lines), DIGEST).cache_keys == ("Linux-build-1", "golangci-lint.cache-Linux-2942", "a key")
    many = [f"Cache hit for: {number}" for number in range(60)]
    assert read_job_log(_log(*many), DIGEST).cache_keys == tuple(map(str, range(50)))
    assert read_job_log(_log("Cache hit for: " + "x" * 513), DIGEST).cache_keys == ()


@pytest.mark.parametrize("size", [1, 10, 10_000])
def test_a_stream_is_read_like_the_whole_log(size: int) -> None:
    data = _log(*SET_UP, "##[group]Run pytest", CHECKOUT, "== 1 passed in 0.1s ==")
    whole = read_job_log(data, f"sha256:{hashlib.sha256(data).hexdigest()}")
    assert read_job_log_stream(data[at : at + size] for at in range(0, len(data), size)) == whole


def test_a_stream_beyond_the_limit_is_taken_to_its_end_for_its_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.logs.parse.TextBlocks", partial(TextBlocks, max_bytes=20))
    data = _log("a", "b", "c")
    read = read_job_log_stream([data[:50], data[50:]])
    assert (read.digest, read.size) == (f"sha256:{hashlib.sha256(data).hexdigest()}", len(data))
    assert read.report.truncated
