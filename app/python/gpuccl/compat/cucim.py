"""``cucim.skimage.measure.label`` and ``regionprops_table``, ``cucim.skimage.morphology.remove_small_objects``.

``from gpuccl.compat.cucim import label, regionprops_table``. Arrays are those of CuPy. Calls that gpuccl does not support
are passed on to cuCIM.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import cupy

from .. import clean, measure
from .. import label as label_array
from .._measures import is_of_samples
from . import original

__all__ = ["label", "regionprops_table", "remove_small_objects"]

_MEASURE, _MORPHOLOGY = "cucim.skimage.measure", "cucim.skimage.morphology"

#: Properties with the values of cuCIM; others are passed on.
_SAME = frozenset({
    "label", "area", "bbox", "centroid", "extent", "equivalent_diameter_area", "intensity_min",
    "intensity_max", "intensity_mean", "intensity_std",
})  # fmt: skip


def _fits(array, kinds: str) -> bool:
    return isinstance(array, cupy.ndarray) and 2 <= array.ndim <= 3 and array.dtype.kind in kinds and array.size > 0


def label(label_image: Any, background: int | None = None, return_num: bool = False, connectivity: int | None = None):
    """Label connected regions of an array of integers; as ``cucim.skimage.measure.label``."""
    if not _fits(label_image, "bui") or background not in (None, 0):
        return original("label", __name__, _MEASURE)(label_image, background, return_num, connectivity)
    if connectivity is not None and not 1 <= connectivity <= label_image.ndim:
        raise ValueError(f"connectivity is 1 to {label_image.ndim}, not {connectivity}")
    labels, count = label_array(label_image, connectivity, values=label_image.dtype != bool)
    return (labels, count) if return_num else labels


def regionprops_table(
    label_image: Any,
    intensity_image: Any = None,
    properties: Iterable[str] = ("label", "bbox"),
    *,
    separator: str = "-",
    **more: Any,
) -> dict[str, Any]:
    """Properties of labels as a dict of arrays; as ``cucim.skimage.measure.regionprops_table``."""
    properties = tuple(properties)
    if (
        more
        or not _fits(label_image, "ui")
        or not _SAME.issuperset(properties)
        or (intensity_image is not None and intensity_image.shape != label_image.shape)
    ):
        return original("regionprops_table", __name__, _MEASURE)(
            label_image, intensity_image, properties, separator=separator, **more
        )
    samples = intensity_image if any(map(is_of_samples, properties)) else None
    table = measure(label_image, samples, properties)
    return {key.replace("-", separator): column for key, column in table.items()}


def remove_small_objects(ar: Any, min_size: Any = None, connectivity: int = 1, *, max_size: Any = None, out: Any = None):
    """Remove components of a mask that are small; as ``cucim.skimage.morphology.remove_small_objects``.

    `min_size` removes objects of fewer elements. `max_size` removes objects of at most that size, by default 64.
    """
    if min_size is not None and max_size is not None:
        raise TypeError("min_size and max_size cannot be combined")
    smallest = math.ceil(min_size) if min_size is not None else math.floor(64 if max_size is None else max_size) + 1
    if not _fits(ar, "b"):
        return original("remove_small_objects", __name__, _MORPHOLOGY)(
            ar, max_size=smallest - 1, connectivity=connectivity, out=out
        )
    return clean(ar, connectivity, min_size=max(0, smallest), out=out)


def __getattr__(name: str) -> Any:
    return original(name, __name__, _MEASURE, _MORPHOLOGY)
