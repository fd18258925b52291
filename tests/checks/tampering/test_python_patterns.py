"""What Python sources can do to a test run, and what looks like it and does not."""

from __future__ import annotations

from textwrap import dedent

import pytest

from checks.diff import FileStatus
from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.python_patterns import alterations
from tests.checks.tampering.honest import version

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
CONFTEST, TEST, PRODUCT = "tests/conftest.py", "tests/test_a.py", "shop/a.py"
Found = list[tuple[str, int | None, Weight]]


def added(source: str, path: str) -> Found:
    """Kind, line and weight of what a new file holds."""
    change = Change(FileStatus.ADDED, None, version(path, dedent(source)))
    return [(one.kind, one.line, one.weight) for one in alterations([change])]


def changed(before: str, after: str, path: str) -> Found:
    change = Change(FileStatus.MODIFIED, version(path, dedent(before)), version(path, dedent(after)))
    return [(one.kind, one.line, one.weight) for one in alterations([change])]


def told(source: str, path: str) -> Alteration:
    (found,) = alterations([Change(FileStatus.ADDED, None, version(path, dedent(source)))])
    return found


class TestExits:
    @pytest.mark.parametrize(
        "source",
        [
            "import os\nos._exit(0)\n",
            "import os as o\no._exit\n",
            "import os\nos.abort()\n",
            "import os\n__import__('os')._exit(0)\n",
            "import os\ngetattr(os, '_exit')(0)\n",
            "from x import y\nfrom os import path, _exit\n",
            "from x import y\nfrom os import abort\n",
        ],
    )
    def test_at_once(self, source: str) -> None:
        at_import = "from os" not in source
        assert added(source, CONFTEST) == [("early-exit", 2, FAILED)]
        assert added(source, PRODUCT) == [("early-exit", 2, FAILED if at_import else RISK)]
        nested = source.replace("\n", "\ndef f():\n    ", 1)
        assert added(nested, CONFTEST) == [("early-exit", 3, FAILED)]
        assert added(nested, PRODUCT) == [("early-exit", 3, RISK)]

    def test_of_a_child(self) -> None:
        source = "def test_it():\n    if os.fork() == 0:\n        os._exit(0)\n"
        assert added(source, TEST) == [("early-exit", 3, PERSON)]

    @pytest.mark.parametrize(
        "source", ["self._exit()", "cls._exit", "os.exit(1)", "_exit = 1", "from os import path", "abort()"]
    )
    def test_what_is_none(self, source: str) -> None:
        assert added(source, CONFTEST) == []

    @pytest.mark.parametrize(
        "end",
        [
            "sys.exit()",
            "sys.exit(0)",
            "sys.exit(None)",
            "exit()",
            "quit(0)",
            "raise SystemExit",
            "raise SystemExit(0)",
            "raise SystemExit(code=0)",
            "pytest.exit('a', 0)",
            "pytest.exit('a', returncode=0)",
        ],
    )
    def test_as_a_success(self, end: str) -> None:
        found = [("early-exit", 1, FAILED)]
        assert added(end, TEST) == added(end, PRODUCT) == found
        for name in ("test_it", "pytest_configure", "setup_module", "tearDown"):
            assert added(f"def {name}(): {end}\n", TEST) == found
        assert added(f"@pytest.fixture\ndef a():\n    {end}\n", TEST) == [("early-exit", 3, FAILED)]
        assert added(f"class A:\n    def setUp(self):\n        {end}\n", TEST) == [("early-exit", 3, FAILED)]

    @pytest.mark.parametrize(
        "source",
        [
            "def main(): {}",
            "def test_it():\n    def stub(): {}\n    run(stub)",
            "def test_it():\n    with pytest.raises(SystemExit): {}",
            "def test_it():\n    with lock, self.assertRaises(SystemExit):\n        {}",
            "def test_it():\n    try: {}\n    except SystemExit: pass",
            "def test_it():\n    try: {}\n    except (KeyError, SystemExit): pass",
            "def test_it():\n    try: {}\n    except: pass",
            "if __name__ == '__main__':\n    {}",
        ],
    )
    def test_where_it_is_none(self, source: str) -> None:
        assert added(source.format("sys.exit(0)"), TEST) == []

    @pytest.mark.parametrize(
        "source",
        [
            "def test_it():\n    try: f(1)\n    except SystemExit: {}",
            "def test_it():\n    try: {}\n    except KeyError: pass",
            "def test_it():\n    with open(a): {}",
            "if __name__ == '__main__': pass\nelse: {}",
            "if name == '__main__': {}",
            "def pytest_x():\n    with raises(A): g(1)\n    {}",
        ],
    )
    def test_where_it_is_one(self, source: str) -> None:
        assert added(source.format("sys.exit(0)"), TEST)[-1:] == [
            ("early-exit", source.format("").count("\n") + 1, FAILED)
        ] or ("SystemExit" not in source and added(source.format("sys.exit(0)"), TEST) == [("early-exit", 2, FAILED)])

    @pytest.mark.parametrize(
        "end",
        [
            "sys.exit(1)",
            "sys.exit('text')",
            "sys.exit(main())",
            "raise SystemExit(2)",
            "exit(code)",
            "pytest.exit('a')",
            "raise x",
        ],
    )
    def test_as_a_failure(self, end: str) -> None:
        assert added(end, TEST) == added(end, PRODUCT) == []

    def test_product_may_end_when_it_is_used(self) -> None:
        assert added("def main():\n    sys.exit(0)\n", PRODUCT) == []

    @pytest.mark.parametrize(
        ("source", "found"),
        [
            ("os.kill(os.getpid(), 9)", [("early-exit", 1, PERSON)]),
            ("pid = os.getppid()\nos.kill(pid, 9)", [("early-exit", 2, PERSON)]),
            ("os.killpg(0, 9)", [("early-exit", 1, PERSON)]),
            ("signal.raise_signal(2)", [("early-exit", 1, PERSON)]),
            ("os.kill(child.pid, 9)", []),
            ("atexit.register(f)", [("early-exit", 1, PERSON)]),
        ],
    )
    def test_signals_and_last_words(self, source: str, found: Found) -> None:
        assert added(source, TEST) == found
        assert added(source, PRODUCT) == []


