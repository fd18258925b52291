"""The runs: which command in which little project, who counted its tests, and whether its log may count as green."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.checks.logs.real.native.counting import (
    BATS,
    Counts,
    bats,
    catch2,
    compiler,
    ctest,
    doctest,
    exunit,
    googletest,
    gotestsum,
    libtest,
    mocha,
    nextest,
    stream,
    tap_parser,
)


@dataclass(frozen=True)
class Case:
    name: str
    runner: str
    folder: str
    command: str
    count: Callable[[str], Counts] | Counts
    green: bool
    source: str
    remark: str = ""
    before: str = ""  # a command whose output is not part of the log


def cargo_case(name: str, arguments: str, green: bool, remark: str = "", count: Counts | None = None) -> Case:
    source = "by eye" if count else "libtest's JSON events of the same run"
    return Case(
        name,
        "cargo test 1.95",
        "rust",
        f"cargo test --offline {arguments}".strip(),
        count or libtest(arguments),
        green,
        source,
        remark,
    )


def nextest_case(name: str, arguments: str, green: bool, remark: str = "") -> Case:
    command = f"cargo nextest run --offline {arguments}".strip()
    return Case(
        name,
        "nextest 0.9.148",
        "rust",
        command,
        nextest(arguments),
        green,
        "JUnit report, nextest list",
        remark,
        "rm -f target/flaky.txt",
    )


def ctest_case(name: str, arguments: str, green: bool, remark: str = "") -> Case:
    command = f"ctest --test-dir b {arguments} --output-junit report.xml"
    return Case(name, "ctest 3.25", "cpp", command, ctest, green, "ctest's JUnit report", remark, "rm -f b/flaky.txt")


def cpp_case(
    name: str, runner: str, program: str, arguments: str, green: bool, remark: str = "", count: Counts | None = None
) -> Case:
    counters = {"shop_gtest": googletest, "shop_catch": catch2, "shop_doctest": doctest}
    reports = {"shop_gtest": "JSON report", "shop_catch": "XML report", "shop_doctest": "XML report"}
    source = "by eye" if count else f"{reports[program]} of the same run"
    return Case(
        name,
        runner,
        "cpp",
        f"./{program} {arguments}".strip(),
        count or counters[program](arguments),
        green,
        source,
        remark,
    )


def prove_case(name: str, arguments: str, files: str, green: bool, remark: str = "", *, quiet: bool = False) -> Case:
    command = f"prove {arguments} {files}".replace("  ", " ")
    return Case(
        name,
        "prove 3.44",
        "tap",
        command,
        tap_parser(files, quiet=quiet),
        green,
        "TAP::Parser on the same files",
        remark,
    )


def bats_case(
    name: str, program: str, arguments: str, green: bool, remark: str = "", count: Counts | None = None
) -> Case:
    version = "1.8" if program == "bats" else "1.14"
    files = " ".join(word for word in arguments.split() if word.endswith(".bats"))
    source = "by eye" if count else "JUnit report of the same run"
    return Case(name, f"bats {version}", "bats", f"{program} {arguments}", count or bats(files), green, source, remark)


def gotestsum_case(
    name: str, arguments: str, green: bool, remark: str = "", before: str = "", count: Counts | None = None
) -> Case:
    command, source = f"gotestsum --junitfile report.xml {arguments}", "by eye" if count else "JUnit report"
    return Case(name, "gotestsum 1.8", "go", command, count or gotestsum, green, source, remark, before)


def exunit_case(name: str, arguments: str, green: bool, remark: str = "", count: Counts | None = None) -> Case:
    source = "by eye" if count else "events of a formatter of ExUnit"
    return Case(name, "exunit 1.14", "elixir", f"mix test {arguments}", count or exunit, green, source, remark)


def node_case(name: str, runner: str, command: str, green: bool, remark: str = "") -> Case:
    counter, source = (mocha, "mocha's JSON report") if "mocha" in command else (stream, "TAP::Parser on the log")
    return Case(name, runner, "node", command, counter, green, source, remark)


ONE = "-- --test-threads=1"
CASES = [
    cargo_case("cargo_pass", "", True, "lib, two integration tests, doc tests"),
    cargo_case("cargo_fail_stops", "--features bad", False, "later targets never ran"),
    cargo_case("cargo_fail_no_fail_fast", "--features bad --no-fail-fast", False, "later results are ok"),
    cargo_case(
        "cargo_exit0", f"--features quits {ONE}", False, "a test calls exit(0); cargo goes on and exits 0", (7, 0, 0, 1)
    ),
    cargo_case("cargo_abort", f"--features aborts {ONE}", False, "the test program aborts", (0, 0, 1, 0)),
    cargo_case("cargo_filter_none", "no_such_test", False, "exit 0"),
    cargo_case("cargo_quiet", "-q", True, "dots"),
    cargo_case("cargo_quiet_fail", "-q --features bad", False, "dots with a failure between them"),
    cargo_case("cargo_only_ignored", "--lib -- --ignored", True, "runs what is ignored else"),
    cargo_case(
        "cargo_nocapture", "--lib -- --nocapture --test-threads=1 --skip empty", True, "output between name and outcome"
    ),
    cargo_case("cargo_color", "--color always -- --color always", True, "ANSI"),
    cargo_case("cargo_custom_harness", "--features custom", True, "one target has a harness of its own"),
    cargo_case("cargo_doc_fail", "--doc -- --include-ignored", False, "a doc test does not compile"),
    Case(
        "cargo_compile_error",
        "cargo test 1.95",
        "rust",
        "cargo test --offline --features broken",
        compiler("--features broken"),
        False,
        "compiler messages as JSON",
    ),
    Case(
        "cargo_build_then_test",
        "cargo test 1.95",
        "rust",
        "cargo test --offline --no-run; cargo test --offline",
        libtest(""),
        True,
        "libtest's JSON events of the same run",
        "built first, run then",
    ),
    nextest_case("nextest_pass", "", True),
    nextest_case("nextest_fail", "--features bad --no-fail-fast", False, "shows libtest's own output"),
    nextest_case("nextest_flaky", "--features flaky --profile ci", True, "1 flaky: passed on the second try"),
    nextest_case("nextest_exhausted", "--features bad --profile ci --no-fail-fast", False, "three tries"),
    nextest_case("nextest_timeout", "--features slow --profile quick --no-fail-fast", False),
    nextest_case("nextest_abort", "--features aborts --no-fail-fast", False),
    nextest_case("nextest_no_capture", "--no-capture", True, "libtest's own results stand in the log"),
    nextest_case("nextest_color", "--color always", True, "ANSI"),
    nextest_case("nextest_nothing", "no_such_test --no-tests=warn", False, "exit 0"),
    nextest_case("nextest_leaky", "--features leaks", True),
    ctest_case("ctest_pass", "-R 'cart|plain|must_fail' -j2", True, "parallel"),
    ctest_case(
        "ctest_mixed", "-R 'cart|later|off|slow|missing|crash'", False, "skipped, disabled, timeout, not built, crash"
    ),
    ctest_case("ctest_only_skipped", "-R later", False, "says 100% passed"),
    ctest_case("ctest_only_disabled", "-R off", False),
    ctest_case("ctest_skipped_and_passed", "-R 'cart|later|off'", True),
    ctest_case("ctest_output_on_failure", "-R 'cart|price' --output-on-failure", False, "GoogleTest's words inside"),
    ctest_case("ctest_verbose", "-R 'cart|plain' -V", True, "GoogleTest's words inside, with a prefix"),
    ctest_case("ctest_flaky", "-R flaky --repeat until-pass:3", True, "1 flaky"),
    ctest_case("ctest_fixture_fails", "-R 'reads|plain'", False),
    ctest_case("ctest_exit0", "-R 'quits|plain'", True, "a test program that leaves with exit(0) passes for ctest"),
    cpp_case("googletest_pass", "googletest 1.12", "shop_gtest", "--gtest_filter='Cart.*:*Shelf*'", True),
    cpp_case(
        "googletest_mixed",
        "googletest 1.12",
        "shop_gtest",
        "--gtest_filter='-Exit.*:Broken.*:Flaky.*'",
        False,
        "1 disabled",
    ),
    cpp_case(
        "googletest_brief_fail",
        "googletest 1.12",
        "shop_gtest",
        "--gtest_filter='Cart.*:Price.Rounds' --gtest_brief=1",
        False,
        "says only PASSED 2 of 3",
    ),
    cpp_case("googletest_brief_pass", "googletest 1.12", "shop_gtest", "--gtest_filter='Cart.*' --gtest_brief=1", True),
    cpp_case(
        "googletest_suite_setup",
        "googletest 1.12",
        "shop_gtest",
        "--gtest_filter='Broken.*:Cart.Adds'",
        False,
        "SetUpTestSuite fails",
        (1, 0, 1, 1),
    ),
    cpp_case(
        "googletest_exit0",
        "googletest 1.12",
        "shop_gtest",
        "--gtest_filter='Cart.*:Exit.Quits'",
        False,
        "exit(0) in a test",
        (2, 0, 0, 0),
    ),
    cpp_case(
        "googletest_color_shuffle",
        "googletest 1.12",
        "shop_gtest",
        "--gtest_filter='Cart.*' --gtest_color=yes --gtest_shuffle",
        True,
        "ANSI",
    ),
    cpp_case(
        "googletest_noise",
        "googletest 1.12",
        "shop_gtest",
        "--gtest_filter='Noise.*:Cart.*'",
        True,
        "a test prints the words of a red closing",
    ),
    Case(
        "googletest_red_then_green",
        "googletest 1.12",
        "cpp",
        "./shop_gtest --gtest_filter='Price.Rounds:Cart.*'; ./shop_gtest --gtest_filter='Cart.*'",
        (4, 1, 0, 0),
        False,
        "by eye",
        "two runs",
    ),
    cpp_case("catch2_pass", "catch2 2.13", "shop_catch", "'[cart]'", True),
    cpp_case("catch2_mixed", "catch2 2.13", "shop_catch", "", False, "2 failed as expected"),
    cpp_case("catch2_expected", "catch2 2.13", "shop_catch", "'[cart],[bug]'", True, "1 failed as expected"),
    cpp_case("catch2_compact_pass", "catch2 2.13", "shop_catch", "-r compact '[cart]'", True, count=(2, 0, 0, 0)),
    cpp_case("catch2_none", "catch2 2.13", "shop_catch", "no_such_test", False, "exit 0", (0, 0, 0, 0)),
    cpp_case(
        "catch2_no_assertion", "catch2 2.13", "shop_catch", "'[none]'", False, "a test case that looks at nothing"
    ),
    cpp_case("catch2_color", "catch2 2.13", "shop_catch", "'[cart]' --use-colour yes", True, "ANSI", (2, 0, 0, 0)),
    Case(
        "catch2_exit0_then_pass",
        "catch2 2.13",
        "cpp",
        "./shop_catch '[exit],[cart]'; ./shop_catch '[cart]'",
        (2, 0, 0, 0),
        False,
        "by eye",
        "the first run ends with exit(0) and says nothing",
    ),
    cpp_case("doctest_pass", "doctest 2.4", "shop_doctest", "-ts=cart", True),
    cpp_case("doctest_fail", "doctest 2.4", "shop_doctest", "-tse=exit", False),
    cpp_case("doctest_expected", "doctest 2.4", "shop_doctest", "-ts=bugs", True, "failures that are expected"),
    cpp_case("doctest_none", "doctest 2.4", "shop_doctest", "-tc=no_such_test", False, "says SUCCESS", (0, 0, 0, 9)),
    cpp_case("doctest_exit0", "doctest 2.4", "shop_doctest", "-ts=exit,cart", False, "exit(0) in a test", (0, 0, 0, 0)),
    cpp_case("doctest_color", "doctest 2.4", "shop_doctest", "-ts=cart -fc", True, "ANSI", (2, 0, 0, 7)),
    prove_case("prove_verbose", "-v", "t/cart.t t/some.t", True, "1 skipped, 1 todo"),
    prove_case(
        "prove_quiet_skips",
        "",
        "t/cart.t t/some.t",
        True,
        "prove calls the skipped and the todo test passed",
        quiet=True,
    ),
    Case(
        "prove_fail_quiet",
        "prove 3.44",
        "tap",
        "prove t/cart.t t/price.t",
        (5, 1, 0, 1),
        False,
        "by eye",
        "1 skipped in the failed file; its todo test counts as passed",
    ),
    prove_case("prove_fail_parallel", "-j2 -v", "t/cart.t t/some.t t/price.t", False),
    prove_case("prove_dies", "", "t/dies.t t/cart.t", False, "the second test and the third never ran"),
    prove_case("prove_no_plan", "", "t/noplan.t t/cart.t", False),
    prove_case("prove_out_of_order", "", "t/missnum.t", False),
    prove_case("prove_skip_all", "", "t/skips.t", False, "exit 0"),
    prove_case("prove_skip_all_and_pass", "-v", "t/skips.t t/some.t", True),
    prove_case("prove_todo_passes", "-v", "t/todopass.t t/cart.t", True, "1 todo that passes"),
    prove_case("prove_forged", "-v", "t/lies.t", False, "the test prints prove's closing"),
    prove_case("prove_subtests", "-v", "t/sub.t", True),
    Case(
        "tap_perl",
        "tap (Test::More)",
        "tap",
        "perl t/some.t",
        tap_parser("t/some.t"),
        True,
        "TAP::Parser on the same files",
    ),
    Case(
        "tap_perl_dies", "tap (Test::More)", "tap", "perl t/dies.t", (1, 0, 0, 0), False, "by eye", "planned 3, ran 1"
    ),
    Case("tap_perl_bail", "tap (Test::More)", "tap", "perl t/bail.t", (1, 0, 1, 0), False, "by eye"),
    bats_case("bats_tap", "bats", "shop.bats", False),
    bats_case("bats_tap_pass", "bats", "good.bats", True),
    bats_case("bats_tap13", "bats", "--formatter tap13 shop.bats", False, "skipped tests are `not ok`"),
    bats_case("bats_pretty_old", "bats", "--pretty shop.bats", False),
    bats_case("bats_pretty_pass", BATS, "--pretty --timing good.bats", True),
    bats_case("bats_pretty_new", BATS, "--pretty shop.bats", False),
    bats_case("bats_setup_file", BATS, "--pretty setup.bats", False, "2 tests, 1 failure, 1 not run", (0, 1, 0, 0)),
    bats_case("bats_killed", BATS, "exit.bats", False, "planned 4, ran 3", (2, 1, 0, 0)),
    bats_case("bats_none", BATS, "-f no_such_test good.bats", False, "1..0", (0, 0, 0, 0)),
    gotestsum_case("gotestsum_pkgname", "--format pkgname -- -count=1 ./cart ./empty", True),
    gotestsum_case("gotestsum_testname", "--format testname -- -count=1 ./cart", True),
    gotestsum_case("gotestsum_testname_fail", "--format testname -- -count=1 ./...", False),
    gotestsum_case("gotestsum_dots_fail", "--format dots -- -count=1 ./...", False),
    gotestsum_case(
        "gotestsum_standard_quiet", "--format standard-quiet -- -count=1 ./cart", True, "go's own lines tell no counts"
    ),
    gotestsum_case(
        "gotestsum_standard_verbose",
        "--format standard-verbose -- -count=1 ./cart ./empty",
        True,
        "go's own lines count top-level tests only",
    ),
    gotestsum_case(
        "gotestsum_cached", "--format pkgname ./cart", False, "served from the test cache", "gotestsum ./cart"
    ),
    gotestsum_case(
        "gotestsum_rerun_flaky",
        "--format testname --rerun-fails --packages ./price -- -count=1 -run 'TestFlaky|TestRound$'",
        True,
        "1 flaky; the JUnit report counts it as failed and as passed",
        "rm -f /tmp/flaky-go; export FLAKY_MARK=/tmp/flaky-go",
        (2, 0, 0, 0),
    ),
    gotestsum_case(
        "gotestsum_rerun_exhausted",
        "--format pkgname --rerun-fails --packages ./price -- -count=1",
        False,
        "all attempts are counted",
    ),
    gotestsum_case(
        "gotestsum_build_error",
        "--format pkgname -- -count=1 ./...",
        False,
        "one package does not build, of which the JUnit report says nothing",
        "cp broken.go.txt price/broken.go",
        (3, 0, 1, 1),
    ),
    gotestsum_case("gotestsum_none", "--format pkgname -- -run NoSuchTest ./cart", False, "exit 0"),
    exunit_case("exunit_pass", "test/good_test.exs", True),
    exunit_case("exunit_fail_color", "test/good_test.exs test/bad_test.exs --color", False, "ANSI"),
    exunit_case("exunit_setup_all", "test/setup_test.exs test/good_test.exs", False, "2 invalid"),
    exunit_case("exunit_excluded", "test/good_test.exs --exclude slow --trace", True, "1 excluded"),
    exunit_case("exunit_only_none", "test/good_test.exs --only no_such_tag", False),
    exunit_case("exunit_max_failures", "test/bad_test.exs --max-failures 1 --seed 0", False, "stopped early"),
    exunit_case("exunit_compile_error", "test/syntax_test.exs", False, "a test file does not compile", (0, 0, 1, 0)),
    node_case("tap_mocha", "mocha 10 (TAP)", "npx mocha --reporter tap mocha.js", True, "comments before the plan"),
    node_case("tap_mocha_fail", "mocha 10 (TAP)", "BAD=1 npx mocha --reporter tap mocha.js", False),
    node_case(
        "tap_ava", "ava 6 (TAP)", "npx ava --tap ava.test.mjs", True, "its comment counts the todo test as failed"
    ),
    node_case("tap_tape", "tape 5", "node tape.js", True),
    Case("tap_tap_fail", "tap 18", "node", "BAD=1 node tap.js", (1, 1, 0, 1), False, "by eye", "TAP 14, nested"),
]
