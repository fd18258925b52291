"""Pushes as other versions of git begin them: what their capability lists were seen to be, on the proxy's socket.

The lists are from traces and recorded requests that users of those versions published, with the branch of this test in
the place of theirs; those of 2.39.5, libgit2 and dulwich were recorded as answers to the very list that the proxy
offers. Fetching has no such table, because it is passed on unread.
"""

from __future__ import annotations

import pytest

from tests.proxy.scene import Scene
from tests.proxy.test_attacks_http import status
from tests.proxy.test_attacks_push import pack_of, push
from tests.proxy.test_wire import FLUSH, command

pytestmark = pytest.mark.anyio
ZERO = "0" * 40
SEEN = {
    "1.7.12": b" report-status side-band-64k agent=git/1.7.12.4.(Apple.Git-37)",
    "2013, without a name": b"report-status side-band-64k",
    "1.9.5": b" report-status side-band-64k agent=git/1.9.5.(Apple.Git-50.3)",
    "2.13": b" report-status agent=git/2.13.0.497.g5af12421b0",
    "2.24": b" report-status side-band-64k quiet agent=git/2.24.0.1.g52e0cf1d06",
    "2.41": b" report-status-v2 side-band-64k quiet object-format=sha1 agent=git/2.41.0.rc0.368.gaafabc8979",
    "2.43, with a line's end": b" report-status-v2 side-band-64k quiet object-format=sha1 agent=git/2.43.0\n",
    "2.39.5": b" report-status-v2 side-band-64k quiet object-format=sha1 agent=git/2.39.5",
    "libgit2 1.9.7": b" report-status side-band-64k\n",
    "dulwich 1.2.21": b"agent=dulwich/1.2.21 delete-refs ofs-delta report-status side-band-64k",
    "2.50, with its system": b" report-status-v2 side-band-64k object-format=sha1 agent=git/2.50.1-Linux",
}


@pytest.fixture
def town(shared_town: Scene) -> Scene:
    return shared_town


@pytest.mark.parametrize("capabilities", SEEN.values(), ids=SEEN.keys())
async def test_its_pushes_are_understood(town: Scene, capabilities: bytes) -> None:
    name = f"refs/heads/agent/v{sorted(SEEN.values()).index(capabilities)}"
    token, grant = await town.open(branch=name)
    main, before = town.refs()["refs/heads/main"], len(town.upstream)
    refused = command("refs/heads/main", old=main, new=ZERO, capabilities=capabilities) + FLUSH
    answer = await push(town, refused, token=token)
    assert status(answer) == 200 and b"ng refs/heads/main refused by Mergegate\n" in answer
    assert (b"\x02Mergegate refused this push" in answer) is (b"side-band-64k" in capabilities)
    assert town.since(before) == []
    made = command(name, old=ZERO, new=main, capabilities=capabilities) + FLUSH + pack_of(main, town)
    answer = await push(town, made, token=token)
    assert b"unpack ok\n" in answer and b"ok " + name.encode() + b"\n" in answer
    assert town.refs()[name] == main and await town.outcomes(grant) == ["done"]


async def test_push_options_of_git_2_39_behind_a_shallow_line_are_refused(town: Scene) -> None:
    """As a trace of 2.39.2 shows them: only where a server offers them, which the proxy does not."""
    main, before = town.refs()["refs/heads/main"], len(town.upstream)
    capabilities = b" report-status-v2 side-band-64k quiet push-options object-format=sha1 agent=git/2.39.2.windows.1"
    shallow = b"0035shallow " + main.encode() + b"\n"
    body = shallow + command(old=ZERO, new=main, capabilities=capabilities) + FLUSH + b"000bci.skip" + FLUSH
    answer = await push(town, body + pack_of(main, town))
    assert b"push options (`git push -o`) are not passed on" in answer and b"ng refs/heads/agent/work" in answer
    assert town.since(before) == []
