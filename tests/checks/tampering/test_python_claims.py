"""What Python's assertions claim, in the words that all languages share."""

from __future__ import annotations

import pytest

from checks.tampering.units import Strength
from tests.checks.tampering.python_told import assertion_of, body_of, claim_of, unit_of

# sha256 of a one with four hundred noughts, as a shell gives it.
HUGE = "397fc6671f9e77a2"
EXACT, CLOSE, SHAPE, EXISTS, NOTHING = "EXACT", "CLOSE", "SHAPE", "EXISTS", "NOTHING"


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("assert f(1) == 2", ("equal", "f(1)", "2", EXACT, False)),
        ("assert 2 == f(1)", ("equal", "f(1)", "2", EXACT, False)),
        ("assert WANTED == f(1)", ("equal", "f(1)", "WANTED", EXACT, False)),
        ("assert expected_total == f(1)", ("equal", "f(1)", "expected_total", EXACT, False)),
        ("assert wanted == f(1)", ("equal", "f(1)", "wanted", EXACT, False)),
        ("assert f'{x} euro' == f(1)", ("equal", "f(1)", 'f"{x} euro"', EXACT, False)),
        ("assert '{} euro'.format(x) == f(1)", ("equal", "f(1)", '"{} euro".format(x)', EXACT, False)),
        ("assert x.show() == f(1)", ("equal", "x.show()", "f(1)", EXACT, False)),
        ("assert f(1) is True", ("equal", "f(1)", "True", EXACT, False)),
        ("assert f(1) != 2", ("equal", "f(1)", "2", SHAPE, True)),
        ("assert f(1) is not other", ("equal", "f(1)", "other", SHAPE, True)),
        ("assert not f(1) == 2", ("equal", "f(1)", "2", SHAPE, True)),
        ("assert not f(1) != 2", ("equal", "f(1)", "2", EXACT, False)),
        ("assert f(1) is None", ("none", "f(1)", "None", EXACT, False)),
        ("assert f(1) == None", ("none", "f(1)", "None", EXACT, False)),
        ("assert f(1) is not None", ("none", "f(1)", "None", EXISTS, True)),
        ("assert 'a' in f(1)", ("contains", "f(1)", '"a"', SHAPE, False)),
        ("assert 'a' not in f(1)", ("contains", "f(1)", '"a"', SHAPE, True)),
        ("assert not 'a' in f(1)", ("contains", "f(1)", '"a"', SHAPE, True)),
        ("assert f(1) in (1, 2)", ("contains", "f(1)", "(1,2)", SHAPE, False)),
        ("assert user in users", ("contains", "users", "user", SHAPE, False)),
        ("assert f(1) > 2", ("compare", "f(1)", "> 2", SHAPE, False)),
        ("assert not f(1) >= 2", ("compare", "f(1)", "< 2", SHAPE, False)),
        ("assert not f(1) < 2", ("compare", "f(1)", ">= 2", SHAPE, False)),
        ("assert not f(1) <= 2", ("compare", "f(1)", "> 2", SHAPE, False)),
        ("assert not f(1) > 2", ("compare", "f(1)", "<= 2", SHAPE, False)),
        ("assert not f(1) not in (1, 2)", ("contains", "f(1)", "(1,2)", SHAPE, False)),
        ("assert not f(1) is 2", ("equal", "f(1)", "2", SHAPE, True)),
        ("assert not f(1) is not two", ("equal", "f(1)", "two", EXACT, False)),
        ("assert 0 < f(1) < 2", ("compare", "f(1)", "0<f(1)<2", SHAPE, False)),
        ("assert len(f(1)) == 2", ("length", "f(1)", "2", SHAPE, False)),
        ("assert type(f(1)) is int", ("type", "f(1)", "int", SHAPE, False)),
        ("assert len() == 2", ("equal", "len()", "2", EXACT, False)),
        ("assert isinstance(f(1), int)", ("type", "f(1)", "int", SHAPE, False)),
        ("assert not isinstance(f(1), int)", ("type", "f(1)", "int", SHAPE, True)),
        ("assert hasattr(x, 'a')", ("type", "x", '"a"', SHAPE, False)),
        ("assert isinstance(f)", ("truthy", "isinstance(f)", None, EXISTS, False)),
        ("assert f(1)", ("truthy", "f(1)", None, EXISTS, False)),
        ("assert not f(1)", ("truthy", "f(1)", None, EXISTS, True)),
        ("assert await f(1) == 2", ("equal", "await f(1)", "2", EXACT, False)),
        ("assert await f(1)", ("truthy", "f(1)", None, EXISTS, False)),
        ("assert (x := f(1))", ("truthy", "f(1)", None, EXISTS, False)),
        ("assert mock.called", ("called", "mock.called", None, EXISTS, False)),
        ("assert not mock.awaited", ("called", "mock.awaited", None, EXISTS, True)),
        ("assert f(1).startswith('a')", ("matches", "f(1)", '"a"', SHAPE, False)),
        ("assert not f(1).endswith('a')", ("matches", "f(1)", '"a"', SHAPE, True)),
        ("assert re.match('a+', f(1))", ("matches", "f(1)", '"a+"', SHAPE, False)),
        ("assert pattern.search(text)", ("matches", "text", "text", SHAPE, False)),
        ("assert all(x > 1 for x in f(1))", ("truthy", "all(x>1 for x in f(1))", None, SHAPE, False)),
        ("assert any(xs)", ("truthy", "any(xs)", None, SHAPE, False)),
        ("assert one.equals(other)", ("equal", "one", "other", EXACT, False)),
        ("assert not one.equals(other)", ("equal", "one", "other", SHAPE, True)),
        ("assert np.array_equal(one, other)", ("equal", "one", "other", EXACT, False)),
        ("assert array_equal(one)", ("constant", "one", "one", NOTHING, False)),
        ("assert array_equal()", ("truthy", "array_equal()", None, EXISTS, False)),
        ("assert math.isclose(f(1), 2)", ("close", "f(1)", "2", CLOSE, False)),
        ("assert not math.isclose(2, f(1))", ("close", "f(1)", "2", SHAPE, True)),
        ("assert isclose(f)", ("truthy", "isclose(f)", None, EXISTS, False)),
        ("assert f(1) == pytest.approx(2)", ("close", "f(1)", "2", CLOSE, False)),
        ("assert approx(2) == f(1)", ("equal", "approx(2)", "f(1)", EXACT, False)),
        ("assert f(1) != approx(2)", ("close", "f(1)", "2", SHAPE, True)),
        ("assert f(1) == approx()", ("equal", "f(1)", "approx()", EXACT, False)),
        ("assert f(1) == mock.ANY", ("equal", "f(1)", "mock.ANY", NOTHING, False)),
        ("assert f(1) == 2 or x", ("any", "f(1)", "f(1)==2 or x", EXISTS, False)),
        ("assert f(1) == 2 or f(1) == 3", ("any", "f(1)", "f(1)==2 or f(1)==3", SHAPE, False)),
        ("assert f(1) == 2 or True", ("any", "f(1)", "f(1)==2 or True", NOTHING, False)),
        ("assert not (a and b)", ("any", "a", "a and b", EXISTS, False)),
    ],
)
def test_assert_statements(line: str, claim: tuple[str, str, str | None, str, bool]) -> None:
    assert claim_of(line) == claim


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("assert True", "True"),
        ("assert 1", "1"),
        ("assert not False", "False"),
        ("assert 'text'", '"text"'),
        ("assert (f(1) == 2, 'message')", '(f(1)==2,"message")'),
        ("assert lambda: f(1)", "lambda:f(1)"),
        ("assert 1 == 1", "1"),
        ("assert (1, 2) == (1, 2)", "(1,2)"),
        ("assert {'a': -1} == {'a': -1}", '{"a":-1}'),
        ("assert f(1) == f(1)", "f(1)"),
        ("assert x >= x", "x"),
        ("assert x <= x", "x"),
        ("assert x is x", "x"),
    ],
)
def test_what_cannot_fail_says_nothing(line: str, target: str) -> None:
    found = assertion_of(line)
    assert (found.strength, found.target) == (Strength.NOTHING, target)


