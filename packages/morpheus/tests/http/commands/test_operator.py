"""What an operator does with a deployment from the command line."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from skyfall_crl.config import load_config
from skyfall_crl.env.morpheus.command_line.doctor import examine

pytestmark = pytest.mark.floor

Command = Callable[..., tuple[int, str, str]]
TOKEN = "canary-7f3a91c2"
HEADER = ("--header", "Authorization=Bearer ${env:STUB_TOKEN}")
LAYOUTS = {"data": [{"id": "process-outbound"}, {"id": "other\x1b[2J"}]}


def lines(output: str) -> dict[str, tuple[str, str]]:
    """Return what a doctor says by the name of the check: its mark and its finding."""
    found = (line.split(None, 2) for line in output.splitlines())
    return {name: (mark, text) for mark, name, text in found}


def writes(stub: Any) -> list[tuple[str, str]]:
    return [(request.method, request.target) for request in stub.received if request.method != "GET"]


def test_the_list_has_a_line_for_each_world_over_all_pages(stub: Any, run_command: Command) -> None:
    first = {"_id": "a1", "name": "mill", "layout": "process-outbound"}
    stub.reply("GET", "/world?limit=100", 200, {"data": {"worlds": [first], "nextCursor": "a1"}})
    stub.reply("GET", "/world?limit=100&cursor=a1", 200, {"data": {"worlds": [{"_id": "b2\n"}]}})
    stub.reply("GET", "/a1/od/schedules/status", 200, {"data": {"status": "paused"}})
    code, output, errors = run_command("morpheus", "worlds", "list", stub.url)
    assert (code, errors) == (0, "")
    assert [line.split() for line in output.splitlines()] == [
        ["a1", "mill", "process-outbound", "paused"],
        ["b2?", "-", "-", "-"],
    ]
    assert writes(stub) == []


def test_attach_prints_a_section_that_a_config_loads_with_references_as_they_were_given(
    stub: Any, run_command: Command, tmp_path: Any
) -> None:
    stub.reply("GET", "/world/a1", 200, {"data": {"_id": "a1", "layout": "process-outbound"}})
    words = ("morpheus", "worlds", "attach", stub.url, "a1", *HEADER)
    code, output, _ = run_command(*words, STUB_TOKEN=TOKEN)
    assert code == 0
    assert stub.received[-1].headers["Authorization"] == f"Bearer {TOKEN}"
    path = tmp_path / "run.yaml"
    path.write_text(f"{output}policy: {{id: random}}\nrun: {{steps: 10}}\n")
    section = load_config(path).env
    assert section.id == "morpheus/live"
    assert section.kwargs == {
        "base_url": stub.url,
        "headers": {"Authorization": "Bearer ${env:STUB_TOKEN}"},
        "layout": "process-outbound",
        "world_id": "a1",
    }


@pytest.mark.parametrize("word", ["attach", "delete"])
def test_a_world_that_is_not_there_is_neither_attached_nor_deleted(
    stub: Any, run_command: Command, word: str
) -> None:
    agreed = ["--yes"] if word == "delete" else []
    code, output, errors = run_command("morpheus", "worlds", word, stub.url, "nobody", *agreed)
    assert (code, output) == (1, "")
    assert errors.startswith(f"error: backend: {stub.url}: GET /world/nobody: ")
    assert writes(stub) == []


def test_a_world_is_deleted_once_and_only_when_that_was_agreed_to(stub: Any, run_command: Command) -> None:
    world = stub.worlds.create_world(name="mill", layout="process-outbound")
    code, _, errors = run_command("morpheus", "worlds", "delete", stub.url, world)
    assert code == 2
    assert "expected --yes" in errors
    assert stub.received == []
    stub.reply("GET", f"/world/{world}", 200, {"data": {"_id": world, "name": "mill"}})
    code, output, _ = run_command("morpheus", "worlds", "delete", stub.url, world, "--yes")
    assert (code, output) == (0, f"deleted world {world} (mill)\n")
    assert writes(stub) == [("DELETE", f"/world/{world}")]


@pytest.mark.parametrize("sim", [False, True], ids=["deployment", "simulator"])
def test_the_doctor_tells_what_answers_and_creates_nothing(
    stub: Any, run_command: Command, sim: bool
) -> None:
    stub.sim = sim
    stub.reply("GET", "/world/layouts", 200, LAYOUTS)
    code, output, errors = run_command("morpheus", "doctor", stub.url, *HEADER, STUB_TOKEN=TOKEN)
    assert (code, errors) == (0, "")
    found = lines(output)
    assert list(found) == ["reach", "auth", "layouts", "clock", "offered", "lacking", "services"]
    assert found["auth"] == ("ok", "accepted with Authorization")
    assert found["layouts"] == ("ok", "process-outbound, other?[2J")
    assert found["clock"][1].startswith("steps" if sim else "wall")
    assert found["lacking"] == ("-", "nothing" if sim else "steps on request, signals of a step, snapshots")
    assert "deletion" in found["offered"][1]
    assert found["services"][1].startswith("tickets, ")
    assert writes(stub) == []
    assert TOKEN not in output


def test_the_doctor_asks_no_further_where_it_is_turned_away(stub: Any, run_command: Command) -> None:
    stub.reply("GET", "/world/layouts", 401, {"error": f"who is Bearer {TOKEN}?"})
    code, output, errors = run_command("morpheus", "doctor", stub.url, *HEADER, STUB_TOKEN=TOKEN)
    assert (code, errors) == (1, "")
    assert lines(output)["auth"] == ("failed", "401: expected another value of Authorization")
    assert len(stub.received) == 1
    assert TOKEN not in output


def test_a_token_that_a_deployment_echoes_is_not_shown(stub: Any, run_command: Command) -> None:
    stub.reply("GET", "/world/layouts", 200, {"data": [{"id": f"for {TOKEN}"}]})
    stub.reply("GET", "/sim", 500, {"error": f"no {TOKEN}"})
    stub.reply("GET", "/sim", 500, {"error": f"no {TOKEN}"})
    stub.reply("GET", "/sim", 500, {"error": f"no {TOKEN}"})
    code, output, errors = run_command("morpheus", "doctor", stub.url, *HEADER, STUB_TOKEN=TOKEN)
    assert code == 1
    assert lines(output)["layouts"] == ("ok", "for [header]")
    assert lines(output)["clock"][0] == "failed"
    assert TOKEN not in output + errors


def test_a_deployment_that_stalls_costs_the_time_that_was_given_and_no_more(
    stub: Any, run_command: Command
) -> None:
    stub.fault = lambda request, number: "drip_body"
    code, output, _ = run_command("morpheus", "doctor", stub.url, "--timeout", "0.3")
    assert code == 1
    assert [line.split(None, 2)[:2] for line in output.splitlines()] == [["failed", "reach"]]
    assert "timeout" in output
    assert len(stub.received) == 1


@pytest.mark.parametrize(
    ("fault", "reached"),
    [
        *((name, False) for name in ("reset_before", "eof_amid", "stall", "no_http", "too_big")),
        *((name, True) for name in ("cut_json", "html", "wrong_type", "status_503", "refusal")),
    ],
)
def test_whatever_answers_the_doctor_tells_it_in_lines(
    stub: Any, capsys: pytest.CaptureFixture[str], fault: str, reached: bool
) -> None:
    stub.fault = lambda request, number: fault
    assert examine(stub.url, (), 0.5) == 1
    found = lines(capsys.readouterr().out)
    assert found["reach"][0] == ("ok" if reached else "failed")
    if reached:
        assert found["auth"][0] == "-"
        assert found["layouts"][0] == "failed"
    else:
        assert len(found) == 1


def test_where_nothing_listens_the_doctor_says_so_in_one_line(nowhere: str, run_command: Command) -> None:
    code, output, errors = run_command("morpheus", "doctor", nowhere, "--timeout", "2")
    assert (code, errors) == (1, "")
    assert [line.split(None, 2)[:2] for line in output.splitlines()] == [["failed", "reach"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["http://127.0.0.1:1", "--header", f"Authorization=Bearer {TOKEN}"], "found one in clear"),
        (["http://127.0.0.1:1", "--header", "X-Key=${env:NOBODY_SET_THIS}"], "NOBODY_SET_THIS"),
        (["http://127.0.0.1:1", "--timeout", "0"], "timeout: expected a positive number"),
        ([f"http://me:{TOKEN}@127.0.0.1:1"], "expected no credentials in it"),
        (["ftp://127.0.0.1"], "expected http:// or https://"),
        ([], "required: URL"),
    ],
)
def test_what_is_asked_wrongly_ends_with_2_and_repeats_no_secret(
    run_command: Command, words: list[str], said: str
) -> None:
    code, output, errors = run_command("morpheus", "doctor", *words)
    assert (code, output) == (2, "")
    assert said in errors
    assert TOKEN not in errors


def test_the_words_import_nothing_heavy_before_one_is_run() -> None:
    code = (
        "import argparse, sys; from skyfall_crl.env.morpheus.command_line import configure; "
        "parser = argparse.ArgumentParser(); configure(parser); parser.parse_args(['doctor', 'http://a']); "
        "print([name for name in ('numpy', 'gymnasium', 'httpx', 'pydantic', 'msgspec') if name in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
