"""What is required of a pull request: the policy file, the verdict that it leads to, and the words that explain it.

Everything here is pure. `load` turns a policy file's text into a `Policy` or into errors with line and column,
`evaluate` folds the findings of `checks` under that policy into a `Verdict`, and `explain` writes what people and
agents read on GitHub, with every word that came from the pull request made inert.
"""
