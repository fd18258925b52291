"""GitHub's REST operations as githubkit knows them: method and path to the model of the answer.

The package has no table of them, so they are read from the source of its generated clients.
"""

from __future__ import annotations

import datetime
import functools
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Union

from pydantic import TypeAdapter

PACKAGE = "githubkit_schemas.v2026_03_10"
# Within one generated method: its address, the HTTP method, and the model of the answer where there is a body.
ADDRESS = re.compile(r'\burl = (?:\(\s*)?f?"([^"]+)"')
METHOD = re.compile(r'self\._github\.request\(\s*"([A-Z]+)"')
ERRORS = re.compile(r'"(\d{3})": (\w+(?:\[.*?\])?),', re.DOTALL)
MODEL = re.compile(r"\bresponse_model=(.+?),\n(?: {12}\w| {8}\))", re.DOTALL)
PARAMETER = re.compile(r"\{[^}]*\}")


@dataclass(frozen=True)
class Operation:
    """`model` is the expression that names the type of a successful answer, None where no body is described;
    `errors` are the models of refusals by status."""

    method: str
    path: str
    model: str | None
    errors: dict[int, str]


def plain_path(path: str) -> str:
    """A path with its parameters unnamed: `/repos/{owner}/{repo}` and `/repos/{o}/{r}` are the same operation."""
    return PARAMETER.sub("{}", path)


@functools.cache
def operations() -> dict[tuple[str, str], Operation]:
    """Every operation by method and plain path."""
    found: dict[tuple[str, str], Operation] = {}
    for source in files(PACKAGE).joinpath("rest").iterdir():
        if source.name.endswith(".py"):
            for operation in _operations_in(source.read_text(encoding="utf-8")):
                found[operation.method, plain_path(operation.path)] = operation
    return found


def _operations_in(source: str) -> Iterator[Operation]:
    """The asynchronous twin of each method is left out, and so are overloads, which have no body."""
    for definition in source.split("\n    def ")[1:]:
        address, method = ADDRESS.search(definition), METHOD.search(definition)
        if address and method:
            model = MODEL.search(definition, method.end())
            errors = {int(status): name for status, name in ERRORS.findall(definition, method.end())}
            yield Operation(method[1], address[1], model[1] if model else None, errors)


class _Models(dict[str, Any]):
    """The names that a model expression may use."""

    def __missing__(self, name: str) -> Any:
        return getattr(importlib.import_module(f"{PACKAGE}.models"), name)


def has_model(name: str) -> bool:
    return hasattr(importlib.import_module(f"{PACKAGE}.models"), name)


@functools.cache
def adapter(model: str) -> TypeAdapter[Any]:
    """A validator for a model expression such as `list[CheckAnnotation]`, built once a process."""
    names = {"Union": Union, "Any": Any, "list": list, "dict": dict, "str": str, "int": int, "_dt": datetime}
    return TypeAdapter(eval(model, {"__builtins__": {}}, _Models(names)))
