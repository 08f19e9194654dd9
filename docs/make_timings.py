"""Write the table of CPU seconds in docs/how-to/choose-settings.md, by prior and number of times, on one core.

Setting: five algorithms and 30 instances, as in the paper's figure of execution times; the default method and 4000 draws.
The relations of all pairs count, since the default prior infers a pair when it is first asked for.
`python docs/make_timings.py --measure` measures again first and stores the seconds in docs/data/timings.json.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from making.tables import markdown, put_into

import polarbear as pb
from polarbear.models.plackett_luce import sample_rankings

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
PAGE, MEASURED = HERE / "how-to" / "choose-settings.md", HERE / "data" / "timings.json"
BUDGETS = (20, 50, 100, 200)


def main() -> None:
    """Write the table into the page, after measuring if this is asked for."""
    if "--measure" in sys.argv:
        seconds = {name: [measure(kind(), budgets) for budgets in BUDGETS] for name, kind in pb.models.PRIORS.items()}
        MEASURED.write_text(json.dumps(seconds, indent=1) + "\n", encoding="utf-8")
    for page, name, table in tables():
        put_into(page, name, table)


def measure(prior: pb.models.Prior, budgets: int) -> float:
    """Return the CPU seconds of the faster of two fits, each with the relations of all pairs."""
    grid = pb.linear_grid(1, budgets, budgets)
    rng = np.random.default_rng(0)
    waves = np.sin(grid.scaled[:, None] * 5 + rng.uniform(0, 6, 5)) + rng.normal(size=5)
    choices = pb.Choices.from_values(sample_rankings(waves, 30, rng=rng), grid=grid)
    spent = []
    for seed in range(2):
        start = time.process_time()
        pb.relations(pb.fit(choices, prior=prior, seed=seed))
        spent.append(time.process_time() - start)
    return round(min(spent), 3)


def tables() -> Iterator[tuple[Path, str, str]]:
    """Yield the table with its page and the mark of its place there."""
    measured: dict[str, list[float]] = json.loads(MEASURED.read_text(encoding="utf-8"))
    rows = [[f"`{name}`", *(f"{seconds:.1f}" for seconds in row)] for name, row in measured.items()]
    yield PAGE, "timings", markdown(["prior", *(f"T = {budgets}" for budgets in BUDGETS)], rows)


if __name__ == "__main__":
    main()