@pytest.mark.parametrize(
    "line", ["assert f(1) != f(1)", "assert x < x", "assert x in [x]", "assert {**x} == {**x, 'a': 1}"]
)
def test_what_can_fail_says_something(line: str) -> None:
    assert assertion_of(line).strength > Strength.NOTHING


def test_several_conditions_are_several_assertions() -> None:
    both = body_of("assert a == 1 and b", "assert not (c or d == 2)")
    assert [(one.matcher, one.target, one.expected, one.negated) for one in both.assertions] == [
        ("equal", "a", "1", False),
        ("truthy", "b", None, False),
        ("truthy", "c", None, True),
        ("equal", "d", "2", True),
    ]
    assert [one.text for one in both.assertions] == ["a == 1 and b"] * 2 + ["not (c or d == 2)"] * 2
    assert [one.line for one in both.assertions] == [2, 2, 3, 3]


def test_negations_inside_negations_have_an_end() -> None:
    (found,) = body_of("assert " + "not " * 50 + "f(1)").assertions
    assert (found.matcher, found.negated) == ("truthy", False)


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("self.assertEqual(f(1), 2)", ("equal", "f(1)", "2", EXACT, False)),
        ("self.assertEqual(2, f(1), 'message')", ("equal", "f(1)", "2", EXACT, False)),
        ("self.assertEquals(f(1), 2)", ("equal", "f(1)", "2", EXACT, False)),
        ("self.assertNotEqual(f(1), 2)", ("equal", "f(1)", "2", SHAPE, True)),
        ("self.assertIs(f(1), None)", ("none", "f(1)", "None", EXACT, False)),
        ("self.assertIsNot(f(1), x)", ("equal", "f(1)", "x", SHAPE, True)),
        ("self.assertIsNone(f(1))", ("none", "f(1)", "None", EXACT, False)),
        ("self.assertIsNotNone(f(1))", ("none", "f(1)", "None", EXISTS, True)),
        ("self.assertTrue(f(1))", ("truthy", "f(1)", None, EXISTS, False)),
        ("self.assertTrue(f(1) == 2)", ("equal", "f(1)", "2", EXACT, False)),
        ("self.assertFalse(f(1))", ("truthy", "f(1)", None, EXISTS, True)),
        ("self.assertIn('a', f(1))", ("contains", "f(1)", '"a"', SHAPE, False)),
        ("self.assertNotIn('a', f(1))", ("contains", "f(1)", '"a"', SHAPE, True)),
        ("self.assertGreater(f(1), 2)", ("compare", "f(1)", "> 2", SHAPE, False)),
        ("self.assertGreaterEqual(f(1), 2)", ("compare", "f(1)", ">= 2", SHAPE, False)),
        ("self.assertLess(f(1), 2)", ("compare", "f(1)", "< 2", SHAPE, False)),
        ("self.assertLessEqual(f(1), 2)", ("compare", "f(1)", "<= 2", SHAPE, False)),
        ("self.assertIsInstance(f(1), int)", ("type", "f(1)", "int", SHAPE, False)),
        ("self.assertNotIsInstance(f(1), int)", ("type", "f(1)", "int", SHAPE, True)),
        ("self.assertRegex(f(1), 'a+')", ("matches", "f(1)", '"a+"', SHAPE, False)),
        ("self.assertNotRegex(f(1), 'a+')", ("matches", "f(1)", '"a+"', SHAPE, True)),
        ("self.assertCountEqual(f(1), [2])", ("items", "f(1)", "[2]", CLOSE, False)),
        ("self.assertAlmostEqual(f(1), 2)", ("close", "f(1)", "2", CLOSE, False)),
        ("self.assertNotAlmostEqual(f(1), 2)", ("close", "f(1)", "2", SHAPE, True)),
        ("self.assertRaises(ValueError, f, 1)", ("raises", "f, 1", "ValueError", CLOSE, False)),
        ("pytest.raises(Exception, f)", ("raises", "f", "Exception", SHAPE, False)),
        ("np.testing.assert_allclose(f(1), 2)", ("close", "f(1)", "2", CLOSE, False)),
        ("np.testing.assert_array_equal(f(1), [2])", ("equal", "f(1)", "[2]", EXACT, False)),
        ("pd.testing.assert_frame_equal(f(1), frame)", ("equal", "f(1)", "frame", EXACT, False)),
        ("mock.assert_called_once_with(1, a=2)", ("called", "mock", "1,2", EXACT, False)),
        ("mock.send.assert_called()", ("called", "mock.send", None, EXISTS, False)),
        ("mock.assert_not_called()", ("called", "mock", None, SHAPE, True)),
        ("mock.assert_awaited_once()", ("called", "mock", None, EXISTS, False)),
        ("mock.assert_has_calls([1])", ("called", "mock", "[1]", EXACT, False)),
        ("assert_called()", ("custom:assert_called", "", "", CLOSE, False)),
        ("assert_open(order, 'tea')", ("custom:assert_open", "order", '"tea"', CLOSE, False)),
        ("self._checkTotal(cart)", ("custom:_checkTotal", "cart", "", CLOSE, False)),
        ("expect(page).to_have_title('Shop')", ("custom:to_have_title", "page", '"Shop"', CLOSE, False)),
        ("assert_that(f(1)).is_positive().is_odd()", ("custom:is_odd", "", "", CLOSE, False)),
        ("check.equal(f(1), 2)", ("custom:equal", "f(1)", "2", CLOSE, False)),
        ("return self.assertEqual(f(1), 2)", ("equal", "f(1)", "2", EXACT, False)),
        ("await self.assertEqual(f(1), 2)", ("equal", "f(1)", "2", EXACT, False)),
    ],
)
def test_calls_that_assert(line: str, claim: tuple[str, str, str | None, str, bool]) -> None:
    assert claim_of(line) == claim


