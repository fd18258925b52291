"""The head of a push: every row of what C git was seen to accept, and what is let through of it."""

from __future__ import annotations

import pytest

from app.proxy.authorize import AllowedPush, decide
from app.proxy.grant import Right
from app.proxy.wire import HEAD_LIMIT, ZERO, Malformed, PushHead, packet
from tests.proxy.build import BRANCH, GRANT, grant

OLD, NEW = "1" * 40, "2" * 40
CAPABILITIES = b"report-status-v2 side-band-64k object-format=sha1 agent=git/2.39.5"
FLUSH = b"0000"


def command(
    ref: str | bytes = BRANCH, old: str = OLD, new: str = NEW, capabilities: bytes | None = CAPABILITIES
) -> bytes:
    name = ref if isinstance(ref, bytes) else ref.encode()
    return packet(f"{old} {new} ".encode() + name + (b"" if capabilities is None else b"\0" + capabilities))


def read(data: bytes) -> PushHead:
    head = PushHead()
    head.feed(data)
    if not head.ended:
        head.end()
    return head


def verdict(data: bytes, **changes: object) -> str:
    """`allowed`, or why not."""
    try:
        decided = decide(grant(**changes), read(data).commands)
    except Malformed as malformed:
        return str(malformed)
    return "allowed" if isinstance(decided, AllowedPush) else decided.because


def test_the_usual_push() -> None:
    head = read(command(capabilities=b" " + CAPABILITIES) + FLUSH + b"PACK...")
    assert [(one.old, one.new, one.ref) for one in head.commands] == [(OLD, NEW, BRANCH.encode())]
    assert head.side_band and head.wants_report and head.rest == b"PACK..." and not head.is_probe
    assert verdict(command() + FLUSH) == "allowed"


