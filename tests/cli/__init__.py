"""The command line: contracts of every command, on real git repositories."""
