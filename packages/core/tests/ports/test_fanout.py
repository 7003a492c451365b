"""Jobs over worlds."""

import threading

import gymnasium
import pytest
from gymnasium import spaces

from skyfall_crl.ports.fanout import FanOut, WorldFailure


class Plain(gymnasium.Env):
    observation_space = action_space = spaces.Discrete(2)

    def __init__(self, in_process: bool = False, closes: bool = True) -> None:
        self.metadata = {"render_modes": [], "in_process": in_process}
        self.closes, self.closed = closes, False

    def close(self) -> None:
        self.closed = True
        if not self.closes:
            raise OSError("will not close")


def threads() -> set[str]:
    return {thread.name for thread in threading.enumerate() if thread.name.startswith("world-")}


@pytest.mark.parametrize("workers", [None, 0, 1, 3])
def test_results_come_in_world_order_however_many_workers(workers: int | None) -> None:
    fanout = FanOut([Plain] * 5, max_workers=workers)
    assert fanout.run(lambda world, env: (world, env)) == list(enumerate(fanout.environments))
    assert fanout.run(lambda world, _: world, [3, 1]) == [3, 1]
    assert fanout.run(lambda world, _: world, []) == []
    fanout.close()


def test_in_process_worlds_are_worked_inline_and_others_in_threads_of_their_own() -> None:
    inline = FanOut([lambda: Plain(in_process=True)] * 2)
    assert inline.run(lambda *_: threading.current_thread()) == [threading.current_thread()] * 2
    threaded = FanOut([Plain] * 2)
    assert len(set(threaded.run(lambda *_: threading.current_thread().name))) == 2
    inline.close()
    threaded.close()


def test_worlds_in_threads_really_run_at_the_same_time() -> None:
    barrier = threading.Barrier(4, timeout=10)
    fanout = FanOut([Plain] * 4)
    assert len(fanout.run(lambda *_: barrier.wait())) == 4
    fanout.close()


@pytest.mark.parametrize("workers", [None, 0])
def test_a_failing_world_is_kept_apart(workers: int | None) -> None:
    def job(world: int, _env: gymnasium.Env) -> int:
        if world == 1:
            raise ValueError("only this one")
        return world

    fanout = FanOut([Plain] * 3, max_workers=workers)
    first, failed, last = fanout.run(job)
    assert (first, last) == (0, 2)
    assert isinstance(failed, WorldFailure)
    assert (failed.world, str(failed.error)) == (1, "only this one")
    fanout.close()


@pytest.mark.parametrize("workers", [None, 0])
def test_an_exit_in_a_world_reaches_the_caller_and_the_threads_work_on(workers: int | None) -> None:
    def leave(world: int, _env: gymnasium.Env) -> None:
        if world == 1:
            raise SystemExit(3)

    fanout = FanOut([Plain] * 3, max_workers=workers)
    with pytest.raises(SystemExit, match="3"):
        fanout.run(leave)
    assert fanout.run(lambda world, _: world) == [0, 1, 2]
    fanout.close()


def test_close_closes_every_environment_and_leaves_no_thread() -> None:
    fanout = FanOut([Plain, lambda: Plain(closes=False), Plain])
    environments = list(fanout.environments)
    (failed,) = fanout.close()
    assert failed.world == 1
    assert all(env.closed for env in environments)
    assert threads() == set()
    assert fanout.close() == []


def test_environments_built_before_a_failing_factory_are_closed() -> None:
    built: list[Plain] = []

    def good() -> Plain:
        built.append(Plain())
        return built[-1]

    def bad() -> Plain:
        raise RuntimeError("no world for you")

    with pytest.raises(RuntimeError, match="no world"):
        FanOut([good, bad])
    assert built[0].closed
