"""The proxy over real sockets: bytes in, what reaches GitHub, and what is there afterwards."""
