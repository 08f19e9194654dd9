"""What a `race.toml` may say. Defaults are those of `Settings` and `Race.run`, which also check what belongs together."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=1)]
PriorName = Literal[
    "BayesianBootstrap",
    "BSpline",
    "RandomWalk",
    "GaussianProcess",
    "SparseGaussianProcess",
    "HilbertSpaceGP",
    "Dirichlet",
    "HierarchicalDirichlet",
]


class Table(BaseModel):
    """A table of the file: it knows its keys, and takes values as they are written."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)

    def said(self) -> dict[str, Any]:
        """Only what was written, so that defaults stay where they belong."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class PriorTable(Table):
    """A prior and its parameters; a name alone will do."""

    kind: PriorName
    """Which one: BayesianBootstrap by default."""
    basis: Whole | None = None
    """Number of basis functions (BSpline, HilbertSpaceGP)."""
    degree: Whole | None = None
    """Degree of the splines (BSpline)."""
    kernel: Literal["matern32", "matern52", "squared-exponential"] | None = None
    """Covariance over time (the Gaussian processes)."""
    inducing: Whole | None = None
    """Number of inducing points (SparseGaussianProcess)."""
    boundary: Positive | None = None
    """Boundary factor (HilbertSpaceGP)."""
    concentration: Positive | None = None
    """Concentration (Dirichlet)."""
    rate: Positive | None = None
    """Rate of the concentration's prior (HierarchicalDirichlet)."""
    pseudo_instances: Positive | None = None
    """Mass of random rankings, in instances (BayesianBootstrap)."""
    plackett_luce: Annotated[float, Field(ge=0)] | Literal["auto"] | None = None
    """What the Plackett-Luce fit is worth in instances, 0 for outcomes alone, inf for the fit alone (BayesianBootstrap)."""
    shrink: bool | None = None
    """Whether differences of near-equal algorithms are shrunk (BayesianBootstrap)."""
    generalise_to: Literal["clusters", "instances"] | None = None
    """With clusters of instances: new clusters, or new instances of these (BayesianBootstrap)."""

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, given: Any) -> Any:
        return {"kind": given} if isinstance(given, str) else given


class BatchTable(Table):
    """How many instances a round takes, adapted to what is decided; a number alone is fixed."""

    smallest: Whole = 8
    """At least so many."""
    largest: Whole = 128
    """At most so many."""
    start: Whole | None = None
    """In the first round; the smallest by default."""
    size: Whole | None = None
    """Always so many; alone."""

    @model_validator(mode="before")
    @classmethod
    def _number_alone(cls, given: Any) -> Any:
        return {"size": given} if isinstance(given, int) and not isinstance(given, bool) else given

    @model_validator(mode="after")
    def _size_alone(self) -> Self:
        if self.size is not None and len(self.model_fields_set) > 1:
            raise ValueError("size stands alone; leave it out, or the others")
        return self


class RaceTable(Table):
    """The design of the race."""

    file: str | None = None
    """The race file; by default named like the configuration, with .race."""
    clock: Literal["evaluations", "seconds"] = "evaluations"
    """The unit of time."""
    maximise: bool = False
    """Higher values are better."""
    seed: Annotated[int, Field(ge=0)] = 0
    """All randomness of the race follows from it."""
    confidence: Annotated[float, Field(gt=0.5, lt=1)] = 0.99
    """The probability from which a relation counts as decided."""
    guarantee: Annotated[float, Field(gt=0, le=0.5)] | None = None
    """The largest probability of any wrong elimination in the whole race, whatever the model; e-values then eliminate, not
    the posterior."""
    rope: Annotated[float, Field(ge=0, lt=0.5)] = 0.05
    """Half the width of the region of practical equivalence around a win probability of one half."""
    specialists: Literal["keep", "drop"] = "keep"
    """Whether an algorithm that is beaten on most instances is kept if it comes first more often than its conqueror."""
    elimination: Literal["joint", "pointwise"] = "pointwise"
    """Out when beaten at all times at once, or at each single time."""
    resolution: Literal["membership", "crossing", "strict"] = "membership"
    """When a pair is decided: strict, at each time on its own; crossing, also once each is known to be better somewhere;
    membership, the same, but not while the pair is close to an elimination."""
    prior: PriorTable = PriorTable(kind="BayesianBootstrap")
    """Belief before the data: a name, or a table with its parameters; BayesianBootstrap by default."""
    method: str = "auto"
    """How the posterior is computed: auto, nested-laplace, hmc, gibbs, laplace, nuts, advi, advi-fullrank or pathfinder."""
    draws: Whole = 4000
    """Number of posterior draws."""
    batch: BatchTable = BatchTable()
    """How many instances a round takes: a number, or a table with limits; from 8 to 128 by default."""
    failure: Literal["last", "missing", "raise"] = "last"
    """What a failed run counts as."""
    absolute_tolerance: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Values this close are ties."""
    relative_tolerance: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Values this close, as a share, are ties."""
    common_random_numbers: bool = False
    """All algorithms get the same seed on an instance."""


