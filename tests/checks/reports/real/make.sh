#!/bin/sh
# Makes the reports and logs beside this script anew, by really running the runners on small made-up projects.
# Needs: python with pytest 9 and pytest-rerunfailures, node 20 with the npm packages jest@29, jest-junit,
# jest-ctrf-json-reporter, mocha@10, mocha-junit-reporter and vitest@3 in $JS/node_modules, go, googletest with g++, ctest
# and cmake, rspec with rspec_junit_formatter, phpunit, maven with surefire and JUnit 5 in its local repository.
# Usage: JS=/folder/with/node_modules PYTHON=/path/to/python ./make.sh
set -u
OUT=$(cd "$(dirname "$0")" && pwd)
WORK=$(mktemp -d)
mkdir "$WORK/shop" && cd "$WORK/shop" || exit 1
PYTHON=${PYTHON:-python3}

keep() { # name.ext file log: scrubs this machine's paths and its name
    for pair in "$2=$OUT/$1" "$3=$OUT/${1%.*}.log"; do
        sed -e "s#$WORK#/home/runner/work/shop#g" -e "s#${JS:-/nowhere}#/home/runner/work/shop/shop#g" \
            -e "s#$(hostname)#runner#g" "${pair%%=*}" >"${pair#*=}"
    done
}

# pytest: pass, fail, error in set-up, skip, xfail, xpass, parameters
cat >test_mixed.py <<'EOF'
import pytest
@pytest.fixture
def broken():
    raise RuntimeError("no database")
def test_pass(): pass
def test_fail(): assert 1 == 2
def test_error(broken): pass
def test_skip(): pytest.skip("not here")
@pytest.mark.xfail
def test_xfail(): assert False
@pytest.mark.xfail
def test_xpass(): pass
@pytest.mark.parametrize("n", [1, 2, 3])
def test_numbers(n): assert n
EOF
$PYTHON -m pytest -p no:cacheprovider --junitxml=r.xml test_mixed.py >r.log 2>&1
keep pytest_mixed.xml r.xml r.log

cat >test_green.py <<'EOF'
import pytest
@pytest.mark.parametrize("n", range(5))
def test_numbers(n): pass
def test_skip(): pytest.skip("not here")
@pytest.mark.xfail
def test_xfail(): assert False
class TestCart:
    def test_total(self): pass
EOF
$PYTHON -m pytest -p no:cacheprovider --junitxml=r.xml test_green.py >r.log 2>&1
keep pytest_green.xml r.xml r.log

cat >test_flaky.py <<'EOF'
tries = []
def test_steady(): pass
def test_flaky():
    tries.append(1)
    assert len(tries) == 3
EOF
$PYTHON -m pytest -p no:cacheprovider --reruns 3 --junitxml=r.xml test_flaky.py >r.log 2>&1
keep pytest_reruns.xml r.xml r.log

printf 'def test_a(): pass\n' >test_one.py
$PYTHON -m pytest -p no:cacheprovider -k nothing --junitxml=r.xml test_one.py >r.log 2>&1
keep pytest_none.xml r.xml r.log

printf 'import pytest\n@pytest.mark.skip\ndef test_a(): pass\n@pytest.mark.skip\ndef test_b(): pass\n' >test_skips.py
$PYTHON -m pytest -p no:cacheprovider --junitxml=r.xml test_skips.py >r.log 2>&1
keep pytest_skips.xml r.xml r.log

printf 'import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\n' >test_exit.py
rm -f r.xml; $PYTHON -m pytest -p no:cacheprovider --junitxml=r.xml test_exit.py >r.log 2>&1
[ ! -e r.xml ] || echo "os._exit left a report, which it did not before"

# node:test, nested suites
cat >cart.test.js <<'EOF'
const test = require('node:test'); const assert = require('node:assert');
test('adds', () => {}); test('fails', () => assert.ok(false)); test('later', {skip: true}, () => {}); test('todo', {todo: true}, () => {});
test.describe('outer', () => { test.it('one', () => {}); test.describe('inner', () => { test.it('two', () => {}); }); });
EOF
node --test --test-reporter=junit --test-reporter-destination=r.xml --test-reporter=spec --test-reporter-destination=stdout cart.test.js >r.log 2>&1
keep node_mixed.xml r.xml r.log

# jest, with two reporters at once
mkdir jest && cd jest && ln -s "$JS/node_modules" node_modules
echo '{"jest":{"reporters":["default","jest-junit",["jest-ctrf-json-reporter",{}]]}}' >package.json
printf 'describe("cart",()=>{test("adds",()=>{});test("same",()=>{});test("same",()=>{});test.skip("later",()=>{});test.todo("some day")})\n' >cart.test.js
npx jest >r.log 2>&1
keep jest_junit.xml junit.xml r.log
keep jest_ctrf.json ctrf/ctrf-report.json r.log
cd ..

