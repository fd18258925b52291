BATS_TEST_RETRIES=2
@test "second time" { [ "$BATS_TEST_TRY_NUMBER" -gt 1 ]; }
