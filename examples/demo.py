"""A real race: six optimisers on random problems, and the recommendation for three different preferences."""

from __future__ import annotations

import tempfile
from pathlib import Path

from optimisers import OPTIMISERS

import polarbear as pb


def main() -> None:
    """Race, and print the result."""
    path = Path(tempfile.mkdtemp()) / "demo.race"
    algorithms = {name: pb.counted(optimiser) for name, optimiser in OPTIMISERS.items()}
    problems = pb.problems.MixedProblems(dimension=4)
    grid = pb.log_grid(20, 1000, 20)
    with pb.Race(algorithms, problems, grid, confidence=0.95, seed=3, path=path) as race:
        result = race.run(pb.LocalExecutor(workers=2), max_instances=400)
        page = pb.report(race, path.with_suffix(".html"), title="Six optimisers")

    print(f"\n{result}")
    print("\nThree preferences")
    queries: list[tuple[str, pb.Preference, pb.Risk, int]] = [
        ("exactly 50 evaluations", pb.At(50), pb.ProbabilityBest(), 1),
        ("any budget, and be careful", pb.LogUniform(), pb.Quantile(0.05), 1),
        ("never be bad, on two machines", pb.Custom(lambda curves: curves.min(axis=-1)), pb.Expected(), 2),
    ]
    for text, preference, risk, machines in queries:
        print(f"- {text}: {result.select(preference, risk=risk, machines=machines)}")
    print(f"\nThe race is stored in {path}; an interactive report is in {page}")


if __name__ == "__main__":
    main()
