"""What a change does to the tests that judge it, read from the difference alone.

A log cannot show that a hook turns failures into passes, or that an assertion is gone; only the difference can. Both
sides of every changed file become units (tests with their assertions), units are matched over the *whole* difference so
that a moved, renamed, split or parametrised test is recognised, and what is left is an `Alteration`. Parsing hostile
sources happens in a process without credentials (`app.gate.analysis_child`); this package is what it runs.
"""
