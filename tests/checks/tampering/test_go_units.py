"""Tests of Go as units; sources after package testing's and the assertion libraries' own documentation."""

from __future__ import annotations

import pytest

from checks.tampering.units import SkipScope, Strength, Unit
from tests.checks.tampering.units_told import all_told, only_unit, told, units_of

ALWAYS, CONDITION, PLATFORM = SkipScope.ALWAYS, SkipScope.CONDITION, SkipScope.PLATFORM
PATH = "cart/cart_test.go"
NEEDS = 'func needsServer(t *testing.T) {\n\tif url == "" {\n\t\tt.Skip()\n\t}\n}\n'


def _unit(body: str, path: str = PATH) -> Unit:
    return only_unit(path, f"package cart\n\nfunc TestX(t *testing.T) {{\n{body}\n}}\n")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        # https://pkg.go.dev/testing
        ("if got != 3 { t.Errorf(`%d`, got) }", ["equal | got | 3"]),
        ("if got == 3 { t.Fatal() }", ["not equal | got | 3"]),
        ("if want != got { t.Fail() }", ["equal | got | want"]),
        ("if err != nil { t.Fatal(err) }", ["none | err"]),
        ("if err == nil { t.FailNow() }", ["not none | err"]),
        ("if !ok { t.Error() }", ["truthy | ok"]),
        ("if ok { t.Error() }", ["not truthy | ok"]),
        ("if err != nil || got != 3 { t.Fatal() }", ["none | err", "equal | got | 3"]),
        ("if a != 3 && a != 4 { t.Fatal() }", ["not any | a | a!=3&&a!=4"]),
        ("if len(got) != 3 { t.Fatal() }", ["length | got | 3"]),
        ("if got < 3 { t.Fatal() }", ["compare | got | >= 3"]),
        ("if math.Abs(got-want) > 0.1 { t.Fatal() }", ["close | got | want ± 0.1"]),
        ("if got := f(1); got != 3 { t.Fatal() }", ["equal | f(1) | 3"]),
        ("if err := f(); err != nil { t.Fatal() }", ["none | f()"]),
        ("if _, ok := m[1]; !ok { t.Fatal() }", ["truthy | m[1]"]),
        ("if a, b = f(), g(); a != b { t.Fatal() }", ["equal | f() | b"]),
        ("if x++; got != 3 { t.Fatal() }", ["equal | got | 3"]),
        ('if diff := cmp.Diff(want, got); diff != "" { t.Error(diff) }', ["equal | got | want"]),
        ("if !reflect.DeepEqual(got, want) { t.Fatal() }", ["equal | got | want"]),
        ("if !errors.Is(err, ErrX) { t.Fatal() }", ["raises | err | ErrX"]),
        ('if !strings.Contains(got, "a") { t.Fatal() }', ['contains | got | "a"']),
        ("if !valid(a, b) { t.Fatal() }", ["truthy | valid(a,b)"]),
        ("if x { panic(1) }", ["not truthy | x"]),
        ("t.Fatal()", ["custom:fail | "]),
        ("s.T().Fatal()", ["custom:fail | "]),
        ("log.Fatal()", []),
        ("total(3)", []),
        ("func() { f() }()", []),
        # https://pkg.go.dev/github.com/stretchr/testify/assert
        ("assert.Equal(t, 3, got)", ["equal | got | 3"]),
        ("assert.Equalf(t, 3, got, `m`)", ["equal | got | 3"]),
        ("assert.Equal(t, got, 3)", ["equal | got | 3"]),
        ("assert.NotEqual(t, 3, got)", ["not equal | got | 3"]),
        ("require.True(t, a == b)", ["equal | a | b"]),
        ("require.False(t, ok)", ["not truthy | ok"]),
        ("require.NoError(t, err)", ["none | err"]),
        ("require.Error(t, err)", ["raises | err"]),
        ("require.ErrorIs(t, err, ErrX)", ["raises | err | ErrX"]),
        ("require.Nil(t, x)", ["none | x"]),
        ("require.NotNil(t, x)", ["not none | x"]),
        ("require.Len(t, xs, 3)", ["length | xs | 3"]),
        ("require.Empty(t, xs)", ["length | xs | 0"]),
        ("require.NotEmpty(t, xs)", ["not length | xs | 0"]),
        ("require.Contains(t, xs, 3)", ["contains | xs | 3"]),
        ("require.Regexp(t, `a`, x)", ['matches | x | "a"']),
        ("require.IsType(t, Cart{}, x)", ["type | x | Cart{}"]),
        ("require.Greater(t, x, 3)", ["compare | x | > 3"]),
        ("require.InDelta(t, 1.5, x, 0.1)", ["close | x | 1.5 ± 0.1"]),
        ("require.Panics(t, f)", ["raises | f"]),
        ("assert := assert.New(t)\nassert.Equal(3, got)", ["equal | got | 3"]),
        ("s.Require().Equal(3, got)", ["equal | got | 3"]),
        ("assert.Equal(t)", []),
        ("assert.Equal(t, got)", []),
        ("assert.ErrorAs(t, err)", ["raises | err"]),
        # https://pkg.go.dev/gotest.tools/v3/assert
        ("assert.Assert(t, a == b)", ["equal | a | b"]),
        ("assert.NilError(t, err)", ["none | err"]),
        # https://onsi.github.io/gomega/
        ("Expect(x).To(Equal(3))", ["equal | x | 3"]),
        ("Expect(x).NotTo(BeNil())", ["not none | x"]),
        ("Expect(x).To(Not(Equal(3)))", ["not equal | x | 3"]),
        ("Expect(xs).Should(HaveLen(3))", ["length | xs | 3"]),
        ("Expect(x).To(BeHappy())", ["custom:BeHappy | x"]),
        ("Expect(err).NotTo(HaveOccurred())", ["none | err"]),
        ("x.To(a)", []),
        # https://pkg.go.dev/github.com/frankban/quicktest
        ("c.Assert(x, qt.Equals, 3)", ["equal | x | 3"]),
        ("c.Assert(x, qt.Not(qt.Equals), 3)", ["not equal | x | 3"]),
        ("qt.Check(t, x, qt.IsNil)", ["none | x"]),
        ("c.Assert(x, func() {}, 3)", ["custom: | x | 3"]),
        # https://github.com/smartystreets/goconvey
        ("So(x, ShouldEqual, 3)", ["equal | x | 3"]),
        ("assertTotal(t, cart, 3)", ["custom:assertTotal | cart | 3"]),
        ("check(t)", []),
        ("want := 3\nif got != want { t.Fatal() }", ["equal | got | 3"]),
        ("const want = `a`\nif got != want { t.Fatal() }", ['equal | got | "a"']),
        ("a, b := 1, 2\nif got != a { t.Fatal() }", ["equal | got | a"]),
    ],
)
def test_assertions(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body)) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("if a { require.Equal(t, 3, x) }", ["equal | x | 3 swallowed"]),
        ("if a { t.Log() }\nrequire.Equal(t, 3, x)", ["equal | x | 3"]),
        ("switch a { case 1: require.Equal(t, 3, x) }", ["equal | x | 3 swallowed"]),
        ("switch a.(type) { case int: require.Equal(t, 3, x) }", ["equal | x | 3 swallowed"]),
        ("select { case <-c: require.Equal(t, 3, x) }", ["equal | x | 3 swallowed"]),
        ("if a { require.Error(t, err) } else { require.NoError(t, err) }", ["raises | err", "none | err"]),
        ("if a { require.Error(t, err) } else { f() }", ["raises | err swallowed"]),
        ("if a { f() } else { require.Error(t, err) }", ["raises | err swallowed"]),
        ("return\nrequire.Equal(t, 3, x)", ["equal | x | 3 swallowed"]),
        ("if a { return }\nrequire.Equal(t, 3, x)", ["equal | x | 3 swallowed"]),
        ("if a { t.Error(); return }\nrequire.Equal(t, 3, x)", ["not truthy | a", "equal | x | 3"]),
        ("if a { t.Skip(); return }\nrequire.Equal(t, 3, x)", ["equal | x | 3"]),
        ("if a { f() }\nrequire.Equal(t, 3, x)", ["equal | x | 3"]),
        (
            "if got != 3 { t.Errorf(`a`); require.Nil(t, x) } else if b { t.Error() }",
            ["equal | got | 3", "none | x", "not truthy | b"],
        ),
        ("for _, c := range cases { require.Equal(t, 3, x) }", ["equal | x | 3"]),
    ],
)
def test_what_cannot_fail_the_test(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body)) == wanted


