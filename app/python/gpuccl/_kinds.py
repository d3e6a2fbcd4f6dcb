"""What an array is, and what is the same for all kinds of them."""

from __future__ import annotations

import functools
import operator
import os

import numpy as np

from . import _core

#: Of neighbors that differ along at most so many axes.
_BY_AXES = {1: {1: 8}, 2: {1: 4, 2: 8}, 3: {1: 6, 2: 18, 3: 26}}


def library_of(array) -> str:
    """Returns the name of the library that defines the type of an array."""
    kind = type(array)
    return "numpy" if kind is np.ndarray else kind.__module__.partition(".")[0]


def pixels(connectivity, ndim: int) -> int:
    """The connectivity as a number of neighbors: 4, 8, 6, 18 or 26."""
    try:
        return _pixels(connectivity, ndim)
    except TypeError:
        raise TypeError("connectivity is an integer; gpuccl.compat.scipy.label takes a structure") from None


@functools.lru_cache(64)
def _pixels(connectivity, ndim: int) -> int:
    if not 1 <= ndim <= 3:
        raise ValueError(f"an array of 1 to 3 axes is needed, not of {ndim}")
    if connectivity is None:
        return _BY_AXES[ndim][ndim]
    number = operator.index(connectivity)
    if number in _BY_AXES[ndim]:
        return _BY_AXES[ndim][number]
    # In a volume 4 and 8 label each slice, and number on from slice to slice.
    if number in {1: (), 2: (4, 8), 3: (4, 8, 6, 18, 26)}[ndim]:
        return number
    allowed = {1: "1", 2: "1, 2, 4 or 8", 3: "1, 2, 3, 6, 18, 26, or of each slice 4 or 8"}[ndim]
    raise ValueError(f"connectivity of {ndim} axes is {allowed}, not {number}")


def periodic_axes(periodic, ndim: int) -> list[bool]:
    """Along x, y, z; `periodic` names axes by letters, or by their numbers in the array's order."""
    chosen = [False, False, False]
    if periodic is None:
        return chosen
    for axis in periodic.replace(",", "") if isinstance(periodic, str) else np.atleast_1d(periodic):
        if isinstance(axis, str):
            place = "xyz".find(axis) if len(axis) == 1 else -1
        else:
            is_axis = isinstance(axis, (int, np.integer)) and not isinstance(axis, bool) and -ndim <= axis < ndim
            place = ndim - 1 - int(axis) % ndim if is_axis else -1
        if not 0 <= place < ndim:
            letters, last = "xyz"[:ndim], ndim - 1
            raise ValueError(f"no such axis to be periodic: {axis}; axes are letters of {letters!r}, or 0 to {last}")
        chosen[place] = True
    return chosen


def on_device(array) -> bool:
    """Whether an array is in the memory of a GPU."""
    library = library_of(array)
    if library == "numpy":
        return False
    if library == "torch":
        return array.is_cuda
    if library in ("jax", "jaxlib"):
        return array.__dlpack_device__()[0] == 2
    return hasattr(array, "__cuda_array_interface__") or (
        hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] == 2
    )


def need_cuda() -> None:
    if not _core.with_cuda:
        raise RuntimeError("this gpuccl was built without CUDA: move the array to the CPU, or install a build with it")


def as_host(array) -> np.ndarray:
    """An array of the CPU as NumPy sees it, without a copy where that can be."""
    if type(array) is np.ndarray:
        if not array.dtype.isnative:
            return array.astype(array.dtype.newbyteorder("="))
        return array
    if library_of(array) == "torch":
        return array.detach().numpy()
    if isinstance(array, (bytes, bytearray)):
        return np.frombuffer(array, np.uint8)
    if isinstance(array, (str, os.PathLike)):
        raise TypeError("an array is needed, not the name of a file; gpuccl.label_file labels files")
    return as_host(np.asarray(array))


def like(result: np.ndarray, array):
    """The result as the kind of array that was given."""
    library = library_of(array)
    if library == "torch":
        import torch

        return torch.from_numpy(result)
    if library in ("jax", "jaxlib"):
        import jax

        return jax.numpy.asarray(result)
    return result
