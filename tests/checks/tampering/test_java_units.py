"""Tests of Java as units; sources after the frameworks' own documentation."""

from __future__ import annotations

import pytest

from checks.tampering.units import SkipScope, Unit
from tests.checks.tampering.units_told import all_told, only_unit, told, units_of

ALWAYS, CONDITION, PLATFORM = SkipScope.ALWAYS, SkipScope.CONDITION, SkipScope.PLATFORM
PATH = "src/test/java/shop/CartTest.java"
JUNIT5 = "import org.junit.jupiter.api.Test;"
JUNIT4 = "import org.junit.Test;"
TESTNG = "import org.testng.annotations.Test;"


def _unit(body: str, imports: str = JUNIT5, annotations: str = "@Test") -> Unit:
    return only_unit(PATH, f"{imports}\nclass CartTest {{\n{annotations} void x() {{ {body} }}\n}}\n")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        # https://docs.junit.org/current/api/org.junit.jupiter.api/org/junit/jupiter/api/Assertions.html
        ("assertEquals(3, x);", ["equal | x | 3"]),
        ("assertEquals(x, 3);", ["equal | x | 3"]),
        ('assertEquals(3, x, "message");', ["equal | x | 3"]),
        ("assertEquals(1.5, x, 0.1);", ["close | x | 1.5 ± 0.1"]),
        ("assertEquals(1.5, x, DELTA);", ["close | x | 1.5 ± DELTA"]),
        ('assertEquals("a", x, "message");', ['equal | x | "a"']),
        ("assertNotEquals(3, x);", ["not equal | x | 3"]),
        ("assertTrue(x);", ["truthy | x"]),
        ("assertFalse(x);", ["not truthy | x"]),
        ("assertTrue(a == 3 && b.isEmpty());", ["equal | a | 3", "length | b | 0"]),
        ("assertTrue(a.equals(b));", ["equal | a | b"]),
        ("assertTrue(Objects.equals(a, b));", ["equal | a | b"]),
        ("assertTrue(a instanceof Cart);", ["type | a | Cart"]),
        ('assertTrue(a.contains("b"));', ['contains | a | "b"']),
        ("assertTrue(valid(a));", ["truthy | valid(a)"]),
        ("assertTrue(a.valid(b));", ["truthy | a.valid(b)"]),
        ("assertNull(x);", ["none | x"]),
        ("assertNotNull(x);", ["not none | x"]),
        ("assertThrows(X.class, () -> f());", ["raises | f() | X"]),
        ("assertThrows(Exception.class, () -> { f(); });", ["raises | f() | Exception"]),
        ("assertDoesNotThrow(() -> f());", ["not raises | f()"]),
        ("assertInstanceOf(Cart.class, x);", ["type | x | Cart.class"]),
        ("assertEquals(3, x.size());", ["length | x | 3"]),
        ("assertAll(() -> assertEquals(3, x), () -> assertNull(y));", ["equal | x | 3", "none | y"]),
        ("Assertions.assertEquals(3, x);", ["equal | x | 3"]),
        ("fail();", ["custom:fail | "]),
        ('Assertions.fail("no");', ["custom:fail | "]),
        ("assertTotal(cart, 3);", ["custom:assertTotal | cart | 3"]),
        ("assertEquals();", []),
        ("f(x);", []),
        ("int n = a.length;", []),
        ("int n = 3; assertEquals(n, x);", ["equal | x | 3"]),
        ("int n; assertEquals(n, x);", ["equal | x | n"]),
        # https://assertj.github.io/doc/
        ("assertThat(x).isEqualTo(3);", ["equal | x | 3"]),
        ('assertThat(x).as("text").isNotNull().isEqualTo(3);', ["not none | x", "equal | x | 3"]),
        ("assertThat(xs).hasSize(2).contains(1, 2);", ["length | xs | 2", "contains | xs | 1,2"]),
        ("assertThat(xs).containsExactly(1, 2);", ["equal | xs | 1,2"]),
        ("assertThat(xs).isEmpty();", ["length | xs | 0"]),
        ("assertThat(x).isCloseTo(1.5, within(0.1));", ["close | x | 1.5 ± within(0.1)"]),
        ("assertThat(x).isGreaterThan(3);", ["compare | x | > 3"]),
        ("assertThat(x).isPositive();", ["compare | x | > 0"]),
        ("assertThat(a == b).isTrue();", ["equal | a | b"]),
        ("assertThat(x).isTrue();", ["equal | x | true"]),
        ("assertThat(x).isHappy(3);", ["custom:isHappy | x | 3"]),
        ("assertThat(x);", ["constant | x"]),
        ('assertThatThrownBy(() -> f()).isInstanceOf(X.class).hasMessage("a");', ["raises | f() | X"]),
        ('assertThatThrownBy(() -> f()).hasMessage("a");', ["raises | f()"]),
        ("assertThatExceptionOfType(X.class).isThrownBy(() -> f());", ["raises | f() | X"]),
        ("assertThatCode(() -> f()).doesNotThrowAnyException();", ["not raises | f()"]),
        # https://hamcrest.org/JavaHamcrest/javadoc/
        ("assertThat(x, is(3));", ["equal | x | 3"]),
        ("assertThat(x, is(equalTo(3)));", ["equal | x | 3"]),
        ("assertThat(x, is(not(equalTo(3))));", ["not equal | x | 3"]),
        ("assertThat(x, not(3));", ["not equal | x | 3"]),
        ('assertThat("reason", x, is(3));', ["equal | x | 3"]),
        ("assertThat(xs, hasSize(2));", ["length | xs | 2"]),
        ("assertThat(x, is(nullValue()));", ["none | x"]),
        ("assertThat(x, closeTo(1.5, 0.1));", ["close | x | 1.5 ± 0.1"]),
        ("assertThat(x, greaterThan(3));", ["compare | x | > 3"]),
        ("assertThat(x, isHappy(3));", ["custom:isHappy | x | 3"]),
        ("assertThat(x, wanted);", ["equal | x | wanted"]),
        # https://javadoc.io/doc/org.mockito/mockito-core/latest/org/mockito/Mockito.html
        ("verify(repo).save(cart);", ["called | repo.save | cart"]),
        ("verify(repo, times(2)).save(cart);", ["called | repo.save | cart;times(2)"]),
        ("verify(repo, never()).drop();", ["not called | repo.drop | never()"]),
        ("Mockito.verify(repo).save();", ["called | repo.save"]),
        ("verifyNoInteractions(repo);", ["not called | repo"]),
        # Spring, WebTestClient, REST Assured
        (
            'mvc.perform(get("/")).andExpect(status().isOk()).andDo(print());',
            ['custom:andExpect | mvc.perform(get("/")) | status().isOk()'],
        ),
        ("client.get().expectStatus().isOk();", ["custom:expectStatus | client.get()", "custom:isOk | client.get()"]),
        (
            'given().get("/").then().statusCode(200).and().body("x", is(1));',
            ['custom:statusCode | given().get("/").then() | 200', 'custom:body | given().get("/").then() | "x",is(1)'],
        ),
    ],
)
def test_assertions(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body)) == wanted


