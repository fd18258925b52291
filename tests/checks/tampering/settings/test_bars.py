"""Which way a setting must not go, and what counts as the same setting."""

from __future__ import annotations

import pytest

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.kept_tests import KeptTests
from checks.tampering.settings.bars import Bar, BarsOf, BarTables, Crossed, Way, crossing
from checks.tampering.settings.compare import compare_settings
from tests.checks.tampering.honest import changes_between

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
KEPT = KeptTests(("tests/test_a.py", "tests/unit/test_b.py", "web/cart.test.ts"), frozenset({"tests/test_gone.py"}))


def _bar(way: Way, style: str = "") -> Bar:
    return Bar("name", way, "kind", PERSON, "does it", style)


def _crossing(bar: Bar, was: list[str], now: list[str]) -> Crossed | None:
    return crossing(bar, was, now, KEPT)


@pytest.mark.parametrize(
    ("way", "was", "now", "crossed"),
    [
        (Way.FLOOR, ["90"], ["80"], True),
        (Way.FLOOR, ["90"], ["90.0"], False),
        (Way.FLOOR, ["90"], ["91"], False),
        (Way.FLOOR, ["90%"], ["85%"], True),
        (Way.FLOOR, ["0.9"], ["0.85"], True),
        (Way.FLOOR, ["-5"], ["-10"], True),
        (Way.FLOOR, ["90"], [], True),
        (Way.FLOOR, ["90"], ["auto"], False),
        (Way.FLOOR, ["auto"], [], False),
        (Way.FLOOR, [], ["10"], False),
        (Way.FLOOR, ["80", "90"], ["80", "90"], True),
        (Way.CEILING, [], ["1"], True),
        (Way.CEILING, ["1"], ["2"], True),
        (Way.CEILING, ["2"], ["2"], False),
        (Way.CEILING, ["2"], ["1"], False),
        (Way.CEILING, ["2"], [], False),
        (Way.CEILING, [], ["0"], False),
        (Way.CEILING, ["1"], ["process.env.CI ? 2 : 0"], True),
        (Way.ON, ["true"], ["false"], True),
        (Way.ON, ["true"], [], True),
        (Way.ON, [], ["false"], True),
        (Way.ON, ["True"], ["Off"], True),
        (Way.ON, ["true"], ["x"], False),
        (Way.ON, ["false"], [], False),
        (Way.ON, ["false"], ["no"], False),
        (Way.ON, [], ["true"], False),
        (Way.ON, ["x"], ["false"], True),
        (Way.OFF, [], ["true"], True),
        (Way.OFF, ["false"], ["yes"], True),
        (Way.OFF, ["x"], ["1"], True),
        (Way.OFF, ["true"], ["on"], False),
        (Way.OFF, [], ["false"], False),
        (Way.OFF, ["true"], [], False),
        (Way.OFF, [], ["x"], False),
        (Way.GRADE, ["error"], ["warn"], True),
        (Way.GRADE, ["error", "{}"], ["off"], True),
        (Way.GRADE, ["2"], ["1"], True),
        (Way.GRADE, ["warn"], [], True),
        (Way.GRADE, ["warn"], ["computed"], False),
        (Way.GRADE, ["off"], [], False),
        (Way.GRADE, [], ["off"], True),
        (Way.GRADE, [], ["warn"], False),
        (Way.GRADE, ["computed"], ["off"], True),
        (Way.GRADE, ["warn"], ["error"], False),
        (Way.GRADE, ["strict"], ["standard"], True),
        (Way.GRADE, ["standard"], ["basic"], True),
        (Way.GRADE, ["forbid"], ["deny"], True),
        (Way.GRADE, ["info"], ["off"], True),
        (Way.GRADE, ["warning"], ["information"], True),
        (Way.SAME, [], ["a"], True),
        (Way.SAME, ["a"], ["b"], True),
        (Way.SAME, ["a"], ["a"], False),
        (Way.SAME, ["a"], [], False),
    ],
)
def test_single_values(way: Way, was: list[str], now: list[str], *, crossed: bool) -> None:
    assert _crossing(_bar(way), was, now) == (Crossed(PERSON) if crossed else None)


@pytest.mark.parametrize(
    ("was", "now", "items"),
    [
        (["a", "b"], ["b"], ("a",)),
        (["a, b"], ["b"], ("a",)),
        (["a\nb"], ["a b"], None),
        (["a"], [], ("a",)),
        ([], ["a"], None),
        (["b", "a"], ["a", "b", "c"], None),
        (["{a,b}"], ["{a,b}"], None),
        (["{a,b}"], ["{a,c}"], ("{a,b}",)),
    ],
)
def test_items_that_must_stay(was: list[str], now: list[str], items: tuple[str, ...] | None) -> None:
    assert _crossing(_bar(Way.KEEP), was, now) == (None if items is None else Crossed(PERSON, items))


