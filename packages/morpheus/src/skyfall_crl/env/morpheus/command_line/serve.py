"""`skyfall-crl morpheus serve`: the simulator behind the deployment's REST surface."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from skyfall_crl.ports.errors import ConfigError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

TOKEN_VARIABLE = "SKYFALL_CRL_SERVE_TOKEN"  # noqa: S105


def add_arguments(parser: "ArgumentParser") -> None:
    """Add the arguments of `serve`; their defaults are those of `ServerSettings`."""
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8282, help="0 takes a free one (default: %(default)s)")
    parser.add_argument(
        "--clock",
        choices=("step", "wall"),
        default="step",
        help="what moves a world: each call of an agent, or its real hours per simulated day (default: step)",
    )
    parser.add_argument("--state", type=Path, metavar="DIR", help="where worlds outlive the process")
    parser.add_argument("--compat", choices=("sdk",), help="answer only what the vendor's client can read")
    parser.add_argument(
        "--token",
        metavar="REFERENCE",
        help=f"what every request has to bring, by ${{env:NAME}} or ${{file:PATH}} (default: {TOKEN_VARIABLE})",
    )
    parser.add_argument(
        "--rate", type=float, default=0.0, metavar="N", help="requests a second of one address"
    )
    parser.add_argument("--max-request-bytes", type=int, default=16 << 20, metavar="N")
    parser.add_argument("--max-worlds", type=int, default=256, metavar="N")
    parser.set_defaults(run=run)


def run(arguments: "Namespace") -> int:
    """Serve until told to stop; raises `ConfigError`."""
    from skyfall_crl.env.morpheus.server.serving import serve
    from skyfall_crl.env.morpheus.server.settings import ServerSettings

    settings = ServerSettings(
        host=arguments.host,
        port=arguments.port,
        clock=arguments.clock,
        state=arguments.state,
        sdk=arguments.compat == "sdk",
        token=_token(arguments.token),
        max_request_bytes=arguments.max_request_bytes,
        requests_per_second=arguments.rate,
        max_worlds=arguments.max_worlds,
    )
    return serve(settings, lambda address: print(f"serving on {address}", flush=True))


def _token(reference: str | None) -> str | None:
    from skyfall_crl.config.secret import REFERENCE, resolve_secrets

    if reference is None:
        return os.environ.get(TOKEN_VARIABLE)
    if not REFERENCE.search(reference):
        raise ConfigError(
            "--token: expected a reference, ${env:NAME} or ${file:PATH}, found a value in clear"
        )
    return str(resolve_secrets(reference, "--token"))
