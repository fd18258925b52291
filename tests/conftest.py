"""What holds in every test: the simulated GitHub answers as GitHub does, and nothing that is shown holds a token."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Generator, Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is. All else stays as CI's or mutation's own profile says.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_configure() -> None:
    """Modules and models are most of what lives here, and going through them for garbage took a twentieth of the time
    of all tests."""
    gc.set_threshold(50_000, 20, 100)


# Where nobody has set up logging, structlog shows the locals of every frame: seconds for one traceback.
_renderer = structlog.get_config()["processors"][-1]
assert isinstance(_renderer, structlog.dev.ConsoleRenderer)
_renderer.exception_formatter = structlog.dev.plain_traceback


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Coverage looks away from tests by chance, and from those that say that it has nothing to learn there.

    It takes thrice the time, and what must be covered is covered by cases, which are the same in each run.
    """
    tracer = sys.gettrace()
    if not (type(tracer).__module__ == "coverage" and _untraced(item)):
        return (yield)
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


def _untraced(item: pytest.Item) -> bool:
    by_chance = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    return by_chance or item.get_closest_marker("untraced") is not None


@pytest.fixture(autouse=True)
def github_as_described(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test whose simulated GitHub answered as GitHub does not. Tests without one pay nothing."""
    if "tests.github.server" not in sys.modules:
        yield
        return
    from tests.github.contract.observe import watch

    findings = watch(monkeypatch)
    yield
    findings.assert_clean()


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """A command that sets up logging does so for its own test alone."""
    yield
    if structlog.is_configured():
        structlog.reset_defaults()


# Long enough that no name of a test or of a field has this form; tokens of 4,000 characters begin so too.
TOKEN = re.compile(
    r"gh[a-z]_[A-Za-z0-9._-]{30,}|github_pat_[A-Za-z0-9_]{30,}|mgs_[0-9A-Za-z]{49}|eyJ[A-Za-z0-9_-]{20,}\.eyJ"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)


def token_in(text: str) -> str | None:
    """Where something of a token's form stands in `text`: what is before it, and its first characters."""
    found = TOKEN.search(text)
    return None if found is None else text[max(0, found.start() - 200) : found.start() + 12]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test during which a token was printed or logged fails, in whichever part of the program that was.

    The report itself shows none either.
    """
    report = yield
    for name, text in report.sections:
        where = token_in(text)
        if where is not None and report.passed and name.endswith(report.when):
            report.outcome = "failed"
            report.longrepr = f"{report.nodeid}: a token was shown ({name}): …{where}…"
    report.sections = [(name, TOKEN.sub("[token]", text)) for name, text in report.sections]
    return report