@pytest.mark.parametrize(
    ("body", "cases", "rows"),
    [
        ("tests := []struct{ a int }{ {1}, {2} }\nfor _, tt := range tests { t.Run(tt.n, f) }", 2, ("{1}", "{2}")),
        ('tests := map[string]int{ "a": 1 }\nfor n, tt := range tests { f() }', 1, ('"a":1',)),
        ("for _, tt := range []int{1, 2, 3} { f(tt) }", 3, ("1", "2", "3")),
        ("for _, tt := range tests() { f(tt) }", 1, ()),
        ("for i := 0; i < 3; i++ { f(i) }", 1, ()),
        ("for { f() }", 1, ()),
        ('t.Run("a", func(t *testing.T) {})\nt.Run("b", func(t *testing.T) {})', 2, ('"a"', '"b"')),
        ("t.Run(name, func(t *testing.T) {})", 1, ()),
        ("for _, tt := range all { f(tt) }", 2, ("1", "2")),
    ],
)
def test_rows(body: str, cases: int, rows: tuple[str, ...]) -> None:
    unit = only_unit(PATH, f"package cart\n\nvar all = []int{{1, 2}}\n\nfunc TestX(t *testing.T) {{\n{body}\n}}\n")
    assert (unit.cases, unit.rows) == (cases, rows)


