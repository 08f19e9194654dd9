"""The answers of `--by`: for each group of recorded runs, the Pareto set and which algorithm leads at which budget."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from polarbear.cli import terminal
from polarbear.cli.comparison import list_names, select_or_explain, sentence_of
from polarbear.cli.source import Source, fit_runs, pareto_set
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from polarbear.posterior.posterior import Posterior

_DRAWS = 1000  # per group, of which there may be many
# By the name of the group, such as "function 8": its posterior and its Pareto set.
Groups = dict[str, "tuple[Posterior, tuple[str, ...]]"]


def compare_groups(source: Source, by: str, *, rule: dict[str, Any], **inference: Any) -> Groups:
    """Return the posterior and the Pareto set of each group, at the same times as for all runs.

    A group that cannot be compared, for example since it has a single algorithm, is left out with a remark.

    Parameters
    ----------
    source
        All runs.
    by
        The field that defines the groups.
    rule, inference
        The rule of elimination, see `dominated`; and how the posterior is computed, see `fit`.
    """
    if source.recorded is None:
        raise ValueError(f"expected recorded runs with --by {by}, got another file, which does not hold their columns")
    groups: Groups = {}
    for name, recorded in source.recorded.split(by).items():
        try:
            _, posterior = fit_runs(recorded, source.posterior.grid, draws=_DRAWS, **inference)
        except ValueError as error:
            terminal.print_remark(f"left out: {name}: {error}")
            continue
        groups[name] = posterior, pareto_set(posterior, **rule)
    return groups


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
            "choice": sentence_of(select_or_explain(posterior, Uniform(), list(candidates))),
        }
        for name, (posterior, candidates) in groups.items()
    }


def _choice(posterior: "Posterior", candidates: tuple[str, ...]) -> str:
    from polarbear.selection import Uniform

    selection = select_or_explain(posterior, Uniform(), list(candidates))
    return "nothing, for lack of data," if isinstance(selection, str) else selection.candidates[0].name


def print_groups(groups: Groups, by: str | None, *, most: int | None) -> None:
    """Print the Pareto set and the leaders of each group, or of the first `most` of them."""
    from polarbear.selection import decision_map

    if by is None:
        return
    terminal.print_result(f"\nBy {by}")
    choices = Counter(_choice(posterior, candidates) for posterior, candidates in groups.values())
    counted = ", ".join(f"{name} in {number}" for name, number in choices.most_common(most))
    terminal.print_result(
        f"For any budget, all equally likely, choose: {counted} of {with_noun(len(groups), 'group')}."
    )
    lines = []
    for name, (posterior, candidates) in groups.items():
        leaders = "\n  ".join(str(decision_map(posterior, among=candidates)).splitlines())
        instances = with_noun(posterior.instances, "instance")
        lines.append(f"{name} ({instances}; Pareto set: {list_names(candidates, most)})\n  {leaders}")
    terminal.print_lines(lines, most=most)
