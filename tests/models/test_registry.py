"""The registry of priors: what race.toml, race files and studies rely on."""

from dataclasses import fields
from typing import get_type_hints

import pytest

from polarbear import literals, models
from polarbear.declared import descriptions as parameter_descriptions


@pytest.mark.parametrize("kind", models.PRIORS.values())
def test_parameters_have_defaults_and_descriptions(kind):
    assert kind() == kind()
    assert hash(kind()) == hash(kind())
    hints, descriptions = get_type_hints(kind, localns=vars(literals)), parameter_descriptions(kind)
    assert [each.name for each in fields(kind) if each.name not in descriptions] == []
    assert set(descriptions) <= set(hints)
    assert all(text.endswith(".") for text in descriptions.values())


def test_names_are_those_of_the_classes():
    assert all(getattr(models, name) is kind for name, kind in models.PRIORS.items())
