"""Findings: what PolarBear noticed about data, a posterior or a race, as data.

A finding has a code, a severity, the algorithms that it concerns, numbers, and perhaps a remedy. It holds no sentence, no
command and no call: `polarbear.show` words all of these. This module imports nothing from PolarBear but literals.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from polarbear.literals import Until

Severity = Literal["unreliable", "tentative", "note"]
"""How far a finding limits the answer, the most serious first: it cannot be trusted, it may change, or it is unaffected."""

Trust = Literal["unreliable", "tentative", "firm"]
"""How far an answer can be trusted."""


class Code(StrEnum):
    """What was found. `polarbear.show.wording` has the text of each code."""

    # The posterior and its data
    UNRELIABLE_POSTERIOR = "unreliable posterior"
    FEW_INSTANCES = "few instances"
    FEW_AT_BUDGETS = "few instances at some budgets"
    NOT_OBSERVED = "not observed at some budgets"
    NOT_CHECKED = "not checked against runs"
    SAME_RESULTS = "same results everywhere"
    # The model
    MODEL_MISFIT = "outcomes contradict the model"
    MODEL_INFLUENCE = "a pair depends on a third algorithm"
    DEPENDENT_BUDGETS = "budgets are counted as independent"
    # A recommendation
    NEAREST_BUDGET = "answered for the grid budget below"
    LEFT_OUT = "not observed at the budgets of a query"
    BUDGETS_OUTSIDE = "budgets outside of the grid"
    SEPARATE_BUDGETS = "the prior treats each budget alone"
    SUMMED_RATINGS = "a portfolio has the sum of its ratings"
    MEASURED_COPIES = "repeated runs measure copies"
    NO_COPIES = "copies are not measured"
    SEARCHED = "portfolios were searched"
    # Dropped algorithms
    CIRCLE = "algorithms beat each other in a circle"
    DROP_CONTRADICTED = "a pair's own outcomes contradict a drop"
    DROP_UNSUPPORTED = "a pair's own outcomes do not support a drop"
    DROP_IN_DOUBT = "later runs put a drop in doubt"
    DROP_ON_FEW = "a drop rests on few common instances"
    DROPPED_FIRST_SOMEWHERE = "a dropped algorithm comes first on some instances"
    DROPPED_BY_USER = "dropped by the user"
    SET_ASIDE = "set aside without being judged"
    # The course of a race
    NO_ROUND = "no round has ended"
    STOPPED = "why the race stopped"
    NOT_RUN_YET = "not run yet"
    ALGORITHM_FAILS = "an algorithm fails in every run"
    FAILED_RUNS = "failed runs"
    CHANGED_CODE = "the code of an algorithm changed"
    SHARED_PROCESSOR = "runs shared a processor"
    RAN_ON_FEW = "an algorithm ran on few instances"
    # Groups and features
    GROUP_RULE = "groups keep algorithms"
    NO_GROUPS = "no instance has the feature of the groups"
    SMALL_GROUPS = "groups are too small"
    SINGLE_GROUPS = "groups of a single instance"
    OUTSIDE_GROUPS = "instances in no group"
    LEAKED_FEATURE = "a feature was computed from the runs"
    UNUSED_LEAKS = "features that were computed from the runs are not used"
    FEW_SHARED_INSTANCES = "all candidates ran on few of the instances"
    MISSING_FEATURES = "instances without features"
    UNUSED_ROWS = "features of unknown instances"
    USELESS_FEATURES = "features that tell nothing"
    ONLY_KEPT = "only kept algorithms are compared by features"
    REPLACED_FEATURES = "a table replaces features"
    # Recorded runs
    DATA_SKIPPED = "data were skipped"
    IRREGULAR_DATA = "irregular data were used"
    ASSUMED = "assumptions about the data"
    SPARSE_ALGORITHMS = "algorithms with few instances are left out"
    RUNS_GO_ON = "runs go on after the last budget"
    RUN_ENDS = "how runs ended"


# Remedies: what can be done about a finding. Each is worded once for the shell and once for Python.


@dataclass(frozen=True)
class Continue:
    """Continue the race, up to a limit of instances or of cost if one is given, and only with some algorithms if named."""

    instances: int | None = None
    cost: float | None = None
    only: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decide:
    """Continue the race until one pair is decided, up to a limit of instances if one is given."""

    first: str
    second: str
    instances: int | None = None


@dataclass(frozen=True)
class GoOnUntil:
    """Continue the race until each pair is decided, or until it is decided at every budget."""

    until: Until


@dataclass(frozen=True)
class Restore:
    """Make a dropped algorithm a candidate again and, if `rerun`, make its failed runs again."""

    name: str
    rerun: bool = False


@dataclass(frozen=True)
class RerunFailed:
    """Continue the race and make failed runs again; `acceptable` if failing may be part of what the algorithms do."""

    names: tuple[str, ...]
    acceptable: bool = True


@dataclass(frozen=True)
class UseBootstrap:
    """Fit with the Bayesian bootstrap, which needs no model."""


@dataclass(frozen=True)
class ShowPair:
    """Show the win rate of a pair by budget."""

    first: str
    second: str


@dataclass(frozen=True)
class GiveRuns:
    """Analyse the runs themselves, against which the posterior can be checked."""


@dataclass(frozen=True)
class AddInstances:
    """Give the race more instances, or repeat them if they are not repeated yet."""

    repeat: bool


@dataclass(frozen=True)
class Include:
    """Compare algorithms that were left out."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class StopAt:
    """Compare up to a later budget, with the runs that last until then."""

    budget: float


