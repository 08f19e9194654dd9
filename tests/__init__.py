"""A package by name: libraries that ship a `tests` of their own must not stand in for it."""
