"""An object that is named now and imported when somebody asks for it."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Ref:
    """What a plugin's hook says about one id; making one imports nothing.

    `target` is `package.module:attribute` and `description` one line for lists. `port` names the protocol
    that the object keeps and `check` a callable that takes the loaded object and raises where it breaks that
    protocol; both are written like `target` and imported only when used. `privileged` marks what looks inside
    a world.
    """

    target: str
    description: str
    port: str | None = None
    check: str | None = None
    privileged: bool = False

    def load(self) -> Any:
        """Import the module and return the attribute; whatever the import raises passes through."""
        return import_target(self.target)


def import_target(target: str) -> Any:
    """Import what `package.module:attribute` names."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