REFUSED = [
    # 3.2, row by row.
    ("second command for another ref", command() + command("refs/heads/main", capabilities=None) + FLUSH),
    ("first command for another ref", command("refs/heads/main") + command(capabilities=None) + FLUSH),
    ("capabilities on the second line", command(capabilities=None) + command(capabilities=CAPABILITIES) + FLUSH),
    ("LF before NUL", packet(f"{OLD} {NEW} {BRANCH}\n".encode() + b"\0" + CAPABILITIES) + FLUSH),
    ("two LF at the end", packet(f"{OLD} {NEW} {BRANCH}\n\n".encode()) + FLUSH),
    ("ended by 0001", command() + b"0001"),
    ("ended by 0002", command() + b"0002"),
    ("ended by 0003", command() + b"0003"),
    ("ended by nothing", command()),
    ("an empty packet", command() + b"0004" + FLUSH),
    ("NUL inside the name", packet(f"{OLD} {NEW} {BRANCH}".encode() + b"\0refs/heads/main\0" + CAPABILITIES) + FLUSH),
    ("a name that is cut to the branch of main", packet(f"{OLD} {NEW} refs/heads/main\0{BRANCH}".encode()) + FLUSH),
    ("HEAD", command("HEAD") + FLUSH),
    ("doubled slash", command("refs/heads//agent/work") + FLUSH),
    ("dots", command("refs/heads/x/../agent/work") + FLUSH),
    ("trailing blank", command(BRANCH + " ") + FLUSH),
    ("leading blank", command(" " + BRANCH) + FLUSH),
    ("other case", command("refs/heads/Agent/work") + FLUSH),
    ("invalid UTF-8", command(BRANCH.encode() + b"\xff") + FLUSH),
    ("refs/pull", command("refs/pull/1/head") + FLUSH),
    ("refs/notes", command("refs/notes/commits") + FLUSH),
    ("refs/for", command("refs/for/main") + FLUSH),
    ("refs/replace", command(f"refs/replace/{NEW}") + FLUSH),
    ("same ref twice", command() + command(capabilities=None) + FLUSH),
    ("push certificate", packet(b"push-cert\0" + CAPABILITIES) + command(capabilities=None) + FLUSH),
    ("push certificate after a command", command() + packet(b"push-cert\n") + FLUSH),
    ("push certificate's nonce as a capability", command(capabilities=b"push-cert=1234") + FLUSH),
    ("push options", command(capabilities=CAPABILITIES + b" push-options") + FLUSH + packet(b"ci.skip") + FLUSH),
    ("SHA-256 ids", command(old="1" * 64, new="2" * 64) + FLUSH),
    ("SHA-256 by capability", command(capabilities=b"report-status object-format=sha256") + FLUSH),
    ("unknown capability", command(capabilities=b"report-status x-remote-code") + FLUSH),
    ("the old side band", command(capabilities=b"report-status side-band") + FLUSH),
    ("capabilities with another NUL", command(capabilities=CAPABILITIES + b"\0push-options") + FLUSH),
    ("capabilities with a line", command(capabilities=CAPABILITIES + b"\nx") + FLUSH),
    # T25
    ("a tag", command("refs/tags/v1") + FLUSH),
    ("refs/heads alone", command("refs/heads") + FLUSH),
    ("refs/heads/ alone", command("refs/heads/") + FLUSH),
    ("the branch as a prefix", command(BRANCH + "2") + FLUSH),
    ("the branch as a folder", command(BRANCH + "/x") + FLUSH),
    ("a part of the branch", command("refs/heads/agent") + FLUSH),
    ("the short name", command("agent/work") + FLUSH),
    ("no name", packet(f"{OLD} {NEW} ".encode()) + FLUSH),
    # T18
    (
        "forbidden 1,001st",
        command() + command(capabilities=None) * 999 + command("refs/heads/main", capabilities=None) + FLUSH,
    ),
    ("12,000 commands", command() + command(capabilities=None) * 11_999 + FLUSH),
    # T22
    ("shallow after the command", command() + packet(f"shallow {OLD}\n".encode()) + FLUSH),
    ("shallow with a name", packet(f"shallow {BRANCH}".encode()) + command() + FLUSH),
    ("shallow with two LF", packet(f"shallow {OLD}\n\n".encode()) + command() + FLUSH),
    ("shallow alone", packet(f"shallow {OLD}".encode()) + FLUSH),
    ("too many shallow lines", packet(f"shallow {OLD}".encode()) * 21_000 + command() + FLUSH),
    # Commands that are none.
    ("an id that is short", packet(f"{OLD[:-1]} {NEW} {BRANCH}".encode()) + FLUSH),
    ("an id with other digits", packet(f"{'g' * 40} {NEW} {BRANCH}".encode()) + FLUSH),
    ("two blanks", packet(f"{OLD}  {NEW} {BRANCH}".encode()) + FLUSH),
    ("a tab", packet(f"{OLD}\t{NEW} {BRANCH}".encode()) + FLUSH),
    ("words", packet(b"hello") + FLUSH),
    ("a control character", command(BRANCH + "\x1b[2J") + FLUSH),
    ("nothing", b""),
    # T19
    *(
        (f"length {digits!r}", digits + command()[4:] + FLUSH)
        for digits in (b"+09e", b"-09e", b" 9e ", b"0x9e", b"0_9e")
    ),
    *(
        (f"length {digits!r}", digits + b"x" * 70_000)
        for digits in (b"0003", b"0004", b"fff1", b"ffff", b"zzzz", b"\0\0\0\0")
    ),
    # T20: the signature of a pack in other places changes nothing.
    ("PACK in a ref", command("refs/heads/PACK") + FLUSH),
    ("PACK for a length", command() + b"PACK" + FLUSH),
]


@pytest.mark.parametrize("data", [data for _, data in REFUSED], ids=[name for name, _ in REFUSED])
def test_refused(data: bytes) -> None:
    assert verdict(data) != "allowed"
    assert verdict(data, rights=frozenset(Right)) != "allowed"


ALLOWED = [
    ("capabilities ended by one LF", command(capabilities=CAPABILITIES + b"\n") + FLUSH),
    ("a name ended by one LF", packet(f"{OLD} {NEW} {BRANCH}\n".encode()) + FLUSH),
    ("no capabilities", command(capabilities=None) + FLUSH),
    ("upper-case ids", command(old="A" * 40, new="B" * 40) + FLUSH),
    ("upper-case length", command()[:4].upper() + command()[4:] + FLUSH),
    (
        "shallow lines before",
        packet(f"shallow {OLD}\n".encode()) + packet(f"shallow {NEW}".encode()) + command() + FLUSH,
    ),
    ("atomic", command(capabilities=CAPABILITIES + b" atomic quiet ofs-delta delete-refs") + FLUSH),
    ("PACK in the agent's name", command(capabilities=b"report-status agent=PACK") + FLUSH),
    ("a session id", command(capabilities=b"report-status session-id=1-2-3") + FLUSH),
]


