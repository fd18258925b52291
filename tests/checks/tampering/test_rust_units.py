"""Tests of Rust as units; sources after the reference and the crates' own documentation."""

from __future__ import annotations

import pytest

from checks.tampering.units import SkipScope, Unit
from tests.checks.tampering.units_told import all_told, only_unit, told, units_of

ALWAYS, CONDITION, PLATFORM = SkipScope.ALWAYS, SkipScope.CONDITION, SkipScope.PLATFORM
PATH = "tests/cart.rs"


def _unit(body: str, attributes: str = "#[test]") -> Unit:
    return only_unit(PATH, f"{attributes}\nfn x() {{\n{body}\n}}\n")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        # https://doc.rust-lang.org/std/index.html#macros
        ("assert_eq!(x.total(), 3);", ["equal | x.total() | 3"]),
        ('assert_eq!(3, x, "message {}", 1);', ["equal | x | 3"]),
        ("assert_ne!(x, 3);", ["not equal | x | 3"]),
        ("assert!(x);", ["truthy | x"]),
        ("assert!(!x);", ["not truthy | x"]),
        ("assert!(a == 3);", ["equal | a | 3"]),
        ("assert!(!(a == 3));", ["not equal | a | 3"]),
        ("assert!(a != 3);", ["not equal | a | 3"]),
        ("assert!(a > 3);", ["compare | a | > 3"]),
        ("assert!(!(a > 3));", ["compare | a | <= 3"]),
        ("assert!(a && b == 3);", ["truthy | a", "equal | b | 3"]),
        ("assert!(!(a || b));", ["not truthy | a", "not truthy | b"]),
        ("assert!(a == 3 || a == 4);", ["any | a | a==3||a==4"]),
        ("assert!(f(a) || b);", ["any | f(a) | f(a)||b"]),
        ("assert!(a || true);", ["constant | true"]),
        ("assert!(!(a && b));", ["not any | a | a&&b"]),
        ("assert!(x.is_some());", ["not none | x"]),
        ("assert!(x.is_none());", ["none | x"]),
        ("assert!(x.is_ok());", ["not raises | x"]),
        ("assert!(x.is_err());", ["raises | x"]),
        ("assert!(x.is_empty());", ["length | x | 0"]),
        ("assert!(!x.contains(&3));", ["not contains | x | &3"]),
        ('assert!(x.starts_with("a"));', ['contains | x | "a"']),
        ("assert!(valid(x));", ["truthy | valid(x)"]),
        ("assert!(x.valid());", ["truthy | x.valid()"]),
        ("assert!(x[0]);", ["truthy | x[0]"]),
        ("assert!(matches!(x, Kind::A));", ["matches | x | Kind::A"]),
        ("assert!(matches!(x));", ["matches | x"]),
        ("assert!((a - b).abs() < 0.1);", ["close | a | b ± 0.1"]),
        ("assert_eq!(x.len(), 3);", ["length | x | 3"]),
        ("assert_eq!(x, None);", ["none | x"]),
        ("assert_eq!(HashMap::<A, B>::new(), x);", ["equal | HashMap::<A,B>::new() | x"]),
        ("assert_eq!(x, vec![1, 2]);", ["equal | x | vec![1,2]"]),
        ("debug_assert_eq!(x, 3);", ["equal | x | 3"]),
        ("assert_eq!();", []),
        ("assert!();", ["truthy | "]),
        ("panic!();", ["custom:fail | "]),
        ('unreachable!("no");', ["custom:fail | "]),
        ("let wanted = 3; assert_eq!(x, wanted);", ["equal | x | 3"]),
        ("let wanted = f(); assert_eq!(x, wanted);", ["equal | x | wanted"]),
        ("let wanted; assert_eq!(x, wanted);", ["equal | x | wanted"]),
        # crates
        ("prop_assert!(x > 1);", ["compare | x | > 1"]),
        ("pretty_assertions::assert_eq!(x, 3);", ["equal | x | 3"]),
        ("assert_matches!(x, Kind::A(_));", ["matches | x | Kind::A(_)"]),
        ("assert_relative_eq!(x, 1.5, epsilon = 0.1);", ["close | x | 1.5 ± epsilon=0.1"]),
        ("insta::assert_snapshot!(x);", ["snapshot | x"]),
        ("assert_that!(x, eq(3));", ["custom:assert_that | x | eq(3)"]),
        ("assert_ok!(x);", ["not raises | x"]),
        ("expect_true!(x);", ["truthy | x"]),
        ("verify_total!();", []),
        ('println!("{}", x);', []),
        ("tokio::select! { v = f() => { assert_eq!(v, 1); assert!(w); } }", ["equal | v | 1", "truthy | w"]),
        ("vec![!(a)];", []),
        # a statement that must not fail
        ("load().unwrap();", ["not raises | load()"]),
        ('load().expect("a");', ["not raises | load()"]),
        ("load().unwrap_err();", ["raises | load()"]),
        ("load()?;", ["not raises | load()"]),
        ("load();", []),
        ("x;", []),
        ("let y = load().unwrap();", []),
    ],
)
def test_assertions(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body)) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("if a { assert!(x); }", ["truthy | x swallowed"]),
        ("if a { assert!(x); } else { panic!() }", ["truthy | x", "custom:fail | "]),
        ("if let Some(y) = a { assert!(x); } else { f() }", ["truthy | x swallowed"]),
        ("if a { assert!(x); } else { assert!(y); }", ["truthy | x", "truthy | y"]),
        ("match a { A => assert!(x), B => assert!(y) }", ["truthy | x swallowed", "truthy | y swallowed"]),
        ('if x != 3 { panic!("no"); }', ["equal | x | 3"]),
        ("if x != 3 { f(); panic!() }", ["equal | x | 3"]),
        ("if x != 3 {}\nassert!(y);", ["truthy | y"]),
        ("match a { Ok(v) => assert_eq!(v, 1), Err(_) => panic!() }", ["equal | v | 1", "custom:fail | "]),
        ("match a { Ok(v) => assert_eq!(v, 1), Err(_) => {} }", ["equal | v | 1 swallowed"]),
        ("return;\nassert!(x);", ["truthy | x swallowed"]),
        ("if a { return; }\nassert!(x);", ["truthy | x swallowed"]),
        ("if a { f(); }\nassert!(x);", ["truthy | x"]),
        ("let _ = std::panic::catch_unwind(|| { assert!(x); });", ["truthy | x swallowed"]),
        ("loop { assert!(x); break; }", ["truthy | x"]),
        ("fn check() { assert!(x); }", ["truthy | x swallowed"]),
        ("fn check() { assert!(x); } check();", ["truthy | x"]),
    ],
)
def test_what_cannot_fail_the_test(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body)) == wanted


