"""Conditions as they are on the machines that usually judge a change."""

from __future__ import annotations

import ast

import pytest

from checks.tampering.python.conditions import Conditions
from checks.tampering.units import SkipScope


def holds(text: str, **names: str) -> bool | None:
    constants = {name: ast.parse(value, mode="eval").body for name, value in names.items()}
    return Conditions(constants).holds(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    "text",
    [
        "True",
        "1",
        "not False",
        "'text'",
        "(1, 2)",
        "1 == 1",
        "sys.platform == 'linux'",
        "sys.platform != 'win32'",
        "sys.platform.startswith('linux')",
        "sys.platform.upper().startswith('linux') or True",
        "sys.platform in ('linux', 'darwin')",
        "sys.platform not in ['win32']",
        "platform == 'linux'",
        "os.name == 'posix'",
        "os.name is not None",
        "platform.system() == 'Linux'",
        "platform.system().lower() == 'linux'",
        "platform.machine().endswith('64')",
        "platform.python_implementation() == 'CPython'",
        "sys.version_info >= (3, 11)",
        "sys.version_info > (3,)",
        "(3, 8) <= sys.version_info",
        "sys.version_info[0] == 3",
        "sys.version_info[:2] >= (3, 12)",
        "sys.version_info[0:1] == (3,)",
        "sys.version_info.minor > 10",
        "sys.implementation.name == 'cpython'",
        "sys.byteorder == 'little'",
        "django.VERSION >= (5, 0)",
        "np.__version__ > '1'",
        "Version(torch.__version__) >= Version('2')",
        "parse_version(x) >= limit",
        "(4, 2) <= django.VERSION",
        "LINUX",
        "is_posix()",
        "not IS_WINDOWS",
        "NOT_WINDOWS",
        "sys.platform == 'linux' and True",
        "sys.platform == 'linux' or os.environ",
        "not TYPE_CHECKING",
        "__name__ != '__main__'",
    ],
)
def test_what_holds(text: str) -> None:
    assert holds(text) is True


@pytest.mark.parametrize(
    "text",
    [
        "False",
        "0",
        "None",
        "''",
        "()",
        "sys.platform == 'win32'",
        "sys.platform.startswith(('win', 'darwin'))",
        "os.name == 'nt'",
        "sys.version_info < (3, 12)",
        "sys.version_info <= (3, 12)",
        "django.VERSION < (5, 0)",
        "(5, 0) > django.VERSION",
        "Version(torch.__version__) <= Version('2')",
        "ON_WINDOWS",
        "utils.is_mac",
        "PYPY",
        "is_py2",
        "freebsd()",
        "sys.platform == 'win32' and os.environ",
        "os.environ and sys.platform == 'win32'",
        "sys.platform == 'win32' or sys.platform == 'darwin'",
        "typing.TYPE_CHECKING",
        "__name__ == '__main__'",
    ],
)
def test_what_does_not_hold(text: str) -> None:
    assert holds(text) is False


@pytest.mark.parametrize(
    "text",
    [
        "os.environ.get('CI')",
        "'CI' in os.environ",
        "np is None",
        "HAS_DOCKER",
        "winner",
        "sys.platform == target",
        "sys.platform == 'linux' and os.environ",
        "sys.platform == 'win32' or os.environ",
        "os.environ or limit",
        "django.VERSION == (5, 0)",
        "1 < 'a'",
        "1 + 1",
        "sys.version_info[x]",
        "sys.version_info[9]",
        "sys.version_info[::2]",
        "(1).startswith('a')",
        "sys.platform.startswith(1)",
        "sys.platform.startswith(x)",
        "platform.system('a')",
        "f(x)",
        "lambda: True",
        "1 < x < 3",
        "{'a': 1}",
        "not x",
    ],
)
def test_what_is_not_known(text: str) -> None:
    assert holds(text) is None


def test_names_of_the_module() -> None:
    assert holds("WINDOWS", WINDOWS="sys.platform == 'win32'") is False
    assert holds("OLD or slow", OLD="not NEW", NEW="sys.version_info > (3, 9)", slow="False") is False
    assert holds("config.RUN", RUN="True") is None
    assert holds("A", A="A") is None
    assert holds("IS_WINDOWS", IS_WINDOWS="IS_WINDOWS") is False


def test_names_that_stand_for_ever_more_are_given_up() -> None:
    levels = {f"a{n}": f"a{n + 1} and a{n + 1}" for n in range(60)}
    assert holds("a0", **levels, a60="True") is None
    assert holds("a57", **levels, a60="True") is True
    assert holds("a55", **levels, a60="True") is None


@pytest.mark.parametrize(
    ("text", "when", "unless"),
    [
        ("sys.platform == 'win32'", SkipScope.PLATFORM, SkipScope.ALWAYS),
        ("sys.platform == 'linux'", SkipScope.ALWAYS, SkipScope.PLATFORM),
        ("docker", SkipScope.CONDITION, SkipScope.CONDITION),
    ],
)
def test_where_a_test_does_not_run(text: str, when: SkipScope, unless: SkipScope) -> None:
    condition = ast.parse(text, mode="eval").body
    assert Conditions({}).scope_of_skip(condition) is when
    assert Conditions({}).scope_of_skip(condition, unless=True) is unless