@pytest.mark.parametrize(
    "line", ["checkout(cart)", "f(1)", "verifying()", "total = cart.check", "mock()", "x", "expectation(1)"]
)
def test_calls_that_do_not_assert(line: str) -> None:
    assert body_of(line).assertions == ()


@pytest.mark.parametrize(
    ("line", "tolerance"),
    [
        ("assert f(1) == approx(2)", None),
        ("assert f(1) == approx(2, rel=1e-3)", "0.001"),
        ("assert f(1) == approx(2, 0.5)", "0.5"),
        ("assert f(1) == approx(2, abs=0.5, rel=0.1)", "0.5"),
        ("assert f(1) == approx(2, abs=eps)", "eps"),
        ("assert f(1) == approx(2, nan_ok=True)", None),
        (f"assert f(1) == approx(2, abs=1{'0' * 200})", "1e+200"),
        (f"assert f(1) == approx(2, abs=1{'0' * 400})", f"1{'0' * 299}…{HUGE}"),
        ("self.assertAlmostEqual(f(1), 2, places=2)", "0.005"),
        ("self.assertAlmostEqual(f(1), 2, 2)", "0.005"),
        ("self.assertAlmostEqual(f(1), 2, places=-400)", "-400"),
        ("self.assertAlmostEqual(f(1), 2, delta=3)", "3.0"),
        ("self.assertAlmostEqual(f(1), 2, None, 'message', 3)", "0.0005"),
        ("np.testing.assert_allclose(f(1), 2, 1e-2)", "0.01"),
        ("np.testing.assert_allclose(f(1), 2, atol=1e-2)", "0.01"),
        ("assert math.isclose(f(1), 2, abs_tol=1)", "1.0"),
    ],
)
def test_bounds(line: str, tolerance: str | None) -> None:
    assert assertion_of(line).tolerance == tolerance


