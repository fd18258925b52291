@test "adds" { [ $((1 + 2)) -eq 3 ]; }
@test "empty" { true; }
