"""`key=value` words laid over a bundle's arguments of the environment."""

import copy
from collections.abc import Sequence
from typing import Any

from skyfall_crl.config.override import apply_overrides
from skyfall_crl.config.schema import EnvSection
from skyfall_crl.serve.bundle import Bundle
from skyfall_crl.serve.environment import known_keys
from skyfall_crl.serve.trust import check_arguments_asked


def laid_over(bundle: Bundle, words: Sequence[str], *, trust: bool) -> dict[str, Any]:
    """Return the arguments that the words change, each as a whole, for `serve(env_kwargs=...)`.

    Without trust, what the bundle itself says inside an argument that is only changed in part is checked here.
    Raises `ConfigError` for a word without `=` and for a key that leads nowhere.
    """
    if not words:
        return {}
    recorded = known_keys(EnvSection, bundle.env, "env").kwargs
    changed, theirs = copy.deepcopy(recorded), copy.deepcopy(recorded)
    apply_overrides(changed, words)
    keys = [word.partition("=")[0] for word in words]
    apply_overrides(theirs, [f"{key}=null" for key in keys])
    tops = sorted({key.partition(".")[0] for key in keys})
    if not trust:
        check_arguments_asked({top: theirs[top] for top in tops}, "env.kwargs")
    return {top: changed[top] for top in tops}
