"""Command `explain`: find the features of instances after which another algorithm should be chosen."""

from typing import Annotated

import typer

from polarbear.cli import options, terminal


def explain(
    file: options.AnySource,
    features: options.Features = None,
    only: options.Only = None,
    budget: options.Budget = None,
    depth: Annotated[int, typer.Option(min=1, max=4, help="The largest number of splits on a path.")] = 2,
    confidence: Annotated[float, typer.Option(help="The confidence that a split needs.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Seed of permutations and draws.")] = 0,
    as_json: options.Json = False,
) -> None:
    """Find the few features of instances after which another algorithm should be chosen. Nothing is run.

    Recorded runs bring their function and dimension along; --features adds a table. By default all budgets count equally on
    the axis of the grid.
    """
    result, tables = options.load_with_features(file, features)
    if result.race is not None and not (tables or result.features):
        raise ValueError(
            f"expected a table of features for the race {file}, which stores none, got none; add --features TABLE, with a "
            "column instance"
        )
    found = result.explain(*tables, budget=budget, only=only, depth=depth, confidence=confidence, seed=seed)
    if as_json:
        terminal.print_json(found.to_dict())
    else:
        terminal.print_result(str(found))
