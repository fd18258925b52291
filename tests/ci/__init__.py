"""Other CI systems: links, settings, and fetching from doubles of their servers."""