class GridTable(Table):
    """The times at which algorithms are compared: start, stop and count, or times."""

    start: Positive | None = None
    """The first time."""
    stop: Positive | None = None
    """The last time."""
    count: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """How many."""
    spacing: Literal["log", "linear"] = "log"
    """Even on which axis."""
    times: list[Positive] | None = None
    """The times themselves, instead."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ends = [self.start, self.stop, self.count]
        if (self.times is None) != all(end is not None for end in ends) or (self.times is not None and any(ends)):
            raise ValueError("expected start, stop and count, or times alone")
        return self


class AlgorithmTable(Table):
    """An algorithm: a Python function or an external command; the reference of a function alone will do."""

    function: str | None = None
    """module:function, imported from beside the configuration or from what is installed."""
    shape: Literal["counted", "generator", "ask-tell"] = "counted"
    """function(objective, budget, rng), function(problem, seed, until) that yields (time, value), or make(problem, rng)."""
    arguments: dict[str, Any] = {}
    """Further keywords for the function."""
    style: Literal["auto", "point", "batch", "pairs"] = "auto"
    """How an ask-tell optimiser talks."""
    restart: bool = False
    """Make a new ask-tell optimiser when one says that it is done."""
    command: str | list[str] | None = None
    """A program with {instance}, {seed}, {until} and, if it appends its lines to a file, {output}; it runs beside the file,
    and python is the one that runs PolarBear."""
    parse: str | None = None
    """module:function that reads one line of the program: (time, value), a value, or None."""
    memory: Whole | None = None
    """Megabytes that the program may have, where the system allows such a limit."""

    @field_validator("command", mode="before")
    @classmethod
    def _words(cls, given: Any) -> Any:
        if isinstance(given, str) or (isinstance(given, list) and all(isinstance(word, str) for word in given)):
            return given
        raise ValueError(f"expected a text, or a list of texts, got {given!r}")

    @model_validator(mode="before")
    @classmethod
    def _function_alone(cls, given: Any) -> Any:
        return {"function": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.function is None) == (self.command is None):
            raise ValueError("expected either function or command")
        others = {"parse", "memory"} if self.function else {"shape", "arguments", "style", "restart"}
        others |= {"style", "restart"} if self.shape != "ask-tell" else set()
        if wrong := sorted(others & self.model_fields_set):
            kind = "a command" if self.command else f"a function of the shape {self.shape}"
            raise ValueError(f"{kind} has no {' and no '.join(wrong)}")
        return self


class InstancesTable(Table):
    """What the algorithms run on, in one of four ways."""

    names: list[str] | None = None
    """Names, files, anything that the algorithms take as text."""
    file: str | None = None
    """A file with one of these on each line; empty lines and those that begin with # are passed over."""
    folder: str | None = None
    """A folder of files."""
    pattern: str | None = None
    """Which files of the folder, for example *.mps; all by default."""
    shuffle: bool = True
    """Take them in a random order, that of the race's seed: files often come sorted by kind."""
    generator: str | None = None
    """module:function with (index, seed), or a class, such as polarbear.problems:MixedProblems, that makes one."""
    arguments: dict[str, Any] = {}
    """Keywords for the generator."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ways = ("names", "file", "folder", "generator")
        if sum(getattr(self, way) is not None for way in ways) != 1:
            raise ValueError(f"expected one of {', '.join(ways)}")
        if "arguments" in self.model_fields_set and self.generator is None:
            raise ValueError("arguments are for a generator")
        if "shuffle" in self.model_fields_set and self.generator is not None:
            raise ValueError("a generator makes its instances in its own order; leave shuffle out")
        if self.pattern is not None and self.folder is None:
            raise ValueError("a pattern is for a folder")
        return self


class LimitsTable(Table):
    """When to stop, even if not everything is decided; and what one run may take."""

    instances: Whole | None = None
    """So many instances in all."""
    evaluations: Positive | None = None
    """So much in all, in the race's unit of time."""
    seconds: Positive | None = None
    """So long on the wall clock, each time the race is started."""
    run_seconds: Positive | None = None
    """Seconds after which a single run is killed and counts as failed."""
    retries: Annotated[int, Field(ge=0)] = 1
    """How often a run whose process died is tried again."""


class ExecutionTable(Table):
    """Where runs happen."""

    workers: Whole | None = None
    """Runs at the same time on this machine; by default the number of cores less one."""
    dask: str | None = None
    """The address of a Dask scheduler, instead."""

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.workers is not None and self.dask is not None:
            raise ValueError("expected workers or dask, not both")
        return self


class RaceToml(Table):
    """A whole file."""

    race: RaceTable = RaceTable()
    grid: GridTable
    algorithms: Annotated[dict[str, AlgorithmTable], Field(min_length=2)]
    instances: InstancesTable
    limits: LimitsTable = LimitsTable()
    execution: ExecutionTable = ExecutionTable()


def json_schema() -> dict[str, Any]:
    """The JSON schema of the file, for editors."""
    schema = RaceToml.model_json_schema()
    for table, short in (("AlgorithmTable", "string"), ("PriorTable", "string"), ("BatchTable", "integer")):
        whole = schema["$defs"][table]
        schema["$defs"][table] = {"anyOf": [{"type": short}, whole], "description": whole.get("description", "")}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "race.toml of PolarBear", **schema}
