"""Tests of C# as units; sources after the frameworks' own documentation."""

from __future__ import annotations

import pytest

from checks.tampering.units import SkipScope, Unit
from tests.checks.tampering.units_told import all_told, only_unit, told, units_of

ALWAYS, CONDITION, PLATFORM = SkipScope.ALWAYS, SkipScope.CONDITION, SkipScope.PLATFORM
PATH = "tests/Shop.Tests/CartTests.cs"


def _unit(body: str, attributes: str = "[Fact]") -> Unit:
    return only_unit(PATH, f"class CartTests {{ {attributes} public void X() {{ {body} }} }}")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        # https://xunit.net/docs/comparisons
        ("Assert.Equal(3, x);", ["equal | x | 3"]),
        ("Assert.Equal(x, 3);", ["equal | x | 3"]),
        ("Assert.Equal(expected: 3, actual: x);", ["equal | x | 3"]),
        ("Assert.Equal(1.5, x, 2);", ["close | x | 1.5 ± 0.005"]),
        ("Assert.Equal(1.5, x, 0.1);", ["close | x | 1.5 ± 0.1"]),
        ("Assert.Equal(a, x, comparer);", ["equal | x | a"]),
        ("Assert.NotEqual(3, x);", ["not equal | x | 3"]),
        ("Assert.True(x);", ["truthy | x"]),
        ("Assert.True(a == b && !c);", ["equal | a | b", "not truthy | c"]),
        ('Assert.False(x, "message");', ["not truthy | x"]),
        ("Assert.True(x is null);", ["none | x"]),
        ("Assert.True(x is not null);", ["not none | x"]),
        ("Assert.True(x is Cart { Total: 3 });", ["matches | x | Cart{Total:3}"]),
        ("Assert.True(x is Cart);", ["type | x | Cart"]),
        ("Assert.True(x is string);", ["type | x | string"]),
        ("Assert.True(x is not 3);", ["not matches | x | 3"]),
        ('Assert.True(x.Contains("a"));', ['contains | x | "a"']),
        ("Assert.True(x.Equals(y));", ["equal | x | y"]),
        ("Assert.True(x.Valid(y));", ["truthy | x.Valid(y)"]),
        ("Assert.True(x.Any());", ["truthy | x.Any()"]),
        ("Assert.Null(x);", ["none | x"]),
        ("Assert.NotNull(x);", ["not none | x"]),
        ("Assert.Empty(xs);", ["length | xs | 0"]),
        ("Assert.Single(xs);", ["length | xs | 1"]),
        ("Assert.Contains(3, xs);", ["contains | xs | 3"]),
        ("Assert.Contains(xs);", ["contains | xs"]),
        ("Assert.IsType<Cart>(x);", ["type | x | Cart"]),
        ("Assert.Throws<X>(() => f());", ["raises | f() | X"]),
        ("Assert.ThrowsAny<Exception>(() => { f(); });", ["raises | f() | Exception"]),
        ("await Assert.ThrowsAsync<X>(async () => await f());", ["raises | f() | X"]),
        ("Assert.Equal(3, xs.Count);", ["length | xs | 3"]),
        ("Assert.Fail();", ["custom:fail | "]),
        ("Assert.Shiny(x);", []),
        ("Assert.Equal();", []),
        ("Assert.True(Math.Abs(a - b) < 0.1);", ["close | a | b ± 0.1"]),
        # https://docs.nunit.org/articles/nunit/writing-tests/assertions/
        ("Assert.That(x, Is.EqualTo(3));", ["equal | x | 3"]),
        ("Assert.That(x, Is.Not.EqualTo(3));", ["not equal | x | 3"]),
        ("Assert.That(x, Is.EqualTo(1.5).Within(0.1));", ["close | x | 1.5 ± 0.1"]),
        ("Assert.That(x, Is.Null);", ["none | x"]),
        ("Assert.That(a == b, Is.True);", ["equal | a | b"]),
        ("Assert.That(xs, Has.Count.EqualTo(2));", ["length | xs | 2"]),
        ("Assert.That(xs, Has.Exactly(2).Items);", ["custom:Items | xs"]),
        ('Assert.That(x, Does.Contain("a"));', ['contains | x | "a"']),
        ("Assert.That(x, Is.InstanceOf<Cart>());", ["type | x | Cart"]),
        ("Assert.That(x, Is.GreaterThan(3));", ["compare | x | > 3"]),
        ("Assert.That(x, Is.Positive);", ["compare | x | > 0"]),
        ("Assert.That(() => f(), Throws.TypeOf<X>());", ["raises | f() | X"]),
        ("Assert.That(() => f(), Throws.ArgumentException);", ["raises | f() | ArgumentException"]),
        ("Assert.That(() => f(), Throws.Nothing);", ["not raises | f()"]),
        ("Assert.That(() => f(), Throws);", ["raises | f()"]),
        ('Assert.That(a == b, "message");', ["equal | a | b"]),
        ("Assert.That(x);", ["truthy | x"]),
        ("Assert.AreEqual(1.5, x, 0.1);", ["close | x | 1.5 ± 0.1"]),
        ("CollectionAssert.AreEqual(a, xs);", ["equal | xs | a"]),
        # https://fluentassertions.com/introduction, https://docs.shouldly.org/
        ('x.Should().Be(3, "because");', ["equal | x | 3"]),
        ("x.Should().NotBeNull().And.BeOfType<Cart>();", ["not none | x", "type | x | Cart"]),
        ("xs.Should().Equal(1, 2);", ["equal | xs | 1,2"]),
        ("x.Should().BeApproximately(1.5, 0.1);", ["close | x | 1.5 ± 0.1"]),
        ('act.Should().Throw<X>().WithMessage("a");', ["raises | act | X"]),
        ("x.Should().BeHappy();", ["custom:BeHappy | x"]),
        ("(a == b).Should().BeTrue();", ["equal | a | b"]),
        ("new Cart().Should().Be(x);", ["equal | new Cart() | x"]),
        ("x.Should();", ["constant | x"]),
        ("x?.Should().Be(3);", ["equal | x | 3 swallowed"]),
        ("x?.Items().Add(3);", []),
        ("x.ShouldBe(3);", ["equal | x | 3"]),
        ("x.ShouldNotBeNull();", ["not none | x"]),
        ("Should(x);", []),
        # mocks and snapshots
        ("mock.Verify(m => m.Save(1), Times.Once);", ["called | mock.m=>m.Save(1) | Times.Once"]),
        ("mock.Verify(m => m.Save(1), Times.Never);", ["not called | mock.m=>m.Save(1) | Times.Never"]),
        ("mock.VerifyNoOtherCalls();", ["not called | mock"]),
        ("mock.VerifyAll();", ["called | mock"]),
        ("repo.Received(2).Save(x);", ["called | repo.Save | x,2"]),
        ("repo.DidNotReceive().Save(x);", ["not called | repo.Save | x"]),
        ("Received(2).Save(x);", []),
        ("await Verify(x);", ["snapshot | x"]),
        ("AssertTotal(cart, 3);", ["custom:AssertTotal | cart | 3"]),
        ("AssertNothing();", []),
        ("f(x);", []),
        ("var n = 3; Assert.Equal(n, x);", ["equal | x | 3"]),
        ("int n; Assert.Equal(n, x);", ["equal | x | n"]),
    ],
)
def test_assertions(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body)) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("if (a) { Assert.Null(x); }", ["none | x swallowed"]),
        ("if (a) { Assert.Null(x); } else { Assert.NotNull(x); }", ["none | x", "not none | x"]),
        ("if (x != 3) { throw new E(); }", ["equal | x | 3"]),
        ('if (x != 3) Assert.Fail("no");', ["equal | x | 3"]),
        ("if (!x.Contains(3)) throw new E();", ["contains | x | 3"]),
        ("switch (a) { case 1: Assert.Null(x); break; }", ["none | x swallowed"]),
        ("var n = a ? f(Assert.Single(x)) : 1;", ["length | x | 1 swallowed"]),
        ("try { Assert.Null(x); } catch { }", ["none | x swallowed"]),
        ("try { Assert.Null(x); } catch (System.Exception e) { f(e); }", ["none | x swallowed"]),
        ("try { Assert.Null(x); } catch (Exception) { throw; }", ["none | x"]),
        ("try { Assert.Null(x); } catch (IOException e) { }", ["none | x"]),
        ("try { f(); Assert.Fail(); } catch (X e) { Assert.Null(e.A); }", ["raises | f() | X", "none | e.A"]),
        ("if (a) return; Assert.Null(x);", ["none | x swallowed"]),
        ("void Check() { Assert.Null(x); }", ["none | x swallowed"]),
        ("void Check() { Assert.Null(x); } Check();", ["none | x"]),
        ("\n#if A\nAssert.Null(x);\n#endif\n", ["none | x swallowed"]),
    ],
)
def test_what_cannot_fail_the_test(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body)) == wanted


