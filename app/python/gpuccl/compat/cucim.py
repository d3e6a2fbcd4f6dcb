"""``cucim.skimage.measure.label`` and ``regionprops_table``, ``cucim.skimage.morphology.remove_small_objects``.

``from gpuccl.compat.cucim import label, regionprops_table``. Arrays are those of CuPy. Calls that gpuccl does not support
are passed on to cuCIM.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable
from typing import Any

import cupy

from .. import _device, clean
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

    def passed_on():
        theirs = original("regionprops_table", __name__, _MEASURE)
        return theirs(label_image, intensity_image, properties, separator=separator, **more)

    if (
        more
        or not _fits(label_image, "ui")
        or not _SAME.issuperset(properties)
        or (
            intensity_image is not None
            and (intensity_image.shape != label_image.shape or intensity_image.dtype.kind not in "bui" or intensity_image.itemsize > 4)
        )
    ):
        return passed_on()
    samples = intensity_image if any(map(is_of_samples, properties)) else None
    table = _device.measure(label_image, samples, (*properties, "label"), None, None)
    labels = table["label"]
    if len(labels) and labels[-1] != len(labels):  # cuCIM has rows for labels that do not occur
        return passed_on()
    table = {key.replace("-", separator): column for key, column in table.items()}
    if "area" in table:
        table["area"] = table["area"].astype(cupy.float32)
    return table if "label" in properties else {key: table[key] for key in table if key != "label"}


def remove_small_objects(ar: Any, min_size: Any = None, connectivity: int = 1, *, max_size: Any = None, out: Any = None):
    """Remove components of a mask that are small; as ``cucim.skimage.morphology.remove_small_objects``.

    `min_size` removes objects of fewer elements. `max_size` removes objects of at most that size, by default 64.
    Both have this meaning with every version of cuCIM.
    """
    if min_size is not None and max_size is not None:
        raise TypeError("min_size and max_size cannot be combined")
    smallest = math.ceil(min_size) if min_size is not None else math.floor(64 if max_size is None else max_size) + 1
    if not _fits(ar, "b"):
        theirs = original("remove_small_objects", __name__, _MORPHOLOGY)
        has_max_size = "max_size" in inspect.signature(theirs).parameters
        size = {"max_size": smallest - 1} if has_max_size else {"min_size": smallest}
        return theirs(ar, connectivity=connectivity, out=out, **size)
    return clean(ar, connectivity, min_size=max(0, smallest), out=out)


def __getattr__(name: str) -> Any:
    return original(name, __name__, _MEASURE, _MORPHOLOGY)