class TestHooks:
    @pytest.mark.parametrize(
        "name",
        [
            "pytest_runtest_protocol",
            "pytest_pyfunc_call",
            "pytest_collection_modifyitems",
            "pytest_ignore_collect",
            "load_tests",
        ],
    )
    def test_that_decide(self, name: str) -> None:
        assert added(f"def {name}(): f(1)\n", CONFTEST) == [("runner-hook", 1, PERSON)]
        assert changed(f"def {name}(): f(1)\n", f"\ndef {name}(): f(2)\n", CONFTEST) == [("runner-hook", 2, PERSON)]
        assert changed(f"def {name}():\n    f(1)\n", f"\ndef {name}():\n    f( 1 )  # moved\n", CONFTEST) == []

    def test_load_tests_of_something_else(self) -> None:
        assert added("def f():\n    def load_tests(): pass\n", TEST) == []
        assert added("async def pytest_runtest_call(): pass\n", TEST) == [("runner-hook", 1, PERSON)]

    @pytest.mark.parametrize("name", ["pytest_runtest_makereport", "pytest_sessionfinish", "pytest_terminal_summary"])
    def test_that_watch(self, name: str) -> None:
        assert added(f"def {name}(): f(1)\n", CONFTEST) == [("runner-hook", 1, RISK)]

    @pytest.mark.parametrize(
        "name", ["pytest_configure", "pytest_addoption", "pytest_generate_tests", "pytest_own_hook"]
    )
    def test_others(self, name: str) -> None:
        assert added(f"def {name}(): f(1)\n", CONFTEST) == []

    @pytest.mark.parametrize(
        "line",
        [
            "report.outcome = 'passed'",
            "a.b = c.failed = 0",
            "session.testsfailed -= 1",
            "session.exitstatus: int = 0",
            "setattr(report, 'outcome', 'passed')",
            "outcome.force_result(1)",
            "return TestReport(1)",
            "x = (yield).force_exception(None)",
        ],
    )
    def test_rewriting(self, line: str) -> None:
        source = f"def pytest_own_hook(report):\n    if report:\n        {line}\n"
        assert added(source, CONFTEST) == [("outcome-rewritten", 3, FAILED)]
        assert added(f"def helper(report):\n    {line}\n", CONFTEST) == []

    @pytest.mark.parametrize(
        "line",
        [
            "report.x = 1",
            "x: int = 0",
            "report.y += 1",
            "outcome = 'passed'",
            "setattr(report, 'x', 1)",
            "setattr(report, a, 1)",
            "return 1",
        ],
    )
    def test_no_rewriting(self, line: str) -> None:
        assert added(f"def pytest_own_hook(report):\n    {line}\n", CONFTEST) == []

    @pytest.mark.parametrize("line", ["items[:] = []", "items[:] = ()", "items.clear()", "del items[:]"])
    def test_taking_all_tests_away(self, line: str) -> None:
        found = [("runner-hook", 1, PERSON), ("tests-deselected", 2, FAILED)]
        assert added(f"def pytest_collection_modifyitems(items):\n    {line}\n", CONFTEST) == found
        assert added(f"def pytest_own_hook(items):\n    {line}\n", CONFTEST) == []

    @pytest.mark.parametrize(
        "line", ["items[:] = kept", "items[0] = []", "items.clear(1)", "del items[1:]", "del items[:2]", "del x"]
    )
    def test_taking_some_tests_away(self, line: str) -> None:
        assert added(f"def pytest_collection_modifyitems(items):\n    {line}\n", CONFTEST) == [
            ("runner-hook", 1, PERSON)
        ]

    @pytest.mark.parametrize(
        ("answer", "counts"), [("True", True), ("0", True), ("None", False), ("f(1)", False), ("", False)]
    )
    def test_saying_that_the_work_is_done(self, answer: str, counts: bool) -> None:
        found: Found = [("runner-hook", 1, PERSON)]
        source = f"def pytest_runtestloop():\n    return {answer}\n"
        assert added(source, CONFTEST) == found + ([("outcome-rewritten", 2, FAILED)] if counts else [])
        other = source.replace("runtestloop", "collect_file")
        assert added(other, CONFTEST) == found

    @pytest.mark.parametrize("line", ["config.option.keyword = 'a'", "session.config.option.maxfail = 1"])
    def test_options_set_by_code(self, line: str) -> None:
        assert added(f"def pytest_configure(config):\n    {line}\n", CONFTEST) == [("runner-hook", 2, PERSON)]
        assert added(line, CONFTEST) == [("runner-hook", 1, PERSON)]
        assert added("config.options = 1\nconfig.option = 1\nx = config.option.y\n", CONFTEST) == [
            ("runner-hook", 2, PERSON)
        ]

    @pytest.mark.parametrize(
        ("line", "replaces"),
        [
            ("monkeypatch.setattr('shop.cart.total', f)", True),
            ("monkeypatch.setattr(cart, 'total', f)", True),
            ("cart.total = f", True),
            ("with mock.patch('shop.cart.total'): yield", True),
            ("monkeypatch.setattr('socket.socket', f)", False),
            ("monkeypatch.setattr(time, 'sleep', f)", False),
            ("monkeypatch.setattr('shop.cart.LIMIT', 3)", False),
            ("settings.LIMIT = 3", False),
            ("cart.limit = 3", False),
            ("settings.LIMIT = f(1)", False),
            ("self.cart = f(1)", False),
        ],
    )
    def test_fixtures_for_all_tests(self, line: str, replaces: bool) -> None:
        source = f"@pytest.fixture(autouse=True)\ndef calm(monkeypatch, settings):\n    {line}\n"
        assert added(source, CONFTEST) == ([("autouse-patch", 2, PERSON)] if replaces else [])
        assert added(source.replace("autouse=True", "autouse=False"), CONFTEST) == []
        assert added(source.replace("autouse=True", "scope='session'"), CONFTEST) == []
        assert added(source.replace("(autouse=True)", ""), CONFTEST) == []
        assert added(source.replace("True", "ALL"), CONFTEST) == ([("autouse-patch", 2, PERSON)] if replaces else [])

    def test_fixtures_that_skip(self) -> None:
        source = "@pytest.fixture(autouse=True)\ndef calm():\n    pytest.skip('a')\n"
        assert added(source, CONFTEST) == [("test-skipped", 2, FAILED)]
        assert added(source.replace("(autouse=True)", ""), CONFTEST) == [("test-skipped", 2, PERSON)]
        assert added(source.replace("    pytest", "    if x: pytest"), CONFTEST) == []
        assert added(source.replace("pytest.fixture", "other"), CONFTEST) == []


