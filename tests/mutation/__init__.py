"""The mutation score of the pure packages (`make mutation`): mutmut makes and runs the mutants, this counts and judges.

`__main__` chooses mutants and tells the score; `plugin` is loaded by pytest inside every mutant's run.
"""
