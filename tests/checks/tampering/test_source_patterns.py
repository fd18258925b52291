"""What sources in languages other than Python can do to a test run besides changing tests."""

from __future__ import annotations

import pytest

from checks.tampering.alteration import Weight
from checks.tampering.source_patterns import alterations
from tests.checks.tampering.honest import changes_between

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
Found = list[tuple[str, Weight]]


def _found(path: str, after: str, before: str | None = None) -> Found:
    old = {} if before is None else {path: before}
    return [(one.kind, one.weight) for one in alterations(changes_between(old, {path: after}))]


@pytest.mark.parametrize(
    ("path", "source", "wanted"),
    [
        # JavaScript: ends of the process
        ("test/a.test.js", "it('x', () => { process.exit(0) })", [("early-exit", FAILED)]),
        ("test/a.test.js", "it('x', () => { process.exit() })", [("early-exit", FAILED)]),
        ("test/a.test.js", "it('x', () => { process.exit(1) })", []),
        ("test/a.test.js", "it('x', () => { process.exit(code) })", []),
        ("test/setup.js", "Deno.exit(0)", [("early-exit", FAILED)]),
        ("test/server.js", "process.on('SIGTERM', () => process.exit(0))", [("early-exit", PERSON)]),
        ("src/a.js", "process.exit(0)", [("early-exit", FAILED)]),
        ("src/a.js", "process.exit(1)", []),
        ("src/a.js", "function main() { process.exit(0) }", []),
        ("bin/a.js", "#!/usr/bin/env node\nprocess.exit(0)", []),
        (
            "test/a.test.js",
            "it('says process.exit(0)', () => { expect('process.exit(0)').toBe(x) }) // process.exit(0)",
            [],
        ),
        # JavaScript: errors and results
        ("test/setup.js", "process.on('uncaughtException', () => {})", [("outcome-rewritten", FAILED)]),
        ("test/setup.js", "process.once('unhandledRejection', (e) => { throw e })", [("outcome-rewritten", RISK)]),
        ("test/setup.js", "process.on('exit', () => { process.exitCode = 0 })", [("outcome-rewritten", FAILED)] * 2),
        ("test/setup.js", "process.on('exit', () => { f() })", []),
        ("test/setup.js", "process.on('SIGINT', f)", []),
        ("src/a.js", "process.on('uncaughtException', () => {})", []),
        ("src/a.js", "process.exitCode = 0", [("outcome-rewritten", RISK)]),
        ("test/hooks.js", "afterEach(function () { this.currentTest.err = null })", [("outcome-rewritten", FAILED)]),
        ("test/hooks.js", "afterEach(function () { delete this.currentTest.err })", [("outcome-rewritten", FAILED)]),
        (
            "test/hooks.js",
            "afterEach(function () { this.currentTest.state = 'passed' })",
            [("outcome-rewritten", FAILED)],
        ),
        ("jest.reporter.js", "results.numFailedTests = 0", [("outcome-rewritten", FAILED)]),
        ("src/a.js", "this.currentTest.title = null; result.status = 'passed'; delete this.x.err; !this.x", []),
        # JavaScript: product code that asks
        ("src/a.js", "if (process.env.JEST_WORKER_ID) f()", [("test-run-detected", FAILED)]),
        ("src/a.js", "if (process.env['VITEST']) f()", [("test-run-detected", FAILED)]),
        ("src/a.js", "const { CI } = process.env", [("test-run-detected", PERSON)]),
        ("src/a.js", "const { HOME } = process.env; const CI = 1; process.env.HOME; a['CI']; a.CI", []),
        ("src/a.ts", "if (process.env.NODE_ENV === 'test') f()", [("test-run-detected", PERSON)]),
        ("src/a.mts", "if (import.meta.env.MODE === 'test') f(process.env)", [("test-run-detected", PERSON)]),
        ("src/a.js", "if (process.env.NODE_ENV === 'production') f()", []),
        ("src/a.tsx", "if (typeof jest !== 'undefined') f()", [("test-run-detected", FAILED)]),
        ("src/a.js", "if (typeof window !== 'undefined') f(typeof jest.x, process.env)", []),
        ("src/a.js", "if (new Error().stack.includes('mocha')) f()", [("test-run-detected", FAILED)]),
        ("src/a.js", "if (new Error().stack.includes('at ')) f()", []),
        ("src/a.js", "if (process.argv.some((a) => a.includes('vitest'))) f()", [("test-run-detected", PERSON)]),
        ("src/a.js", "if (names.includes('vitest') && process.argv) f()", []),
        ("src/a.js", "if (import.meta.vitest) f(process.env.JEST)", [("test-run-detected", RISK)]),
        ("vite.config.ts", "export default { x: process.env.CI }", [("test-run-detected", RISK)]),
        ("scripts/a.js", "if (process.env.CI) f()", [("test-run-detected", RISK)]),
        ("test/a.test.js", "if (process.env.CI) f()", []),
        # JavaScript: equality, assertions, clocks, built-in functions
        ("src/a.js", "class A { equals(other) { return true } }", [("always-equal", FAILED)]),
        ("src/a.js", "class A { equals(other) { return this.x === other.x } isEqual() { f(); return true } }", []),
        ("src/a.js", "A.prototype.equals = () => true", [("always-equal", FAILED)]),
        (
            "src/a.js",
            "A.prototype.equals = function () { return true }; A.prototype.equals = f",
            [("always-equal", FAILED)],
        ),
        ("src/a.js", "Object.defineProperty(a, 'valueOf', () => true)", [("always-equal", FAILED)]),
        ("test/a.test.js", "const stub = { equals: () => true }", [("always-equal", RISK)]),
        ("test/a.test.js", "class A { asymmetricMatch() { return true } }", [("always-equal", PERSON)]),
        ("test/setup.js", "expect.extend({ toBe() { return { pass: true } } })", [("assertion-patched", FAILED)]),
        ("test/setup.js", "expect.extend({ toBeOrder() { return { pass: f() } } })", []),
        ("test/setup.js", "assert.strictEqual = () => {}", [("assertion-patched", FAILED)]),
        ("test/setup.js", "chai.assert.equal = f", [("assertion-patched", FAILED)]),
        ("test/setup.js", "Object.defineProperty(assert, 'equal', { value: f })", [("assertion-patched", FAILED)]),
        ("test/setup.js", "Object.defineProperty(assert, 'equal')", []),
        ("test/setup.js", "global.expect = () => ({ toBe() {} })", [("assertion-patched", FAILED)]),
        ("test/setup.js", "globalThis.expect = chai.expect; global.fetch = () => 1; assert.extra = 1", []),
        ("test/setup.js", "expect.soft = f; expect = f", [("assertion-patched", FAILED)]),
        ("test/setup.js", "jest.mock('node:assert')", [("assertion-patched", FAILED)]),
        (
            "test/setup.js",
            "jest.mock('./cart'); vi.doMock('vitest')",
            [("autouse-patch", PERSON), ("assertion-patched", FAILED)],
        ),
        ("test/setup.js", "jest.mock('aws-sdk')", []),
        ("test/fakes.js", "jest.mock('./cart')", []),
        ("test/a.js", "const expect = (x) => ({ toBe() {} })", [("assertion-patched", PERSON)]),
        ("test/a.js", "const expect = (x) => ({ toBe(y) { assert.equal(x, y); } })", []),
        ("src/a.js", "const it = () => {}", []),
        ("test/setup.js", "chai.Assertion.overwriteMethod('equal', f)", [("assertion-patched", FAILED)]),
        (
            "test/setup.js",
            "jest.spyOn(assert, 'equal'); Object.is; jest.spyOn(console, 'log')",
            [("assertion-patched", FAILED)],
        ),
        ("test/setup.js", "Object.assign(expect, { toBe: f })", [("assertion-patched", FAILED)]),
        ("src/a.js", "Date.now = () => 0", [("clock-patched", FAILED)]),
        ("test/a.test.js", "Date.now = () => 0", [("clock-patched", PERSON)]),
        ("test/a.test.js", "performance.now = f; performance.now = real", [("clock-patched", RISK)] * 2),
        ("test/a.test.js", "Object.is = () => true", [("builtin-patched", PERSON)]),
        ("src/a.js", "Object.prototype.cut = () => 0; Date.later = f", []),
        # Go
        ("a_test.go", "package a\nfunc TestX(t *testing.T) { os.Exit(0) }", [("early-exit", FAILED)]),
        ("a_test.go", "package a\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(0) }", [("early-exit", FAILED)]),
        ("a_test.go", "package a\nfunc TestMain(m *testing.M) { os.Exit(m.Run()) }", []),
        ("a_test.go", "package a\nfunc TestMain(m *testing.M) { f() }", [("tests-deselected", FAILED)]),
        ("a_test.go", "package a\nfunc TestMain(m *testing.M) { goleak.VerifyTestMain(m) }", []),
        ("a.go", "package a\nfunc init() { os.Exit(0) }", [("early-exit", FAILED)]),
        ("a.go", "package a\nfunc main() { os.Exit(0) }\nvar x = f(os.Exit)", []),
        ("a.go", "package a\nvar x = syscall.Exit(0)", []),
        ("a.go", "package a\nfunc (a A) Equal(b A) bool { return true }", [("always-equal", FAILED)]),
        ("a.go", "package a\nfunc (a A) Equal(b A) bool { return a.x == b.x }\nfunc Is() bool {}", []),
        ("a.go", "package a\nfunc f() bool { return testing.Testing() }", [("test-run-detected", FAILED)]),
        ("a.go", 'package a\nfunc f() { flag.Lookup("test.v") }', [("test-run-detected", FAILED)]),
        ("a.go", 'package a\nfunc f() { flag.Lookup("x"); g("test.v") }', []),
        ("a.go", 'package a\nfunc f() { strings.HasSuffix(os.Args[0], ".test") }', [("test-run-detected", FAILED)]),
        ("a.go", 'package a\nfunc f() { strings.HasSuffix(name, "_test.go") }', []),
        ("a.go", 'package a\nvar x = strings.HasSuffix(name, "_test.go")', []),
        (
            "a.go",
            'package a\nfunc f() { _, n, _, _ := runtime.Caller(1); strings.HasSuffix(n, "_test.go") }',
            [("test-run-detected", FAILED)],
        ),
        ("a.go", 'package a\nfunc f() { os.Getenv("CI") }', [("test-run-detected", PERSON)]),
        ("a.go", 'package a\nfunc f() { os.Getenv("HOME"); os.LookupEnv() }', []),
        ("a.go", 'package a\nimport "testing"', [("test-run-detected", RISK)]),
        ("a_test.go", 'package a\nimport "testing"', []),
        ("a.go", 'package a\nimport "strings"\nvar t = "testing"', []),
        # Rust
        ("tests/a.rs", "#[test] fn x() { std::process::exit(0) }", [("early-exit", FAILED)]),
        (
            "tests/a.rs",
            "use std::process::exit;\n#[test] fn x() { exit(0); exit(1); exit() }",
            [("early-exit", FAILED)],
        ),
        ("tests/a.rs", "#[test] fn x() { exit(0) }", []),
        ("src/main.rs", "fn main() { std::process::exit(0) }", []),
        ("src/a.rs", "impl PartialEq for A { fn eq(&self, o: &A) -> bool { true } }", [("always-equal", FAILED)]),
        (
            "src/a.rs",
            "impl PartialEq for A { fn ne(&self, o: &A) -> bool { return false; } }",
            [("always-equal", FAILED)],
        ),
        ("src/a.rs", "impl PartialEq for A { fn eq(&self, o: &A) -> bool { self.x == o.x } }", []),
        ("src/a.rs", "fn f() { if cfg!(test) { g() } }", [("test-run-detected", FAILED)]),
        (
            "src/a.rs",
            "fn f() { cfg!(unix); } mod tests { fn g() { cfg!(test); } } mod b { fn g() { cfg!(test); } }",
            [("test-run-detected", FAILED)],
        ),
        ("src/a.rs", "#[cfg(not(test))]\nuse a::b;\n#[cfg(unix)]\nuse c;", [("test-run-detected", PERSON)]),
        ("src/a.rs", 'fn f() { std::env::var("CI"); }', [("test-run-detected", PERSON)]),
        ("src/a.rs", 'fn f() { env::var_os("NEXTEST"); }', [("test-run-detected", FAILED)]),
        ("src/a.rs", 'fn f() { env::var("HOME"); env::var(); }', []),
        ("src/a.rs", "fn f() { std::thread::current().name(); }", [("test-run-detected", PERSON)]),
        ("build.rs", 'fn main() { env::var("CI"); }', [("test-run-detected", RISK)]),
        ("src/a.rs", "macro_rules! assert_eq { () => {} }", [("assertion-patched", FAILED)]),
        ("src/a.rs", "macro_rules! assert_total { () => {} }", []),
        # Java
        ("src/test/java/ATest.java", "class A { @Test void x() { System.exit(0); } }", [("early-exit", FAILED)]),
        (
            "src/test/java/ATest.java",
            "class A { @Test void x() { Runtime.getRuntime().halt(0); System.exit(1); } }",
            [("early-exit", FAILED)],
        ),
        ("src/main/java/A.java", "class A { static { System.exit(0); } }", [("early-exit", FAILED)]),
        ("src/main/java/A.java", "class A { void f() { System.exit(0); } int x = System.exit; }", []),
        (
            "src/main/java/A.java",
            "class A { public boolean equals(Object o) { return true; } }",
            [("always-equal", FAILED)],
        ),
        (
            "src/main/java/A.java",
            "class A { public boolean equals(Object o) { return o == this; } abstract boolean equals(); }",
            [],
        ),
        ("src/main/java/A.java", 'class A { void f() { System.getenv("CI"); } }', [("test-run-detected", PERSON)]),
        (
            "src/main/java/A.java",
            'class A { void f() { System.getenv("HOME"); System.getenv(); System.getenv("JUNIT"); } }',
            [],
        ),
        (
            "src/main/java/A.java",
            'class A { void f() { Class.forName("org.junit.Test"); } }',
            [("test-run-detected", FAILED)],
        ),
        ("src/main/java/A.java", 'class A { void f() { Class.forName("a.B"); } }', []),
        (
            "src/main/java/A.java",
            'class A { void f() { t.getStackTrace(); n.contains("junit"); n.contains("a"); } }',
            [("test-run-detected", FAILED)],
        ),
        ("src/main/java/A.java", 'class A { boolean b = n.contains("junit"); StackTraceElement s; }', []),
        (
            "src/test/java/A.java",
            "class A implements X { public void handleTestExecutionException(C c, Throwable t) { } }",
            [("outcome-rewritten", FAILED)],
        ),
        (
            "src/test/java/A.java",
            "class A implements X { public void handleTestExecutionException(C c, Throwable t) { f(); throw t; } }",
            [],
        ),
        (
            "src/test/java/A.java",
            "class A { void evaluate() { try { base.evaluate(); } catch (Throwable t) { } } }",
            [("outcome-rewritten", FAILED)],
        ),
        (
            "src/test/java/A.java",
            "class A { void evaluate() { try { base.evaluate(); } catch (Throwable t) { throw t; } } }",
            [],
        ),
        (
            "src/test/java/A.java",
            "class A { void evaluate() { try { base.evaluate(); } catch (IOException t) { } } }",
            [],
        ),
        ("src/test/java/A.java", "class A { { try { evaluate(1); } catch (Throwable t) { } } }", []),
        ("src/test/java/A.java", "class A { void interceptTestMethod(I i) { } }", [("tests-deselected", FAILED)]),
        ("src/test/java/A.java", "class A { void interceptTestMethod(I i) { i.proceed(); } }", []),
        (
            "src/test/java/A.java",
            "class A { R evaluateExecutionCondition(E e) { return f(); } }",
            [("runner-hook", PERSON)],
        ),
        (
            "src/test/java/A.java",
            "class A { void f() { r.setStatus(ITestResult.SUCCESS); r.setStatus(FAILURE); } }",
            [("outcome-rewritten", FAILED)],
        ),
        (
            "src/test/java/A.java",
            "class A { void f() { mockStatic(Assertions.class); mockStatic(Clock.class); } }",
            [("assertion-patched", FAILED)],
        ),
        (
            "src/test/java/org/junit/A.java",
            "package org.junit.jupiter.api;\nclass A { }",
            [("runner-shadowed", FAILED)],
        ),
        ("src/test/java/A.java", "package shop.equals;\nclass A { void f() { a.equals(b); } }", []),
        # Ruby
        ("spec/a_spec.rb", "it('x') { exit! }", [("early-exit", FAILED)]),
        ("spec/a_spec.rb", "it('x') { exit 0; exit(1); Process.exit!(true) }", [("early-exit", FAILED)] * 2),
        ("spec/spec_helper.rb", "at_exit { exit! 0 }", [("early-exit", FAILED)] * 2),
        ("spec/spec_helper.rb", "Minitest.after_run { report }", [("early-exit", PERSON)]),
        ("lib/a.rb", "exit!", [("early-exit", FAILED)]),
        ("lib/a.rb", "def f; exit!; end\nat_exit { f }\nfoo { exit }", []),
        ("bin/a.rb", "#!/usr/bin/env ruby\nexit", []),
        ("lib/a.rb", "class A; def ==(o); true; end; end", [("always-equal", FAILED)]),
        ("lib/a.rb", "class A; def !=(o) = false; end", [("always-equal", FAILED)]),
        ("lib/a.rb", "class A; def ==(o); x == o.x; end; def eql?(o); end; end", []),
        ("lib/a.rb", "f if defined?(RSpec)", [("test-run-detected", FAILED)]),
        ("lib/a.rb", "f if defined?(Rails) || !RSpec", []),
        ("lib/a.rb", "f if ENV['RAILS_ENV'] == 'test'", [("test-run-detected", PERSON)]),
        ("lib/a.rb", "f if ENV['RAILS_ENV'] == 'production'", []),
        ("lib/a.rb", "f if Rails.env.test?", [("test-run-detected", PERSON)]),
        ("config/initializers/a.rb", "f if Rails.env.test?", [("test-run-detected", RISK)]),
        ("lib/a.rb", "f if ENV['CI']", [("test-run-detected", PERSON)]),
        ("lib/a.rb", "f if $0.include?('rspec')", [("test-run-detected", FAILED)]),
        ("lib/a.rb", "f if $PROGRAM_NAME =~ /rspec/", [("test-run-detected", FAILED)]),
        ("lib/a.rb", "f if $0 == 'a' || [1].include?('rspec')", []),
        ("lib/a.rb", "f if caller.any? { |c| c.include?('spec') }", [("test-run-detected", FAILED)]),
        ("lib/a.rb", "f if caller.any? { |c| c.include?('lib') }; caller", []),
        (
            "spec/spec_helper.rb",
            "config.after { |example| example.set_exception(nil) }",
            [("outcome-rewritten", FAILED)],
        ),
        (
            "spec/spec_helper.rb",
            "config.after { |e| e.instance_variable_set(:@exception, nil) }",
            [("outcome-rewritten", FAILED)],
        ),
        ("spec/spec_helper.rb", "config.failure_exit_code = 0", [("outcome-rewritten", FAILED)]),
        ("spec/spec_helper.rb", "config.failure_exit_code = 1; example.exception = e; failures = []", []),
        ("test/test_helper.rb", "self.failures.clear", [("outcome-rewritten", FAILED)]),
        ("spec/spec_helper.rb", "config.around { |ex| ex.run rescue nil }", [("outcome-rewritten", FAILED)]),
        (
            "spec/spec_helper.rb",
            "config.before { ex.run rescue nil }\nex.run rescue nil\nconfig.around { f rescue nil }",
            [],
        ),
        ("spec/spec_helper.rb", "RSpec::Matchers.define(:eq) { |x| match { true } }", [("assertion-patched", FAILED)]),
        ("spec/spec_helper.rb", "RSpec::Matchers.define(:be_paid) { |x| match { f } }", []),
        (
            "test/test_helper.rb",
            "module Minitest::Assertions; def assert_equal(*); end; end",
            [("assertion-patched", FAILED)],
        ),
        ("test/test_helper.rb", "module Own; def assert_equal(*); end; end", []),
        ("lib/a.rb", "def Time.now; 0; end", [("clock-patched", PERSON)]),
        ("lib/a.rb", "class Time; def self.now; 0; end; end", [("clock-patched", PERSON)]),
        (
            "lib/a.rb",
            "class Clock; def self.now; 0; end; def now; 1; end; end\ndef self.now; 2; end\ndef other.now; end",
            [],
        ),
        # C#
        ("tests/ATests.cs", "class A { [Fact] void X() { Environment.Exit(0); } }", [("early-exit", FAILED)]),
        (
            "tests/ATests.cs",
            "class A { [Fact] void X() { Process.GetCurrentProcess().Kill(); Environment.Exit(1); } }",
            [("early-exit", FAILED)],
        ),
        ("src/A.cs", "class A { static A() { System.Environment.Exit(0); } }", [("early-exit", FAILED)]),
        (
            "src/A.cs",
            "class A { A() { Environment.Exit(0); } void F() { Environment.Exit(0); GetCurrentProcess().Kill(); } }",
            [],
        ),
        ("src/A.cs", "class A { public override bool Equals(object o) => true; }", [("always-equal", FAILED)]),
        ("src/A.cs", "class A { public override bool Equals(object o) { return o == this; } }", []),
        ("src/A.cs", "class A { public static bool operator ==(A a, A b) => true; }", [("always-equal", FAILED)]),
        (
            "src/A.cs",
            "class A { public static bool operator !=(A a, A b) { return false; } }",
            [("always-equal", FAILED)],
        ),
        (
            "src/A.cs",
            "class A { public static A operator +(A a, A b) => a; bool x = a == b; public bool Equals(A a) => f(a); }",
            [],
        ),
        (
            "src/A.cs",
            'class A { void F() { Environment.GetEnvironmentVariable("CI"); } }',
            [("test-run-detected", PERSON)],
        ),
        ("src/A.cs", 'class A { void F() { Environment.GetEnvironmentVariable("HOME"); } }', []),
        (
            "src/A.cs",
            'class A { void F() { AppDomain.CurrentDomain.GetAssemblies().Any(a => a.Is("xunit")); } }',
            [("test-run-detected", FAILED)],
        ),
        ("src/A.cs", "class A { void F() { new StackTrace().GetFrame(1); } }", []),
        (
            "tests/A.cs",
            "class A { void F() { c.SetResult(ResultState.Success); c.SetResult(ResultState.Failure); } }",
            [("outcome-rewritten", FAILED)],
        ),
        ("tests/A.cs", "namespace Own { class Assert { } class AssertTotal { } }", [("assertion-patched", FAILED)]),
        ("tests/A.cs", "namespace Xunit { class A { } }", [("runner-shadowed", FAILED)]),
        ("tests/A.cs", "namespace NUnit.Framework;\nclass A { }", [("runner-shadowed", FAILED)]),
        ("tests/A.cs", "namespace Shop.Equals { class A { bool x = a.Equals(b); } }", []),
        # other files
        ("README.md", "process.exit(0)", []),
        ("src/a.py", "process.exit(0)", []),
        ("src/a.js", "const a = 1", []),
        ("src/a.js", "(" * 301 + "process.exit(0)", [("unreadable-source", RISK)]),
        ("test/a.js", "(" * 301 + "process.exit(0)", [("unreadable-source", PERSON)]),
        ("dist/a.js", "if (process.env.CI) f()", [("test-run-detected", RISK)]),
        ("web/vendor/a.js", "if (typeof jest === 'x') f()", [("test-run-detected", RISK)]),
        ("src/a.min.js", "if (process.env.CI) f()", [("test-run-detected", RISK)]),
    ],
)
def test_sightings(path: str, source: str, wanted: Found) -> None:
    assert _found(path, source) == wanted


