"""Ways around the analysis that attacks from outside found, beside honest changes that look alike."""

from __future__ import annotations

import pytest

from checks.tampering.alteration import Weight
from checks.tampering.analyse import analyse
from tests.checks.tampering.honest import changes_between

FAILED, PERSON = Weight.FAILED, Weight.PERSON


def _held(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str, int | None, Weight]]:
    found = analyse(changes_between(before, after)).alterations
    return [(one.kind, one.path, one.line, one.weight) for one in found if one.weight is not Weight.RISK]


PYTHON = """from shop.cart import total


def test_total():
    assert total([1, 2]) == 3
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("    assert", "    total = sum\n    assert", 5),
        ("total\n\n", "total\n\ntotal = lambda items: sum(items)\n", 3),
        ("from shop.cart", "from tests.cart", 1),
    ],
    ids=["by_the_test", "by_the_module", "from_the_tests"],
)
def test_the_subject_is_another_one(old: str, new: str, line: int) -> None:
    path = "tests/test_cart.py"
    after = PYTHON.replace(old, new, 1)
    assert _held({path: PYTHON}, {path: after}) == [("subject-replaced", path, line, PERSON)]
    assert _held({path: after}, {path: after + "\n"}) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("total\n\n", "total\n\ntotal = counted(total)\n"),  # made of what was imported
        ("    assert", "    wanted = 3\n    assert"),
        ("total\n\n", "total\nfrom tests.carts import cart\n\n"),
        ("from shop.cart", "from shop.basket"),
        ("def test_total", "def carts():\n    total = 3\n    return total\n\n\ndef test_total"),
    ],
)
def test_the_subject_is_the_same(old: str, new: str) -> None:
    path = "tests/test_cart.py"
    assert _held({path: PYTHON}, {path: PYTHON.replace(old, new, 1)}) == []


def test_a_helper_of_the_product_moves_to_the_tests() -> None:
    path = "tests/test_cart.py"
    before = (
        "from shop.cart import filled, total\n\n\ndef test_total():\n    cart = filled()\n    assert total(cart) == 3\n"
    )
    after = before.replace("filled, total", "total\nfrom tests.carts import filled")
    assert _held({path: before}, {path: after}) == []


GO = """package cart

import "testing"

func TestTotal(t *testing.T) {
\tif got := Total([]int{1, 2}); got != 3 {
\t\tt.Errorf("got %d", got)
\t}
}
"""


def _in_goroutine(wait: str) -> str:
    body = GO.replace("\tif got", "\tgo func() {\n\tif got")
    return body.replace("\t}\n}", f"\t}}\n\t}}()\n{wait}}}")


def test_nothing_waits_for_the_assertion() -> None:
    path = "cart_test.go"
    assert _held({path: GO}, {path: _in_goroutine("")}) == [("assertion-swallowed", path, 7, FAILED)]


@pytest.mark.parametrize("wait", ["\twg.Wait()\n", "\t<-done\n", "\tgroup.Wait()\n"])
def test_something_waits_for_the_assertion(wait: str) -> None:
    path = "cart_test.go"
    assert _held({path: GO}, {path: _in_goroutine(wait)}) == []


JAVA = """import org.junit.jupiter.api.Test;
class CartTest {
  @Test void total() {
    assertEquals(3, Cart.total(1, 2));
  }
}
"""


@pytest.mark.parametrize(
    ("body", "held"),
    [
        ("", [("assertion-patched", "src/test/java/CartTest.java", 3, FAILED)]),
        ("log(a, b);", [("assertion-patched", "src/test/java/CartTest.java", 3, FAILED)]),
        ("Assertions.assertEquals(a, b);", []),
        ("if (a != b) { throw new AssertionError(); }", []),
    ],
)
def test_an_assertion_of_the_test_class(body: str, held: list[tuple[str, str, int, Weight]]) -> None:
    path = "src/test/java/CartTest.java"
    after = JAVA.replace("  @Test", f"  static void assertEquals(int a, int b) {{ {body} }}\n  @Test")
    assert _held({path: JAVA}, {path: after}) == held


@pytest.mark.parametrize(
    ("hook", "held"),
    [
        ("{ |example| }", [("tests-deselected", "spec/spec_helper.rb", 2, FAILED)]),
        ("{ |example| prepare }", [("tests-deselected", "spec/spec_helper.rb", 2, FAILED)]),
        ("{ |example| example.run }", []),
        ("{ |example| Timecop.freeze(&example) }", []),
        ("{ run_it }", []),
        ("(&wrapped)", []),
    ],
)
def test_a_hook_around_examples(hook: str, held: list[tuple[str, str, int, Weight]]) -> None:
    path = "spec/spec_helper.rb"
    before = "RSpec.configure do |config|\nend\n"
    after = before.replace("\nend", f"\n  config.around{hook}\nend")
    assert _held({path: before}, {path: after}) == held


@pytest.mark.parametrize(
    ("path", "text", "kind", "weight"),
    [
        (".mvn/maven.config", "-DskipTests\n", "nothing-runs", FAILED),
        (".mvn/jvm.config", "-Xmx1g -Dmaven.test.failure.ignore=true\n", "failures-ignored", FAILED),
        (".npmrc", "script-shell=./sh\n", "runner-replaced", PERSON),
        (".npmrc", "script-shell = tools/sh\n", "runner-replaced", PERSON),
        ("web/.npmrc", 'node-options="--require ./before.js"\n', "runner-replaced", PERSON),
        (".npmrc", "node-options=--max-old-space-size=4096 --import=./a.mjs\n", "runner-replaced", PERSON),
        ("node_modules/.bin/jest", "#!/bin/sh\n", "runner-substituted", PERSON),
        ("web/node_modules/@jest/core/index.js", "a\n", "runner-substituted", PERSON),
    ],
)
def test_a_file_that_steers_every_run(path: str, text: str, kind: str, weight: Weight) -> None:
    assert _held({}, {path: text}) == [(kind, path, 1, weight)]
    assert _held({path: text}, {}) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".mvn/maven.config", "-T 1C\n--no-transfer-progress\n"),
        (".mvn/jvm.config", "-Xmx1g\n"),
        (".npmrc", "script-shell=bash\nscript-shell=/bin/bash\n"),
        (".npmrc", "node-options=--max-old-space-size=4096\nnode-options=--experimental-vm-modules\n"),
        ("tests/data/node_modules/a/index.js", "a\n"),
    ],
)
def test_a_file_that_steers_nothing(path: str, text: str) -> None:
    assert _held({}, {path: text}) == []


def test_a_test_file_that_did_not_parse() -> None:
    path = "tests/test_cart.py"
    assert "subject-replaced" not in {kind for kind, *_ in _held({path: PYTHON + "("}, {path: PYTHON + "total = 1\n"})}


UNITTEST = """import unittest


class CartTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
"""
CASE = "class CartTest(unittest.TestCase):\n"


@pytest.mark.parametrize(
    ("old", "new", "kind", "line"),
    [
        ("    def test", "    async def test", "test-never-run", 5),
        ("        self", "        yield\n        self", "test-never-run", 5),
        ("        self", "        if self:\n            yield from ()\n        self", "test-never-run", 5),
        (CASE, CASE + "    assertEqual = print\n", "assertion-patched", 5),
        (CASE, CASE + "    def assertEqual(self, one, other):\n        pass\n", "assertion-patched", 5),
        (CASE, CASE + "    failureException = unittest.SkipTest\n", "assertion-patched", 5),
        (CASE, CASE + "    def run(self, result):\n        result.addSuccess(self)\n", "outcome-rewritten", 5),
    ],
)
def test_a_class_of_unittest_judges_nothing(old: str, new: str, kind: str, line: int) -> None:
    path = "tests/test_cart.py"
    after = UNITTEST.replace(old, new)
    assert (kind, path, line, PERSON) in _held({path: UNITTEST}, {path: after})
    assert (kind, path, line, PERSON) in _held({}, {path: after})
    assert _held({path: after}, {path: after + "\n"}) == []


def test_the_plain_class_under_another_name() -> None:
    path = "tests/test_cart.py"
    before = UNITTEST.replace("import unittest", "from unittest import TestCase as T, mock").replace("unittest.T", "T")
    before = before.replace("TestCase)", "TTestCase)").replace("as T,", "as TTestCase,")
    after = before.replace("    def", "    async def")
    assert _held({path: before}, {path: after}) == [("test-never-run", path, 5, PERSON)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        self", "        def items():\n            yield 1\n        self"),
        ("        self", "        numbers = lambda: (yield)\n        self"),
        ("unittest.TestCase", "django.test.TestCase"),
        (CASE, CASE + "    def run(self, result):\n        with prepared():\n            super().run(result)\n"),
        (CASE, CASE + "    def assertIn(self, one, other):\n        assert one in list(other)\n"),
        (CASE, CASE + "    def filled(self, cart):\n        pass\n"),
        (CASE, CASE + "    maxDiff = None\n    cart.x = 1\n    count: int = 1\n"),
        ("\n\n\nclass", "\n\n\nclass Runner:\n    def run(self):\n        pass\n\n\nclass"),
    ],
)
def test_a_class_of_unittest_still_judges(old: str, new: str) -> None:
    path = "tests/test_cart.py"
    assert _held({path: UNITTEST}, {path: UNITTEST.replace(old, new)}) == []


def test_asynchronous_tests_that_are_awaited() -> None:
    path = "tests/test_cart.py"
    after = UNITTEST.replace("unittest.TestCase", "unittest.IsolatedAsyncioTestCase").replace(
        "    def", "    async def"
    )
    assert _held({path: UNITTEST}, {path: after}) == []
    decorated = UNITTEST.replace("    def", "    @run_in_loop\n    async def")
    assert _held({path: UNITTEST}, {path: decorated}) == []


def test_what_a_hook_does_stands_elsewhere_now() -> None:
    hook = "import os\n\n\ndef pytest_unconfigure():\n    os._exit(0)\n"
    more = "\n\ndef pytest_runtest_call(item):\n    item.obj = None\n"
    kinds = {kind for kind, *_ in _held({"tests/conftest.py": hook}, {"tests/conftest.py": hook + more})}
    assert "runner-hook" in kinds
    assert "early-exit" not in kinds


STATUS = "def test_gone(client):\n    assert client.get('/a').status_code == 404\n"


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("HTTPStatus.NOT_FOUND", []),
        ("HTTPStatus.NOT_FOUND.value", []),
        ("status.HTTP_404_NOT_FOUND", []),
        ("HTTPStatus.OK", [("expectation-changed", "tests/test_a.py", 2, PERSON)]),
        ("HTTPStatus.NO_SUCH", [("expectation-changed", "tests/test_a.py", 2, PERSON)]),
        ("status.HTTP_200_OK", [("expectation-changed", "tests/test_a.py", 2, PERSON)]),
    ],
)
def test_a_status_by_its_name(name: str, held: list[tuple[str, str, int, Weight]]) -> None:
    path = "tests/test_a.py"
    assert _held({path: STATUS}, {path: STATUS.replace("404", name)}) == held
    assert _held({path: STATUS.replace("404", name)}, {path: STATUS}) == held
