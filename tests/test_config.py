"""Settings: what is missing or malformed is named, secrets are never shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.config import Misconfigured, read_settings

ROOT = Path(__file__).parents[1]
TEXTS = {".md", ".py", ".yml", ".yaml", ".service", ".env", ".sh", ".mk", ".conf", ".example"}
PARTS = ("app", "deploy", "tests")
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\n"
OTHER = KEY.replace("MIIB", "MIIC")


def test_without_variables_nothing_is_connected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = read_settings({})
    assert settings.gate is None
    assert settings.data == tmp_path / "data"


def test_keys_and_secrets_from_files(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text(KEY + OTHER, encoding="ascii")
    (tmp_path / "secret").write_text("old new\n", encoding="ascii")
    settings = read_settings(
        {
            "MERGEGATE_APP_ID": "7",
            "MERGEGATE_PRIVATE_KEY_FILE": str(tmp_path / "key.pem"),
            "MERGEGATE_WEBHOOK_SECRET_FILE": str(tmp_path / "secret"),
        }
    )
    assert settings.gate is not None
    assert [key.get_secret_value() for key in settings.gate.private_keys] == [KEY, OTHER]
    assert [secret.get_secret_value() for secret in settings.webhook_secrets] == ["old", "new"]
    assert "MIIB" not in repr(settings)
    assert settings.pages is None
    assert "old" not in repr(settings.webhook_secrets)


def test_pages_for_people_need_their_address_and_the_apps_client() -> None:
    names = {"PUBLIC_URL": "http://localhost:8000/", "CLIENT_ID": "Iv23", "CLIENT_SECRET": "hidden"}
    settings = read_settings({f"MERGEGATE_{name}": value for name, value in names.items()})
    assert settings.pages is not None
    assert settings.pages.public_url == "http://localhost:8000"
    assert "hidden" not in repr(settings)


def test_a_metering_gateway_needs_its_address_and_a_key() -> None:
    names = {"MERGEGATE_LITELLM_URL": "https://models.example/", "MERGEGATE_LITELLM_KEY": "sk-hidden"}
    settings = read_settings(names)
    assert settings.litellm is not None and settings.litellm.url == "https://models.example"
    assert "sk-hidden" not in repr(settings)


PORTS = ("PORT", "METRICS_PORT", "PROXY_PORT")
NO_ADDRESSES = ("github.example", "ftp://github.example", "https://", "https://[")
WRONG = [
    ({"MERGEGATE_PUBLIC_URL": "https://gate.example"}, "MERGEGATE_CLIENT_ID, MERGEGATE_CLIENT_SECRET: missing"),
    (
        {
            "MERGEGATE_PUBLIC_URL": "http://gate.example",
            "MERGEGATE_CLIENT_ID": "Iv23",
            "MERGEGATE_CLIENT_SECRET": "s",
        },
        "not https",
    ),
    ({"MERGEGATE_LITELLM_URL": "https://models.example"}, "MERGEGATE_LITELLM_KEY: missing"),
    ({"MERGEGATE_LITELLM_KEY": "sk-1"}, "MERGEGATE_LITELLM_URL: missing"),
    ({"MERGEGATE_LITELLM_URL": "http://models.example", "MERGEGATE_LITELLM_KEY": "sk-1"}, "not https"),
    ({"MERGEGATE_JUDGES": "one=judge"}, "MERGEGATE_JUDGES: 'one=judge' is not NAME=/PATH"),
    ({"MERGEGATE_JUDGE_SECONDS": "281"}, "MERGEGATE_JUDGE_SECONDS: 281 is more than 280"),
    ({"MERGEGATE_CANARY_HOURS": "169"}, "MERGEGATE_CANARY_HOURS: 169 is more than 168"),
    ({"MERGEGATE_PORT": "http"}, "MERGEGATE_PORT"),
    *(({f"MERGEGATE_{name}": "65536"}, f"MERGEGATE_{name}: 65536 is more than 65535") for name in PORTS),
    *(({"MERGEGATE_GITHUB_API_URL": url}, "GITHUB_API_URL: '.*' is no address") for url in NO_ADDRESSES),
    ({"MERGEGATE_APP_ID": "7"}, "MERGEGATE_PRIVATE_KEY: missing"),
    ({"MERGEGATE_PRIVATE_KEY": KEY}, "MERGEGATE_APP_ID: missing"),
    ({"MERGEGATE_APP_ID": "seven", "MERGEGATE_PRIVATE_KEY": KEY}, "MERGEGATE_APP_ID"),
    ({"MERGEGATE_APP_ID": "7", "MERGEGATE_PRIVATE_KEY": "MIIB"}, "no PEM private key"),
    (
        {"MERGEGATE_DATABASE_URL_FILE": "/nonexistent/url"},
        "MERGEGATE_DATABASE_URL_FILE: /nonexistent/url cannot be read: No such file or directory. Name a file",
    ),
    ({"MERGEGATE_SLOTS": "0"}, "MERGEGATE_SLOTS: 0 is less than 1"),  # a worker that would never take anything
    ({"MERGEGATE_POLLING": "ja"}, "MERGEGATE_POLLING: 'ja' is neither on nor off; write 1 or 0"),
]


@pytest.mark.parametrize(("environment", "named"), WRONG)
def test_what_is_wrong_is_named(environment: dict[str, str], named: str) -> None:
    with pytest.raises(Misconfigured, match=named):
        read_settings(environment)


def test_polling_shortens_the_clock() -> None:
    assert read_settings({"MERGEGATE_POLLING": "1"}).resync_interval == 20
    assert read_settings({}).resync_interval == 600


def test_servers_of_other_ci_systems(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("bkua_1\n", encoding="ascii")
    settings = read_settings({"MERGEGATE_BUILDKITE_TOKEN_FILE": str(tmp_path / "token")})
    assert [server.system for server in settings.ci_servers] == ["buildkite"]
    assert "bkua_1" not in repr(settings)
    with pytest.raises(Misconfigured, match="MERGEGATE_JENKINS_USER: missing"):
        read_settings({"MERGEGATE_JENKINS_TOKEN": "x", "MERGEGATE_JENKINS_URL": "https://ci.acme.test"})


def test_judges_and_canaries() -> None:
    settings = read_settings({"MERGEGATE_JUDGES": "one=/a/b two=/c", "MERGEGATE_CANARY_HOURS": "0"})
    assert settings.judges == {"one": Path("/a/b"), "two": Path("/c")}
    assert (settings.judge_seconds, settings.canary_hours, read_settings({}).canary_hours) == (240, 0, 24)


MISSPELT = {
    "MERGEGATE_ACCOUNT": "MERGEGATE_ACCOUNTS",
    "MERGEGATE_WEBHOOK_SECRETS_FILE": "MERGEGATE_WEBHOOK_SECRET_FILE",
    "MERGEGATE_PROXY_CERTIFICATE_FILE": "MERGEGATE_PROXY_CERTIFICATE",  # it is a path already
    "MERGEGATE_WRITES_PER_MINUT": "MERGEGATE_WRITES_PER_MINUTE",
}


@pytest.mark.parametrize(("given", "meant"), MISSPELT.items())
def test_a_misspelt_name_is_not_passed_over(given: str, meant: str) -> None:
    with pytest.raises(Misconfigured, match=f"{given}: .*{meant} is meant"):
        read_settings({given: "x"})


def test_no_name_that_is_written_anywhere_here_is_taken_for_another_one() -> None:
    """Those of agents' machines, of the demonstration and of the tests stand in the same environments."""
    files = [ROOT / "README.md", *(path for part in PARTS for path in (ROOT / part).rglob("*") if path.suffix in TEXTS)]
    names = {name for path in files for name in re.findall(r"MERGEGATE_[A-Z_]*[A-Z]\b", path.read_text("utf-8"))}
    names -= MISSPELT.keys()
    assert len(names) > 80
    assert read_settings(dict.fromkeys(names, "")).gate is None
