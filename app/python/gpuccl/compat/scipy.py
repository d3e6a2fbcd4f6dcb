"""``scipy.ndimage.label``: ``from gpuccl.compat.scipy import label``.

Arrays with more than three axes, structures other than those of ``generate_binary_structure``, and outputs other than
integers are passed on to SciPy.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .. import _core
from .._kinds import as_host, pixels
from . import original

__all__ = ["label"]

_SCIPY = "scipy.ndimage"


def _reach(structure: np.ndarray) -> int | None:
    """Returns along how many axes neighbors differ; None for other structures."""
    if structure.shape != (3,) * structure.ndim:
        return None
    differ = np.zeros(structure.shape, int)
    for place in itertools.product(range(3), repeat=structure.ndim):
        differ[place] = sum(at != 1 for at in place)
    for reach in range(1, structure.ndim + 1):
        if np.array_equal(structure, differ <= reach):
            return reach
    return None


def reach_of(array, structure) -> int | None:
    """Returns along how many axes neighbors differ; None for arrays and structures that are passed on."""
    if not 1 <= array.ndim <= 3 or structure is None:
        return 1 if 1 <= array.ndim <= 3 else None
    structure = structure.get() if hasattr(structure, "get") else structure
    return _reach(np.asarray(structure, dtype=bool)) if np.ndim(structure) == array.ndim else None


def label(input: Any, structure: Any = None, output: Any = None) -> Any:
    """Label features in an array; as ``scipy.ndimage.label``."""
    array = np.asarray(input)
    reach = reach_of(array, structure)
    given = isinstance(output, np.ndarray)
    type_ = output.dtype if given else np.dtype(np.int32 if output is None else output)
    if reach is None or array.dtype.kind not in "buif" or array.itemsize > 8:
        return original("label", __name__, _SCIPY)(input, structure, output)
    if type_.kind not in "ui" or array.size == 0 or array.size >= 2**31 - 2:
        return original("label", __name__, _SCIPY)(input, structure, output)
    if given and output.shape != array.shape:
        raise ValueError("output shape not correct")
    labels = np.empty(array.shape, np.int32)
    mask = array != 0 if array.dtype.kind == "f" else array  # SciPy labels NaN
    count = _core.label_mask(as_host(mask), labels, pixels(reach, array.ndim))
    if given:
        _store(labels, count, output)
        return count
    if type_ == labels.dtype:
        return labels, count
    output = np.empty(array.shape, type_)
    _store(labels, count, output)
    return output, count


def _store(labels, count, output) -> None:
    if count > np.iinfo(output.dtype).max:
        raise RuntimeError("insufficient bit-depth in requested output type")
    output[...] = labels


def __getattr__(name: str) -> Any:
    return original(name, __name__, _SCIPY)
