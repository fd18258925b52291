"""What can be known about a pull request, as pure functions over a snapshot of it.

`snapshot`, `group_snapshot` and `finding` are the shared types; `accounts`, `diff`, `runs` and `unread` are parts of
the first two. `bundle` and `ticket` read what agents and people write; `claims`, `ci`, `scope`, `risk`, `rollback` and
`review` each answer one question with findings; `people` says whose pull request it is; `logs` reads raw job logs.
Nothing here reads, writes, waits or looks at the clock.
"""
