"""The one place that talks to GitHub.

`clients` holds one client an installation; `client` sends requests and turns every answer into a model or into one of
the few errors of `errors`, so that no other part of the program sees HTTP. `tokens` mints short-lived tokens for one
purpose and one repository, `budgets` keeps the installation under GitHub's limits, `etags` remembers answers, `counts`
says what each piece of work cost. `documents` are the GraphQL texts; `graph`, `reads`, `actions`, `installations` and
`writes` are the typed calls, over the models of `models` (GraphQL) and `rest_models` (REST).
"""
