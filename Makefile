# One target per task. Each target that runs Python first creates .venv, with uv if it is present, otherwise with venv and pip.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SINGLE_CORE := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
INSTALL := $(if $(shell command -v uv),uv pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet)

# Twice as many as there are cores: many tests wait for browsers, solvers and other processes.
PROCESSES = $(shell $(BIN)/python -c 'import os; print(2 * (os.cpu_count() or 1))')

# Without bytecode, each of the hundreds of processes that the tests start would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install bbob oracles demo test lint calibration stan lowest package studies torture references benchmark docs clean

help: ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## */  make \1\t/' | expand -t 20

$(BIN)/python:
	@if command -v uv >/dev/null; then uv venv --quiet --python '>=3.11' $(VENV); else $(PYTHON) -m venv $(VENV); fi
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { rm -rf $(VENV); echo "PolarBear needs Python 3.11 or newer; try: make PYTHON=python3.12 ..."; exit 1; }

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	@echo "installing what the demo needs into $(VENV) ..."
	@$(INSTALL) -e '.[demo]'
	@touch $@

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "installing everything that the tests need into $(VENV) ..."
	@$(INSTALL) -e '.[dev]'
	@touch $@ $(VENV)/.demo

$(VENV)/.oracles: $(VENV)/.installed
	@echo "installing the peers (PyMC, NumPyro, JAX) into $(VENV) ..."
	@$(INSTALL) -e '.[dev,oracles]'
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	@$(INSTALL) -e '.[dev,docs]'
	@touch $@

install: $(VENV)/.installed ## Create .venv with everything that the tests need (1.6 GB)

bbob: install ## Add ioh and modcma for the live case studies, where there are wheels (x86_64)
	@$(INSTALL) --only-binary :all: 'ioh>=0.3.22' 'modcma>=1.2' || echo "no wheels of ioh and modcma for this machine: tests that need them are skipped"

oracles: $(VENV)/.oracles ## Add the packages against which inference and importers are checked

demo: $(VENV)/.demo ## Race six optimisers on random problems and print what to deploy (about a minute)
	@$(BIN)/python examples/demo.py

lint: install ## Style, types and layers (a minute)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: install ## All tests and doctests (minutes)
	$(SINGLE_CORE) $(BIN)/pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder

calibration: install ## Statistical checks: simulation-based calibration, coverage, races, model checks (long)
	$(SINGLE_CORE) $(BIN)/pytest -m calibration -s tests

stan: install ## Run the Stan programs in rstan (R package) and, with cmdstanpy and CmdStan, its Pathfinder (10 minutes)
	$(SINGLE_CORE) $(BIN)/pytest -m stan tests/oracles

package: $(VENV)/.demo ## Build wheel and sdist, and run the demo from each in an empty environment (2 minutes)
	packaging/check_package $(BIN)/python

lowest: $(VENV)/.demo ## Test with the lowest versions of all dependencies that pyproject.toml allows (2 minutes)
	$(SINGLE_CORE) packaging/check_lowest $(BIN)/python

studies: install ## Coverage, whole races, versions, groups, features and fitness, for the tables of the pages (10 minutes; resumable)
	$(SINGLE_CORE) $(BIN)/python -m polarbear.calibration coverage --workers 2
	$(SINGLE_CORE) $(BIN)/python -m polarbear.calibration races --workers 2
	$(SINGLE_CORE) $(BIN)/python -m polarbear.calibration versions --workers 2
	$(SINGLE_CORE) $(BIN)/python -m polarbear.calibration groups --workers 2
	$(SINGLE_CORE) $(BIN)/python -m polarbear.calibration fitness --workers 2
	$(SINGLE_CORE) $(BIN)/python -m polarbear.calibration features --workers 2
	$(SINGLE_CORE) $(BIN)/python -m polarbear.calibration features --workers 2 --cells informative=False --replicates 4000
	$(BIN)/python docs/make_calibration.py

torture: install ## Test the promises: killed races, hostile algorithms, damaged files, lost clusters (3 minutes)
	$(SINGLE_CORE) $(BIN)/python -m torture; status=$$?; $(BIN)/python docs/make_promises.py; exit $$status

references: $(VENV)/.oracles ## Make the stored PyMC reference posteriors again (one hour)
	$(BIN)/python -m tests.oracles.make_references

benchmark: $(VENV)/.oracles ## Speed and memory, as ratios against PyMC in the same run
	$(BIN)/python benchmarks/inference.py
	$(BIN)/python benchmarks/runtime.py --quick --output reproduced/runtime
	$(SINGLE_CORE) $(BIN)/python benchmarks/race.py
	$(SINGLE_CORE) $(BIN)/python benchmarks/execution.py
	$(SINGLE_CORE) $(BIN)/python benchmarks/storage.py
	$(SINGLE_CORE) $(BIN)/python benchmarks/selection.py
	$(SINGLE_CORE) $(BIN)/python benchmarks/features.py
	$(SINGLE_CORE) $(BIN)/python benchmarks/commands.py

docs: $(VENV)/.docs ## Build the documentation into site/; warnings are errors
	@$(BIN)/python docs/make_reference.py
	@PYTHONPATH=docs $(BIN)/zensical build --strict

clean: ## Remove .venv and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .cache build dist site docs/reference
