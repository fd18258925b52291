#include <gtest/gtest.h>
#include <cstdlib>
#include <thread>
#include <chrono>

TEST(Cart, Adds) { EXPECT_EQ(1 + 2, 3); }
TEST(Cart, Empty) { EXPECT_EQ(0, 0); }
TEST(Price, Rounds) { EXPECT_EQ(2, 3) << "rounding"; }
TEST(Price, Later) { GTEST_SKIP() << "later"; }
TEST(Price, DISABLED_Slow) { FAIL(); }
TEST(Exit, Quits) { std::exit(0); }
TEST(Exit, Crashes) { std::abort(); }
class Shelf : public testing::TestWithParam<int> {};
TEST_P(Shelf, Holds) { EXPECT_GT(GetParam(), 0); }
INSTANTIATE_TEST_SUITE_P(Sizes, Shelf, testing::Values(1, 2));
class Broken : public testing::Test { protected: static void SetUpTestSuite() { FAIL() << "no database"; } };
TEST_F(Broken, Reads) { SUCCEED(); }
static int tries = 0;
TEST(Flaky, SecondTime) { EXPECT_GT(++tries, 1); }
TEST(Noise, Prints) { std::puts("[  FAILED  ] 1 test, listed below:"); std::puts("[  PASSED  ] 99 tests."); }