class TestDetection:
    @pytest.mark.parametrize(
        ("line", "weight"),
        [
            ("'pytest' in sys.modules", FAILED),
            ("'unittest' not in sys.modules", FAILED),
            ("sys.modules.get('_pytest')", FAILED),
            ("any(m == 'nose' for m in sys.modules)", FAILED),
            ("all(m != 'pytest' for m in sys.modules)", FAILED),
            ("{'pytest'} & set(sys.modules) == x", FAILED),
            ("{'pytest'}.isdisjoint(sys.modules)", FAILED),
            ("hasattr(sys, '_called_from_test')", PERSON),
            ("sys._called_from_test", FAILED),
            ("NAME = 'PYTEST_CURRENT_TEST'", PERSON),
            ("'pytest' in sys.argv[0]", PERSON),
            ("'run_tests' in sys.argv", PERSON),
            ("os.environ['CI']", PERSON),
            ("os.environ.get('GITHUB_ACTIONS')", PERSON),
            ("os.getenv('CI', 'no')", PERSON),
            ("getenv('CI')", PERSON),
            ("'CI' in os.environ", PERSON),
        ],
    )
    def test_what_product_code_asks(self, line: str, weight: Weight) -> None:
        assert added(line, PRODUCT) == [("test-run-detected", 1, weight)]
        assert (
            added(line, "setup.py")
            == added(line, "scripts/a.py")
            == added(line, ".ci/a.py")
            == [("test-run-detected", 1, RISK)]
        )
        assert added(line, TEST) == []
        assert added(line, "shop/scripts/a.py") == [("test-run-detected", 1, weight)]

    @pytest.mark.parametrize(
        "line", ["os.environ['PYTEST_VERSION']", "'PYTEST_XDIST_WORKER' in os.environ", "get('PYTEST_CURRENT_TEST')"]
    )
    def test_variables_of_the_runner(self, line: str) -> None:
        assert added(line, PRODUCT) == [("test-run-detected", 1, FAILED), ("test-run-detected", 1, PERSON)]

    @pytest.mark.parametrize(
        "line",
        [
            "'numpy' in sys.modules",
            "'pytest' in names",
            "f('pytest', sys.modules)",
            "'--verbose' in sys.argv",
            "os.environ['SHOP_CI']",
            "'CI' in names",
            "os.environ['HOME'] == 'CI_'",
            "sys.modules",
            "'A PYTEST_VERSION'",
            "inspect.stack()",
        ],
    )
    def test_what_it_may_ask(self, line: str) -> None:
        assert [one for one in added(line, PRODUCT) if one[0] == "test-run-detected"] == []

    @pytest.mark.parametrize(
        "call", ["inspect.stack()", "sys._getframe(1)", "inspect.currentframe()", "traceback.extract_stack()"]
    )
    def test_who_calls(self, call: str) -> None:
        source = "def f():\n    x = {}\n    return x.name == {!r}\n"
        assert added(source.format(call, "test_total"), PRODUCT) == [("test-run-detected", 2, FAILED)]
        assert added(source.format(call, "total"), PRODUCT) == []
        assert added(f"{call}.startswith('Test')\n", PRODUCT) == []
        speaking = call.replace("()", "('test')").replace("1", "'test'")
        assert added(f"x = {speaking}\n", PRODUCT) == [("test-run-detected", 1, FAILED)]

    def test_what_is_said(self) -> None:
        found = told("x = 'pytest' in sys.modules\n", PRODUCT)
        assert (found.path, found.before, found.after, found.subject) == (
            PRODUCT,
            "",
            '"pytest"in sys.modules',
            PRODUCT,
        )
        reason = (
            "Product code asks whether a test runner is loaded, so that it can behave otherwise than when it is used."
        )
        assert found.reason == reason


