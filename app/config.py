"""Settings from the environment, read at the start, and again for the secrets that change in files meanwhile. Secrets
are `SecretStr` and never printed.

Every variable may also be given as `NAME_FILE`, the path of a file that holds the value (a mounted secret, systemd
credentials); several secrets or keys are separated by blank lines or commas, so that they can be rotated.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from app.ci.servers import CiServer, ci_servers
from app.errors import ActionableError
from app.judge.programs import judge_programs
from app.registrations import Registration, load
from app.secret import SecretStr, keys_in, secrets_in
from app.store.prune import Periods

ALIKE = 0.85  # `difflib`'s measure of two names, of which one is the other misspelt
GITHUB_API = "https://api.github.com"
MOST_PORT = 65_535
# https://docs.github.com/actions/reference/security/oidc
GITHUB_ACTIONS = "https://token.actions.githubusercontent.com"
SHORTEST_SECRET = 32  # characters
LONGEST_CANARY = 168  # hours
LONGEST_KEPT = 36_500  # days
LONGEST_JUDGING = 280  # seconds; an attempt of the worker, in which a judge is called, has 300


class Misconfigured(ActionableError, ValueError):
    """A setting is missing or malformed; the message names the variable and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppSettings:
    """One GitHub App: its id and private keys, the newest key first."""

    app_id: int
    private_keys: Sequence[SecretStr]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """Pages for people: where they are reached, and the App's client through which people sign in."""

    public_url: str  # without a slash at its end
    client_id: str
    client_secrets: Sequence[SecretStr]  # the newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class LitellmSettings:
    """A LiteLLM proxy that meters calls of models: where agents and the gate reach it, and a key that makes keys."""

    url: str  # without a slash at its end
    key: SecretStr


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything a process needs to know. `gate` is None until the App is connected (`serve` then says how)."""

    data: Path
    database_url: str | None = None
    github_api_url: str = GITHUB_API
    gate: AppSettings | None = None
    courier: AppSettings | None = None
    accounts: tuple[str, ...] = ()  # logins; with any, installations of other accounts are ignored
    pages: PageSettings | None = None
    webhook_secrets: Sequence[SecretStr] = ()
    host: str = "127.0.0.1"
    port: int = 8000
    metrics_host: str = "127.0.0.1"
    metrics_port: int = 8002  # health, readiness and metrics of this process, for nobody else's eyes; 0: none
    heartbeat_url: SecretStr | None = None  # asked every minute while the worker makes progress
    slots: int = 8  # keys reconciled at the same time by one process
    resync_seconds: float = 600.0
    polling: bool = False  # no webhooks: the resync runs on a short clock instead
    writes_per_minute: int = 60  # 0: no limit, for a compatible server without GitHub's
    session_requests: int = 1500  # of one session to GitHub's API in an hour
    session_writes: int = 120  # among them
    session_comments: int = 30  # among these
    session_fetches: int = 3000  # requests of one session to git's service that read, in an hour
    session_lfs: int = 20_000  # requests for Git LFS, one for each object and some
    push_megabytes: int = 2048  # of one push; GitHub takes no more
    proxy_host: str = "127.0.0.1"
    proxy_port: int = 8001
    proxy_certificate: Path | None = None  # PEM; beyond loopback the proxy speaks TLS only
    proxy_key: Path | None = None
    proxy_plain: bool = False  # something in front of the proxy speaks TLS
    proxy_socket: Path | None = None  # a unix socket on which the proxy serves too, in clear, for gh
    judges: Mapping[str, Path] = field(default_factory=dict)  # programs that judge agents' work, by name
    judge_seconds: int = 240  # for one call of one of them
    supervisor: Path | None = None  # program that starts and ends agents for tickets
    supervisor_url: str | None = None  # or where a signed webhook tells who does
    supervisor_secrets: Sequence[SecretStr] = ()
    channels: Path | None = None  # file that says over which further channels people are told
    canary_hours: int = 24  # between two tries of every limit; 0: never
    litellm: LitellmSettings | None = None  # what meters agents' calls of models; None: costs are soft
    operator_tokens: Sequence[SecretStr] = ()  # for the HTTP API that opens and stops sessions; none: no such API
    policy_baseline: str | None = None  # text of the policy that every repository must meet beside its own
    oidc_issuers: tuple[str, ...] = (GITHUB_ACTIONS,)  # whose tokens may be exchanged, where a repository trusts them

    keep: Periods = field(default_factory=Periods)  # how long rows are kept
    ci_servers: tuple[CiServer, ...] = ()  # of other CI systems, whose raw logs are read where a policy asks for it

    @property
    def resync_interval(self) -> float:
        return min(self.resync_seconds, 20.0) if self.polling else self.resync_seconds


_USUAL: dict[str, Any] = {one.name: one.default for one in fields(Settings)}


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Settings from variables that begin with `MERGEGATE_`.

    Raises Misconfigured naming the variable.
    """
    read = _Variables(environment)
    settings = Settings(
        data=Path(read.text("DATA") or "data").absolute(),
        database_url=read.text("DATABASE_URL"),
        github_api_url=read.github_api(),
        gate=read.app("APP_ID", "PRIVATE_KEY"),
        courier=read.app("COURIER_APP_ID", "COURIER_PRIVATE_KEY"),
        accounts=tuple((read.text("ACCOUNTS") or "").replace(",", " ").split()),
        pages=read.pages(),
        webhook_secrets=secrets_in(read.text("WEBHOOK_SECRET") or ""),
        host=read.text("HOST") or "127.0.0.1",
        port=read.number("PORT", most=MOST_PORT),
        metrics_host=read.text("METRICS_HOST") or "127.0.0.1",
        metrics_port=read.number("METRICS_PORT", most=MOST_PORT),
        heartbeat_url=read.watchdog("HEARTBEAT_URL"),
        slots=read.number("SLOTS", least=1),
        resync_seconds=read.number("RESYNC_SECONDS"),
        polling=read.switch("POLLING"),
        writes_per_minute=read.number("WRITES_PER_MINUTE"),
        session_requests=read.number("SESSION_REQUESTS", least=1),
        session_writes=read.number("SESSION_WRITES", least=1),
        session_comments=read.number("SESSION_COMMENTS", least=1),
        session_fetches=read.number("SESSION_FETCHES", least=1),
        session_lfs=read.number("SESSION_LFS", least=1),
        push_megabytes=read.number("PUSH_MEGABYTES", least=1),
        proxy_host=read.text("PROXY_HOST") or "127.0.0.1",
        proxy_port=read.number("PROXY_PORT", most=MOST_PORT),
        proxy_certificate=read.path("PROXY_CERTIFICATE"),
        proxy_key=read.path("PROXY_KEY"),
        proxy_plain=read.switch("PROXY_PLAIN"),
        proxy_socket=read.path("PROXY_SOCKET"),
        judges=_judges(read),
        judge_seconds=read.number("JUDGE_SECONDS", least=1, most=LONGEST_JUDGING),
        supervisor=read.path("SUPERVISOR"),
        supervisor_url=read.supervisor_url(),
        supervisor_secrets=read.secrets("SUPERVISOR_SECRET"),
        channels=read.path("CHANNELS"),
        canary_hours=read.number("CANARY_HOURS", most=LONGEST_CANARY),
        litellm=read.litellm(),
        operator_tokens=read.secrets("OPERATOR_TOKEN"),
        policy_baseline=read.text("POLICY_BASELINE"),
        ci_servers=_ci_servers(read),
        keep=_periods(read),
        oidc_issuers=tuple((read.text("OIDC_ISSUERS") or GITHUB_ACTIONS).replace(",", " ").split()),
    )
    read.refuse_misspelt()
    return with_registrations(settings)


