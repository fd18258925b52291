"""A workflow or action file as jobs and steps, with lines; what is absent or of another form is empty, not an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import re2

from checks.tampering.commands.runs import Shell
from checks.tampering.settings.flat import TooMuch, leaves
from checks.tampering.settings.yaml_values import Path, UnreadableYaml, Value, YamlValues, read_yaml

LARGEST_WORKFLOW = 512 * 1024  # bytes
MOST_JOBS = 300  # of one file; GitHub allows 256 from a matrix
MOST_STEPS = 2_000  # of one file, over all its jobs

_WORKFLOW = re2.compile(r"\.github/workflows/[^/]+\.ya?ml")
_ACTION = re2.compile(r"(?:.*/)?action\.ya?ml")


@dataclass(frozen=True, slots=True)
class Step:
    """`line` is 1-based; `script_line` is that of the script's first line. Texts are empty where there are none."""

    name: str
    line: int
    condition: str
    continue_on_error: str
    uses: str
    run: str
    script_line: int
    shell: str
    inputs: Mapping[str, str]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Job:
    """`matrix` are the legs that the axes make, at most MOST_LEGS; None where an expression makes them."""

    id: str
    name: str
    line: int
    condition: str
    continue_on_error: str
    uses: str
    runs_on: str
    secrets: str
    permissions: Mapping[str, str]
    environment: Mapping[str, str]
    cache_mode: str
    shell: str
    matrix: frozenset[str] | None
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Workflow:
    """`events` are the triggers with their filters (`paths`, `branches`, …) as lists of texts."""

    path: str
    name: str
    events: Mapping[str, Mapping[str, tuple[str, ...]]]
    permissions: Mapping[str, str]
    environment: Mapping[str, str]
    cache_mode: str
    jobs: tuple[Job, ...]
    lines: YamlValues

    def line_of(self, *path: str | int) -> int | None:
        return self.lines.line_of(path)


def is_workflow(path: str) -> bool:
    """Whether GitHub takes a file of that name for a workflow or an action."""
    plain = path.encode("utf-8", "replace").decode()
    return bool(_WORKFLOW.fullmatch(plain) or _ACTION.fullmatch(plain))


def read_workflow(path: str, data: bytes | None) -> Workflow | None:
    """None where the file is too large or no YAML, or holds more jobs or steps than are read: in what is left out
    anything could stand."""
    if data is None or len(data) > LARGEST_WORKFLOW:
        return None
    try:
        values = read_yaml(data.decode("utf-8-sig", "replace"))
    except UnreadableYaml:
        return None
    return _workflow(path, values) if _is_read_whole(_mapping(values.value)) else None


def _is_read_whole(top: Mapping[str, Value]) -> bool:
    jobs = _mapping(top.get("jobs"))
    holders = [*(_mapping(job) for job in jobs.values()), _mapping(top.get("runs"))]
    steps = [steps for holder in holders if isinstance(steps := holder.get("steps"), list)]
    return len(jobs) <= MOST_JOBS and sum(map(len, steps)) <= MOST_STEPS


def _workflow(path: str, values: YamlValues) -> Workflow:
    top = _mapping(values.value)
    steps_of_action = _mapping(top.get("runs")).get("steps")
    jobs: list[Job] = []
    jobs.extend(_job(values, name, job, top) for name, job in _mapping(top.get("jobs")).items())
    if isinstance(steps_of_action, list):
        jobs.append(_job(values, "runs", top["runs"], {}))
    return Workflow(
        path,
        _text(top.get("name")),
        _events(top.get("on")),
        _texts(top.get("permissions")),
        _texts(top.get("env")),
        _text(top.get("cache-mode")),
        tuple(jobs),
        values,
    )


def _job(values: YamlValues, name: str, value: Value, top: Mapping[str, Value]) -> Job:
    job = _mapping(value)
    base: Path = ("runs",) if name == "runs" and not top else ("jobs", name)
    defaults = _mapping(_mapping(job.get("defaults", top.get("defaults"))).get("run"))
    steps = job.get("steps")
    return Job(
        id=name,
        name=_text(job.get("name")) or name,
        line=values.line_of(base) or 1,
        condition=_text(job.get("if")),
        continue_on_error=_text(job.get("continue-on-error")),
        uses=_text(job.get("uses")),
        runs_on=_words(job.get("runs-on")),
        secrets=_text(job.get("secrets")),
        permissions=_texts(job.get("permissions")),
        environment=_texts(job.get("env")),
        cache_mode=_text(job.get("cache-mode")),
        shell=_text(defaults.get("shell")),
        matrix=_legs(_mapping(job.get("strategy")).get("matrix")),
        steps=tuple(_steps(values, (*base, "steps"), steps if isinstance(steps, list) else [])),
    )


