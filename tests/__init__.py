"""Tests of PolarBear: a package, so that `import tests` does not find the `tests` that some libraries install."""