def with_registrations(settings: Settings) -> Settings:
    """The settings with the Apps that were registered from the set-up page, where the environment names none.

    Raises UnreadableRegistration.
    """
    gate = load(settings.data, "gate") if settings.gate is None else None
    courier = load(settings.data, "courier") if settings.courier is None else None
    found: dict[str, Any] = {}
    if gate is not None:
        found |= {"gate": _app_of(gate), "polling": settings.polling or gate.polling}
        found["pages"] = settings.pages or _pages_of(gate)
        found["webhook_secrets"] = settings.webhook_secrets or gate.webhook_secrets
    if courier is not None:
        found["courier"] = _app_of(courier)
    return replace(settings, **found)


def _pages_of(registration: Registration) -> PageSettings | None:
    one = registration
    if not one.client_secrets:
        return None
    return PageSettings(public_url=one.public_url, client_id=one.client_id, client_secrets=one.client_secrets)


def _app_of(registration: Registration) -> AppSettings:
    return AppSettings(app_id=registration.app_id, private_keys=registration.private_keys)


def _periods(read: _Variables) -> Periods:
    """`MERGEGATE_KEEP_<KIND>`, in days. Raises Misconfigured."""
    periods = {}
    for name, usual in asdict(Periods()).items():
        days = read.whole(f"KEEP_{name.upper()}", usual.days)
        if not 1 <= days <= LONGEST_KEPT:
            raise Misconfigured(f"MERGEGATE_KEEP_{name.upper()}: {days} days; give 1 to {LONGEST_KEPT}")
        periods[name] = timedelta(days=days)
    return Periods(**periods)


