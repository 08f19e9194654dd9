"""The ledger of an import: it collects runs from the readers of all formats and reports what they could not use."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, get_args

from polarbear.findings import ReadWith
from polarbear.importers.foreign_text import replace_surrogates
from polarbear.importers.imported import About, Block, Imported, Skipped, assumed
from polarbear.importers.namesakes import Origin, place_of, separate_namesakes
from polarbear.importers.reasons import Reason, UnreadableError, explain, shorten
from polarbear.literals import FileFormat
from polarbear.observe import Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from polarbear.arrays import Array
    from polarbear.findings import Finding, Remedy
    from polarbear.importers.events import Events
    from polarbear.importers.foreign_text import Identifier
    from polarbear.importers.imported import Assumption, Problem
    from polarbear.importers.namesakes import Place
    from polarbear.importers.request import Request

Cells = frozenset[tuple[str, "Identifier"]]

_REPORTS = 1000  # distinct reports; further ones share one
_LISTED = 10  # reports that the error lists if there is no run
_DIGEST = 15  # bytes; a bytes object of this length takes 48 bytes, and one more would take 64
_SHORT, _SHARED = (
    8,
    10_000,
)  # events of a run that may share its budgets with others, and the arrays of budgets remembered


class _Group:
    """The runs of one algorithm name in one folder.

    Imports have a million runs, so the keys of these dictionaries leave out what is the same for all runs of a group.
    """

    def __init__(self, algorithm: str) -> None:
        self.algorithm = algorithm  # one string for all runs
        self.repetitions: dict[Block, int] = {}  # by the first run on a problem, an object that exists anyway
        self.file_of_content: dict[bytes, str] = {}  # by a digest of problem and content
        self.file_of_run: dict[Block, str] = {}


class Ledger:
    """Collect the runs and reports that the readers of the formats deliver.

    Parameters
    ----------
    request
        The options of the import.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.rows = 0
        self.runs: list[Trajectory] = []
        self.optimum_known = True
        self.columns: dict[str, None] = {}  # all columns of all tables
        self.kept: dict[str, None] = dict.fromkeys(request.kept)
        self._cells: list[Cells] = []  # per run: the values of its rows in the kept columns
        self._skipped: dict[tuple[str, Reason, str], Skipped] = {}
        self._formats: dict[FileFormat, None] = {}
        self._notes: dict[tuple[Any, ...], dict[str, None]] = {}  # the files of each note
        self._files: list[str] = []  # per run: its file, its place there, and a digest of its content
        self._places: list[object] = []
        self._digests: list[bytes] = []
        self._budgets: dict[bytes, Array] = {}  # of short runs, by their bytes
        self._named: dict[str, str] = {}  # every algorithm, whether it has usable runs or not, with the first file
        self._groups: dict[tuple[str, Place], _Group] = {}  # `result` compares the runs of one name between folders
        self._refusal: ValueError | None = None

    def skip(self, where: str, reason: Reason, first: object = "", count: int = 1, **details: object) -> None:
        """Report something that is not used.

        Parameters
        ----------
        where
            The file.
        reason, details
            Why, and the fields of the reason's sentence.
        first
            The place of the first occurrence in the file; `str` of it is taken.
        count
            The number of lines, runs or files.
        """
        self._count(Skipped(where, reason, details, str(first), count, reason.remedy))

    def skip_unreadable(self, where: str, error: BaseException) -> None:
        """Report a file, or a part of it, whose reading raised an error."""
        explained = explain(error)
        self._count(Skipped(where, explained.reason, explained.details, remedy=explained.remedy))

    def check_objectives(self, file: str, value: str, further: Sequence[str]) -> None:
        """Remember to refuse the import if data have further objectives about which the user decided nothing."""
        self._refusal = self._refusal or self.request.objectives.refusal(file, value, further)

    def raise_refusal(self) -> None:
        """Raise the error for further objectives, if some were found; to be called when everything is read."""
        if self._refusal is not None:
            raise self._refusal

    def name(self, file: str, algorithm: str) -> None:
        """Remember that a file names an algorithm, even if none of its runs can be used."""
        self._named.setdefault(replace_surrogates(algorithm), file)

    def note(
        self, assumption: Assumption, remedy: Remedy | None = None, *, file: str | None = None, **numbers: Any
    ) -> None:
        """Record an assumption that replaces missing information in the data.

        Equal assumptions about several files are one note.
        """
        files = self._notes.setdefault((assumption, remedy, *numbers.items()), {})
        if file is not None:
            files[file] = None

    def add(
        self,
        file: str,
        what: object,
        *,
        format: FileFormat,  # noqa: A002  (the public word for it)
        algorithm: str,
        problem: Problem,
        events: Events,
        end: float | None,
        maximise: bool,
        finished: bool = False,
        distances: bool = False,
        run: Identifier = None,
        cells: Cells = frozenset(),
    ) -> None:
        """Add one run, or report why it cannot be used.

        Parameters
        ----------
        file, what
            The file, and the place of the run in it, of which `str` is taken if there is something to report.
        format
            The name of the format.
        algorithm, problem
            The algorithm, and (suite, function, dimension, instance).
        events
            The improvements of the run.
        until
            The budget at which the run ended, if an index states it.
        maximise
            Whether higher values are better.
        finished
            Whether the run ended by itself, by the rules of its format, and so keeps its value.
        distances
            Whether its values are distances to the optimum, by the rules of its format.
        run
            The repetition, if the data state it. Otherwise repetitions are numbered in the order of arrival, and a copy
            of a run in another file is not a repetition. See `namesakes` for runs of one name in several folders.
        cells
            The values of its rows in the columns that the request keeps.
        """
        algorithm, place = replace_surrogates(algorithm), place_of(file)
        group = self._groups.get((algorithm, place))
        if group is None:
            group = self._groups[algorithm, place] = _Group(algorithm)
            self.name(file, algorithm)
        block = first = Block(*problem, 1 if run is None else run)
        if run is None:
            # An unusable run keeps its number, so that later repetitions still meet those of other algorithms.
            number = group.repetitions[first] = group.repetitions.get(first, 0) + 1
            block = first if number == 1 else Block(*problem, number)
        archive = None
        if self.request.objectives.indicator:
            archive, finished = events.archive(maximise=maximise), False
            if archive is None:
                self.skip(file, Reason.ONE_OBJECTIVE, what)
                return
        if not events.budgets:
            self.skip(file, Reason.EMPTY_RUN, what)
            return
        try:
            budgets, values, duplicates = events.in_order()
            budgets = self._share(budgets)
            end = max(end or 0.0, events.last)
            finished = self.request.finished(finished)
            trajectory = Trajectory(
                group.algorithm, block, budgets, values, end, maximise=maximise, finished=finished, archive=archive
            )
        except UnreadableError as error:
            self.skip(file, error.reason, what)
            return
        except ValueError as error:
            self.skip(file, Reason.INVALID_RUN, what, problem=shorten(error))
            return
        if duplicates:
            self.skip(file, Reason.DUPLICATE_ROWS, what, duplicates)
        content = trajectory.budgets.tobytes() + trajectory.values.tobytes() + str(trajectory.end).encode()
        if archive is not None:
            content += archive.budgets.tobytes() + archive.points.tobytes()
        digest = blake2b(repr(problem).encode() + content, digest_size=_DIGEST).digest()
        if run is None:
            original = group.file_of_content.setdefault(digest, file)
            if original != file:
                self.skip(file, Reason.COPY, what, original=original)
                group.repetitions[first] -= 1
                return
        if block in group.file_of_run:
            self.skip(file, Reason.SECOND_RUN, what, original=group.file_of_run[block])
            return
        group.file_of_run[block] = file
        self._files.append(file)
        self._places.append(what)
        self._digests.append(digest)
        self.runs.append(trajectory)
        self.optimum_known &= distances
        self._cells.append(cells)
        self._formats[format] = None

    def result(self, path: str, *, as_repetitions: bool = False) -> Imported:
        """Return the collected runs and reports.

        Parameters
        ----------
        path
            The path that was read.
        as_repetitions
            Whether runs of one name on one block in several folders are repetitions, rather than those of namesakes.

        Raises
        ------
        ValueError
            If the ledger holds no run.
        """
        left_out = self._left_out()
        notes = self._separate_namesakes(as_repetitions=as_repetitions)
        skipped = (*left_out, *self._skipped.values())
        if not self.runs:
            reports = "".join(f"\n- {each}" for each in skipped[:_LISTED])
            more = f"\n- and {len(skipped) - _LISTED} more" if len(skipped) > _LISTED else ""
            formats = ", ".join(get_args(FileFormat))
            supported = f"; give a folder or file with {formats}, or archives of these (zip, tgz, tar.gz, tar.xz)"
            raise ValueError(
                f"expected recorded runs in {path!r}, got none that could be read"
                + (f":{reports}{more}" if skipped else supported)
            )
        notes += self._obstacles()
        for (assumption, remedy, *numbers), files in self._notes.items():
            notes.append(assumed(assumption, remedy, **dict(numbers), **({"files": list(files)} if files else {})))
        about = About(path, tuple(self._formats), len(set(self._files)), self.rows, tuple(notes))
        cells = {
            name: tuple(
                frozenset(value for each, value in own if each == name and value is not None) for own in self._cells
            )
            for name in self.kept
            if name in self.columns
        }
        runs = tuple(self.runs)
        for each in (self.runs, self._files, self._places, self._digests, self._cells):
            each.clear()  # the runs, which are copied once more, need the memory
        return Imported(
            runs,
            skipped,
            about,
            optimum_known=self.optimum_known,
            cluster=self.request.cluster,
            columns=tuple(self.columns),
            cells=cells,
        )

    def _left_out(self) -> list[Skipped]:
        """Return a report of the algorithms that have no run that can be used; empty if the request names algorithms."""
        used = {run.algorithm for run in self.runs}
        names = [name for name in self._named if name not in used]
        if not names or not used or self.request.part.only:
            return []
        files = {self._named[name] for name in names}
        where = files.pop() if len(files) == 1 else "several files"
        return [Skipped(where, Reason.NO_USABLE_RUN, {"names": names})]

    def _share(self, budgets: Array) -> Array:
        """Return the array of an earlier short run with the same budgets, if there is one.

        The array of one number takes 160 bytes, and a million short runs have few different budgets.
        """
        if budgets.size > _SHORT:
            return budgets
        if len(self._budgets) == _SHARED:
            self._budgets.clear()
        return self._budgets.setdefault(budgets.tobytes(), budgets)

    def _separate_namesakes(self, *, as_repetitions: bool) -> list[Finding]:
        """Apply the rules of `namesakes`, if some name occurs in several folders, and return notes."""
        names = [algorithm for algorithm, _ in self._groups]
        self._groups.clear()
        if len(set(names)) == len(names):
            return []
        origins = [Origin(*each) for each in zip(self._files, self._places, self._digests, strict=True)]
        separated = separate_namesakes(self.runs, origins, as_repetitions=as_repetitions)
        for position, reason, original in separated.left_out:
            self.skip(origins[position].file, reason, origins[position].what, original=original)
        self.runs = list(separated.kept.values())
        self._files = [self._files[position] for position in separated.kept]
        self._cells = [self._cells[position] for position in separated.kept]
        return separated.notes

    def _count(self, new: Skipped) -> None:
        key = new.where, new.reason, new.sentence
        if key not in self._skipped and len(self._skipped) >= _REPORTS:
            new = Skipped("other files", Reason.FURTHER, count=new.count)
            key = new.where, new.reason, new.sentence
        known = self._skipped.get(key)
        self._skipped[key] = new if known is None else known.increase(new.count)

    def _obstacles(self) -> Iterator[Finding]:
        """Yield notes about runs that cannot be compared with one another."""
        algorithm: dict[object, str] = {}  # the first on each block
        if len({run.algorithm for run in self.runs}) > 1 and not any(
            algorithm.setdefault(run.instance, run.algorithm) != run.algorithm for run in self.runs
        ):
            yield assumed("NOTHING_IN_COMMON", ReadWith("renumber", value=True))
        if len({run.maximise for run in self.runs}) > 1:
            yield assumed("BOTH_DIRECTIONS")
