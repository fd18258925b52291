"""Makes the logs of this folder and INDEX.tsv by really running the runners on the little projects beside this file.

Not run by the tests. Needs on PATH: cargo, cargo-nextest, cmake with ctest, a C++ compiler, prove, go, gotestsum, mix,
bats (1.8 of Debian as `bats`, and BATS names a newer one), node with npx; the headers of GoogleTest, Catch2 2 and
doctest; in NODE_PROJECT/node_modules: ava, mocha, tape and tap. The counts come from each runner's own report, never
from our readers; where a run leaves none ("by eye"), they were read from the log by a person.

    BATS=/opt/bats/bin/bats NODE_PROJECT=/tmp/node python -m tests.checks.logs.real.native.make [NAME ...]
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import sys
from pathlib import Path

from tests.checks.logs.real.native.cases import CASES, Case
from tests.checks.logs.real.native.counting import BATS, HERE, WORK, run

COLUMNS = ["name", "runner", "command", "passed", "failed", "errors", "skipped", "green", "counts from", "remark"]


def scrubbed(log: str) -> str:
    """Without this machine's paths. Process numbers and times are harmless."""
    log = log.replace(str(WORK), "/project").replace(str(HERE), "/project").replace(str(Path.home()), "/home/user")
    log = re.sub(r"/\S*/(?=bats-exec-|node_modules/)", "/usr/lib/", log)
    return log.replace(f"{os.environ.get('NODE_PROJECT', '/nowhere')}", "/project/node")


def made(case: Case) -> dict[str, str]:
    command = case.command
    if case.runner.startswith("nextest"):
        command = command.replace("cargo nextest", "cargo-nextest nextest")
    if case.runner.startswith("exunit"):
        command = f"COUNTS=counts.json {command}"
    log = run(f"{{ {case.before or 'true'}; }} >/dev/null 2>&1; {command}", case.folder)
    (WORK / "go/price/broken.go").unlink(missing_ok=True)
    counts = case.count(log) if callable(case.count) else case.count
    (HERE / f"{case.name}.log").write_bytes(scrubbed(log).encode("utf-8", errors="surrogateescape"))
    shown = (
        case.command.replace(BATS, "bats")
        .replace(" --junitfile report.xml", "")
        .replace(" --output-junit report.xml", "")
    )
    values = [case.name, case.runner, shown, *map(str, counts), "yes" if case.green else "no", case.source, case.remark]
    return dict(zip(COLUMNS, values, strict=True))


def prepare() -> None:
    shutil.rmtree(WORK, ignore_errors=True)
    shutil.copytree(HERE / "projects", WORK)
    if modules := os.environ.get("NODE_PROJECT"):
        (WORK / "node/node_modules").symlink_to(Path(modules) / "node_modules")
        (WORK / "node/package.json").write_text('{"ava": {"files": ["*.test.mjs"]}}')
    libraries = {"shop_gtest": "-lgtest -lgtest_main -lpthread", "shop_catch": "", "shop_doctest": ""}
    for program, flags in libraries.items():
        print(run(f"g++ -O0 {program}.cc -o {program} {flags}", "cpp"), end="")
    run("cmake -S . -B b && cmake --build b", "cpp")
    run("mix compile", "elixir")
    for features in ("", "bad", "quits", "aborts", "flaky", "slow", "leaks", "custom"):
        run(f"cargo test --offline --no-run --features '{features}'", "rust")


def main() -> None:
    prepare()
    index = HERE / "INDEX.tsv"
    rows: dict[str, dict[str, str]] = {}
    if index.exists() and sys.argv[1:]:
        with index.open(newline="") as file:
            rows = {row["name"]: row for row in csv.DictReader(file, delimiter="\t")}
    for case in CASES:
        if not sys.argv[1:] or case.name in sys.argv[1:]:
            rows[case.name] = made(case)
            print(case.name, *(rows[case.name][column] for column in COLUMNS[3:8]), flush=True)
    with index.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[case.name] for case in CASES if case.name in rows)


if __name__ == "__main__":
    main()
