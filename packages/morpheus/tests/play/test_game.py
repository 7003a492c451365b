"""A game as a person plays it: by lines that are fed, and at a terminal."""

import os
import re
import select
import subprocess
import sys
from collections.abc import Callable

import pytest

pytestmark = pytest.mark.floor

Played = Callable[..., tuple[int, str, str]]


def test_a_game_fed_by_lines_shows_what_each_one_came_to(played: Played) -> None:
    code, output, errors = played(
        "wait 30\n2\nlook 2\n2 1\nread erp/orders/ORDER_8-P\nread /{worldId}/edi/X\nquit\n",
        "--layout",
        "process-inbound",
        "--seed",
        "4",
    )
    assert (code, errors) == (0, "")
    assert "waited 30 steps" in output
    assert "2: Order not acknowledged at purchase of ORDER_2" in output
    assert "PUT /{worldId}/erp/companies/COMP_2-S" in output
    assert "cause: supplier blocked; remedy 1, supplier_status" in output
    assert "supplier_status on 2: accepted with 200; the fault is mended" in output
    assert '"orderId": "ORDER_8-P"' in output
    assert "refused, out_of_scope" in output
    assert re.search(r"^35 steps, mean reward 0\.\d{3}$", output, re.M)


def test_a_game_ends_where_its_lines_do_and_names_what_references_earn(played: Played) -> None:
    code, output, errors = played("wait 5\n\n")
    assert (code, errors) == (0, "")
    assert re.search(r"^6 steps, mean reward 0\.\d{3}$", output, re.M)
    assert re.search(r"over long runs: random 0\.\d+, .*informed 0\.\d+", output)


def test_a_line_nobody_understands_costs_no_step(played: Played) -> None:
    _, output, _ = played("foo\n99\nlook x\nact PUT /x {bad\nwait 999999999\nhelp\noperations tms\nlist\n")
    assert "expected a command, found 'foo'" in output
    assert "expected the number of an open incident, found 99" in output
    assert "expected a JSON object after the path" in output
    assert "expected wait STEPS, a number up to 10000" in output
    assert "PUT /{worldId}/tms/" in output
    assert "0 steps, mean reward 0.000" in output


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--layout", "nowhere"), "nowhere"),
        (("--configuration", "Z"), "expected one of A, B, C"),
        (("--seed", "x"), "seed"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_line(
    played: Played, options: tuple[str, ...], named: str
) -> None:
    code, _, errors = played("", *options)
    assert code == 2
    assert named in errors
    assert "Traceback" not in errors


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are Unix's")
def test_at_a_terminal_there_is_a_prompt_and_colour(environment: dict[str, str], words: list[str]) -> None:
    import pty

    leader, follower = pty.openpty()
    terminal = {**environment, "TERM": "xterm-256color", "COLUMNS": "100"}
    terminal.pop("NO_COLOR", None)
    with subprocess.Popen(words, stdin=follower, stdout=follower, stderr=follower, env=terminal) as game:
        os.close(follower)
        first = _until(leader, b"> ")
        os.write(leader, b"wait 40\n")
        second = _until(leader, b"> ")
        os.write(leader, b"\x04")
        _until(leader, b"over long runs")
        assert game.wait(timeout=30) == 0
    os.close(leader)
    assert b"No open incidents" in first
    assert b"waited 40 steps" in second
    assert b"\x1b[" in second


def _until(leader: int, ending: bytes) -> bytes:
    seen = b""
    while not (seen.endswith(ending) or (ending != b"> " and ending in seen)):
        ready, _, _ = select.select([leader], [], [], 30)
        assert ready, seen
        seen += os.read(leader, 65536)
    return seen