def _steps(values: YamlValues, base: Path, steps: list[Value]) -> Iterator[Step]:
    for number, value in enumerate(steps):
        step, path = _mapping(value), (*base, number)
        run_line = values.line_of((*path, "run")) or 1
        yield Step(
            name=_text(step.get("name")),
            line=values.line_of(path) or 1,
            condition=_text(step.get("if")),
            continue_on_error=_text(step.get("continue-on-error")),
            uses=_text(step.get("uses")),
            run=_text(step.get("run")),
            script_line=run_line + 1 if (*path, "run") in values.blocks else run_line,
            shell=_text(step.get("shell")),
            inputs=_texts(step.get("with")),
            environment=_texts(step.get("env")),
        )


def shell_of(step: Step, job: Job) -> Shell:
    """How the step's shell starts.

    Without a word it is `bash -e`, with `bash` it is `bash -eo pipefail`, with `sh` it is `sh -e`; a template says it
    itself.
    """
    words = (step.shell or job.shell).split()
    if len(words) < 2:
        return Shell(errexit=True, pipefail=words == ["bash"])
    flags = [word for word in words[1:] if word.startswith("-") and not word.startswith("--")]
    return Shell(any("e" in flag for flag in flags), "pipefail" in words)


def _events(value: Value | None) -> dict[str, Mapping[str, tuple[str, ...]]]:
    if isinstance(value, dict):
        return {name: _filters(filters) for name, filters in value.items()}
    names = value if isinstance(value, list) else [value or ""]
    return {name: {} for name in names if isinstance(name, str) and name}


def _filters(value: Value) -> Mapping[str, tuple[str, ...]]:
    return {
        name: tuple(_text(item) for item in items) if isinstance(items, list) else (_text(items),)
        for name, items in _mapping(value).items()
    }


def _legs(value: Value | None) -> frozenset[str] | None:
    """Every leg as `axis=value, axis=value`; the rules are those of `jobs.<job_id>.strategy.matrix` in the syntax."""
    if value is None:
        return frozenset()
    if not isinstance(value, dict):
        return None
    axes = [(name, items) for name, items in value.items() if name not in ("include", "exclude")]
    legs: list[dict[str, str]] = [{}]
    for name, items in axes:
        if not isinstance(items, list) or len(legs) * len(items) > MOST_LEGS:
            return None
        legs = [{**leg, name: _plain(item)} for leg in legs for item in items]
    excluded = _rows(value.get("exclude"))
    kept = [leg for leg in legs if axes and not any(row.items() <= leg.items() for row in excluded)]
    return frozenset(_leg(row) for row in (*kept, *_rows(value.get("include"))))


MOST_LEGS = 256  # GitHub makes no more


def _rows(value: Value | None) -> list[dict[str, str]]:
    rows = value if isinstance(value, list) else []
    return [{name: _plain(item) for name, item in row.items()} for row in rows[:MOST_LEGS] if isinstance(row, dict)]


def _leg(row: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(row.items()))


def _plain(value: Value) -> str:
    """A leg's value on one line; an alias can make a value that is endless, so only its first parts are looked at."""
    try:
        return " ".join(islice((text for _, text in leaves(value)), MOST_PARTS))
    except TooMuch:
        return ""


MOST_PARTS = 20


def _mapping(value: Value | None) -> dict[str, Value]:
    return value if isinstance(value, dict) else {}


def _text(value: Value | None) -> str:
    return value.strip() if isinstance(value, str) else ""


def _words(value: Value | None) -> str:
    """`runs-on` in its three forms: a label, labels, or a group with labels."""
    if isinstance(value, dict):
        return ", ".join(filter(None, (_listed(each) for each in value.values())))
    return _listed(value)


def _listed(value: Value | None) -> str:
    return ", ".join(_text(item) for item in value) if isinstance(value, list) else _text(value)


def _texts(value: Value | None) -> dict[str, str]:
    """A mapping's texts; a single word for all (`permissions: write-all`) stands under `*`."""
    if isinstance(value, str):
        return {"*": value} if value else {}
    return {name: _text(item) for name, item in _mapping(value).items()}
