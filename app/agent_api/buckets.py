"""How often one token may ask: a bucket that time fills, kept in this process."""

from __future__ import annotations

from dataclasses import dataclass, field

KEPT = 4096  # tokens whose buckets are remembered


@dataclass(slots=True)
class Buckets:
    """By digests of tokens: `burst` requests at once, `rate` a second. `now` is a clock that does not go back."""

    burst: float
    rate: float
    held: dict[bytes, tuple[float, float]] = field(default_factory=dict)

    def take(self, digest: bytes, now: float) -> int:
        """0, and one request less; or in how many seconds the next is taken."""
        left, then = self.held.pop(digest, (self.burst, now))
        left = min(left + max(now - then, 0.0) * self.rate, self.burst)
        self.held[digest] = (left - 1 if left >= 1 else left, now)
        if len(self.held) > KEPT:
            del self.held[next(iter(self.held))]
        return 0 if left >= 1 else int((1 - left) / self.rate) + 1
