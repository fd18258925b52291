"""Judging a local clone without GitHub: `clone` opens its objects without its configuration, `policy` finds the policy
in force, `judge` makes a snapshot and the verdict. What only GitHub can tell is left open, never assumed."""
