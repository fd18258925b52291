"""A simulated night: many agents, few people and the real gate of tickets, on a clock that is a value.

What is real: tickets' reconciling, claims, the agents' API, limits, metering, commands, the board, deliveries, the work
table and PostgreSQL, and the client that speaks to the simulated GitHub with its budgets and the pace of its writes.
Every one of them reads one simulated clock (`clock`), the database too (`store`).

What is not: the gate's judgement of a pull request (git objects, analyses, checks) would cost a second of processor for
each head. `verdicts` stands in its place at the seam where tickets read it: the decision in the store. So check runs
are not written, and git's part of agents' pushes is an entry of the proxy's ledger with a commit on the simulated
GitHub. Nobody sleeps: what happens next is the earliest of a heap of agents and people and of the work that is due.
"""
