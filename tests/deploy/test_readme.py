"""What the README shows is accepted by the code as it stands."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from app.cli import commands
from app.config import Settings, read_settings
from app.gate.presets import read_presets
from checks.bundle import Bundle, parse_bundle
from checks.commands import read_commands
from policies.load import load
from policies.tickets.verbs import VERBS
from tests.gate.catalogue import IN_DIFFS, IN_TESTS, IN_WORDS, IN_WORKFLOWS, Cheat

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(opening: str) -> str:
    """The content of the first fenced block that opens so."""
    return README.split(f"{opening}\n", 1)[1].split("\n```", 1)[0]


def test_the_policy_example_loads() -> None:
    assert load(block("```yaml"), read_presets()).requirements.medium.approvals == 1


def test_what_the_demonstration_ends_with_is_what_it_prints() -> None:
    told = (ROOT / "tests" / "demo" / "__main__.py").read_text(encoding="utf-8")
    for line in block("`make demo` ends with\n\n```").splitlines():
        said = line.strip().removeprefix("✓ ").partition(", in 22 s.")[0]
        assert said in told, line


def test_the_bundle_example_is_a_bundle() -> None:
    assert isinstance(parse_bundle(block("```mergegate")), Bundle)


@pytest.mark.parametrize("name", [each.name for each in fields(Settings)])
def test_every_setting_is_documented(name: str) -> None:
    variables = {
        "gate": "MERGEGATE_APP_ID",
        "courier": "MERGEGATE_COURIER_APP_ID",
        "pages": "MERGEGATE_PUBLIC_URL",
        "ci_servers": "MERGEGATE_BUILDKITE_TOKEN",
        "keep": "MERGEGATE_KEEP_DECISIONS",
        "litellm": "MERGEGATE_LITELLM_URL",
        "webhook_secrets": "MERGEGATE_WEBHOOK_SECRET",
        "operator_tokens": "MERGEGATE_OPERATOR_TOKEN",
        "supervisor_secrets": "MERGEGATE_SUPERVISOR_SECRET",
    }
    assert variables.get(name, f"MERGEGATE_{name.upper()}") in README


def test_defaults_are_those_of_the_table() -> None:
    settings = read_settings({})
    assert (settings.host, settings.port, settings.slots) == ("127.0.0.1", 8000, 8)
    assert (settings.resync_seconds, settings.writes_per_minute) == (600, 60)


@pytest.mark.parametrize("name", sorted(commands.COMMANDS))
def test_every_command_is_documented(name: str) -> None:
    assert f"`mergegate {name}" in README or f"`{name}`" in README


@pytest.mark.parametrize("cheat", [*IN_TESTS, *IN_WORDS, *IN_WORKFLOWS, *IN_DIFFS], ids=lambda cheat: cheat.name)
def test_every_cheat_that_is_tried_is_in_the_table(cheat: Cheat) -> None:
    cells = [row.split("|")[1] for row in README.splitlines() if row.startswith("| ")]
    listed = [
        part.partition("-")[::2] for cell in cells for part in cell.replace(" ", "").split(",") if part[:1].isdigit()
    ]
    assert any(int(first) <= cheat.number <= int(last or first) for first, last in listed)


@pytest.mark.parametrize(
    "document", ["README.md", "deploy/README.md", "deploy/SECURITY.md", "deploy/agent-vm/README.md"]
)
def test_what_a_document_links_to_is_there(document: str) -> None:
    """A test that a row names must exist; addresses elsewhere are not asked."""
    path = ROOT / document
    links = re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert missing == []


def test_what_the_first_week_says_to_type_are_commands() -> None:
    section = README.split("### First week\n", 1)[1].split("\n### ", 1)[0]
    blocks = re.findall(r"```text\n(.*?)```", section, re.S)
    typed = [line.strip() for block in blocks for line in block.splitlines() if line.strip()]
    assert len(typed) >= 6
    for line in typed:
        said = read_commands(line)
        assert [one.verb in VERBS for one in said] == [True], line
    inline = {word.split()[0] for word in re.findall(r"`/([a-z][^`]*)`", section)}
    assert inline <= set(VERBS), inline
