"""What people and Apps can do, independent of the door (REST, GraphQL, git, tests) through which they ask.

Each operation checks what GitHub checks, changes the records, and publishes what happened.
"""
