"""Runs real runners on the little projects of `cases.py`; keeps their logs, and their own reports' counts beside them.

`python -m tests.checks.logs.real.managed.make [NAME...]` makes all logs anew, or only those named; run it in the
foreground, or an interrupt that a test sends to itself is ignored. It needs Debian's packages maven,
maven-debian-helper, libsurefire-java, junit4, junit5, gradle, ant, ant-optional, ruby-rspec, ruby-rspec-retry,
ruby-minitest, ruby-minitest-reporters, ruby-test-unit, ruby-parallel-tests, ruby-railties, phpunit, mono-mcs,
libnunit-cil-dev and nunit-console, and a Python that has pytest with the plugins xdist, rerunfailures, subtests,
timeout, sugar and cov, and tox, nox, hatch, nose2, django, tblib and unittest-xml-reporting. The tests do not run it.
"""

from __future__ import annotations

import csv
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.checks.logs.real.managed.cases import CASES
from tests.checks.logs.real.managed.reports import Case, Counts

HERE = Path(__file__).resolve().parent
COLUMNS = ("name", "runner", "command", "passed", "failed", "errors", "skipped", "green", "counts from", "remark")
MAVEN_REPOSITORY = Path("/usr/share/maven-repo")


def main(names: list[str]) -> None:
    rows = _rows()
    with tempfile.TemporaryDirectory(prefix="logs-") as folder:
        for case in CASES:
            if not names or case.name in names:
                rows[case.name] = _make(case, Path(folder))
                print(case.name, rows[case.name][3:8], flush=True)
    with (HERE / "INDEX.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows[case.name] for case in CASES if case.name in rows)


def _rows() -> dict[str, list[str]]:
    if not (HERE / "INDEX.tsv").exists():
        return {}
    with (HERE / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        return {row[0]: row for row in list(csv.reader(file, delimiter="\t"))[1:]}


def _make(case: Case, root: Path) -> list[str]:
    project = root / case.name
    for name, text in case.files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    environment = _environment(root)
    for command in case.before:
        subprocess.run(command, shell=True, cwd=project, env=environment, check=True, capture_output=True)
    log = subprocess.run(
        f"exec 2>&1; {case.command}", shell=True, cwd=project, env=environment, check=False, stdout=subprocess.PIPE
    ).stdout
    (HERE / f"{case.name}.log").write_bytes(_scrub(log, project, root))
    for command in case.after:
        subprocess.run(command, shell=True, cwd=project, env=environment, check=False, capture_output=True)
    return _row(case, case.counts(project))


def _row(case: Case, counts: Counts) -> list[str]:
    lost = case.lost
    numbers = (counts.passed + lost.passed, counts.failed + lost.failed, counts.errors + lost.errors, counts.skipped)
    cells = ["" if case.unknown else str(number) for number in numbers]
    green = "yes" if case.green else "no"
    return [case.name, case.runner, case.command, *cells, green, case.source, case.remark]


def _environment(root: Path) -> dict[str, str]:
    """A home of its own, this Python's programs first, and Maven on Debian's repository alone."""
    home = root / "home"
    repository = root / "m2"
    home.mkdir(exist_ok=True)
    if MAVEN_REPOSITORY.exists() and not repository.exists():
        # Debian's links into /usr/share/java are followed; some of them lead nowhere.
        subprocess.run(("cp", "-rL", MAVEN_REPOSITORY, repository), check=False, capture_output=True)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    kept = {name: os.environ[name] for name in ("PIP_INDEX_URL", "LANG") if name in os.environ}
    maven = {"MAVEN_ARGS": "", "M2": str(repository)}
    return {"PATH": path, "HOME": str(home), "LC_ALL": "C.UTF-8", **kept, **maven}


def _scrub(log: bytes, project: Path, root: Path) -> bytes:
    """Without this machine's paths and names."""
    replacements = {
        str(project): "/project",
        str(root): "/home/user",
        sys.prefix: "/venv",
        sys.base_prefix: "/usr/local",
        platform.release(): "6.1.0",
        platform.release().replace("-", ".").split(".fc")[0]: "6.1.0",
        platform.node(): "host",
    }
    text = log.decode("utf-8", errors="surrogateescape")
    for found, replacement in replacements.items():
        if found:
            text = text.replace(found, replacement)
    return text.encode("utf-8", errors="surrogateescape")


if __name__ == "__main__":
    main(sys.argv[1:])
