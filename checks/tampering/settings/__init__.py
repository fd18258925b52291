"""Settings of test runners and build tools: read from every form they are written in, and compared with their bars.

`yaml_values`, `documents`, `xml_values`, `javascript` and `lines` turn a file into settings (`reading` chooses),
`bars` compares both sides, and the tables (`python_runners`, `javascript_runners`, `other_runners`, `coverage`,
`lint`) say which settings hold the bar. Nothing is evaluated: what a file computes is not seen.
"""