@pytest.mark.parametrize(
    ("attributes", "field", "value", "scope"),
    [
        ('[Fact(Skip = "why")]', "skipped", 'Fact(Skip="why")', ALWAYS),
        ("[Test, Ignore]", "skipped", "Ignore", ALWAYS),
        ('[NUnit.Framework.Test] [IgnoreAttribute("why")]', "skipped", 'IgnoreAttribute("why")', ALWAYS),
        ("[Test] [Explicit]", "skipped", "Explicit", ALWAYS),
        ('[Test] [Platform(Exclude = "Win")]', "skipped", 'Platform(Exclude="Win")', PLATFORM),
        ('[Test] [Platform("Linux")]', "skipped", 'Platform("Linux")', PLATFORM),
        ('[Test] [Platform("Win")]', "skipped", 'Platform("Win")', CONDITION),
        ("[ConditionalFact(nameof(A))]", "skipped", "ConditionalFact(nameof(A))", CONDITION),
        ("[Fact(SkipUnless = nameof(A))]", "skipped", "Fact(SkipUnless=nameof(A))", CONDITION),
        ("[Test] [Retry(3)]", "retries", "Retry(3)", ALWAYS),
        ("[Test] [CancelAfter(5)]", "timeout", "CancelAfter(5)", ALWAYS),
        ("[Fact(Timeout = 5)]", "timeout", "Fact(Timeout=5)", ALWAYS),
        ("[Property(MaxTest = 10)]", "examples", 10, ALWAYS),
        ("[Property]", "examples", None, ALWAYS),
        ("[Theory] [InlineData(1, 2)] [InlineData(3, 4)]", "rows", ("InlineData(1,2)", "InlineData(3,4)"), ALWAYS),
        ("[TestMethod] [DataRow(1)]", "rows", ("DataRow(1)",), ALWAYS),
        ("[TestCase(1)]", "rows", ("TestCase(1)",), ALWAYS),
        ("[SkippableFact]", "skipped", None, ALWAYS),
    ],
)
def test_attributes(attributes: str, field: str, value: object, scope: SkipScope) -> None:
    unit = _unit("f();", attributes)
    assert (getattr(unit, field), unit.skip_scope) == (value, scope)


