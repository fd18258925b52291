"""What is wrong with the service itself, from what its machine, its database and GitHub say about it. Pure.

What could not be read is said as that and never taken for good; every symptom says what to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.local.examination import CouldNotRead, Level, Symptom
from app.local.examination.installation import lacking

MEGABYTE = 1024 * 1024
# `git merge-tree --write-tree`: https://github.com/git/git/blob/master/Documentation/RelNotes/2.38.0.txt
OLDEST_GIT = (2, 38)
# https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
# recommends a token that begins 60 seconds ago, against clocks that drift.
DRIFT = 60.0
STILL = timedelta(minutes=5)  # between GitHub's handing over and the database
TOO_FULL, NEARLY_FULL = 256 * MEGABYTE, 2048 * MEGABYTE
NAMED = 5


@dataclass(frozen=True, slots=True)
class Machine:
    """`git` are the numbers of its version, `free` the bytes that are left where the data lies, `open_to_others` the
    names of files with secrets that other users of the machine can read."""

    git: tuple[int, ...] | CouldNotRead
    data: str
    free: int
    open_to_others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InstalledOn:
    account: str
    suspended: bool
    served: bool


@dataclass(frozen=True, slots=True)
class RegisteredApp:
    """An App as GitHub knows it. `asked` and `asked_events` are what its manifest asks, `ahead` is by how many seconds
    this machine's clock is ahead of GitHub's."""

    role: str
    slug: str
    granted: Mapping[str, str]
    events: Sequence[str]
    asked: Mapping[str, str]
    asked_events: Sequence[str]
    installed_on: Sequence[InstalledOn]
    ahead: float = 0.0


@dataclass(frozen=True, slots=True)
class Hook:
    """Where GitHub sends deliveries.

    https://docs.github.com/en/rest/apps/webhooks#get-a-webhook-configuration-for-an-app
    """

    url: str
    content_type: str
    unverified: bool  # GitHub does not look at the certificate


@dataclass(frozen=True, slots=True)
class Attempt:
    """GitHub's attempt to hand over a delivery; `code` is 0 where nothing answered."""

    at: datetime
    code: int
    status: str

    @property
    def arrived(self) -> bool:
        return 200 <= self.code < 300


@dataclass(frozen=True, slots=True)
class Deliveries:
    """`attempts` are those of the last day, the newest first."""

    hook: Hook | CouldNotRead
    attempts: Sequence[Attempt] | CouldNotRead


@dataclass(frozen=True, slots=True)
class Store:
    """The database: PostgreSQL's version (160002 is 16.2), its newest step and this program's, the newest delivery."""

    postgresql: int
    step: int
    known_step: int
    last_delivery: datetime | None


@dataclass(frozen=True, slots=True)
class ServiceFacts:
    """`gate` and `courier` are None where no such App is set up, `deliveries` where there are none: without an App, and
    in polling mode. `watched` is whether a watchdog outside would notice its silence, `troubles` what `mergegate
    status` tells."""

    machine: Machine
    store: Store | CouldNotRead
    gate: RegisteredApp | CouldNotRead | None
    courier: RegisteredApp | CouldNotRead | None
    deliveries: Deliveries | None
    watched: bool = True
    troubles: Sequence[Symptom] = ()


def examine_service(facts: ServiceFacts) -> list[Symptom]:
    """Every symptom; none when all is as it should be."""
    return [
        *_machine(facts.machine),
        *_store(facts.store),
        *_apps(facts),
        *_deliveries(facts),
        *_watchdog(facts.watched),
        *facts.troubles,
    ]


def _machine(machine: Machine) -> Iterator[Symptom]:
    wanted = ".".join(map(str, OLDEST_GIT))
    if isinstance(machine.git, CouldNotRead):
        yield Symptom("wrong", f"git could not be asked: {machine.git.because}.", f"Install git {wanted} or newer.")
    elif machine.git < OLDEST_GIT:
        what = f"git is {'.'.join(map(str, machine.git))}; before {wanted} it cannot try a merge."
        yield Symptom("wrong", what, f"Install git {wanted} or newer.")
    if machine.free < NEARLY_FULL:
        level: Level = "wrong" if machine.free < TOO_FULL else "odd"
        what = f"{machine.free // MEGABYTE} MB are left for {machine.data}."
        yield Symptom(level, what, "Make room; a full disk stops intake and work.")
    if machine.open_to_others:
        files = _named(machine.open_to_others)
        yield Symptom("wrong", f"Others on this machine can read {files}.", "chmod 600, for the service's user alone.")


def _store(store: Store | CouldNotRead) -> Iterator[Symptom]:
    if isinstance(store, CouldNotRead):
        yield Symptom("wrong", f"The database could not be read: {store.because}", "Until it can, nothing works.")
        return
    if store.step < store.known_step:
        what = f"The database is at step {store.step}, this program at {store.known_step}."
        yield Symptom("wrong", what, "Run `mergegate migrate`, or start `serve`, which does it.")
    if store.step > store.known_step:
        what = f"A newer program brought the database to step {store.step}; this one knows {store.known_step}."
        yield Symptom("odd", what, "Bring this machine to the same version.")