class TestPatches:
    @pytest.mark.parametrize(
        "line",
        [
            "unittest.TestCase.assertEqual = f",
            "self.assertEqual = f",
            "TestCase.assertTrue, x = f, 1",
            "TestCase._baseAssertEqual = f",
            "pytest.raises = f",
            "pytest.fail: object = f",
            "_pytest.runner.call_and_report = f",
            "unittest.TestCase.run = f",
            "A.failureException = B",
            "np.testing.assert_equal = f",
            "mock.assert_called_once = f",
            "del TestCase.assertEqual",
            "setattr(TestCase, 'assertEqual', f)",
            "monkeypatch.setattr(pytest, 'approx', f)",
            "mock.patch('unittest.TestCase.fail')",
            "mock.patch.object(TestCase, 'assertEqual')",
        ],
    )
    def test_assertions(self, line: str) -> None:
        assert added(line, CONFTEST) == added(line, PRODUCT) == [("assertion-patched", 1, FAILED)]

    @pytest.mark.parametrize(
        "line", ["self.assertions = []", "pytest.main = f", "x.assert_ = 1", "assertEqual = f", "x.total = f"]
    )
    def test_no_assertions(self, line: str) -> None:
        assert [one for one in added(line, CONFTEST) if one[0] == "assertion-patched"] == (
            [("assertion-patched", 1, FAILED)] if "assert_ " in line else []
        )

    @pytest.mark.parametrize("name", ["time.time", "time.perf_counter", "time.monotonic", "timeit.default_timer"])
    def test_clocks(self, name: str) -> None:
        module, _, last = name.partition(".")
        assert added(f"{name} = f", PRODUCT) == [("clock-patched", 1, FAILED)]
        assert added(f"{name} = f", TEST) == [("clock-patched", 1, PERSON)]
        assert added(f"setattr({module}, '{last}', f)", TEST) == [("clock-patched", 1, PERSON)]
        assert added(f"monkeypatch.setattr({module}, '{last}', f)", TEST) == []

    @pytest.mark.parametrize(
        ("line", "weight"),
        [
            ("builtins.len = f", FAILED),
            ("setattr(builtins, 'len', f)", FAILED),
            ("builtins.open = f", PERSON),
            ("monkeypatch.setattr(builtins, 'len', f)", PERSON),
            ("mock.patch('builtins.isinstance')", PERSON),
        ],
    )
    def test_built_ins(self, line: str, weight: Weight) -> None:
        assert added(line, PRODUCT) == added(line, TEST) == [("builtin-patched", 1, weight)]
        assert added("mock.patch('builtins.open')", TEST) == []

    @pytest.mark.parametrize(
        ("line", "weight"),
        [
            ("sys.modules['pytest'] = f", FAILED),
            ("sys.modules['unittest.mock'] = f", FAILED),
            ("del sys.modules['_pytest']", FAILED),
            ("sys.modules['numpy'] = f", RISK),
            ("sys.modules[name] = f", RISK),
        ],
    )
    def test_modules(self, line: str, weight: Weight) -> None:
        assert added(line, CONFTEST) == [("module-replaced", 1, weight)]
        assert added("modules['pytest'] = f\n", CONFTEST) == []

    @pytest.mark.parametrize(
        "method",
        [
            "def __eq__(self, other): return True",
            "def __eq__(self, other):\n        '''why'''\n        return True",
            "def __ne__(self, other): return False",
            "__eq__ = lambda self, other: True",
        ],
    )
    def test_equal_to_everything(self, method: str) -> None:
        source = f"class Any:\n    x = 1\n    {method}\n"
        assert added(source, PRODUCT) == [("always-equal", 3, FAILED)]
        assert added(source, TEST) == [("always-equal", 3, PERSON)]

    @pytest.mark.parametrize(
        "method",
        [
            "def __eq__(self, other): return False",
            "def __ne__(self, other): return True",
            "def __eq__(self, other): return self.x == other.x",
            "def __eq__(self, other):\n        if other: return False\n        return True",
            "def __eq__(self, other): return 1",
            "def __hash__(self): return True",
            "__eq__ = other",
            "__eq__ = lambda self, other: self",
        ],
    )
    def test_not_equal_to_everything(self, method: str) -> None:
        expected = [("always-equal", 2, FAILED)] if "return 1" in method else []
        assert added(f"class One:\n    {method}\n", PRODUCT) == expected

    @pytest.mark.parametrize(
        ("body", "is_empty"),
        [
            ("pass", True),
            ("return None", True),
            ("x = 1", True),
            ("assert x", False),
            ("raise A", False),
            ("f(1)", False),
        ],
    )
    def test_assertions_that_are_overridden(self, body: str, is_empty: bool) -> None:
        found = [("assertion-patched", 2, FAILED)] if is_empty else []
        assert added(f"class Base:\n    def assertEqual(self, a, b): {body}\n", TEST) == found
        assert added(f"class Base:\n    def total(self, a, b): {body}\n", TEST) == []
        assert added(f"def assertEqual(a, b): {body}\n", TEST) == []
        assert added(f"class Base:\n    def assertEqual(self, a, b): {body}\n", PRODUCT) == []


