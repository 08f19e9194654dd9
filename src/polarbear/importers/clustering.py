"""Clusters of imported runs: the blocks that are not independent of one another.

Instances of one function are correlated, and so are repetitions of one instance. Ten instances of one function carry
less evidence about new functions than ten functions do, and ten repetitions less about new instances than ten
instances. `label_clusters` labels every run of an import, by the fields or columns that the user names, or else by the
following rule.

1. If the runs cover two or more functions, the cluster is the function: suite and function, in all dimensions. f1 in
   2-D and f1 in 10-D share their landscape, so an algorithm that suits one tends to suit the other.
2. Otherwise, if there are several instances and some have repetitions, the cluster is the instance: suite, function,
   dimension and instance.
3. Otherwise every block counts as independent. A single function or instance does not make a cluster: it supports no
   conclusion about new functions or instances. It does support conclusions about new instances of that function, or new
   runs on that instance.

Independent blocks, by rule 3 or by the user's "none", are each a cluster of their own. The kind of these clusters, such
as "run on this instance", is the scope of the answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from polarbear.findings import ReadWith
from polarbear.importers.foreign_text import quote
from polarbear.importers.imported import Block, assumed, describe_block
from polarbear.wording import suggest

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    from polarbear.findings import Finding
    from polarbear.importers.foreign_text import Identifier
    from polarbear.importers.imported import Imported, Problem

# A function is identified within its suite, an instance within its function and dimension.
_FIELDS: dict[str, tuple[str, ...]] = {
    "suite": ("suite",),
    "function": ("suite", "function"),
    "dimension": ("dimension",),
    "instance": ("suite", "function", "dimension", "instance"),
}
_KINDS = {"function_id": "function", "function_name": "function"}
_SHOWN = 50  # columns that an error message lists


class _Clustering(NamedTuple):
    """The cluster of each block, what a cluster is, and what was assumed."""

    labels: dict[Block, Hashable]
    kind: str
    notes: tuple[Finding, ...] = ()


def check_cluster(cluster: object) -> tuple[str, ...] | None:
    """Check the `cluster` option and return its names: None for the automatic rule, () for no clusters.

    Examples
    --------
    >>> check_cluster("auto"), check_cluster("none"), check_cluster(["function", "dimension"])
    (None, (), ('function', 'dimension'))
    """
    if cluster is None:
        return ()
    given = (cluster,) if isinstance(cluster, str) else tuple(cluster) if isinstance(cluster, Iterable) else ()
    names = [name for name in given if isinstance(name, str) and name]
    if not names or len(names) < len(given):
        raise ValueError(
            f"expected cluster='auto', 'none', or names of columns such as 'function', got {quote(cluster)}; name at "
            "least one column"
        )
    if len(names) > 1 and (alone := [name for name in names if name in ("auto", "none")]):
        raise ValueError(f"expected cluster={alone[0]!r} alone, got {quote(names)}; leave the others out")
    if names[0] in ("auto", "none"):
        return None if names[0] == "auto" else ()
    return tuple(dict.fromkeys(names))


def label_clusters(imported: Imported) -> Imported:
    """Return an import whose runs carry the labels of the clusters that it asks for, with a note that describes them.

    Raises
    ------
    ValueError
        If a name is neither a known field nor a column, or if it does not give every block exactly one label.
    """
    names = imported.cluster
    block_of = [run.instance for run in imported.runs if isinstance(run.instance, Block)]
    blocks = list(dict.fromkeys(block_of))
    if names is None:
        clustering = _cluster_by_rule(blocks)
    else:
        clustering = _cluster_by_names(names, blocks, imported) if names else _cluster_alone(blocks)
    about = replace(imported.about, notes=(*imported.about.notes, *clustering.notes))
    if not clustering.labels:
        return replace(imported, about=about)
    unit = _cluster_unit(clustering.labels)
    if len(set(clustering.labels.values())) < len(blocks):
        about = replace(about, notes=(*about.notes, _note(clustering, unit, by_rule=names is None)))
    runs = tuple(run.in_cluster(clustering.labels[block]) for run, block in zip(imported.runs, block_of, strict=True))
    return replace(imported, runs=runs, about=about, cluster_kind=clustering.kind, cluster_unit=unit)


def _cluster_by_rule(blocks: list[Block]) -> _Clustering:
    """Return the clusters by the rule of the module docstring."""
    functions = _functions(blocks)
    if len(functions) > 1 or (functions and any(block.function is None for block in blocks)):
        labels = _field_labels("function", blocks)
        # Where blocks name no function, each of their instances counts as a function.
        labels |= {block: block.problem for block in blocks if block.function is None}
        if len(set(labels.values())) > 1:
            unknown = sum(block.function is None for block in blocks)
            note = assumed("NO_FUNCTION", unknown=unknown, blocks=len(blocks))
            return _Clustering(labels, "function", (note,) if unknown else ())
    problems = _count_problems(blocks)
    if 1 < problems < len(blocks):
        kind = "instance of this function" if functions else "instance"
        labels = _field_labels("instance", blocks)
        labels |= {block: block.problem for block in blocks if block.instance is None}
        return _Clustering(labels, kind)
    notes: tuple[Finding, ...] = ()
    if len(blocks) > problems == 1:
        notes = (assumed("ONE_INSTANCE", blocks=len(blocks)),)
    elif len(blocks) > 1 and functions:
        notes = (assumed("ONE_FUNCTION", blocks=len(blocks)),)
    return _cluster_alone(blocks)._replace(notes=notes)


def _cluster_alone(blocks: list[Block]) -> _Clustering:
    """Return clusters of one block each; without labels if the blocks are instances of no particular function."""
    problems = _count_problems(blocks)
    functions = _functions(blocks)
    if problems < len(blocks):
        kind = "run on this instance" if problems == 1 else "run on these instances"
    elif functions and len(blocks) > 1:
        kind = "instance of this function" if len(functions) == 1 else "instance of these functions"
    else:
        return _Clustering({}, "cluster")
    return _Clustering(dict(zip(blocks, blocks, strict=True)), kind)


def _cluster_by_names(names: tuple[str, ...], blocks: list[Block], imported: Imported) -> _Clustering:
    """Return the clusters by fields and table columns."""
    columns = imported.columns
    fields = [field for field in _FIELDS if any(getattr(block, field) is not None for block in blocks)]
    unknown = [name for name in names if name not in fields and name not in columns]
    if unknown:
        existing = list(dict.fromkeys([*fields, *columns]))
        shown = ", ".join(map(quote, existing[:_SHOWN])) + (", ..." if len(existing) > _SHOWN else "")
        raise ValueError(
            f"expected clusters by {shown + ', or by ' if existing else ''}'auto' or 'none', got {quote(unknown[0])}; "
            + (suggest(unknown[0], existing) or "choose one of these")
        )
    parts = [_field_labels(name, blocks) if name in fields else _column_labels(name, imported) for name in names]
    for name, part in zip(names, parts, strict=True):
        if missing := [block for block in blocks if block not in part]:
            raise ValueError(
                f"expected {quote(name)} for every run, got none for {len(missing)} of {len(blocks)} blocks, first "
                f"{describe_block(missing[0])}; fill it in, or choose other clusters"
            )
    kinds = [_KINDS.get(name, name.replace("_", " ")) for name in names]
    functions = len(_functions(blocks))
    if names == ("instance",) and "instance" in fields and functions:
        kinds = ["instance of this function" if functions == 1 else "instance of these functions"]
    if len(names) == 1:
        return _Clustering(dict(parts[0]), kinds[0])
    return _Clustering(
        {block: tuple(part[block] for part in parts) for block in blocks}, f"{'-'.join(kinds)} combination"
    )


def _field_labels(name: str, blocks: list[Block]) -> dict[Block, Hashable]:
    """Return the label of each block that has this field; parts that are missing in all blocks are left out.

    Equal labels are one object, since a million blocks may have the same.
    """
    used = [each for each in _FIELDS[name] if any(getattr(block, each) is not None for block in blocks)]
    shared: dict[tuple[Identifier, ...], Hashable] = {}
    labels: dict[Block, Hashable] = {}
    for block in blocks:
        if getattr(block, name) is not None:
            label = tuple(getattr(block, each) for each in used)
            labels[block] = shared.setdefault(label, label if len(label) > 1 else label[0])
    return labels


def _column_labels(name: str, imported: Imported) -> dict[Block, Hashable]:
    """Return the label of each block from a column, which must have at most one value per block."""
    found: defaultdict[Hashable, set[Identifier]] = defaultdict(set)
    for run, cells in zip(imported.runs, imported.cells[name], strict=True):
        found[run.instance] |= cells
    labels: dict[Block, Hashable] = {}
    for block, distinct in found.items():
        assert isinstance(block, Block)
        values = sorted(distinct, key=str)
        if len(values) > 1:
            raise ValueError(
                f"expected one {quote(name)} for all rows of a block, got {quote(values[0])} and {quote(values[1])} on "
                f"{describe_block(block)}; choose a column that is the same for all runs on an instance"
            )
        if values:
            labels[block] = values[0]
    return labels


def _note(clustering: _Clustering, unit: str, *, by_rule: bool) -> Finding:
    """Return the number of clusters, and how to generalise to their members instead."""
    labels = list(clustering.labels.values())
    numbers = {"members": len(labels), "unit": unit, "kind": clustering.kind}
    repeated = _has_repetitions(clustering.labels)  # repetitions of an instance stay together
    finer = ReadWith("cluster", "instance" if repeated and unit == "instance" else "none")
    if len(set(labels)) == 1:
        return assumed("ONE_CLUSTER", finer, **numbers, label=quote(labels[0]))
    return assumed("CLUSTERS", finer if by_rule else None, **numbers, clusters=len(set(labels)), by_rule=by_rule)


def _cluster_unit(labels: dict[Block, Hashable]) -> str:
    """Return the unit of clusters: "run" if each cluster holds repetitions of one instance, else "instance"."""
    if not _has_repetitions(labels):
        return "instance"
    first: dict[Hashable, Problem] = {}
    alone = all(first.setdefault(label, block.problem) == block.problem for block, label in labels.items())
    return "run" if alone else "instance"


def _functions(blocks: Iterable[Block]) -> set[tuple[Identifier, Identifier]]:
    return {(block.suite, block.function) for block in blocks if block.function is not None}


def _has_repetitions(blocks: Collection[Block]) -> bool:
    return _count_problems(blocks) < len(blocks)


def _count_problems(blocks: Collection[Block]) -> int:
    """Return the number of problems of different blocks, which need no comparison if all have the same run number."""
    if len({block.run for block in blocks}) == 1:
        return len(blocks)
    return len({block.problem for block in blocks})
