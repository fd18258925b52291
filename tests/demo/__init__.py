"""The demonstration: a real gate beside the simulated GitHub, three agents' pull requests, real git and real test runs."""
