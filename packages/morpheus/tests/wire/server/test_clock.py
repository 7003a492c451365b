"""A clock that follows the wall moves worlds by their real hours per simulated day, and nobody else does."""

from collections.abc import Callable
from typing import Any

import pytest

from skyfall_crl.env.morpheus.http.stepped_backend import connect
from skyfall_crl.env.morpheus.http_backend import HttpBackend
from skyfall_crl.env.morpheus.server.clock import WallClock
from skyfall_crl.env.morpheus.server.worlds import HostedWorlds

pytestmark = pytest.mark.floor


class Wall:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hosted() -> HostedWorlds:
    return HostedWorlds(None, 10)


def made(hosted: HostedWorlds, hours: float, seed: int = 1) -> str:
    return hosted.create({"name": "n", "realHoursPerSimDay": hours}, "process-outbound", seed)


def step(hosted: HostedWorlds, world: str) -> int:
    return hosted.backend.engine(world).board.step


def test_each_world_takes_48_steps_in_its_own_real_hours(hosted: HostedWorlds) -> None:
    wall = Wall()
    slow, fast = made(hosted, 2), made(hosted, 1, 2)
    clock = WallClock(hosted, wall)
    for _ in range(3600):
        clock.tick()
        wall.now += 1
    clock.tick()
    assert (step(hosted, slow), step(hosted, fast)) == (24, 48)


def test_a_paused_world_stands_still_and_does_not_catch_up(hosted: HostedWorlds) -> None:
    wall = Wall()
    world = made(hosted, 0.8)
    clock = WallClock(hosted, wall)
    clock.tick()
    hosted.perform(world, "PUT", f"/{world}/od/schedules/pause", None)
    wall.now += 600
    clock.tick()
    hosted.perform(world, "PUT", f"/{world}/od/schedules/resume", None)
    assert step(hosted, world) == 0
    wall.now += 59
    clock.tick()
    assert step(hosted, world) == 0
    wall.now += 1
    clock.tick()
    assert step(hosted, world) == 1


def test_it_looks_again_when_the_next_step_is_due_and_never_takes_more_than_a_day_at_once(
    hosted: HostedWorlds,
) -> None:
    wall = Wall()
    world = made(hosted, 48 * 0.1 / 3600)
    clock = WallClock(hosted, wall)
    assert clock.tick() == pytest.approx(0.1)
    wall.now += 1000
    clock.tick()
    assert step(hosted, world) == 48
    hosted.delete(world)
    assert clock.tick() == 0.25


def test_it_goes_on_after_a_step_that_went_wrong(
    run_server: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    failing, sound = iter([True]), HostedWorlds.advance

    def advance(worlds: HostedWorlds, world: str) -> None:
        if next(failing, False):
            raise ZeroDivisionError("canary")
        sound(worlds, world)

    monkeypatch.setattr(HostedWorlds, "advance", advance)
    client = run_server(clock="wall")
    client.create(realHoursPerSimDay=48 * 0.02 / 3600)
    while client.ask("GET", "/sim/overview")[1]["data"]["worlds"][0]["step"] < 2:
        pass
    assert "canary" in caplog.text


def test_a_server_on_the_wall_clock_offers_no_steps_and_acts_take_none(
    run_server: Callable[..., Any],
) -> None:
    client = run_server(clock="wall")
    world = client.create()
    backend = connect(client.url)
    assert type(backend) is HttpBackend
    assert backend.act(world, method="GET", path=f"/{world}/tickets")["success"]
    backend.close()
    assert client.ask("POST", f"/sim/worlds/{world}/advance")[0] == 409
    assert client.ask("GET", "/sim/overview")[1]["data"]["worlds"][0]["step"] == 0


def test_a_server_on_the_wall_clock_moves_worlds_by_itself(run_server: Callable[..., Any]) -> None:
    client = run_server(clock="wall")
    client.create(realHoursPerSimDay=48 * 0.02 / 3600)
    while client.ask("GET", "/sim/overview")[1]["data"]["worlds"][0]["step"] < 3:
        pass
