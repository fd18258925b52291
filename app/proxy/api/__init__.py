"""The slice of GitHub's API that a session may use, shaped so that unmodified `gh` works with it.

`target` and `bodies` read what came in, strictly; `rest` (a table) and `graphql` decide with pure functions what may be
asked and what must be looked up first; `subjects` looks it up; `upstream` sends with the courier's token, and
`rewriting` turns GitHub's addresses into the proxy's. What no row of a table allows is refused.
"""