@dataclass(frozen=True)
class ReadWith:
    """Read the runs with an option of `read_runs`, or with another one.

    Attributes
    ----------
    option, value
        The option and its value; the value is None if the user has to choose it.
    otherwise
        Another option that serves as well, or better for another purpose.
    """

    option: str
    value: Any = None
    otherwise: ReadWith | None = None


@dataclass(frozen=True)
class InstallExtra:
    """Install PolarBear with an optional dependency."""

    extra: str


Remedy: TypeAlias = (
    Continue
    | Decide
    | GoOnUntil
    | Restore
    | RerunFailed
    | UseBootstrap
    | ShowPair
    | GiveRuns
    | AddInstances
    | Include
    | StopAt
    | ReadWith
    | InstallExtra
)


@dataclass(frozen=True)
class Finding:
    """Something that PolarBear noticed.

    Attributes
    ----------
    code
        What was found.
    severity
        How far it limits the answer.
    subject
        The algorithms that it concerns; empty if it concerns all of them.
    numbers
        Its details, by name: numbers, names, and lists of these.
    remedy
        What can be done about it; None if nothing needs to be done.
    """

    code: Code
    severity: Severity
    subject: tuple[str, ...] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict)
    remedy: Remedy | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain values, for JSON."""
        remedy = None if self.remedy is None else {"kind": type(self.remedy).__name__, **asdict(self.remedy)}
        return {
            "code": self.code.name.lower(),
            "severity": self.severity,
            "subject": list(self.subject),
            "numbers": dict(self.numbers),
            "remedy": remedy,
        }


def most_serious_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings, the most serious first, and in the given order among equals."""
    return tuple(sorted(findings, key=lambda each: get_args(Severity).index(each.severity)))


def trust(findings: Iterable[Finding]) -> Trust:
    """Return how far an answer with these findings can be trusted."""
    found = {each.severity for each in findings}
    return "unreliable" if "unreliable" in found else "tentative" if "tentative" in found else "firm"


@dataclass(frozen=True)
class RunFailure:
    """Why a run failed.

    Attributes
    ----------
    error
        The error in one line.
    traceback
        The frames of the traceback outside of PolarBear, and further lines of the error; empty for programs.
    output
        The last lines that the run printed.
    """

    error: str
    traceback: str = ""
    output: str = ""

    def text(self, lines: int = 8) -> str:
        """Return the error, and the last lines of the traceback and of the output."""
        shown = [self.error]
        for part in (self.traceback.splitlines(), self.output.splitlines()):
            shown += part if len(part) <= lines else ["...", *part[-lines:]]
        return "\n".join(shown)
