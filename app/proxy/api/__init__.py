"""The slice of GitHub's API that a session may use, shaped so that unmodified `gh` works with it.

`target` and `bodies` read what came in, strictly; `rest` (over the table in `routes`) and `graph` (over the schema in
`allowed.graphql`) decide with pure functions what may be asked and what must be looked up first; `subjects` looks it
up; `asking` sends it with the courier's token, and `rewriting` turns GitHub's addresses into the proxy's. What no row
of a table allows is refused.
"""