@pytest.mark.parametrize(
    ("body", "scope"),
    [
        ('Assert.Ignore("why");', ALWAYS),
        ("Assert.Inconclusive();", ALWAYS),
        ("if (a) Assert.Skip();", CONDITION),
        ("Skip.If(slow);", CONDITION),
        ("Skip.If(true);", ALWAYS),
        ("Skip.IfNot(IsLinux);", PLATFORM),
        ("Assert.SkipUnless(false, a);", ALWAYS),
    ],
)
def test_skips_in_the_body(body: str, scope: SkipScope) -> None:
    unit = _unit(body)
    assert (unit.skipped is not None, unit.skip_scope) == (True, scope)


def test_what_skips_in_a_set_up_skips_the_class() -> None:
    source = "class A { [SetUp] public void S() { Assert.Ignore(); } [Test] public void X() { } }"
    assert only_unit(PATH, source).skipped == "Assert.Ignore()"


def test_skips_without_a_condition_are_none() -> None:
    assert _unit("Skip.If();").skipped is None


def test_conditions_of_the_compiler() -> None:
    source = """class A {
#if NEVER
  [Fact] public void X() { }
#else
  [Fact] public void Y() { }
#endif
#if false
  [Fact] public void Z() { }
#endif
  [Fact] public void W() { }
}"""
    found = units_of(PATH, source).units
    assert [(unit.name, unit.skipped, unit.skip_scope) for unit in found] == [
        ("A.X", "#if NEVER", CONDITION),
        ("A.Y", "#else", CONDITION),
        ("A.Z", "#if false", ALWAYS),
        ("A.W", None, ALWAYS),
    ]


def test_classes_helpers_and_what_is_public() -> None:
    source = """namespace Shop.Tests;
    [TestFixture, Ignore("why")]
    public class A {
      [Test] public void X() { }
      [Test] void Hidden() { }
      [TestMethod, ExpectedException(typeof(X))] public void Y() { f(); }
      void AssertTotal(Cart c, int t) { Assert.AreEqual(t, c.Total); }
      abstract void Nothing();
      record R { void Check() => Assert.Null(x); }
    }"""
    found = units_of(PATH, source)
    assert [(unit.name, unit.skipped, unit.collected, all_told(unit)) for unit in found.units] == [
        ("A.X", 'Ignore("why")', True, []),
        ("A.Hidden", 'Ignore("why")', False, []),
        ("A.Y", 'Ignore("why")', True, ["raises | f() | X"]),
    ]
    assert [(helper.name, list(map(told, helper.assertions))) for helper in found.helpers] == [
        ("A.AssertTotal", ["equal | c.Total | t"]),
        ("A.R.Check", ["none | x"]),
    ]


def test_mocks_and_calls() -> None:
    unit = _unit("var m = Substitute.For<ICart>(); cart.Items().Add(1); Assert.Null(f());")
    assert (set(unit.mocks), set(unit.calls)) == (
        {"ICart"},
        {"Substitute.For<ICart>", "cart.Items", "cart.Items.Add", "f"},
    )


def test_product_code_is_not_parsed() -> None:
    source = """namespace Shop;
    public class Cart {
      public int Total { get; set; }
      private readonly string name = "a";
      public static Cart Of(int a) { return null; }
    }
    """
    found = units_of("src/Shop/Cart.cs", source)
    assert (found.units, set(found.defines)) == ((), {"Cart", "Total", "name", "Of"})


@pytest.mark.parametrize(
    "source", [b"class A { [Fact]", b"[Fact(", b"\xff\x00", b"class A { [Fact] public void X() { Assert."]
)
def test_hostile_bytes_do_not_raise(source: bytes) -> None:
    assert units_of(PATH, source).path == PATH
