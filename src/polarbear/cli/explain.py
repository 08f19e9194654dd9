"""Command `explain`: find the features of instances after which another algorithm should be chosen."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.features import read_feature_data
from polarbear.cli.recorded_runs import Reading
from polarbear.wording import find_names

if TYPE_CHECKING:
    from polarbear.features.explanation import Explanation


@dataclass(frozen=True)
class _Budgets(options.Budgets):
    """Options that name a preference over budgets: at most one, uniform on the axis of the grid by default."""

    uniform: Annotated[bool, typer.Option("--uniform", help="Choose for any budget, all equally likely.")] = False


def explain(
    file: options.RunsSource,
    features: options.Features = None,
    among: Annotated[list[str] | None, typer.Option(help="Consider only this algorithm; repeatable.")] = None,
    depth: Annotated[int, typer.Option(min=1, max=4, help="The largest number of splits on a path.")] = 2,
    confidence: Annotated[float, typer.Option(help="The confidence that a split needs.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Seed of permutations and draws.")] = 0,
    *,
    budgets: _Budgets,
    reading: Reading,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the few features of instances after which another algorithm should be chosen. Nothing is run.

    Recorded runs bring their function and dimension along; --features adds a table. By default all budgets count equally on
    the axis of the grid: as with --log-uniform on a logarithmic one, as with --uniform on a linear one.
    """
    from polarbear.features.explanation import explain as find
    from polarbear.show.wording import text_of

    preference = budgets.preference() if budgets.given else None
    data = read_feature_data(file, reading, features, quiet=quiet)
    if among is not None:
        among = find_names("--among", among, data.names)
    found = find(
        data.runs, data.tables, preference=preference, among=among, depth=depth, confidence=confidence, seed=seed
    )
    if as_json:
        terminal.print_json(_as_data(found))
        return
    for sentence in found.sentences:
        terminal.print_result(sentence)
    for finding in found.findings:
        terminal.print_remark(text_of(finding), quiet=quiet)


def _as_data(found: "Explanation") -> dict[str, Any]:
    """Return an explanation as plain data for JSON."""
    from dataclasses import asdict

    return {
        "matters": found.matters,
        "sentences": list(found.sentences),
        "splits": [
            asdict(each) | {"within": [*map(str, each.within)], "left": str(each.left), "right": str(each.right)}
            for each in found.splits
        ],
        "groups": [
            asdict(each) | {"conditions": [*map(str, each.conditions)], "note": each.note} for each in found.groups
        ],
        "gain": None if found.gain is None else asdict(found.gain),
        "p_value": found.p_value,
        "features": list(found.features),
        "instances": found.instances,
        "unit": found.unit,
        "findings": [each.to_dict() for each in found.findings],
    }