@pytest.mark.parametrize(
    ("body", "skipped", "scope"),
    [
        ('t.Skip("later")', 't.Skip("later")', ALWAYS),
        ("if testing.Short() { t.Skip() }", "t.Skip()", CONDITION),
        ('if runtime.GOOS == "windows" { t.Skipf(`no`) }', 't.Skipf("no")', PLATFORM),
        ('if runtime.GOOS != "linux" { t.SkipNow() }', "t.SkipNow()", PLATFORM),
        ('if runtime.GOOS == "linux" { t.Skip() }', "t.Skip()", CONDITION),
        ("return\nt.Skip()", "t.Skip()", CONDITION),
        ('t.Run("a", func(t *testing.T) { t.Skip() })', "t.Skip()", CONDITION),
        ('t.Run("a", func(t *testing.T) { f() })\nt.Skip()', "t.Skip()", ALWAYS),
        ("f()", None, ALWAYS),
        ("needsServer(t)", "needsServer: t.Skip()", CONDITION),
    ],
)
def test_skips(body: str, skipped: str | None, scope: SkipScope) -> None:
    unit = only_unit(PATH, f"package cart\n\nfunc TestX(t *testing.T) {{\n{body}\n}}\n{NEEDS}")
    assert (unit.skipped, unit.skip_scope) == (skipped, scope)


@pytest.mark.parametrize(
    ("first", "skipped", "scope"),
    [
        ("//go:build integration", "//go:build integration", CONDITION),
        ("// +build integration", "//go:build integration", CONDITION),
        ("//go:build ignore", "//go:build ignore", ALWAYS),
        ("//go:build linux", "//go:build linux", PLATFORM),
        ("//go:build !windows && amd64", "//go:build !windows && amd64", PLATFORM),
        ("//go:build windows", "//go:build windows", CONDITION),
        ("//go:build go1.21 && race", "//go:build go1.21 && race", PLATFORM),
        ("// a comment", None, ALWAYS),
    ],
)
def test_build_constraints(first: str, skipped: str | None, scope: SkipScope) -> None:
    unit = only_unit(PATH, f"{first}\n\npackage cart\n\nfunc TestX(t *testing.T) {{ f() }}\n//go:build after\n")
    assert (unit.skipped, unit.skip_scope) == (skipped, scope)


@pytest.mark.parametrize(
    ("path", "skipped", "scope"),
    [
        ("a/cart_windows_test.go", "_windows_test.go", CONDITION),
        ("a/cart_linux_test.go", "_linux_test.go", PLATFORM),
        ("a/cart_darwin_arm64_test.go", "_darwin_arm64_test.go", CONDITION),
        ("a/windows_test.go", None, ALWAYS),
        ("a/cart_unix_test.go", None, ALWAYS),
    ],
)
def test_systems_in_file_names(path: str, skipped: str | None, scope: SkipScope) -> None:
    unit = _unit("f()", path)
    assert (unit.skipped, unit.skip_scope) == (skipped, scope)


def test_the_skip_that_spares_the_fewest_runs_counts() -> None:
    body = "if testing.Short() { t.Skip() }"
    unit = only_unit(PATH, f"//go:build ignore\n\npackage cart\n\nfunc TestX(t *testing.T) {{ {body} }}\n")
    assert (unit.skipped, unit.skip_scope) == ("//go:build ignore", ALWAYS)


