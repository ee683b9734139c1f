"""The command line: one file per command, found by itself; each has `add(app)`. What they share stands in
`terminal`.
"""

from __future__ import annotations

import importlib
import inspect
import math
import os
import pkgutil
import signal
import sys
import time
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from dpverify import __version__
from dpverify.cli.terminal import CRASH, EXIT_CODES, MISUSE, Misuse, say
from dpverify.optional import Missing
from dpverify.workers import die_with

ANYWHERE = ("check", "run", "audit", "zoo", "laws", "targets", "report")  # what a cluster can do


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
    for command in app.registered_commands:
        if command.callback and (command.name or command.callback.__name__) in ANYWHERE:
            command.callback = _anywhere(command.callback)
    return app


def _anywhere(command: Callable[..., None]) -> Callable[..., None]:
    """The command with one more option: the cluster that does its pieces."""

    @wraps(command)
    def on_cluster(*arguments: Any, on: str | None, **options: Any) -> None:
        if on is None:
            return command(*arguments, **options)
        from dpverify.memory import Memory, cache_folder
        from dpverify.parallel import ClusterError
        from dpverify.parallel import on as cluster

        try:
            with cluster(on, Memory(cache_folder() / "pieces")):
                try:
                    command(*arguments, **options)
                except typer.Exit as end:  # the end of a command that went well, whatever it found
                    code = end.exit_code
                else:
                    code = 0
        except ClusterError as error:
            raise Misuse(f"{error} What was finished is kept: the same command goes on from there.") from None
        raise typer.Exit(code)

    signature = inspect.signature(command, eval_str=True)
    option = Annotated[
        str | None,
        typer.Option(
            "--on", help="A Dask cluster to work on: local:4 (processes here) or tcp://scheduler:8786."
        ),
    ]
    extra = inspect.Parameter("on", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option)
    whole = signature.replace(parameters=[*signature.parameters.values(), extra])
    on_cluster.__signature__ = whole  # type: ignore[attr-defined]
    on_cluster.__annotations__ = {p.name: p.annotation for p in whole.parameters.values()}
    return on_cluster


def main() -> None:
    """Entry point of the `dpverify` script: the command, in a process of its own where that can be had, so
    that code under test which ends the process is never taken for a command that ended well.
    """
    if not hasattr(os, "fork"):
        sys.exit(_command())
    reading, writing = os.pipe()
    os.set_inheritable(writing, False)
    parent = os.getpid()
    if child := os.fork():
        os.close(writing)
        sys.exit(_awaited(child, reading))
    os.close(reading)
    die_with(parent, lambda: os._exit(CRASH))
    _on(signal.SIGINT, _interrupt_once())
    code = _command()
    os.write(writing, bytes([code]))
    sys.exit(code)


def _on(name: signal.Signals, handler: Callable[[int, Any], None]) -> None:
    """Handle a signal, unless whoever started this process had it ignored, as `nohup` does."""
    if signal.getsignal(name) is not signal.SIG_IGN:
        signal.signal(name, handler)


def _interrupt_once() -> Callable[[int, Any], None]:
    """A handler of Ctrl-C, which a terminal sends to both processes and the first hands on: one interrupt."""
    last = -math.inf

    def interrupt(number: int, frame: Any) -> None:
        nonlocal last
        before, last = last, time.monotonic()
        if last - before > 1.0:
            raise KeyboardInterrupt

    return interrupt


def _command() -> int:
    """Do what the command line says, and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # an ASCII terminal gets every letter, escaped
    try:
        application()(prog_name="dpverify")
    except Missing as missing:
        say(f"Error: It {missing}", err=True)
        return MISUSE
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else CRASH
    except Exception:
        import traceback

        traceback.print_exc()
        say("Error: dpverify crashed; the traceback above says where.", err=True)
        return CRASH
    return 0


def _awaited(child: int, reading: int) -> int:
    """The exit code of the command, which that process does."""
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        _on(name, lambda number, _: os.kill(child, number))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if os.read(reading, 1):
        return code
    if code < 0:
        how = f"was ended by {signal.Signals(-code).name}"
    else:
        how = f"ended itself with exit code {code}"
    say(f"Error: the process {how} before there was a result. Nothing is known.", err=True)
    return CRASH
