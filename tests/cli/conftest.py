from tests.databases import database_url, server

__all__ = ["database_url", "server"]