@pytest.mark.parametrize(
    ("imports", "body", "wanted"),
    [
        (JUNIT4, 'assertEquals("message", 3, x);', ["equal | x | 3"]),
        (JUNIT4, 'assertEquals("message", 1.5, x, 0.1);', ["close | x | 1.5 ± 0.1"]),
        (JUNIT4, 'assertEquals("a", x);', ['equal | x | "a"']),
        (JUNIT4, 'assertTrue("message", x);', ["truthy | x"]),
        (JUNIT4, "assertEquals(1.5, x, 0.1);", ["close | x | 1.5 ± 0.1"]),
        (TESTNG, "assertEquals(x, y);", ["equal | x | y"]),
        (TESTNG, 'assertEquals(x, "a", "message");', ['equal | x | "a"']),
        (TESTNG, "assertTrue(x);", ["truthy | x"]),
    ],
)
def test_places_of_arguments(imports: str, body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body, imports)) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("if (a) { assertEquals(3, x); }", ["equal | x | 3 swallowed"]),
        ("if (a) assertEquals(3, x); else assertEquals(4, x);", ["equal | x | 3", "equal | x | 4"]),
        ("if (x != 3) throw new AssertionError();", ["equal | x | 3"]),
        ("if (x != 3) { fail(); }", ["equal | x | 3"]),
        ("if (!x.contains(3)) { fail(); }", ["contains | x | 3"]),
        ("if (a) { } assertNull(x);", ["none | x"]),
        ("switch (a) { case 1: assertEquals(3, x); }", ["equal | x | 3 swallowed"]),
        ("int n = a ? f(assertNull(x)) : 1;", ["none | x swallowed"]),
        ("try { assertEquals(3, x); } catch (Exception e) { }", ["equal | x | 3 swallowed"]),
        ("try { assertEquals(3, x); } catch (Exception e) { throw e; }", ["equal | x | 3"]),
        ("try { assertEquals(3, x); } catch (java.io.IOException e) { }", ["equal | x | 3"]),
        ("try { assertEquals(3, x); } finally { f(); }", ["equal | x | 3"]),
        ("try (var r = f()) { assertEquals(3, x); } catch (A | Throwable e) { }", ["equal | x | 3 swallowed"]),
        ("try { f(); } catch (X e) { assertEquals(3, x); }", ["equal | x | 3 swallowed"]),
        ("try { f(); fail(); } catch (X e) { assertEquals(3, x); }", ["raises | f() | X", "equal | x | 3"]),
        ("if (a) return; assertEquals(3, x);", ["equal | x | 3 swallowed"]),
    ],
)
def test_what_cannot_fail_the_test(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body)) == wanted


