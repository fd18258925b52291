"""Independent judges: commands of the server that give an opinion on agents' work, each called once for a subject.

`judges` is what a gate has of them, `asking` notes that one shall be called and reads what was said, `reconcile` calls
one outside of the pull request's own work, `matter` is what it is shown, `reply` what it may answer.
"""