def _apps(facts: ServiceFacts) -> Iterator[Symptom]:
    if facts.gate is None:
        what = "No gate App is set up: nothing is judged."
        yield Symptom("wrong", what, "Start `mergegate serve` and open the address it prints, or `mergegate setup`.")
    if facts.courier is None and facts.gate is not None:
        what = "No courier App is set up: agents need a credential of their own to push."
        yield Symptom("odd", what, "`mergegate setup --role courier`, or the set-up page.")
    for role, app in (("gate", facts.gate), ("courier", facts.courier)):
        if isinstance(app, CouldNotRead):
            what = f"GitHub could not be asked as the {role}: {app.because}"
            yield Symptom("unknown", what, "Check the App's id and key, and the way to GitHub.")
        elif app is not None:
            yield from _app(app)
    yield from _clock([app.ahead for app in (facts.gate, facts.courier) if isinstance(app, RegisteredApp)])


def _clock(ahead: Sequence[float]) -> Iterator[Symptom]:
    most = max(ahead, key=abs, default=0.0)
    if most:
        way = "ahead of" if most > 0 else "behind"
        what = f"This machine's clock is {abs(most):.0f} s {way} GitHub's."
        remedy = "Let it be set from the network (`timedatectl set-ntp true`)."
        yield Symptom("wrong" if abs(most) >= DRIFT else "odd", what, remedy)


def _app(app: RegisteredApp) -> Iterator[Symptom]:
    name = f"The {app.role} App ({app.slug})"
    for lack in lacking(app.granted, app.asked):
        yield Symptom("wrong", f"{name} {lack}.", "Grant it in the App's settings; each owner then accepts it.")
    deaf = [event for event in app.asked_events if event not in app.events]
    if deaf:
        yield Symptom("wrong", f"{name} does not hear of {', '.join(deaf)}.", "Tick them in the App's settings.")
    if not app.installed_on:
        yield Symptom("wrong", f"{name} is installed nowhere.", "Install it from its page on GitHub.")
    suspended = [one.account for one in app.installed_on if one.suspended]
    if suspended:
        what = f"{name} is suspended by {_named(suspended)}."
        yield Symptom("odd", what, "Its owner ends that in the account's settings.")
    ignored = [one.account for one in app.installed_on if not one.served]
    if ignored:
        what = f"{name} is installed by {_named(ignored)}, who are ignored: they are not in MERGEGATE_ACCOUNTS."
        yield Symptom("odd", what, "Add them there if they are to be served.")


def _deliveries(facts: ServiceFacts) -> Iterator[Symptom]:
    if facts.deliveries is None:
        return
    yield from _hook(facts.deliveries.hook)
    attempts = facts.deliveries.attempts
    if isinstance(attempts, CouldNotRead):
        what = f"GitHub's list of deliveries could not be read: {attempts.because}"
        yield Symptom("unknown", what, "Run the same command again.")
        return
    yield from _attempts(attempts)
    if isinstance(facts.store, Store):
        yield from _elsewhere(attempts, facts.store.last_delivery)


def _hook(hook: Hook | CouldNotRead) -> Iterator[Symptom]:
    where = "Settings of the App on GitHub, Webhook."
    if isinstance(hook, CouldNotRead):
        yield Symptom("unknown", f"The App's webhook could not be read: {hook.because}", "Run the same command again.")
        return
    if not hook.url:
        yield Symptom("wrong", "GitHub has no address to send deliveries to.", f"{where} Or set MERGEGATE_POLLING=1.")
        return
    if hook.content_type != "json":
        yield Symptom("wrong", f"GitHub sends deliveries as {hook.content_type}.", f"{where} Content type: JSON.")
    if hook.unverified:
        what = "GitHub does not look at the certificate of the webhook's address."
        yield Symptom("wrong", what, f"{where} Enable SSL verification.")


def _attempts(attempts: Sequence[Attempt]) -> Iterator[Symptom]:
    if not attempts:
        what = "GitHub sent no delivery in the last day."
        yield Symptom("odd", what, "Did anything happen in the repositories? If so, is the App's webhook active?")
        return
    failed = [one for one in attempts if not one.arrived]
    since = next((at for at, one in enumerate(attempts) if one.arrived), len(attempts))
    if since:
        many = f"The last {since} deliveries" if since > 1 else "The last delivery"
        newest = attempts[0]
        what = f"{many} did not arrive: {newest.status} ({newest.code})."
        yield Symptom("wrong", what, _remedy(newest.code))
    elif failed:
        what = f"{len(failed)} of the last day's {len(attempts)} attempts to deliver failed."
        yield Symptom("odd", what, "The resync asks for them again. Was the service away, or slow?")


def _remedy(code: int) -> str:
    if code == 401:
        return "The webhook secret differs: `mergegate rotate` takes a new one beside the old one."
    if code in (404, 405):
        return "Another program answers at the webhook's address, or its path is not /webhooks/github."
    if code >= 500:
        return "The service or what stands before it failed; its log says why."
    return "GitHub does not reach the webhook's address. Is the service up, and its name and certificate right?"


def _elsewhere(attempts: Sequence[Attempt], last: datetime | None) -> Iterator[Symptom]:
    """Whether what GitHub handed over came into this database."""
    handed = next((one.at for one in attempts if one.arrived), None)
    if handed is None or (last is not None and handed - last <= STILL):
        return
    what = f"GitHub handed over a delivery at {handed:%Y-%m-%d %H:%M} UTC that is not in this database."
    yield Symptom("wrong", what, "Another service answers at the webhook's address, or this is another database.")


def _watchdog(watched: bool) -> Iterator[Symptom]:
    if not watched:
        what = "Nobody outside is told when this service falls silent."
        yield Symptom("odd", what, "Give a watchdog's address as MERGEGATE_HEARTBEAT_URL.")


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
