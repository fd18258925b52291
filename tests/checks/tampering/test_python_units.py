"""Python's tests as units: which functions are tests, what is marked on them, which assertions count."""

from __future__ import annotations

import pytest

from checks.tampering.languages import defined_names
from checks.tampering.python_units import read_units
from checks.tampering.units import FileUnits, SkipScope, Unit
from tests.checks.tampering.python_told import PATH, body_of, file_of, unit_of

ALWAYS, CONDITION, PLATFORM = SkipScope.ALWAYS, SkipScope.CONDITION, SkipScope.PLATFORM


def names_of(found: FileUnits) -> dict[str, bool]:
    """The tests, and whether a runner finds each."""
    return {unit.name: unit.collected for unit in found.units}


def helpers_of(found: FileUnits) -> list[str]:
    return [helper.name for helper in found.helpers]


class TestFiles:
    @pytest.mark.parametrize(
        ("path", "is_found"),
        [
            ("test_a.py", True),
            ("tests/test_a.py", True),
            ("tests/a_test.py", True),
            ("tests/tests.py", True),
            ("tests/testing.py", True),
            ("tests/a.py", False),
            ("tests/a_tests.py", False),
            ("tests/.hidden/test_a.py", False),
            ("build/tests/test_a.py", False),
            ("tests/a.egg/test_a.py", False),
            ("node_modules/tests/test_a.py", False),
        ],
    )
    def test_where_a_runner_looks(self, path: str, is_found: bool) -> None:
        assert names_of(file_of("def test_it(): assert f(1)\n", path)) == {"test_it": is_found}

    def test_product_code_has_no_tests_but_names(self) -> None:
        found = file_of(
            """
            LIMIT = 3
            kind: str = "a"
            A.b, (c, d) = 1, (2, 3)
            class Cart:
                size = 0
                lines: list
                def total(self): assert self.size == 0
            async def test_connection(): assert f(1)
            def plain(): pass
            def check_order(): pass
            """,
            "shop/cart.py",
        )
        assert found.units == ()
        assert not found.is_test_file
        assert found.defines == {
            *("LIMIT", "kind", "Cart", "size", "lines", "total", "test_connection", "plain", "check_order")
        }
        assert helpers_of(found) == ["Cart.total", "test_connection", "check_order"]

    @pytest.mark.parametrize(
        ("source", "names"),
        [
            (b"LIMIT = 3\nclass Cart:\n    size = 0\n    def total(self): pass\n", {"LIMIT", "Cart", "size", "total"}),
            (b"def total():\n    inner = 1\n", {"total"}),
            (b"def", set()),
            (b"def total(): pass\n" * 5_001, set()),
            (b"# coding: utf-16\ndef total(): pass\n", set()),
        ],
    )
    def test_names_alone_are_those_that_the_whole_reading_finds(self, source: bytes, names: set[str]) -> None:
        assert defined_names("shop/cart.py", source) == names == read_units("shop/cart.py", source).defines

    def test_test_files_define_no_product(self) -> None:
        found = file_of("LIMIT = 3\nclass Cart: pass\n")
        assert (found.defines, found.is_test_file, found.path) == (frozenset(), True, PATH)

    @pytest.mark.parametrize(
        "source",
        [
            b"def",
            b"def test_it(): pass\n" * 5_001,
            b"def test_it():\n" + b"    assert f(1)\n" * 1_001,
            b"@a\n" * 101 + b"def test_it(): pass\n",
            b"def test_it():\n    if a: pass\n" + b"    elif a: assert b\n" * 3_000,
            b"# coding: utf-16\ndef test_it(): pass\n",
        ],
    )
    def test_what_cannot_be_read(self, source: bytes) -> None:
        assert read_units(PATH, source) == FileUnits(PATH, parsed=False, is_test_file=True)

    @pytest.mark.parametrize(
        "source",
        [
            b"def test_it(): pass\n" * 5_000,
            b"def test_it():\n" + b"    assert f(1)\n" * 1_000,
            b"@a\n" * 100 + b"def test_it(): pass\n",
        ],
    )
    def test_what_is_still_read(self, source: bytes) -> None:
        assert len(read_units(PATH, source).units) == 1


