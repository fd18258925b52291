"""Bars in the settings of Python's runners.

pytest https://docs.pytest.org/en/stable/reference/reference.html#configuration-options, tox
https://tox.wiki/en/stable/config.html, nose2 and unittest through them.
"""

from __future__ import annotations

from checks.tampering.alteration import Weight
from checks.tampering.settings.bars import Bar, BarsOf, Way

_NARROWED, _CONFIGURED = "collection-narrowed", "runner-configuration"
_PYTEST = r"(?:tool\.pytest(?:\.ini_options)?|tool:pytest|pytest)\."
_TOX = r"(?:tool\.tox\.)?(?:testenv[^.]*|env\.[^.]+|env_run_base)\."

_NEEDS_LESS = "looks for tests in fewer places"
_FINDS_LESS = "takes fewer names for tests"
_LEAVES_OUT = "leaves tests out"

PYTHON_RUNNERS = (
    BarsOf(
        r"pyproject\.toml|\.?pytest\.ini|\.?pytest\.toml|tox\.ini|tox\.toml|setup\.cfg",
        (
            (_PYTEST + "testpaths", Bar("pytest.testpaths", Way.KEEP, _NARROWED, Weight.PERSON, _NEEDS_LESS, "path")),
            (_PYTEST + "python_files", Bar("pytest.files", Way.KEEP, _NARROWED, Weight.PERSON, _FINDS_LESS, "glob")),
            (
                _PYTEST + "python_(classes|functions)",
                Bar("pytest.names", Way.KEEP, _NARROWED, Weight.PERSON, _FINDS_LESS, "name"),
            ),
            (
                _PYTEST + "norecursedirs",
                Bar("pytest.norecursedirs", Way.ADD_NONE, _NARROWED, Weight.PERSON, _LEAVES_OUT, "glob"),
            ),
            (
                _PYTEST
                + "(?:xfail_strict|strict|strict_xfail|strict_markers|strict_config|strict_parametrization_ids)",
                Bar("pytest.strict", Way.ON, _CONFIGURED, Weight.PERSON, "makes pytest less strict"),
            ),
            (
                _PYTEST + "filterwarnings",
                Bar("pytest.filterwarnings", Way.ADD_NONE, _CONFIGURED, Weight.RISK, "hides warnings"),
            ),
            (
                _PYTEST + "(?:flaky_)?reruns",
                Bar("pytest.reruns", Way.CEILING, "retries-raised", Weight.PERSON, "tries failing tests more often"),
            ),
            (
                _PYTEST + "(?:faulthandler_)?timeout",
                Bar("pytest.timeout", Way.CEILING, "timeout-raised", Weight.RISK, "gives tests more time"),
            ),
            (
                _PYTEST + "pythonpath",
                Bar("pytest.pythonpath", Way.ADD_NONE, _CONFIGURED, Weight.RISK, "changes where modules come from"),
            ),
            (
                _PYTEST + "required_plugins",
                Bar("pytest.required_plugins", Way.KEEP, _CONFIGURED, Weight.RISK, "needs fewer plugins"),
            ),
            (
                _TOX + "ignore_(?:outcome|errors)",
                Bar(
                    "tox.ignore_outcome",
                    Way.OFF,
                    "failures-ignored",
                    Weight.FAILED,
                    "lets a run pass although tests fail",
                ),
            ),
            (
                r"(?:tool\.tox\.|tox\.)?env_?list",
                Bar("tox.env_list", Way.KEEP, _NARROWED, Weight.RISK, "runs the tests in fewer environments"),
            ),
        ),
    ),
    BarsOf(
        r"conftest\.py",
        (
            (
                "collect_ignore",
                Bar("conftest.collect_ignore", Way.ADD_NONE, _NARROWED, Weight.PERSON, _LEAVES_OUT, "path"),
            ),
            (
                "collect_ignore_glob",
                Bar("conftest.collect_ignore_glob", Way.ADD_NONE, _NARROWED, Weight.PERSON, _LEAVES_OUT, "glob"),
            ),
        ),
    ),
)
