"""Read an irace scenario: `scenario.txt`, its instances and its target runner."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.designing.parameter_space import ParameterSpace
from polarbear.irace.config_space import DIGITS, config_space
from polarbear.irace.configurations import format_configurations
from polarbear.irace.parameters import Parameter, read_global_digits, read_parameters
from polarbear.irace.r_values import Tokens, take_value
from polarbear.irace.target_runner import TargetRunner, configuration_texts
from polarbear.wording import suggest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from polarbear.irace.r_values import Value
    from polarbear.literals import Clock

# The variables of irace 3.5; those that this bridge does not use concern irace's own search.
_VARIABLES = (
    "scenarioFile execDir parameterFile forbiddenExps forbiddenFile initConfigurations configurationsFile logFile "
    "recoveryFile instances trainInstancesDir trainInstancesFile sampleInstances testInstancesDir testInstancesFile "
    "testInstances testNbElites testIterationElites testType firstTest eachTest targetRunner targetRunnerLauncher "
    "targetRunnerLauncherArgs targetRunnerRetries targetRunnerData targetRunnerParallel targetEvaluator deterministic "
    "maxExperiments maxTime budgetEstimation minMeasurableTime parallel loadBalancing mpi batchmode digits quiet "
    "debugLevel seed softRestart softRestartThreshold elitist elitistNewInstances elitistLimit repairConfiguration "
    "capping cappingType boundType boundMax boundDigits boundPar boundAsTimeout postselection aclib nbIterations "
    "nbExperimentsPerIteration minNbSurvival nbConfigurations mu confidence"
)
_UNSUPPORTED = {
    "targetEvaluator": "let the target runner print the cost",
    "targetRunnerLauncher": "name a target runner that can be started itself",
    "targetRunnerParallel": "name a target runner",
    "aclib": "use irace's own protocol",
}
_NOT_SEARCHED = ("forbiddenExps", "forbiddenFile", "repairConfiguration")  # change what irace samples


@dataclass(frozen=True)
class IraceScenario:
    """An irace scenario.

    Attributes
    ----------
    path
        The scenario file.
    runner, folder
        The target runner, and the folder in which it runs.
    parameters
        The parameters, in the order of their file.
    instances
        The training instances as irace passes them to the runner.
    configurations_file
        The file of initial configurations; None if the scenario names none.
    seed
        The seed of the scenario, 0 by default.
    bound
        The bound of the execution time that irace passes to the runner, if the scenario uses capping.
    parameter_file, digits
        The file of the parameters, and the decimal places of real ones; None if the scenario does not say.
    unsupported
        Variables of the scenario that `parameter_space` does not support, such as "forbiddenFile".
    forbidden_file
        The file of forbidden configurations; None if the scenario names none.
    """

    path: Path
    runner: Path
    folder: Path
    parameters: tuple[Parameter, ...]
    instances: tuple[str, ...]
    configurations_file: Path | None = None
    seed: int = 0
    bound: str | None = None
    parameter_file: Path = Path("parameters.txt")
    digits: int | None = None
    unsupported: tuple[str, ...] = ()
    forbidden_file: Path | None = None

    def runner_arguments(self, budgets: Sequence[float], budget_switch: str | None, clock: Clock) -> dict[str, Any]:
        """Return the arguments of `run_target` that all configurations share."""
        arguments: dict[str, Any] = {
            "runner": str(self.runner),
            "folder": str(self.folder),
            "switches": {parameter.name: parameter.switch for parameter in self.parameters},
            "clock": clock,
        }
        if self.bound is not None:
            arguments["bound"] = self.bound
        if budget_switch is not None:
            arguments |= {"budget_switch": budget_switch, "budgets": [float(each) for each in sorted(budgets)]}
        return arguments

    def parameter_space(
        self,
        budgets: Sequence[float],
        *,
        budget_switch: str | None = None,
        clock: Clock = "evaluations",
        sampled: int = 2,
        mutated: int = 4,
    ) -> ParameterSpace:
        """Return the parameters as a space for `design`, whose algorithms start the target runner.

        Needs ConfigSpace: `pip install 'polarbear-anytime[design]'`.

        Parameters
        ----------
        budgets
            The budgets at which configurations are compared.
        budget_switch
            The switch in front of the budget on the runner's command line. Without it, the runner is called once per run
            and prints a line `budget cost` for each improvement.
        clock
            The unit of the budgets.
        sampled, mutated
            See `ParameterSpace`.
        """
        if self.unsupported:
            raise ValueError(f"{self.path}: expected no {self.unsupported[0]}, as it is not supported; remove it")
        in_file = read_global_digits(self.parameter_file)
        decimals = next((each for each in (in_file, self.digits) if each is not None), DIGITS)
        space = config_space(self.parameters, self.parameter_file.name, decimals)
        build = TargetRunner(self.runner_arguments(budgets, budget_switch, clock))
        return ParameterSpace(space, build, sampled, mutated, decimals)

    def format_configurations(self, configurations: Iterable[Mapping[str, Any] | None]) -> str:
        """Return configurations, such as those of a design, as a table that irace reads with `configurationsFile`.

        Parameters
        ----------
        configurations
            Values by parameter, without those that are not active. Equal ones are written once.
        """
        names = [each.name for each in self.parameters]
        rows: list[dict[str, str]] = []
        for each in configurations:
            unknown = ["no configuration"] if each is None else [repr(name) for name in each if name not in names]
            if each is None or unknown:
                raise ValueError(
                    f"expected values of the parameters {', '.join(names)}, got {unknown[0]}; give configurations of this "
                    "scenario"
                )
            if (texts := configuration_texts(each, names)) not in rows:
                rows.append(texts)
        if not rows:
            raise ValueError("expected one configuration or more to write, got none; give some")
        return format_configurations(rows)


def read_irace_scenario(path: str | PathLike[str]) -> IraceScenario:
    """Read an irace scenario and the files that it names; nothing in it is evaluated.

    Raises
    ------
    ValueError
        The scenario uses R code other than assignments of constants, or a feature that is not supported.
    """
    place = Path(path).resolve()
    given = _read_assignments(place)
    for name, advice in _UNSUPPORTED.items():
        if given.get(name) not in (None, "", 0, False):
            raise ValueError(f"{place}: {name} is not supported; {advice}")

    def file(name: str, default: str = "") -> Path | None:
        text = given.get(name, default)
        if text in (None, ""):
            return None
        if not isinstance(text, str):
            raise ValueError(f"{place}: expected {name} as a path in quotes, got {text!r}")
        return Path(os.path.normpath(place.parent / text))

    parameter_file, runner = file("parameterFile", "./parameters.txt"), file("targetRunner", "./target-runner")
    if parameter_file is None or runner is None:
        raise ValueError(f"{place}: expected parameterFile and targetRunner with a path, got an empty one")
    if not os.access(runner, os.X_OK):
        raise ValueError(f"expected a target runner that can be executed, got {runner}; check its name and chmod +x it")
    bound, seed, digits = (given.get(name) for name in ("boundMax", "seed", "digits"))
    return IraceScenario(
        place,
        runner,
        file("execDir", "./") or place.parent,
        read_parameters(parameter_file),
        _instances(given, place, file("trainInstancesDir", "./Instances"), file("trainInstancesFile")),
        file("configurationsFile"),
        int(seed) if isinstance(seed, float) else 0,
        f"{bound:g}" if given.get("capping") and isinstance(bound, float) and bound > 0 else None,
        parameter_file,
        int(digits) if isinstance(digits, float) else None,
        tuple(name for name in _NOT_SEARCHED if given.get(name) not in (None, "", 0, False)),
        file("forbiddenFile"),
    )


def _read_assignments(path: Path) -> dict[str, Value]:
    """Return the variables that a scenario file assigns, by name."""
    tokens = Tokens(path.read_text(encoding="utf-8"), path.name)
    known = _VARIABLES.split()
    found: dict[str, Value] = {}
    while tokens.peek():
        if tokens.take_if(";"):
            continue
        if tokens.kind() != "name":
            raise tokens.error(
                "expected an assignment of a plain value such as maxExperiments = 500, since R code is not evaluated"
            )
        name = tokens.take()
        if not tokens.take_if("=", "<-"):
            raise tokens.error(f"expected = after {name}, since only assignments are read")
        found[name] = take_value(tokens)
        if name not in known and not name.startswith("."):
            hint = suggest(name, known) or "see irace's guide"
            raise ValueError(f"{path.name}: expected variables of irace 3.5, got {name}; {hint}")
    return found


def _instances(given: dict[str, Value], place: Path, folder: Path | None, listed: Path | None) -> tuple[str, ...]:
    """Return the training instances as irace does: the lines of a file, in front of each the folder, or all files."""
    direct = given.get("instances")
    if direct is not None:
        texts = [str(each) for each in (direct if isinstance(direct, tuple) else (direct,))]
    elif listed is not None:
        lines = (line.partition("#")[0].strip() for line in listed.read_text(encoding="utf-8").splitlines())
        texts = [line if folder is None else f"{folder}/{line}" for line in lines if line]
    elif folder is not None and folder.is_dir():
        texts = sorted(str(each) for each in folder.rglob("*") if each.is_file())
    else:
        texts = []
    if not texts:
        raise ValueError(f"{place}: expected instances, got none; set trainInstancesFile, or trainInstancesDir")
    return tuple(dict.fromkeys(texts))
