"""What zizmor (https://docs.zizmor.sh) finds in workflow files that a change made worse, where that program is there.

An optional second opinion on risk: it holds nothing by itself, and what the program cannot say in its limits is left
out. It reads hostile files, so it gets copies under names of our own, no network, no environment and bounded means.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import re2

from app.gate.child import run_child
from app.gate.child_answers import read_json
from app.gate.child_request import Child
from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.workflows.model import LARGEST_WORKFLOW, is_workflow

PROGRAM = shutil.which("zizmor")
MEMORY_LIMIT = 1024**3  # bytes of address space
TIME_LIMIT = 20.0  # seconds
MOST_FILES = 50
MOST_NOTES = 50

_OPTIONS = ("--offline", "--no-exit-codes", "--no-config", "--no-ignores", "--no-progress", "--quiet")
_IDENT = re2.compile(r"[a-z0-9-]{1,60}")


async def zizmor_notes(
    changes: Sequence[Change], program: str | None = PROGRAM, seconds: float = TIME_LIMIT
) -> tuple[Alteration, ...]:
    """Findings that the new sides of changed workflow files have and the old sides had not."""
    pairs = [change for change in changes if _is_read(change.after)][:MOST_FILES]
    if program is None or not pairs:
        return ()
    # On a child that is being ended nobody waits; it may still write.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        names = _write(Path(folder), pairs)
        command = (program, *_OPTIONS, "--format", "json-v1", *names)
        asked = json.dumps({"folder": folder, "command": command}).encode()
        said = await run_child(Child("app.gate.zizmor_child:become", MEMORY_LIMIT, seconds), (asked,))
    try:
        return tuple(_new(read_json(said), names))[:MOST_NOTES]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return ()


def _is_read(version: Version | None) -> bool:
    if version is None or version.data is None or not is_workflow(version.path):
        return False
    return len(version.data) <= LARGEST_WORKFLOW


def _write(folder: Path, pairs: Sequence[Change]) -> dict[str, str]:
    """Both sides as files; their names, relative to the folder, with the paths they stand for. Old sides first."""
    names: dict[str, str] = {}
    for side in ("before", "after"):
        for number, change in enumerate(pairs):
            version = change.before if side == "before" else change.after
            if version is None or version.data is None or not _is_read(version):
                continue
            name = "action.yml" if version.path.endswith(("action.yml", "action.yaml")) else "workflow.yml"
            names[f"{side}/{number}/{name}"] = version.path
            (folder / side / str(number)).mkdir(parents=True)
            (folder / side / str(number) / name).write_bytes(version.data)
    return names


def _new(said: Any, names: Mapping[str, str]) -> Iterator[Alteration]:
    """The program's findings in the order of the files; one that moved with its text is not new."""
    found = [(each, place) for each in said for place in _places(each)]
    known = Counter((each["ident"], _first_line(text)) for each, (name, _, text) in found if name.startswith("before/"))
    for each, (name, line, text) in found:
        if name.startswith("before/"):
            continue
        if known[each["ident"], _first_line(text)] > 0:
            known[each["ident"], _first_line(text)] -= 1
        elif _IDENT.fullmatch(each["ident"]):
            path, reason = names[name], f"zizmor says of it: {str(each['desc'])[:200]}."
            quote, kind = _first_line(text)[:LONGEST_QUOTE], f"zizmor-{each['ident']}"
            yield Alteration(kind, path, line, "", quote, reason, Weight.RISK, path, "ci")


def _first_line(text: str) -> str:
    """What a finding is known by: the whole text of a job changes with every step."""
    return text.strip().partition("\n")[0]


def _places(finding: Any) -> Iterator[tuple[str, int, str]]:
    """Name, line and text of the place that the program calls the first one."""
    for each in finding["locations"]:
        if each["symbolic"]["kind"] == "Primary":
            name = str(each["symbolic"]["key"]["Local"]["verbatim_path"]).removeprefix("./")
            concrete = each["concrete"]
            yield name, int(concrete["location"]["start_point"]["row"]) + 1, str(concrete["feature"])
            return