@pytest.mark.parametrize(
    ("style", "was", "now", "crossed"),
    [
        ("path", ["tests", "web"], ["tests"], Crossed(FAILED, ("web",))),
        ("path", ["tests", "docs"], ["tests"], Crossed(PERSON, ("docs",))),
        ("path", ["tests"], ["tests/unit"], Crossed(FAILED, ("tests",))),
        ("path", ["tests/unit"], ["tests"], Crossed(RISK, ("tests/unit",))),
        ("path", ["docs"], ["doc"], Crossed(RISK, ("docs",))),
        ("path", ["tests"], [], None),
        ("path", [], ["tests"], None),
        ("path", [], ["tests/test_a.py"], Crossed(FAILED, ("tests/test_a.py",))),
        ("path", [], ["tests", "tests/test_a.py"], None),
        ("path", [], [], None),
        ("glob", ["*.test.ts", "*.spec.ts"], ["*.spec.ts"], Crossed(FAILED, ("*.test.ts",))),
        ("glob", ["*.test.ts"], ["*.{test,spec}.ts"], Crossed(RISK, ("*.test.ts",))),
    ],
)
def test_places_that_must_stay(style: str, was: list[str], now: list[str], crossed: Crossed | None) -> None:
    assert _crossing(_bar(Way.KEEP, style), was, now) == crossed


@pytest.mark.parametrize(
    ("style", "was", "now", "crossed"),
    [
        ("", [], ["a"], Crossed(PERSON, ("a",))),
        ("", ["a"], ["b a"], Crossed(PERSON, ("b",))),
        ("", ["a", "b"], ["b"], None),
        ("", ["a"], [], None),
        ("glob", [], ["dist"], Crossed(RISK, ("dist",))),
        ("glob", [], ["**/e2e/**"], Crossed(PERSON, ("**/e2e/**",))),
        ("glob", [], ["dist", "**/e2e/**"], Crossed(PERSON, ("dist", "**/e2e/**"))),
        ("glob", [], ["web/**", "dist"], Crossed(FAILED, ("web/**", "dist"))),
        ("glob", [], ["!web/**", "...defaults"], None),
        ("path", [], ["tests/test_new.py"], Crossed(FAILED, ("tests/test_new.py",))),
        ("path", [], ["tests/test_gone.py"], None),
        ("regex", [], ["/unit/"], Crossed(FAILED, ("/unit/",))),
        ("regex", ["/unit/"], ["/unit/", "("], Crossed(RISK, ("(",))),
    ],
)
def test_items_that_must_not_come(style: str, was: list[str], now: list[str], crossed: Crossed | None) -> None:
    assert _crossing(_bar(Way.ADD_NONE, style), was, now) == crossed


FLOOR = Bar("floor", Way.FLOOR, "floor-lowered", PERSON, "asks for less")
SWITCH = Bar("switch", Way.OFF, "switched", PERSON, "switches it")
OUT = Bar("out", Way.ADD_NONE, "left-out", PERSON, "leaves tests out", "path")
TABLES = BarTables(
    BarsOf(r"a\.toml|b\.ini", ((r"(?:tool\.)?floor\.(\w+)(?:\.(\w+))?", FLOOR), (r".*floor.*", SWITCH))),
    BarsOf(r"a\.toml", ((r"switch", SWITCH), (r"out", OUT))),
)


def _found(before: dict[str, str], after: dict[str, str], *, gone: bool = False) -> list[Alteration]:
    return list(compare_settings(changes_between(before, after), TABLES, KEPT, lambda _: gone))


@pytest.mark.parametrize(
    ("name", "key", "found"),
    [
        ("a.toml", "floor.b", (FLOOR, "b")),
        ("a.toml", "tool.floor.b.c", (FLOOR, "b.c")),
        ("a.toml", "x.floor", (SWITCH, "")),
        ("a.toml", "switch", (SWITCH, "")),
        ("a.toml", "switches", None),
        ("a.toml", "out", (OUT, "")),
        ("b.ini", "out", None),
        ("b.ini", "floor.b", (FLOOR, "b")),
        ("b.ini", "floor.\ud800", (SWITCH, "")),
    ],
)
def test_the_bars_of_a_file(name: str, key: str, found: tuple[Bar, str] | None) -> None:
    bars = TABLES.of(name)
    assert bars is not None
    assert bars.find(key) == found


def test_files_without_bars() -> None:
    assert TABLES.of("xa.toml") is None
    assert TABLES.of("a.toml\ud800") is None
    assert TABLES.of("a.toml") is TABLES.of("a.toml")
    assert TABLES.bars == [FLOOR, SWITCH, SWITCH, OUT]


