"""What discrete actions are called."""

import pytest

from skyfall_crl.env.morpheus.factory import world


@pytest.mark.parametrize(
    ("view", "action", "name"),
    [
        ("scheduling-under-drift", 0, "nothing"),
        ("scheduling-under-drift", 28, "look at collect"),
        ("resource-allocation", 1, "work allocate"),
    ],
)
def test_every_discrete_action_has_a_name_in_the_description(view: str, action: int, name: str) -> None:
    env = world(task_view=view)
    names = env.describe()["actions"]
    assert len(names) == env.action_space.n
    assert names[action] == name
    assert len(set(names)) == len(names)
    env.close()


def test_the_whole_tool_surface_has_no_numbered_actions() -> None:
    env = world(task_view="tool-call")
    assert env.describe()["actions"] is None
    env.close()
