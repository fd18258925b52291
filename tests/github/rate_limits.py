"""Primary and secondary rate limits, one budget an installation or person.

https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api. The headers are on every answer; an answer
304 and `GET /rate_limit` cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from tests.github.errors import ApiError
from tests.github.state import World

Resource = Literal["core", "graphql", "search"]
HOUR = timedelta(hours=1)
ANONYMOUS_LIMIT = 60  # an hour, on github.com by address
DEFAULT_LIMITS: dict[str, int] = {"core": 5000, "graphql": 5000, "search": 30}
DOCUMENTATION = "https://docs.github.com/rest/overview/resources-in-the-rest-api#rate-limiting"
SECONDARY_DOCUMENTATION = (
    "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
)


class PrimaryLimitReached(ApiError):
    """Nothing is left for this hour. REST says so with 403; GraphQL in an answer 200, see the gateway."""

    def __init__(self, message: str, headers: dict[str, str]) -> None:
        super().__init__(403, message, headers=headers, documentation_url=DOCUMENTATION)


@dataclass
class Budget:
    limit: int
    used: int = 0
    reset: datetime | None = None


@dataclass
class SecondaryLimit:
    """The next `count` requests are refused; `retry_after` None leaves the header out, as GitHub sometimes does."""

    count: int
    retry_after: int | None = 60
    status: int = 403


@dataclass
class RateLimits:
    world: World
    limits: dict[str, int] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    budgets: dict[tuple[str, str], Budget] = field(default_factory=dict)
    secondary: SecondaryLimit | None = None

    def budget(self, caller: str, resource: Resource = "core") -> Budget:
        limit = ANONYMOUS_LIMIT if caller.startswith("anonymous") else self.limits[resource]
        found = self.budgets.setdefault((caller, resource), Budget(limit))
        if found.reset is None or found.reset <= self.world.now():
            found.used, found.reset = 0, self.world.now() + HOUR
        return found

    def exhaust(self, caller: str, resource: Resource = "core", *, reset_in: timedelta = HOUR) -> None:
        """For tests: nothing is left until `reset_in` from now."""
        budget = self.budget(caller, resource)
        budget.used, budget.reset = budget.limit, self.world.now() + reset_in

    def refuse_next(self, count: int = 1, *, retry_after: int | None = 60, status: int = 403) -> None:
        """For tests: a secondary limit on the next `count` requests."""
        self.secondary = SecondaryLimit(count, retry_after, status)

    def check(self, caller: str, resource: Resource = "core") -> None:
        """ApiError 403 (or 429) when a limit forbids this request; a refused request uses up nothing more."""
        if self.secondary and self.secondary.count > 0:
            self.secondary.count -= 1
            raise self._secondary_refusal(self.secondary)
        budget = self.budget(caller, resource)
        if budget.used >= budget.limit:
            message = f"API rate limit exceeded for {caller}."
            raise PrimaryLimitReached(message, self.headers(caller, resource))

    def _secondary_refusal(self, limit: SecondaryLimit) -> ApiError:
        headers = {} if limit.retry_after is None else {"retry-after": str(limit.retry_after)}
        message = (
            "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. "
            "If you reach out to GitHub Support for help, please include the request ID."
        )
        return ApiError(limit.status, message, headers=headers, documentation_url=SECONDARY_DOCUMENTATION)

    def spend(self, caller: str, resource: Resource = "core", cost: int = 1) -> None:
        self.budget(caller, resource).used += cost

    def headers(self, caller: str, resource: Resource = "core") -> dict[str, str]:
        budget = self.budget(caller, resource)
        assert budget.reset is not None
        return {
            "x-ratelimit-limit": str(budget.limit),
            "x-ratelimit-remaining": str(max(budget.limit - budget.used, 0)),
            "x-ratelimit-used": str(min(budget.used, budget.limit)),
            "x-ratelimit-reset": str(int(budget.reset.timestamp())),
            "x-ratelimit-resource": resource,
        }
