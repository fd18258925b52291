"""A simulated GitHub: REST, webhooks and git smart HTTP over real bare git repositories.

`state.py` holds the records, `server.py` the one object that owns them, `build.py` the vocabulary in which tests and
the demonstration make a world. `operations/` changes the world and says so in `events.py`; `rest/` and `graphql/` are
two doors to the same operations; whoever must react to a change listens.
"""
