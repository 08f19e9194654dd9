"""Open what commands read, with the options of recorded runs, as a result."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.cli.recorded_runs import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polarbear.result import Result

__all__ = ["Reading", "open_result"]


_OF_RACES = ("--clock", "--start", "--stop", "--count", "--only", "--without")
_TOLERANCES = ("absolute_tolerance", "relative_tolerance")


def open_result(path: Path, reading: Reading, *, chosen: "Mapping[str, Any] | None" = None, **options: Any) -> "Result":
    """Return the result of a race file, a saved posterior, or recorded runs, with these options of `analyse`.

    A saved posterior has no options of reading. The runs of a race file are compared as recorded runs if some are given, or
    if the user has `chosen` options of the posterior.
    """
    from dataclasses import replace

    from polarbear.opening import analyse, is_posterior_file, is_race_file, load, require_exists, result_of_posterior

    require_exists(path)
    chosen = chosen or {}
    if reading.start is not None and reading.start == reading.stop:
        raise ValueError(
            f"expected --stop after --start, got {reading.start:g} for both; for the answer at one budget, leave both "
            f"out and use: polarbear select FILE --at {reading.start:.12g}"
        )
    if is_posterior_file(path):
        rule = {name: value for name, value in {**options, **chosen}.items() if name in ("confidence", "dominance")}
        if wrong := [*reading.given, *(f"--{name}" for name in chosen if name not in rule)]:
            raise ValueError(
                f"expected recorded runs or a race file for {wrong[0]}, got the saved posterior {path}, which holds no "
                "runs; give the file that it was fitted to"
            )
        return result_of_posterior(load(path).posterior, **rule) if rule else load(path)
    given = reading.as_arguments()
    if is_race_file(path):
        return _open_race(path, reading, given, chosen) if given or chosen else load(path)
    given |= {"include": [*(reading.include or ()), *(reading.only or ())]}  # who is named is compared
    result = analyse(path, **given, **options, **chosen)
    return replace(result, path=result.path + reading.as_typed())


def _open_race(path: Path, reading: Reading, given: dict[str, Any], chosen: "Mapping[str, Any]") -> "Result":
    """Return the result of the runs of a race file, which are compared as recorded runs."""
    from dataclasses import replace

    from polarbear.opening import analyse, load

    tolerances = {name: given.pop(name) for name in _TOLERANCES if name in given}
    if given.get("cluster") in (["none"], ["auto"]):
        del given["cluster"]
    wrong = [each for each in reading.given if each not in (*_OF_RACES, *(_option(name) for name in _TOLERANCES))]
    if wrong and not (wrong == ["--cluster"] and "cluster" not in given):
        raise ValueError(
            f"expected recorded runs for {wrong[0]}, got the race file {path}, which has no such option; leave it out"
        )
    found = analyse(path, **(given or {"grid": load(path).posterior.grid}))
    if not tolerances and not chosen:
        return found
    rules: dict[str, Any] = {"clock": found.clock, **found.rules, **tolerances, **chosen}
    again = analyse(found.runs, grid=found.posterior.grid, margin=found.margin, **rules)
    return replace(again, path=found.path)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