class TestNames:
    def test_functions_and_classes(self) -> None:
        found = file_of(
            """
            def test_one(): assert f(1)
            async def testTwo(): assert f(1)
            def helper(): assert f(1)
            def nothing(): f(1)
            def assert_nothing(): f(1)
            class TestCart:
                def test_three(self): assert f(1)
                def other(self): assert f(1)
                class TestInner:
                    def test_four(self): assert f(1)
            class CartSpec(BaseTestCase):
                def __init__(self): pass
                def test_five(self): assert f(1)
            class CartSuite(cases.DatabaseCase):
                def test_six(self): assert f(1)
            class CartMixin:
                def test_seven(self): assert f(1)
            class Cart:
                def test_eight(self): assert f(1)
            class TestBuilt:
                def __init__(self): pass
                def test_nine(self): assert f(1)
            """
        )
        assert names_of(found) == {
            "test_one": True,
            "testTwo": True,
            "TestCart.test_three": True,
            "TestCart.TestInner.test_four": True,
            "CartSpec.test_five": True,
            "CartSuite.test_six": True,
            "CartMixin.test_seven": True,
            "Cart.test_eight": False,
            "TestBuilt.test_nine": False,
        }
        assert helpers_of(found) == ["helper", "assert_nothing", "TestCart.other"]
        assert not any(helper.collected for helper in found.helpers)

    def test_places(self) -> None:
        unit = unit_of("\n\n@mark\ndef test_it():\n    '''why'''\n    f(1)\n    assert g(\n        2)\n")
        assert (unit.path, unit.line, unit.end_line) == (PATH, 4, 8)

    def test_the_last_of_a_name_counts(self) -> None:
        found = file_of("def test_a(): assert f(1)\ndef test_b(): pass\ndef test_a(): assert f(2)\n")
        assert [(unit.name, unit.line) for unit in found.units] == [("test_b", 2), ("test_a", 3)]

    @pytest.mark.parametrize("line", ["del test_it", "test_it = None", "del other, test_it", "test_it = other = f"])
    def test_names_that_are_taken_away(self, line: str) -> None:
        assert names_of(file_of(f"def test_it(): assert f(1)\n{line}\n")) == {"test_it": False}
        assert names_of(file_of(f"def test_it(): pass\n{line}\ndef test_it(): assert f(1)\n")) == {"test_it": True}
        assert names_of(file_of(f"{line}\ndef test_it(): assert f(1)\n")) == {"test_it": True}

    def test_a_class_that_is_taken_away(self) -> None:
        source = "class TestA:\n    def test_it(self): assert f(1)\n"
        assert names_of(file_of(source + "del TestA\n")) == {"TestA.test_it": False}
        assert names_of(file_of(source + "TestA.x = 1\n")) == {"TestA.test_it": True}

    @pytest.mark.parametrize(("value", "is_found"), [("False", False), ("0", False), ("True", True), ("f(1)", True)])
    def test_what_says_whether_it_is_a_test(self, value: str, is_found: bool) -> None:
        mark = f"__test__ = {value}\n"
        in_class = f"class TestA(TestCase):\n    {mark}    def test_it(self): assert f(1)\n"
        assert names_of(file_of(in_class)) == {"TestA.test_it": is_found}
        assert names_of(file_of(mark + "def test_it(): assert f(1)\n")) == {"test_it": is_found}

    def test_fixtures_are_no_tests(self) -> None:
        found = file_of(
            """
            @pytest.fixture
            def test_data(): assert f(1)
            @pytest.fixture(name="many", params=[1, 2])
            def _many(request): return request.param
            @fixture(params=["a"])
            def one(request): return request.param
            @pytest.fixture(params=f(1))
            def computed(request): return request.param
            @pytest.fixture(params=COUNT)
            def other(request): return request.param
            """
        )
        assert found.units == ()
        assert [(helper.name, helper.rows) for helper in found.helpers] == [
            ("test_data", ()),
            ("many", ("1", "2")),
            ("one", ('"a"',)),
            ("computed", ("pytest.fixture(params=f(1))",)),
            ("other", ("pytest.fixture(params=COUNT)",)),
        ]


