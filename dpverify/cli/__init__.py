"""The command line: one file per command, found by itself; each has `add(app)`. What they share stands in
`terminal`.
"""

from __future__ import annotations

import importlib
import pkgutil
import signal
import sys
from typing import Annotated

import typer

from dpverify import __version__
from dpverify.cli.terminal import CRASH, EXIT_CODES, MISUSE, say
from dpverify.optional import Missing


def _version(asked: bool) -> None:
    if asked:
        say(f"dpverify {__version__}")
        raise typer.Exit


def application() -> typer.Typer:
    """The `dpverify` command with every subcommand of this package.

    >>> application().info.name
    'dpverify'
    """
    app = typer.Typer(
        name="dpverify",
        help="Is this differentially private optimizer what its paper and its author say it is?",
        epilog=EXIT_CODES,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,  # plain texts: statements and messages may hold brackets
        pretty_exceptions_enable=False,
    )

    @app.callback()
    def options(
        version: Annotated[
            bool,
            typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit."),
        ] = False,
    ) -> None: ...

    for name in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        module = importlib.import_module(f"{__name__}.{name}")
        if hasattr(module, "add"):
            module.add(app)
    return app


def main() -> None:
    """Entry point of the `dpverify` script."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # an ASCII terminal gets every letter, escaped
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
    try:
        application()(prog_name="dpverify")
    except Missing as missing:
        say(f"Error: It {missing}", err=True)
        sys.exit(MISUSE)
    except Exception:
        import traceback

        traceback.print_exc()
        say("Error: dpverify crashed; the traceback above says where.", err=True)
        sys.exit(CRASH)
