"""Register the commands of `polarbear`, and turn errors into messages and exit codes."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from polarbear.cli import (
    calibrate,
    check,
    compare,
    explain,
    export,
    listing,
    plot,
    race,
    report,
    select,
    show,
    start,
    verify,
)
from polarbear.cli.help import with_help
from polarbear.cli.option_groups import expand
from polarbear.cli.usage import usage_message
from polarbear.version import __version__

_USAGE_ERROR: Any = typer.BadParameter.__base__
_EPILOG = """\
Results go to standard output; progress and notes go to standard error.

Exit codes: 0 done; 1 what was asked is false: the new version is worse, an algorithm fails, a file is damaged; 2 undecided
(compare only); 3 an error: wrong usage, or a race that is paused because an algorithm fails; 130 or 143 after a signal.
"""
_NEW_NAMES = {
    "analyse": "show RUNS",
    "status": "show RACE",
    "resume": "race RACE",
    "add": "race RACE --add NAME",
    "readmit": "race RACE --restore NAME",
    "remove": "race RACE --drop NAME",
    "irace": "init --irace SCENARIO",
    "reproduce": "",
}


class Commands(TyperGroup):
    """Command group that reports errors in the input as a message with exit code 3.

    Errors of other types are bugs in PolarBear and keep their traceback.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name; for an old name, report the new one."""
        if args and args[0] in _NEW_NAMES:
            raise ValueError(_renamed(args[0]))
        return super().resolve_command(ctx, args)

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
        if type(error).__name__ == "NoArgsIsHelpError":  # the help is printed, and was not asked for
            error.exit_code = 3
            raise
        print(f"polarbear: {usage_message(error)}", file=sys.stderr)
        raise typer.Exit(3) from None
    except typer.Exit:
        raise
    except BrokenPipeError:  # the program that reads our output has closed the pipe
        sys.stdout = _null_device()
        raise typer.Exit(0) from None
    except (ValueError, OSError, ImportError, RuntimeError) as error:
        if os.environ.get("POLARBEAR_TRACEBACK"):
            raise
        from polarbear.configuration.errors import message_of

        print(f"polarbear: {message_of(error)}", file=sys.stderr)
        raise typer.Exit(3) from None
    except MemoryError as error:
        if os.environ.get("POLARBEAR_TRACEBACK"):
            raise
        reason = f": {error}" if str(error) else ""
        print(f"polarbear: there is not enough memory{reason}; use fewer budgets, draws or algorithms", file=sys.stderr)
        raise typer.Exit(3) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _renamed(old: str) -> str:
    if old == "reproduce":
        return "`polarbear reproduce STUDY` is now `python -m case_studies STUDY`, in PolarBear's repository"
    return f"`polarbear {old}` is now `polarbear {_NEW_NAMES[old]}`; see polarbear {_NEW_NAMES[old].split()[0]} --help"


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


_PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "First steps": (start.demo, start.init, check.check),
    "Race": (race.race, verify.verify),
    "Results": (show.show, select.select, explain.explain, report.report, plot.plot, export.export, compare.compare),
    "Validation": (calibrate.calibrate,),
    "Reference": (listing.list_,),
}
for _panel, _commands in _PANELS.items():
    for _command in map(expand, _commands):
        app.command(_command.__name__.strip("_"), cls=with_help(_command), rich_help_panel=_panel)(_command)


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