@pytest.mark.parametrize(
    ("attributes", "field", "value", "scope"),
    [
        ("#[test]\n#[ignore]", "skipped", "#[ignore]", ALWAYS),
        ('#[test]\n#[ignore = "slow"]', "skipped", '#[ignore="slow"]', ALWAYS),
        ("#[ignore] // why\n#[test]\n/// what", "skipped", "#[ignore]", ALWAYS),
        ("#[test]\n#[cfg_attr(miri, ignore)]", "skipped", "#[cfg_attr(miri,ignore)]", PLATFORM),
        ("#[test]\n#[cfg_attr(windows, ignore)]", "skipped", "#[cfg_attr(windows,ignore)]", PLATFORM),
        ("#[test]\n#[cfg_attr(unix, allow(dead_code))]", "skipped", None, ALWAYS),
        ('#[test]\n#[cfg(feature = "slow")]', "skipped", '#[cfg(feature="slow")]', CONDITION),
        ("#[test]\n#[cfg(not(windows))]", "skipped", "#[cfg(not(windows))]", PLATFORM),
        ("#[test]\n#[cfg(unix)]", "skipped", "#[cfg(unix)]", PLATFORM),
        ("#[test]\n#[cfg(not(unix))]", "skipped", "#[cfg(not(unix))]", CONDITION),
        ("#[test]\n#[cfg(all(test, unix))]", "skipped", "#[cfg(all(test,unix))]", PLATFORM),
        ("#[test]\n#[cfg(miri)]", "skipped", "#[cfg(miri)]", CONDITION),
        ("#[test]\n#[cfg(not(miri))]", "skipped", "#[cfg(not(miri))]", PLATFORM),
        ("#[test]\n#[cfg(debug_assertions)]", "skipped", "#[cfg(debug_assertions)]", PLATFORM),
        ("#[test]\n#[cfg(not(debug_assertions))]", "skipped", "#[cfg(not(debug_assertions))]", CONDITION),
        ('#[test]\n#[cfg(target_arch = "x86_64")]', "skipped", '#[cfg(target_arch="x86_64")]', PLATFORM),
        ('#[test]\n#[cfg(target_os = "macos")]', "skipped", '#[cfg(target_os="macos")]', CONDITION),
        ("#[test]\n#[cfg(any())]", "skipped", "#[cfg(any())]", ALWAYS),
        ("#[test]\n#[cfg(not(test))]", "skipped", "#[cfg(not(test))]", ALWAYS),
        ("#[test]\n#[cfg(test)]", "skipped", None, ALWAYS),
        ("#[test]\n#[timeout(100)]", "timeout", "#[timeout(100)]", ALWAYS),
        ("#[tokio::test]", "skipped", None, ALWAYS),
        ('#[test_case(1; "one")]', "cases", 1, ALWAYS),
        ("#[rstest]\n#[case(1, 2)]\n#[case::named(3, 4)]", "rows", ("case(1,2)",), ALWAYS),
        ("#[rstest]\n#[case(1, 2)]\n#[case(3, 4)]", "rows", ("case(1,2)", "case(3,4)"), ALWAYS),
    ],
)
def test_attributes(attributes: str, field: str, value: object, scope: SkipScope) -> None:
    unit = _unit("f();", attributes)
    assert (getattr(unit, field), unit.skip_scope) == (value, scope)


