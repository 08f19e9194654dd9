"""ADVI: its settings. What needs a fit is in `tests/contracts/test_reference_methods.py`."""

import pytest

import polarbear as pb


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"covariance": "dense"}, "expected 'diagonal' or 'full' as ADVI covariance, got 'dense'"),
        ({"steps": 10}, "expected a whole number of at least 250 for ADVI steps"),
        ({"samples": 0}, "expected a whole number of at least 1 for ADVI samples"),
    ],
)
def test_invalid_settings_are_rejected(wrong, message):
    with pytest.raises(ValueError, match=message):
        pb.ADVI(**wrong)