def test_which_functions_are_tests() -> None:
    source = """package cart
func TestMain(m *testing.M) { os.Exit(m.Run()) }
func TestA(t *testing.T) { f() }
func Test(t *testing.T) { f() }
func Testing(t *testing.T) { assert.Nil(t, x) }
func TestHelper(x int) { f() }
func (s *CartSuite) TestB() { s.Equal(1, x) }
func (CartSuite) TestC() {}
func FuzzD(f *testing.F) { f.Add(1) }
func BenchmarkE(b *testing.B) { f() }
func ExampleF() { g() }
func testG(t *testing.T) { assert.Nil(t, x) }
func external(x int)
func assertH(t testing.TB, want int) { if got != want { t.Fatal() } }
"""
    found = units_of(PATH, source)
    assert [unit.name for unit in found.units] == [
        *("TestA", "Test", "CartSuite.TestB", "CartSuite.TestC", "FuzzD", "ExampleF"),
    ]
    assert [(helper.name, list(map(told, helper.assertions))) for helper in found.helpers] == [
        ("Testing", ["none | x"]),
        ("testG", ["none | x"]),
        ("assertH", ["equal | got | want"]),
    ]


def test_the_output_of_an_example_is_asserted() -> None:
    source = "package cart\nfunc ExampleTotal() {\n\tfmt.Println(3)\n\t// Output:\n\t// 3\n\t// 4\n}\n"
    unit = only_unit(PATH, source)
    assert all_told(unit) == ["equal | output | 3 4"]
    assert unit.assertions[0].strength is Strength.EXACT
    assert only_unit(PATH, source.replace("// Output:", "// Unordered output:")).assertions != ()
    assert only_unit(PATH, source.replace("// Output:", "// prints")).assertions == ()


def test_ginkgo() -> None:
    source = """package cart
var _ = Describe("cart", func() {
	FIt("adds", func() { Expect(x).To(Equal(1)) })
	PIt("later", func() { f() })
	XDescribe("off", func() { It("x", func() { f() }) })
	DescribeTable("rows", func(a int) { Expect(a).To(BeTrue()) }, Entry("a", 1), Entry("b", 2))
	It("pending")
	a.b.It("x", func() {})
	Context(name, Label("slow"), func() { Specify("deep", Label("a"), func() { if x { panic(1) } }) })
})
"""
    found = units_of(PATH, source).units
    assert [(unit.name, unit.focused, unit.skipped, unit.cases) for unit in found] == [
        ("cart.adds", "FIt", None, 1),
        ("cart.later", None, "PIt", 1),
        ("cart.off.x", None, "XDescribe", 1),
        ("cart.rows", None, None, 2),
        ("cart.name.deep", None, None, 1),
    ]
    assert found[3].rows == ('Entry("a",1)', 'Entry("b",2)')


@pytest.mark.parametrize(
    ("path", "collected"),
    [
        ("cart/cart_test.go", True),
        ("cart/_cart_test.go", False),
        ("testdata/cart_test.go", False),
        ("cart/carttest.go", False),
        (".old/cart_test.go", False),
    ],
)
def test_which_files_go_test_compiles(path: str, collected: bool) -> None:
    assert _unit("f()", path).collected is collected


def test_messages_are_no_part_of_the_body() -> None:
    assert _unit('if got != 3 { t.Errorf("got %d", got) }').body == "{if got!=3{t.Errorf}}"


def test_product_code_is_not_parsed() -> None:
    source = """package cart

type Cart struct{}

var Zero = 0

const (
	one = 1
)

func (c *Cart) Total() int { return 1 }

func New() *Cart { return nil }
"""
    found = units_of("cart/cart.go", source)
    assert (found.units, set(found.defines), found.is_test_file) == ((), {"Cart", "Zero", "Total", "New"}, False)


def test_helpers_for_tests_in_product_files() -> None:
    found = units_of(
        "cart/carttest/check.go", "package carttest\nfunc Check(t *testing.T) { if x != 1 { t.Fatal() } }\n"
    )
    assert [helper.name for helper in found.helpers] == ["Check"]
    assert found.defines == {"Check"}


@pytest.mark.parametrize("source", [b"package", b"func TestX(", b"\xff\x00", b"if x { t.Fatal() }"])
def test_hostile_bytes_do_not_raise(source: bytes) -> None:
    assert units_of(PATH, source).path == PATH
