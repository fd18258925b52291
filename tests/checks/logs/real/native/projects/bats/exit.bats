@test "first" { true; }
@test "quits" { exit 0; }
@test "kills" { kill -9 $BATS_ROOT_PID $PPID; }
@test "last" { true; }
