"""Find the command, run it, and turn what it raises into one line and an exit code.

Nothing but `sys` is imported before it is known what is asked, because `--version` has to be immediate.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable
    from typing import NoReturn

COMMANDS = {
    "run": (
        "skyfall_crl.cli.commands.run:configure",
        "run a config, or go on with a run that was interrupted",
    ),
    "eval": ("skyfall_crl.cli.commands.eval:configure", "score a trace"),
    "bounds": ("skyfall_crl.cli.commands.bounds:configure", "measure what the references of a config earn"),
    "compare": ("skyfall_crl.cli.commands.compare:configure", "compare variants over seeds"),
    "sweep": ("skyfall_crl.cli.commands.sweep:configure", "run a config with many settings and seeds"),
    "export": ("skyfall_crl.cli.commands.export:configure", "write a run's steps for other tools"),
    "plugins": ("skyfall_crl.cli.commands.plugins:configure", "list the installed plugins, or check one"),
}
"""The core's words: the function that takes the word's parser, and one line of description."""

_INTERRUPTED = 130
_BROKEN_PIPE = 141


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code; 2 is a mistake in what was asked."""
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        code = _answer(words)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        code = _BROKEN_PIPE
    except KeyboardInterrupt:
        code = _INTERRUPTED
    return code


def _answer(words: list[str]) -> int:
    if "--version" in words[:1]:
        from skyfall_crl.cli.version import __version__

        print(f"skyfall-crl {__version__}")
        return 0
    parser = _parser()
    try:
        options = parser.parse_args(words)
        if options.command is None and not options.help:
            parser.error("a command is missing; see skyfall-crl --help")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    if options.help:
        parser.epilog = _epilog(not options.no_plugins)
        parser.print_help()
        return 0
    return _command(options.command, options.arguments, options)


def _parser() -> "ArgumentParser":
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> "NoReturn":
            self.exit(2, f"error: command line: {message}\n")

    parser = Parser(
        prog="skyfall-crl",
        usage="skyfall-crl [--no-plugins] [--plugins-only] COMMAND ...",
        description="Continual reinforcement learning in worlds that never reset.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
    )
    flag = "store_true"
    parser.add_argument("--version", action=flag, help="print the version and exit")
    parser.add_argument("-h", "--help", action=flag, help="print this and exit")
    parser.add_argument("--no-plugins", action=flag, help="leave out every plugin but the core's own")
    parser.add_argument(
        "--plugins-only",
        action=flag,
        help="refuse ids that import what no installed plugin names, for configs from others",
    )
    parser.add_argument("command", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _command(word: str, arguments: list[str], options: "Namespace") -> int:
    from contextlib import ExitStack

    from skyfall_crl.ports.errors import CrlError
    from skyfall_crl.registry.restrict import builtin_only, registered_only

    with ExitStack() as restrictions:
        if options.no_plugins:
            restrictions.enter_context(builtin_only())
        if options.plugins_only:
            restrictions.enter_context(registered_only(process_wide=True))
        try:
            return _run(word, arguments)
        except CrlError as error:
            print(f"error: {error.boundary}: {error}", file=sys.stderr)
            return error.exit_code
        except BrokenPipeError:
            raise
        except OSError as error:
            named = "" if error.filename is None else f"{error.filename}: "
            print(f"error: file: {named}{error.strerror or error}", file=sys.stderr)
            return 1


def _run(word: str, arguments: list[str]) -> int:
    from argparse import ArgumentParser

    configure, description = _find(word)
    parser = ArgumentParser(prog=f"skyfall-crl {word}", description=description)
    configure(parser)
    try:
        parsed = _parse(parser, arguments)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    if not hasattr(parsed, "run"):
        parser.print_usage(sys.stderr)
        return 2
    code: int = parsed.run(parsed)
    return code


def _parse(parser: "ArgumentParser", arguments: list[str]) -> "Namespace":
    """Let options stand between words, which argparse allows only where there are no words of a second level."""
    try:
        return parser.parse_intermixed_args(arguments)
    except TypeError:
        return parser.parse_args(arguments)


def _find(word: str) -> "tuple[Callable[[ArgumentParser], None], str]":
    if word in COMMANDS:
        from importlib import import_module

        target, description = COMMANDS[word]
        module, _, attribute = target.partition(":")
        return getattr(import_module(module), attribute), description
    from skyfall_crl.registry.commands import find_command

    found = find_command(word, tuple(COMMANDS))
    return found.load(), found.ref.description if found.ref else ""


def _epilog(with_plugins: bool) -> str:
    lines = ["commands:", *(f"  {word:<16}{description}" for word, (_, description) in COMMANDS.items())]
    if with_plugins:
        from skyfall_crl.registry.restrict import BUILTIN, blocker
        from skyfall_crl.registry.scan import plugin_names

        names = [name for name in plugin_names() if name != BUILTIN and blocker(name) is None]
        if names:
            lines += ["", f"Installed plugins, which may add commands of their names: {', '.join(names)}."]
    return "\n".join([*lines, "", "skyfall-crl COMMAND --help says more about one command."])


def _discard_output() -> None:
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
