"""Whether the workflow files that ran are the target branch's own, unchanged."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from checks.finding import Evidence, Finding, Fix, errored, failed
from checks.runs import WorkflowFile

CHECK = "ci.workflow-files"


def bare_path(path: str) -> str:
    """A run's workflow path without the `@ref` that GitHub's documentation shows behind it and its API leaves out."""
    for extension in (".yml", ".yaml"):
        file, found, _ = path.partition(f"{extension}@")
        if found:
            return file + extension
    return path


def check_file(path: str, workflows: Collection[WorkflowFile], accepted: Collection[str] = ()) -> tuple[Finding, ...]:
    """Findings about the workflow file at `path` and every file that it calls; none where all of them are equal.

    `accepted` are paths whose change somebody entitled has merged already.
    """
    file = next((file for file in workflows if file.path == path), None)
    if file is None:
        reason = f"The workflow file {path} could not be compared with the target branch's: it was not read."
        return (errored(CHECK, reason, Evidence(path, path=path), fix=_LOOK_AGAIN),)
    return tuple(_differences(file, accepted))


def _differences(top: WorkflowFile, accepted: Collection[str]) -> Iterator[Finding]:
    waiting, seen = [top], {top.path}
    while waiting:
        file = waiting.pop()
        why = None if file.path in accepted else _difference(file)
        evidence = Evidence(file.path, path=file.path, digest=file.head_oid)
        if why is not None:
            yield failed(CHECK, f"{_name(file, top)} {why}, so its runs prove nothing.", evidence, fix=_SPLIT)
        for reference in file.unresolved:
            reason = f"{_name(file, top)} uses `{reference[:200]}`, which could not be followed."
            yield errored(CHECK, reason, evidence, fix=_PIN)
        waiting += [called for called in file.called if called.path not in seen]
        seen |= {called.path for called in file.called}


def _name(file: WorkflowFile, top: WorkflowFile) -> str:
    return f"The workflow file {top.path}" if file is top else f"{file.path}, which {top.path} calls,"


def _difference(file: WorkflowFile) -> str | None:
    if file.target_oid is None:
        return "is not on the target branch"
    if file.head_oid is None:
        return "is deleted at this head"
    return None if file.head_oid == file.target_oid else "is not the target branch's version"


_LOOK_AGAIN = Fix("wait", "Nothing to do; the gate reads it again by itself.")
_SPLIT = Fix(
    "split-pull-request",
    "Take the change of workflow files out, or bring the branch up to date; a person merges workflow changes first.",
)
_PIN = Fix("ask-person", "Ask a person to call only files of this repository, or others by full commit id.")
