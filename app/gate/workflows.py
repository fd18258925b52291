"""Workflow files at the head and at the target, with every local file that they call, compared by object id."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import yaml

from app.gate.git import GitFailed, GitObjects
from checks.runs import WorkflowFile, WorkflowNote
from checks.unread import Unread
from checks.workflow_notes import workflow_notes

FOLDER = ".github/workflows"
ROOT = "."
MOST_BYTES = 512 * 1024  # of one workflow file
DEEPEST = 10  # reusable workflows call each other no deeper
MOST_FILES = 200

# Finding out what a script runs takes milliseconds, and a workflow file seldom changes.
_notes = lru_cache(maxsize=64)(workflow_notes)


async def read_workflow_files(objects: GitObjects, head: str, target: str) -> tuple[WorkflowFile, ...] | Unread:
    """Every workflow file of either side. Unread when there are too many, or git cannot read them."""
    try:
        paths = sorted({*await objects.files_in(head, FOLDER), *await objects.files_in(target, FOLDER)})
        paths = [path for path in paths if path.endswith((".yml", ".yaml"))]
        if len(paths) > MOST_FILES:
            return Unread(f"there are {len(paths)} workflow files; more than {MOST_FILES} are not compared")
        return tuple([await _workflow(objects, path, head, target, 0) for path in paths])
    except GitFailed as wrong:
        return Unread(str(wrong))


async def _workflow(objects: GitObjects, path: str, head: str, target: str, depth: int) -> WorkflowFile:
    head_oid, target_oid = await _oid(objects, head, path), await _oid(objects, target, path)
    if head_oid is None or head_oid != target_oid or depth > DEEPEST:
        too_deep = ("calls that go too deep",) if depth > DEEPEST else ()
        return WorkflowFile(path, head_oid, target_oid, unresolved=too_deep)
    file = await _definition(objects, path, head)
    text = None if file is None else await objects.blob_at(head, file, MOST_BYTES)
    called, unresolved = await _called(objects, text, head, target, depth)
    return WorkflowFile(path, head_oid, target_oid, called, unresolved, _notes_of(file, text))


def _notes_of(file: str | None, text: bytes | None) -> tuple[WorkflowNote, ...]:
    return () if file is None or text is None else _notes(file, text)


async def _oid(objects: GitObjects, commit: str, path: str) -> str | None:
    """`uses: ./` calls the repository as a whole."""
    return await objects.tree_of(commit) if path == ROOT else await objects.entry_at(commit, path)


async def _called(
    objects: GitObjects, text: bytes | None, head: str, target: str, depth: int
) -> tuple[tuple[WorkflowFile, ...], tuple[str, ...]]:
    references = None if text is None else local_references(text)
    if references is None:
        return (), ("a file that cannot be read as a workflow",)
    if len(references) > MOST_FILES:
        return (), ("more calls than are followed",)
    return tuple([await _workflow(objects, each, head, target, depth + 1) for each in references]), ()


async def _definition(objects: GitObjects, path: str, commit: str) -> str | None:
    """The file that says what else is called: a workflow itself, or the one in an action's folder."""
    if path.endswith((".yml", ".yaml")):
        return path
    folder = "" if path == ROOT else f"{path}/"
    for file in (f"{folder}action.yml", f"{folder}action.yaml"):
        if await objects.entry_at(commit, file) is not None:
            return file
    return None


def local_references(text: bytes) -> tuple[str, ...] | None:
    """Paths in the same repository that a workflow or action file calls; None when it is no readable YAML.

    `./path` and `$/path` both name the repository that is checked out (the latter since 2026-07-30). A reference to
    another repository is fixed by the file's own text, which is compared already.
    """
    try:
        node = yaml.compose(text.decode("utf-8"), Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return None
    uses = () if node is None else _uses(node, set())
    return tuple(dict.fromkeys(_path(value) for value in uses if value.startswith(("./", "$/"))))


def _path(reference: str) -> str:
    return reference[2:].partition("@")[0].strip("/") or ROOT


def _uses(node: yaml.Node, seen: set[int]) -> Iterator[str]:
    """Values of every `uses` key. Anchors make a graph of the file, so each node is entered once."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _uses(item, seen)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value == "uses" and isinstance(value, yaml.ScalarNode):
                yield value.value
            yield from _uses(value, seen)
