"""The command line: one file per command, found by itself; each has `add(app)`."""

from __future__ import annotations

import importlib
import pkgutil

import typer


def application() -> typer.Typer:
    """The `dpverify` command with every subcommand of this package.

    >>> application().info.name
    'dpverify'
    """
    app = typer.Typer(
        name="dpverify",
        help="Is this differentially private optimizer what its paper and its author say it is?",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        importlib.import_module(f"{__name__}.{module}").add(app)
    return app


def main() -> None:
    """Entry point of the `dpverify` script."""
    application()()
