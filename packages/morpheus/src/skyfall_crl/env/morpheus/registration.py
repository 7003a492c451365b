"""The Gymnasium ids of this adapter, registered by importing this module."""

import gymnasium

WORLD_ID = "skyfall_crl/Morpheus-v0"

gymnasium.register(
    WORLD_ID,
    entry_point="skyfall_crl.env.morpheus.factory:world",
    # A world goes on through resets, so that equal seeds give equal episodes only when it is reprovisioned.
    nondeterministic=True,
)
