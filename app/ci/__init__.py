"""Other CI systems than GitHub Actions: builds and raw logs, asked from the servers that the operator has named.

What a check run links to only says which build is meant. Requests go to the servers of the settings alone, and each
server's credential goes to that server alone.
"""
