"""The shell of the command line: options, words, errors and exit codes."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from skyfall_crl.cli.main import COMMANDS, main
from skyfall_crl.cli.version import __version__

Command = Callable[..., CompletedProcess[str]]

SHOUT = """
def configure(parser):
    parser.add_argument("words", nargs="*")
    parser.set_defaults(run=shout)

def shout(arguments):
    print(" ".join(arguments.words).upper())
    return 0

def configure_blocked(parser):
    parser.set_defaults(run=look_up)

def look_up(arguments):
    from skyfall_crl.registry import resolve
    print(resolve("environments", "collections:deque").target)
    return 0

def configure_nothing(parser):
    parser.add_subparsers()

def configure_waiting(parser):
    parser.set_defaults(run=wait)

def wait(arguments):
    import sys, time
    print("waiting", flush=True)
    sys.stdin.readline()
    return 0

def configure_endless(parser):
    parser.set_defaults(run=endless)

def endless(arguments):
    while True:
        print("line")

def configure_full(parser):
    parser.set_defaults(run=fill)

def fill(arguments):
    raise OSError(28, "No space left on device", "trace.jsonl")

@hookimpl
def skyfall_crl_commands():
    return {
        "shout": Ref("acme_plugin:configure", "say it louder"),
        "look": Ref("acme_plugin:configure_blocked", "look an id up"),
        "nothing": Ref("acme_plugin:configure_nothing", "no action"),
        "wait": Ref("acme_plugin:configure_waiting", "wait for a line"),
        "endless": Ref("acme_plugin:configure_endless", "print without end"),
        "full": Ref("acme_plugin:configure_full", "fill the disk"),
    }
"""


@pytest.fixture
def acme(install_plugin: Callable[..., None]) -> None:
    """A plugin with commands of its own."""
    install_plugin("acme", SHOUT)


class TestOptions:
    """What comes before the command."""

    def test_the_version_is_the_distribution_s(self, capsys: pytest.CaptureFixture[str]) -> None:
        """It is written in the source, so it has to be compared with the metadata."""
        assert main(["--version"]) == 0
        assert capsys.readouterr().out == f"skyfall-crl {__version__}\n"
        assert __version__ == version("skyfall-crl")

    def test_the_version_costs_next_to_nothing(self, run_python: Command) -> None:
        """Nothing is imported for it beside the two modules of the shell."""
        program = """
import sys
before = set(sys.modules)
from skyfall_crl.cli.main import main
main(["--version"])
print(*sorted(set(sys.modules) - before))
"""
        assert run_python(program).stdout.splitlines()[1].split() == [
            "skyfall_crl",
            "skyfall_crl.cli",
            "skyfall_crl.cli.main",
            "skyfall_crl.cli.version",
        ]

    def test_help_names_the_commands_and_the_plugins(
        self, install_plugin: Callable[..., None], run_command: Command
    ) -> None:
        """No plugin is imported to be named; a blocked one is left out."""
        install_plugin("acme", "import os; os._exit(9)")
        install_plugin("blocked", "")
        for option in ("--help", "-h"):
            done = run_command(option, SKYFALL_CRL_BLOCK_PLUGINS="blocked")
            assert done.returncode == 0
            assert all(f"  {word} " in done.stdout for word in COMMANDS)
            (line,) = [line for line in done.stdout.splitlines() if line.startswith("Installed plugins")]
            assert line.startswith("Installed plugins, which may add commands of their names: acme")
            assert "blocked" not in line
        assert "acme" not in run_command("--no-plugins", "--help").stdout

    def test_help_imports_no_metadata_reader(self, run_python: Command) -> None:
        """Reading file names is enough for it."""
        program = """
import sys
from skyfall_crl.cli.main import main
main(["--help"])
print(sorted({"importlib.metadata", "pluggy", "pydantic"} & set(sys.modules)))
"""
        assert run_python(program).stdout.splitlines()[-1] == "[]"

    @pytest.mark.parametrize(
        ("words", "problem"),
        [
            ([], "a command is missing; see skyfall-crl --help"),
            (["--loud"], "unrecognized arguments: --loud"),
            (["--loud", "run"], "unrecognized arguments: --loud"),
            (["--no-plugins"], "a command is missing; see skyfall-crl --help"),
        ],
    )
    def test_a_mistake_is_one_line(
        self, words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Exit code 2 is for what was asked."""
        assert main(words) == 2
        assert capsys.readouterr().err == f"error: command line: {problem}\n"


