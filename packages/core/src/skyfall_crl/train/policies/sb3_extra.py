"""The extra `sb3`: said to be missing in one line, where it is asked for."""

from importlib.util import find_spec

from skyfall_crl.ports.errors import ConfigError

MODULES = ("torch", "stable_baselines3", "sb3_contrib", "safetensors")


def require() -> None:
    """Raise `ConfigError` that names the extra unless all of its packages are installed; imports none of them."""
    missing = [module for module in MODULES if find_spec(module) is None]
    if missing:
        raise ConfigError(f"Stable-Baselines3 learners need {', '.join(missing)}; install skyfall-crl[sb3]")
