"""GraphQL: graphql-core executing a part of GitHub's own SDL over the simulator's records.

`schema.graphql` is what is answered (made by `trim_schema.py` from `fields.txt`); each object type has a view class
whose snake_case methods are its fields; `execute.py` runs a document and words the errors as GitHub does, `endpoint.py`
serves it. Whatever changes the world goes through `tests.github.operations`, as REST does.
"""
