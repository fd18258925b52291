@test "adds" { [ $((1 + 2)) -eq 3 ]; }
@test "rounds" { [ 2 -eq 3 ]; }
@test "later" { skip "no network"; }
@test "skipped without a word" { skip; }
