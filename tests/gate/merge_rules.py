"""What merge bots and queues got wrong in public, and the rules drawn from that: each with the tests that hold it.

A rule is one sentence. `reports` are addresses of public threads in which the opposite was seen. A test is named by its
file below `tests/` and its function.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    says: str
    tests: tuple[str, ...]
    reports: tuple[str, ...] = ()


QUEUE = (
    Rule(
        "Every merge group is answered under the same names, at once, and by looking at its members",
        (
            "gate/test_queue.py::test_a_group_shows_both_checks_at_once_and_waits_for_its_own_runs",
            "gate/test_queue.py::test_an_approval_withdrawn_while_queued_fails_the_group_and_takes_it_out",
        ),
        (
            "palantir/policy-bot/issues/548",
            "palantir/policy-bot/issues/800",
            "mergeability/mergeable/issues/716",
            "danger/danger-js/issues/1427",
        ),
    ),
    Rule(
        "A workflow that does not run on the group is said, not waited for without end",
        (
            "checks/test_ci.py::test_a_group_s_missing_run_is_awaited",
            "policies/test_serial.py::test_a_failure_names_what_fails_first",
        ),
        ("ruby/rbs/pull/3032", "hao-ai-lab/FastVideo/pull/1196"),
    ),
    Rule(
        "Nothing that ran is no success",
        ("policies/test_merge_group.py::test_the_group_s_own_runs_count",),
        ("poseidon/wait-for-status-checks/issues/454",),
    ),
    Rule(
        "The queue is entered with the App's own token, at exactly the head that was judged, by no method of its own",
        (
            "gate/test_queue.py::test_a_group_shows_both_checks_at_once_and_waits_for_its_own_runs",
            "gate/test_merge_rules.py::test_the_queue_is_asked_for_a_head_and_for_nothing_else",
        ),
        (
            "loopdive/js2/pull/1790",
            "uw-syfi/vibesys/pull/781",
            "OmniNode-ai/omnibase_core/pull/895",
            "netresearch/git-workflow-skill/pull/118",
        ),
    ),
    Rule(
        "An accepted request proves nothing: only the entry does, and one that is there already is enough",
        (
            "client/test_calls.py::test_every_answer_to_an_asynchronous_merge",
            "gate/test_healing.py::test_a_fault_delays_and_duplicates_nothing",
        ),
        ("github/gh-stack/issues/497", "vanillagreencom/kendex/issues/616"),
    ),
    Rule(
        "A missing right is named",
        ("client/test_faults.py::test_a_refusal_names_the_permission_that_is_missing",),
        ("cli/cli/issues/8352",),
    ),
    Rule(
        "Auto-merge is never used to enter; what is green and not queued is found by the sweep",
        (
            "gate/test_merge_rules.py::test_the_queue_is_asked_for_a_head_and_for_nothing_else",
            "gate/test_healing.py::test_without_any_webhook_the_resync_does_it_all",
        ),
        ("cli/cli/pull/13562", "loopdive/js2/pull/931", "osac-project/osac/pull/924"),
    ),
    Rule(
        "An eviction is said once, with its cause and the next command; what never started is told from what failed",
        (
            "gate/test_queue.py::test_a_group_whose_runs_fail_is_evicted_and_said_once",
            "policies/test_eviction.py::test_a_group_on_which_nothing_ran_is_told_apart_from_one_that_failed",
        ),
        ("vanillagreencom/kendex/issues/1177", "nexu-io/open-design/pull/7907"),
    ),
    Rule(
        "Reasons and settings that are not known are kept and shown",
        ("policies/test_eviction.py::test_causes",),
        ("google/go-github/issues/3729", "google/go-github/issues/3822"),
    ),
    Rule(
        "A push while queued takes it out",
        (
            "gate/test_queue.py::test_a_push_while_queued_takes_it_out",
            "gate/test_serial.py::test_nothing_is_merged_untried_when_target_or_head_move",
        ),
        ("kgateway-dev/kgateway/issues/10802", "renovatebot/renovate/pull/45252"),
    ),
    Rule(
        "Skipped is no success, and is never posted",
        (
            "gate/test_plan.py::test_no_status_ever_becomes_neutral_or_skipped",
            "checks/test_ci_jobs.py::test_only_success_is_success",
        ),
        ("amaranth-lang/amaranth/pull/948", "actions/runner/issues/3649", "chdsbd/kodiak/issues/508"),
    ),
    Rule(
        "What stands at the head of a queue has a time limit, and a group that nobody told of is found",
        (
            "gate/test_queue.py::test_a_group_that_no_webhook_told_of_is_answered_once_its_pull_request_is_looked_at",
            "gate/test_queue.py::test_a_group_that_cannot_be_read_fails_after_thirty_minutes",
            "gate/test_serial.py::test_a_refused_one_is_tried_again_on_the_word_of_a_person_with_write_permission",
            "gate/test_serial.py::test_a_persons_turn_passes_and_workflow_files_are_tried_by_the_heads_own_runs",
        ),
        (
            "objectstack-ai/objectui/issues/7010",
            "kubernetes/test-infra/issues/22432",
            "Mergifyio/mergify/issues/5113",
        ),
    ),
    Rule(
        "A queue whose grouping lets failing members land is not entered",
        ("gate/test_plan.py::test_a_queue_that_lets_failing_members_land_is_said_once",),
    ),
    Rule(
        "A freeze keeps evidence valid, fails groups with its reason, and has named exceptions",
        (
            "gate/test_queue.py::test_a_freeze_begins_while_queued_and_ends",
            "gate/test_serial.py::test_a_freeze_keeps_places_and_lets_named_exceptions_pass",
        ),
    ),
)
MERGING = (
    Rule(
        "A merge is asked for at exactly the head that was judged and tried",
        (
            "gate/test_serial_plan.py::test_rows",
            "gate/test_serial.py::test_nothing_is_merged_untried_when_target_or_head_move",
        ),
        ("rust-lang/homu/issues/174", "rust-lang/homu/issues/215", "bors-ng/bors-ng/issues/1519"),
    ),
    Rule(
        "After an answer that was lost it is read first, and merged once",
        ("gate/test_serial.py::test_a_merge_whose_answer_is_lost_happens_once_and_squashes_without_the_bundle",),
        ("chdsbd/kodiak/issues/397",),
    ),
    Rule(
        "The verdict is posted before the merge is asked for, by one writer",
        ("gate/test_plan.py::test_green_checks_that_github_shows_are_followed_by_the_queue",),
        ("kubernetes/test-infra/issues/6289",),
    ),
    Rule(
        "A run in progress overrides an older success, and a failing twin is not hidden by a skipped one",
        (
            "checks/test_ci_runs.py::test_the_newest_run_of_a_file_and_event_decides",
            "checks/test_ci_jobs.py::test_a_name_from_two_workflow_files_is_not_green",
        ),
        ("kubernetes-sigs/prow/issues/337", "chdsbd/kodiak/issues/640", "rjmurillo/ai-agents/issues/4499"),
    ),
    Rule(
        "Limits and outages delay and drop nothing, and one installation's do not hold up another's",
        (
            "client/test_limits.py::test_a_secondary_limit_is_a_pause_for_everything",
            "client/test_tokens.py::test_a_lost_installation_is_a_case_of_its_own",
            "store/test_worker.py::test_an_attempt_has_a_time_limit",
        ),
        ("chdsbd/kodiak/issues/874", "chdsbd/kodiak/issues/899", "ossf/allstar/issues/314"),
    ),
    Rule(
        "A closed pull request makes room",
        ("gate/test_serial.py::test_whoever_is_closed_or_loses_an_approval_in_its_turn_makes_room",),
        ("Mergifyio/mergify/issues/5113",),
    ),
    Rule(
        "Nobody overtakes by auto-merge or by the button",
        ("gate/test_serial.py::test_neither_auto_merge_nor_the_button_overtakes",),
    ),
)
APPROVALS = (
    Rule(
        "An approval is bound to commit, base and bundle as delivered",
        ("intake/test_events.py::test_a_review_is_bound_to_commit_base_and_bundle_as_delivered",),
        ("kamp-us/phoenix/issues/3769", "palantir/policy-bot/issues/598"),
    ),
    Rule(
        "Whoever wrote it does not count, and an address of nobody asks for one more person",
        (
            "checks/test_review.py::test_those_who_wrote_it_do_not_count",
            "checks/test_review_unmapped.py::test_one_more_than_needed",
        ),
        ("palantir/policy-bot/issues/788",),
    ),
    Rule(
        "Bots and Apps approve nothing, and the gate expresses itself by its checks",
        (
            "checks/test_review.py::test_who_may_approve",
            "gate/test_merge_rules.py::test_the_gate_never_approves",
        ),
        ("loft-sh/vcluster-docs/pull/1939", "speakeasy-api/gram/pull/4028"),
    ),
    Rule(
        "An edited comment can only withdraw",
        ("gate/test_approvals.py::test_an_edit_withdraws_and_no_edit_approves",),
        ("palantir/policy-bot/pull/459", "palantir/policy-bot/issues/1083"),
    ),
    Rule(
        "The last decisive review of a person stands, and a dismissal brings no older one back",
        ("checks/test_review.py::test_the_last_decisive_review_of_a_person_stands",),
    ),
    Rule(
        "Teams that cannot be read, and owners who cannot be seen, do not count, and that is said",
        (
            "checks/test_review.py::test_a_team_that_cannot_be_read_does_not_lift_a_block",
            "checks/test_codeowners.py::test_owners_whom_github_does_not_know_are_missing_wherever_they_stand",
        ),
        ("django/djangoproject.com/issues/2863",),
    ),
    Rule(
        "Membership is read again for the merge group",
        ("gate/test_approvals.py::test_membership_is_read_again_for_the_merge_group",),
    ),
    Rule(
        "What a person needs to decide stands in the title and the first line",
        ("policies/test_serial.py::test_the_check_run_names_the_next_step_first",),
        ("palantir/policy-bot/issues/266",),
    ),
)
FILES = (
    Rule(
        "A list that was cut, or that GitHub counts differently, is of the highest risk",
        (
            "checks/test_scope.py::test_github_and_git_must_agree_on_the_number",
            "checks/test_risk_touched.py::test_more_files_than_github_lists",
        ),
        ("kubernetes-sigs/prow/pull/707", "palantir/policy-bot/issues/11"),
    ),
    Rule(
        "Both sides of a rename count",
        ("checks/test_risk.py::test_both_diffs_count", "gate/test_git.py::test_every_kind_of_change_is_told_apart"),
        ("palantir/policy-bot/pull/225", "compdemocracy/polis/pull/2822", "danger/danger-js/issues/1446"),
    ),
    Rule(
        "Trees are compared, with links and submodules",
        (
            "checks/test_risk.py::test_a_submodule_is_a_dependency",
            "checks/test_risk_aliases.py::test_rules_see_the_other_names",
        ),
        ("whuppi/pdf_manipulator/pull/123", "openai/openai-agents-js/pull/1874"),
    ),
    Rule(
        "Names are bytes, looked at as they are and as others would read them",
        (
            "gate/test_git.py::test_odd_names_stay_themselves",
            "checks/test_paths.py::test_looks_at_two_views_to_restrict_and_one_to_permit",
        ),
        ("jcheatham/code_owners/pull/15",),
    ),
    Rule(
        "Policy, owners and workflows come from the target's tip",
        ("gate/test_healing.py::test_a_layer_of_a_stack_is_judged_by_the_stacks_base",),
    ),
    Rule(
        "Nothing of a checkout that a pull request controls is read",
        ("gate/test_git.py::test_nothing_of_the_clones_configuration_runs",),
        ("babylonlabs-io/babylon-toolkit/pull/2370",),
    ),
    Rule(
        "Owners are read exactly as GitHub does",
        (
            "checks/test_codeowners.py::test_the_last_line_wins_and_lines_do_not_add_up",
            "checks/test_codeowners.py::test_a_line_that_cannot_be_read_is_skipped_and_told",
        ),
    ),
    Rule(
        "A pull request that changes a workflow that it needs proves nothing by it",
        ("gate/test_stories.py::test_a_changed_workflow_proves_nothing",),
        ("palantir/policy-bot/issues/854",),
    ),
)
RULES = (*QUEUE, *MERGING, *APPROVALS, *FILES)
