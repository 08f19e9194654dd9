"""Names that are shortened in tables are found again."""

import pytest

from polarbear.wording import find_names, shorten_names

NAMES = [
    f"{kind} with restarts and a long description (population {size})" for kind in ("DE", "ES") for size in (10, 40)
]


def test_every_shortened_name_is_found_again():
    short = shorten_names(NAMES, width=32)
    assert len(short) == len(NAMES)
    assert find_names("--only", short.values(), NAMES) == NAMES
    assert find_names("--only", NAMES, NAMES) == NAMES


@pytest.mark.parametrize("given", ["DE with ...10)", "DE with …10)"])
def test_a_name_that_was_shortened_beside_other_names_is_found_by_its_ends(given):
    assert find_names("--only", [given], [*NAMES, "something else"]) == [NAMES[0]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("DE...", "which may be any of DE with restarts and a long description .population 10., DE"),
        ("ES with restarts and a long description (population 11)", "did you mean 'ES with"),
        ("DE", "choose among DE with restarts and a long description .population 10., DE [^E]*$"),
        ("cma", "expected names of algorithms for --only, got 'cma'; choose among DE"),
    ],
)
def test_other_names_are_refused_with_suggestions(given, message):
    with pytest.raises(ValueError, match=message):
        find_names("--only", [given], NAMES)
