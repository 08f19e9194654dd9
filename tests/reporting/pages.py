"""Write pages, and read the data that a page contains."""

import base64
import json
import re
from dataclasses import replace

import numpy as np

import polarbear as pb
from polarbear.opening import result_of_posterior
from polarbear.race.outcome import RaceOutcome
from polarbear.result import result_of_race


def read_data(path):
    """The data that the page was given, from its file."""
    return json.loads(re.search(r'id="contents">(.*?)</script>', path.read_text(), re.DOTALL)[1])


def unpack_win_rates(text, pairs, budgets):
    """The packed win rates as shares, in the order (pair, quantity, budget)."""
    return np.frombuffer(base64.b64decode(text), dtype=np.uint8).reshape(pairs, 4, budgets) / 255


def report(source, path, *, runs=None, unit="", confidence=0.95, dominance="pointwise", **options):
    """Write the page of a result, or of a race or a posterior with its runs."""
    if isinstance(source, RaceOutcome):
        source = result_of_race(source)
    elif isinstance(source, pb.Posterior):
        source = replace(result_of_posterior(source, confidence=confidence, dominance=dominance), clock=unit)
        if runs is not None:
            imported = runs if isinstance(runs, pb.Imported) else None
            rules = imported.ranking if imported is not None else {}
            found = tuple(runs.runs if imported is not None else runs)
            source = replace(source, runs=found, imported=imported, rules=rules)
    return pb.report(source, path, **options)
