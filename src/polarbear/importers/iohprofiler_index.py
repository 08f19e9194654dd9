"""The JSON index of IOHprofiler: what it states about the experiment, and its runs one after another.

An index of 90 MB lists hundreds of thousands of runs, so they are never in memory together. `scan_index` reads the file
once: it checks that the JSON is complete, and keeps everything but the runs. `listed_runs` reads it again, and yields the
runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polarbear.importers.json_stream import JsonStream
from polarbear.importers.reasons import Reason, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.importers.sources import Source

_REQUIRED = ("function_id", "algorithm", "scenarios")
_KEPT = ("function_id", "function_name", "algorithm", "suite", "maximization")
_SCENARIOS = 100_000  # one per dimension is usual


@dataclass(frozen=True)
class Scenario:
    """A scenario of an index: the runs in one data file.

    Parameters
    ----------
    dimension, path
        The dimension and the data file, as the index states them.
    runs
        The number of runs; None if it has no list of them.
    """

    dimension: Any = None
    path: Any = None
    runs: int | None = None


@dataclass(frozen=True)
class Index:
    """An index without its runs.

    Parameters
    ----------
    head
        The values of the keys in `_KEPT`.
    scenarios
        The scenarios in their order.
    cpp_numbers
        Whether the file has inf or nan as C++ prints them.
    """

    head: dict[str, Any]
    scenarios: list[Scenario]
    cpp_numbers: bool


def scan_index(source: Source, path: str) -> Index:
    """Return an index without its runs, after checking that all of it can be read.

    Raises
    ------
    UnreadableError
        If the file is not complete JSON, or not an index.
    """
    for cpp_numbers in (False, True):
        try:
            with source.open(path) as stream:
                return Index(*_scan(JsonStream(stream, cpp_numbers=cpp_numbers)), cpp_numbers)
        except UnreadableError as error:
            if cpp_numbers or error.reason is not Reason.NOT_JSON:
                raise
    raise AssertionError


def listed_runs(source: Source, path: str, index: Index) -> Iterator[tuple[Scenario, Iterator[Any]]]:
    """Yield each scenario that has a list of runs, and an iterator over the list; what is left of it is passed over."""
    with source.open(path) as stream:
        json = JsonStream(stream, cpp_numbers=index.cpp_numbers)
        for key in json.members():
            if key != "scenarios":
                json.value()
                continue
            for number in json.places():
                if json.next() != "{":
                    json.value()
                    continue
                for name in json.members():
                    if name == "runs" and json.next() == "[":
                        runs = json.elements()
                        yield index.scenarios[number], runs
                        for _ in runs:
                            pass
                    else:
                        json.value()
        json.end()


def _scan(json: JsonStream) -> tuple[dict[str, Any], list[Scenario]]:
    if json.next() != "{":
        json.value()
        raise UnreadableError(Reason.NOT_IOHPROFILER, key="scenarios")
    head: dict[str, Any] = {}
    scenarios: list[Scenario] | None = None
    keys = set()
    for key in json.members():
        keys.add(key if key in _REQUIRED else "")
        if key == "scenarios" and json.next() == "[":
            if scenarios is not None:
                raise UnreadableError(Reason.KEY_TWICE, key="scenarios")
            scenarios = _scan_scenarios(json)
        else:
            value = json.value()
            if key in _KEPT:
                head[key] = value
    json.end()
    for key in _REQUIRED:
        if key not in keys:
            raise UnreadableError(Reason.NOT_IOHPROFILER, key=key)
    if scenarios is None:
        raise UnreadableError(Reason.NOT_IOHPROFILER, key="scenarios")
    return head, scenarios


def _scan_scenarios(json: JsonStream) -> list[Scenario]:
    scenarios = []
    for number in json.places():
        if number == _SCENARIOS:
            raise UnreadableError(Reason.MANY_SCENARIOS, limit=_SCENARIOS)
        scenarios.append(_scan_scenario(json))
    return scenarios


def _scan_scenario(json: JsonStream) -> Scenario:
    if json.next() != "{":
        json.value()
        return Scenario()
    found: dict[str, Any] = {}
    for key in json.members():
        if key == "runs" and json.next() == "[":
            if "runs" in found:
                raise UnreadableError(Reason.KEY_TWICE, key="runs")
            found["runs"] = sum(1 for _ in json.elements())
        else:
            value = json.value()
            if key in ("dimension", "path"):
                found[key] = value
    return Scenario(**found)