class TestText:
    def test_body_without_name_and_reason(self) -> None:
        one = unit_of('def test_it(b, a):\n    """Why."""\n    # more\n    assert  f( a )\n')
        other = unit_of("@mark\nasync def test_other(self, a, *, b):\n    assert f(a)\n", "test_other")
        assert one.body == other.body == "(a,b)assert f(a)"

    def test_body_of_a_reason_alone(self) -> None:
        assert unit_of('def test_it():\n    """Why."""\n').body == '()"""Why."""'
        assert unit_of("def test_it():\n    f(1)\n    g(2)\n").body == "()f(1)g(2)"

    def test_calls(self) -> None:
        unit = unit_of(
            """
            @pytest.mark.usefixtures("clock", NAME)
            @patch("a.b")
            def test_it(self, cart, /, other, *, key):
                Cart().total(x.y.f())
                (lambda: 1)()
                later = z
            """
        )
        assert unit.calls == {
            *("clock", "cart", "other", "key", "total", "Cart", "x.y.f", "patch", "pytest.mark.usefixtures")
        }

    def test_mocks(self) -> None:
        unit = unit_of(
            """
            @mock.patch("shop.cart.total")
            @mock.patch.object(cart, "tax", autospec=True)
            def test_it(monkeypatch, mocker):
                monkeypatch.setattr("shop.cart.rate", lambda: 3)
                monkeypatch.setattr(cart.inner, "price", fake)
                monkeypatch.setattr("shop.cart.LIMIT", 3)
                monkeypatch.setattr(cart, "NAMES", ["a"])
                mock.patch("shop.cart.SIZE", new=4)
                mocker.patch(NAME)
                mocker.patch()
                cart.ship = lambda: 1
                cart.pay = other.Mock(return_value=1)
                cart.size = 3
                cart = Mock()
                monkeypatch.setattr(cart, name, fake)
            """
        )
        assert unit.mocks == {
            *("shop.cart.total", "cart.tax", "shop.cart.rate", "cart.inner.price", "cart.ship", "cart.pay")
        }