# mocha
mkdir mocha && cd mocha && ln -s "$JS/node_modules" node_modules
printf 'describe("cart",()=>{it("adds",()=>{});it.skip("later",()=>{});describe("inner",()=>{it("sums",()=>{});it("fails",()=>{throw new Error("x")})})})\n' >cart.js
npx mocha --reporter mocha-junit-reporter --reporter-options mochaFile=r.xml cart.js >/dev/null 2>&1
npx mocha --reporter spec cart.js >r.log 2>&1
keep mocha_mixed.xml r.xml r.log
cd ..

# vitest
mkdir vitest && cd vitest && ln -s "$JS/node_modules" node_modules
printf 'import {describe,it,expect} from "vitest"\ndescribe("cart",()=>{it("adds",()=>{});it.skip("later",()=>{});it.todo("some day");it("sums",()=>{expect(1).toBe(1)})})\n' >cart.test.js
npx vitest run --reporter=junit --outputFile.junit=r.xml --reporter=default >r.log 2>&1
keep vitest_green.xml r.xml r.log
cd ..

# go: sub-tests, a skip, a failing package beside a green one, one without tests
mkdir -p go/cart go/empty go/red && cd go
printf 'module example.com/shop\n\ngo 1.19\n' >go.mod
cat >cart/cart_test.go <<'EOF'
package cart
import "testing"
func TestAdd(t *testing.T) {}
func TestTable(t *testing.T) { for _, n := range []string{"one", "two"} { t.Run(n, func(t *testing.T) {}) } }
func TestLater(t *testing.T) { t.Skip("later") }
EOF
printf 'package empty\n' >empty/empty.go
printf 'package red\nimport "testing"\nfunc TestRed(t *testing.T) { t.Run("inner", func(t *testing.T) { t.Fail() }) }\n' >red/red_test.go
go test -json ./cart ./empty >r.json 2>/dev/null; go test -v ./cart ./empty >r.log 2>&1
keep go_green.json r.json r.log
go test -json ./... >r.json 2>/dev/null; go test -v ./... >r.log 2>&1
keep go_mixed.json r.json r.log
cd ..

# googletest with a disabled and a skipped test
mkdir gtest && cd gtest
cat >cart.cc <<'EOF'
#include <gtest/gtest.h>
TEST(Cart, Adds) {}
TEST(Cart, Fails) { EXPECT_EQ(1, 2); }
TEST(Cart, DISABLED_Later) {}
TEST(Cart, Skips) { GTEST_SKIP(); }
EOF
g++ cart.cc -o cart -lgtest -lgtest_main -lpthread && ./cart --gtest_output=xml:r.xml >r.log 2>&1
keep gtest_mixed.xml r.xml r.log
cd ..

# ctest
mkdir ctest && cd ctest
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(shop NONE)
enable_testing()
add_test(NAME adds COMMAND true)
add_test(NAME fails COMMAND false)
add_test(NAME skips COMMAND sh -c "exit 77")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME later COMMAND true)
set_tests_properties(later PROPERTIES DISABLED TRUE)
EOF
cmake -S . -B b >/dev/null && (cd b && ctest --output-junit ../r.xml >../r.log 2>&1)
keep ctest_mixed.xml r.xml r.log
cd ..

# rspec
mkdir rspec && cd rspec
cat >cart_spec.rb <<'EOF'
RSpec.describe "cart" do
  it("adds") {}
  it("fails") { expect(1).to eq(2) }
  xit("later") {}
  it("has no body")
end
EOF
rspec --format progress --format RspecJunitFormatter --out r.xml cart_spec.rb >r.log 2>&1
keep rspec_mixed.xml r.xml r.log
cd ..

# phpunit: suites in suites, a data provider
mkdir phpunit && cd phpunit
cat >CartTest.php <<'EOF'
<?php
class CartTest extends PHPUnit\Framework\TestCase {
  public function testAdds() { $this->assertTrue(true); }
  public function testFails() { $this->assertTrue(false); }
  public function testBreaks() { throw new Exception("x"); }
  public function testLater() { $this->markTestSkipped("later"); }
  /** @dataProvider numbers */
  public function testNumbers($n) { $this->assertGreaterThan(0, $n); }
  public function numbers() { return ["one" => [1], "two" => [2]]; }
}
EOF
phpunit --log-junit r.xml CartTest.php >r.log 2>&1
keep phpunit_mixed.xml r.xml r.log
cd ..
rm -rf "$WORK"
