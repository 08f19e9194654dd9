"""Configure differential evolution in three ways with the same number of evaluations, and compare them on new problems.

`polarbear.design` searches for configurations for all budgets at once, irace 3.5 for the largest budget, random search
evaluates random configurations on some problems and chooses the best one at each budget. A default configuration is
compared with them.

    python examples/design_versus_irace.py --output design.json

irace needs R and the package irace (Debian: r-cran-irace). With the defaults this takes about eight minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from differential_evolution import DEFAULT, IRACE_PARAMETERS, DifferentialEvolution, configuration_space

import polarbear as pb

if TYPE_CHECKING:
    from collections.abc import Callable

DIMENSION, LARGEST = 5, 2000
BUDGETS = (50, 150, 400, 1000, 2000)  # at which the answers are judged
GRID = (30, 50, 85, 150, 250, 400, 650, 1000, 1400, 2000)  # at which the race compares
PROBLEMS = pb.problems.MixedProblems(DIMENSION)
NEW = 9_000_000  # seeds from here on make new problems, which no configuration has seen

Answer = dict[int, dict[str, Any]]  # a configuration for each budget


def configure_by_design(evaluations: int, seed: int, workers: int) -> tuple[Answer, dict[str, Any]]:
    """Return what `polarbear.design` answers."""
    space = pb.ParameterSpace(configuration_space(), DifferentialEvolution)
    start = space.algorithm(**DEFAULT) | space.sample(7, seed=seed)
    race = pb.Race(start, PROBLEMS, GRID, confidence=0.95, draws=1000, seed=seed, batch=pb.FixedBatch(5))
    with pb.LocalExecutor(workers) as executor:
        answer = pb.design(
            space.propose,
            race,
            executor=executor,
            seed=seed,
            iterations=100,
            fruitless=100,  # only the evaluations end it, as with the others
            members=6,
            new_instances=2,
            max_instances=20,
            max_evaluations=evaluations,
        )
    print(answer)
    configurations = {budget: answer.at(budget).configuration or {} for budget in BUDGETS}
    return configurations, {"evaluations": answer.cost, "configurations": len(race.state.names), **answer.as_dict()}


def configure_by_irace(evaluations: int, seed: int) -> tuple[Answer, dict[str, Any]]:
    """Return the best configuration of irace for the largest budget, at every budget."""
    experiments = evaluations // LARGEST
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "parameters.txt").write_text(IRACE_PARAMETERS)
        (folder / "instances.txt").write_text("".join(f"{number}\n" for number in range(1000)))
        runner = folder / "target-runner"
        code = f"import sys; sys.path[:0] = {sys.path!r}; from design_versus_irace import run_target; run_target()"
        runner.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(code)} "$@"\n')
        runner.chmod(0o755)
        (folder / "start.txt").write_text(
            "strategy dither popsize F CR spread width\nrand no 30 0.5 0.9 1.0 NA\n"  # DEFAULT
        )
        (folder / "scenario.txt").write_text(
            f'trainInstancesDir = ""\ntrainInstancesFile = "instances.txt"\nconfigurationsFile = "start.txt"\n'
            f"maxExperiments = {experiments}\nseed = {seed + 1}\n"
        )
        call = ["Rscript", "-e", 'library(irace); irace.cmdline("")']
        done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"irace failed: {done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    used = max(int(line.split()[-1]) for line in done.stdout.splitlines() if line.startswith("# experimentsUsedSoFar"))
    best = done.stdout.partition("# Best configurations as commandlines")[2].splitlines()[1]
    configuration = read_switches(best.split()[1:])
    print(f"irace: {configuration} after {used} experiments")
    return dict.fromkeys(BUDGETS, configuration), {"evaluations": used * LARGEST, "configuration": configuration}


def run_target() -> None:
    """Print the cost of one run, as irace's target runner: configuration, number, seed, instance, parameters."""
    _, _, seed, instance, *switches = sys.argv[1:]
    algorithm = DifferentialEvolution(**read_switches(switches))
    *_, (_, cost) = algorithm(PROBLEMS(int(instance), int(instance)), int(seed), LARGEST)
    print(cost)


def read_switches(words: list[str]) -> dict[str, Any]:
    """Return a configuration from switches such as --popsize 30."""
    texts = {switch.removeprefix("--"): text for switch, text in zip(words[::2], words[1::2], strict=True)}
    return {
        name: text if name in ("strategy", "dither") else int(text) if name == "popsize" else float(text)
        for name, text in texts.items()
    }