class TestMarks:
    @pytest.mark.parametrize(
        ("mark", "scope"),
        [
            ("pytest.mark.skip", ALWAYS),
            ("pytest.mark.skip(reason='a')", ALWAYS),
            ("unittest.skip('a')", ALWAYS),
            ("skip_all", ALWAYS),
            ("pytest.mark.skipif(sys.platform == 'win32', reason='a')", PLATFORM),
            ("pytest.mark.skipif(condition=sys.platform == 'win32', reason='a')", PLATFORM),
            ("pytest.mark.skipif('sys.platform == \"win32\"')", PLATFORM),
            ("pytest.mark.skipif('(')", CONDITION),
            ("pytest.mark.skipif(sys.platform == 'linux', reason='a')", ALWAYS),
            ("pytest.mark.skipif(os.environ.get('A'), reason='a')", CONDITION),
            ("pytest.mark.skipif", CONDITION),
            ("unittest.skipIf(True, 'a')", ALWAYS),
            ("unittest.skipUnless(True, 'a')", PLATFORM),
            ("unittest.skipUnless(False, 'a')", ALWAYS),
            ("unittest.skipUnless(docker, 'a')", CONDITION),
            ("skip_without_docker", CONDITION),
            ("skip_without_docker()", CONDITION),
            ("pytest.mark.quarantine", CONDITION),
            ("pytest.mark.manual('a')", CONDITION),
            ("pytest.mark.xfail(docker, reason='a')", CONDITION),
        ],
    )
    def test_skips(self, mark: str, scope: SkipScope) -> None:
        unit = unit_of(f"skip_all = pytest.mark.skip(reason='a')\n@{mark}\ndef test_it(): assert f(1)\n")
        text = "pytest.mark.skip(reason='a')" if mark == "skip_all" else mark
        assert (unit.skipped, unit.skip_scope, unit.may_fail) == (text, scope, None)

    @pytest.mark.parametrize(
        "mark", ["pytest.mark.slow", "disabled", "mark", "pytest.mark.xfail(sys.platform == 'win32')"]
    )
    def test_what_skips_nothing(self, mark: str) -> None:
        unit = unit_of(f"@{mark}\ndef test_it(): assert f(1)\n")
        assert (unit.skipped, unit.may_fail, unit.retries, unit.timeout, unit.cases) == (None, None, None, None, 1)

    @pytest.mark.parametrize(
        "mark",
        [
            "pytest.mark.xfail",
            "pytest.mark.xfail(reason='a')",
            "pytest.mark.xfail(sys.platform == 'linux')",
            "pytest.mark.xfail(condition=True)",
            "unittest.expectedFailure",
        ],
    )
    def test_expected_failures(self, mark: str) -> None:
        unit = unit_of(f"@{mark}\ndef test_it(): assert f(1)\n")
        assert (unit.may_fail, unit.skipped) == (mark, None)

    def test_limits(self) -> None:
        unit = unit_of(
            """
            @settings(deadline=None, max_examples=7)
            @flaky(reruns=3)
            @pytest.mark.timeout(5)
            def test_it(): assert f(1)
            """
        )
        assert (unit.examples, unit.retries, unit.timeout) == (7, "flaky(reruns=3)", "pytest.mark.timeout(5)")
        assert unit_of("@settings(max_examples=N)\ndef test_it(): pass\n").examples is None
        assert unit_of("@settings\ndef test_it(): pass\n").examples is None

    def test_the_heaviest_skip_counts(self) -> None:
        marks = ["@pytest.mark.skipif(sys.platform == 'win32')", "@skip_if(x)", "@pytest.mark.skip"]
        heaviest = [
            unit_of("\n".join([*order, "def test_it(): pass\n"])).skipped
            for order in (marks, marks[::-1], marks[:2], marks[:2][::-1])
        ]
        assert heaviest == ["pytest.mark.skip", "pytest.mark.skip", "skip_if(x)", "skip_if(x)"]

    def test_marks_of_what_encloses_a_test(self) -> None:
        source = """
            pytestmark = {module}
            @pytest.mark.timeout(5)
            class TestCart:
                pytestmark = [{inner}]
                @pytest.mark.flaky
                def test_it(self): assert f(1)
            """
        unit = unit_of(source.format(module="pytest.mark.xfail", inner="a, pytest.mark.skip"), "TestCart.test_it")
        assert (unit.may_fail, unit.skipped, unit.timeout) == (
            "pytest.mark.xfail",
            "pytest.mark.skip",
            "pytest.mark.timeout(5)",
        )
        assert unit.retries == "pytest.mark.flaky"
        rows = "pytest.mark.parametrize('a', [1, 2])"
        unit = unit_of(source.format(module=rows, inner="pytest.mark.parametrize('b', [3, 4, 5])"), "TestCart.test_it")
        assert (unit.cases, unit.rows) == (6, ("3", "4", "5", "1", "2"))

    @pytest.mark.parametrize(
        ("mark", "cases", "rows"),
        [
            ("pytest.mark.parametrize('a', [1, 2])", 2, ("1", "2")),
            ("pytest.mark.parametrize('a, b', ((1, 'x'), (2, 'y')), ids=str)", 2, ('(1,"x")', '(2,"y")')),
            ("pytest.mark.parametrize('a', argvalues=[1])", 1, ("1",)),
            ("pytest.mark.parametrize('a', ROWS)", 3, ("7", "8", "9")),
            ("pytest.mark.parametrize('a', [*ROWS, 1])", 4, ("7", "8", "9", "1")),
            ("pytest.mark.parametrize('a', [*ROWS, *f(1)])", 0, ('pytest.mark.parametrize("a",[*ROWS,*f(1)])',)),
            ("pytest.mark.parametrize('a', f(1))", 0, ('pytest.mark.parametrize("a",f(1))',)),
            ("pytest.mark.parametrize('a', {1, 2})", 2, ("1", "2")),
            ("pytest.mark.parametrize('a', LOOP)", 0, ('pytest.mark.parametrize("a",LOOP)',)),
            ("pytest.mark.parametrize('a')", 1, ()),
            ("pytest.mark.parametrize('a', [1, pytest.param(2, id='x')])", 2, ("1", 'pytest.param(2,id="x")')),
            ("pytest.mark.parametrize('a', [1, pytest.param(2, marks=pytest.mark.skip)])", 1, ("1",)),
            ("pytest.mark.parametrize('a', [1, pytest.param(2, marks=[a, pytest.mark.xfail(x)])])", 1, ("1",)),
            ("pytest.mark.parametrize('a', [1, pytest.param(2, marks=slow)])", 2, ("1", "pytest.param(2,marks=slow)")),
            ("parameterized.expand([(1, 2)])", 1, ("(1,2)",)),
            ("parameterized([1, 2])", 2, ("1", "2")),
            ("data(1, 2, 3)", 3, ("1", "2", "3")),
            ("parametrize", 1, ()),
        ],
    )
    def test_rows(self, mark: str, cases: int, rows: tuple[str, ...]) -> None:
        unit = unit_of(f"ROWS = [7, 8, 9]\nLOOP = [*LOOP]\n@{mark}\ndef test_it(): assert f(1)\n")
        assert (unit.cases, unit.rows, unit.skipped) == (cases, rows, None)
        assert unit.body == "()assert f(1)" + ",".join(rows)

    def test_no_rows_are_a_skip(self) -> None:
        unit = unit_of("@pytest.mark.parametrize('a', [])\ndef test_it(a): assert f(a)\n")
        assert (unit.skipped, unit.skip_scope) == ("pytest.mark.parametrize('a', [])", ALWAYS)

    def test_long_tables_are_one_row(self) -> None:
        source = "@pytest.mark.parametrize('a', [{}])\ndef test_it(a): assert f(a)\n"
        one, other = (unit_of(source.format(",".join(map(str, [*range(300), last])))) for last in (300, 301))
        assert one.cases == other.cases == 301
        assert one.rows[0].startswith("301 rows 012345678910")
        assert one.rows != other.rows
        wide = unit_of(source.format(",".join(f"'{n}{'a' * 7_000}'" for n in range(6))))
        assert (wide.cases, len(wide.rows)) == (6, 1)
        assert len(unit_of(source.format(",".join(map(str, range(300))))).rows) == 300


