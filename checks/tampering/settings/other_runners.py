"""Bars in the settings of the runners of other languages.

surefire https://maven.apache.org/surefire/maven-surefire-plugin/test-mojo.html, gradle
https://docs.gradle.org/current/dsl/org.gradle.api.tasks.testing.Test.html, cargo
https://doc.rust-lang.org/cargo/reference/cargo-targets.html, nextest https://nexte.st/docs/configuration/reference/,
phpunit https://docs.phpunit.de, rspec https://rspec.info, .NET
https://learn.microsoft.com/en-us/visualstudio/test/configure-unit-tests-by-using-a-dot-runsettings-file.
"""

from __future__ import annotations

from checks.tampering.alteration import Weight
from checks.tampering.settings.bars import Bar, BarsOf, Way

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
_NARROWED, _CONFIGURED, _IGNORED = "collection-narrowed", "runner-configuration", "failures-ignored"
_ANY = r"(?:.*\.)?"

_IGNORES = Bar("ignoreFailures", Way.OFF, _IGNORED, FAILED, "lets a run pass although tests fail")
_SKIPS = Bar("skipTests", Way.OFF, "nothing-runs", FAILED, "runs no test at all")
_OUT = Bar("exclude", Way.ADD_NONE, _NARROWED, PERSON, "leaves tests out", "glob")
_OUT_BY_NAME = Bar("excludeGroups", Way.ADD_NONE, _NARROWED, PERSON, "leaves tests out")
_ONLY = Bar("includes", Way.KEEP, _NARROWED, PERSON, "looks for tests in fewer places", "glob")
_RETRIES = Bar("retries", Way.CEILING, "retries-raised", PERSON, "tries failing tests more often")
_TIMEOUT = Bar("timeout", Way.CEILING, "timeout-raised", RISK, "gives tests more time")
_IS_RUN = Bar("isRun", Way.ON, "nothing-runs", FAILED, "runs no test at all")
_STRICT = Bar("strict", Way.ON, _CONFIGURED, PERSON, "makes the runner less strict")

OTHER_RUNNERS = (
    BarsOf(
        r"pom\.xml",
        (
            (_ANY + "(?:testFailureIgnore|maven\\.test\\.failure\\.ignore)", _IGNORES),
            (_ANY + "(?:skip(?:Tests|ITs|UTs|Exec)|maven\\.test\\.skip|skipAfterFailureCount)", _SKIPS),
            (_ANY + "excludes\\.exclude", _OUT),
            (_ANY + "(?:excludedGroups|excludeJUnit5Engines)", _OUT_BY_NAME),
            (_ANY + "includes\\.include", _ONLY),
            (_ANY + "rerunFailingTestsCount", _RETRIES),
            (_ANY + "(?:forkedProcessTimeoutInSeconds|forkedProcessExitTimeoutInSeconds)", _TIMEOUT),
            (_ANY + "(?:failIfNoTests|failIfNoSpecifiedTests)", _STRICT),
        ),
    ),
    BarsOf(
        r"[\w.\-]*\.gradle(?:\.kts)?",
        (
            (_ANY + "(?:is)?[iI]gnoreFailures", _IGNORES),
            (_ANY + "[tT]est.*\\.(?:enabled|isEnabled)", _IS_RUN),
            (_ANY + "[tT]est.*\\.(?:exclude|excludeTestsMatching)", _OUT_BY_NAME),
            (_ANY + "(?:excludeTags|excludeCategories|excludeGroups|excludeEngines)", _OUT_BY_NAME),
            (_ANY + "maxRetries", _RETRIES),
            (_ANY + "(?:failOnNoDiscoveredTests|failOnNoMatchingTests|failOnPassedAfterRetry)", _STRICT),
        ),
    ),
    BarsOf(
        r"Cargo\.toml|nextest\.toml",
        (
            (r"(lib|bin|test|bench|example)\.(?:test|doctest)", _IS_RUN),
            (
                r"(test|lib|bin)\.harness",
                Bar("cargo.harness", Way.ON, "runner-replaced", PERSON, "hands the tests to a program of its own"),
            ),
            (r"profile\..*default-filter", Bar("nextest.filter", Way.SAME, _NARROWED, PERSON, "leaves tests out")),
            (r"profile\..*retries(?:\.count)?", _RETRIES),
            (
                r"profile\..*slow-timeout(?:\.period)?",
                Bar("nextest.slow", Way.SAME, "timeout-raised", RISK, "gives tests another time"),
            ),
        ),
    ),
    BarsOf(
        r"config\.toml|config",
        (
            (
                r"target\.(.+)\.runner",
                Bar("cargo.runner", Way.SAME, "runner-replaced", PERSON, "hands the tests to another program"),
            ),
        ),
    ),
    BarsOf(
        r"phpunit[\w.\-]*\.xml(?:\.dist)?",
        (
            (
                _ANY + "testsuite\\.(?:exclude|exclude\\.file)",
                Bar("phpunit.exclude", Way.ADD_NONE, _NARROWED, PERSON, "leaves tests out", "path"),
            ),
            (
                _ANY + "testsuite\\.(?:directory|file)",
                Bar("phpunit.places", Way.KEEP, _NARROWED, PERSON, "looks for tests in fewer places", "path"),
            ),
            (_ANY + "groups\\.exclude\\.group", _OUT_BY_NAME),
            (r"phpunit\.@(?:failOn\w+|beStrict\w+)", _STRICT),
        ),
    ),
    BarsOf(
        r"spec_helper\.rb|rails_helper\.rb|test_helper\.rb",
        (
            (_ANY + "(?:filter_run_excluding|filter_run_including|filter_run|exclude_pattern)", _OUT_BY_NAME),
            (
                _ANY + "failure_exit_code",
                Bar("rspec.failure_exit_code", Way.FLOOR, _IGNORED, FAILED, "lets a run pass although tests fail"),
            ),
        ),
    ),
    BarsOf(
        r"[\w.\-]*(?:[tT]est|[sS]pec)[\w.\-]*\.(?:cs|fs)proj|Directory\.Build\.(?:props|targets)",
        (
            (_ANY + "Compile\\.@(?:Remove|Exclude)", _OUT),
            (
                _ANY + "EnableDefault(?:Compile)?Items",
                Bar("dotnet.items", Way.ON, _NARROWED, PERSON, "does not take every file by itself"),
            ),
        ),
    ),
    BarsOf(
        r"[\w.\-]*\.(?:runsettings|csproj|fsproj|vbproj|props|targets)",
        (
            (_ANY + "TestCaseFilter", Bar("dotnet.filter", Way.SAME, _NARROWED, PERSON, "leaves tests out")),
            (_ANY + "(?:IsTestProject|TreatNoTestsAsError)", _STRICT),
            (_ANY + "(?:TestSessionTimeout)", _TIMEOUT),
        ),
    ),
)
