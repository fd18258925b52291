"""Tickets in the store: where each one is, what was accepted, its attempts, and what people and agents say about it.

A change of state goes through `moving.move`, which keeps the row's lock, the table of states, the record of the change
and the sessions of its agent together. Everything takes the caller's connection, so that it commits with what belongs
to it.
"""
