"""The attack list of the proxy, number by number: what must come of each, and the tests that show it.

A number without a test fails here, and so does a test that is not there any more. Where an attack is bytes on the wire,
one of its tests speaks over a socket.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass

import pytest

HERE = "tests.proxy"
# What in a test's own text shows that it talks with a proxy over a socket.
SPEAKS = (
    *("town.raw(", "ask(town", "await push(", "town.git(", "town.attempt(", "shop.call(", "shop.scene.raw("),
    *("exchange(", "open_connection(", "connected(", "half_a_push(", "sent(town"),
)


@dataclass(frozen=True, slots=True)
class Attack:
    """`expected` is what must come of it; `tests` are `module::function` below `tests.proxy`."""

    expected: str
    tests: tuple[str, ...]
    on_the_wire: bool = True


HTTP, PUSHES, FAULTS = "test_attacks_http", "test_attacks_push", "test_faults"
REFUSED = f"{PUSHES}::test_t17_t18_t19_t20_t22_t25_t26_refused_before_anything_is_sent"
ATTACKS = {
    1: Attack(
        "404, in bytes and work as for a missing repository; nothing upstream",
        (
            f"{HTTP}::test_t01_other_repositories_are_like_missing_ones",
            f"{HTTP}::test_t01_takes_as_long_as_what_is_missing",
            "api.test_api::test_what_is_not_granted_is_what_does_not_exist",
        ),
    ),
    2: Attack(
        "only the repository in GitHub's spellings",
        (f"{HTTP}::test_t02_the_repository_in_githubs_spellings", f"{HTTP}::test_t02_other_spellings"),
    ),
    3: Attack(
        "400, nothing upstream",
        (
            f"{HTTP}::test_t03_t04_addresses_that_could_be_read_in_two_ways",
            "test_target::test_what_nobody_sends_who_means_well",
            "test_target::test_what_is_understood_has_one_of_four_spellings",
            "api.test_target::test_paths_that_could_be_read_in_two_ways",
        ),
    ),
    4: Attack(
        "400",
        (
            f"{HTTP}::test_t03_t04_addresses_that_could_be_read_in_two_ways",
            "test_target::test_the_service_is_exact",
            "test_target::test_a_post_has_no_query",
        ),
    ),
    5: Attack("ignored or 400; one host upstream", (f"{HTTP}::test_t05_the_upstream_is_always_the_same",)),
    6: Attack(
        "404", (f"{HTTP}::test_t06_nothing_but_the_smart_protocol", "test_target::test_everything_else_is_not_there")
    ),
    7: Attack(
        "redirects are not followed; the session goes by the number",
        (f"{FAULTS}::test_t07_a_renamed_repository_is_followed_by_its_id",),
    ),
    8: Attack(
        "400, and the connection is closed",
        (
            f"{HTTP}::test_t08_bodies_with_two_lengths",
            f"{HTTP}::test_t08_trailers_end_the_connection_and_chunk_extensions_stay_here",
            "test_hostile_wire::test_no_bytes_reach_what_was_not_granted",
        ),
    ),
    9: Attack("never followed", (f"{FAULTS}::test_t09_t10_a_redirect_is_neither_followed_nor_handed_on",)),
    10: Attack("no Location for the client", (f"{FAULTS}::test_t09_t10_a_redirect_is_neither_followed_nor_handed_on",)),
    11: Attack("stripped, or 400", (f"{HTTP}::test_t11_t12_the_clients_headers_stay_here",)),
    12: Attack("our headers stay", (f"{HTTP}::test_t11_t12_the_clients_headers_stay_here",)),
    13: Attack(
        "limits of time and number; others go on",
        (
            f"{HTTP}::test_t13_slow_and_long_headers",
            f"{HTTP}::test_t13_connections_are_counted",
            "test_crowds::test_t13_idle_connections_make_room_for_those_that_ask",
            "test_crowds::test_t13_whoever_does_not_speak_tls_is_let_go_soon",
            "test_crowds::test_t13_requests_under_way_are_not_closed_for_others",
            "test_crowds::test_t13_one_session_does_not_take_the_place_of_others",
            "test_crowds::test_t13_a_body_that_stops_coming_is_answered_and_ended",
            "test_crowds::test_nobody_keeps_a_connection_by_a_body_without_proving_anything",
            "test_listening::test_t13_a_body_that_fails",
        ),
    ),
    14: Attack(
        "control bytes are escaped",
        (
            f"{PUSHES}::test_t14_what_github_says_cannot_split_our_answer",
            "test_wire::test_a_name_in_a_refusal_cannot_do_anything",
            "test_report::test_nothing_that_is_said_can_be_more_than_a_line",
        ),
    ),
    15: Attack("417", (f"{HTTP}::test_t15_nothing_is_promised_before_the_head_was_judged",)),
    16: Attack("a sentence, never a pack", (f"{FAULTS}::test_github_fails",)),
    17: Attack(
        "refused, each row",
        (REFUSED, "test_wire::test_refused", "test_oracle::test_what_is_let_through_moves_only_the_branch"),
    ),
    18: Attack("the whole push is refused", (REFUSED, "test_wire::test_the_head_is_bounded_before_it_is_kept")),
    19: Attack(
        "four hexadecimal digits only",
        (
            REFUSED,
            f"{PUSHES}::test_t19_a_length_split_at_every_byte_changes_nothing",
            "test_wire::test_any_split_gives_the_same",
        ),
    ),
    20: Attack("no effect", (REFUSED, "test_wire::test_allowed")),
    21: Attack("200 and empty for 0000 alone", (f"{PUSHES}::test_t21_the_probe",)),
    22: Attack(
        "allowed before, refused behind", (REFUSED, "test_wire::test_allowed", "test_git::test_a_shallow_clone_pushes")
    ),
    23: Attack(
        "none on push; on fetch never inflated here",
        (
            f"{PUSHES}::test_t23_a_push_has_no_encoding",
            f"{PUSHES}::test_t23_a_bomb_on_fetch_is_not_inflated_here",
            f"{PUSHES}::test_t23_what_a_fetch_says_has_a_limit",
        ),
    ),
    24: Attack(
        "delete and force by their rights only; old values that lie move nothing",
        (
            f"{PUSHES}::test_t24_deleting_needs_its_right",
            f"{PUSHES}::test_t24_an_old_value_that_lies_moves_nothing",
            f"{PUSHES}::test_t24_a_force_push_is_put_back",
        ),
    ),
    25: Attack("refused", (REFUSED, "test_git::test_pushes_that_git_itself_words_otherwise")),
    26: Attack(
        "options, certificates, other formats and unknown capabilities are refused, atomic is not",
        (
            REFUSED,
            "test_wire::test_allowed",
            "test_git_versions::test_push_options_of_git_2_39_behind_a_shallow_line_are_refused",
        ),
    ),
    27: Attack(
        "hidden objects are said in the README; a pack over the limit is cut off",
        (f"{PUSHES}::test_t27_a_pack_over_the_limit_is_cut_off", "test_attack_list::test_what_cannot_be_seen_is_said"),
    ),
    28: Attack(
        "no `workflows` in the token",
        (
            f"{FAULTS}::test_t35_t38_each_token_is_for_one_repository_one_route_one_session",
            "test_git::test_t28_workflow_files_are_refused_by_github_and_explained",
            "test_courier::test_what_no_route_may_have_is_never_asked_for",
            "test_exchange::test_a_change_of_the_trust_file_steers_the_gate",
        ),
    ),
    29: Attack(
        "new pushes are refused, those in flight end",
        (
            f"{PUSHES}::test_t29_an_ended_session_pushes_nothing",
            "test_stopping::test_a_stop_ends_the_push_under_way_and_is_said_afterwards",
            f"{FAULTS}::test_a_branch_that_became_the_default_is_left_alone",
            "test_two_proxies::test_afterwards_only_what_was_granted_has_changed",
        ),
    ),
    30: Attack(
        "one session a branch, from any address", (f"{PUSHES}::test_t30_a_session_has_one_branch_and_any_address",)
    ),
    31: Attack(
        "allowed, and said",
        (
            "test_read_scope::test_t31_a_commit_that_no_branch_reaches_can_be_fetched_by_its_id",
            "test_attack_list::test_what_cannot_be_seen_is_said",
        ),
    ),
    32: Attack(
        "404",
        (
            "test_read_scope::test_t32_an_id_of_another_repository_is_not_found_in_this_one",
            "test_git::test_t32_t49_what_git_is_told_at_the_agents_side_changes_nothing",
        ),
    ),
    33: Attack(
        "not filtered, and said; nothing beyond the repository",
        (
            "test_read_scope::test_t33_every_ref_of_the_repository_is_shown_and_none_of_another",
            "test_read_scope::test_t33_a_prefix_may_be_anything",
            "test_attack_list::test_what_cannot_be_seen_is_said",
        ),
    ),
    34: Attack(
        "401 with Basic, or 403 with the reason where git would ask for a password",
        (
            f"{HTTP}::test_t34_without_a_valid_token",
            f"{HTTP}::test_t34_tokens_that_are_none",
            f"{HTTP}::test_t34_expired_and_stopped_sessions_and_a_token_in_the_address",
            "test_exchange::test_who_gets_none",
            "test_exchange::test_an_identity_is_exchanged_once",
        ),
    ),
    35: Attack(
        "one repository, the route's permission, never shown",
        (
            f"{FAULTS}::test_t35_t38_each_token_is_for_one_repository_one_route_one_session",
            "api.test_api::test_no_credential_of_the_courier_is_ever_shown",
            "api.test_api::test_tokens_have_the_route_s_permissions",
            "api.test_api::test_a_token_for_cloning_in_github_s_own_answer_stays_here",
        ),
    ),
    36: Attack("replaced before it ends", ("test_courier::test_an_old_token_is_replaced_before_it_ends",), False),
    37: Attack(
        "reads again, pushes never",
        (
            f"{FAULTS}::test_t37_a_new_token_that_is_not_known_everywhere_yet",
            f"{FAULTS}::test_t37_a_push_is_never_sent_twice",
            "api.test_faults::test_a_token_that_github_does_not_know_yet",
        ),
    ),
    38: Attack(
        "kept for one session, repository and set of permissions",
        (
            f"{FAULTS}::test_t35_t38_each_token_is_for_one_repository_one_route_one_session",
            "test_courier::test_one_request_however_many_ask_and_one_cache_a_session",
        ),
    ),
    39: Attack("useless", (f"{FAULTS}::test_t39_a_session_token_is_nothing_at_github",), False),
    40: Attack(
        "one parsed operation of allowed fields, its objects looked up",
        (
            "api.test_api::test_graphql_bodies_on_the_wire",
            "api.test_graph::test_what_is_not_asked",
            "api.test_graph::test_persisted_queries_and_other_forms",
            "api.test_graph::test_sizes_and_depths_and_aliases",
            "api.test_graph::test_the_schema_is_not_shown_whole",
            "api.test_fuzz::test_no_document_leads_out_of_the_grant",
        ),
    ),
    41: Attack(
        "a list of methods, routes and fields",
        (
            "api.test_api::test_targets_and_headers_on_the_wire",
            "api.test_rest::test_what_does_not_exist_for_a_session",
            "api.test_rest::test_bodies_and_parameters_that_a_route_does_not_take",
            "api.test_fuzz::test_no_target_leads_out_of_the_repository",
        ),
    ),
    42: Attack(
        "links lead to the proxy and bear no token",
        ("api.test_api::test_reading_streams_and_pages_through_the_proxy", "api.test_rewriting::test_links"),
    ),
    43: Attack(
        "refused",
        (
            "api.test_api::test_what_is_another_s_is_not_written",
            "api.test_rest::test_what_is_refused_with_a_next_step",
            "api.test_graph_changes::test_mutations_that_do_not_exist_for_a_session",
        ),
    ),
    44: Attack(
        "downloads only, from GitHub's stores, without its credentials",
        (
            "test_lfs::test_a_download_goes_through_the_proxy_and_shows_no_credential",
            "test_lfs::test_uploads_are_refused_with_the_reason",
            "test_lfs::test_objects_kept_elsewhere_are_not_fetched",
        ),
    ),
    45: Attack(
        "nothing secret, nothing raw in logs", (f"{FAULTS}::test_t45_nothing_secret_and_nothing_raw_is_logged",)
    ),
    46: Attack("cut off, noted as unknown", ("test_listening::test_t46_a_push_under_way_when_the_process_ends",)),
    47: Attack(
        "deny",
        (
            f"{FAULTS}::test_t47_without_the_database_nothing_is_let_through",
            "test_crowds::test_t47_a_locked_database_is_a_no",
            "test_opening::test_without_a_policy_that_can_be_read_nothing_is_opened",
            "test_exchange::test_who_gets_none",
        ),
    ),
    48: Attack("TLS, or loopback", ("test_listening::test_t48_beyond_this_machine_only_with_tls",), False),
    49: Attack("only the wire counts", ("test_git::test_t32_t49_what_git_is_told_at_the_agents_side_changes_nothing",)),
    50: Attack("the doctor tells", ("api.test_agent_doctor::test_ways_around_the_proxy",), False),
}


def found(name: str) -> Callable[..., object]:
    module, _, function = name.partition("::")
    test = getattr(importlib.import_module(f"{HERE}.{module}"), function, None)
    assert callable(test), f"there is no test {name}"
    return test  # type: ignore[no-any-return]


def speaks(test: Callable[..., object]) -> bool:
    text = inspect.getsource(inspect.unwrap(test))
    return any(word in text for word in SPEAKS)


def test_the_list_is_whole() -> None:
    assert sorted(ATTACKS) == list(range(1, 51))
    assert all(attack.tests for attack in ATTACKS.values())


@pytest.mark.parametrize("number", ATTACKS)
def test_an_attack_has_its_tests(number: int) -> None:
    tests = [found(name) for name in ATTACKS[number].tests]
    assert not ATTACKS[number].on_the_wire or any(speaks(test) for test in tests)


def test_what_cannot_be_seen_is_said() -> None:
    """What the proxy lets through knowingly stands in the README."""
    from tests.demo.service import ROOT

    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Agents without a credential")[2]
    text = " ".join(section.partition("\n## ")[0].split())
    assert "Objects that no branch reaches stay in GitHub's store unseen" in text
    assert "A session reads the whole repository" in text and "by its id" in text
