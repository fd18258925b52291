"""What sources in languages other than Python can do to a test run besides changing tests.

As in `python_patterns`, only what the change adds counts: sightings of the old side, wherever in the difference, are
taken off those of the new one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from checks.tampering import rust_modules
from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.csharp_patterns import LOOKS as CSHARP
from checks.tampering.go_patterns import LOOKS as GO
from checks.tampering.java_patterns import LOOKS as JAVA
from checks.tampering.javascript_patterns import LOOKS as JAVASCRIPT
from checks.tampering.languages import JAVASCRIPT_ENDINGS, speaks_of_tests
from checks.tampering.places import extension, is_test_path
from checks.tampering.python.sighting import Sighting
from checks.tampering.ruby_patterns import LOOKS as RUBY
from checks.tampering.rust_patterns import LOOKS as RUST
from checks.tampering.sightings import Looks

_LOOKS: dict[str, Looks] = {
    **dict.fromkeys(JAVASCRIPT_ENDINGS, JAVASCRIPT),
    "go": GO,
    "rs": RUST,
    "java": JAVA,
    "rb": RUBY,
    "cs": CSHARP,
}
_Key = tuple[str, str, Weight]


def alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    found = [(sighting, path) for change in changes for path, sighting in _sightings(change.after)]
    known = Counter(_key(one) for change in changes if found for _, one in _sightings(change.before))
    yield from rust_modules.alterations(changes)
    for sighting, path in found:
        if known[_key(sighting)]:
            known[_key(sighting)] -= 1
        else:
            text = sighting.text[:LONGEST_QUOTE]
            yield Alteration(
                sighting.kind, path, sighting.line, "", text, sighting.reason, sighting.weight, subject=path
            )


def _sightings(side: Version | None) -> Iterator[tuple[str, Sighting]]:
    looks = _LOOKS.get(extension(side.path)) if side is not None else None
    if side is None or looks is None or side.data is None or looks.sign.search(side.data) is None:
        return
    found = looks.sightings(side.path, side.data, holds_tests=speaks_of_tests(side.path, side.data))
    for sighting in (_unreadable(side.path),) if found is None else found:
        yield side.path, sighting


def _key(sighting: Sighting) -> _Key:
    return sighting.kind, sighting.text, sighting.weight


def _unreadable(path: str) -> Sighting:
    """Large product code is mostly made by tools; of tests a person must see it."""
    weight = Weight.PERSON if is_test_path(path) else Weight.RISK
    reason = "This source is too large or too deeply nested to be read, and may steer a test run."
    return Sighting("unreadable-source", "", 1, reason, weight)
