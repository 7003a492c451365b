"""Whose world it is: provisioned once and kept, or somebody else's and never touched beyond its steps."""

from contextlib import suppress

from skyfall_crl.env.morpheus.ports import BackendError, DisposingBackend, MorpheusBackend
from skyfall_crl.ports.errors import EnvironmentFailure


class WorldLease:
    """One world of a backend and the right to dispose of it.

    Given a `world_id`, the holder is a guest: the world is neither provisioned, nor rebuilt, nor deleted.
    `seed` is what the world was provisioned with, None where nobody chose one.
    """

    def __init__(
        self, backend: MorpheusBackend, layout: str, name: str, world_id: str | None, dispose: bool
    ) -> None:
        self.backend = backend
        self.layout = layout
        self.name = name
        self.world_id = world_id
        self.owned = world_id is None
        self.dispose = dispose
        self.seed: int | None = None

    def provision(self, seed: int | None) -> str:
        """Create the world; raises `EnvironmentFailure` when the backend can't."""
        try:
            self.world_id = self.backend.create_world(name=self.name, layout=self.layout, seed=seed)
        except BackendError as error:
            raise EnvironmentFailure(f"provisioning a world of {self.layout!r} failed: {error}") from error
        self.seed = seed
        return self.world_id

    def rebuild(self, seed: int | None) -> str:
        """Destroy the world and provision it anew, from `seed` where one is given.

        A backend resets a world under its own seed, so another seed means another world where worlds can be
        deleted. Raises `EnvironmentFailure` for a guest.
        """
        if not self.owned:
            raise EnvironmentFailure(
                f"reprovision: world {self.world_id} was attached by id, and only its owner may rebuild it; "
                "reset without the option, or let the environment provision a world of its own"
            )
        if self.world_id is None:
            return self.provision(seed)
        if seed is not None and isinstance(self.backend, DisposingBackend):
            self._delete()
            return self.provision(seed)
        try:
            self.backend.reset_world(self.world_id)
        except BackendError as error:
            raise EnvironmentFailure(f"rebuilding world {self.world_id} failed: {error}") from error
        return self.world_id

    def release(self) -> None:
        """Delete the world when it is owned and was to be disposed of; otherwise it lives on."""
        if self.owned and self.dispose:
            self._delete()
            self.world_id = None

    def _delete(self) -> None:
        if self.world_id is not None and isinstance(self.backend, DisposingBackend):
            with suppress(BackendError):
                self.backend.delete_world(self.world_id)
