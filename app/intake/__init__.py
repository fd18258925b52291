"""Webhooks in: the endpoint verifies and stores a delivery; `events` says, as a pure function, what it is about.

A delivery carries no decision. It names keys that should be looked at again, and a few facts that only a delivery
knows for certain (who pushed which commit, which commit a review was given for).
"""