class TestSkipsElsewhere:
    @pytest.mark.parametrize(
        ("line", "scope"),
        [
            ("pytest.skip('a', allow_module_level=True)", ALWAYS),
            ("pytest.importorskip('docker')", CONDITION),
            ("raise unittest.SkipTest('a')", ALWAYS),
            ("raise SkipTest", ALWAYS),
            ("if docker: pytest.skip('a')", CONDITION),
            ("if sys.platform == 'win32': pytest.skip('a')", PLATFORM),
            ("if sys.platform == 'linux': pytest.skip('a')", ALWAYS),
        ],
    )
    def test_of_a_whole_module(self, line: str, scope: SkipScope) -> None:
        unit = unit_of(f"{line}\ndef test_it(): assert f(1)\n")
        text = line.rpartition(": ")[2]
        when = "if docker: " if "docker:" in line else "if sys.platform == 'win32': " if "win32" in line else ""
        when = "if sys.platform == 'linux': " if "linux" in line else when
        assert (unit.skipped, unit.skip_scope) == (when + text, scope)

    @pytest.mark.parametrize("name", ["setUp", "setup_method", "setUpClass", "asyncSetUp"])
    def test_of_a_class_by_its_set_up(self, name: str) -> None:
        source = (
            f"class TestA(TestCase):\n    def {name}(self):\n        self.skipTest('a')\n    def test_it(self): pass\n"
        )
        assert unit_of(source, "TestA.test_it").skipped == "self.skipTest('a')"

    def test_of_a_module_by_its_set_up(self) -> None:
        assert unit_of("def setUpModule(): raise SkipTest\ndef test_it(): pass\n").skipped == "raise SkipTest"
        assert unit_of("def other(): raise SkipTest\ndef test_it(): pass\n").skipped is None

    def test_of_all_by_a_fixture_that_nobody_asks_for(self) -> None:
        source = "@pytest.fixture({})\ndef calm(): pytest.skip('a')\ndef test_it(): pass\n"
        assert unit_of(source.format("autouse=True")).skipped == "pytest.skip('a')"
        assert unit_of(source.format("scope='module'")).skipped is None
        assert unit_of("@fixture\ndef calm(): pytest.skip('a')\ndef test_it(): pass\n").skipped is None

    def test_by_a_function_that_is_called(self) -> None:
        source = "def ready(): pytest.skip('a')\ndef test_it({}):\n    {}\n    assert f(1)\n"
        assert unit_of(source.format("", "ready()")).skipped == "ready()"
        assert unit_of(source.format("ready", "f(1)")).skipped == "fixture ready"
        assert unit_of(source.format("", "self.ready()")).skipped is None
        harmless = source.replace("pytest.skip('a')", "pytest.importorskip('a')")
        assert unit_of(harmless.format("", "ready()")).skipped is None
        raising = source.replace("pytest.skip('a')", "raise SkipTest('a')")
        assert unit_of(raising.format("", "ready()")).skipped == "ready()"
        otherwise = source.replace("pytest.skip('a')", "raise ValueError('a')")
        assert unit_of(otherwise.format("", "ready()")).skipped is None

    @pytest.mark.parametrize(
        ("source", "skipped", "scope"),
        [
            ("if sys.platform == 'win32':\n    {}", "if sys.platform == 'win32':", ALWAYS),
            ("if False:\n    {}", "if False:", ALWAYS),
            ("if docker:\n    {}", "if docker:", CONDITION),
            ("if docker:\n    pass\nelse:\n    {}", "if not (docker):", CONDITION),
            ("if sys.platform != 'win32':\n    {}", None, ALWAYS),
            ("if sys.platform == 'win32':\n    pass\nelse:\n    {}", None, ALWAYS),
            ("if docker:\n  if True:\n    {}", "if docker:", CONDITION),
            ("try:\n    import a\nexcept ImportError:\n    pass\nelse:\n    {}", None, ALWAYS),
            ("try:\n    {}\nfinally:\n    pass", None, ALWAYS),
            ("try:\n    import a\nexcept ImportError:\n    {}", "if an error was caught:", CONDITION),
            ("with suppress(ImportError):\n    {}", None, ALWAYS),
            ("if __name__ == '__main__':\n    {}", "if __name__ == '__main__':", ALWAYS),
        ],
    )
    def test_definitions_under_a_condition(self, source: str, skipped: str | None, scope: SkipScope) -> None:
        unit = unit_of(source.format("def test_it(): assert f(1)") + "\n")
        assert (unit.skipped, unit.skip_scope) == (skipped, scope)
        inner = unit_of(source.format("class TestA:\n        def test_it(self): assert f(1)") + "\n", "TestA.test_it")
        assert (inner.skipped, inner.skip_scope) == (skipped, scope)


