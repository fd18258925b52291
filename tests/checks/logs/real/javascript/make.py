"""Makes the logs of this folder and their INDEX.tsv: really runs the runners of runs.tsv on the projects beside it.

Not run by the tests. Needs Python 3.11, node 20 and npm with a registry, and Debian's chromium for karma; call it in
the root of the repository:

    python -m tests.checks.logs.real.javascript.make WORKFOLDER [NAME...]

Each tool is installed once in WORKFOLDER. The counts are those of the runner's own machine-readable report, written
in the same run or, where the runner has one reporter at a time, in a second one. Where no report can be written, or
it does not have what the log says, runs.tsv has counts read by eye. Paths of this machine are replaced.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.checks.logs.real.javascript.counts import REPORTS, Counts

HERE = Path(__file__).parent
PROJECTS = HERE / "projects"
REPORT = "report.out"

KARMA = "karma-jasmine@5.1.0 jasmine-core@5.13.0 karma-chrome-launcher@3.2.0"
# Tool, as runs.tsv names it: its project, and its packages.
TOOLS = {
    "node24": ("", "node@24.21.0"),
    "vitest1": ("vitest", "vitest@1.6.1"),
    "vitest3": ("vitest", "vitest@3.2.7 @vitest/coverage-v8@3.2.7"),
    "vitest5": ("vitest", "vitest@5.1.2"),
    "mocha9": ("mocha", "mocha@9.2.2"),
    "mocha12": ("mocha", "mocha@12.0.3 nyc@17.1.0"),
    "node": ("node", ""),
    "ava3": ("ava", "ava@3.15.0"),
    "ava6": ("ava", "ava@6.4.1"),
    "ava7": ("ava", "ava@7.0.0"),
    "jasmine5": ("jasmine", "jasmine@5.13.0"),
    "lab26": ("lab", "@hapi/lab@26.0.1 @hapi/code@9.0.3"),
    "jest30": ("jest", "jest@30.5.2"),
    "playwright120": ("playwright", "@playwright/test@1.20.2"),
    "playwright": ("playwright", "@playwright/test@1.65.1"),
    "bun10": ("bun", "bun@1.0.36"),
    "bun": ("bun", "bun@1.4.5"),
    "deno": ("deno", "deno@2.9.6"),
    "karma6": ("karma", f"karma@6.4.4 {KARMA} karma-junit-reporter@2.0.1 karma-mocha-reporter@2.2.5"),
}
NEEDS_NODE_24 = ("vitest5",)
COLUMNS = ("name", "runner", "command", "exit", "passed", "failed", "errors", "skipped", "green", "counts", "remark")

Run = dict[str, str]
"""A row of runs.tsv. `second` writes the report if `command` does not; `errors` are in no report."""


def main() -> None:
    work, names = Path(sys.argv[1]).resolve(), sys.argv[2:]
    for run in _rows("runs.tsv"):
        if not names or run["name"] in names:
            _make(run, work)


def _make(run: Run, work: Path) -> None:
    folder = _install(run["tool"], work)
    (folder / REPORT).unlink(missing_ok=True)
    shutil.rmtree(folder / "reports", ignore_errors=True)
    done = _shell(run, run["command"], folder, work)
    if run["second"]:
        _shell(run, run["second"], folder, work)
    (HERE / f"{run['name']}.log").write_bytes(_scrub(done.stdout, folder, work))
    _record(run, done.returncode, _counts(run, folder))


def _install(tool: str, work: Path) -> Path:
    project, packages = TOOLS[tool]
    folder = work / tool
    if not folder.exists():
        shutil.copytree(PROJECTS / project, folder) if project else folder.mkdir(parents=True)
        if not (folder / "package.json").exists():
            (folder / "package.json").write_text('{ "private": true }\n')
        if packages:
            subprocess.run(["npm", "install", "--no-audit", "--no-fund", *packages.split()], cwd=folder, check=True)
    return folder


def _shell(run: Run, command: str, folder: Path, work: Path) -> subprocess.CompletedProcess[bytes]:
    path = os.environ["PATH"]
    if run["tool"] in NEEDS_NODE_24 or "node24 " in command:
        newer = _install("node24", work) / "node_modules/node/bin"
        command = command.replace("node24 ", f"{newer}/node ")
        path = f"{newer}:{path}" if run["tool"] in NEEDS_NODE_24 else path
    basic = {"PATH": path, "HOME": str(work), "CI": "true", "NO_COLOR": "1", "TERM": "xterm", "LANG": "C.UTF-8"}
    basic |= {"CHROME_BIN": "/usr/bin/chromium", "PLAYWRIGHT_JSON_OUTPUT_NAME": REPORT}
    own = dict(pair.split("=", 1) for pair in run["environment"].split())
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={key: value for key, value in (basic | own).items() if value},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )


def _scrub(log: bytes, folder: Path, work: Path) -> bytes:
    """Paths of this machine become `/project`, its name vanishes; nothing else of it is in these logs."""
    for path, name in ((folder, b"/project"), (work, b"/tools")):
        log = log.replace(str(path).encode(), name)
    return re.sub(rb' hostname="[^"]*"', b"", log)


def _counts(run: Run, folder: Path) -> Counts:
    if run["counts"]:
        passed, failed, errors, skipped = (None if word == "-" else int(word) for word in run["counts"].split())
        return passed, failed, errors, skipped
    read = [REPORTS[run["report"]](file.read_text(encoding="utf-8")) for file in _reports(run, folder)]
    passed, failed, errors, skipped = (sum(count or 0 for count in column) for column in zip(*read, strict=True))
    return passed, failed, int(run["errors"] or errors), skipped


def _reports(run: Run, folder: Path) -> list[Path]:
    if run["report"] == "karma junit":  # one for each browser
        return list(folder.glob("reports/*/report.xml"))
    first = [folder / "first.out"] if "first.out" in run["command"] + run["second"] else []
    return [*first, folder / REPORT]


def _rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _record(run: Run, code: int, counts: Counts) -> None:
    runner = "node:test 24" if "node24" in run["command"] else TOOLS[run["tool"]][1].split(" ")[0] or "node:test"
    numbers = ("" if count is None else str(count) for count in counts)
    source = "by eye" if run["counts"] else run["report"]
    row = (run["name"], runner, run["command"], str(code), *numbers, run["green"], source, run["remark"])
    old = {one["name"]: one for one in _rows("INDEX.tsv")} | {run["name"]: dict(zip(COLUMNS, row, strict=True))}
    with (HERE / "INDEX.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE)
        writer.writeheader()
        writer.writerows(old[one["name"]] for one in _rows("runs.tsv") if one["name"] in old)


if __name__ == "__main__":
    main()
