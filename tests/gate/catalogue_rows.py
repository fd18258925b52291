"""The rows of the catalogue of cheats, and the tests through the whole gate that show each.

A row that is called deterministic has a cheat of its number that really runs; other stories about it stand beside it.
"""

from __future__ import annotations

from tests.gate.catalogue import IN_DIFFS, IN_TESTS, IN_WORDS, IN_WORKFLOWS, Cheat
from tests.gate.catalogue_runs import APPROVED, CANCELLED, IN_RUNS, OLD_REPORT, RUN_AGAIN, STALE

# Whether a rule can find a trick always, in its common forms, or not at all.
DETERMINISTIC = frozenset({*range(1, 13), *range(14, 33), *range(34, 40), 42, 44, 49, 50, 51, 57, 58, 59})
COMMON_FORMS = frozenset({13, 33, 40, 41, 43, 45, 46, 52, 54, 56})
BEYOND_RULES = frozenset({47, 48, 53, 55})

PLAYED: tuple[Cheat, ...] = (
    *(*IN_TESTS, *IN_WORDS, *IN_WORKFLOWS, *IN_DIFFS, *IN_RUNS),
    *(RUN_AGAIN, OLD_REPORT, CANCELLED, APPROVED, STALE),
)
# More about a row: modules of this package, and a test in each.
STORIES: dict[int, tuple[str, ...]] = {
    4: ("test_attacks:test_a_run_for_a_closed_pull_request_into_another_branch_proves_nothing",),
    8: ("test_reports:test_a_forged_log_beside_a_true_report",),
    12: ("test_reports:test_no_test_that_ran", "test_baseline:test_more_skipped_tests"),
    13: ("test_other_evidence:test_what_a_cache_prints_again_is_no_run_of_this_head",),
    14: ("test_baseline:test_tests_that_are_gone_and_not_declared",),
    17: ("test_catalogue:test_a_workflow_that_was_weak_before_is_not_believed",),
    24: ("test_baseline:test_a_job_that_is_not_there_any_more",),
    26: ("test_other_evidence:test_a_check_of_the_same_name_by_another_app_says_nothing",),
    30: ("test_reports:test_a_report_of_an_earlier_attempt_is_not_read",),
    31: ("test_found:test_an_attempt_that_begins_and_ends_in_the_second_of_the_one_before_is_seen",),
    33: ("test_workflow_trust:test_a_machine_that_is_kept_waits_for_a_person",),
    34: (
        "test_stories:test_a_push_after_the_approval_needs_a_new_one",
        "test_queue:test_a_push_while_queued_takes_it_out",
    ),
    35: ("test_attacks:test_a_group_on_an_old_commit_of_the_target_is_not_green",),
    54: (
        "test_verified:test_a_high_risk_change_is_verified_approved_and_merged",
        "test_verified:test_new_tests_that_pass_without_the_change_are_refused",
    ),
}
