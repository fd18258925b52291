"""Tests of Go as units: functions of package testing, methods of testify's suites, Ginkgo's blocks.

What `go test` takes: https://pkg.go.dev/cmd/go#hdr-Test_packages, https://pkg.go.dev/testing,
https://pkg.go.dev/cmd/go#hdr-Build_constraints, https://onsi.github.io/ginkgo/
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2
import tree_sitter_go
from tree_sitter import Node

from checks.tampering.chains import Chain, chain
from checks.tampering.go_assertions import FAILS, SHAPE, failing_if, is_failure, is_skip, read_assertions
from checks.tampering.matchers import Said
from checks.tampering.reading import Language, Reader, names_found
from checks.tampering.scopes import Item, Kind, Mark, Message, Rows, Scope, Scopes, condition_scope, guard
from checks.tampering.statements import names
from checks.tampering.syntax import LONGEST_TEXT, Grammar, Syntax, demanded, first_part, parts
from checks.tampering.units import FileUnits, SkipScope

_GRAMMAR = Grammar(
    tree_sitter_go.language(),
    atoms=("interpreted_string_literal", "raw_string_literal", "rune_literal"),
    comments=("comment",),
    wanted=(
        *("function_declaration", "method_declaration", "call_expression", "if_statement", "for_statement"),
        *("short_var_declaration", "var_spec", "const_spec", "expression_switch_statement"),
        *("type_switch_statement", "select_statement", "go_statement"),
    ),
)
SIGN = re2.compile(rb"\btesting\.(?:T|TB|F|M)\b|\bginkgo\b")
_IN_TESTS = re2.compile(rb"\bfunc Test|\bt\.(?:Error|Fatal|Fail|Skip|Run)|\b(?:assert|require)\.|\bIt\(")
_DEFINES = re2.compile(
    r"(?m)^func\s+(?:\([^)]*\)\s*)?(\w+)|^type\s+(\w+)|^(?:var|const)\s+(\w+)|^\t(\w+)\s+(?:struct|interface|func)\b"
)
_TEST = re2.compile(r"(?:Test|Fuzz|Example)(?:[^a-z].*)?")
_SUITES = frozenset({"Describe", "Context", "When", "DescribeTableSubtree"})
_TESTS = frozenset({"It", "Specify", "DescribeTable"})
_ASSERTING = FAILS | {"assert", "require", "Expect"}
# `wg.Wait()`, `<-done`, `require.Eventually`, synctest: the test outlives what it starts.
_WAITS = re2.compile(rb"<-|\b(?:Wait|Sleep|Eventually|Cleanup)\w*\(|\bsynctest\b")
_CONSTRAINT = re2.compile(rb"(?m)^//(?:go:build| ?\+build)[ \t]+(.+)$")
_TAG = re2.compile(r"\w[\w.]*")
_SYSTEMS = names("linux unix windows darwin freebsd openbsd netbsd dragonfly solaris illumos aix android ios plan9 js")
_MACHINES = names("amd64 arm64 386 arm wasm riscv64 ppc64le s390x cgo race gc gccgo msan asan")
_OUTPUT = re2.compile(rb"(?i)//[ \t]*(?:unordered )?output:((?:[^\n]*\n?[ \t]*(?://)?)*)")


def read_units(path: str, source: bytes) -> FileUnits:
    """See `units`. Product code that knows nothing of tests is not parsed."""
    if not path.endswith("_test.go") and SIGN.search(source) is None:
        return FileUnits(path, defines=_defines(source))
    return _LANGUAGE.read(_GRAMMAR, path, source)


def _defines(source: bytes) -> frozenset[str]:
    return names_found(_DEFINES, source)


class _Reader(Reader):
    """What each wanted node means."""

    def __init__(self, syntax: Syntax, scopes: Scopes, path: str) -> None:
        super().__init__(syntax, scopes)
        self._is_collected = _is_collected(path)
        self._waits = False  # whether the function waits for anything that it starts
        self._subtest_end = 0  # of the last `t.Run`, in bytes
        for mark in (_constraint(syntax.source), _file_name(path)):
            if mark is not None:
                scopes.mark_file(mark)

    def visit(self, kind: str, node: Node) -> Iterator[Item]:
        if node.id in self.taken:
            return
        match kind:
            case "function_declaration" | "method_declaration":
                yield from self._function(node)
            case "call_expression":
                yield from self._chain(node)
            case "if_statement":
                yield from self._if(node)
            case "for_statement":
                yield from self._loop(node)
            case "go_statement":
                if not self._waits:
                    yield Scope(Kind.GUARD, node)
            case "short_var_declaration" | "var_spec" | "const_spec":
                self._variable(node)
            case _:
                yield Scope(Kind.GUARD, node)

    def _function(self, node: Node) -> Iterator[Item]:
        body = node.child_by_field_name("body")
        if body is None:
            return
        self._waits = _WAITS.search(self.syntax.raw(body)) is not None
        title, owner = self.syntax.short(demanded(node, "name")), _owner(self.syntax, node)
        is_test = _TEST.fullmatch(title) is not None and title != "TestMain" and self._takes_tester(node, title, owner)
        scope = Scope(Kind.TEST if is_test else Kind.HELPER, node, owner + title, parts=(body,))
        scope.certain_until = self._left_at(body)
        scope.collected = self._is_collected
        yield scope
        output = _OUTPUT.search(self.syntax.raw(node)) if title.startswith("Example") else None
        if output is not None:
            text = output[1].decode("utf-8", "replace").rstrip().removesuffix("}").replace("//", " ")
            yield self.assertion(node, Said("equal", "output", " ".join(text.split())[:LONGEST_TEXT]))

    def _takes_tester(self, node: Node, title: str, owner: str) -> bool:
        """A test has one parameter, an example none; a suite's method has none either."""
        text = self.syntax.short(demanded(node, "parameters"))
        return "testing." in text or (text == "()" and (owner != "" or title.startswith("Example")))

    def _chain(self, node: Node) -> Iterator[Item]:
        read = chain(self.syntax, SHAPE, node)
        self.taken.update(inner.id for inner in read.inner)
        arguments = read.links[-1].arguments or ()
        if is_skip(read):
            inside = node.start_byte < self._subtest_end
            yield Mark("skipped", self.syntax.short(node), SkipScope.CONDITION if inside else SkipScope.ALWAYS)
        elif read.links[-1].name == "Run" and len(arguments) == 2 and arguments[1].type == "func_literal":
            self._subtest_end = max(self._subtest_end, node.end_byte)
            if arguments[0].type.endswith("string_literal"):
                yield Rows((self.syntax.short(arguments[0]),))
        elif (block := self._block(read, node)) is not None:
            yield block
        else:
            yield from self.chain(node, read, read_assertions(self.syntax, read))

    def _block(self, read: Chain, node: Node) -> Scope | None:
        """Ginkgo's containers and tests; `F` before a word focuses, `P` and `X` skip."""
        name, arguments = read.links[-1].name, read.links[-1].arguments or ()
        prefix = name[:1] if name[:1] in "FPX" and name[1:] in _SUITES | _TESTS else ""
        word = name.removeprefix(prefix)
        bodies = [argument for argument in arguments if argument.type == "func_literal"]
        if word not in _SUITES | _TESTS or not bodies or len(read.links) > 2:
            return None
        body = bodies[-1].child_by_field_name("body")
        scope = Scope(Kind.SUITE if word in _SUITES else Kind.TEST, node, self.syntax.short(arguments[0]).strip('"'))
        scope.parts = tuple(arguments[1:]) if body is None else (body, *arguments[1 : arguments.index(bodies[-1])])
        scope.collected = self._is_collected
        entries = tuple(self.syntax.short(one) for one in arguments if self.syntax.short(one).startswith("Entry("))
        scope.rows = entries if word == "DescribeTable" else None
        if prefix:
            what = "focused" if prefix == "F" else "skipped"
            scope.marks[what] = Mark(what, name)
        return scope

    def _if(self, node: Node) -> Iterator[Item]:
        """`if got != want { t.Errorf(…) }` asserts; all else under a condition may not run."""
        condition, then = demanded(node, "condition"), demanded(node, "consequence")
        failing = self._failing(then)
        if failing is not None:
            self.taken.add(failing.id)
            yield Message(demanded(failing, "arguments"))
            initializer = node.child_by_field_name("initializer")
            for said in failing_if(self.syntax, condition, initializer):
                yield self.assertion(condition, said)
        other = node.child_by_field_name("alternative")
        if other is None or not (self._asserts(then) and self._asserts(other)):
            yield guard(node, self.syntax.brief(condition), is_split=other is not None)

    def _asserts(self, branch: Node) -> bool:
        return not _ASSERTING.isdisjoint(self.syntax.words(branch))

    def _failing(self, block: Node) -> Node | None:
        """The first call on the block's own level that fails the test."""
        return next((call for call in self._calls(block) if is_failure(chain(self.syntax, SHAPE, call))), None)

    def _calls(self, block: Node) -> Iterator[Node]:
        for statement in _statements(block):
            call = first_part(statement) if statement.type == "expression_statement" else None
            if call is not None and call.type == "call_expression":
                yield call

    def _left_at(self, body: Node) -> int | None:
        """From which byte on the function may have been left by a `return` that neither fails nor skips."""
        for statement in _statements(body):
            then = statement.child_by_field_name("consequence") if statement.type == "if_statement" else None
            inside = [statement] if then is None else _statements(then)
            said = then is not None and any(_ends(chain(self.syntax, SHAPE, call)) for call in self._calls(then))
            if not said and any(last.type == "return_statement" for last in inside):
                return statement.end_byte
        return None

    def _loop(self, node: Node) -> Iterator[Item]:
        """The table that a test ranges over."""
        clause = next((child for child in node.named_children if child.type == "range_clause"), None)
        over = clause.child_by_field_name("right") if clause is not None else None
        rows = self._rows(over) if over is not None else None
        if rows is not None:
            yield Rows(rows)

    def _variable(self, node: Node) -> None:
        left, right = (
            node.child_by_field_name(name) or node.child_by_field_name(other)
            for name, other in (("left", "name"), ("right", "value"))
        )
        values = parts(right) if right is not None else []
        if left is not None and len(values) == 1:
            self.bind(self.syntax.short(left), values[0], self._rows(values[0]))

    def _rows(self, value: Node) -> tuple[str, ...] | None:
        body = value.child_by_field_name("body") if value.type == "composite_literal" else None
        if body is None:
            return self.lists.get(self.syntax.short(value))
        return tuple(map(self.syntax.short, parts(body)))


