"""Code owners who cannot approve count as missing, and lines that cannot be read are said, never passed over."""

from __future__ import annotations

from checks.codeowners import ReportedError, only_for, parse, with_reported
from checks.finding import Status
from tests.policies.build import change
from tests.policies.rule_case import CY, approved_by, demanded, pull

FILE = b"/src/ @acme/security @cy\n/docs/ ada@example.com\n/tools/ @acme/core\n"
SECRET = ReportedError(1, 7, "Unknown owner", "/src/ @acme/security @cy")


def _demanded(content: bytes, path: str, *reported: ReportedError, approved: bool = True) -> tuple[Status, str]:
    owners = only_for(with_reported(parse(".github/CODEOWNERS", content), reported), [path])
    of = pull(*approved_by(*([CY] if approved else [])), codeowners=owners, **change(path))
    found = demanded("{code_owners: {}}", of)
    return found.status, found.words


def test_a_missing_owner_is_named_and_the_others_suffice() -> None:
    status, words = _demanded(FILE, "src/a.py", SECRET, approved=False)
    assert status is Status.PENDING
    assert "@acme/security (missing: GitHub does not know it as a visible team with write access), @cy" in words
    assert _demanded(FILE, "src/a.py", SECRET)[0] is Status.PASSED


def test_membership_of_a_team_that_github_does_not_show_is_worth_nothing() -> None:
    alone = FILE.replace(b" @cy", b"")
    assert _demanded(alone, "src/a.py")[0] is Status.PASSED
    assert _demanded(alone, "src/a.py", SECRET)[0] is Status.PENDING


def test_an_address_is_missing() -> None:
    status, words = _demanded(FILE, "docs/a.md")
    assert status is Status.PENDING
    assert "ada@example.com (missing: an address is no account to compare with)" in words


def test_a_skipped_line_that_could_matter_is_an_error() -> None:
    status, words = _demanded(b"* @cy\n/src/ @\n", "src/a.py")
    assert status is Status.ERRORED
    assert "line 2 of .github/CODEOWNERS is skipped, as '@' is no owner" in words
    assert _demanded(b"* @cy\n/src/ @\n", "docs/a.md")[0] is Status.PASSED