def test_attributes_of_other_items_are_not_the_tests() -> None:
    source = "#[ignore]\nstruct A;\n#[test]\nfn x() {}\n#[derive(Debug)]\nstruct B;\nfn helper() { assert!(a); }\n"
    found = units_of(PATH, source)
    assert [(unit.name, unit.skipped) for unit in found.units] == [("x", None)]
    assert [helper.name for helper in found.helpers] == ["helper"]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("f();", ['raises | f() | "boom"', "not raises | f()"][:1]),
        ("assert!(x);", ['raises | assert!(x) | "boom"', "truthy | x swallowed"]),
    ],
)
def test_should_panic_wants_what_fails(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body, '#[test]\n#[should_panic(expected = "boom")]')) == wanted


def test_should_panic_without_a_message() -> None:
    assert all_told(_unit("f();", "#[test]\n#[should_panic]")) == ["raises | f()"]


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("for (a, b) in [(1, 2), (3, 4)] { f(a); }", ("(1,2)", "(3,4)")),
        ("for a in &[1, 2] { f(a); }", ("1", "2")),
        ("let all = vec![1, 2]; for a in all { f(a); }", ("1", "2")),
        ("for a in CASES { f(a); }", ("5", "6")),
        ("for a in 0..3 { f(a); }", ()),
        ("for a in vec![] { f(a); }", ()),
    ],
)
def test_rows(body: str, rows: tuple[str, ...]) -> None:
    assert only_unit(PATH, f"const CASES: &[i32] = &[5, 6];\n#[test]\nfn x() {{ {body} }}").rows == rows


def test_modules() -> None:
    source = """
    pub struct Cart;
    impl Cart { pub fn total(&self) -> u32 { assert!(self.ok); 3 } }
    #[cfg(test)]
    mod tests {
        fn assert_total(c: &Cart, t: u32) { assert_eq!(c.total(), t); }
        #[test]
        fn adds() { assert_total(&cart, 3); super::f::<u8>(1); }
        mod deep { #[test] fn more() {} }
    }
    #[cfg(all(test, feature = "slow"))]
    mod slow { #[test] fn x() {} }
    mod other { fn f() { assert!(a); } }
    """
    found = units_of("src/cart.rs", source)
    assert [(unit.name, unit.skipped) for unit in found.units] == [
        ("tests::adds", None),
        ("tests::deep::more", None),
        ("slow::x", '#[cfg(all(test,feature="slow"))]'),
    ]
    assert [(helper.name, list(map(told, helper.assertions))) for helper in found.helpers] == [
        ("tests::assert_total", ["equal | c.total() | t"])
    ]
    assert found.units[0].calls == {"assert_total", "super::f"}
    assert (set(found.defines), found.is_test_file) == ({"Cart", "total"}, True)


def test_a_whole_file_under_a_condition() -> None:
    unit = only_unit(PATH, '#![cfg(feature = "slow")]\n#![allow(unused)]\n#[test]\nfn x() {}\n')
    assert (unit.skipped, unit.skip_scope) == ('#[cfg(feature="slow")]', CONDITION)


def test_property_tests() -> None:
    source = """
    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10))]
        #[test]
        fn adds(a in 0..9, b in prop::collection::vec(any::<u8>(), 0..3)) { prop_assert_eq!(a, b); }
    }
    quickcheck! {
        fn reverses(xs: Vec<u8>) -> bool { assert!(ok(xs)); true }
    }
    fn plain(a: u8) {}
    """
    found = units_of(PATH, source)
    assert [(unit.name, unit.examples, all_told(unit)) for unit in found.units] == [("adds", 10, ["equal | a | b"])]
    assert [helper.name for helper in found.helpers] == ["reverses"]
    unbound = units_of(PATH, "proptest! { #[test] fn adds(a in 0..9) { prop_assert!(a); } }")
    assert [unit.examples for unit in unbound.units] == [None]


def test_parameters_that_never_close_are_left() -> None:
    assert units_of(PATH, "proptest! { fn adds(a in " + "(" * 50).units == ()


def test_calls_in_macros_and_out_of_them() -> None:
    assert _unit("x.add(1).unwrap(); assert_eq!(total(y.z()), w);").calls == {"x.add", "x.add.unwrap", "total", "z"}


def test_messages_are_no_part_of_the_body() -> None:
    assert _unit('if x != 3 { panic!("got {}", x); }').body == "{if x!=3{}}"


def test_long_conditions_are_taken_as_one() -> None:
    (assertion,) = _unit(f"assert!({' && '.join(['a'] * 600)});").assertions
    assert (assertion.matcher, len(assertion.target)) == ("truthy", 300)


def test_product_code_is_not_parsed() -> None:
    found = units_of(
        "src/lib.rs", "pub fn total() {}\nenum Kind { A }\nconst N: u8 = 1;\nmacro_rules! m { () => {} }\n"
    )
    assert (found.units, set(found.defines)) == ((), {"total", "Kind", "N", "m"})


@pytest.mark.parametrize("source", [b"#[test]", b"#[test] fn x(", b"\xff\x00 #[test]", b"#[test] fn x() { assert!("])
def test_hostile_bytes_do_not_raise(source: bytes) -> None:
    assert units_of(PATH, source).path == PATH