def swallowed(*lines: str) -> list[bool]:
    return [one.swallowed for one in body_of(*lines).assertions]


class TestBodies:
    @pytest.mark.parametrize(
        ("lines", "expected"),
        [
            (("assert a", "return", "assert b"), [False, True]),
            (("return", "assert b"), [True]),
            (("raise ValueError", "assert b"), [True]),
            (("sys.exit(0)", "assert b"), [True]),
            (("for x in y:", "    continue", "    assert x"), [True]),
            (("for x in y:", "    break", "    assert x"), [True]),
            (("for x in y:", "    assert x", "assert y"), [False, False]),
            (("for x in y:", "    return", "assert y"), [True]),
            (("for x in []:", "    assert x", "else:", "    assert y"), [True, False]),
            (("for x in ():", "    assert x"), [True]),
            (("for x in [1]:", "    assert x"), [False]),
            (("async for x in y:", "    assert x"), [False]),
            (("while x:", "    assert x"), [False]),
            (("while False:", "    assert x"), [True]),
            (("if x:", "    assert y"), [True]),
            (("if x:", "    assert y", "else:", "    assert z"), [False, False]),
            (("if x:", "    assert y", "elif z:", "    assert z"), [False, True]),
            (("if x:", "    f(1)", "else:", "    assert z"), [True]),
            (("if x:", "    assert y", "else:", "    self.assertTrue(z)"), [False, False]),
            (("if x:", "    assert y", "else:", "    with raises(A): z()"), [False, False]),
            (("if x:", "    return", "assert y"), [True]),
            (("if x:", "    pass", "else:", "    return", "assert y"), [True]),
            (("if x:", "    pytest.skip('a')", "assert y"), [False]),
            (("if sys.platform == 'win32':", "    return", "assert y"), [False]),
            (("if sys.platform == 'linux':", "    return", "assert y"), [True]),
            (("if sys.platform == 'win32':", "    assert x", "else:", "    assert y"), [False, True][::-1]),
            (("if sys.platform != 'win32':", "    assert x"), [False]),
            (("if False:", "    assert x", "assert y"), [True, False]),
            (("with lock:", "    assert x"), [False]),
            (("with lock:", "    return", "assert x"), [True]),
            (("with suppress(Exception):", "    assert x"), [True]),
            (("with suppress(KeyError):", "    assert x"), [False]),
            (("with raises(AssertionError):", "    assert x"), [False, True]),
            (("with raises(KeyError):", "    assert x"), [False, False]),
            (("with raises(KeyError), raises(Exception):", "    assert x"), [False, False, True]),
            (("match x:", "    case 1:", "        assert x", "    case 2:", "        assert y"), [True, True]),
        ],
    )
    def test_what_cannot_fail_the_test(self, lines: tuple[str, ...], expected: list[bool]) -> None:
        assert swallowed(*lines) == expected

    @pytest.mark.parametrize(
        ("handler", "expected"),
        [
            ("except AssertionError: pass", True),
            ("except: pass", True),
            ("except Exception as error: print(error)", True),
            ("except (KeyError, BaseException): pass", True),
            ("except* AssertionError: pass", True),
            ("except KeyError: pass", False),
            ("except Exception: raise", False),
            ("except Exception as error: raise ValueError from error", False),
            ("except Exception: pytest.fail('a')", False),
            ("except Exception: self.fail()", False),
            ("except Exception: assert False", False),
            ("except Exception: assert True", True),
            ("except Exception: raise SkipTest", True),
            ("except Exception: f(1)", True),
            ("finally: f(1)", False),
            ("finally: return", True),
        ],
    )
    def test_errors_that_are_caught(self, handler: str, expected: bool) -> None:
        assert swallowed("try:", "    assert x", handler)[0] is expected

    def test_assertions_of_handlers(self) -> None:
        demanded = (
            "try:",
            "    f(1)",
            "    pytest.fail('a')",
            "except KeyError as error:",
            "    assert error.code == 1",
        )
        assert [one.swallowed for one in body_of(*demanded).assertions if one.target == "error.code"] == [False]
        otherwise = ("try:", "    f(1)", "except KeyError as error:", "    assert error", "else:", "    {}", "assert y")
        with_failure, without = (
            swallowed(*(line.format(end) for line in otherwise)) for end in ("raise AssertionError", "f(2)")
        )
        assert (with_failure, without) == ([False, False], [True, False])

    def test_leaving_from_a_handler_or_what_is_tried(self) -> None:
        assert swallowed("try:", "    f(1)", "except KeyError:", "    return", "assert x") == [True]
        assert swallowed("try:", "    return", "except KeyError:", "    f(1)", "assert x") == [True]
        assert swallowed("try:", "    f(1)", "except KeyError:", "    raise", "assert x") == [False]
        assert swallowed("try:", "    f(1)", "except KeyError:", "    f(2)", "assert x") == [False]
        assert swallowed("try:", "    f(1)", "finally:", "    assert y", "assert x") == [False, False]

    @pytest.mark.parametrize("end", ["pytest.fail('a')", "self.fail()", "raise AssertionError('a')", "assert False"])
    def test_a_failure_under_a_condition_is_an_assertion(self, end: str) -> None:
        found = body_of("if x != 1:", f"    {end}", "elif y:", "    assert z", "assert w").assertions
        assert [(one.matcher, one.target, one.expected, one.text) for one in found[:1]] == [
            ("equal", "x", "1", "x != 1")
        ]
        assert [one.swallowed for one in found if one.target in "xzw"] == [False, True, False]

    def test_a_failure_that_never_comes_is_none(self) -> None:
        assert swallowed("if False:", "    pytest.fail('a')") == []

    def test_functions_inside(self) -> None:
        assert swallowed("def inner():", "    assert x", "inner()") == [False]
        assert swallowed("def inner():", "    assert x", "run(inner)") == [False]
        assert swallowed("def inner():", "    assert x") == [True]
        assert swallowed("def inner():", "    return", "inner()", "assert x") == [False]
        assert swallowed("async def inner():", "    assert x", "await inner()") == [False]
        assert swallowed("class Inner:", "    def f(self):", "        assert x", "Inner().f()") == [False]
        assert swallowed("class Inner:", "    def f(self):", "        assert x") == [True]
        assert swallowed("if x:", "    def inner():", "        assert x", "inner()") == [True]
        assert body_of("def inner():", "    pytest.skip('a')", "assert x").skip_scope is CONDITION

    @pytest.mark.parametrize(
        ("lines", "skipped", "scope"),
        [
            (("pytest.skip('a')", "assert x"), "pytest.skip('a')", ALWAYS),
            (("self.skipTest('a')", "assert x"), "self.skipTest('a')", ALWAYS),
            (("pytest.xfail('a')", "assert x"), "pytest.xfail('a')", ALWAYS),
            (("raise SkipTest('a')", "assert x"), "raise SkipTest('a')", ALWAYS),
            (("raise pytest.skip.Exception", "assert x"), None, ALWAYS),
            (("pytest.importorskip('a')", "assert x"), "pytest.importorskip('a')", CONDITION),
            (("if y:", "    pytest.skip('a')", "assert x"), "if y: pytest.skip('a')", CONDITION),
            (("for y in z:", "    pytest.skip('a')", "assert x"), "pytest.skip('a')", CONDITION),
            (("try: f(1)", "except A:", "    pytest.skip('a')", "assert x"), "pytest.skip('a')", CONDITION),
            (("if sys.platform == 'win32':", "    pytest.skip('a')"), "pytest.skip('a')", PLATFORM),
            (("if sys.platform == 'linux':", "    pytest.skip('a')"), "pytest.skip('a')", ALWAYS),
            (("if os.name == 'nt':", "    pytest.skip('a')", "pytest.skip('b')"), "pytest.skip('b')", ALWAYS),
            (("pytest.skip('b')", "if os.name == 'nt':", "    pytest.skip('a')"), "pytest.skip('b')", ALWAYS),
        ],
    )
    def test_skips_inside(self, lines: tuple[str, ...], skipped: str | None, scope: SkipScope) -> None:
        unit = body_of(*lines)
        assert (unit.skipped, unit.skip_scope) == (skipped, scope)

    def test_what_is_handed_back(self) -> None:
        assert body_of("return").assertions == ()
        assert body_of("return x").assertions == ()
        assert [one.target for one in body_of("return self.assertTrue(x)").assertions] == ["x"]


