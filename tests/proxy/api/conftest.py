from tests.databases import anyio_backend, database, database_url, server

__all__ = ["anyio_backend", "database", "database_url", "server"]