class TestShadows:
    @pytest.mark.parametrize(
        ("path", "kind", "weight"),
        [
            ("pytest.py", "runner-shadowed", FAILED),
            ("src/pytest/__init__.py", "runner-shadowed", FAILED),
            ("tests/unittest.py", "runner-shadowed", FAILED),
            ("lib/hypothesis/__init__.py", "runner-shadowed", FAILED),
            ("sitecustomize.py", "runner-shadowed", FAILED),
            ("tests/usercustomize/__init__.py", "runner-shadowed", FAILED),
            ("deploy/sitecustomize.py", "runner-shadowed", PERSON),
            ("random.py", "library-shadowed", RISK),
            ("src/json/__init__.py", "library-shadowed", RISK),
            ("tests/__pycache__/a.pyc", "compiled-python", PERSON),
            ("a.pyo", "compiled-python", PERSON),
        ],
    )
    def test_names_and_places(self, path: str, kind: str, weight: Weight) -> None:
        assert added("x = 1\n", path) == [(kind, 1, weight)]
        renamed = Change(FileStatus.RENAMED, version("old.txt", "x = 1\n"), version(path, "x = 1\n"))
        assert [(one.kind, one.weight) for one in alterations([renamed])] == [(kind, weight)]
        assert changed("x = 1\n", "x = 2\n", path) == []
        assert list(alterations([Change(FileStatus.REMOVED, version(path, "x = 1\n"), None)])) == []

    @pytest.mark.parametrize(
        "path",
        [
            "shop/pytest.py",
            "pytest/cart.py",
            "tests/unittest/test_a.py",
            "shop/random.py",
            "tests/json.py",
            "pytest.md",
            "cart.py",
        ],
    )
    def test_other_names_and_places(self, path: str) -> None:
        assert added("x = 1\n", path) == []

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("import os\n", [("runner-shadowed", 1, FAILED)]),
            ("/a/b\nimport\tos\n", [("runner-shadowed", 1, FAILED)]),
            ("/a/b\n", []),
            ("important\n", []),
        ],
    )
    def test_path_files(self, text: str, found: Found) -> None:
        assert added(text, "lib/a.pth") == found

    def test_files_that_were_not_read(self) -> None:
        changes = [
            Change(FileStatus.ADDED, None, Version(path, "100644", None)) for path in ("a.pth", "pytest.py", "a.py")
        ]
        assert [(one.kind, one.path, one.after, one.weight) for one in alterations(changes)] == [
            ("runner-shadowed", "a.pth", "", RISK),
            ("runner-shadowed", "pytest.py", "", FAILED),
        ]

    def test_what_is_said(self) -> None:
        found = told("x = 'ä'\n" + "y" * 400, "pytest.py")
        assert found.reason == "This file is imported in place of the real `pytest`."
        assert (found.subject, len(found.after), found.before) == ("pytest.py", 299, "")