def _statements(block: Node) -> Sequence[Node]:
    """Those of a block, in this grammar inside a list of their own."""
    return [child for part in parts(block) for child in (parts(part) if part.type == "statement_list" else (part,))]


def _ends(read: Chain) -> bool:
    return is_failure(read) or is_skip(read)


def _owner(syntax: Syntax, node: Node) -> str:
    """The receiver's type with a dot, of a method."""
    receiver = node.child_by_field_name("receiver")
    return "" if receiver is None else syntax.words(receiver)[-2] + "."


def _is_collected(path: str) -> bool:
    *folders, name = path.split("/")
    hidden = any(part.startswith(("_", ".")) for part in (*folders, name))
    return name.endswith("_test.go") and not hidden and "testdata" not in folders


def _constraint(source: bytes) -> Mark | None:
    """Build tags that keep a file out of a plain `go test`."""
    found = _CONSTRAINT.search(source.partition(b"\npackage ")[0])
    if found is None:
        return None
    condition = found[1].decode("utf-8", "replace").strip()
    tags = frozenset(_TAG.findall(condition))
    foreign = {tag for tag in tags - _SYSTEMS - _MACHINES if not tag.startswith("go1.")}
    scope = SkipScope.ALWAYS if "ignore" in tags else SkipScope.CONDITION
    if not foreign:
        scope = condition_scope(condition, runs=True) if tags & _SYSTEMS else SkipScope.PLATFORM
    return Mark("skipped", f"//go:build {condition}", scope)


def _file_name(path: str) -> Mark | None:
    """`cart_windows_test.go` is built for that system only."""
    parts = path.rpartition("/")[2].removesuffix("_test.go").split("_")[1:]
    named = [part for part in parts[-2:] if part in _SYSTEMS - {"unix"} or part in ("amd64", "arm64", "386", "arm")]
    if not named:
        return None
    usual = set(named) <= {"linux", "amd64"}
    return Mark("skipped", f"_{'_'.join(named)}_test.go", SkipScope.PLATFORM if usual else SkipScope.CONDITION)


_LANGUAGE = Language(".", lambda syntax, scopes, path: _Reader(syntax, scopes, path).visit, _IN_TESTS, _defines)
