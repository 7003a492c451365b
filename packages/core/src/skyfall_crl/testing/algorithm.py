"""Does an algorithm learn from the windows a run hands over, and can it be stored and taken up again."""

from collections.abc import Callable

from skyfall_crl.registry import load
from skyfall_crl.testing.bound_policy import PolicyFactory
from skyfall_crl.testing.checkpointing import check_checkpoint
from skyfall_crl.testing.learner import AlgorithmFactory, Learner, Workshop, changed, copied
from skyfall_crl.testing.step_result import Environment
from skyfall_crl.testing.verdict import broken, typed
from skyfall_crl.testing.window import small_world

DEFAULT_POLICY = "builtin/mlp"


def check_algorithm(
    factory: AlgorithmFactory,
    policy_factory: PolicyFactory | None = None,
    *,
    environment: Callable[[], Environment] = small_world,
) -> None:
    """Check the algorithms that `factory(policy)` builds; raises `ConformanceError`.

    `policy_factory` builds what they train, the policy `builtin/mlp` where none is given, which acts in the worlds
    that `environment` builds. Checkpoints go to temporary directories.
    """
    workshop = Workshop(factory, policy_factory or load("policies", DEFAULT_POLICY), environment)
    made = workshop.learner(1)
    check_policy_of(made)
    check_updates(workshop, made)
    check_checkpoint(workshop, made)


def check_policy_of(made: Learner) -> None:
    """Check that an algorithm trains the policy it was given, and says so."""
    if made.algorithm.policy is not made.bound.policy:
        rule, cause = "expected the policy that the factory was given", "keep it, and train it in place"
        raise broken("policy", rule=rule, found=typed(made.algorithm.policy), cause=cause)


def check_updates(workshop: Workshop, made: Learner) -> None:
    """Check that each kind of window is learned from or passed over, and stays as it was."""
    for what, window in workshop.windows(made).items():
        kept = copied(window)
        made.update(window, what)
        if (found := changed(kept, window)) is not None:
            rule, cause = "expected the window to stay as it was", "copy before you scale or normalise"
            raise broken(f"update with {what}", rule=rule, found=found, cause=cause)
