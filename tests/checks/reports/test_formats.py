"""Which format a file is of, and files that were made to do harm: never raised for, never a report."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.reports.formats import LARGEST, read_report
from checks.reports.report import LONGEST_NAME, MOST_DISAGREEMENTS, MOST_FAILED_NAMES, MOST_NAMES, TestReport
from checks.unread import Unread
from tests.checks.reports.reading import counts_of, refused, report_of

ONE = '<testsuite name="s"><testcase name="a"/></testsuite>'


@pytest.mark.parametrize(
    "data",
    [
        ONE.encode(),
        b"\xef\xbb\xbf" + ONE.encode(),
        b"\r\n  " + ONE.encode(),
        ('<?xml version="1.0" encoding="UTF-16"?>' + ONE).encode("utf-16"),
        ('<?xml version="1.0" encoding="UTF-16"?>\ufeff' + ONE).encode("utf-16-be").replace(b"\xfe\xff", b"", 1),
        ('<?xml version="1.0" encoding="ISO-8859-1"?>' + ONE).encode("latin-1"),
    ],
    ids=["plain", "utf-8 mark", "blank before", "utf-16", "utf-16-be unmarked", "latin-1"],
)
def test_one_document_in_several_encodings(data: bytes) -> None:
    read = read_report("r", data)
    if data.startswith(b"\x00"):
        assert read == Unread("the report r could not be read: it is neither XML nor JSON")
    else:
        assert isinstance(read, TestReport)
        assert read.passed == 1


@pytest.mark.parametrize(
    ("data", "because"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"\xef\xbb\xbf", "it is empty"),
        (b"12 passed in 0.1s", "it is neither XML nor JSON"),
        (b"[]", "it is neither XML nor JSON"),
        (b"\x1f\x8b\x08\x00", "it is neither XML nor JSON"),
    ],
)
def test_what_is_no_report(data: bytes, because: str) -> None:
    assert refused(data) == because


@pytest.mark.parametrize(
    "data", [b"<coverage/>", b"<test-run>", b"<testcase/>", b'{"a": 1}', b'{"results": []}', b'{"results": {"a": 1}}']
)
def test_files_of_another_kind(data: bytes) -> None:
    assert read_report("r", data) is None


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    "document_type",
    [
        f'<!DOCTYPE t [<!ENTITY l0 "lol">{LAUGHS}]>',
        '<!DOCTYPE t SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE t [<!ENTITY x SYSTEM "http://169.254.169.254/">]>',
        '<!DOCTYPE t [<!ENTITY % p SYSTEM "http://example.org/p"> %p;]>',
        '<!DOCTYPE t [<!ENTITY x "y">]>',
        "<!DOCTYPE t>",
    ],
)
def test_a_document_type_is_refused_with_all_its_entities(document_type: str) -> None:
    data = f'<?xml version="1.0"?>{document_type}<testsuite><testcase name="&l9;"/></testsuite>'
    assert refused(data) == "it has a document type, which a report needs not and an attack does"


def test_an_entity_that_nothing_declares() -> None:
    assert refused('<testsuite><testcase name="&x;"/></testsuite>') == "line 1: undefined entity"


@pytest.mark.parametrize("cut", range(1, len(ONE)))
def test_a_report_cut_anywhere_is_none(cut: int) -> None:
    assert refused(ONE[:cut]) != ""


@pytest.mark.parametrize("rest", ["x", "<testsuite/>", "</testsuite>"])
def test_a_report_with_something_after_it_is_none(rest: str) -> None:
    assert refused(ONE + rest).startswith("line 1: ")


def test_elements_nested_too_deep() -> None:
    assert counts_of("<testsuite>" * 200 + "</testsuite>" * 200) == (0, 0, 0, 0)
    assert refused("<testsuite>" * 201 + "</testsuite>" * 201) == "its elements are nested more than 200 deep"
    assert refused("<testsuite>" * 1_000_000) == "its elements are nested more than 200 deep"


def test_a_huge_attribute_is_read_in_linear_time_and_cut() -> None:
    read = report_of(f'<testsuite><testcase name="{"n" * 8_000_000}"/></testsuite>')
    assert read.tests == ("n" * LONGEST_NAME,)


def test_invalid_utf_8() -> None:
    assert refused(b'<testsuite name="\xff"/>').startswith("line 1: not well-formed")
    assert refused(b'{"results": "\xff"}') == "byte 13 is not UTF-8"


@pytest.mark.parametrize("encoding", ["no-such-thing", "utf-7", "idna", "rot13", "UTF-32"])
def test_an_encoding_that_is_not_read(encoding: str) -> None:
    assert refused(f'<?xml version="1.0" encoding="{encoding}"?>{ONE}') != ""


def test_the_limit_is_looked_at_first() -> None:
    fits = b"<testsuite>" + b" " * (LARGEST - 23) + b"</testsuite>"
    assert report_of(fits).cases == 0
    read = read_report("r", fits + b" ")
    assert read == Unread(f"the report r is {LARGEST + 1} bytes, more than {LARGEST} are not read")


@pytest.mark.parametrize(
    ("data", "because"),
    [
        ('{"a": 1, "a": 2}', "the key `a` stands twice in one object"),
        ('{"results": {"tests": [], "tests": [1]}}', "the key `tests` stands twice in one object"),
        ('{"results": {"tests": [], "summary": {"tests": NaN}}}', "NaN is no number of JSON"),
        ('{"a": -Infinity}', "-Infinity is no number of JSON"),
        ('{"a":' * 200_000, "it is nested too deep"),
        ('{"a": 1', "it is no JSON: Expecting ',' delimiter: line 1 column 8 (char 7)"),
        ('{"a": ' + "9" * 5_000 + "}", None),
    ],
)
def test_json_that_says_two_things_or_none(data: str, because: str | None) -> None:
    said = refused(data)
    assert said == because if because else said.startswith("it is no JSON: ")


@pytest.mark.untraced
def test_a_hundred_thousand_tests_on_one_line() -> None:
    tests = [{"name": f"test {number}", "status": "passed"} for number in range(100_000)]
    read = report_of(json.dumps({"results": {"tests": tests}}))
    assert (read.passed, read.tests) == (100_000, None)


@pytest.mark.untraced
def test_a_hundred_thousand_lines_of_events() -> None:
    line = '{"Action":"output","Package":"p","Output":"x"}\n'
    assert counts_of(line * 100_000 + '{"Action":"pass","Package":"p"}\n') == (0, 0, 0, 0)


def test_halves_of_characters_are_replaced() -> None:
    test = '{"name": "a\\ud800b", "status": "passed", "suite": "\\udfff"}'
    read = report_of(
        '{"results": {"tests": [' + test + '], "summary": {"tests": "\\ud800", "passed": 1, "failed": 0}}}'
    )
    assert read.tests == ("? a?b",)
    assert read.disagreements == ("the summary states ? tests (its tests: 1)",)
    assert refused('{"results": {"tests": [{"name": "a", "status": "\\ud800"}]}}') == (
        "a test has the status `?`, which CTRF does not know"
    )


def test_what_is_kept_of_names_is_bounded() -> None:
    cases = "".join(f'<testcase name="{n}"><failure/></testcase>' for n in range(MOST_NAMES))
    read = report_of(f"<testsuite>{cases}</testsuite>")
    assert len(read.tests or ()) == MOST_NAMES
    assert read.failed_names == tuple(str(n) for n in range(MOST_FAILED_NAMES))
    assert report_of(f'<testsuite>{cases}<testcase name="x"/></testsuite>').tests is None


def test_what_is_kept_of_long_names_is_bounded() -> None:
    def cases(count: int) -> str:
        return "".join(f'<testcase name="{n:04}{"x" * 396}"/>' for n in range(count))

    assert len(report_of(f"<testsuite>{cases(3_333)}</testsuite>").tests or ()) == 3_333
    assert report_of(f"<testsuite>{cases(3_334)}</testsuite>").tests is None


def test_what_is_kept_of_disagreements_and_breakages_is_bounded() -> None:
    suites = "".join(f'<testsuite name="s{n}" tests="9"><error/></testsuite>' for n in range(30))
    read = report_of(f"<testsuites>{suites}</testsuites>")
    assert (read.errors, len(read.failed_names), len(read.disagreements)) == (30, MOST_FAILED_NAMES, MOST_DISAGREEMENTS)


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_bytes_are_a_report_or_unread(data: bytes) -> None:
    for start in (b"", b"<testsuite>", b"{", b"<TestRun>"):
        assert isinstance(read_report("r", start + data), TestReport | Unread | None)
