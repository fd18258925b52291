"""Reading Python: sources, conditions, what an assertion claims, marks on tests, and what rewrites a test run.

The standard library's own parser does the work, so that nothing here guesses at syntax. Every source is hostile.
"""
