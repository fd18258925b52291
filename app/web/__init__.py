"""Pages and addresses for people and probes: health, metrics, signing in with GitHub, and a pull request's verdict.

Pages are written on the server, work without scripts and at the width of a phone. Whoever reads one has signed in
with GitHub and may read that repository there; to everybody else it does not exist.
"""