class TestCommands:
    """Whose command a word is."""

    @pytest.mark.usefixtures("acme")
    def test_a_plugin_s_command_gets_its_arguments(self, run_command: Command) -> None:
        """The word need not be the plugin's name."""
        done = run_command("shout", "hello", "world")
        assert (done.returncode, done.stdout) == (0, "HELLO WORLD\n")
        assert "usage: skyfall-crl shout" in run_command("shout", "--help").stdout

    def test_the_plugin_of_that_name_is_asked_first_and_alone(
        self, install_plugin: Callable[..., None], run_command: Command
    ) -> None:
        """No other plugin is imported when it answers."""
        install_plugin("other", "import os; os._exit(9)")
        install_plugin("acme", SHOUT.replace('"shout": ', '"acme": '))
        assert run_command("acme", "hi").stdout == "HI\n"

    def test_a_broken_plugin_of_that_name_is_the_answer(
        self, install_plugin: Callable[..., None], run_command: Command
    ) -> None:
        """Nobody else's command runs in its place."""
        install_plugin("acme", SHOUT)
        install_plugin("shout", "raise RuntimeError('torn')")
        done = run_command("shout", "hello")
        assert done.returncode == 2
        assert "plugin 'shout' (shout-plugin 1.0) can't be used: RuntimeError: torn" in done.stderr

    def test_the_core_s_words_can_not_be_taken(
        self, install_plugin: Callable[..., None], run_command: Command
    ) -> None:
        """A plugin that offers one of them is not even asked."""
        install_plugin("acme", SHOUT.replace('"shout": ', '"plugins": '))
        assert "builtin" in run_command("plugins", "list").stdout

    @pytest.mark.usefixtures("here", "acme")
    def test_an_unknown_word_names_the_nearest(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Plugins' words are among those that may be meant."""
        assert main(["shoot"]) == 2
        assert "error: plugin: no command 'shoot'; did you mean 'shout'?" in capsys.readouterr().err
        assert main(["rum"]) == 2
        assert "no command 'rum'; did you mean 'run'?" in capsys.readouterr().err

    @pytest.mark.usefixtures("here")
    def test_a_word_of_ours_names_what_to_install(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The command exists, only not here."""
        monkeypatch.setattr("skyfall_crl.registry.discovery.entry_points", lambda group: [])
        assert main(["serve", "bundle"]) == 2
        assert "`pip install skyfall-crl-serve`" in capsys.readouterr().err

    @pytest.mark.usefixtures("here", "acme")
    def test_what_argparse_refuses_ends_with_2(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Also a command that was given no action."""
        assert main(["plugins"]) == 2
        assert main(["plugins", "list", "--jsn"]) == 2
        assert main(["nothing"]) == 2
        assert "usage: skyfall-crl nothing" in capsys.readouterr().err

    @pytest.mark.usefixtures("here", "acme")
    def test_what_the_file_system_refuses_is_one_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A full disk is no mistake in what was asked."""
        assert main(["full"]) == 1
        assert capsys.readouterr().err == "error: file: trace.jsonl: No space left on device\n"

    @pytest.mark.usefixtures("here", "acme")
    def test_restrictions_hold_for_the_command_and_end_with_it(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """`--plugins-only` refuses what imports a module nobody registered."""
        assert main(["--plugins-only", "look"]) == 2
        assert "only registered ids are allowed here" in capsys.readouterr().err
        assert main(["--no-plugins", "look"]) == 2
        assert main(["look"]) == 0


def hear_interrupts() -> None:
    """Undo what a shell does to jobs in the background, whose children are deaf to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.usefixtures("acme")
class TestEnds:
    """How a command ends when it doesn't end by itself."""

    def start(self, site: Path, word: str) -> "subprocess.Popen[str]":
        """Start a command whose output can be read while it runs."""
        path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
        return subprocess.Popen(
            [sys.executable, "-m", "skyfall_crl.cli.main", word],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=hear_interrupts,
        )

    def test_ctrl_c_ends_with_130_and_no_traceback(self, site: Path) -> None:
        """The code is the shell's own for an interrupted command."""
        with self.start(site, "wait") as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "waiting\n"
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
        assert (process.returncode, errors) == (130, "")

    def test_a_reader_that_goes_away_is_no_error(self, site: Path) -> None:
        """As in `skyfall-crl ... | head`."""
        with self.start(site, "endless") as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == "line\n"
            process.stdout.close()
            errors = process.stderr.read()
            process.wait(timeout=30)
        assert (process.returncode, errors) == (141, "")
