"""Bars of coverage: the floors, and what is left out of the count.

coverage.py https://coverage.readthedocs.io/en/latest/config.html, jest https://jestjs.io/docs/configuration, vitest
https://vitest.dev/config/coverage, nyc https://github.com/istanbuljs/nyc, Codecov
https://docs.codecov.com/docs/codecov-yaml, JaCoCo https://www.jacoco.org/jacoco/trunk/doc/check-mojo.html, SimpleCov
https://github.com/simplecov-ruby/simplecov.
"""

from __future__ import annotations

from checks.tampering.alteration import Weight
from checks.tampering.settings.bars import Bar, BarsOf, Way

PERSON, RISK = Weight.PERSON, Weight.RISK
_KIND = "coverage-bar-lowered"
_ANY = r"(?:.*\.)?"

_FLOOR = Bar("coverage.floor", Way.FLOOR, _KIND, PERSON, "asks for less coverage")
_CHECKED = Bar("coverage.checked", Way.ON, _KIND, PERSON, "does not hold a run to its coverage any more")
_LEFT_OUT = Bar("coverage.leftOut", Way.ADD_NONE, _KIND, RISK, "leaves code out of the coverage")
_COUNTED = Bar("coverage.counted", Way.KEEP, _KIND, RISK, "counts less code in the coverage")

COVERAGE = (
    BarsOf(
        r"pyproject\.toml|setup\.cfg|tox\.ini|\.coveragerc",
        (
            (r"(?:tool\.)?(?:coverage[.:])?report\.fail_under", _FLOOR),
            (r"(?:tool\.)?(?:coverage[.:])?(?:report|run)\.(?:omit|exclude_lines|exclude_also)", _LEFT_OUT),
            (r"(?:tool\.)?(?:coverage[.:])?run\.(?:source|source_pkgs|include)", _COUNTED),
            (r"(?:tool\.)?(?:coverage[.:])?run\.branch", _CHECKED),
            (r"tool\.interrogate\.fail-under", _FLOOR),
        ),
    ),
    BarsOf(
        r"package\.json|(?:jest|vitest|vite)\.?[\w\-]*\.(?:config|workspace|shared|json)[\w.\-]*|\.nycrc[\w.]*|\.c8rc[\w.]*|"
        r"bunfig\.toml",
        (
            (_ANY + r"coverageThreshold\.(.+)", _FLOOR),
            (_ANY + r"coverageThreshold", _FLOOR),
            (_ANY + r"coverage\.thresholds?\.(.+)", _FLOOR),
            (r"(?:nyc\.|c8\.)?(lines|branches|functions|statements)", _FLOOR),
            (r"(?:nyc\.|c8\.)?(check-coverage|checkCoverage|per-file|perFile|all)", _CHECKED),
            (_ANY + r"(coverage\.enabled|collectCoverage)", _CHECKED),
            (_ANY + r"(?:coverage\.exclude|coveragePathIgnorePatterns)|(?:nyc\.|c8\.)exclude", _LEFT_OUT),
            (_ANY + r"(?:coverage\.include|collectCoverageFrom)|(?:nyc\.|c8\.)include", _COUNTED),
        ),
    ),
    BarsOf(r"\.(?:nyc|c8)rc[\w.]*", ((r"exclude", _LEFT_OUT), (r"include", _COUNTED))),
    BarsOf(
        r"\.?codecov\.ya?ml|\.coveralls\.ya?ml",
        (
            (r"coverage\.status\.(.+)\.target|coverage\.status\.(.+\.)?target", _FLOOR),
            (
                r"coverage\.status\.(.+)\.threshold",
                Bar("codecov.threshold", Way.CEILING, _KIND, PERSON, "lets coverage fall further"),
            ),
            (
                r"coverage\.status\.(.+)\.(?:informational|if_not_found)",
                Bar("codecov.informational", Way.OFF, _KIND, PERSON, "does not hold a run to its coverage any more"),
            ),
            (r"coverage\.status\.(project|patch)", _CHECKED),
            (r"ignore", _LEFT_OUT),
        ),
    ),
    BarsOf(
        r"pom\.xml|[\w.\-]*\.gradle(?:\.kts)?",
        (
            (_ANY + r"[lL]imits?\.minimum|(?:.*\.)?rule\.limit\.minimum", _FLOOR),
            (_ANY + r"haltOnFailure", _CHECKED),
        ),
    ),
    BarsOf(
        r"\.simplecov|spec_helper\.rb|rails_helper\.rb|test_helper\.rb",
        (
            (_ANY + r"minimum_coverage(?:_by_file)?", _FLOOR),
            (_ANY + r"refuse_coverage_drop", _CHECKED),
            (_ANY + r"(?:add_filter|skip_files)", _LEFT_OUT),
        ),
    ),
)
