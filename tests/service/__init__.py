"""The service as an operator runs it: processes of its own, signals, and sockets to a simulated GitHub."""
