setup_file() { false; }
@test "never runs" { true; }
@test "nor this" { true; }