def _ci_servers(read: _Variables) -> tuple[CiServer, ...]:
    try:
        return ci_servers(read.text)
    except ValueError as wrong:
        raise Misconfigured(str(wrong)) from None


def _judges(read: _Variables) -> dict[str, Path]:
    try:
        return judge_programs(read.text("JUDGES") or "")
    except ValueError as wrong:
        raise Misconfigured(f"MERGEGATE_JUDGES: {wrong}") from None


_ON, _OFF = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})


class _Variables:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._known: set[str] = set()

    def refuse_misspelt(self) -> None:
        """What nobody has asked for and is named almost as what somebody has: a limit in it would not be one."""
        for variable in sorted(self._environment):
            name = variable.removeprefix("MERGEGATE_")
            if name in (variable, *self._known) or not (meant := _nearest(name, self._known)):
                continue
            raise Misconfigured(
                f"{variable}: there is no such setting. If MERGEGATE_{meant} is meant, rename it; else remove it"
            )

    def text(self, name: str) -> str | None:
        self._known |= {name, f"{name}_FILE"}
        value = self._environment.get(f"MERGEGATE_{name}", "").strip()
        path = self._environment.get(f"MERGEGATE_{name}_FILE", "").strip()
        if value or not path:
            return value or None
        try:
            return Path(path).read_text(encoding="utf-8").strip() or None
        except (OSError, UnicodeError) as wrong:
            cause = wrong.strerror if isinstance(wrong, OSError) else "it is no text"
            raise Misconfigured(
                f"MERGEGATE_{name}_FILE: {Path(path).absolute()} cannot be read: {cause}. "
                "Name a file that the user of this process may read"
            ) from wrong

    def number(self, name: str, *, least: int = 0, most: int | None = None) -> int:
        """A whole number; where it is not given, the default of the setting of that name."""
        return self.whole(name, _USUAL[name.lower()], least=least, most=most)

    def whole(self, name: str, usual: int, *, least: int = 0, most: int | None = None) -> int:
        value = self.text(name)
        if value is None:
            return usual
        if not value.isascii() or not value.isdigit():
            raise Misconfigured(f"MERGEGATE_{name}: {value!r} is not a whole number")
        if int(value) < least:
            raise Misconfigured(f"MERGEGATE_{name}: {value} is less than {least}, which is the least that it can be")
        if most is not None and int(value) > most:
            raise Misconfigured(f"MERGEGATE_{name}: {value} is more than {most}, which is the most that it can be")
        return int(value)

    def switch(self, name: str) -> bool:
        value = (self.text(name) or "off").lower()
        if value not in _ON | _OFF:
            raise Misconfigured(f"MERGEGATE_{name}: {value!r} is neither on nor off; write 1 or 0")
        return value in _ON

    def path(self, name: str) -> Path | None:
        """The path of a file that is not read here; it has no `_FILE` form of its own."""
        self._known.add(name)
        value = self._environment.get(f"MERGEGATE_{name}", "").strip()
        return Path(value).absolute() if value else None

    def secrets(self, name: str) -> tuple[SecretStr, ...]:
        """One, or two while it is changed; each long enough not to be guessed."""
        text = self.text(name)
        found = () if text is None else secrets_in(text)
        if text is not None and min((len(one.get_secret_value()) for one in found), default=0) < SHORTEST_SECRET:
            raise Misconfigured(
                f"MERGEGATE_{name}: under {SHORTEST_SECRET} characters; make it with openssl rand -hex 32"
            )
        return found

    def github_api(self) -> str:
        url = self.text("GITHUB_API_URL") or GITHUB_API
        if not _is_address(url):
            raise Misconfigured(f"MERGEGATE_GITHUB_API_URL: {url!r} is no address; write https://HOST/api/v3")
        return url.rstrip("/")

    def watchdog(self, name: str) -> SecretStr | None:
        """An address that may hold a secret, so plain http only on this machine."""
        value = self.text(name)
        if value is not None and not _private(value):
            raise Misconfigured(f"MERGEGATE_{name}: it is not https, and its address is a secret")
        return None if value is None else SecretStr(value)

    def pages(self) -> PageSettings | None:
        """All three or none; plain http only on this machine, because the sign-in travels over it."""
        names = ("PUBLIC_URL", "CLIENT_ID", "CLIENT_SECRET")
        url, client_id, secret = (self.text(name) for name in names)
        if url is None or client_id is None or secret is None:
            given = {name for name in names if self.text(name) is not None}
            if not given:
                return None
            missing = ", ".join(f"MERGEGATE_{name}" for name in names if name not in given)
            raise Misconfigured(f"{missing}: missing, but the rest of what pages for people need is set")
        if not _private(url):
            raise Misconfigured(f"MERGEGATE_PUBLIC_URL: {url} is not https, and people sign in over it")
        secrets = secrets_in(secret)
        if not secrets:
            raise Misconfigured("MERGEGATE_CLIENT_SECRET: no secret in it; give the one that GitHub showed")
        return PageSettings(public_url=url.rstrip("/"), client_id=client_id, client_secrets=secrets)

    def litellm(self) -> LitellmSettings | None:
        """Both or none; plain http only on this machine, because keys travel over it."""
        url, key = self.text("LITELLM_URL"), self.text("LITELLM_KEY")
        if url is None and key is None:
            return None
        if url is None or key is None:
            missing = "LITELLM_URL" if url is None else "LITELLM_KEY"
            raise Misconfigured(f"MERGEGATE_{missing}: missing, but the other half of the metering gateway is set")
        if not _private(url):
            raise Misconfigured(f"MERGEGATE_LITELLM_URL: {url} is not https, and keys travel over it")
        return LitellmSettings(url=url.rstrip("/"), key=SecretStr(key))

    def supervisor_url(self) -> str | None:
        """With its secret, and without a program beside it; plain http only on this machine."""
        url, secret = self.text("SUPERVISOR_URL"), self.text("SUPERVISOR_SECRET")
        if (url is None) is not (secret is None):
            missing = "SUPERVISOR_URL" if url is None else "SUPERVISOR_SECRET"
            raise Misconfigured(f"MERGEGATE_{missing}: missing, but the other half of the supervisor is set")
        if url is not None and self.path("SUPERVISOR") is not None:
            raise Misconfigured("MERGEGATE_SUPERVISOR_URL: MERGEGATE_SUPERVISOR is set too; set one of them")
        if url is not None and not _private(url):
            raise Misconfigured(f"MERGEGATE_SUPERVISOR_URL: {url} is not https, and agents' tokens travel over it")
        return url

    def app(self, id_name: str, key_name: str) -> AppSettings | None:
        app_id, keys = self.text(id_name), self.text(key_name)
        if app_id is None and keys is None:
            return None
        if app_id is None or keys is None:
            missing = id_name if app_id is None else key_name
            raise Misconfigured(
                f"MERGEGATE_{missing}: missing, but the other half of the App is set. Set both, or neither"
            )
        return AppSettings(app_id=self.whole(id_name, 0), private_keys=_private_keys(keys))


def _nearest(name: str, known: Collection[str]) -> str | None:
    ending = "_FILE" if name.endswith("_FILE") else ""
    alike = difflib.get_close_matches(
        name.removesuffix(ending), [one for one in known if one[-5:] != "_FILE"], 1, ALIKE
    )
    return next((one + ending if one + ending in known else one for one in alike), None)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _private(url: str) -> bool:
    """Whether nobody on the way can read along."""
    parts = urlsplit(url)
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    return parts.scheme == "https" or (parts.scheme == "http" and local)


def _private_keys(text: str) -> tuple[SecretStr, ...]:
    keys = keys_in(text)
    if not keys:
        raise Misconfigured(
            "MERGEGATE_PRIVATE_KEY: no PEM private key in it; give the file that GitHub let you download"
        )
    return keys
