"""One function of a source: what it calls, replaces and asserts."""

from __future__ import annotations

import ast
from collections import ChainMap, Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from checks.tampering.python.body import Body, Function, Place
from checks.tampering.python.claims import Claims
from checks.tampering.python.conditions import Conditions
from checks.tampering.python.source import Source, dotted, is_literal, last_name, nodes, normal

# What a thread raises ends that thread alone, see
# https://docs.python.org/3/library/threading.html#threading.excepthook; what a task raises, whoever asks it learns.
_STARTS = frozenset(
    {"Thread", "Timer", "Process", "start_new_thread", "submit", "apply_async", "create_task", "ensure_future"}
    | {"call_soon", "call_later", "call_at", "call_soon_threadsafe"}
)
_ASKS = frozenset(
    {"result", "get", "gather", "exception", "run_until_complete", "as_completed", "wait_for", "exitcode"}
)
_MOCKS = ("Mock", "MagicMock", "AsyncMock", "PropertyMock")


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of a function; `text` is its normal text without name, decorators and docstring."""

    body: Body
    calls: frozenset[str]
    mocks: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class Module:
    """What a function sees of its module: `constants` are names that stand for one thing, `skippers` are functions and
    fixtures of it that skip whatever calls them, `quiet` those that swallow what is raised. `known`: see `Claims`."""

    source: Source
    constants: dict[str, ast.expr]
    skippers: frozenset[str] = frozenset()
    quiet: frozenset[str] = frozenset()
    known: dict[int, str | None] = field(default_factory=dict)


def read_function(function: Function, module: Module) -> Reading:
    parts = nodes(function)
    names = [node for node in parts if isinstance(node, ast.Name)]
    source, values = module.source, _values(function, parts, names, module.constants)
    used = frozenset(_loaded(names) - _started(parts))
    body = Body(source, Claims(source, values, module.known), Conditions(values), used, module.skippers, module.quiet)
    marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list)
    body.block(function.body, Place(swallowed=any(last_name(mark) in module.quiet for mark in marks)))
    body.ask_for(module.skippers & _fixtures(function))
    calls = [node for node in parts if isinstance(node, ast.Call)]
    called = {dotted(call.func) for call in calls} | _fixtures(function) | set(_used_fixtures(calls))
    mocks = _mocks(parts)
    return Reading(body, frozenset(called - {""}), mocks, _text(function, source))


def _loaded(names: list[ast.Name]) -> Counter[str]:
    return Counter(name.id for name in names if isinstance(name.ctx, ast.Load))


def _started(parts: list[ast.AST]) -> Counter[str]:
    """Names that are only handed to something that runs beside the test, where nothing asks how that ended."""
    calls = [node for node in parts if isinstance(node, ast.Call)]
    if any(isinstance(node, ast.Await) for node in parts) or any(last_name(call.func) in _ASKS for call in calls):
        return Counter()
    given = (argument for call in calls if last_name(call.func) in _STARTS for argument in _arguments(call))
    inside = (argument.func if isinstance(argument, ast.Call) else argument for argument in given)
    return Counter(name.id for name in inside if isinstance(name, ast.Name))


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _used_fixtures(calls: list[ast.Call]) -> Iterator[str]:
    """`@pytest.mark.usefixtures("database")`."""
    for call in calls:
        if last_name(call.func) == "usefixtures":
            yield from (
                name.value for name in call.args if isinstance(name, ast.Constant) and isinstance(name.value, str)
            )


def replaced_in(function: Function) -> frozenset[str]:
    """What code a function replaces: by mocks, by `monkeypatch`, or by giving attributes of modules other values."""
    parts = nodes(function)
    own = ("self", "cls", *_fixtures(function))
    assigned = [node for node in parts if isinstance(node, ast.Assign) and not is_literal(node.value)]
    targets = (target for node in assigned for target in node.targets if isinstance(target, ast.Attribute))
    return _mocks(parts) | {name for name in map(dotted, targets) if name.partition(".")[0] not in own}


def _mocks(parts: list[ast.AST]) -> frozenset[str]:
    called = (name for node in parts if isinstance(node, ast.Call) for name in replaced_by_call(node))
    return frozenset((*called, *_assigned_mocks(parts)))


def _values(
    function: Function, parts: list[ast.AST], names: list[ast.Name], constants: dict[str, ast.expr]
) -> Mapping[str, ast.expr]:
    """What names stand for in the function; a name that it binds itself hides the module's."""
    own = {name.id for name in names if not isinstance(name.ctx, ast.Load)} | _fixtures(function)
    hidden: dict[str, ast.expr] = {name: ast.Name(name) for name in own}
    return ChainMap(_local_values(parts, names), hidden, constants)


def _local_values(parts: list[ast.AST], names: list[ast.Name]) -> dict[str, ast.expr]:
    """What local names stand for that are bound once, and to a literal or another name."""
    bound = Counter(name.id for name in names if not isinstance(name.ctx, ast.Load))
    assigned = [node for node in parts if isinstance(node, ast.Assign) and len(node.targets) == 1]
    return {
        node.targets[0].id: node.value
        for node in assigned
        if isinstance(node.targets[0], ast.Name) and bound[node.targets[0].id] == 1 and _is_plain(node.value)
    }


def _is_plain(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) or is_literal(value)


def _fixtures(function: Function) -> set[str]:
    """Parameters name what pytest calls for a test, or what a helper is given."""
    arguments = function.args
    return {argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)} - {
        "self",
        "cls",
    }


def replaced_by_call(call: ast.Call) -> Iterator[str]:
    """What `mock.patch`, `patch.object`, `monkeypatch.setattr` and `mocker.patch` replace, but for plain values."""
    name = last_name(call.func)
    if name not in ("patch", "object", "setattr") or not call.args:
        return
    first, *others = call.args
    is_path = isinstance(first, ast.Constant) and isinstance(first.value, str)
    named = first if is_path else next(iter(others), first)
    values = [*(others if is_path else others[1:]), *(word.value for word in call.keywords if word.arg == "new")]
    if not any(map(is_literal, values)) and isinstance(named, ast.Constant) and isinstance(named.value, str):
        yield named.value if is_path else f"{dotted(first)}.{named.value}"


def _assigned_mocks(parts: list[ast.AST]) -> Iterator[str]:
    """`cart.total = lambda: 30` and `cart.total = Mock(return_value=30)`."""
    for node in parts:
        if isinstance(node, ast.Assign) and is_mock(node.value):
            yield from (dotted(target) for target in node.targets if isinstance(target, ast.Attribute))


def is_mock(value: ast.expr) -> bool:
    """A function without a name, or an object of `unittest.mock`."""
    return isinstance(value, ast.Lambda) or (isinstance(value, ast.Call) and last_name(value.func) in _MOCKS)


def _text(function: Function, source: Source) -> str:
    first, *others = function.body
    if others and isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        first = others[0]
    parameters = ",".join(sorted(_fixtures(function)))
    return f"({parameters}){normal(source.raw(first, function.body[-1]))}"
