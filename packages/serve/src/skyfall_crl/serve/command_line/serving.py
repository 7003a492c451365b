"""`skyfall-crl serve`: a bundled policy at work in its environment, recorded like a run."""

from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skyfall_crl.serve.runner import ServeResult
    from skyfall_crl.train.windows import Progress

INTERRUPTED = 130


def configure(parser: ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="a bundle's folder, or its manifest")
    parser.add_argument("--steps", type=int, default=100, metavar="N", help="steps to take (default: 100)")
    parser.add_argument(
        "--env-kwargs",
        nargs="+",
        action="extend",
        default=[],
        metavar="key=value",
        help="arguments of the environment in place of recorded ones; keys may be dotted, values are YAML",
    )
    parser.add_argument(
        "--no-regime", action="store_true", help="run stationary, without the recorded schedule"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of world and policy (default: the run's)")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="a new folder for the trace (default: runs/<bundle>-served-<time>)",
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="import whatever the bundle names, and give it the secrets it asks for; for bundles of your own",
    )
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Serve, show progress, and say where the trace is; returns the exit code."""
    from skyfall_crl.registry import registered_only
    from skyfall_crl.serve.command_line.stop import stop_on_signals

    out: Path = arguments.out or _default_directory(arguments.bundle)
    with stop_on_signals() as stop:
        if arguments.trust:
            result = _serve(arguments, out, stop)
        else:
            with registered_only(process_wide=True):
                result = _serve(arguments, out, stop)
    _tell(result)
    return {"completed": 0, "interrupted": INTERRUPTED}.get(result.status, 1)


def _serve(arguments: Namespace, out: Path, stop: Any) -> "ServeResult":
    from skyfall_crl.serve.bundle import Bundle
    from skyfall_crl.serve.command_line.overrides import laid_over
    from skyfall_crl.serve.inspection import shortened
    from skyfall_crl.serve.runner import serve

    bundle = Bundle.load(arguments.bundle)
    print(shortened(f"serving {bundle.policy.id} in {bundle.env.get('id')} into {out}"), flush=True)
    return serve(
        arguments.bundle,
        steps=arguments.steps,
        env_kwargs=laid_over(bundle, arguments.env_kwargs, trust=arguments.trust),
        trace_path=out / "trace.jsonl",
        auto_reset=bundle.run.get("auto_reset") is True,
        seed=arguments.seed,
        use_recorded_regime=not arguments.no_regime,
        trust=arguments.trust,
        observe=_observer(),
        stop=stop,
    )


def _default_directory(bundle: Path) -> Path:
    folder = (bundle.parent if bundle.is_file() else bundle).resolve()
    name = folder.parent.name if folder.name == "bundle" else folder.name
    return Path("runs", f"{name}-served-{datetime.now(UTC):%Y%m%d-%H%M%S}")


def _observer() -> Any:
    """Return what prints a line every few seconds, and at the end."""
    from time import monotonic

    last = [0.0]

    def observe(now: "Progress") -> None:
        if monotonic() - last[0] >= 5.0 or now.step == now.steps:
            last[0] = monotonic()
            reward = "-" if now.reward is None else f"{now.reward:.3f}"
            print(f"step {now.step}/{now.steps}  regime {now.regime or '-'}  reward {reward}", flush=True)

    return observe


def _tell(result: "ServeResult") -> None:
    mean = f"{result.total_reward / result.steps:.4f}" if result.steps else "-"
    ended = "; the world took no more actions" if result.status == "ended" else ""
    print(f"{result.status} after {result.steps} steps{ended}")
    print(f"reward   {result.total_reward:.4f} in all, {mean} a step")
    print(f"regimes  {', '.join(result.regimes) or 'none'}")
    if result.provenance["bundle"]["same_reward"] is False:
        print("warning  the environment scores by another reward spec than the policy was trained under")
    print(f"trace    {result.trace_path}")
    print(f"metrics  skyfall-crl eval {result.trace_path}")
