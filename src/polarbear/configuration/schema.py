"""The tables and keys of `race.toml`.

Defaults are those of `Settings` and `Race.run`, which also check keys against each other. Docstrings of tables and keys
become the descriptions in the JSON schema.
"""

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    create_model,
    field_validator,
    model_validator,
)

from polarbear.declared import descriptions
from polarbear.literals import (
    Axis,
    Style,
)
from polarbear.models import PRIORS
from polarbear.models.registry import plain_parameters
from polarbear.race.settings import Settings
from polarbear.wording import suggest

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=1)]


class Table(BaseModel):
    """A table of the file, which rejects unknown keys and converts no values."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)

    def given(self) -> dict[str, Any]:
        """Return only the keys that the file gives, so that `Settings` and `Race.run` supply the defaults."""
        return {name: getattr(self, name) for name in self.model_fields_set}


def _check_prior(name: str) -> str:
    if name not in PRIORS:
        raise ValueError(
            f"expected one of {', '.join(PRIORS)}, got {name!r}; {suggest(name, PRIORS) or 'choose one of these'}"
        )
    return name


def _add_parameters(schema: dict[str, Any]) -> None:
    """Add to a JSON schema the names of the priors and, from their annotations and docstrings, their parameters."""
    properties = schema["properties"]
    properties["kind"]["enum"] = list(PRIORS)
    schema["additionalProperties"] = False
    for prior, kind in PRIORS.items():
        texts = descriptions(kind)
        for name, hint in plain_parameters(kind).items():
            new = {**TypeAdapter(hint).json_schema(), "description": ""}
            properties.setdefault(name, new)["description"] += f"{prior}: {texts.get(name, '')} "


class PriorTable(Table):
    """A prior by name, with its parameters; a name alone is enough. The prior itself checks its parameters."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_add_parameters)

    kind: Annotated[str, AfterValidator(_check_prior)]
    """Name of the prior, BayesianBootstrap by default."""

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, given: Any) -> Any:
        return {"kind": given} if isinstance(given, str) else given


class BatchTable(Table):
    """Number of instances per round, adapted to how many pairs are decided; a number alone is fixed."""

    smallest: Whole = 8
    """Smallest number."""
    largest: Whole = 128
    """Largest number."""
    start: Whole | None = None
    """Number in the first round; the smallest by default."""
    size: Whole | None = None
    """The same number in every round; excludes the other keys."""

    @model_validator(mode="before")
    @classmethod
    def _number_alone(cls, given: Any) -> Any:
        return {"size": given} if isinstance(given, int) and not isinstance(given, bool) else given

    @model_validator(mode="after")
    def _size_alone(self) -> Self:
        if self.size is not None and len(self.model_fields_set) > 1:
            raise ValueError("expected size alone, or the other keys; leave one of them out")
        return self


def _race_table() -> type[Table]:
    """Return the table of the settings of a race, from their declaration in `Settings`."""
    texts = descriptions(Settings)
    # An error that names the key is better than an error of all settings together, which `Settings` reports.
    parts: dict[str, Any] = {
        "prior": (PriorTable, PriorTable(kind="BayesianBootstrap")),
        "batch": (BatchTable, BatchTable()),
        "method": (str, "auto"),
    }
    keys = {each.name: parts.get(each.name, (each.type, each.default)) for each in fields(Settings)}
    del keys["grid"]  # a table of its own
    definitions: Any = {
        name: (kind, Field(default, description=texts.get(name), allow_inf_nan=False if _is_real(kind) else None))
        for name, (kind, default) in keys.items()
    }
    file = "The race file; by default the name of the configuration with the ending .race."
    definitions["file"] = str | None, Field(None, description=file)
    return create_model("RaceTable", __base__=Table, __doc__="The settings of the race.", **definitions)


def _is_real(kind: Any) -> bool:
    return get_origin(kind) is Annotated and get_args(kind)[0] is float


if TYPE_CHECKING:

    class RaceTable(Table):
        """The settings of the race."""

        file: str | None
        seed: int
        prior: PriorTable
        batch: BatchTable
else:
    RaceTable = _race_table()


class GridTable(Table):
    """The times at which algorithms are compared: start, stop and count, or times."""

    start: Positive | None = None
    """The first time."""
    stop: Positive | None = None
    """The last time."""
    count: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """Number of times."""
    spacing: Axis = "log"
    """Axis on which the times are evenly spaced."""
    budgets: list[Positive] | None = None
    """The times themselves, instead of start, stop and count."""

    @model_validator(mode="after")
    def _check_way(self) -> Self:
        ends = [self.start, self.stop, self.count]
        if (self.budgets is None) != all(end is not None for end in ends) or (self.budgets is not None and any(ends)):
            raise ValueError("expected start, stop and count, or times alone")
        return self