def test_what_is_found() -> None:
    assert _found({"x/a.toml": "[floor]\n\nb = 9\n"}, {"x/a.toml": "[floor]\n\nb = 8\n"}) == [
        Alteration("floor-lowered", "x/a.toml", 3, "9", "8", "The change asks for less: `floor.b`.", PERSON, "x/a.toml")
    ]


def test_what_is_found_of_a_list() -> None:
    (found,) = _found({"a.toml": "out = ['x']"}, {"a.toml": "out = [\n'x',\n'tests/test_a.py']"})
    assert (found.line, found.weight, found.before, found.after, found.reason) == (
        3,
        FAILED,
        "x",
        "x, tests/test_a.py",
        "The change leaves tests out: `out` (tests/test_a.py).",
    )


def test_the_first_key_that_fits_counts() -> None:
    assert _found({"a.toml": "[floor]\nb = 1"}, {"a.toml": "[floor]\nb = true"}) == []
    assert [each.kind for each in _found({"a.toml": "x = 1"}, {"a.toml": "[x]\nfloor = true"})] == ["switched"]


def test_other_settings_and_other_files_do_not_count() -> None:
    assert _found({"a.toml": "x = 9", "c.toml": "[floor]\nb = 9"}, {"a.toml": "x = 8", "c.toml": ""}) == []


def test_a_setting_that_moves_is_the_same() -> None:
    before = {"b.ini": "[floor]\nb = 9\nc = 9\n[x]\ny = 1\n", "a.toml": "x = 1\n"}
    assert _found(before, {"b.ini": "[x]\ny = 1\n", "a.toml": "[tool.floor]\nb = 9\nc = 9\n"}) == []
    (found,) = _found(before, {"b.ini": "[x]\ny = 1\n", "a.toml": "[tool.floor]\nb = 9\nc = 8\n"})
    assert (found.path, found.line, found.before, found.after) == ("a.toml", 3, "9", "8")
    (lost,) = _found(before, {"b.ini": "[x]\ny = 1\n", "a.toml": "[tool.floor]\nb = 9\n"})
    assert (lost.path, lost.line, lost.before, lost.after) == ("b.ini", 3, "9", "")


def test_parts_of_a_key_tell_settings_apart() -> None:
    assert _found({"a.toml": "[floor]\nb.c = 9\nb.d = 7"}, {"a.toml": "[floor]\nb.c = 9\nb.d = 7\nb.e = 1"}) == []
    assert len(_found({"a.toml": "[floor]\nb.c = 9\nb.d = 7"}, {"a.toml": "[floor]\nb.c = 7\nb.d = 9"})) == 1


def test_a_file_that_is_removed_lowers_its_bars_unless_all_goes() -> None:
    before = {"a.toml": "[floor]\nb = 9"}
    assert [each.line for each in _found(before, {})] == [2]
    assert _found(before, {}, gone=True) == []


def test_a_new_file_only_raises_the_risk() -> None:
    (found,) = _found({}, {"a.toml": "switch = true"})
    assert found.weight is RISK
    (known,) = _found({}, {"a.toml": "out = ['tests/test_a.py']"})
    assert known.weight is FAILED
    (changed,) = _found({"a.toml": "x = 1"}, {"a.toml": "x = 1\nswitch = true"})
    assert changed.weight is PERSON


def test_a_second_file_with_what_one_lost_is_new() -> None:
    before = {"x/a.toml": "switch = true\n"}
    after = {"x/a.toml": "y = 1\n", "y/a.toml": "switch = true\nlong = 'a file that is not like the other'\n"}
    assert _found(before, after) == []
    assert [each.path for each in _found(before, {**after, "z/a.toml": "switch = true\nother = 1\n"})] == ["z/a.toml"]


def test_settings_that_cannot_be_read_any_more() -> None:
    assert _found({"a.toml": "x = 1"}, {"a.toml": "x = "}) == [
        Alteration(
            "settings-unreadable",
            "a.toml",
            None,
            "",
            "",
            "These settings cannot be read, so what they do to the tests is not known.",
            PERSON,
            "a.toml",
        )
    ]
    assert [each.kind for each in _found({}, {"a.toml": "x = "})] == ["settings-unreadable"]
    assert _found({"a.toml": "x = "}, {"a.toml": "x = ["}) == []
    assert _found({"a.toml": "x = "}, {"a.toml": "[floor]\nb = 1"}) == []
    assert _found({"a.toml": "x = "}, {}) == []


def test_quotes_are_bounded() -> None:
    (found,) = _found({"a.toml": ""}, {"a.toml": f"out = ['tests/{'a' * 500}', 'tests/b']"})
    assert len(found.after) == 300
    assert found.reason == f"The change leaves tests out: `out` (tests/{'a' * 114})."
