"""The branch-scoped credential proxy: agents fetch, push and use a slice of GitHub's API with an opaque session token.

A request names a session; the session's grant says which repository and branch; `wire` parses only the head of a push,
`authorize` decides with pure functions before anything is sent, and bodies stream both ways. The courier App's tokens
are minted here for one route and one repository and never leave this package.
"""