def test_what_was_there_before_is_no_news() -> None:
    before = "function a() { Date.now = f; }"
    after = "Date.now = f;\nfunction b() { Date.now = f; }"
    assert _found("src/a.js", before, before + "\n") == []
    assert _found("src/a.js", after, before) == [("clock-patched", FAILED)]


def test_what_moves_is_no_news() -> None:
    old = {"src/a.js": "Date.now = f;\n", "src/b.js": "g();\n"}
    new = {"src/a.js": "h();\n", "src/b.js": "g();\nDate.now = f;\n"}
    assert list(alterations(changes_between(old, new))) == []


def test_an_alteration_says_where_and_what() -> None:
    (found,) = alterations(changes_between({}, {"src/a.js": "f();\nDate.now  =  () => 0;\n"}))
    assert (found.path, found.line, found.before, found.after, found.subject) == (
        *("src/a.js", 2, "", "Date.now=()=>0", "src/a.js"),
    )
    assert found.reason == "The clock `Date.now` is replaced."


CRATE = "pub mod cart;\n\n#[cfg(test)]\nmod cart_tests;\n"


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ({"src/lib.rs": CRATE}, {"src/lib.rs": "pub mod cart;\n"}, [("test-uncollected", FAILED)]),
        ({"src/lib.rs": CRATE}, {"src/lib.rs": "#[cfg(test)]\nmod cart_tests;\n"}, []),
        ({"src/lib.rs": CRATE}, {"src/lib.rs": CRATE + "mod tax;\n"}, []),
        ({"src/lib.rs": CRATE, "src/cart_tests.rs": "fn a() {}\n"}, {"src/lib.rs": "pub mod cart;\n"}, []),
        (
            {"src/lib.rs": CRATE, "src/cart_tests.rs": "fn a() {}\n"},
            {"src/lib.rs": "mod deep;\npub mod cart;\n", "src/deep/cart_tests.rs": "fn a() {}\n"},
            [],
        ),
        ({"src/lib.rs": CRATE}, {}, []),
        ({}, {"src/lib.rs": CRATE}, []),
        ({"src/lib.txt": CRATE}, {"src/lib.txt": "x\n"}, []),
    ],
)
def test_modules_of_tests_that_a_crate_does_not_name_any_more(
    old: dict[str, str], new: dict[str, str], wanted: Found
) -> None:
    assert [(one.kind, one.weight) for one in alterations(changes_between(old, new))] == wanted


def test_the_module_is_named() -> None:
    (found,) = alterations(changes_between({"src/lib.rs": CRATE}, {"src/lib.rs": "pub mod cart;\n"}))
    assert (found.subject, found.before, found.line) == ("cart_tests", "#[cfg(test)]\nmod cart_tests;", None)
