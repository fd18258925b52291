from tests.databases import anyio_backend, database_url, kept_database, server
from tests.databases import emptied_database as database

__all__ = ["anyio_backend", "database", "database_url", "kept_database", "server"]