@pytest.mark.parametrize(
    ("annotations", "field", "value", "scope"),
    [
        ('@Test @Disabled("why")', "skipped", '@Disabled("why")', ALWAYS),
        ("@Test @org.junit.Ignore", "skipped", "@org.junit.Ignore", ALWAYS),
        ("@Test @DisabledOnOs(OS.WINDOWS)", "skipped", "@DisabledOnOs(OS.WINDOWS)", PLATFORM),
        ("@Test @EnabledOnOs(OS.LINUX)", "skipped", "@EnabledOnOs(OS.LINUX)", PLATFORM),
        ("@Test @DisabledOnOs(OS.LINUX)", "skipped", "@DisabledOnOs(OS.LINUX)", CONDITION),
        ("@Test @EnabledOnJre(JRE.JAVA_21)", "skipped", "@EnabledOnJre(JRE.JAVA_21)", PLATFORM),
        ('@Test @DisabledIf("slow")', "skipped", '@DisabledIf("slow")', CONDITION),
        ('@Disabled @Test @DisabledIf("slow")', "skipped", "@Disabled", ALWAYS),
        ("@Test(enabled = false)", "skipped", "@Test(enabled=false)", ALWAYS),
        ("@Test(enabled = true)", "skipped", None, ALWAYS),
        ("@Test(timeout = 100)", "timeout", "@Test(timeout=100)", ALWAYS),
        ("@Test @Timeout(5)", "timeout", "@Timeout(5)", ALWAYS),
        ("@RetryingTest(3)", "retries", "@RetryingTest(3)", ALWAYS),
        ("@Test(retryAnalyzer = Again.class)", "retries", "@Test(retryAnalyzer=Again.class)", ALWAYS),
        ("@Property(tries = 10)", "examples", 10, ALWAYS),
        ("@Property", "examples", None, ALWAYS),
        ("@ParameterizedTest @ValueSource(ints = {1, 2})", "rows", ("1", "2"), ALWAYS),
        ("@ParameterizedTest @ValueSource(ints = 1)", "rows", (), ALWAYS),
        ('@ParameterizedTest @CsvSource({"a,1", "\'b c\',2"})', "rows", ('"a",1', '"b c",2'), ALWAYS),
        ('@ParameterizedTest @CsvSource(textBlock = """\n a, 1\n b, 2\n""")', "rows", ('"a",1', '"b",2'), ALWAYS),
        ('@ParameterizedTest @MethodSource("rows")', "rows", ("arguments(1,2)", "arguments(3,4)"), ALWAYS),
        ('@ParameterizedTest @MethodSource("other")', "rows", (), ALWAYS),
        ('@Test(dataProvider = "table")', "rows", ("{1}", "{2}"), ALWAYS),
        ("@Test", "rows", (), ALWAYS),
    ],
)
def test_annotations(annotations: str, field: str, value: object, scope: SkipScope) -> None:
    source = f"""class CartTest {{
      static Stream<Arguments> rows() {{ return Stream.of(arguments(1, 2), arguments(3, 4)); }}
      @DataProvider Object[][] table() {{ return new Object[][] {{ {{1}}, {{2}} }}; }}
      Stream<Arguments> other() {{ return Files.lines(path); }}
      int nothing() {{ return 3; }}
      void really() {{ return; }}
      {annotations} void x() {{ f(); }}
    }}"""
    unit = only_unit(PATH, source)
    assert (getattr(unit, field), unit.skip_scope) == (value, scope)


