"""What serving adds to the registry under the prefix `serve`; importing it imports nothing heavy."""

from collections.abc import Mapping
from typing import Any

from skyfall_crl.registry import Ref, hookimpl

_HERE = "skyfall_crl.serve"


@hookimpl
def skyfall_crl_config_sections() -> Mapping[str, Ref]:
    """Name the section of the run document."""
    return {"export": Ref(f"{_HERE}.section:ExportSection", "leave the trained policy as a bundle")}


@hookimpl
def skyfall_crl_policies() -> Mapping[str, Ref]:
    """Name the policies that speak."""
    return {
        "chat": Ref(
            f"{_HERE}.chat.policy:ChatPolicy",
            "a language model behind an OpenAI-compatible endpoint (extra `chat`)",
            "skyfall_crl.ports.policy:Policy",
        ),
        "language": Ref(
            f"{_HERE}.language.policy:language_policy",
            "a causal language model that is trained in the run (extra `language`)",
            "skyfall_crl.ports.policy:Policy",
        ),
    }


@hookimpl
def skyfall_crl_algorithms() -> Mapping[str, Ref]:
    """Name what trains them."""
    return {
        "language-reinforce": Ref(
            f"{_HERE}.language.reinforce:LanguageReinforce",
            "policy gradient on whole answers, for `language`",
            "skyfall_crl.ports.algorithm:Algorithm",
        )
    }


@hookimpl
def skyfall_crl_commands() -> Mapping[str, Ref]:
    """Name the words of the command line."""
    return {
        "serve": Ref(
            f"{_HERE}.command_line.serving:configure", "run a bundled policy and record what it does"
        ),
        "bundle": Ref(
            f"{_HERE}.command_line.bundles:configure", "look into a bundle, or check that it is whole"
        ),
    }


@hookimpl
def skyfall_crl_run_finished(run: Mapping[str, Any], environment: Any, algorithm: Any) -> None:
    """Leave a bundle, where the run's config asks for one."""
    if (run["config"].get("export") or {}).get("bundle"):
        from skyfall_crl.serve.finished import export_run

        export_run(run, environment, algorithm)
