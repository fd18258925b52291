"""Parsers of outside bytes that have no property test of their own, each with what it may raise and bytes it likes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.ci.buildkite import _Build as BuildkiteBuild
from app.ci.circleci import _Jobs as CircleJobs
from app.ci.jenkins import _Build as JenkinsBuild
from app.cli.agent_client import _value
from app.gate import analysis, log_process, report_process
from app.gate.diffs import UnreadableDiff, parse_diff, symlink_oids
from app.gate.policies import _text as policy_text
from app.gate.workflows import local_references
from app.github.answers import GraphQLAnswer, parsed
from app.github.errors import GitHubError
from app.github.rest_models import Content
from app.github.wire import Call
from app.intake.events import RULES, UnreadableDelivery, interpret
from app.judge.judges import Answer as JudgesAnswer
from app.judge.reply import read_answer
from app.local.waiting import _open_findings
from app.proxy.advertisement import NotAnAdvertisement, ReceiveAdvertisement
from app.proxy.api.changing import _object
from app.proxy.api.denied import NotDone
from app.proxy.api.documents import read_request
from app.proxy.api.subjects import _data
from app.proxy.exchange import _read as read_exchange
from app.proxy.identities import NotGenuine, _unverified
from app.proxy.incoming import BadRequest, Incoming, token_of
from app.proxy.lfs import _asked
from app.proxy.minting import _message
from app.proxy.report import Answer, NoReport
from app.proxy.session_token import well_formed
from app.proxy.trust import BadTrust, read_trust
from app.secret import SecretStr
from app.tickets.litellm import GatewayFailed, _read
from app.tickets.supervisor_hook import is_gone
from app.web.cookies import Cookie
from checks.archives import read_archive
from checks.bundle import find_blocks, parse_bundle
from checks.codeowners import owners, parse
from checks.commands import read_commands
from checks.dependency_updates import read_updates
from checks.other_ci_log import NotItsLog, plain_log
from checks.override_word import override_words
from checks.paths import PathPatterns
from checks.tampering.analyse import analyse
from checks.tickets.form import parse_form
from checks.tickets.sections import TooLong, read_sections
from policies.case_sections import read_cases
from policies.errors import InvalidPolicyError
from policies.importing.detect import import_policy
from policies.importing.imported import ForeignError
from policies.load import PolicySource, read_policy
from tests.checks.tampering.honest import changes_between
from tests.gate.shop import BUNDLE
from tests.policies import build

JSON = b'{"data": {"a": [1, null, true, "x"]}, "errors": [], "id": 7}'
SHA = "0123456789abcdef0123456789abcdef01234567"


@dataclass(frozen=True)
class Parser:
    """`reads` takes any bytes and raises nothing but `raises`. `samples` are well-formed, to be damaged."""

    module: str  # path of the file whose parsing is meant
    reads: Callable[[bytes], object]
    raises: tuple[type[Exception], ...] = ()
    samples: Sequence[bytes] = ()


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _of_text(reads: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda raw: reads(_text(raw))


def _interpreted(raw: bytes) -> None:
    """As one of the events that are known."""
    interpret(sorted(RULES)[len(raw) % len(RULES)], raw, frozenset({1}))


def _advertised(raw: bytes) -> None:
    turned = ReceiveAdvertisement()
    turned.feed(raw)
    turned.ended()


def _answered(raw: bytes) -> None:
    for side_band in (False, True):
        answer = Answer(side_band=side_band)
        answer.feed(raw)
        answer.outcome(b"refs/heads/agent/work")
        answer.ended()


def _diffed(raw: bytes) -> None:
    symlink_oids(raw)
    parse_diff(raw, raw)


def _owned(raw: bytes) -> None:
    owners(parse("CODEOWNERS", raw), "src/app.py")


def _ticket(raw: bytes) -> None:
    parse_form(_text(raw))


def _authorized(raw: bytes) -> None:
    for scheme in (b"Basic ", b"Bearer ", b""):
        token_of(Incoming("GET", b"/", b"", {b"authorization": scheme + raw}))


def _cookie(raw: bytes) -> None:
    cookie = Cookie("sign-in", timedelta(hours=1), (SecretStr("x" * 32),), secure=False)
    assert cookie.opened(raw.decode("latin-1"), datetime(2026, 11, 30, tzinfo=UTC)) is None


def _other_log(system: str) -> Callable[[bytes], object]:
    return lambda raw: b"".join(plain_log(system, [("a step", raw)]))  # type: ignore[arg-type]


def _updates(name: str, sample: bytes) -> Callable[[bytes], object]:
    return lambda raw: (read_updates([(name, sample, raw)]), read_updates([(name, raw, raw + b"\n")]))


def _analysed(path: str, sample: bytes) -> Callable[[bytes], object]:
    def analysed(raw: bytes) -> None:
        analyse(changes_between({path: _text(sample)}, {path: _text(raw)}), [path])

    return analysed


def _policy(raw: bytes) -> None:
    read_policy(PolicySource(_text(raw), "refs/heads/main", SHA), build.presets())


def _policy_file(raw: bytes) -> None:
    told = {"type": "file", "path": "x", "sha": SHA, "encoding": "base64", "size": len(raw)}
    policy_text(Content.model_validate({**told, "content": raw.decode("latin-1")}), "a file")


def _graphql(raw: bytes) -> None:
    read_request({"query": _text(raw), "variables": {"a": "x"}})
    read_request({"query": "query($a: ID!) { node(id: $a) { id } }", "variables": {"a": _text(raw)}})


_CALL = Call("GET", "https://api.github.com/graphql", "a call", "test", None)
_LOCKED: dict[str, bytes] = {
    "package-lock.json": b'{"lockfileVersion": 3, "packages": {"node_modules/a": {"version": "1.0.0"}}}',
    "yarn.lock": b'a@^1.0.0:\n  version "1.0.0"\n  resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#0"\n',
    "pnpm-lock.yaml": b"lockfileVersion: '9.0'\npackages:\n  a@1.0.0:\n    resolution: {integrity: sha512-0}\n",
    "bun.lock": b'{"lockfileVersion": 1, "packages": {"a": ["a@1.0.0", "", {}, "sha512-0"],},}',
    "composer.lock": b'{"packages": [{"name": "a/b", "version": "1.0.0"}], "packages-dev": []}',
    "Pipfile.lock": b'{"_meta": {}, "default": {"a": {"version": "==1.0.0", "hashes": ["sha256:0"]}}}',
    "poetry.lock": b'[[package]]\nname = "a"\nversion = "1.0.0"\nfiles = []\n[metadata]\nlock-version = "2.1"\n',
    "uv.lock": b'version = 1\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = { registry = "x" }\n',
    "Cargo.lock": b'version = 4\n[[package]]\nname = "a"\nversion = "1.0.0"\nchecksum = "0"\n',
    "Gemfile.lock": b"GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1.0.0)\n\nPLATFORMS\n  ruby\n",
    "go.sum": b"example.com/a v1.0.0 h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
}
_MANIFESTS: dict[str, bytes] = {
    "package.json": b'{"dependencies": {"a": "^1.0.0"}}',
    "composer.json": b'{"require": {"a/b": "^1.0"}}',
    "pyproject.toml": b'[project]\ndependencies = ["a>=1"]\n',
    "Pipfile": b'[packages]\na = "*"\n',
    "Cargo.toml": b'[dependencies]\na = "1"\n',
    "Gemfile": b'gem "a", "~> 1.0"\n',
    "go.mod": b"module x\ngo 1.22\nrequire example.com/a v1.0.0\n",
    "requirements.txt": b"a==1.0.0 --hash=sha256:0\n",
}
_WORKFLOW = b"on: [pull_request]\njobs:\n  test:\n    steps:\n      - uses: ./.github/actions/x\n      - run: pytest\n"
# What is changed, by the module that reads it in a change's analysis.
_CHANGED: dict[str, tuple[str, bytes]] = {
    "checks/tampering/settings/documents.py": ("pyproject.toml", b'[tool.pytest.ini_options]\naddopts = "-x"\n'),
    "checks/tampering/settings/yaml_values.py": (".github/workflows/ci.yml", _WORKFLOW),
    "checks/tampering/settings/xml_values.py": ("pom.xml", b"<project><skipTests>true</skipTests></project>"),
    "checks/tampering/settings/javascript.py": ("jest.config.js", b"module.exports = {testMatch: ['**/*.js']};\n"),
    "checks/tampering/settings/python_source.py": ("noxfile.py", b"import nox\n@nox.session\ndef t(s): s.run('x')\n"),
    "checks/tampering/commands/python_files.py": ("tasks.py", b"import os\nos.system('pytest -k x')\n"),
    "checks/tampering/destructive_sql.py": ("migrations/0002_x.sql", b"ALTER TABLE a DROP COLUMN b; DROP TABLE c;\n"),
    "checks/tampering/python/source.py": ("tests/test_a.py", b"import a\n\ndef test_a():\n    assert a.x() == 1\n"),
    "checks/tampering/commands": ("Makefile", b"test:\n\tpytest -x \\\n\t  tests || true\n"),
}

PARSERS: tuple[Parser, ...] = (
    Parser("app/intake/payloads.py", _interpreted, (UnreadableDelivery,), [JSON]),
    Parser(
        "app/gate/diffs.py", _diffed, (UnreadableDiff,), [f":100644 100644 {SHA} {SHA} M\0a\0".encode(), b"1\t2\ta\0"]
    ),
    Parser("app/gate/analysis.py", analysis._read, (), [JSON]),
    Parser("app/gate/policies.py", _policy_file, (), [b"dmVyc2lvbjogMQo="]),
    Parser("app/gate/child_answers.py", log_process._read, (), [JSON, b'{"because": "too long"}']),
    Parser("app/gate/report_process.py", report_process._read, (), [JSON]),
    Parser("app/gate/workflows.py", local_references, (), [_WORKFLOW]),
    Parser("app/github/answers.py", lambda raw: parsed(_CALL, raw, GraphQLAnswer), (GitHubError,), [JSON]),
    Parser("app/ci/fetching.py", BuildkiteBuild.model_validate_json, (ValueError,), [JSON]),
    Parser("app/ci/circleci.py", CircleJobs.model_validate_json, (ValueError,), [JSON]),
    Parser("app/ci/jenkins.py", JenkinsBuild.model_validate_json, (ValueError,), [JSON]),
    Parser(
        "app/judge/reply.py", lambda raw: read_answer(JudgesAnswer(raw)), (), [b'{"verdict": "fine", "reasons": ["x"]}']
    ),
    Parser(
        "app/local/waiting.py", _of_text(_open_findings), (), [b'```json\n{"findings": [{"status": "failed"}]}\n```']
    ),
    Parser("app/cli/agent_client.py", _value, (), [JSON]),
    Parser("app/tickets/litellm.py", lambda raw: _read("info", raw), (GatewayFailed,), [JSON]),
    Parser("app/tickets/supervisor_hook.py", is_gone, (), [JSON]),
    Parser("app/web/cookies.py", _cookie, (), [b"eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.AAAA"]),
    Parser(
        "app/proxy/advertisement.py",
        _advertised,
        (NotAnAdvertisement,),
        [b"003d" + b"1" * 40 + b" refs/heads/main\n0000"],
    ),
    Parser("app/proxy/report.py", _answered, (NoReport,), [b"000eunpack ok\n0000", b"000f\x01unpack ok\n0000"]),
    Parser("app/proxy/api/changing.py", _object, (), [JSON]),
    Parser("app/proxy/exchange.py", read_exchange, (BadRequest,), [b'{"repository": "a/b", "branch": "agent/x"}']),
    Parser("app/proxy/api/documents.py", _graphql, (), [b'query { repository(owner: "a", name: "b") { id } }']),
    Parser("app/proxy/api/subjects.py", lambda raw: _data(200, raw), (NotDone,), [JSON]),
    Parser(
        "app/proxy/identities.py", _of_text(_unverified), (NotGenuine,), [b"eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.AAAA"]
    ),
    Parser("app/proxy/incoming.py", _authorized, (), [b"eDp5", b"token"]),
    Parser("app/proxy/lfs.py", _asked, (BadRequest,), [JSON]),
    Parser("app/proxy/minting.py", _message, (), [b'{"message": "no"}']),
    Parser("app/proxy/session_token.py", _of_text(well_formed), (), [b"mgs_" + b"a" * 49]),
    Parser("app/proxy/trust.py", _of_text(read_trust), (BadTrust,), [b"version: 1\nidentities: []\n"]),
    Parser(
        "checks/archives.py", lambda raw: read_archive(raw, PathPatterns(("*.xml",))), (), [b"PK\x05\x06" + b"\0" * 18]
    ),
    Parser("checks/bundle.py", _of_text(lambda text: (find_blocks(text), parse_bundle(text))), (), [BUNDLE.encode()]),
    Parser("checks/codeowners.py", _owned, (), [b"*.py @ada @acme/team\n[Docs][2] @x\n/docs/ a@b.c # x\n"]),
    Parser(
        "checks/commands.py", _of_text(read_commands), (), [b"/approve a1b2c3\n> /stop\n/override abc1234 because\n"]
    ),
    Parser("checks/override_word.py", _of_text(override_words), (), [b"/override 0123456 it burns\n"]),
    Parser("checks/tickets/form.py", _ticket, (), [b"### Goal\n\nAdd x\n\n### Done when\n\n- [ ] y\n"]),
    Parser("checks/tickets/sections.py", _of_text(read_sections), (TooLong,), [b"### a\n```\n### b\n```\n"]),
    Parser(
        "policies/load.py",
        _policy,
        (),
        [b"version: 1\nextends: default\nrules:\n  a: {require: {approvals: {count: 1}}}\n"],
    ),
    Parser("policies/case_sections.py", _of_text(read_cases), (InvalidPolicyError,), [b"cases: []\n"]),
    Parser(
        "policies/importing/imported.py",
        _of_text(lambda text: import_policy("policy.yml", text)),
        (ForeignError,),
        [
            b"policy: {approval: [a]}\napproval_rules: [{name: a, requires: {count: 1}}]\n",
            b"queue_rules: [{name: a}]\n",
        ],
    ),
    *(
        Parser("checks/other_ci_log.py", _other_log(one), (NotItsLog,), [b'[{"message": "x\\n"}]'])
        for one in ("buildkite", "circleci", "jenkins")
    ),
    *(Parser("checks/lock_files", _updates(name, sample), (), [sample]) for name, sample in _LOCKED.items()),
    *(Parser("checks/manifests.py", _updates(name, sample), (), [sample]) for name, sample in _MANIFESTS.items()),
    *(Parser(module, _analysed(path, sample), (), [sample]) for module, (path, sample) in _CHANGED.items()),
)
