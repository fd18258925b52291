"""One key to one attempt: which part of the loop looks at it, and how GitHub's refusals end the attempt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import assert_never

import structlog

from app.bounded import used_for
from app.gate.baselines import reconcile_tip
from app.gate.fanout import fan_out_branch, fan_out_commit, fan_out_installation, fan_out_repository, resync
from app.gate.gate import Gate
from app.gate.group import reconcile_group
from app.gate.guarding import watch_rules
from app.gate.measures import DURATION, REQUESTS, WAITS
from app.gate.mirror import MissingObjects
from app.gate.pull import reconcile_pull
from app.gate.serial import reconcile_queue
from app.gate.target import NoTarget
from app.gate.upkeep import upkeep
from app.github.budgets import urgency
from app.github.counts import Tally, counting
from app.github.errors import GitHubDown, InstallationGone, LeftAlone, NotFound, RateLimited
from app.judge.reconcile import reconcile_opinion
from app.keys import (
    KINDS,
    BoardKey,
    BranchKey,
    CanaryKey,
    CommitKey,
    GroupKey,
    InstallationKey,
    JudgeKey,
    Key,
    PeopleKey,
    PullKey,
    QueueKey,
    RepositoryKey,
    ResyncKey,
    RulesKey,
    TicketKey,
    TipKey,
    UpkeepKey,
    WatchKey,
    parse_key,
)
from app.priorities import NEWS, urgency_of
from app.store.database import DatabaseAway
from app.store.work import Lease
from app.store.worker import Done, Outcome, Retry, Sleep

log = structlog.get_logger(__name__)

LOOK_AFTER_OUTAGE = timedelta(seconds=5)


# Given from outside, because app.tickets stands on the gate.
Tickets = Callable[[Lease, TicketKey | BoardKey | PeopleKey | WatchKey], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Reconciler:
    """What the worker calls for each lease."""

    gate: Gate
    resync_interval: timedelta
    tickets: Tickets | None = None  # what looks at tickets and boards; without it they are left alone
    webhooks: bool = True  # False in polling mode: there are no deliveries to ask for again
    canaries: Callable[[], Awaitable[Outcome]] | None = None  # what runs canary tickets

    async def __call__(self, lease: Lease) -> Outcome:
        """Waiting for request budget is no failure; an installation or object that is gone ends its key.

        A key of a kind that is not known fails, and so comes again: a newer version beside this one, in an upgrade,
        knows it.
        """
        kind = lease.key.partition(":")[0]
        with (
            used_for(lease.key),
            counting(lease.key) as tally,
            DURATION.labels(kind if kind in KINDS else "unknown").time(),
        ):
            try:
                key = parse_key(lease.key)
                with urgency(urgency_of(key, lease.priority)):
                    outcome = await self._reconcile(lease, key, tally)
            except RateLimited as limited:
                WAITS.labels("budget").inc()
                return Sleep(limited.until)
            except LeftAlone as down:
                WAITS.labels("github").inc()
                return Sleep(down.until)
            except GitHubDown as down:
                # An outage is nobody's failure: counting it would park every key of a long one.
                WAITS.labels("github").inc()
                log.warning("GitHub is down", because=down.because)
                return Sleep(LOOK_AFTER_OUTAGE)
            except DatabaseAway as away:
                # Nobody's failure either; its disk may be full, so that it reads and does not write.
                WAITS.labels("database").inc()
                log.warning("the database is away", because=str(away))
                return Sleep(LOOK_AFTER_OUTAGE)
            except (InstallationGone, NotFound) as gone:
                log.info("key ends", because=str(gone))
                return Done()
            except (MissingObjects, NoTarget) as moved:
                raise Retry(timedelta(seconds=1), str(moved)) from moved
            REQUESTS.labels(kind).observe(tally.cost)
            log.debug("reconciled", requests=tally.cost)
            return outcome

    async def _reconcile(self, lease: Lease, key: Key, tally: Tally) -> Outcome:
        match key:
            case PullKey():
                return await reconcile_pull(self.gate, lease, key, tally)
            case QueueKey():
                return await reconcile_queue(self.gate, lease, key)
            case GroupKey():
                return await reconcile_group(self.gate, lease, key)
            case TipKey():
                return await reconcile_tip(self.gate, key)
            case BranchKey() | CommitKey() | RepositoryKey() | InstallationKey():
                return await self._fan_out(key, news=lease.priority >= NEWS)
            case ResyncKey():
                return await resync(self.gate, self.resync_interval, webhooks=self.webhooks)
            case RulesKey():
                return await watch_rules(self.gate, key)
            case UpkeepKey() | JudgeKey() | CanaryKey():
                return await self._apart(key)
            case TicketKey() | BoardKey() | PeopleKey() | WatchKey():
                return Done() if self.tickets is None else await self.tickets(lease, key)
            case _:
                assert_never(key)

    async def _apart(self, key: UpkeepKey | JudgeKey | CanaryKey) -> Outcome:
        """What needs no right to change GitHub."""
        match key:
            case JudgeKey():
                return await reconcile_opinion(self.gate, key)
            case CanaryKey():
                return Done() if self.canaries is None else await self.canaries()
            case UpkeepKey():
                return await upkeep(self.gate)

    async def _fan_out(self, key: BranchKey | CommitKey | RepositoryKey | InstallationKey, *, news: bool) -> Outcome:
        match key:
            case BranchKey():
                return await fan_out_branch(self.gate, key)
            case CommitKey():
                return await fan_out_commit(self.gate, key)
            case RepositoryKey():
                return await fan_out_repository(self.gate, key, news=news, webhooks=self.webhooks)
            case InstallationKey():
                return await fan_out_installation(self.gate, key, news=news)
            case _:
                assert_never(key)
