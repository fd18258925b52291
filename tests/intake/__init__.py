"""Deliveries in: the table of events, the facts, the endpoint."""
