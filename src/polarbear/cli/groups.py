"""The answers of `--by`: for each group of recorded runs, the Pareto set and which algorithm leads at which budget."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polarbear.cli import terminal
from polarbear.cli.selections import list_names, select_or_explain, sentence_of
from polarbear.cli.source import Source, fit_runs, pareto_set
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from polarbear.cli.recorded_runs import RecordedRuns
    from polarbear.posterior.posterior import Posterior

_DRAWS = 1000  # per group, of which there may be many


@dataclass(frozen=True)
class Groups:
    """Recorded runs in groups, by names such as "function 8".

    Attributes
    ----------
    fitted, recorded
        The posterior and the Pareto set of each group, and its runs.
    failed
        For each group that cannot be compared, for example since it has a single algorithm, the reason.
    """

    fitted: "dict[str, tuple[Posterior, tuple[str, ...]]]"
    recorded: "dict[str, RecordedRuns]"
    failed: dict[str, str]

    @property
    def posteriors(self) -> "dict[str, Posterior]":
        """The posterior of each group that can be compared."""
        return {name: posterior for name, (posterior, _) in self.fitted.items()}


def compare_groups(source: Source, by: str | None, *, rule: dict[str, Any] | None = None, **inference: Any) -> Groups:
    """Return the posterior and the Pareto set of each group, at the same times as for all runs; no groups without `by`.

    Parameters
    ----------
    source
        All runs.
    by
        The field that defines the groups.
    rule, inference
        The rule of elimination, see `dominated`; and how the posterior is computed, see `fit`.
    """
    groups = Groups({}, {}, {})
    if by is None:
        return groups
    if source.recorded is None:
        raise ValueError(f"expected recorded runs with --by {by}, got another file, which does not hold their columns")
    for name, recorded in source.recorded.split(by).items():
        try:
            _, posterior = fit_runs(recorded, source.posterior.grid, **{"draws": _DRAWS, **inference})
        except ValueError as error:
            groups.failed[name] = str(error)
            continue
        groups.fitted[name] = posterior, pareto_set(posterior, **(rule or {}))
        groups.recorded[name] = recorded
        if posterior.outcomes is not None:
            posterior.outcomes.free_memory()  # there may be many groups, and selections read few win rates
    return groups


def remark_failed(groups: Groups, *, quiet: bool = False) -> None:
    """Print a remark for each group that cannot be compared."""
    for name, reason in groups.failed.items():
        terminal.print_remark(f"left out: {name}: {reason}", quiet=quiet)


def groups_as_data(groups: Groups) -> dict[str, Any]:
    """Return the groups as plain data for JSON."""
    from polarbear.selection import Uniform, decision_map

    return {
        name: {
            "instances": posterior.instances,
            "scope": posterior.scope,
            "grid": posterior.grid.times.tolist(),
            "pareto_set": list(candidates),
            "map": str(decision_map(posterior, among=candidates)).splitlines(),
            "choice": sentence_of(select_or_explain(posterior, Uniform(), candidates)),
        }
        for name, (posterior, candidates) in groups.fitted.items()
    }


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
    terminal.print_result(f"\nBy {by}")
    choices = Counter(_choice(posterior, candidates) for posterior, candidates in groups.fitted.values())
    counted = ", ".join(f"{name} in {number}" for name, number in choices.most_common(most))
    terminal.print_result(
        f"The best choice for any budget, all equally likely: {counted} of {with_noun(len(groups.fitted), 'group')}."
    )
    lines = []
    for name, (posterior, candidates) in groups.fitted.items():
        leaders = "\n  ".join(str(decision_map(posterior, among=candidates)).splitlines())
        instances = with_noun(posterior.instances, "instance")
        lines.append(f"{name} ({instances}; Pareto set: {list_names(candidates, most)})\n  {leaders}")
    terminal.print_lines(lines, most=most)
