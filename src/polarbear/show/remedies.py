"""The words of remedies: for each, the command for the shell and the call for Python."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from polarbear.findings import (
    AddInstances,
    Continue,
    Decide,
    GiveRuns,
    GoOnUntil,
    Include,
    InstallExtra,
    ReadWith,
    RerunFailed,
    Restore,
    ShowPair,
    StopAt,
    UseBootstrap,
)
from polarbear.importers.option_text import as_argument, as_typed
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from polarbear.findings import Remedy

Source = Literal["race", "runs", "posterior"]

_SAVED = "study.npz"  # the name of a saved result in an example


@dataclass(frozen=True)
class Shell:
    """The voice of the command line.

    Attributes
    ----------
    source
        Where the result comes from.
    path
        The file as typed in a shell; empty if no command can read it again.
    reading
        The options with which `show` reads the file, as typed in a shell, with a blank before each.
    continues
        Whether commands can continue a race. They cannot continue the race of a Python program.
    origin
        For a saved result: the file and the options with which its runs were read, as typed in a shell.
    """

    source: Source
    path: str
    reading: str = ""
    continues: bool = True
    origin: str = ""

    def footer(self, notes: int) -> str:
        """Return where the details, among them further notes, and the page are."""
        details = f"Details{_and_notes(notes)}: add --details"
        if self.reading:
            return f"{details}    Page: add --save {_SAVED}, then polarbear report {_SAVED}"
        return f"{details}    Page: polarbear report {self.path}" if self.path else details

    def say(self, remedy: Remedy) -> str:
        """Return the command that applies a remedy; empty if there is none."""
        race, show = f"polarbear race {self.path}", f"polarbear show {self.origin or self.path + self.reading}"
        if self.source == "race" and not self.continues and not isinstance(remedy, ShowPair | AddInstances):
            return Python("race").say(remedy)
        match remedy:
            case _ if not self.path:
                return ""
            case Continue(instances, cost, only):
                options = [f"--only {shlex.quote(name)}" for name in only]
                options += [f"--max-instances {instances}"] if instances else []
                options += [f"--max-evaluations {cost:.12g}"] if cost else []
                return " ".join([race, *options])
            case Decide(first, second, instances):
                limit = f" --max-instances {instances}" if instances else ""
                return f"{race} --decide {shlex.quote(first)} {shlex.quote(second)}{limit}"
            case GoOnUntil(rule):
                return f"{race} --until {rule}"
            case Restore(name, rerun):
                return f"{race} --restore {shlex.quote(name)}{' --failed rerun' if rerun else ''}"
            case RerunFailed(_, acceptable):
                return f"{race} --failed rerun" + (", or accept them: --failed accept" if acceptable else "")
            case UseBootstrap() if self.source == "race":
                return f"{race} --set race.prior=BayesianBootstrap"
            case UseBootstrap() if self.source == "runs":
                return f"{show} --prior BayesianBootstrap"
            case ShowPair(first, second):
                figure = f"pair {shlex.quote(first)} {shlex.quote(second)}"
                if self.reading:
                    return f"{show} --save {_SAVED}, then polarbear plot {_SAVED} {figure}"
                return f"polarbear plot {self.path} {figure}"
            case AddInstances(repeat):
                return "add instances to [instances]" + (", or repeat them with repeats" if repeat else "")
            case Include(names):
                return " ".join([show, *(f"--include {shlex.quote(name)}" for name in names)])
            case StopAt(budget):
                return f"{show} --budgets ..{budget:.12g}"
            case GiveRuns():
                return "polarbear show RUNS"
            case ReadWith(option, value, otherwise):
                other = f", or {as_typed(otherwise.option, otherwise.value)}" if otherwise else ""
                return f"{show} {as_typed(option, value)}{other}"
            case InstallExtra(extra):
                return _install(extra)
        return ""


@dataclass(frozen=True)
class Python:
    """The voice of Python; see `Shell`."""

    source: Source

    def footer(self, notes: int) -> str:
        """Return where the details, among them further notes, and the page are."""
        return f'Details{_and_notes(notes)}: print(result.details())    Page: result.report("page.html")'

    def say(self, remedy: Remedy) -> str:
        """Return the call that applies a remedy; empty if there is none."""
        match remedy:
            case Continue(instances, cost, only):
                arguments = [f"only={list(only)}"] if only else []
                arguments += [f"max_instances={instances}"] if instances else []
                arguments += [f"max_evaluations={cost:.12g}"] if cost else []
                return f"race.run({', '.join(arguments)})"
            case Decide(first, second, instances):
                limit = f", max_instances={instances}" if instances else ""
                return f"race.run(decide=({first!r}, {second!r}){limit})"
            case GoOnUntil(rule):
                return f'pb.Race.open(file, algorithms=..., instances=..., until="{rule}")'
            case Restore(name, rerun):
                return f"race.restore({name!r}); race.run({'rerun_failed=True' if rerun else ''})"
            case RerunFailed(_, acceptable):
                return "race.run(rerun_failed=True)" + (
                    ", or accept them: race.run(accept_failures=True)" if acceptable else ""
                )
            case UseBootstrap() if self.source == "race":
                return "pb.Race(..., prior=pb.BayesianBootstrap())"
            case UseBootstrap():
                return "pb.analyse(runs, prior=pb.BayesianBootstrap())"
            case ShowPair(first, second):
                return f'result.plot("pair", {first!r}, {second!r})'
            case AddInstances(repeat):
                return "pass more instances" + (", or pb.problems.Repeated(instances, 5)" if repeat else "")
            case Include(names):
                return f"pb.analyse(runs, include={list(names)})"
            case StopAt(budget):
                return f'pb.analyse(runs, budgets="..{budget:.12g}")'
            case GiveRuns():
                return "pb.analyse(runs)"
            case ReadWith(option, value, otherwise):
                other = f", or {as_argument(otherwise.option, otherwise.value)}" if otherwise else ""
                return f"pb.analyse(path, {as_argument(option, value)}){other}"
            case InstallExtra(extra):
                return _install(extra)
        return ""


def _install(extra: str) -> str:
    return f"pip install 'polarbear-anytime[{extra}]'"


def _and_notes(number: int) -> str:
    return f" and {with_noun(number, 'more note')}" if number else ""
