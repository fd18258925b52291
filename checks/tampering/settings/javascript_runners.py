"""Bars in the settings of the runners of JavaScript and TypeScript.

jest https://jestjs.io/docs/configuration, vitest https://vitest.dev/config/, mocha https://mochajs.org, playwright
https://playwright.dev/docs/api/class-testconfig, cypress https://docs.cypress.io/app/references/configuration, karma
https://karma-runner.github.io/latest/config/configuration-file.html, bun https://bun.sh/docs/runtime/bunfig.
"""

from __future__ import annotations

from checks.tampering.alteration import Weight
from checks.tampering.settings.bars import Bar, BarsOf, Way

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
_NARROWED, _CONFIGURED, _IGNORED = "collection-narrowed", "runner-configuration", "failures-ignored"
_LEAVES_OUT, _LOOKS_LESS = "leaves tests out", "looks for tests in fewer places"
_PASSES_EMPTY, _PASSES_FAILED = "lets a run pass without tests", "lets a run pass although tests fail"

_ONLY_OF_NAME = Bar("js.name", Way.SAME, _NARROWED, FAILED, "runs only tests of some names")
_RETRIES = Bar("js.retries", Way.CEILING, "retries-raised", PERSON, "tries failing tests more often")
_TIMEOUT = Bar("js.timeout", Way.CEILING, "timeout-raised", RISK, "gives tests more time")
_FORBIDS = Bar("js.forbidOnly", Way.ON, _CONFIGURED, PERSON, "lets tests that are focused or pending pass")
_EMPTY = Bar("js.passWithNoTests", Way.OFF, "empty-run-passes", PERSON, _PASSES_EMPTY)
_FAILING = Bar("js.ignoreFailures", Way.OFF, _IGNORED, FAILED, _PASSES_FAILED)
_SETUP = Bar("js.setup", Way.ADD_NONE, _CONFIGURED, RISK, "runs more code before the tests")
_PLACES = Bar("js.places", Way.KEEP, _NARROWED, PERSON, _LOOKS_LESS, "glob")
_OUT_GLOB = Bar("js.exclude", Way.ADD_NONE, _NARROWED, PERSON, _LEAVES_OUT, "glob")
_OUT_REGEX = Bar("js.ignorePatterns", Way.ADD_NONE, _NARROWED, PERSON, _LEAVES_OUT, "regex")
_UPDATES = Bar("js.update", Way.OFF, "expectations-rewritten-by-run", PERSON, "rewrites what tests compare with")

# A name may stand anywhere: under `test`, in a project, under `jest` of package.json.
_ANY = r"(?:.*\.)?"

JAVASCRIPT_RUNNERS = (
    BarsOf(
        r"\.mocharc[\w.]*|package\.json",
        (
            (r"(?:mocha\.)?spec", _PLACES),
            (r"(?:mocha\.)?(?:ignore|exclude)", _OUT_GLOB),
            (r"(?:mocha\.)?(?:grep|fgrep|g|f)", _ONLY_OF_NAME),
            (r"(?:mocha\.)?invert", Bar("js.invert", Way.OFF, _NARROWED, FAILED, "runs the other tests only")),
            (r"(?:mocha\.)?retries", _RETRIES),
            (r"(?:mocha\.)?timeout", _TIMEOUT),
            (r"(?:mocha\.)?(?:forbid-?[oO]nly|forbid-?[pP]ending|fail-?[zZ]ero)", _FORBIDS),
            (r"(?:mocha\.)?(?:pass-on-failing-test-suite|passOnFailingTestSuite|dry-?[rR]un)", _FAILING),
            (r"(?:mocha\.)?(?:require|file|import)", _SETUP),
            (r"ava\.files", _PLACES),
            (r"ava\.failWithoutAssertions", _FORBIDS),
        ),
    ),
    BarsOf(
        r"package\.json|bunfig\.toml|karma\.conf\.\w+|jasmine\.json|"
        r"(?:jest|vitest|vite|playwright|cypress|wdio)\.?[\w\-]*\.(?:config|workspace|shared|json)[\w.\-]*",
        (
            (_ANY + "passWithNoTests", _EMPTY),
            (_ANY + "failOnEmptyTestSuite", _FORBIDS),
            (_ANY + "(?:dangerouslyIgnoreUnhandledErrors|ignoreSourceErrors)", _FAILING),
            (_ANY + "(?:testMatch|testRegex|specPattern|spec_files|roots|testDir)", _PLACES),
            (_ANY + "test.include", _PLACES),
            (_ANY + "(?:testPathIgnorePatterns|modulePathIgnorePatterns)", _OUT_REGEX),
            (_ANY + "(?:testIgnore|excludeSpecPattern)|(?:.*\\.)?test\\.exclude", _OUT_GLOB),
            (_ANY + "(?:testNamePattern|grep|grepInvert)", _ONLY_OF_NAME),
            (_ANY + "(?:allowOnly)", Bar("js.allowOnly", Way.OFF, _CONFIGURED, PERSON, "lets focused tests pass")),
            (_ANY + "forbidOnly", _FORBIDS),
            (_ANY + "(?:retry|retries)(?:\\.runMode|\\.openMode)?", _RETRIES),
            (_ANY + "(?:testTimeout|hookTimeout|timeout|defaultCommandTimeout|browserNoActivityTimeout)", _TIMEOUT),
            (_ANY + "(?:setupFiles|setupFilesAfterEach|setupFilesAfterEnv|globalSetup|supportFile|preload)", _SETUP),
            (
                _ANY + "(moduleNameMapper|alias)\\.(.+)",
                Bar("js.alias", Way.SAME, _CONFIGURED, RISK, "changes which module the tests get"),
            ),
            (
                _ANY + "(testRunner|runner)",
                Bar("js.testRunner", Way.SAME, "runner-replaced", PERSON, "changes what runs the tests"),
            ),
            (
                _ANY + "(resolver|testEnvironment|snapshotResolver|transform)(?:\\..+)?",
                Bar("js.runner", Way.SAME, "runner-replaced", RISK, "changes what runs the tests"),
            ),
            (_ANY + "test.update|(?:.*\\.)?updateSnapshots", _UPDATES),
            (
                _ANY + "(?:maxDiffPixels|maxDiffPixelRatio|threshold|failureThreshold)",
                Bar("js.pixels", Way.CEILING, "assertion-weakened", PERSON, "lets pictures differ more"),
            ),
        ),
    ),
)
