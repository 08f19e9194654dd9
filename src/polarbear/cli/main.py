"""`polarbear`: the commands, and what becomes of errors."""

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from polarbear.cli import (
    analysing,
    calibrating,
    exporting,
    plotting,
    racing,
    reporting,
    reproducing,
    selecting,
    standing,
    starting,
)
from polarbear.version import __version__

_USAGE_ERROR: Any = typer.BadParameter.__base__
_EPILOG = """\
Results go to standard output, progress and remarks to standard error.

Exit codes: 0 done; 1 an error of yours, told on standard error; 2 stopped early, with a valid state to go on from.
"""


class Commands(TyperGroup):
    """Turns what is wrong with the input into a sentence and exit code 1; other errors are ours and keep their trace."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Errors in options before the command."""
        try:
            return super().make_context(*args, **extra)
        except _USAGE_ERROR as error:
            error.exit_code = 1
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except _USAGE_ERROR as error:
            error.exit_code = 1
            raise
        except typer.Exit:
            raise
        except BrokenPipeError:  # whoever read our output has enough
            sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
            raise typer.Exit(1) from None
        except (ValueError, OSError, ImportError, RuntimeError) as error:
            if os.environ.get("POLARBEAR_TRACEBACK"):
                raise
            print(f"polarbear: {error}", file=sys.stderr)
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            raise typer.Exit(2) from None


app = typer.Typer(
    cls=Commands,
    help="Choose an optimiser without knowing the budget: race anytime algorithms, and keep those worth having.",
    epilog=_EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"polarbear {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None: ...


for command in (
    starting.demo,
    starting.init,
    starting.check,
    racing.race,
    racing.resume,
    racing.add,
    standing.status,
    analysing.analyse,
    selecting.select,
    plotting.plot,
    reporting.report,
    exporting.export,
    calibrating.calibrate,
    reproducing.reproduce,
):
    app.command()(command)


def run() -> None:
    """The entry point."""
    app(prog_name="polarbear")
