"""A race as a file, `race.toml`: what it may say, what is wrong with it, and the race that it describes."""

from polarbear.configuration.errors import ConfigurationError, Fault
from polarbear.configuration.reading import Prepared, prepare, prior_from, written_value
from polarbear.configuration.stored import Remembered, about_race, recall

__all__ = [
    "ConfigurationError",
    "Fault",
    "Prepared",
    "Remembered",
    "about_race",
    "prepare",
    "prior_from",
    "recall",
    "written_value",
]
