"""Every public name and every rule of the adapter's API page, with the tests that show it."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
HERE = "skyfall_crl.env.morpheus"

NAMES: dict[str, tuple[str, ...]] = {
    "morpheus_env:MorpheusEnv": (
        *("owns_world", "reward_spec", "regime_id", "reset", "step", "describe", "close"),
        *("observation_space", "action_space", "apply_regime"),
    ),
    "observation:PRIORITIES": (),
    "observation:OPEN_STATUSES": (),
    "observation:ObservedTicket": ("from_payload",),
    "observation:ObservationProjector": ("space", "project"),
    "observation:normalize_tickets": (),
    "action:ALLOWED_METHODS": (),
    "action:DEFAULT_DOMAINS": (),
    "action:ToolCall": ("resolved",),
    "action:ActionOutcome": (),
    "action:ActionScope": ("judge",),
    "action:parse_tool_call": (),
    "action:extract_ticket_ids": (),
    "taskview:TaskView": ("to_tool_call", "parse_action", "touched_tickets"),
    "taskview:ToolCallTaskView": ("to_tool_call", "parse_action", "touched_tickets"),
    "economics:FinancialState": (),
    "vector:PersistentVectorEnv": ("reset", "step", "close", "metadata"),
    "ports:BackendError": (),
    "ports:MorpheusBackend": (
        *("create_world", "reset_world", "get_tasks", "close", "fetch"),
        *("get_action_space", "act", "set_chaos", "verify"),
    ),
    "factory:morpheus_world": (),
    "regime:ConstantRegime": (),
    "regime:Regime": ("identity", "select", "exclude"),
    "regime:RegimeProvider": ("at",),
    "regime:RegimeSchedule": ("at", "from_mapping", "from_yaml"),
    "regime:ScheduledRegime": ("at",),
    "http_backend:HttpBackend": (
        *("create_world", "observe", "get_tasks", "fetch", "close", "get_action_space", "act", "set_chaos"),
        *("reset_world", "verify"),
    ),
}

RULES: tuple[tuple[str, tuple[str, ...]], ...] = (
    # The environment.
    (
        "a world is driven by the usual loop of reset and step",
        ("environment/test_loop.py::test_gymnasium_has_no_complaint",),
    ),
    (
        "its processes are not the agent's to run, and its tickets are worked with tools that a verifier judges",
        (
            "action/test_scope.py::test_a_closed_domain_stays_closed_however_it_is_spelled",
            "environment/test_bare_backend.py::test_the_verifier_says_whether_a_remedy_worked",
        ),
    ),
    (
        "observation, actions and reward are layers that are put in, and without them the loop runs for a reward of 0",
        (
            "environment/test_loop.py::test_the_default_view_is_the_whole_tool_surface",
            "environment/test_outcomes.py::test_without_a_spec_the_reward_is_zero",
            "test_factory.py::test_objects_are_taken_as_they_are",
        ),
    ),
    (
        "any object that keeps the contract can be the backend",
        (
            "environment/test_bare_backend.py::test_the_double_keeps_the_protocol",
            "live/test_fan_out.py::test_the_double_keeps_the_protocols",
            "test_recorded_backend.py::test_an_episode_replays_without_the_world_it_was_recorded_in",
        ),
    ),
    (
        "the layout is provisioned on the first reset and the world kept afterwards",
        (
            "environment/test_ownership.py::test_a_world_is_provisioned_once_and_survives_closing",
            "environment/test_loop.py::test_a_reset_leaves_the_world_as_it_is",
        ),
    ),
    (
        "it truncates every so many steps and terminates never",
        ("environment/test_loop.py::test_every_so_many_steps_it_truncates_and_goes_on",),
    ),
    (
        "it disposes of a world only when asked, and never of one it did not create",
        (
            "environment/test_ownership.py::test_an_owner_deletes_on_close_only_when_asked",
            "environment/test_ownership.py::test_a_guest_steps_a_world_and_never_deletes_or_rebuilds_it",
        ),
    ),
    (
        "it says whether it owns its world",
        (
            "environment/test_ownership.py::test_a_guest_steps_a_world_and_never_deletes_or_rebuilds_it",
            "live/test_live_factory.py::test_a_world_named_by_id_is_visited_as_a_guest",
        ),
    ),
    (
        "the spec that scores a run may be settled by its world",
        (
            "live/test_inline_spec.py::test_a_worlds_own_spec_scores_it_once_there_is_a_world",
            "live/test_inline_spec.py::test_a_spec_that_was_given_goes_before_it",
        ),
    ),
    (
        "the configuration's id is there for logs and kept from the policy",
        (
            "environment/test_regimes.py::test_a_regime_is_pushed_and_read_back",
            "environment/test_regimes.py::test_a_policy_is_told_nothing_of_a_regime",
        ),
    ),
    (
        "only an explicit option rebuilds the world",
        ("environment/test_loop.py::test_reprovisioning_starts_a_new_world",),
    ),
    (
        "it describes what it was configured with",
        ("environment/test_loop.py::test_a_description_is_plain_data_that_names_what_was_configured",),
    ),
    # Observations.
    (
        "the space is fixed whatever the world, and kinds of chaos are in the payload alone",
        (
            "environment/test_boundaries.py::test_the_space_is_the_same_for_every_world_and_names_no_kind_of_chaos",
        ),
    ),
    (
        "a ticket is read under either spelling, unknown words fall into the safest bucket, no identity is no ticket",
        (
            "observation/test_tickets.py::test_camel_case_and_snake_case_say_the_same",
            "observation/test_tickets.py::test_an_unknown_priority_counts_least_and_an_unknown_status_stays_open",
            "observation/test_tickets.py::test_what_has_no_identity_is_no_ticket",
        ),
    ),
    (
        "fields that mean something later are there from the start, as zero",
        ("observation/test_projection.py::test_the_last_outcome_is_zero_before_anything_was_done",),
    ),
    (
        "whatever a deployment answers reads as tickets or as none, and ends no episode",
        (
            "observation/test_tickets.py::test_a_malformed_response_reads_as_no_tickets",
            "observation/test_tickets.py::test_normalising_never_raises_and_always_gives_known_buckets",
            "environment/test_bare_backend.py::test_a_deployment_that_blinks_reads_as_no_tickets",
        ),
    ),
    # Actions and their scope.
    (
        "an agent can neither drive the world's processes nor score itself",
        (
            "action/test_scope.py::test_a_closed_domain_stays_closed_however_it_is_spelled",
            "action/test_scope.py::test_a_scope_can_not_open_what_is_closed",
        ),
    ),
    (
        "anything else about an action is an outcome",
        (
            "action/test_scope.py::test_judging_never_raises",
            "environment/test_outcomes.py::test_no_action_ends_an_episode",
            "environment/test_outcomes.py::test_a_refused_action_is_an_outcome_and_time_goes_on",
        ),
    ),
    (
        "an agent may write the world as a placeholder",
        (
            "environment/test_boundaries.py::test_a_call_says_the_world_by_any_placeholder",
            "action/test_scope.py::test_no_way_of_writing_placeholders_leads_out_of_the_open_domains",
        ),
    ),
    (
        "scope goes by domains, so that a new operation of an open one is open",
        ("action/test_scope.py::test_every_default_domain_is_open_to_every_allowed_verb",),
    ),
    (
        "a call is found after a marker or as the last JSON object, and nothing is invented",
        (
            "action/test_action_text.py::test_the_forms_that_models_write_are_understood",
            "action/test_action_text.py::test_what_is_no_call_is_none",
            "action/test_action_text.py::test_parsing_never_raises",
        ),
    ),
    (
        "the tickets an action claims can be told",
        ("action/test_action_text.py::test_ticket_ids_come_from_path_and_body_once_and_in_order",),
    ),
    # Task views.
    (
        "a view shapes the action surface and maps it to calls",
        ("views/test_scheduling.py::test_a_remedy_goes_to_the_oldest_ticket_of_its_queue",),
    ),
    (
        "an action with no single operation behind it is judged by the verifier all the same",
        ("live/test_views.py::test_an_action_without_an_operation_is_verified_and_paid",),
    ),
    (
        "text policies recover actions by the view",
        (
            "environment/test_boundaries.py::test_the_default_view_parses_text_and_names_the_tickets_it_touches",
            "views/test_tool_call.py::test_an_action_parsed_from_text_is_in_the_space_and_means_the_same",
        ),
    ),
    # Money and units.
    (
        "payments, freight and units are read off what a deployment records",
        ("economics/test_projection.py::test_the_three_proxies_are_read_off_invoices_shipments_and_orders",),
    ),
    (
        "each source falls to zero by itself",
        (
            "economics/test_projection.py::test_a_source_that_fails_counts_zero_and_leaves_the_others_alone",
            "economics/test_projection.py::test_no_json_makes_the_projection_raise_or_leave_its_ranges",
            "live/test_fan_out.py::test_a_read_that_fails_spoils_nothing_but_itself",
        ),
    ),
    # Many worlds.
    (
        "worlds are stepped at once, in threads where a step waits",
        (
            "vector/test_stepping.py::test_worlds_are_stepped_at_the_same_time_by_as_many_threads_as_asked_for",
        ),
    ),
    (
        "truncation is reported and no world is reset by itself",
        (
            "vector/test_persistence.py::test_a_truncated_world_goes_on_and_is_not_reset",
            "vector/test_stepping.py::test_it_is_a_vector_env_that_says_it_never_resets_by_itself",
        ),
    ),
    (
        "the vector drives any Gymnasium environment",
        ("vector/test_persistence.py::test_cart_poles_run_on_past_their_time_limit_as_they_would_alone",),
    ),
    (
        "the vector owns what its factories build",
        (
            "vector/test_vector_arguments.py::test_close_closes_every_world_once_ends_every_thread_and_is_final",
        ),
    ),
    # The backend contract.
    (
        "the environment imports no HTTP client",
        ("environment/test_boundaries.py::test_no_http_client_is_imported_with_the_environment",),
    ),
    (
        "one backend serves several worlds and holds nothing of one",
        (
            "environment/test_ownership.py::test_worlds_of_one_backend_do_not_disturb_each_other",
            "http/test_connections.py::test_worlds_driven_from_many_threads_never_get_each_others_answers",
        ),
    ),
    (
        "a rejected call comes back as an answer, other failures as an error of the backend",
        (
            "http/test_act.py::test_a_rejected_call_says_so_and_keeps_the_deployments_words",
            "http/test_faults.py::test_a_read_fails_in_time_with_a_backend_error_that_says_how",
        ),
    ),
    (
        "resetting a world is no rewind",
        ("environment/test_ownership.py::test_rebuilding_under_the_same_seed_keeps_the_world_id",),
    ),
    (
        "what the environment reads is apart from what the agent does, and handed on as it is",
        ("http/test_wire.py::test_reads_inside_a_world_name_it_as_the_first_segment",),
    ),
    (
        "tools can be discovered",
        ("environment/test_boundaries.py::test_tools_can_be_discovered_for_one_service_and_for_all",),
    ),
    (
        "reconfiguring is the environment's one write of its own",
        (
            "environment/test_regimes.py::test_a_regime_is_pushed_and_read_back",
            "action/test_scope.py::test_a_refusal_says_why",
        ),
    ),
    (
        "the verifier judges a ticket by its checks",
        ("http/test_wire.py::test_verification_names_the_ticket_in_camel_case",),
    ),
    (
        "a backend with nothing to release may be closed",
        ("test_backend_conformance.py::test_a_backend_without_anything_optional_keeps_the_contract",),
    ),
    # Built from a config.
    (
        "plain values give a live environment",
        (
            "live/test_live_factory.py::test_its_arguments_are_these_and_their_defaults",
            "live/test_live_factory.py::test_it_drives_a_deployment_over_http",
        ),
    ),
    (
        "it is found by its dotted path and by its id",
        ("live/test_live_factory.py::test_it_is_found_by_its_id_and_by_its_path",),
    ),
    (
        "layers that a config can express go through",
        ("live/test_live_factory.py::test_layers_are_given_by_value",),
    ),
    (
        "the harness knows nothing of the adapter",
        ("environment/test_boundaries.py::test_nothing_that_trains_names_an_environment_package",),
    ),
    # Configurations.
    (
        "the regime service is shared, not the environment's own",
        ("environment/test_boundaries.py::test_the_regime_service_is_the_one_that_everybody_shares",),
    ),
    (
        "repeats share an identity",
        ("environment/test_boundaries.py::test_entries_that_repeat_one_another_share_an_identity",),
    ),
    (
        "a configuration splits into what can be told and what can't",
        ("environment/test_boundaries.py::test_axes_are_split_into_what_can_be_told_and_the_rest",),
    ),
    (
        "schedules switch, cycle or ease over, and only the last entry may be open",
        (
            "environment/test_boundaries.py::test_a_drift_eases_into_what_comes_next",
            "environment/test_boundaries.py::test_an_open_end_is_for_the_last_entry_only",
        ),
    ),
    (
        "a schedule may be an object, a mapping or a file, and mistakes show at once",
        ("environment/test_boundaries.py::test_a_schedule_is_given_built_as_a_mapping_or_as_a_file",),
    ),
    # The live backend.
    (
        "each field goes over the wire under its own name",
        ("http/test_wire.py::test_creating_a_world_sends_each_field_under_the_wires_own_name",),
    ),
    (
        "both log slices are read by plain requests",
        ("http/test_wire.py::test_observing_reads_both_logs_by_plain_requests",),
    ),
    (
        "an action raises nothing, whatever the deployment does, and is sent once",
        (
            "http/test_act.py::test_whatever_a_policy_proposes_comes_back_as_an_answer",
            "http/test_act.py::test_a_deployment_that_is_not_there_is_an_answer_too",
            "http/test_live_environment.py::test_an_episode_goes_on_whatever_every_twentieth_answer_is",
        ),
    ),
    (
        "closing leaves no connection to the collector",
        ("http/test_connections.py::test_closing_leaves_no_socket_to_the_collector",),
    ),
    (
        "the service mesh is asked for the deployment, not for a world",
        ("http/test_wire.py::test_all_services_are_asked_for_where_none_is_named",),
    ),
)


def test_every_public_name_is_where_the_page_says_it_is() -> None:
    for name, attributes in NAMES.items():
        module, _, symbol = name.partition(":")
        found: Any = getattr(import_module(f"{HERE}.{module}"), symbol)
        missing = [attribute for attribute in attributes if not hasattr(found, attribute)]
        assert not missing or set(missing) <= set(getattr(found, "__annotations__", ())) | INSTANCE_ONLY


INSTANCE_ONLY = {"observation_space", "action_space"}
"""Attributes that every Gymnasium environment gets when it is built."""


@pytest.fixture(scope="module")
def collected() -> set[str]:
    """The tests pytest finds in the files the table names, without their parameters."""
    named = {TESTS / test.partition("::")[0] for _, tests in RULES for test in tests}
    files = sorted(str(file) for file in named if file.exists())
    options = ["--collect-only", "-q", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    command = [sys.executable, "-m", "pytest", *options, "--rootdir", str(TESTS), *files]
    done = subprocess.run(command, capture_output=True, text=True, cwd=TESTS, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return {line.partition("[")[0] for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.parametrize(("rule", "tests"), [pytest.param(*entry, id=entry[0][:60]) for entry in RULES])
def test_every_rule_is_shown_by_tests_that_exist(
    rule: str, tests: tuple[str, ...], collected: set[str]
) -> None:
    assert tests
    missing = [test for test in tests if test not in collected]
    assert not missing, f"{rule}: {missing}"
