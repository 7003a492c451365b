"""Find the command, run it, and turn what it raises into one line and an exit code.

Nothing but `sys` is imported before it is known what is asked, because `--version` has to be immediate.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

COMMANDS = {
    "run": (
        "skyfall_crl.cli.commands.run:configure",
        "run a config, or go on with a run that was interrupted",
    ),
    "eval": ("skyfall_crl.cli.commands.eval:configure", "score a trace"),
    "plugins": ("skyfall_crl.cli.commands.plugins:configure", "list the installed plugins, or check one"),
}
"""The core's words: the function that takes the word's parser, and one line of description."""

_OPTIONS = {
    "--version": "print the version and exit",
    "--help": "print this and exit",
    "--no-plugins": "leave out every plugin but the core's own",
    "--plugins-only": "refuse ids that import what no installed plugin names, for configs from others",
}
_INTERRUPTED = 130
_BROKEN_PIPE = 141


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code; 2 is a mistake in what was asked."""
    words = sys.argv[1:] if argv is None else list(argv)
    options = []
    while words and words[0].startswith("-"):
        options.append({"-h": "--help"}.get(words[0], words[0]))
        del words[0]
    try:
        code = _answer(options, words)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        code = _BROKEN_PIPE
    except KeyboardInterrupt:
        code = _INTERRUPTED
    return code


def _answer(options: list[str], words: list[str]) -> int:
    unknown = [option for option in options if option not in _OPTIONS]
    if unknown:
        return _misused(f"unknown option {unknown[0]}")
    if "--version" in options:
        from skyfall_crl.cli.version import __version__

        print(f"skyfall-crl {__version__}")
        return 0
    if "--help" in options:
        print(_help("--no-plugins" not in options), end="")
        return 0
    if not words:
        return _misused("a command is missing")
    return _command(words[0], words[1:], options)


def _misused(problem: str) -> int:
    print(f"error: command line: {problem}; see skyfall-crl --help", file=sys.stderr)
    return 2


def _command(word: str, arguments: list[str], options: list[str]) -> int:
    from contextlib import ExitStack

    from skyfall_crl.ports.errors import CrlError
    from skyfall_crl.registry.restrict import builtin_only, registered_only

    with ExitStack() as restrictions:
        if "--no-plugins" in options:
            restrictions.enter_context(builtin_only())
        if "--plugins-only" in options:
            restrictions.enter_context(registered_only(process_wide=True))
        try:
            return _run(word, arguments)
        except CrlError as error:
            print(f"error: {error.boundary}: {error}", file=sys.stderr)
            return error.exit_code


def _run(word: str, arguments: list[str]) -> int:
    from argparse import ArgumentParser

    configure, description = _find(word)
    parser = ArgumentParser(prog=f"skyfall-crl {word}", description=description)
    configure(parser)
    try:
        parsed = parser.parse_args(arguments)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    if not hasattr(parsed, "run"):
        parser.print_usage(sys.stderr)
        return 2
    code: int = parsed.run(parsed)
    return code


def _find(word: str) -> "tuple[Callable[[ArgumentParser], None], str]":
    if word in COMMANDS:
        from importlib import import_module

        target, description = COMMANDS[word]
        module, _, attribute = target.partition(":")
        return getattr(import_module(module), attribute), description
    from skyfall_crl.registry.commands import find_command

    found = find_command(word, tuple(COMMANDS))
    return found.load(), found.ref.description if found.ref else ""


def _help(with_plugins: bool) -> str:
    lines = [
        "usage: skyfall-crl [--no-plugins] [--plugins-only] COMMAND ...",
        "",
        "Continual reinforcement learning in worlds that never reset.",
        "",
        "commands:",
        *(f"  {word:<16}{description}" for word, (_, description) in COMMANDS.items()),
        "",
        "options:",
        *(f"  {option:<16}{description}" for option, description in _OPTIONS.items()),
        "",
        "skyfall-crl COMMAND --help says more about one command.",
    ]
    if with_plugins:
        from skyfall_crl.registry.restrict import BUILTIN, blocker
        from skyfall_crl.registry.scan import plugin_names

        names = [name for name in plugin_names() if name != BUILTIN and blocker(name) is None]
        if names:
            lines.append(f"Installed plugins, which may add commands of their names: {', '.join(names)}.")
    return "\n".join(lines) + "\n"


def _discard_output() -> None:
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