@pytest.mark.parametrize(
    ("body", "scope"),
    [
        ('assumeTrue(System.getenv("X") == null);', CONDITION),
        ("assumeTrue(false);", ALWAYS),
        ("Assume.assumeFalse(isWindows());", PLATFORM),
        ("assumeTrue(isLinux());", PLATFORM),
        ("assumeFalse(true);", ALWAYS),
        ("abort();", ALWAYS),
    ],
)
def test_assumptions(body: str, scope: SkipScope) -> None:
    unit = _unit(body)
    assert (unit.skipped, unit.skip_scope) == (body.rstrip(";").replace(" == ", "=="), scope)


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        ("X.class", ["raises | assertTrue(x) | X", "truthy | x"]),
        ("AssertionError.class", ["raises | assertTrue(x) | AssertionError", "truthy | x swallowed"]),
    ],
)
def test_expected_errors(error: str, wanted: list[str]) -> None:
    assert all_told(_unit("f(); assertTrue(x);", JUNIT4, f"@Test(expected = {error})")) == wanted


def test_what_skips_in_a_set_up_skips_the_class() -> None:
    source = "class A { @BeforeEach void s() { assumeTrue(ready); } @Test void x() { } }"
    unit = only_unit(PATH, source)
    assert (unit.skipped, unit.skip_scope) == ("assumeTrue(ready)", CONDITION)


def test_which_methods_are_tests() -> None:
    source = """
    class CartTest extends TestCase {
      public void testAdds() { f(); }
      void testPrivate() { f(); }
      public void helper() { assertNull(x); }
      abstract void nothing();
    }
    @Test class AllTest { public void a() { f(); } void b() { assertNull(x); } }
    record R() { void c() { assertNull(x); } }
    """
    found = units_of(PATH, source + "// org.testng")
    assert [unit.name for unit in found.units] == ["CartTest.testAdds", "CartTest.helper", "AllTest.a"]
    assert [helper.name for helper in found.helpers] == ["AllTest.b", "R.c"]
    plain = units_of(PATH, source)
    assert [unit.name for unit in plain.units] == ["CartTest.testAdds"]


def test_nested_classes_inherit_marks() -> None:
    source = "class A { @Nested @Disabled class B { @Test void x() {} } @Test void y() {} }"
    assert [(unit.name, unit.skipped) for unit in units_of(PATH, source).units] == [
        ("A.B.x", "@Disabled"),
        ("A.y", None),
    ]


@pytest.mark.parametrize(
    ("path", "modifiers", "collected"),
    [
        (PATH, "", True),
        ("src/test/java/shop/TestCart.java", "", True),
        ("src/test/java/shop/CartIT.java", "", True),
        ("src/test/java/shop/CartChecks.java", "", False),
        (PATH, "private", False),
        (PATH, "static", False),
    ],
)
def test_which_tests_maven_runs(path: str, modifiers: str, collected: bool) -> None:
    assert only_unit(path, f"class A {{ @Test {modifiers} void x() {{}} }}").collected is collected


def test_mocks_and_calls() -> None:
    unit = _unit("Cart cart = mock(Cart.class); cart.items().add(1); mock(); assertNull(f());")
    assert (set(unit.mocks), set(unit.calls)) == ({"Cart"}, {"mock", "cart.items", "cart.items.add", "f"})


def test_product_code_is_not_parsed() -> None:
    source = """package shop;
    public class Cart<T> {
      static final int MOST = 3;
      public int total(int a) { if (a > 1) { return 2; } return 1; }
      private List<String> names() { return null; }
    }
    """
    found = units_of("src/main/java/shop/Cart.java", source)
    assert (found.units, set(found.defines)) == ((), {"Cart", "MOST", "total", "names"})


def test_helpers_told() -> None:
    found = units_of(PATH, "class A { private void assertTotal(Cart c, int t) { assertEquals(t, c.total()); } }")
    assert [(helper.name, list(map(told, helper.assertions))) for helper in found.helpers] == [
        ("A.assertTotal", ["equal | c.total() | t"])
    ]


@pytest.mark.parametrize(
    "source", [b"class A { @Test", b"@Test(", b"\xff\x00", b"class A { @Test void x() { assertEquals("]
)
def test_hostile_bytes_do_not_raise(source: bytes) -> None:
    assert units_of(PATH, source).path == PATH
