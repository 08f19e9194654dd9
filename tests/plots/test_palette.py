"""The colours, by simulation: distinguishable with every kind of sight, and legible on white."""

from itertools import combinations

import numpy as np
import pytest

from polarbear.plots.palette import assign_colours, assign_looks

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
SIGHT = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# Ottosson's OKLab, a space in which distances are as people see them.
TO_CONES = [
    [0.41222147, 0.53633254, 0.05144599],
    [0.2119035, 0.68069955, 0.10739696],
    [0.08830246, 0.28171884, 0.6299787],
]
TO_LAB = [
    [0.21045426, 0.79361779, -0.00407205],
    [1.9779985, -2.4285922, 0.45059371],
    [0.02590404, 0.78277177, -0.80867577],
]
OKABE_ITO = 0.076  # smallest distance of two colours of Okabe and Ito under the worst of these sights, as a reference


def linear(colour):
    channel = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4)


def lab(colour, sight):
    perceived = np.clip(np.array(SIGHT[sight]) @ linear(colour), 0, 1)
    return np.array(TO_LAB) @ np.cbrt(np.array(TO_CONES) @ perceived)


EIGHT = list(assign_colours("ABCDEFGH").values())


@pytest.mark.parametrize("sight", SIGHT)
def test_eight_colours_are_distinguishable(sight):
    nearest = min(np.linalg.norm(lab(a, sight) - lab(b, sight)) for a, b in combinations(EIGHT, 2))
    assert nearest > OKABE_ITO


@pytest.mark.parametrize("colour", EIGHT)
def test_each_is_legible_on_white(colour):
    luminance = linear(colour) @ [0.2126, 0.7152, 0.0722]
    assert 1.05 / (luminance + 0.05) >= 3  # what WCAG asks of graphics and large text


def test_thirty_two_looks_differ():
    found = assign_looks(map(str, range(32))).values()
    assert len({(look.colour, look.dashes) for look in found}) == 32
    assert len({(look.colour, look.marker) for look in found}) == 32


def test_added_algorithms_change_no_other_look():
    before, after = assign_looks("ABC"), assign_looks("ABCD")
    assert all(before[name] == after[name] for name in "ABC")
