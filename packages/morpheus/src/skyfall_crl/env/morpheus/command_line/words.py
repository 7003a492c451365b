"""The words below `skyfall-crl morpheus`, with their arguments; what they do is imported when one is run."""

from typing import TYPE_CHECKING

from skyfall_crl.env.morpheus.command_line.serve import add_arguments as add_serve_arguments

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

DEFAULT_TIMEOUT = 30.0


def configure(parser: "ArgumentParser") -> None:
    """Add `worlds list`, `worlds attach`, `worlds delete`, `doctor`, `play` and `serve`."""
    words = parser.add_subparsers(required=True, metavar="ACTION")
    worlds = words.add_parser("worlds", help="the worlds of a deployment")
    actions = worlds.add_subparsers(required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="one line for each world: id, name, layout, status")
    _reach(listing)
    listing.set_defaults(run=_list)
    attaching = actions.add_parser("attach", help="print the config lines that work in a world that is there")
    _reach(attaching)
    attaching.add_argument("world", metavar="WORLD", help="the world's id")
    attaching.set_defaults(run=_attach)
    deleting = actions.add_parser("delete", help="delete a world for good")
    _reach(deleting)
    deleting.add_argument("world", metavar="WORLD", help="the world's id")
    deleting.add_argument("--yes", action="store_true", help="do it; without this nothing is deleted")
    deleting.set_defaults(run=_delete)
    checking = words.add_parser("doctor", help="say what answers at an address, and create nothing")
    _reach(checking)
    checking.set_defaults(run=_doctor)
    playing = words.add_parser("play", help="work the incidents of an embedded world by hand")
    playing.add_argument("--layout", default="process-outbound", help="which world (default: %(default)s)")
    playing.add_argument("--seed", type=int, default=0, help="whose orders and faults (default: %(default)s)")
    playing.add_argument("--configuration", help="which causes are likely (default: the layout's first)")
    playing.set_defaults(run=_play)
    add_serve_arguments(words.add_parser("serve", help="serve embedded worlds the way a deployment does"))


def _reach(parser: "ArgumentParser") -> None:
    parser.add_argument("url", metavar="URL", help="where the deployment answers")
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="NAME=REFERENCE",
        help="a header of every request, its value by ${env:NAME} or ${file:PATH}; may be repeated",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=DEFAULT_TIMEOUT,
        metavar="SECONDS",
        help="how long the command may wait for answers (default: %(default)g)",
    )


def _list(arguments: "Namespace") -> int:
    from skyfall_crl.env.morpheus.command_line.worlds import show_worlds

    return show_worlds(arguments.url, arguments.header, arguments.timeout)


def _attach(arguments: "Namespace") -> int:
    from skyfall_crl.env.morpheus.command_line.worlds import show_attachment

    return show_attachment(arguments.url, arguments.header, arguments.timeout, arguments.world)


def _delete(arguments: "Namespace") -> int:
    from skyfall_crl.env.morpheus.command_line.worlds import delete_world

    return delete_world(
        arguments.url, arguments.header, arguments.timeout, arguments.world, agreed=arguments.yes
    )


def _doctor(arguments: "Namespace") -> int:
    from skyfall_crl.env.morpheus.command_line.doctor import examine

    return examine(arguments.url, arguments.header, arguments.timeout)


def _play(arguments: "Namespace") -> int:
    from skyfall_crl.env.morpheus.command_line.play import play

    return play(arguments.layout, arguments.seed, arguments.configuration)
