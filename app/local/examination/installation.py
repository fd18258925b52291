"""The gate's App as it is installed: whether it is served, may do what it must, and hears of what happens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.local.examination.facts import CouldNotRead, Facts, Installed, Symptom

_TOO_MUCH = {
    "workflows": "an agent's branch can bring a workflow file that names any secret",
    "administration": "who holds its token can change the rules",
}


def symptoms(facts: Facts) -> Iterator[Symptom]:
    here = facts.installed
    if isinstance(here, CouldNotRead):
        what = f"The App's installation could not be read: {here.because}"
        yield Symptom("unknown", what, "Configure the gate here.")
    elif here is None:
        yield Symptom("wrong", "The gate's App is not installed on this repository.", "Install it.")
    else:
        yield from _state(here)
        yield from _rights(facts, here)
    yield from _courier(facts.courier)


def _state(here: Installed) -> Iterator[Symptom]:
    if not here.served:
        what = "The service ignores installations of this account: it is not in MERGEGATE_ACCOUNTS."
        yield Symptom("wrong", what, "Add the account there and start the service again.")
    if here.suspended:
        yield Symptom("wrong", "The App's installation is suspended.", "Unsuspend it in the account's settings.")


def _rights(facts: Facts, here: Installed) -> Iterator[Symptom]:
    for lack in lacking(here.granted, facts.asked):
        yield Symptom("wrong", f"The App {lack}.", "Grant it in the App's settings and accept it in the installation.")
    missing = [event for event in facts.asked_events if event not in here.events]
    if missing:
        yield Symptom("wrong", f"The App does not hear of {', '.join(missing)}.", "Tick them in the App's settings.")


def lacking(granted: Mapping[str, str], asked: Mapping[str, str]) -> Iterator[str]:
    """What an App may not do of what its manifest asks, each as the rest of a sentence."""
    order = ("none", "read", "write", "admin")
    for permission, level in sorted(asked.items()):
        given = granted.get(permission, "none")
        if given not in order or order.index(given) < order.index(level):
            yield f"may only `{given}` `{permission}` and needs `{level}`"


def _courier(writer: Installed | CouldNotRead | None) -> Iterator[Symptom]:
    """Whatever agents push carries its token, so what it may not do they cannot."""
    if isinstance(writer, CouldNotRead):
        what = f"The installation of the courier's App could not be read: {writer.because}"
        yield Symptom("unknown", what, "Look at its key and at GitHub's answer, and run the same command again.")
    for name, reach in _TOO_MUCH.items():
        if isinstance(writer, Installed) and writer.granted.get(name) == "write":
            what = f"The courier's App may write `{name}`: {reach}."
            yield Symptom("wrong", what, "Take it out of that App's permissions; the courier never needs it.")
