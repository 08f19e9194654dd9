"""The answers of `--by`: for each group of instances, the Pareto set and which algorithm leads at which budget.

Groups borrow from each other as much as left-out predictions support, see `fit_groups`.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from polarbear.cli import terminal
from polarbear.cli.recorded_runs import runs_of_result
from polarbear.cli.selections import list_names, select_or_explain, sentence_of
from polarbear.cli.source import Source, affordable_inference, fit_runs, pareto_set
from polarbear.cli.splitting import split_by
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from polarbear.cli.recorded_runs import RecordedRuns
    from polarbear.features.table import FeatureTable
    from polarbear.inference.group_fitting import GroupPosterior
    from polarbear.observe import Choices, Grid
    from polarbear.posterior.posterior import Posterior

_DRAWS = 1000  # per group, of which there may be many


@dataclass(frozen=True)
class Groups:
    """Runs in groups of instances, by names such as "function 8".

    Attributes
    ----------
    fitted, recorded
        The posterior and the Pareto set of each group, and its runs.
    failed
        For each group that cannot be compared, for example since no instance compares two algorithms, the reason.
    pooled
        For each group that borrows from the others, how much; empty under priors that do not weight instances.
    remarks
        Remarks on the column that defines the groups.
    """

    fitted: "dict[str, tuple[Posterior, tuple[str, ...]]]"
    recorded: "dict[str, RecordedRuns]"
    failed: dict[str, str]
    pooled: "dict[str, GroupPosterior]" = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def posteriors(self) -> "dict[str, Posterior]":
        """The posterior of each group that can be compared."""
        return {name: posterior for name, (posterior, _) in self.fitted.items()}

    @property
    def for_report(self) -> "dict[str, Any]":
        """Options of the report: the posterior of each group, with how much it borrows, and remarks on the groups."""
        groups = {name: self.pooled.get(name, posterior) for name, posterior in self.posteriors.items()}
        return {"groups": groups, "group_remarks": self.remarks}

    def note(self, name: str) -> str:
        """Return how much a group borrows, and which algorithms it has no runs of; empty if it borrows from no group."""
        from polarbear.inference.group_fitting import describe_borrowing

        group = self.pooled.get(name)
        if group is None:
            return ""
        missing = f", and all about {list_names(group.unobserved, 5)}" if group.unobserved else ""
        return describe_borrowing(group.borrowed, group.unit) + missing


def compare_groups(
    source: Source,
    by: str | None,
    *,
    table: "FeatureTable | None" = None,
    rule: dict[str, Any] | None = None,
    **inference: Any,
) -> Groups:
    """Return the posterior and the Pareto set of each group, at the same times as for all runs; no groups without `by`.

    Parameters
    ----------
    source
        All runs.
    by
        The column that defines the groups.
    table
        A table of features of the instances, which may have this column.
    rule, inference
        The rule of elimination, see `dominated`; and how the posterior is computed, see `fit`.
    """
    groups = Groups({}, {}, {})
    if by is None:
        return groups
    recorded = source.recorded if source.result is None else runs_of_result(source.result)
    if recorded is None:
        raise ValueError(f"expected recorded runs or a race with --by {by}, got a saved posterior, which holds neither")
    divided = split_by(recorded, by, table)
    parts = divided.runs
    groups.remarks.extend(divided.remarks)
    for name, posterior in _fit_parts(parts, source.posterior, groups, inference).items():
        groups.fitted[name] = posterior, pareto_set(posterior, **(rule or {}))
        groups.recorded[name] = parts[name]
        if posterior.outcomes is not None:
            posterior.outcomes.free_memory()  # there may be many groups, and selections read few win rates
    return groups


def _fit_parts(
    parts: "dict[str, RecordedRuns]", whole: "Posterior", groups: Groups, inference: dict[str, Any]
) -> "dict[str, Posterior]":
    """Return the posterior of each group, at the times of the whole; note failures and what is borrowed in `groups`."""
    from polarbear.inference.group_fitting import fit_groups
    from polarbear.models import BayesianBootstrap

    inference = {"draws": _DRAWS, **inference}
    found: dict[str, Posterior] = {}
    if not isinstance(inference.get("prior", BayesianBootstrap()), BayesianBootstrap):
        for name, part in parts.items():
            try:
                found[name] = fit_runs(part, whole.grid, **inference)[1]
            except ValueError as error:
                groups.failed[name] = str(error)
        return found
    choices = {name: _choices(part, whole.grid, whole.names) for name, part in parts.items()}
    asked = affordable_inference(len(whole.names), sum(each.instances for each in choices.values()), inference)
    asked.pop("method", None)
    try:
        groups.pooled.update(fit_groups(choices, **asked))
    except ValueError as error:
        groups.failed.update(dict.fromkeys(parts, str(error)))
    return {name: group.posterior for name, group in groups.pooled.items()}


def _choices(part: "RecordedRuns", grid: "Grid", names: tuple[str, ...]) -> "Choices":
    """Return the rankings of a group's runs; if they compare nothing, a single ranking in which all are absent."""
    import numpy as np

    from polarbear.observe import ABSENT, Choices, Rankings

    try:
        return Choices.from_trajectories(part.runs, grid=grid, **part.ranking)
    except ValueError:
        return Choices.from_rankings(Rankings(np.full((1, len(grid), len(names)), ABSENT), names, grid))