@pytest.mark.parametrize(
    ("line", "strength"),
    [
        ("with pytest.raises(ValueError): f(1)", CLOSE),
        ("with pytest.raises(ValueError, match='price'): f(1)", EXACT),
        ("with pytest.raises((ValueError, KeyError)): f(1)", CLOSE),
        ("with pytest.raises((ValueError, Exception)): f(1)", SHAPE),
        ("with pytest.raises(BaseException): f(1)", SHAPE),
        ("with pytest.raises(Exception, match='price'): f(1)", EXACT),
        ("with self.assertRaisesRegex(ValueError, 'price'): f(1)", EXACT),
        ("with pytest.warns(UserWarning): f(1)", CLOSE),
        ("async with pytest.raises(ValueError): f(1)", CLOSE),
    ],
)
def test_expected_errors(line: str, strength: str) -> None:
    found = assertion_of(line)
    assert (found.matcher, found.target, found.strength.name) == ("raises", "f(1)", strength)


def test_a_context_that_asserts() -> None:
    assert claim_of("with self.assertNumQueries(3): f(1)") == ("custom:assertNumQueries", "3", "", CLOSE, False)
    assert body_of("with open(path) as file: f(file)", "with lock: f(1)").assertions == ()


def test_names_stand_for_the_values_that_they_were_given() -> None:
    unit = unit_of(
        """
        WANTED = {"a": 1}
        AGAIN = WANTED
        twice = 1
        twice = 2
        def test_it(given):
            local = 3
            other = local
            changed = 1
            changed = 2
            given = 4
            assert f(1) == WANTED
            assert f(2) == AGAIN
            assert f(3) == other
            assert f(4) == twice
            assert f(5) == changed
            assert f(6) == given
            assert f(7) == missing
        """
    )
    assert [one.expected for one in unit.assertions] == [
        '{"a":1}',
        '{"a":1}',
        "3",
        "twice",
        "changed",
        "4",
        "missing",
    ]


