"""The judge of the simulated GitHub: every answer and every webhook body against descriptions that GitHub publishes.

`operations.py` and `models.py` know githubkit's generated models (REST 2026-03-10, always there); `openapi.py` and
`webhooks.py` read GitHub's own descriptions in `../shared/github/contract` where that folder exists; `differences.py`
lists what is allowed to differ, each with its reason; `observe.py` watches a simulated GitHub and reports.
"""
