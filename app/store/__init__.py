"""The database: PostgreSQL, given by URL or run by the app itself in its data folder.

`embedded` starts and stops the app's own server, `database` opens a pool and applies the `migrations`, `work` is the
table of keys that say "look at this again" and `worker` runs them. The other modules are small typed repositories, a
module a table. Their functions take a connection, so that a caller decides what belongs to one transaction; in it,
facts come first and `work.mark` last, so that two transactions never wait for each other in a circle. Functions of
`work` that are a transaction of their own take the `Database`. All time arithmetic is done on the database's clock.
"""