class AlgorithmTable(Table):
    """An algorithm: a Python function or an external command; the reference of a function alone is enough."""

    function: str | None = None
    """module:function, imported from the folder of the configuration or from the installed packages."""
    shape: Literal["counted", "generator", "ask-tell"] = "counted"
    """function(objective, budget, rng), function(problem, seed, budget) that yields (budget, value), or
    make(problem, rng)."""
    arguments: dict[str, Any] = {}
    """Further keyword arguments of the function."""
    style: Style = "auto"
    """Interface of an ask-tell optimiser."""
    restart: bool = False
    """Whether to make a new ask-tell optimiser when one reports that it is done."""
    command: str | list[str] | None = None
    """A program with {instance}, {seed}, {budget} and, if it appends its lines to a file, {output}. It runs in the folder of
    the configuration, and `python` is the interpreter that runs PolarBear."""
    parse: str | None = None
    """module:function that parses one line of the program's output into (budget, value), a value, or None."""
    memory: Whole | None = None
    """Memory limit of the program in megabytes, where the system supports one."""

    @field_validator("command", mode="before")
    @classmethod
    def _check_words(cls, given: Any) -> Any:
        if isinstance(given, str) or (isinstance(given, list) and all(isinstance(word, str) for word in given)):
            return given
        raise ValueError(f"expected a string or a list of strings, got {given!r}")

    @model_validator(mode="before")
    @classmethod
    def _function_alone(cls, given: Any) -> Any:
        return {"function": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if (self.function is None) == (self.command is None):
            raise ValueError("expected either function or command")
        others = {"parse", "memory"} if self.function else {"shape", "arguments", "style", "restart"}
        others |= {"style", "restart"} if self.shape != "ask-tell" else set()
        if wrong := sorted(others & self.model_fields_set):
            kind = "a command" if self.command else f"a function of the shape {self.shape}"
            raise ValueError(f"{kind} has no {' and no '.join(wrong)}")
        return self


class InstancesTable(Table):
    """The instances on which the algorithms run, given in one of four ways."""

    names: list[str] | None = None
    """A list of names, files, or any texts that the algorithms accept."""
    file: str | None = None
    """A file with one instance per line; empty lines and lines that begin with # are skipped."""
    folder: str | None = None
    """A folder of files, one per instance."""
    pattern: str | None = None
    """Which files of the folder, for example *.mps; all by default."""
    shuffle: bool = True
    """Use them in a random order, which the seed of the race determines: files are often sorted by kind."""
    repeats: Whole = 1
    """How often each listed instance comes, with new seeds. All instances come once before any is repeated; the repetitions
    of an instance form a cluster, since they say less about new instances than other instances would."""
    features: str | None = None
    """A table of features of the instances: CSV, Parquet or ARFF, with a column instance that has their names or their
    numbers from 0 on. The race file stores them. Generated instances may have an attribute `features` instead."""
    balance: str | None = None
    """The name of a feature. Listed instances then come in an order in which the groups of instances with the same value of
    it take turns, so that each round draws groups evenly."""
    generator: str | None = None
    """module:function that takes (index, seed), or a class whose objects do, such as polarbear.problems:MixedProblems."""
    arguments: dict[str, Any] = {}
    """Keyword arguments of the generator."""

    @model_validator(mode="after")
    def _check_way(self) -> Self:
        ways = ("names", "file", "folder", "generator")
        if sum(getattr(self, way) is not None for way in ways) != 1:
            raise ValueError(f"expected one of {', '.join(ways)}")
        if "arguments" in self.model_fields_set and self.generator is None:
            raise ValueError("expected arguments only with a generator; leave them out")
        if "shuffle" in self.model_fields_set and self.generator is not None:
            raise ValueError("expected no shuffle with a generator, which sets the order itself; leave it out")
        if "repeats" in self.model_fields_set and self.generator is not None:
            raise ValueError(
                "expected no repeats with a generator, which makes as many instances as needed; leave it out"
            )
        if self.balance is not None and (self.features is None or self.generator is not None):
            raise ValueError(
                "expected balance only with listed instances and a table of features: the group of a generated instance is "
                "known only once it is made; leave it out"
            )
        if self.pattern is not None and self.folder is None:
            raise ValueError("expected a pattern only with a folder; leave it out")
        return self


class LimitsTable(Table):
    """Limits at which the race stops even if pairs are undecided, and limits of a single run."""

    instances: Whole | None = None
    """Total number of instances."""
    evaluations: Positive | None = None
    """Total cost, in the unit of time of the race."""
    seconds: Positive | None = None
    """Seconds on the wall clock, counted again each time the race is started."""
    run_seconds: Positive | None = None
    """Seconds after which a run is killed and counts as failed."""
    retries: Annotated[int, Field(ge=0)] = 1
    """How often to retry a run whose process died."""


class ExecutionTable(Table):
    """Where runs are executed."""

    workers: Whole | None = None
    """Number of simultaneous runs on this machine; by default the number of cores minus one."""
    dask: str | None = None
    """Address of a Dask scheduler, instead of workers."""

    @model_validator(mode="after")
    def _check_place(self) -> Self:
        if self.workers is not None and self.dask is not None:
            raise ValueError("expected workers or dask, not both")
        return self


class RaceToml(Table):
    """The whole file."""

    race: RaceTable = RaceTable()  # type: ignore[call-arg]  # every key has a default
    grid: GridTable
    algorithms: Annotated[dict[str, AlgorithmTable], Field(min_length=2)]
    instances: InstancesTable
    limits: LimitsTable = LimitsTable()
    execution: ExecutionTable = ExecutionTable()


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of the file, for editors."""
    schema = RaceToml.model_json_schema()
    for table, short in (("AlgorithmTable", "string"), ("PriorTable", "string"), ("BatchTable", "integer")):
        whole = schema["$defs"][table]
        schema["$defs"][table] = {"anyOf": [{"type": short}, whole], "description": whole.get("description", "")}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "race.toml of PolarBear", **schema}
