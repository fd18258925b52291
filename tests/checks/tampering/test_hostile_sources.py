"""Adapters are total: whatever the bytes, they answer, and always the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.tampering.source_patterns import alterations
from tests.checks.tampering.honest import changes_between, cheating_cases, honest_cases
from tests.checks.tampering.units_told import units_of

LANGUAGES = ("javascript", "go", "rust", "java", "ruby", "csharp")
SOURCES = [
    (path, text)
    for language in LANGUAGES
    for case in (*honest_cases(language), *cheating_cases(language))
    for path, text in case.after.items()
]
PIECES = st.sampled_from(
    [
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        '"',
        "'",
        "`",
        "#",
        "@",
        ";",
        ",",
        ".",
        "=>",
        "if ",
        "try {",
        "catch",
        "\n",
        "\0",
        "é",
    ]
)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, str]:
    """A source of the cases with some of it taken out and some of it put in."""
    path, text = draw(st.sampled_from(SOURCES))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 30)))
        text = text[:start] + draw(PIECES) + text[end:]
    return path, text


@settings(max_examples=120, deadline=None, derandomize=True)
@given(damaged())
def test_damaged_sources(source: tuple[str, str]) -> None:
    path, text = source
    found = units_of(path, text)
    assert found == units_of(path, text)
    assert all(unit.line <= unit.end_line and unit.cases >= 0 for unit in found.units)
    names = [unit.name for unit in found.units]
    assert len(names) == len(set(names))
    assert list(alterations(changes_between({path: text}, {path: text + "\n"}))) == []


@pytest.mark.parametrize(
    "path", ["a.test.js", "a.test.tsx", "a_test.go", "tests/a.rs", "src/test/ATest.java", "a_spec.rb", "ATests.cs"]
)
@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.binary(max_size=200))
def test_bytes(path: str, source: bytes) -> None:
    assert units_of(path, source).path == path


@pytest.mark.untraced
@pytest.mark.parametrize(
    "path", ["a.test.js", "a.test.tsx", "a_test.go", "tests/a.rs", "src/test/ATest.java", "a_spec.rb", "ATests.cs"]
)
@pytest.mark.parametrize(
    "piece",
    [
        "(",
        "a<b,",
        '"',
        "%w(a) ",
        "f(1)(2)",
        "if (a) {} else ",
        "a && ",
        "expect(x).toBe(1);\n",
        "!",
        "#[a]",
        "x.y.z().w",
    ],
)
def test_adversarial_lines(path: str, piece: str) -> None:
    """Of 6,000 bytes: what grows faster than with the square of that takes minutes."""
    source = (piece * 6_000)[:6_000]
    assert units_of(path, source).path == path
