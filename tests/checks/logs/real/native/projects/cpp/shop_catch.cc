#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <cstdlib>

TEST_CASE("adds", "[cart]") { REQUIRE(1 + 2 == 3); }
TEST_CASE("sections", "[cart]") {
    SECTION("one") { CHECK(1 == 1); }
    SECTION("two") { CHECK(2 == 2); }
}
TEST_CASE("rounds", "[price]") { CHECK(2 == 3); CHECK(3 == 3); }
TEST_CASE("known bug", "[bug][!shouldfail]") { CHECK(1 == 2); }
TEST_CASE("may fail", "[may][!mayfail]") { CHECK(1 == 2); }
TEST_CASE("nothing is checked", "[none]") {}
TEST_CASE("hidden", "[.][slow]") { CHECK(false); }
TEST_CASE("quits", "[.][exit]") { std::exit(0); }
TEST_CASE("crashes", "[.][crash]") { int *p = nullptr; *p = 1; }
TEST_CASE("throws", "[.][throw]") { throw std::runtime_error("no database"); }