def test_a_local_name_hides_that_of_the_module() -> None:
    unit = unit_of(
        """
        total = 3
        def test_it():
            total = f(1)
            assert total == 3
        """
    )
    assert [(one.target, one.strength) for one in unit.assertions] == [("total", Strength.EXACT)]


@pytest.mark.parametrize(
    ("lines", "strength"),
    [
        (("x = 3", "assert x == 3"), NOTHING),
        (("x = -3", "assert x == -3"), NOTHING),
        (("x = 3", "assert x"), NOTHING),
        (("x = []", "f(x)", "assert x == [3]"), EXACT),
        (("x = not y", "assert x == 3"), EXACT),
        (("x = 3", "x += f(1)", "assert x == 3"), EXACT),
        (("x = 3", "assert f(1) == x"), EXACT),
    ],
)
def test_a_checked_name_that_got_its_value_there(lines: tuple[str, ...], strength: str) -> None:
    assert body_of(*lines).assertions[-1].strength.name == strength


def test_long_texts_are_cut_and_stay_different() -> None:
    one, other = (assertion_of(f"assert f({'a' * 5000}{end}) == '{'b' * 5000}{end}'") for end in "12")
    assert one.target[:300] == other.target[:300] == ("f(" + "a" * 298)
    assert len(one.target) == 317
    assert one.target != other.target
    assert (one.expected or "")[:4000] == (other.expected or "")[:4000]
    assert len(one.expected or "") == 4017
    assert one.expected != other.expected