def loop(line: str, *body: str) -> Unit:
    inner = body or ("assert g(x)",)
    return unit_of(
        "ROWS = [1, 2]\nPAIRS = {'a': 1, **OTHER}\ndef test_it():\n"
        + "".join(f"    {text}\n" for text in (line, *(f"    {one}" for one in inner)))
    )


class TestLoops:
    @pytest.mark.parametrize(
        ("line", "cases", "rows"),
        [
            ("for x in (1, 2, 3):", 3, ("1", "2", "3")),
            ("for x in [1]:", 1, ("1",)),
            ("for x in {1, 2}:", 2, ("1", "2")),
            ("for x in ROWS:", 2, ("1", "2")),
            ("for n, x in enumerate([1, 2]):", 2, ("1", "2")),
            ("for x in reversed(ROWS):", 2, ("1", "2")),
            ("for x in sorted(f(1)):", 0, ()),
            ("for name, x in {'a': 1, 'b': 2}.items():", 2, ('"a":1', '"b":2')),
            ("for name, x in PAIRS.items():", 2, ('"a":1', "OTHER")),
            ("for name, x in f(1).items():", 0, ()),
            ("for x in f(1):", 0, ()),
            ("while x:", 0, ()),
        ],
    )
    def test_rows_of_a_loop(self, line: str, cases: int, rows: tuple[str, ...]) -> None:
        unit = loop(line)
        assert (unit.cases, unit.rows) == (cases, rows)
        assert unit.body.endswith("assert g(x)" + ",".join(rows))

    def test_a_loop_that_asserts_nothing(self) -> None:
        assert (loop("for x in (1, 2):", "f(x)").cases, loop("for x in f(1):", "f(x)").cases) == (1, 1)

    def test_rows_of_marks_and_loops(self) -> None:
        source = "@pytest.mark.parametrize('a', {})\ndef test_it(a):\n    for x in {}:\n        assert f(a, x)\n"
        found = [
            unit_of(source.format(*tables)) for tables in (("[1, 2]", "(3, 4, 5)"), ("f(1)", "(3,)"), ("[1]", "f(1)"))
        ]
        assert [unit.cases for unit in found] == [5, 0, 0]
        assert found[0].rows == ("1", "2", "3", "4", "5")

    def test_tables_without_end(self) -> None:
        levels = "".join(f"A{n} = [*A{n + 1}, *A{n + 1}]\n" for n in range(40))
        unit = unit_of(levels + "A40 = [1]\ndef test_it():\n    for x in A0:\n        assert f(x)\n")
        assert (unit.cases, unit.rows) == (0, ())
