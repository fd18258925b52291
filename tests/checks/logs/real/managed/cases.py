"""Which project is run how, and which report of the runner says what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypedDict, Unpack

from tests.checks.logs.real.managed import java_projects as java
from tests.checks.logs.real.managed import projects as made
from tests.checks.logs.real.managed import python_projects as python
from tests.checks.logs.real.managed.reports import Case, Counts, junit, minitest, nunit, rspec, test_unit, testdox


class More(TypedDict, total=False):
    source: str
    green: bool
    lost: Counts
    unknown: bool
    remark: str
    before: tuple[str, ...]
    after: tuple[str, ...]


_ERROR = Counts(errors=1)
_MAVEN = "maven 3.8.7 surefire 2.22.3"
_MVN = 'mvn -B -o -Dmaven.repo.local="$M2"'
_DIED = "no report: the process ended before it was written"
_NONE = "no report: nothing ran"


def _maven(name: str, goals: str, tests: Mapping[str, str], junit_version: str = "5", **more: Unpack[More]) -> Case:
    files = {"pom.xml": java.pom("demo", junit_version)}
    files |= {f"src/test/java/demo/{test}Test.java": text for test, text in tests.items()}
    command = goals if goals.startswith("mvn") else f"{_MVN} {goals}"
    counts = junit("**/surefire-reports*/TEST-*.xml")
    return replace(Case(f"maven_{name}", _MAVEN, command, files, counts), **more)


def _modules(goals: str) -> Case:
    files = {"pom.xml": java.pom("parent", modules=("first", "second", "third"))}
    for module, tests in (("first", ("Green", "Mixed")), ("second", ("Skipped",)), ("third", ("Green", "Noise"))):
        files[f"{module}/pom.xml"] = java.pom(module)
        files |= {f"{module}/src/test/java/demo/{test}Test.java": _JAVA[test] for test in tests}
    remark = "four modules, one of them red, one skips all, the parent has no tests"
    counts = junit("**/surefire-reports/TEST-*.xml")
    name = "maven_parallel_modules" if "-T2" in goals else "maven_modules"
    return Case(name, _MAVEN, f"{_MVN} {goals}", files, counts, remark=remark)


_JAVA = {"Green": java.GREEN_5, "Mixed": java.MIXED_5, "Skipped": java.SKIPPED_5, "Noise": java.NOISE_5}

MAVEN = (
    _maven("pass", "test", {"Green": java.GREEN_5, "Noise": java.NOISE_5}, green=True, remark="a test prints a total"),
    _maven("mixed", "test", {"Mixed": java.MIXED_5, "Green": java.GREEN_5}),
    _maven("colour", "-Dstyle.color=always test", {"Mixed": java.MIXED_5}, remark="ANSI"),
    _modules("-fae test"),
    _modules("-T2 -fae test"),
    _maven("skipped_only", "test", {"Skipped": java.SKIPPED_5}),
    _maven("skip_tests", "-DskipTests test", {"Green": java.GREEN_5}, source=_NONE),
    _maven("filter_none", "-Dtest=Nope test", {"Green": java.GREEN_5}, source=_NONE, remark="BUILD FAILURE"),
    _maven("filter_none_allowed", "-Dtest=Nope -DfailIfNoTests=false test", {"Green": java.GREEN_5}, source=_NONE),
    _maven(
        "compile_error", "test", {"Green": java.GREEN_5, "NoCompile": java.NO_COMPILE}, lost=_ERROR, source=_NONE,
        remark="one error: the tests do not compile",
    ),
    _maven(
        "halt", "test", {"Green": java.GREEN_5, "Halt": java.HALT_5}, lost=_ERROR,
        remark="a test halts the JVM with 0; the total knows only the other class; one error added by hand",
    ),
    _maven("flaky", "-Dsurefire.rerunFailingTestsCount=2 test", {"Flaky": java.FLAKY_4}, "4", green=True,
           remark="1 flaky"),
    _maven("ignored", "-Dmaven.test.failure.ignore=true test", {"Mixed": java.MIXED_5}, remark="BUILD SUCCESS"),
    _maven("forged", "test", {"Forged": java.FORGED_5, "Green": java.GREEN_5}, "5",
           remark="a test prints a total of 9; the right counts are those of the report"),
    _maven(
        "two_runs", f"{_MVN} test -Dtest=MixedTest -Dsurefire.reportNameSuffix=one; {_MVN} test -Dtest=GreenTest",
        {"Mixed": java.MIXED_5, "Green": java.GREEN_5}, remark="a red build, then a green one",
    ),
)  # fmt: skip


def _gradle(name: str, arguments: str, build: str, tests: Mapping[str, str], **more: Unpack[More]) -> Case:
    files = {"build.gradle": build, "settings.gradle": "rootProject.name = 'demo'\ninclude 'one', 'two'\n"}
    if "subprojects" not in build:
        files["settings.gradle"] = "rootProject.name = 'demo'\n"
    for test, text in tests.items():
        folder, _, base = test.rpartition("/")
        files[f"{folder}/src/test/java/demo/{base}Test.java".lstrip("/")] = text
    command = f"gradle --offline --no-daemon --console=plain {arguments}"
    counts = junit("**/build/test-results/**/TEST-*.xml")
    return Case(f"gradle_{name}", "gradle 4.4.1", command, files, counts, **more)


GRADLE = (
    _gradle("pass", "test", java.GRADLE, {"Green": java.GREEN_4}, unknown=True, remark="no counts are printed"),
    _gradle("mixed", "test", java.GRADLE, {"Green": java.GREEN_4, "Mixed": java.MIXED_4}),
    _gradle("events", "test", java.GRADLE_EVENTS, {"Green": java.GREEN_4, "Skipped": java.SKIPPED_4}, green=True,
            remark="each test is logged; a test prints BUILD SUCCESSFUL"),
    _gradle("events_mixed", "test", java.GRADLE_EVENTS, {"Green": java.GREEN_4, "Mixed": java.MIXED_4}),
    _gradle("results", "test", java.GRADLE_RESULTS, {"Green": java.GREEN_4, "Skipped": java.SKIPPED_4}, green=True,
            remark="the build script prints the results"),
    _gradle("results_mixed", "test", java.GRADLE_RESULTS, {"Green": java.GREEN_4, "Mixed": java.MIXED_4}),
    _gradle("subprojects", "--continue test", java.GRADLE_SUBPROJECTS,
            {"one/Mixed": java.MIXED_4, "two/Green": java.GREEN_4}, remark="one red, one green"),
    _gradle("up_to_date", "test", java.GRADLE, {"Green": java.GREEN_4}, unknown=True,
            before=("gradle --offline --no-daemon --console=plain test",), remark="the second run: nothing ran"),
    _gradle("filter_none", "test --tests '*Nope'", java.GRADLE, {"Green": java.GREEN_4}, source=_NONE),
    _gradle("compile_error", "test", java.GRADLE, {"NoCompile": java.NO_COMPILE}, lost=_ERROR, source=_NONE,
            remark="one error: the tests do not compile"),
    _gradle("halt", "test", java.GRADLE_STARTED, {"Halt": java.HALT_4},
            remark="a test halts the JVM with 0: BUILD SUCCESSFUL, and only the logged starts tell"),
    _gradle("halt_1", "test", java.GRADLE_EVENTS, {"Halt": java.HALT_1_4}, source=_DIED,
            lost=Counts(passed=1, errors=1), remark="a test halts the JVM with 1; the log shows one that passed"),
    _gradle("ignored", "test", java.GRADLE + "test { ignoreFailures = true }\n", {"Mixed": java.MIXED_4},
            remark="BUILD SUCCESSFUL"),
)  # fmt: skip


def _ant(name: str, arguments: str, tests: Mapping[str, str], build: str = java.ANT, **more: Unpack[More]) -> Case:
    files = {"build.xml": build} | {f"src/demo/{test}Test.java": text for test, text in tests.items()}
    return Case(f"ant_{name}", "ant 1.10.13", f"ant {arguments}", files, junit("reports/TEST-*.xml"), **more)


def _set(summary: str, fork: str, formatter: str) -> str:
    return f"-Dsummary={summary} -Dfork={fork} -Dformatter={formatter}"


_LAUNCHER = " ".join(
    f"-lib /usr/share/java/{jar}.jar"
    for jar in ("junit-platform-commons", "junit-platform-engine", "junit-platform-launcher", "opentest4j")
)
ANT = (
    _ant("pass", _set("no", "no", "brief"), {"Green": java.GREEN_4}, green=True,
         remark="a test prints BUILD SUCCESSFUL"),
    _ant("mixed", _set("no", "no", "brief"), {"Green": java.GREEN_4, "Mixed": java.MIXED_4}),
    _ant("summary_and_plain", _set("yes", "no", "plain"), {"Green": java.GREEN_4, "Skipped": java.SKIPPED_4},
         green=True, remark="each suite's counts are printed twice"),
    _ant("summary_only", "-Dsummary=on -Dfork=yes", {"Green": java.GREEN_4, "Mixed": java.MIXED_4}, java.ANT_SUMMARY),
    _ant("halt", _set("on", "yes", "brief"), {"Green": java.GREEN_4, "Halt": java.HALT_4},
         remark="a test halts the JVM with 0: the report has one error for its class"),
    _ant("skipped_only", _set("yes", "no", "brief"), {"Skipped": java.SKIPPED_4}),
    _ant("compile_error", _set("yes", "no", "brief"), {"NoCompile": java.NO_COMPILE}, lost=_ERROR, source=_NONE,
         remark="one error: the tests do not compile"),
    _ant("launcher", _LAUNCHER, {"Mixed": java.MIXED_5, "Green": java.GREEN_5}, java.ANT_LAUNCHER,
         remark="junitlauncher; an exception is a failure in its words, an error in its report"),
    _ant("launcher_pass", _LAUNCHER, {"Green": java.GREEN_5, "Skipped": java.SKIPPED_5}, java.ANT_LAUNCHER,
         green=True),
)  # fmt: skip


def _rspec(name: str, arguments: str, **more: Unpack[More]) -> Case:
    command = f"rspec --format json --out report.json {arguments}"
    if arguments.startswith("parallel_rspec"):
        command = arguments
    elif "--format" not in arguments:
        command = f"rspec --format p --format json --out report.json {arguments}"
    return replace(Case(f"rspec_{name}", "rspec 3.12", command, made.RSPEC, rspec, "JSON of the runner"), **more)


_RSPEC_JSON = "rspec --format json --out report.json "
RSPEC = (
    _rspec("mixed", "spec/mixed_spec.rb spec/noise_spec.rb", remark="a test prints a red summary"),
    _rspec("pass", "spec/noise_spec.rb", green=True, remark="a test prints a red summary"),
    _rspec("documentation", "--format d --order random --force-color spec/mixed_spec.rb spec/noise_spec.rb"),
    _rspec("load_error", "spec/broken_spec.rb spec/noise_spec.rb"),
    _rspec("exit", "spec/exit_spec.rb", remark="a test ends the process with exit(0): counted as if it had passed"),
    _rspec("hard_exit", "spec/hard_exit_spec.rb", unknown=True, source=_DIED,
           remark="exit!(0) in a test: a single dot in the log"),
    _rspec("hard_exit_filtered", "--tag ~slow spec/hard_exit_spec.rb", source=_DIED, remark="with run options"),
    _rspec("filter_none", "-e nothing spec/noise_spec.rb", source="JSON of the runner"),
    _rspec("skipped_only", "spec/skipped_spec.rb"),
    _rspec("flaky", "spec/flaky_spec.rb", green=True, remark="1 flaky (rspec-retry)"),
    _rspec("fail_fast", "--fail-fast spec/mixed_spec.rb"),
    _rspec("parallel", "parallel_rspec -n 2 spec/mixed_spec.rb spec/noise_spec.rb", after=(
        _RSPEC_JSON + "spec/mixed_spec.rb spec/noise_spec.rb",), remark="two processes, then a sum of both"),
    _rspec("two_runs", "spec/mixed_spec.rb; rspec spec/flaky_spec.rb", after=(
        "rspec --format json --out report2.json spec/flaky_spec.rb",), remark="a red run, then a green one"),
)  # fmt: skip


def _minitest(name: str, command: str, **more: Unpack[More]) -> Case:
    source = "results that minitest hands to reporters"
    case = Case(f"minitest_{name}", "minitest 5.17", f"ruby -I. {command}", made.MINITEST, minitest, source)
    return replace(case, **more)


MINITEST = (
    _minitest("pass", "green.rb", green=True, remark="a test prints a summary"),
    _minitest("mixed", "mixed.rb"),
    _minitest("verbose", "mixed.rb -v"),
    _minitest("skipped_only", "skipped.rb"),
    _minitest("filter_none", "green.rb -n /zzz/"),
    _minitest("hard_exit", "hard_exit.rb", source=_DIED, remark="exit!(0) in a test"),
    _minitest("interrupted", "interrupt.rb", remark="SIGINT in the second test: it closes as if all had passed"),
    _minitest("rails", "rails.rb"),
    _minitest("two_runs", "mixed.rb; ruby -I. green.rb", remark="a red run, then a green one"),
    Case("minitest_spec_reporter", "minitest-reporters 1.5", "ruby -I. spec_reporter.rb", made.MINITEST,
         junit("reports/*.xml"), remark="ANSI"),
    Case("minitest_test_unit", "test-unit 3.5", "ruby unit.rb", made.MINITEST, test_unit, "XML of the runner",
         after=("ruby unit.rb --runner=xml > report.xml",), remark="an omission and a pending test are skipped ones"),
)  # fmt: skip


def _phpunit(name: str, arguments: str, **more: Unpack[More]) -> Case:
    command = f"phpunit --testdox-xml report.xml {arguments}"
    source = "TestDox XML of the runner"
    return replace(Case(f"phpunit_{name}", "phpunit 9.6.7", command, made.PHPUNIT, testdox, source), **more)


PHPUNIT = (
    _phpunit("mixed", "MixedTest.php", remark="1 incomplete, 1 risky, 1 with a warning"),
    _phpunit("testdox", "--testdox MixedTest.php"),
    _phpunit("pass", "GreenTest.php", green=True, remark="a test prints a verdict"),
    _phpunit("colour", "--colors=always GreenTest.php", green=True, remark="ANSI"),
    _phpunit("skipped_only", "SkippedTest.php"),
    _phpunit("warning", "WarningTest.php", remark="exit 0, but the verdict is WARNINGS!"),
    _phpunit("exit", "ExitTest.php", source=_DIED, remark="exit(0) in a test"),
    _phpunit("filter_none", "--filter zzz GreenTest.php"),
    _phpunit("stop_on_failure", "--stop-on-failure MixedTest.php"),
    _phpunit("two_runs", "MixedTest.php; phpunit --testdox-xml report2.xml GreenTest.php"),
)  # fmt: skip


def _nunit(name: str, program: str, **more: Unpack[More]) -> Case:
    before = (f"mcs -target:library -pkg:nunit {program}.cs -out:{program}.dll",)
    command = f"nunit-console {program}.dll -xml=report.xml"
    case = Case(f"dotnet_nunit_{name}", "dotnet nunit-console 2.6.4", command, made.NUNIT, nunit, "XML of the runner")
    return replace(replace(case, before=before), **more)


DOTNET = (
    _nunit("mixed", "Mixed", remark="1 inconclusive"),
    _nunit("pass", "Green", green=True),
)


def _pytest(name: str, arguments: str, plugin: str = "", **more: Unpack[More]) -> Case:
    command = f"python -m pytest -p no:cacheprovider --junit-xml=report.xml {arguments}"
    return Case(f"pytest_{name}", f"pytest 9.2 {plugin}".strip(), command, python.PYTEST, junit("report*.xml"), **more)


def _tool(name: str, runner: str, command: str, files: Mapping[str, str], **more: Unpack[More]) -> Case:
    return Case(name, runner, command, files, junit("**/report*.xml"), **more)


_UNITTEST_XML = "python -m xmlrunner --output-file report.xml "
PYTHON = (
    _pytest("xdist", "-n 2 test_green.py test_more.py", "xdist", green=True),
    _pytest("xdist_verbose_red", "-n 2 -v test_green.py test_red.py", "xdist"),
    _pytest("reruns", "--reruns 2 flaky/test_flaky.py", "rerunfailures", green=True, remark="1 flaky"),
    _pytest("reruns_exhausted", "--reruns 1 -rR flaky", "rerunfailures", remark="1 flaky"),
    _pytest("timeout_thread", "--timeout 1 --timeout-method=thread slow", "timeout", source=_DIED,
            lost=Counts(passed=1, failed=1),
            remark="the process is killed; the log shows one test that passed and one that timed out"),
    _pytest("timeout_signal", "--timeout 1 slow", "timeout"),
    _pytest("cov_fail_under", "--cov=covered --cov-fail-under=90 covered", "cov", remark="coverage missed"),
    _pytest("cov_pass", "--cov=covered --cov-fail-under=10 covered", "cov", green=True),
    _pytest("subtests", "subtests", "subtests", green=True),
    _pytest("sugar", "--force-sugar test_green.py test_more.py", "sugar", green=True),
    _pytest("sugar_red", "--force-sugar test_green.py test_red.py", "sugar"),
    _pytest("sugar_xdist", "--force-sugar -n 2 test_green.py test_more.py", "sugar xdist", green=True),
    _tool("pytest_sugar_exit", "pytest 9.2 sugar", "python -u -m pytest -p no:cacheprovider --force-sugar exits",
          python.PYTEST, source=_DIED, remark="os._exit(0) in a test"),
    _tool("tox_pass", "tox 4 pytest", "tox", python.TOX, green=True, remark="two environments, congratulations"),
    _tool("tox_red", "tox 4 pytest", "SECOND=red tox", python.TOX, remark="one environment green, one red"),
    _tool("tox_parallel", "tox 4 pytest", "tox -p --parallel-live", python.TOX, green=True,
          remark="two environments side by side"),
    _tool("nox_pass", "nox pytest", "nox", python.TOX, green=True, remark="two sessions"),
    _tool("nox_red", "nox pytest", "SECOND=red nox", python.TOX, remark="one session green, one red"),
    _tool("hatch_pass", "hatch pytest", "hatch run python -m pytest --junit-xml=report.xml tests", python.HATCH,
          green=True),
    _tool("nose2_red", "unittest nose2", "nose2 -v", python.UNITTEST, after=(_UNITTEST_XML + "discover",)),
    _tool("django_pass", "django 5.2", "python manage.py test", python.DJANGO, green=True, after=(
        "RUNNER=xmlrunner.extra.djangotestrunner.XMLTestRunner python manage.py test",)),
    _tool("django_parallel_red", "django 5.2", "RED=1 python manage.py test --parallel 2 -v 2", python.DJANGO, after=(
        "RED=1 RUNNER=xmlrunner.extra.djangotestrunner.XMLTestRunner python manage.py test",)),
)  # fmt: skip

CASES = (*MAVEN, *GRADLE, *ANT, *RSPEC, *MINITEST, *PHPUNIT, *DOTNET, *PYTHON)
