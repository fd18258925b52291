"""The demonstration: a real gate beside the simulated GitHub, three agents' pull requests, real git, real test runs."""
