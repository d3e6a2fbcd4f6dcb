"""``scipy.ndimage.label``, and sums, means, maxima, centers and boxes of labels: ``from gpuccl.compat.scipy import label``.

Arrays with more than three axes, structures other than those of ``generate_binary_structure``, outputs and samples other
than integers, empty arrays, and calls without labels and their index are passed on to SciPy.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .. import _core, _host
from .._kinds import as_host, pixels
from . import original

__all__ = ["label", "sum_labels", "mean", "maximum", "center_of_mass", "find_objects"]

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
    count, _ = _core.label(as_host(mask), labels, pixels(reach, array.ndim))
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


def _are_labels(labels) -> bool:
    return 1 <= labels.ndim <= 3 and labels.size > 0 and labels.dtype.kind in "ui" and labels.min(initial=0) >= 0


def _measured(input, labels, index, columns):
    """Returns columns of measure() for an index of labels, with 0 for absent ones; None for calls that are passed on."""
    if labels is None or index is None:
        return None
    input, labels, index = np.asarray(input), np.asarray(labels), np.asarray(index)
    if input.shape != labels.shape or input.dtype.kind not in "bui" or input.itemsize > 4 or not _are_labels(labels):
        return None
    if index.ndim == 0 or index.dtype.kind not in "ui" or ((index <= 0) | (index >= 2**63)).any():
        return None
    table = _host.measure(labels, input if columns != ["area"] else None, ["label", *columns], None, None)
    known = table.pop("label")
    at = np.searchsorted(known, index)
    at[at == len(known)] = 0
    is_known = known[at] == index if len(known) else np.zeros(index.shape, bool)
    return [np.where(is_known, column[at] if len(known) else 0, 0) for column in table.values()]


def sum_labels(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Sums of the samples of labels; as ``scipy.ndimage.sum_labels``."""
    measured = _measured(input, labels, index, ["intensity_sum"])
    if measured is None:
        return original("sum_labels", __name__, _SCIPY)(input, labels, index)
    return measured[0]


def mean(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Means of the samples of labels; as ``scipy.ndimage.mean``."""
    measured = _measured(input, labels, index, ["intensity_sum", "area"])
    if measured is None:
        return original("mean", __name__, _SCIPY)(input, labels, index)
    return measured[0] / measured[1]


def maximum(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Largest samples of labels; as ``scipy.ndimage.maximum``."""
    measured = _measured(input, labels, index, ["intensity_max"])
    if measured is None:
        return original("maximum", __name__, _SCIPY)(input, labels, index)
    return measured[0].astype(np.asarray(input).dtype)


def center_of_mass(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Centers of mass of labels; as ``scipy.ndimage.center_of_mass``."""
    measured = _measured(input, labels, index, ["intensity_sum", "centroid_weighted"])
    if measured is None or np.ndim(index) > 1:
        return original("center_of_mass", __name__, _SCIPY)(input, labels, index)
    centers = np.where(measured[0] == 0, np.nan, np.stack(measured[1:]))
    return [tuple(center) for center in centers.T]


def find_objects(input: Any, max_label: int = 0) -> list[tuple[slice, ...] | None]:
    """Boxes of labels as slices; as ``scipy.ndimage.find_objects``."""
    labels = np.asarray(input)
    if not _are_labels(labels):
        return original("find_objects", __name__, _SCIPY)(input, max_label)
    table = _host.measure(labels, None, ("label", "bbox"), None, None)
    numbers, *sides = (column.tolist() for column in table.values())
    boxes: list = [None] * (max_label if max_label > 0 else max(numbers, default=0))
    for number, *box in zip(numbers, *sides):
        if number <= len(boxes):
            boxes[number - 1] = tuple(map(slice, box[: labels.ndim], box[labels.ndim :]))
    return boxes


def __getattr__(name: str) -> Any:
    return original(name, __name__, _SCIPY)
