"""Register the commands of `polarbear`, and turn errors into messages and exit codes."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from polarbear.cli import (
    analyse,
    calibrate,
    check,
    compare,
    explain,
    export,
    irace,
    membership,
    plot,
    race,
    report,
    reproduce,
    resume,
    select,
    start,
    status,
    verify,
)
from polarbear.cli.option_groups import expand
from polarbear.version import __version__

_USAGE_ERROR: Any = typer.BadParameter.__base__
_EPILOG = """\
Results go to standard output; progress and remarks go to standard error.

Exit codes: 0 done; 1 an error in the input, printed on standard error; 2 stopped early, in a state that can be resumed.
"""


class Commands(TyperGroup):
    """Command group that reports errors in the input as a message with exit code 1.

    Errors of other types are bugs in PolarBear and keep their traceback.
    """

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Parse the options before the command."""
        with _report_errors():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _report_errors():
            return super().invoke(ctx)


@contextmanager
def _report_errors() -> Iterator[None]:
    try:
        yield
    except _USAGE_ERROR as error:
        error.exit_code = 1
        raise
    except typer.Exit:
        raise
    except BrokenPipeError:  # the program that reads our output has closed the pipe
        sys.stdout = _null_device()
        raise typer.Exit(1) from None
    except (ValueError, OSError, ImportError, RuntimeError) as error:
        if os.environ.get("POLARBEAR_TRACEBACK"):
            raise
        from polarbear.configuration.errors import message_of

        print(f"polarbear: {message_of(error)}", file=sys.stderr)
        raise typer.Exit(1) from None
    except MemoryError as error:
        if os.environ.get("POLARBEAR_TRACEBACK"):
            raise
        reason = f": {error}" if str(error) else ""
        print(f"polarbear: there is not enough memory{reason}; use fewer times, draws or algorithms", file=sys.stderr)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(2) from None


app = typer.Typer(
    cls=Commands,
    help="Choose an optimiser without knowing the budget: race anytime algorithms, and keep those that may lead.",
    epilog=_EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(requested: bool) -> None:
    if requested:
        print(f"polarbear {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None: ...


for panel, commands in {
    "First steps": (start.demo, start.init, check.check),
    "Race": (
        race.race,
        resume.resume,
        membership.add,
        membership.readmit,
        membership.remove,
        status.status,
        verify.verify,
        irace.irace,
    ),
    "Results": (
        select.select,
        explain.explain,
        report.report,
        plot.plot,
        export.export,
        analyse.analyse,
        compare.compare,
    ),
    "Validation": (calibrate.calibrate, reproduce.reproduce),
}.items():
    for command in commands:
        app.command(rich_help_panel=panel)(expand(command))


def run() -> None:
    """Run the command that the arguments name."""
    _open_streams()
    app(prog_name="polarbear")


def _open_streams() -> None:
    """Open closed standard streams on the null device, and print characters that cannot be encoded as a question mark."""
    sys.stdout, sys.stderr = (sys.stdout or _null_device()), (sys.stderr or _null_device())
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _null_device() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123