class TestDifference:
    """Only what is new counts, over the whole difference."""

    def test_what_was_there_is_no_news(self) -> None:
        assert changed("import os\nos._exit(0)\n", "import os\nx = 1\nos._exit(0)\n", CONFTEST) == []
        assert changed("os._exit(0)\n", "os._exit(0)\nos._exit(0)\n", CONFTEST) == [("early-exit", 2, FAILED)]
        assert changed("def f():\n    os._exit(0)\n", "os._exit(0)\n", PRODUCT) == [("early-exit", 1, FAILED)]

    def test_what_moves_is_no_news(self) -> None:
        text = "def pytest_own_hook(report):\n    report.outcome = 'passed'\n"
        moved = [
            Change(FileStatus.REMOVED, version("conftest.py", text), None),
            Change(FileStatus.ADDED, None, version(CONFTEST, "import pytest\n\n" + text)),
        ]
        assert list(alterations(moved)) == []
        assert len(list(alterations(moved[1:]))) == 1
        renamed = [Change(FileStatus.RENAMED, version("conftest.py", text), version(CONFTEST, text))]
        assert list(alterations(renamed)) == []

    def test_what_goes_is_no_news(self) -> None:
        assert changed("os._exit(0)\n", "x = 1\n", CONFTEST) == []
        assert list(alterations([Change(FileStatus.REMOVED, version(CONFTEST, "os._exit(0)\n"), None)])) == []

    def test_bodies_count_where_their_heads_do(self) -> None:
        hook = "def pytest_own_hook(report):\n    {}\n"
        assert changed(hook.format("f(1)"), hook.format("report.outcome = 'passed'"), CONFTEST) == [
            ("outcome-rewritten", 2, FAILED)
        ]
        equal = "class A:\n    def __eq__(self, other):\n        return {}\n"
        assert changed(equal.format("self is other"), equal.format("True"), PRODUCT) == [("always-equal", 2, FAILED)]

    def test_only_python(self) -> None:
        assert added("os._exit(0)\n", "README.md") == []
        assert added("os._exit(0)\n", "a.pyi") == []

    def test_sources_that_cannot_be_read(self) -> None:
        assert added("os._exit(0\n", PRODUCT) == [("unreadable-python", 1, PERSON)]
        assert added("# coding: utf-7\nx = 1\n", PRODUCT) == [("unreadable-python", 1, PERSON)]
        assert added("x = (\n", PRODUCT) == []
        assert changed("os._exit(0\n", "os._exit(1\n", PRODUCT) == []
        assert changed("x = (\n", "# coding: utf-7\nx = (\n", PRODUCT) == [("unreadable-python", 1, PERSON)]

    def test_long_lines_are_told_apart_around_what_they_hold(self) -> None:
        before = "x = '" + "a" * 300 + "'; os._exit(0); y = '" + "b" * 300 + "'\n"
        after = before.replace("a" * 300, "c" + "a" * 299)
        assert changed(before, after, CONFTEST) == []
        assert changed(before, before.replace("_exit(0)", "_exit(0), os._exit(1)"), CONFTEST) == [
            ("early-exit", 1, FAILED)
        ]