def configure_by_random_search(evaluations: int, seed: int, problems: int = 20) -> tuple[Answer, dict[str, Any]]:
    """Return at each budget the best, by mean rank, of random configurations on the same problems."""
    space = pb.ParameterSpace(configuration_space(), DifferentialEvolution)
    count = evaluations // (problems * LARGEST)
    found = list((space.algorithm(**DEFAULT) | space.sample(count - 1, seed=seed + 100)).values())
    values = np.array(
        [quality(each.configuration, range(problems)) for each in found]
    )  # (configuration, problem, budget)
    ranks = values.argsort(axis=0).argsort(axis=0).mean(axis=1)
    best = {budget: found[int(ranks[:, place].argmin())].configuration for place, budget in enumerate(BUDGETS)}
    return best, {"evaluations": count * problems * LARGEST, "configurations": count}


def quality(configuration: dict[str, Any], problems: range) -> np.ndarray[Any, Any]:
    """Return the best value by each budget on each problem, shape (problem, budget); values are distances to the optimum."""
    algorithm, result = DifferentialEvolution(**configuration), np.empty((len(problems), len(BUDGETS)))
    for row, number in enumerate(problems):
        run = pb.run_once(algorithm, PROBLEMS(number, number), number, LARGEST, name="", instance=number)
        result[row] = run.values[np.searchsorted(run.budgets, BUDGETS, side="right") - 1]
    return result


def compare(answers: dict[str, Answer], problems: int) -> dict[str, Any]:
    """Return, on new problems, each method's typical value, and how often the design beats each other method."""
    cache: dict[str, np.ndarray[Any, Any]] = {}

    def values_of(answer: Answer) -> np.ndarray[Any, Any]:
        columns = []
        for place, budget in enumerate(BUDGETS):
            key = json.dumps(answer[budget], sort_keys=True)
            if key not in cache:
                cache[key] = quality(answer[budget], range(NEW, NEW + problems))
            columns.append(cache[key][:, place])
        return np.column_stack(columns)

    values = {name: values_of(answer) for name, answer in answers.items()}
    own = values["design"]
    table: dict[str, Any] = {"value": {}, "design_wins": {}}
    for name, each in values.items():
        table["value"][name] = np.exp(np.log(np.maximum(each, 1e-12)).mean(axis=0)).tolist()
        if name != "design":
            won = (own < each).mean(axis=0) + (own == each).mean(axis=0) / 2
            table["design_wins"][name] = won.tolist()
    return table


def main() -> None:
    """Configure, compare, print a table and write all figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evaluations", type=int, default=600_000, help="of each method")
    parser.add_argument("--problems", type=int, default=120, help="new problems to compare on")
    parser.add_argument("--repeats", type=int, default=3, help="how often everything is done, with other seeds")
    parser.add_argument("--seed", type=int, default=30, help="of the first repetition")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    methods: dict[str, Callable[[int, int], tuple[Answer, dict[str, Any]]]] = {
        "design": partial(configure_by_design, workers=options.workers),
        "irace": configure_by_irace,
        "random search": configure_by_random_search,
    }
    repeats = []
    for seed in range(options.seed, options.seed + options.repeats):
        answers: dict[str, Answer] = {"default": dict.fromkeys(BUDGETS, DEFAULT)}
        effort: dict[str, Any] = {}
        for name, configure in methods.items():
            begin = time.perf_counter()
            answers[name], effort[name] = configure(options.evaluations, seed)
            effort[name]["seconds"] = time.perf_counter() - begin
        repeats.append({"seed": seed, "effort": effort, "answers": answers, **compare(answers, options.problems)})
        print(format_table([repeats[-1]]), flush=True)
        if options.output is not None:
            options.output.write_text(json.dumps({"budgets": BUDGETS, "repeats": repeats}, indent=1) + "\n")
    print(f"\nMean of {len(repeats)} repetitions\n{format_table(repeats)}")


def format_table(repeats: list[dict[str, Any]]) -> str:
    """Return how often the design beats each other method, and typical values, at each budget."""
    lines = [f"{'':26}" + "".join(f"{budget:>10}" for budget in BUDGETS)]
    for name in repeats[0]["design_wins"]:
        won = np.mean([each["design_wins"][name] for each in repeats], axis=0)
        lines.append(f"{'design beats ' + name:26}" + "".join(f"{100 * share:>8.0f} %" for share in won))
    for name in repeats[0]["value"]:
        value = np.exp(np.mean([np.log(each["value"][name]) for each in repeats], axis=0))
        lines.append(f"{'value of ' + name:26}" + "".join(f"{each:>10.3g}" for each in value))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
