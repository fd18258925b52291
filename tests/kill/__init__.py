"""kill -9 of the running service, again and again, while deliveries come in."""
