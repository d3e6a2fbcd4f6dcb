"""``skimage.measure.label`` and ``regionprops_table``, ``skimage.morphology.remove_small_objects``.

``from gpuccl.compat.skimage import label, regionprops_table``. Arrays with more than three axes, and properties
that gpuccl does not measure, are passed on to scikit-image.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import _core, _host
from .._kinds import as_host, pixels
from . import original

__all__ = ["label", "regionprops_table", "remove_small_objects"]

_MEASURE, _MORPHOLOGY = "skimage.measure", "skimage.morphology"

#: Properties with the values of scikit-image; others are passed on.
_SAME = frozenset({
    "label", "area", "num_pixels", "area_bbox", "bbox", "slice", "image", "coords", "centroid", "centroid_local",
    "extent", "equivalent_diameter_area", "axis_major_length", "axis_minor_length", "eccentricity", "orientation",
    "inertia_tensor", "inertia_tensor_eigvals", "intensity_min", "intensity_max", "intensity_mean", "euler_number",
    "area_convex", "feret_diameter_max", "perimeter", "perimeter_crofton", "solidity",
})  # fmt: skip
_SAME_IN_IMAGES = frozenset({
    "eccentricity", "orientation", "axis_major_length", "axis_minor_length",
    "area_convex", "feret_diameter_max", "perimeter", "perimeter_crofton", "solidity",
})  # fmt: skip


def label(label_image: Any, background: int | None = None, return_num: bool = False, connectivity: int | None = None) -> Any:
    """Label connected regions of an array of integers; as ``skimage.measure.label``."""
    image = np.asarray(label_image)
    if not 1 <= image.ndim <= 3 or image.dtype.kind not in "bui" or image.size == 0:
        return original("label", __name__, _MEASURE)(label_image, background, return_num, connectivity)
    connectivity = image.ndim if connectivity is None else connectivity
    if not 1 <= connectivity <= image.ndim:
        raise ValueError(f"Connectivity for {image.ndim}D image should be in [1, ..., {image.ndim}]. Got {connectivity}.")
    number = pixels(connectivity, image.ndim)
    labels = np.empty(image.shape, np.int32 if image.dtype == np.bool_ else np.int64)
    if image.dtype == np.bool_:
        if background == 1:
            image = ~image
        count, _ = _core.label(as_host(image), labels, number)
    else:
        image = as_host(_without_background(image, background))
        if image.ndim == 3 and image.shape[2] == 1:
            # scikit-image transposes such images, and numbers labels in that order.
            image, labels = image.transpose(2, 1, 0), np.empty(image.shape[::-1], np.int64)
        count, _ = _core.label(image, labels, number, True)
        if labels.shape != np.shape(label_image):
            labels = np.ascontiguousarray(labels.transpose(2, 1, 0))
    return (labels, count) if return_num else labels


def _without_background(image: np.ndarray, background) -> np.ndarray:
    """Returns an array with the same equal elements in which the background is 0."""
    background = 0 if background is None else int(background)
    if background == 0:
        return image
    limits = np.iinfo(image.dtype)
    if limits.min <= background <= limits.max:
        return image ^ image.dtype.type(background)
    if image.itemsize < 8 or image.dtype.kind == "i":  # every element is foreground, so 0 needs another value
        return image.astype(np.int64) ^ np.int64(np.iinfo(np.int64).min)
    values, inverse = np.unique(image, return_inverse=True)
    return inverse.reshape(image.shape) + 1


def regionprops_table(
    label_image: Any,
    intensity_image: Any = None,
    properties: Iterable[str] = ("label", "bbox"),
    *,
    cache: bool = True,
    separator: str = "-",
    extra_properties: Any = None,
    spacing: Any = None,
) -> dict[str, Any]:
    """Properties of labels as a dict of arrays; as ``skimage.measure.regionprops_table``."""
    labels = np.asarray(label_image)
    properties = tuple(properties)
    samples = None if intensity_image is None else np.asarray(intensity_image)
    fits = (
        2 <= labels.ndim <= 3
        and labels.dtype.kind in "ui"
        and spacing is None
        and labels.size > 0
        and labels.any()
        and (labels.dtype.kind == "u" or labels.min() >= 0)
        and (samples is None or (samples.shape == labels.shape and samples.dtype.kind in "buif"))
    )
    ours = [name for name in properties if fits and _is_same(name, labels.ndim, samples)]
    others = [name for name in properties if name not in ours]
    table = {}
    if ours:
        table = _host.measure(labels, samples if _of_samples(ours) else None, ours, None, None)
    if others or extra_properties:
        theirs = original("regionprops_table", __name__, _MEASURE)(
            label_image, intensity_image, others, cache=cache, separator="-", extra_properties=extra_properties, spacing=spacing,
        )  # fmt: skip
        table.update(theirs)
    made = {}
    for name in [*properties, *(key for key in table if _stem(key) not in properties)]:
        for key, column in table.items():
            if _stem(key) == name or key == name:
                if name in ("area", "area_bbox"):
                    column = column.astype(float)
                made[key.replace("-", separator)] = column
    return made


def _stem(key: str) -> str:
    return key.partition("-")[0]


def _of_samples(names) -> bool:
    return any(name.startswith("intensity_") for name in names)


def _is_same(name: str, ndim: int, samples) -> bool:
    if name not in _SAME or (name in _SAME_IN_IMAGES and ndim != 2):
        return False
    if not name.startswith("intensity_"):
        return True
    return samples is not None and samples.dtype.kind in "ui" and samples.itemsize <= 4


def remove_small_objects(ar: Any, min_size: Any = None, connectivity: int = 1, *, max_size: Any = None, out: Any = None) -> Any:
    """Remove components of a mask, or labels, that are small; as ``skimage.morphology.remove_small_objects``.

    `min_size` removes objects of fewer elements. `max_size` removes objects of at most that size. Both have this
    meaning for masks and labels, with every version of scikit-image: scikit-image 0.26 takes `min_size` for `max_size`.
    Without either, the default is that of the installed scikit-image (0.26: ``max_size=64``, before: ``min_size=64``).
    """
    if min_size is not None and max_size is not None:
        raise TypeError("min_size and max_size cannot be combined")
    array = np.asarray(ar)
    has_max_size = _has_max_size()
    if max_size is None and min_size is None:
        min_size = 65 if has_max_size else 64
    smallest = math.floor(max_size) + 1 if min_size is None else math.ceil(min_size)
    if array.dtype != np.bool_ or not 1 <= array.ndim <= 3 or (out is not None and not _takes(out, array)):
        size = {"max_size": smallest - 1} if has_max_size else {"min_size": smallest}
        return original("remove_small_objects", __name__, _MORPHOLOGY)(ar, connectivity=connectivity, out=out, **size)
    return _host.clean(array, connectivity, False, False, None, max(0, smallest), None, 0, False, None, out)


@functools.cache
def _has_max_size() -> bool:
    """Returns whether the installed scikit-image, or without one the latest, has the argument max_size."""
    try:
        from skimage.morphology import remove_small_objects as theirs
    except ImportError:
        return True
    return "max_size" in inspect.signature(theirs).parameters


def _takes(out, array) -> bool:
    return isinstance(out, np.ndarray) and out.dtype == array.dtype and out.shape == array.shape


def __getattr__(name: str) -> Any:
    return original(name, __name__, _MEASURE, _MORPHOLOGY)
