"""Keep pytest's doctest collector away from modules that need the `oracles` extra."""

collect_ignore = ["models.py", "make_references.py"]
