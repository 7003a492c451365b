"""Tell plugins what happens in a run; what goes wrong in a hook is handed back and never ends the run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from skyfall_crl.registry.hookspecs import LIFECYCLE
from skyfall_crl.registry.plugins import Plugin, installed


@dataclass(frozen=True, slots=True)
class HookFailure:
    """A plugin that could not be loaded (`hook` is then `load`) or whose hook raised; `error` is one line."""

    plugin: str
    hook: str
    error: str


class Lifecycle:
    """Calls the hooks of a run, each plugin apart and in name order.

    Every method returns the failures of that call for the caller to record. Mappings and lists are handed
    over frozen. Where no plugin implements a hook, a call costs one look-up.
    """

    def __init__(self, plugins: Iterable[Plugin], load_failures: Sequence[HookFailure] = ()) -> None:
        self.load_failures = tuple(load_failures)
        loaded = tuple(plugins)
        self._implementers = {
            hook: tuple(plugin for plugin in loaded if getattr(plugin.manager.hook, hook).get_hookimpls())
            for hook in LIFECYCLE
        }

    @classmethod
    def load(cls) -> "Lifecycle":
        """Load every plugin that is not blocked; the broken ones are in `load_failures`."""
        plugins = installed()
        failures = [HookFailure(name, "load", line) for name, line in plugins.failures().items()]
        return cls(plugins.loaded(), failures)

    def run_started(self, run: Mapping[str, object]) -> Sequence[HookFailure]:
        """Tell that a run has started; `run` is its provenance record."""
        return self._call("skyfall_crl_run_started", {"run": run})

    def window_collected(
        self, run: Mapping[str, object], window: Mapping[str, object]
    ) -> Sequence[HookFailure]:
        """Tell that a window of steps is complete."""
        return self._call("skyfall_crl_window_collected", {"run": run, "window": window})

    def regime_shifted(self, run: Mapping[str, object], shift: Mapping[str, object]) -> Sequence[HookFailure]:
        """Tell that another regime is in force."""
        return self._call("skyfall_crl_regime_shifted", {"run": run, "shift": shift})

    def run_finished(
        self, run: Mapping[str, object], environment: object, policy: object, algorithm: object = None
    ) -> Sequence[HookFailure]:
        """Tell that a run is over; environment, policy and algorithm are the live objects."""
        alive = {"environment": environment, "policy": policy, "algorithm": algorithm}
        return self._call("skyfall_crl_run_finished", {"run": run}, alive)

    def _call(
        self, hook: str, plain: Mapping[str, object], alive: Mapping[str, object] = MappingProxyType({})
    ) -> Sequence[HookFailure]:
        implementers = self._implementers[hook]
        if not implementers:
            return ()
        arguments = {name: _frozen(value) for name, value in plain.items()} | dict(alive)
        failures = []
        for plugin in implementers:
            try:
                getattr(plugin.manager.hook, hook)(**arguments)
            except (Exception, SystemExit) as exc:
                line = " ".join(f"{type(exc).__name__}: {exc}".split())
                failures.append(HookFailure(plugin.name, hook, line))
        return failures


def _frozen(value: object) -> object:
    if isinstance(value, Mapping):
        return MappingProxyType({key: _frozen(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(_frozen(item) for item in value)
    return value