class TestSubjects:
    BEFORE = (
        "from shop.cart import total, tax as rate\nfrom tests.a import make\nfrom . import near\n\n"
        "def test_it(): assert total(1)\n"
    )

    @pytest.mark.parametrize(
        ("definition", "name"),
        [
            ("def total(x): return 1", "total"),
            ("async def total(x): return 1", "total"),
            ("class rate: pass", "rate"),
            ("total = len", "total"),
            ("def near(): pass", "near"),
        ],
    )
    def test_a_test_of_its_own_copy(self, definition: str, name: str) -> None:
        imports = {"total": ("total, ", ""), "rate": (", tax as rate", ""), "near": ("from . import near\n", "\n")}
        after = self.BEFORE.replace(*imports[name], 1) + definition + "\n"
        assert changed(self.BEFORE, after, TEST) == [("subject-replaced", 6, PERSON)]
        assert changed(self.BEFORE, after, "shop/a.py") == []
        assert changed(self.BEFORE, after, "tests/a.txt") == []

    @pytest.mark.parametrize(
        "after",
        [
            BEFORE.replace("from tests.a import make\n", "") + "def make(): pass\n",
            BEFORE + "def other(): pass\n",
            BEFORE.replace("total, ", "") + "if x:\n    pass\n",
            BEFORE + "def total(\n",
        ],
    )
    def test_no_copy(self, after: str) -> None:
        assert changed(self.BEFORE, after, TEST) == []


