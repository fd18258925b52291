"""Whose pull request it is, as DESIGN says: markers only add, and unknown is an agent's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks import people
from checks.accounts import Account, Commit, Permission
from checks.diff import Diff, FileStatus
from checks.electorate import permission_of
from checks.paths import PathPatterns
from checks.people import AgentMarkers, Classification, DependencyBots, PeopleRule, classify, has_proven_mark
from checks.snapshot import Head, Snapshot
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import HEAD, OPERATOR, READER, REVIEWER, commit, persons

SHORT = HEAD[:12]
WEB_FLOW = Account("web-flow", 19864447)
COPILOT = Account("Copilot", 198982749, "Bot")
MACHINE = Account("Build-Agent", 950)
LISTED = PeopleRule(None, ("Olivia",))
UNREAD = Unread("HTTP 502")


def _head(**changes: Any) -> Head:
    return replace(persons().head, **changes)


def _classify(
    snapshot: Snapshot, rule: PeopleRule = build.WRITERS, bots: DependencyBots | None = None
) -> Classification:
    return classify(snapshot, build.NAMESPACE, rule, bots)


@pytest.mark.parametrize(
    ("snapshot", "rule"),
    [
        (persons(), build.WRITERS),
        (persons(), LISTED),
        (persons(), PeopleRule(None, (), ("crew",))),
        (persons(permissions={"OLIVIA": Permission.ADMIN}), build.WRITERS),
        (persons(commits=(commit(OPERATOR), commit(REVIEWER, OPERATOR))), build.WRITERS),
        (persons(commits=(commit(READER, OPERATOR),)), build.WRITERS),
        (
            persons(commits=(commit(OPERATOR, WEB_FLOW, signature_valid=True, signed_by_github=True),)),
            build.WRITERS,
        ),
        (
            persons(commits=(commit(OPERATOR, message="s\n\nReviewed-by: Claude\nSigned-off-by: Claude"),)),
            build.WRITERS,
        ),
        (
            persons(commits=(commit(OPERATOR, message="s\n\nCo-authored-by: R <r@example.com>\nX: y"),)),
            build.WRITERS,
        ),
        (persons(head=_head(repository_id=701)), build.WRITERS),
    ],
)
def test_a_person_s(snapshot: Snapshot, rule: PeopleRule) -> None:
    snapshot = replace(snapshot, teams={"crew": frozenset({"Olivia"})})
    found = _classify(snapshot, rule)
    assert found == Classification(
        "person", "Its author, its pusher and every committer are people of this repository."
    )


@pytest.mark.parametrize(
    ("snapshot", "marker"),
    [
        (persons(session_agent="claude"), "the head was pushed through a session of claude"),
        (
            persons(head=_head(ref="refs/heads/agent/x")),
            "the branch `agent/x` is in the agents' namespace `agent/*`",
        ),
        (
            persons(head=_head(ref="refs/heads/Agent/X")),
            "the branch `Agent/X` is in the agents' namespace `agent/*`",
        ),
        (persons(author=COPILOT), "opened by the agent Copilot"),
        (persons(author=MACHINE), "opened by the agent Build-Agent"),
        (persons(author=Account("ci[bot]", 5, "Bot")), "opened by the App ci[bot]"),
        (persons(author=Account("ci", 5, "Mannequin")), "opened by the App ci"),
        (persons(head=_head(pusher=COPILOT)), "pushed by the agent Copilot"),
        (persons(head=_head(pusher=Account("ci[bot]", 5, "Bot"))), "pushed by the App ci[bot]"),
        (persons(commits=(commit(COPILOT, OPERATOR),)), f"commit {SHORT} written by the agent Copilot"),
        (persons(commits=(commit(OPERATOR, COPILOT),)), f"commit {SHORT} committed by the agent Copilot"),
        (persons(commits=(commit(OPERATOR, MACHINE),)), f"commit {SHORT} committed by the agent Build-Agent"),
        (
            persons(commits=(replace(commit(OPERATOR), author=build.identity(None, "noreply@anthropic.com")),)),
            f"commit {SHORT} written with an address of Claude",
        ),
        (
            persons(commits=(replace(commit(OPERATOR), committer=build.identity(None, "codex@openai.com")),)),
            f"commit {SHORT} committed with an address of Codex",
        ),
        (
            persons(commits=(commit(OPERATOR, message="s\n\nagent-logs-url: https://x"),)),
            f"commit {SHORT} has the trailer agent-logs-url",
        ),
        (
            persons(commits=(commit(OPERATOR, message="s\n\nAGENT-Session: 5"),)),
            f"commit {SHORT} has the trailer AGENT-Session",
        ),
        (
            persons(commits=(commit(OPERATOR, message="s\n\nCo-authored-by: Claude <noreply@anthropic.com>"),)),
            f"commit {SHORT} names Claude as co-author",
        ),
        (
            persons(
                commits=(commit(OPERATOR, message="s\n\nCo-authored-by: x <build-agent@users.noreply.github.com>"),)
            ),
            f"commit {SHORT} names build-agent as co-author",
        ),
        (
            persons(commits=(commit(OPERATOR), commit(COPILOT, OPERATOR, oid=build.OTHER))),
            f"commit {build.OTHER[:12]} written by the agent Copilot",
        ),
    ],
)
def test_one_mark_makes_it_an_agent_s(snapshot: Snapshot, marker: str) -> None:
    found = _classify(snapshot)
    assert found.kind == "agent"
    assert found.because == f"It carries the mark of an agent: {found.markers[0]}."
    assert marker in found.markers


def test_all_marks_are_given_once() -> None:
    commits = (commit(OPERATOR, message="s\n\nAgent-Session: 5\nAgent-Session: 6"),)
    found = _classify(persons(session_agent="claude", commits=commits))
    assert found.markers == (
        "the head was pushed through a session of claude",
        f"commit {SHORT} has the trailer Agent-Session",
    )


@pytest.mark.parametrize(
    ("snapshot", "why"),
    [
        (persons(author=READER), "its author ronan is not among the people that the policy names"),
        (persons(author=UNREAD), "its author is not known (HTTP 502)"),
        (persons(head=_head(pusher=None)), "its pusher is not known (nobody saw the push)"),
        (
            persons(head=_head(pusher=READER)),
            "its pusher ronan is not among the people that the policy names",
        ),
        (persons(commits=UNREAD), "its commits could not be read (HTTP 502)"),
        (persons(commits=()), "no commit of it was seen"),
        (
            persons(commits=(commit(OPERATOR, READER),)),
            f"the committer of {SHORT} ronan is not among the people that the policy names",
        ),
        (
            persons(commits=(replace(commit(OPERATOR), committer=build.identity(None)),)),
            f"the committer of {SHORT} is not known (its address belongs to no account)",
        ),
        (
            persons(commits=(replace(commit(OPERATOR), author=build.identity(None)),)),
            f"the author's address of commit {SHORT} belongs to no account",
        ),
        (
            persons(commits=(commit(OPERATOR, WEB_FLOW, signature_valid=True),)),
            f"the committer of {SHORT} web-flow is not among the people that the policy names",
        ),
        (
            persons(commits=(commit(OPERATOR, WEB_FLOW, signed_by_github=True),)),
            f"the committer of {SHORT} web-flow is not among the people that the policy names",
        ),
        (
            persons(commits=(commit(READER, WEB_FLOW, signature_valid=True, signed_by_github=True),)),
            f"the committer of {SHORT} ronan is not among the people that the policy names",
        ),
        (
            persons(commits=(commit(OPERATOR, READER, signature_valid=True, signed_by_github=True),)),
            f"the committer of {SHORT} ronan is not among the people that the policy names",
        ),
        (
            persons(permissions={"olivia": UNREAD}),
            "its author olivia is not among the people that the policy names",
        ),
        (persons(permissions={}), "its author olivia is not among the people that the policy names"),
    ],
)
def test_unknown_is_an_agent_s(snapshot: Snapshot, why: str) -> None:
    assert _classify(snapshot) == Classification("agent", f"Unknown counts as an agent: {why}.")


@pytest.mark.parametrize(
    ("rule", "teams", "is_person"),
    [
        (PeopleRule(Permission.WRITE), {}, True),
        (PeopleRule(Permission.MAINTAIN), {}, False),
        (PeopleRule(None), {}, False),
        (PeopleRule(None, ("OLIVIA",)), {}, True),
        (PeopleRule(None, ("rita",)), {}, False),
        (PeopleRule(None, (), ("crew",)), {"crew": frozenset({"OLIVIA"})}, True),
        (PeopleRule(None, (), ("crew",)), {"crew": frozenset({"rita"})}, False),
        (PeopleRule(None, (), ("crew",)), {"crew": UNREAD}, False),
        (PeopleRule(None, (), ("crew",)), {"other": frozenset({"olivia"})}, False),
        (PeopleRule(None, (), ("gone", "crew")), {"crew": frozenset({"olivia"})}, True),
    ],
)
def test_who_is_a_person(rule: PeopleRule, teams: dict[str, Any], is_person: bool) -> None:
    assert people.is_person(persons(teams=teams), rule, OPERATOR) is is_person


def test_a_bot_is_never_a_person() -> None:
    bot = Account("olivia", 10, "Bot")
    assert not people.is_person(persons(), PeopleRule(Permission.READ, ("olivia",)), bot)


@pytest.mark.parametrize(
    ("snapshot", "because"),
    [
        (persons(author=READER), "its author ronan is not among the people that the policy names"),
        (persons(author=UNREAD), "its author is not known (HTTP 502)"),
        (
            persons(commits=(commit(OPERATOR, READER),)),
            f"the committer of {SHORT} ronan is not among the people that the policy names",
        ),
        (persons(author=READER, session_agent="x"), "its author ronan is not among the people that the policy names"),
        (
            persons(author=Account("ci[bot]", 5, "Bot")),
            "its author ci[bot] is not among the people that the policy names",
        ),
    ],
)
@pytest.mark.parametrize("repository", [701, None])
def test_an_outsider_s_fork(snapshot: Snapshot, because: str, repository: int | None) -> None:
    fork = replace(snapshot, head=replace(snapshot.head, repository_id=repository))
    found = _classify(fork)
    assert (found.kind, found.because) == ("outsider", f"It comes from a fork, and {because}.")


def test_marks_on_an_outsider_s_fork_are_told_too() -> None:
    fork = persons(author=READER, session_agent="x", head=_head(repository_id=701))
    assert _classify(fork).markers == ("the head was pushed through a session of x",)


def test_a_person_s_fork_with_a_mark_is_an_agent_s() -> None:
    by_claude = commit(Account("claude", 209825114), OPERATOR)
    fork = persons(head=_head(repository_id=701), commits=(by_claude, commit(Account("claude", 209825114))))
    assert _classify(fork).kind == "agent"


@pytest.mark.parametrize(
    ("brought_before", "because"),
    [
        (MACHINE, "It carries the mark of an agent: an earlier commit of it was pushed by the agent Build-Agent."),
        (
            Account("deploy[bot]", 5, "Bot"),
            "It carries the mark of an agent: an earlier commit of it was pushed by the App deploy[bot].",
        ),
        (READER, "Unknown counts as an agent: whoever pushed an earlier commit, ronan is not among the people"),
    ],
)
def test_whoever_pushed_below_a_person_s_head_decides_too(brought_before: Account, because: str) -> None:
    # The commit itself names a person: anybody can write that into it.
    commits = (commit(OPERATOR, oid="d" * 40), commit(OPERATOR))
    found = _classify(persons(commits=commits, earlier_pushers=(OPERATOR, brought_before)))
    assert found.kind == "agent"
    assert found.because.startswith(because)
    assert _classify(persons(commits=commits, earlier_pushers=(OPERATOR,))).kind == "person"


DEPENDABOT = Account("dependabot[bot]", 49699333, "Bot")
BOTS = DependencyBots(("dependabot",), PathPatterns(["package.json", "package-lock.json"]))
UPDATE = commit(DEPENDABOT, WEB_FLOW, signature_valid=True, signed_by_github=True)


def _update(**changes: Any) -> Snapshot:
    base = persons(
        author=DEPENDABOT,
        head=_head(ref="refs/heads/dependabot/npm/x", pusher=DEPENDABOT),
        commits=(UPDATE,),
        diff=build.diff("package.json", "web/package-lock.json"),
        merge_diff=build.diff("package.json"),
    )
    return replace(base, **changes)


def test_a_dependency_bot_s_plain_update() -> None:
    found = _classify(_update(), bots=BOTS)
    assert found == Classification("dependency-bot", "A dependency bot changed only manifests and lock files.")


FILES = "it changes `{}`, which is no manifest or lock file"
UNSIGNED = "not every commit is the bot's with a verified signature"
WHOLE = "its changes could not be read as a whole"
PUSHER = "it is not known that the bot itself pushed this head"


@pytest.mark.parametrize(
    ("changes", "doubt"),
    [
        ({"session_agent": "claude"}, "it comes from a fork or an agent's session"),
        ({"head": _head(pusher=None)}, PUSHER),
        ({"head": _head(pusher=OPERATOR)}, PUSHER),
        ({"earlier_pushers": (DEPENDABOT, OPERATOR)}, "somebody else pushed an earlier commit of it"),
        ({"commits": UNREAD}, "its commits could not be read"),
        ({"commits": ()}, "its commits could not be read"),
        ({"commits": (UPDATE, commit(OPERATOR, signature_valid=True))}, UNSIGNED),
        ({"commits": (replace(UPDATE, signature_valid=False),)}, UNSIGNED),
        ({"commits": (replace(UPDATE, author=build.identity(None)),)}, UNSIGNED),
        ({"diff": UNREAD}, WHOLE),
        ({"diff": Diff(())}, WHOLE),
        ({"diff": build.diff("package.json", complete=False)}, WHOLE),
        ({"merge_diff": UNREAD}, WHOLE),
        ({"diff": build.diff("package.json", "src/x.js")}, FILES.format("src/x.js")),
        ({"merge_diff": build.diff("src/x.js")}, FILES.format("src/x.js")),
        ({"diff": build.diff("PACKAGE.JSON")}, FILES.format("PACKAGE.JSON")),
        (
            {"diff": build.diff(build.file("package.json", FileStatus.RENAMED, previous_path="src/x.js"))},
            FILES.format("package.json"),
        ),
        ({"diff": build.diff(build.file("package.json", new_mode="120000"))}, FILES.format("package.json")),
        ({"diff": build.diff(build.file("package.json", old_mode="160000"))}, FILES.format("package.json")),
    ],
)
def test_anything_else_that_a_dependency_bot_does_is_an_agent_s(changes: dict[str, Any], doubt: str) -> None:
    found = _classify(_update(**changes), bots=BOTS)
    assert (found.kind, found.markers[0]) == ("agent", f"a dependency bot opened it, but {doubt}")


def test_a_dependency_bot_from_a_fork_is_an_outsider() -> None:
    found = _classify(_update(head=_head(repository_id=701, pusher=DEPENDABOT)), bots=BOTS)
    assert (found.kind, found.markers[0]) == (
        "outsider",
        "a dependency bot opened it, but it comes from a fork or an agent's session",
    )


@pytest.mark.parametrize(
    ("author", "bots"),
    [
        (DEPENDABOT, None),
        (Account("dependabot", 5), BOTS),
        (Account("renovate[bot]", 5, "Bot"), BOTS),
        (UNREAD, BOTS),
    ],
)
def test_who_is_no_dependency_bot(author: Account | Unread, bots: DependencyBots | None) -> None:
    found = _classify(_update(author=author), bots=bots)
    assert found.kind == "agent"
    assert not any("dependency bot" in marker for marker in found.markers)


def test_markers_of_policy_are_optional() -> None:
    bare = AgentMarkers(PathPatterns([]))
    assert classify(persons(), bare, build.WRITERS).kind == "person"


def test_permissions_are_found_whatever_the_case() -> None:
    snapshot = persons(permissions={"Rita": Permission.ADMIN, "sam": UNREAD})
    assert permission_of(snapshot, "rita") is Permission.ADMIN
    assert permission_of(snapshot, "Rita") is Permission.ADMIN
    assert permission_of(snapshot, "sam") is Permission.NONE
    assert permission_of(snapshot, "ann") is Permission.NONE


TRAILER = "s\n\nCo-authored-by: C <noreply@anthropic.com>"


@pytest.mark.parametrize(
    ("commits", "seen"),
    [
        ((commit(OPERATOR, message=TRAILER),), "person"),
        ((commit(OPERATOR, message=TRAILER), commit(OPERATOR)), "person"),
        ((commit(OPERATOR, message=TRAILER), commit(COPILOT)), None),
        ((commit(COPILOT, message=TRAILER, signature_valid=True, signed_by_github=True),), None),
        ((commit(OPERATOR, message=TRAILER), commit(READER)), None),
    ],
)
def test_what_only_messages_say_makes_an_agent_s_of_what_else_is_a_person_s(
    commits: tuple[Commit, ...], seen: str | None
) -> None:
    of = persons(commits=commits)
    found = _classify(of, build.WRITERS)
    assert (found.kind, found.seen_kind) == ("agent", seen)
    assert has_proven_mark(of, build.NAMESPACE) is any(one.author.account == COPILOT for one in commits)
