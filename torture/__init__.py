"""The promises of PolarBear, each tested by a campaign of failures: `make torture` (minutes).

Each promise is one function in this folder. The first line of its docstring is the promise, the rest says how it is
tested, and the function returns `Counts`. `python -m torture` runs all of them, prints a table, writes
docs/data/torture.json, and ends with exit code 1 if a promise was broken. The page "What it promises" shows the results.

- `kills`: drivers killed at commit points and at other moments.
- `hostile`, `hostile_algorithms`: algorithms that disturb their process, other runs or the driver.
- `damage`: race files, posterior files and recorded runs with flipped bits, or cut off.
- `bombs`: archives and indices that expand to far more than their size.
- `clusters`: Dask workers and schedulers that are killed.
- `small_race`: the race that most of them use. `counts`: what a promise returns.
"""
