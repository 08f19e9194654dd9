"""Write the tables of docs/explanation/case-studies.md and savings.md from stored results.

The comparison with the paper comes from case_studies/results. `python docs/make_case_studies.py --measure` first replaces
the stored races of docs/data/savings.json: it races the recorded runs under every setting, which takes about half an hour on
two cores. Most of it is one setting, the hierarchical Dirichlet prior with batches of 2 to 32, which is not stored.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from making.tables import markdown, put_into

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # for case_studies, which is not installed

from case_studies.ma_bbob.savings import (  # noqa: E402
    FURTHER,
    LONG,
    VARIANTS,
    VariantRace,
    race_all,
    savings_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE, SAVINGS = HERE / "explanation" / "case-studies.md", HERE / "explanation" / "savings.md"
MEASURED = HERE / "data" / "savings.json"
RESULTS = HERE.parent / "case_studies" / "results"
ORDERS = 5  # of the instances: as recorded, and four random ones
QUANTITIES = (
    *(
        "anytime Pareto set",
        "RS eliminated",
        "LPXNES eliminated",
        "MSR eliminated",
        "rounds",
        "instances",
        "evaluations",
    ),
    *("leaders by rating", "XNES overtakes CSA", "TPA against CSA", "choice by mean AOCC"),
    *("choice, uniform preference", "choice, log-uniform preference"),
)


def main() -> None:
    """Write the tables into the page, after racing if this is asked for."""
    if "--measure" in sys.argv:
        with ProcessPoolExecutor(2) as pool:
            races = [each.result() for each in race_all(pool, VARIANTS | FURTHER | LONG, range(ORDERS))]
        lines = ",\n".join(json.dumps(asdict(each)) for each in races)
        MEASURED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    for page, name, table in tables():
        put_into(page, name, table)


def tables() -> Iterator[tuple[Path, str, str]]:
    """Yield every table with its page and the mark of its place there."""
    compared = {
        each["quantity"]: each
        for each in json.loads((RESULTS / "ma_bbob_paper.json").read_text(encoding="utf-8"))["compared"]
    }
    rows = [[name, compared[name]["paper"], compared[name]["ours"]] for name in QUANTITIES]
    yield PAGE, "ma-bbob", markdown(["quantity", "paper", "here"], rows)
    stored = json.loads(MEASURED.read_text(encoding="utf-8"))
    races = [VariantRace(**{**each, "pareto_set": tuple(each["pareto_set"])}) for each in stored]
    for mark, long in (("savings", False), ("long-races", True)):
        table = savings_table([each for each in races if (each.variant in LONG) == long])
        yield SAVINGS, mark, markdown(table.heads, [[str(cell) for cell in row] for row in table.rows])
    (answers,) = json.loads((RESULTS / "antbo.json").read_text(encoding="utf-8"))["tables"]
    yield PAGE, "antbo", markdown(answers["heads"], answers["rows"])


if __name__ == "__main__":
    main()
