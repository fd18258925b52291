"""Which test throws random bytes at which parser of outside bytes; a module that parses must stand here."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.fuzz.parsers import PARSERS

ROOT = Path(__file__).parents[2]
HERE = "tests/fuzz/test_parsers.py::test_any_bytes"
# What a module looks like that turns bytes or text into values with a library.
PARSES = re.compile(
    r"json\.loads\(|\.model_validate_json\(|yaml\.(?:safe_)?(?:load|compose|parse|scan)\w*\(|tomllib\.loads\(|ZipFile\("
    r"|\bfromstring\(|create_parser\(|MarkdownIt\(|sqlglot\.(?:parse|tokenize)\w*\(|decompress(?:obj)?\(|\bParser\("
    r"|\bast\.parse\(|shlex\.(?:split|shlex)\(|jwt\.decode\(|b64decode\(|tarfile\.open\(|configparser\.|= parse\(query"
)

DOCUMENT = "tests/checks/test_document.py::test_the_quick_reader_agrees_with_the_other_wherever_it_is_asked"

# Parsers with a property test of their own. Own readers of formats, without a library, stand here as well.
ELSEWHERE: dict[str, str] = {
    "app/proxy/ancestry.py": "tests/proxy/test_ancestry.py::test_no_bytes_raise",
    "app/proxy/api/bodies.py": "tests/proxy/api/test_fuzz.py::test_any_bytes_are_a_body_or_refused",
    "app/proxy/api/graph.py": "tests/proxy/api/test_fuzz.py::test_no_document_leads_out_of_the_grant",
    "app/proxy/api/rewriting.py": "tests/proxy/api/test_rewriting.py::test_however_the_stream_is_cut",
    "app/proxy/api/target.py": "tests/proxy/api/test_fuzz.py::test_no_target_leads_out_of_the_repository",
    "app/proxy/target.py": "tests/proxy/test_target.py::test_what_is_understood_has_one_of_four_spellings",
    "app/proxy/wire.py": "tests/proxy/test_oracle.py::test_no_bytes_are_let_through_by_chance",
    "app/keys.py": "tests/test_keys.py::test_every_key_reads_back",
    "checks/approval_code.py": "tests/checks/test_approval_code.py::test_any_text_is_read",
    "checks/document.py": DOCUMENT,
    "checks/job_log.py": "tests/checks/logs/test_logs_properties.py::test_any_bytes_are_read",
    "checks/logs": "tests/checks/logs/test_logs_readers.py::test_of_any_log_a_reader_is_given_what_its_pattern_says",
    "checks/logs/decode.py": "tests/checks/logs/test_logs_decode.py::test_any_bytes_come_out_alike_from_any_blocks",
    "checks/logs/go.py": "tests/checks/logs/test_logs_properties.py::test_any_bytes_are_read",
    "checks/logs/mocha_json.py": "tests/checks/logs/test_logs_properties.py::test_any_bytes_are_read",
    "checks/paths.py": "tests/checks/test_paths.py::test_an_index_agrees_with_its_lists",
    "checks/reports/elements.py": "tests/checks/reports/test_formats.py::test_bytes_are_a_report_or_unread",
    "checks/reports/formats.py": "tests/checks/reports/test_formats.py::test_bytes_are_a_report_or_unread",
    "checks/reports/strict_json.py": "tests/checks/reports/test_formats.py::test_bytes_are_a_report_or_unread",
    "checks/tampering/syntax.py": "tests/checks/tampering/test_hostile_sources.py::test_bytes",
    "checks/ticket.py": "tests/checks/test_tickets.py::test_any_text_gets_an_answer",
    "policies/escape.py": "tests/policies/test_escape.py::test_nothing_comes_alive",
    "app/agent_api/api.py": "tests/fuzz/test_agent_api.py::test_every_answer_is_one_that_the_document_names",
    "app/intake/webhook.py": "tests/fuzz/test_web.py::test_every_answer_is_one_that_the_document_names",
    "app/proxy/operator_api.py": "tests/fuzz/test_operator_api.py::test_every_answer_is_one_that_the_document_names",
}

# Bytes that this program, its operator or the person at the terminal wrote.
OWN: dict[str, str] = {
    "app/agent_api/publishing.py": "what this proxy's own slice of GitHub's API answers",
    "app/cli/stop_hook.py": "the event of the agent's own hook, on its machine",
    "app/gate/analysis_frames.py": "the parent's frames, read by its child",
    "app/gate/deciding.py": "written a moment before",
    "app/gate/other_log_child.py": "the parent's request, read by its child",
    "app/gate/pull.py": "written a moment before",
    "app/gate/git_answers.py": "compressed by itself when it was kept",
    "app/gate/trees.py": "made by itself of a listing, which git writes and tests/gate/test_trees.py tries",
    "app/github/etags.py": "compressed by itself when it was kept",
    "app/gate/recorded.py": "our own record in the database",
    "app/gate/replaying.py": "written a moment before",
    "app/gate/report_child.py": "the parent's request, read by its child",
    "app/gate/zizmor_child.py": "the parent's request, read by its child",
    "app/github/contents.py": "GitHub's answer to a person's own command, which ends with the fault",
    "app/github/registering.py": "GitHub's answer to the person who registers the App",
    "app/local/records.py": "records of `mergegate run` in the person's own clone",
    "app/local/shipped.py": "files that this program ships",
    "app/proxy/forward.py": "GitHub's answers; whatever fails to be read is `_UNKNOWN`, and the push is held back",
    "app/registrations.py": "the data folder's own file",
    "app/store/audit.py": "our own record in the database",
    "app/store/backup_format.py": "the operator's backup; damaged ones are cases of tests/store/test_backup.py",
    "app/store/stored.py": "our own body in the database",
}


def _modules() -> list[str]:
    found = (path for part in ("app", "checks", "policies") for path in (ROOT / part).rglob("*.py"))
    return sorted(path.relative_to(ROOT).as_posix() for path in found if PARSES.search(path.read_text("utf-8")))


def _named() -> dict[str, str]:
    return {**dict.fromkeys((parser.module for parser in PARSERS), HERE), **ELSEWHERE}


def test_every_module_that_parses_stands_in_the_table() -> None:
    known = {*_named(), *OWN}
    missing = [one for one in _modules() if one not in known and one.rpartition("/")[0] not in known]
    assert missing == [], "name their fuzz tests, or why their bytes are our own"


def test_a_parser_stands_there_once_and_exists() -> None:
    assert not {parser.module for parser in PARSERS} & ELSEWHERE.keys()
    assert not _named().keys() & OWN.keys()
    assert [one for one in (*_named(), *OWN) if not (ROOT / one).exists()] == []
    parsing = _modules()
    assert [one for one in OWN if one not in parsing] == []


@pytest.mark.parametrize("test", sorted({*ELSEWHERE.values(), HERE}))
def test_every_test_of_the_table_exists_and_makes_its_bytes_at_random(test: str) -> None:
    path, _, name = test.partition("::")
    text = (ROOT / path).read_text("utf-8")
    function = next(
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    )
    written = ast.get_source_segment(text, function) or ""
    marks = " ".join(ast.unparse(mark) for mark in function.decorator_list)
    assert re.search(r"\b(?:given|lasting)\(", marks + written) or "try_api" in written