def print_group_remarks(groups: Groups, *, quiet: bool = False) -> None:
    """Print the remarks on the groups, and one for each group that cannot be compared."""
    for remark in groups.remarks:
        terminal.print_remark(remark, quiet=quiet)
    for name, reason in groups.failed.items():
        terminal.print_remark(f"left out: {name}: {reason}", quiet=quiet)


def groups_as_data(groups: Groups, by: str) -> dict[str, Any]:
    """Return the groups, what defines them, and remarks on that, as plain data for JSON."""
    from polarbear.selection import Uniform, decision_map

    data = {
        name: {
            "instances": posterior.instances,
            **({"borrowed": groups.pooled[name].borrowed} if name in groups.pooled else {}),
            "scope": posterior.scope,
            "grid": posterior.grid.times.tolist(),
            "pareto_set": list(candidates),
            "map": str(decision_map(posterior, among=candidates)).splitlines(),
            "choice": sentence_of(select_or_explain(posterior, Uniform(), candidates)),
        }
        for name, (posterior, candidates) in groups.fitted.items()
    }
    return {"by": by, "group_remarks": groups.remarks, "groups": data}


def _choice(posterior: "Posterior", candidates: tuple[str, ...]) -> str:
    from polarbear.selection import Uniform

    selection = select_or_explain(posterior, Uniform(), candidates)
    if isinstance(selection, str):
        return "nothing, for lack of data,"
    return selection.candidates[0].name if selection.is_sure else "too close to call"


def print_groups(groups: Groups, by: str | None, *, most: int | None) -> None:
    """Print the Pareto set and the leaders of each group, or of the first `most` of them."""
    from polarbear.selection import decision_map

    if by is None:
        return
    terminal.print_result(f"\nBy {by}, from the posterior of each group")
    choices = Counter(_choice(posterior, candidates) for posterior, candidates in groups.fitted.values())
    counted = ", ".join(f"{name} in {number}" for name, number in choices.most_common(most))
    terminal.print_result(
        f"The best choice for any budget, all equally likely: {counted} of {with_noun(len(groups.fitted), 'group')}."
    )
    lines = []
    for name, (posterior, candidates) in groups.fitted.items():
        leaders = "\n  ".join(str(decision_map(posterior, among=candidates)).splitlines())
        instances = with_noun(posterior.instances, "instance")
        note = f"; {note}" if (note := groups.note(name)) else ""
        lines.append(f"{name} ({instances}{note}; Pareto set: {list_names(candidates, most)})\n  {leaders}")
    terminal.print_lines(lines, most=most)
