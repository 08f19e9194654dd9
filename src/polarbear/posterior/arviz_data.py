"""A posterior in the containers of ArviZ: an xarray dataset, and the group of draws that ArviZ's functions take."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from polarbear.arrays import Array


def as_dataset(
    ratings: Array, budgets: Array, names: Sequence[str], about: Mapping[str, str], win_rates: Array | None
) -> Any:
    """Return ratings and win rates as an `xarray.Dataset`; see `Posterior.to_xarray`."""
    try:
        import xarray as xr
    except ImportError as error:
        raise ImportError("to_xarray and to_arviz need xarray: pip install 'polarbear-anytime[arviz]'") from error
    variables: dict[str, Any] = {"ratings": (("chain", "draw", "budget", "algorithm"), ratings[None])}
    coordinates: dict[str, Any] = {
        "chain": [0],
        "draw": np.arange(len(ratings)),
        "budget": budgets,
        "algorithm": list(names),
    }
    if win_rates is not None:
        variables["win_rates"] = (("chain", "draw", "budget", "algorithm", "other"), win_rates[None])
        coordinates["other"] = list(names)
    return xr.Dataset(variables, coords=coordinates, attrs={"inference_library": "PolarBear", **about})


def as_netcdf(dataset: Any) -> bytes:
    """Return a dataset as a netCDF file with the group `posterior`, as ArviZ reads it.

    It is made in memory, since the HDF5 library ends the process if it cannot write to a disk.
    """
    try:
        import h5netcdf  # type: ignore[import-untyped]
        import xarray as xr
    except ImportError as error:
        raise ImportError("netCDF needs xarray and h5netcdf: pip install 'polarbear-anytime[arviz]'") from error
    buffer = io.BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        dataset.dump_to_store(xr.backends.H5NetCDFStore(file, group="posterior"))
    return buffer.getvalue()


def as_inference_data(dataset: Any) -> Any:
    """Return a dataset as the group `posterior` of the container that the installed ArviZ uses."""
    if _has_inference_data():
        import arviz

        return arviz.InferenceData(posterior=dataset)
    import xarray as xr

    return xr.DataTree.from_dict({"/posterior": dataset})


def _has_inference_data() -> bool:
    """Return whether the installed ArviZ is one whose functions take `InferenceData`, not `DataTree`."""
    from importlib.metadata import PackageNotFoundError, version  # not needed, and slow, when a posterior is loaded

    try:
        return version("arviz").startswith("0.")
    except PackageNotFoundError:
        return False
