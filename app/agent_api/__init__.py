"""The agents' HTTP API beside the proxy: claiming a ticket, and everything that is said about it while it is worked on.

`routes` is the one table of what there is, from which the requests are served and the OpenAPI document is made.
`bodies` are the shapes, `claiming`, `saying`, `hearing` and `ending` what each route does, `places` whose policy and
limits hold. It is loaded when it is first asked for.
"""