@pytest.mark.parametrize("data", [data for _, data in ALLOWED], ids=[name for name, _ in ALLOWED])
def test_allowed(data: bytes) -> None:
    assert verdict(data) == "allowed"


def test_ids_are_read_as_git_reads_them() -> None:
    (read_command,) = read(command(old="A" * 40) + FLUSH).commands
    assert read_command.old == "a" * 40


def test_any_split_gives_the_same() -> None:
    data = packet(f"shallow {OLD}\n".encode()) + command() + FLUSH + b"PACK"
    for cut in range(len(data) + 1):
        head = PushHead()
        head.feed(data[:cut])
        head.feed(data[cut:])
        assert head.ended and head.rest == b"PACK" and head.head == data[:-4] and len(head.commands) == 1
    head = PushHead()
    for number in range(len(data)):
        head.feed(data[number : number + 1])
    assert head.ended and head.rest == b"PACK"


def test_no_prefix_is_a_whole_head() -> None:
    data = command() + FLUSH
    for cut in range(len(data)):
        head = PushHead()
        head.feed(data[:cut])
        assert not head.ended
        with pytest.raises(Malformed):
            head.end()


def test_a_probe_is_a_lone_flush() -> None:
    head = read(FLUSH)
    assert head.is_probe and head.rest == b""
    assert not read(command() + FLUSH).is_probe


def test_the_head_is_bounded_before_it_is_kept() -> None:
    head = PushHead(limit=1000)
    line = packet(f"shallow {OLD}".encode())
    for _ in range(19):
        head.feed(line)
    with pytest.raises(Malformed, match="longer than 1000 bytes"):
        head.feed(line)
    assert HEAD_LIMIT == 1 << 20


DELETE = command(new=ZERO) + FLUSH
CREATE = command(old=ZERO) + FLUSH


@pytest.mark.parametrize(
    ("data", "rights", "expected"),
    [
        (CREATE, {Right.PUSH}, "allowed"),
        (CREATE, {Right.FORCE}, "allowed"),
        (CREATE, {Right.DELETE}, "this session may read, but not push"),
        (CREATE, set(), "this session may read, but not push"),
        (CREATE, {Right.PULL_REQUEST, Right.COMMENT}, "this session may read, but not push"),
        (DELETE, {Right.DELETE}, "allowed"),
        (DELETE, {Right.PUSH, Right.FORCE}, "this session may not delete"),
        (command(old=ZERO, new=ZERO) + FLUSH, set(Right), "this session may not delete"),
        (command("refs/heads/main", new=ZERO) + FLUSH, set(Right), "refs/heads/main is not this session's branch"),
    ],
)
def test_rights(data: bytes, rights: set[Right], expected: str) -> None:
    assert expected in verdict(data, rights=frozenset(rights))


def test_only_an_update_without_the_right_to_force_must_be_a_fast_forward() -> None:
    def forward(data: bytes, *rights: Right) -> bool:
        decided = decide(grant(rights=frozenset(rights)), read(data).commands)
        assert isinstance(decided, AllowedPush)
        return decided.forward_only

    assert forward(command() + FLUSH, Right.PUSH)
    assert not forward(command() + FLUSH, Right.PUSH, Right.FORCE)
    assert not forward(CREATE, Right.PUSH)
    assert not forward(DELETE, Right.DELETE)


def test_a_refusal_says_what_is_allowed_and_whether_a_retry_helps() -> None:
    refusal = decide(GRANT, read(command("refs/heads/main") + FLUSH).commands)
    assert not isinstance(refusal, AllowedPush)
    assert refusal.sentence == (
        "Mergegate refused this push: refs/heads/main is not this session's branch. This session may read acme/shop, "
        "push to refs/heads/agent/work, open and edit its pull request into refs/heads/main, comment on that and on "
        "its ticket, and nothing else. Push with: git push origin HEAD:agent/work. Trying the same again will not help."
    )


def test_a_name_in_a_refusal_cannot_do_anything() -> None:
    name = "refs/heads/\u202e\x9b" + "x" * 500
    refusal = decide(GRANT, read(command(name) + FLUSH).commands)
    assert not isinstance(refusal, AllowedPush)
    assert "\u202e" not in refusal.sentence and "\x9b" not in refusal.sentence and "x" * 201 not in refusal.sentence