EXITS_AT_ONCE = "Code of the tests ends the process at once, so that failures are never told."
EXITS_LAST = "Code of the tests runs something when the process ends, which can change how it ends."


@pytest.mark.parametrize(
    ("source", "path", "reason"),
    [
        ("os._exit(0)\n", CONFTEST, EXITS_AT_ONCE),
        ("os._exit(0)\n", PRODUCT, "Importing this module ends the process at once, and a run of tests with it."),
        ("def f(): os._exit(0)\n", PRODUCT, "Product code ends the process at once."),
        ("sys.exit()\n", TEST, "This ends the process as a success before the run of tests has ended."),
        (
            "os.kill(0, 9)\n",
            TEST,
            "Code of the tests sends a signal, perhaps to its own process, which can end the run.",
        ),
        ("atexit.register(f)\n", TEST, EXITS_LAST),
        (
            "def load_tests(): pass\n",
            TEST,
            "The hook `load_tests` is new or another; it decides which tests unittest loads.",
        ),
        (
            "def pytest_runtest_call(): pass\n",
            CONFTEST,
            "The hook `pytest_runtest_call` is new or another; it decides what runs and what counts.",
        ),
        (
            "def pytest_sessionfinish(): pass\n",
            CONFTEST,
            "The hook `pytest_sessionfinish` is new or another; it sees every result.",
        ),
        ("def pytest_x():\n    a.outcome = 1\n", CONFTEST, "The hook `pytest_x` rewrites results of tests."),
        ("config.option.a = 1\n", CONFTEST, "An option of the runner is set by code, which can leave tests out."),
        (
            "@fixture(autouse=True)\ndef calm():\n    cart.total = f\n",
            CONFTEST,
            "The fixture `calm` replaces `cart.total` in every test, unasked.",
        ),
        ("@fixture\ndef calm(): skip()\n", CONFTEST, "The fixture `calm` skips every test that has it."),
        ("self.assertEqual = f\n", TEST, "`self.assertEqual` is replaced."),
        ("time.time = f\n", TEST, "The clock `time.time` is replaced for good."),
        ("builtins.len = f\n", TEST, "The built-in `len` is replaced."),
        ("sys.modules['a'] = f\n", TEST, 'The module "a" is replaced.'),
        ("class A:\n    def __eq__(self, b): return True\n", TEST, "Every object of `A` is equal to everything."),
        ("class A:\n    def assertX(self): pass\n", TEST, "The method `assertX` checks nothing."),
        ("x = 1\n", "sitecustomize.py", "Python loads `sitecustomize` before everything else, a test run included."),
        ("x = 1\n", "json.py", "This file is imported in place of the standard library's `json`."),
        ("import a\n", "a.pth", "Python executes the `import` lines of such a file before everything else."),
        ("x\n", "a.pyc", "Compiled Python is added, which nobody can read."),
    ],
)
def test_reasons(source: str, path: str, reason: str) -> None:
    assert told(source, path).reason == reason


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("def pytest_collection_modifyitems(items): items.clear()", "takes all collected tests away"),
        ("def pytest_pyfunc_call(): return True", "says that the work is done, so that pytest does not do it"),
    ],
)
def test_reasons_of_hooks_that_decide(line: str, reason: str) -> None:
    name = line.removeprefix("def ").partition("(")[0]
    change = Change(FileStatus.ADDED, None, version(CONFTEST, line))
    assert [one.reason for one in alterations([change]) if one.weight is FAILED] == [f"The hook `{name}` {reason}."]
