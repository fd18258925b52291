"""The little made-up projects in Ruby, PHP and C# that `make.py` runs: file name to text, by project."""

from __future__ import annotations

RSPEC = {
    "spec/mixed_spec.rb": """RSpec.describe "Mixed" do
  it("adds") { expect(1 + 1).to eq 2 }
  it("fails") { expect(1).to eq 2 }
  it("breaks") { raise "broken" }
  it("is pending") { pending "later"; raise "still broken" }
  xit("is skipped") { }
  it("is to be written")
end
""",
    "spec/noise_spec.rb": """RSpec.describe "Noise" do
  it("prints") { puts "5 examples, 1 failure" }
  it("is quiet") { }
end
""",
    "spec/skipped_spec.rb": 'RSpec.describe("Skipped") { xit("is skipped") { } }\n',
    "spec/broken_spec.rb": 'RSpec.describe("Broken") { no_such_word }\n',
    "spec/exit_spec.rb": """RSpec.describe "Exit" do
  it("runs") { }
  it("exits") { exit(0) }
  it("never runs") { raise "x" }
end
""",
    "spec/hard_exit_spec.rb": """RSpec.describe "Hard exit" do
  it("runs") { }
  it("exits") { exit!(0) }
end
""",
    "spec/flaky_spec.rb": """require "rspec/retry"
RSpec.configure { |config| config.verbose_retry = true; config.default_retry_count = 2 }
RSpec.describe "Flaky" do
  it("passes at last") { $runs = ($runs || 0) + 1; expect($runs).to eq 2 }
  it("is steady") { }
end
""",
}

_MINITEST_HEAD = 'require "minitest/autorun"\n'
MINITEST = {
    # What minitest hands to its reporters, as JSON.
    "minitest/counts_plugin.rb": """require "json"
module Minitest
  class CountsReporter < AbstractReporter
    def initialize; @results = []; end
    def record(result)
      @results << (result.skipped? ? :skipped : result.error? ? :errors : result.failure ? :failed : :passed)
    end
    def report
      File.write("report-#{Process.pid}.json", JSON.generate(@results.tally))
    end
  end
  def self.plugin_counts_init(_options); reporter << CountsReporter.new; end
end
""",
    "mixed.rb": _MINITEST_HEAD
    + """class MixedTest < Minitest::Test
  def test_passes; assert true; end
  def test_fails; assert_equal 1, 2; end
  def test_breaks; raise "broken"; end
  def test_skips; skip "later"; end
end
""",
    "green.rb": _MINITEST_HEAD
    + """class GreenTest < Minitest::Test
  def test_prints; puts "9 runs, 9 assertions, 0 failures, 0 errors, 0 skips"; assert true; end
  def test_passes; assert true; end
end
""",
    "skipped.rb": _MINITEST_HEAD + 'class SkippedTest < Minitest::Test; def test_skips; skip "later"; end; end\n',
    "hard_exit.rb": _MINITEST_HEAD
    + """class ExitTest < Minitest::Test
  i_suck_and_my_tests_are_order_dependent!
  def test_a; assert true; end
  def test_b; exit!(0); end
end
""",
    "interrupt.rb": _MINITEST_HEAD
    + """class InterruptTest < Minitest::Test
  i_suck_and_my_tests_are_order_dependent!
  def test_a; assert true; end
  def test_b; Process.kill(:INT, $$); sleep 5; end
end
""",
    "rails.rb": """require "active_support"
require "active_support/test_case"
require "active_support/testing/autorun"
class RailsTest < ActiveSupport::TestCase
  test("passes") { assert true }
  test("fails") { assert_equal 1, 2 }
  test("skips") { skip "later" }
end
""",
    "spec_reporter.rb": _MINITEST_HEAD
    + """require "minitest/reporters"
include Minitest::Reporters
Minitest::Reporters.use! [SpecReporter.new(color: true), JUnitReporter.new("reports")]
class ReporterTest < Minitest::Test
  def test_passes; assert true; end
  def test_fails; assert_equal 1, 2; end
  def test_skips; skip "later"; end
end
""",
    "unit.rb": """require "test/unit"
class UnitTest < Test::Unit::TestCase
  def test_passes; assert true; end
  def test_fails; assert false; end
  def test_omits; omit "later"; end
  def test_pends; pend "later"; end
  def test_breaks; raise "broken"; end
end
""",
}

_PHP = "<?php\nuse PHPUnit\\Framework\\TestCase;\n"
PHPUNIT = {
    "MixedTest.php": _PHP
    + """class MixedTest extends TestCase {
  function testPasses() { $this->assertTrue(true); }
  function testFails() { $this->assertSame(1, 2); }
  function testBreaks() { throw new RuntimeException("broken"); }
  function testSkipped() { $this->markTestSkipped("later"); }
  function testIncomplete() { $this->markTestIncomplete("later"); }
  function testRisky() { }
  function testWarns() { $this->addWarning("careful"); $this->assertTrue(true); }
}
""",
    "GreenTest.php": _PHP
    + """class GreenTest extends TestCase {
  function testPasses() { $this->assertTrue(true); }
  function testPrints() { $this->expectOutputRegex('/OK/'); print "OK (9 tests, 9 assertions)\\n"; }
  function testSkipped() { $this->markTestSkipped("later"); }
}
""",
    "SkippedTest.php": _PHP
    + """class SkippedTest extends TestCase {
  function testSkipped() { $this->markTestSkipped("later"); }
}
""",
    "WarningTest.php": _PHP
    + """class WarningTest extends TestCase {
  function testPasses() { $this->assertTrue(true); }
  function testWarns() { $this->addWarning("careful"); $this->assertTrue(true); }
}
""",
    "ExitTest.php": _PHP
    + """class ExitTest extends TestCase {
  function testPasses() { $this->assertTrue(true); }
  function testExits() { exit(0); }
  function testNeverRuns() { $this->assertTrue(false); }
}
""",
}

NUNIT = {
    "Mixed.cs": """using NUnit.Framework;
[TestFixture] public class Mixed {
  [Test] public void Passes() { Assert.AreEqual(1, 1); }
  [Test] public void Fails() { Assert.AreEqual(1, 2); }
  [Test] public void Breaks() { throw new System.Exception("broken"); }
  [Test, Ignore("later")] public void Skipped() { }
  [Test] public void Undecided() { Assert.Inconclusive("?"); }
}
""",
    "Green.cs": """using NUnit.Framework;
[TestFixture] public class Green {
  [Test] public void One() { }
  [Test] public void Two() { }
}
""",
    "Exits.cs": """using NUnit.Framework;
[TestFixture] public class Exits {
  [Test] public void A() { }
  [Test] public void B() { System.Environment.Exit(0); }
}
""",
}
