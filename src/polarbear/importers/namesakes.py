"""Runs of one algorithm name in several folders: one algorithm, copies, repetitions, or several algorithms.

Folders often divide the runs of one algorithm by function or by dimension. Such folders have no block in common, and
nothing happens. If runs of one name in two folders are on the same block (suite, function, dimension, instance and
run), they collide, and the following rules apply in turn.

1. Copies: if most of the colliding runs are identical in both folders, one folder is a copy of the other. Its runs
   on these blocks are left out.
2. Repetitions: if the folders differ only in the number of a repetition, their runs are numbered on. Such numbers are
   names like `run_3`, `seed7` or `12`, and endings like that of `exp-1`, which the loggers of IOHprofiler and COCO
   append if a folder `exp` exists.
3. Otherwise the folders hold different algorithms, for example two versions of one program that kept its name. The
   runs are kept apart, and the folder that distinguishes them is added to their names. To compare such folders is what
   a user with two versions wants, and to pool them silently is wrong. A user whose folders are repetitions sees more
   algorithms than expected, and a note whose remedy is the option `renumber`, which numbers them as repetitions.

Tables are exempt: their rows state to which run they belong, in any file.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from polarbear.findings import ReadWith
from polarbear.importers.imported import Block, assumed
from polarbear.importers.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from polarbear.findings import Finding
    from polarbear.importers.imported import Problem
    from polarbear.observe import Trajectory

_REPETITION = re.compile(r"((run|seed|rep|repeat|repetition|trial)[-_ ]?)?[0-9]+", re.IGNORECASE)
_NUMBER = re.compile(r"-[0-9]+$")

Place = tuple[str, ...]  # the folder of a run, as the parts of its path


class Origin(NamedTuple):
    """Where a run was found, and a digest of its content."""

    file: str
    what: object  # its place in the file, as text on request
    digest: bytes


class Separated(NamedTuple):
    """The runs that remain, by their former positions; the runs that were left out, with their originals; and notes."""

    kept: dict[int, Trajectory]
    left_out: list[tuple[int, Reason, str]]
    notes: list[Finding]


@lru_cache(maxsize=1024)
def place_of(file: str) -> Place:
    """Return the folder of a file; an archive counts as a folder.

    Examples
    --------
    >>> place_of("2016/RS.tgz:RS/data_f1/f1.dat"), place_of("runs.csv")
    (('2016', 'RS.tgz', 'RS', 'data_f1'), ())
    """
    return tuple(file.replace(":", "/").split("/")[:-1])


def separate_namesakes(runs: Sequence[Trajectory], origins: Sequence[Origin], *, as_repetitions: bool) -> Separated:
    """Return the runs with names and run numbers by the rules of this module.

    Parameters
    ----------
    runs
        All runs; those of one name and folder are on different blocks.
    origins
        Where each run was found.
    as_repetitions
        Whether runs that collide are repetitions, whatever their folders.
    """
    result = Separated(dict(enumerate(runs)), [], [])
    positions: defaultdict[str, list[int]] = defaultdict(list)
    for position, run in enumerate(runs):
        positions[run.algorithm].append(position)
    names: list[str] = []
    repeated: list[str] = []
    for algorithm, own in positions.items():
        if len({runs[position].instance for position in own}) == len(own):
            continue
        places = {position: place_of(origins[position].file) for position in own}
        own = sorted(_without_copies(own, places, result, origins))
        label = _distinguish([(runs[position].instance, _without_repetitions(places[position])) for position in own])
        if label is None or as_repetitions:
            repeated += [algorithm] if _number(own, {}, result) and not as_repetitions else []
            continue
        renamed = {position: label(_without_repetitions(places[position])) for position in own}
        _number(own, {at: f"{algorithm} ({part})" if part else algorithm for at, part in renamed.items()}, result)
        names += sorted({result.kept[position].algorithm for position in own})
    if names:
        result.notes.append(assumed("KEPT_APART", ReadWith("renumber", value=True), algorithms=names))
    if repeated:
        result.notes.append(assumed("TAKEN_AS_REPETITIONS", algorithms=repeated))
    return result


def _without_copies(
    own: list[int], places: Mapping[int, Place], result: Separated, origins: Sequence[Origin]
) -> Iterator[int]:
    """Yield the positions of runs that are not in copies of other folders, and record the others as left out."""
    by_place: defaultdict[Place, list[int]] = defaultdict(list)
    for position in own:
        by_place[places[position]].append(position)
    known: dict[tuple[Hashable, bytes], int] = {}  # the first run of each content on each problem
    taken: dict[Hashable, int] = {}  # the first run on each block
    for place in sorted(by_place, key=lambda parts: len("/".join(parts))):  # copies usually have the longer names
        members = by_place[place]
        keys = {at: (_block(result.kept[at]).problem, origins[at].digest) for at in members}
        colliding = [at for at in members if result.kept[at].instance in taken]
        equal = [at for at in members if keys[at] in known]
        counts = Counter(places[known[keys[at]]] for at in equal)
        is_copy = bool(colliding) and 2 * max(counts.values(), default=0) > len(colliding)
        for at in members:
            block = result.kept[at].instance
            if is_copy and keys[at] in known:
                result.left_out.append((at, Reason.COPY, origins[known[keys[at]]].file))
                del result.kept[at]
            elif is_copy and block in taken:  # such as a run that was cut in one of the two copies
                result.left_out.append((at, Reason.SECOND_RUN, origins[taken[block]].file))
                del result.kept[at]
            else:
                known.setdefault(keys[at], at)
                taken.setdefault(block, at)
                yield at


def _distinguish(found: Sequence[tuple[Hashable, Place]]) -> Callable[[Place], str] | None:
    """Return a function from folders to short names, equal only if their runs do not collide; None if no runs collide.

    The names are one part of the path, counted from its beginning or from its end, if one part is enough. Of several
    such parts, the one with the fewest names is best: it does not divide an algorithm by function.
    """
    together: defaultdict[Hashable, set[Place]] = defaultdict(set)
    for block, place in found:
        together[block].add(place)
    collisions = [those for those in together.values() if len(those) > 1]
    if not collisions:
        return None
    places = {place for _, place in found}
    deepest = max(map(len, places))
    candidates: list[Callable[[Place], str]] = [
        *(lambda place, depth=depth: "".join(place[depth : depth + 1]) for depth in range(deepest)),
        *(lambda place, depth=depth: "".join(place[-depth:][:1]) for depth in range(1, deepest + 1)),
    ]
    enough = [each for each in candidates if all(len(set(map(each, those))) == len(those) for those in collisions)]
    return min(enough, key=lambda each: len(set(map(each, places))), default="/".join)


def _number(positions: list[int], names: Mapping[int, str], result: Separated) -> bool:
    """Rename runs, and number those that still collide on, as repetitions; return whether any did."""
    collided = False
    used: set[tuple[str, Block]] = set()
    numbers: Counter[tuple[str, Problem]] = Counter()
    for position in positions:
        run = result.kept[position]
        algorithm, block = names.get(position, run.algorithm), _block(run)
        key = algorithm, block.problem
        while (algorithm, block) in used:
            collided = True
            numbers[key] += 1
            block = block._replace(run=numbers[key])
        used.add((algorithm, block))
        if (algorithm, block) != (run.algorithm, run.instance):
            result.kept[position] = replace(run, algorithm=algorithm, instance=block)
    return collided


def _without_repetitions(place: Place) -> Place:
    return tuple("#" if _REPETITION.fullmatch(part) else _NUMBER.sub("", part) for part in place)


def _block(run: Trajectory) -> Block:
    assert isinstance(run.instance, Block)
    return run.instance
