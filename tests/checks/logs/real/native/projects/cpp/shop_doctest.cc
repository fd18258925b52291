#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <cstdlib>
#include <stdexcept>

TEST_SUITE("cart") {
TEST_CASE("adds") { CHECK(1 + 2 == 3); }
TEST_CASE("parts") { SUBCASE("one") { CHECK(1 == 1); } SUBCASE("two") { CHECK(2 == 2); } }
}
TEST_SUITE("price") {
TEST_CASE("rounds") { CHECK(2 == 3); }
TEST_CASE("throws") { throw std::runtime_error("no database"); }
}
TEST_SUITE("later") { TEST_CASE("later" * doctest::skip()) { CHECK(false); } }
TEST_SUITE("bugs") {
TEST_CASE("known" * doctest::should_fail()) { CHECK(1 == 2); }
TEST_CASE("may" * doctest::may_fail()) { CHECK(1 == 2); }
}
TEST_SUITE("exit") {
TEST_CASE("quits" * doctest::skip(false)) { std::exit(0); }
TEST_CASE("crashes") { std::abort(); }
}
