"""``cc3d`` (connected-components-3d): ``import gpuccl.compat.cc3d as cc3d``.

Labels are numbered in the order of memory, as those of cc3d: Fortran-ordered arrays are scanned with the first axis
fastest, and results are Fortran-ordered too. In 2D masks with 8-connectivity, cc3d scans blocks of 2x2 elements, so the
numbers may differ. The type of labels is the smallest of uint16, uint32 and uint64 that
holds all of them; cc3d's own guess may be wider. Results differ where cc3d 4.1's are not those of its documentation:
in images of two axes by 8-connectivity (labels of background, neighbors apart with a delta) and of values with
``binary_image=True`` by 4-connectivity; ``contacts(surface_area=False)`` by 26-connectivity, which counts pairs across
the edges of axes 1 and 2 twice. NaN is background, except with ``binary_image=True``; ``contacts`` takes negative labels
as background. Results are NumPy arrays, for PyTorch tensors too.

Other names, such as ``each``, are cc3d's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core, _host
from .._kinds import as_floats, as_host
from . import original

__all__ = ["connected_components", "statistics", "dust", "largest_k", "contacts", "region_graph"]

_NEIGHBORS = {1: {4: 8, 6: 8, 8: 8, 18: 8, 26: 8}, 2: {4: 4, 6: 4, 8: 8, 18: 8, 26: 8}, 3: {6: 6, 18: 18, 26: 26}}


def _number(connectivity: int, ndim: int) -> int:
    number = _NEIGHBORS.get(ndim, {}).get(connectivity)
    if number is None:
        raise ValueError(f"connectivity {connectivity} of an array of {ndim} axes is not supported")
    return number


def _in_c_order(array: np.ndarray) -> tuple[np.ndarray, bool]:
    """Returns the array in C order, transposed if it is in Fortran order, and whether it was."""
    turned = not array.flags.c_contiguous and array.flags.f_contiguous
    return (array.T if turned else array), turned


def connected_components(
    data: Any,
    max_labels: int = -1,
    connectivity: int = 26,
    return_N: bool = False,
    delta: float = 0,
    out_dtype: Any = None,
    out_file: Any = None,
    periodic_boundary: bool = False,
    binary_image: bool = False,
) -> Any:
    """Label an image of two or three axes; as ``cc3d.connected_components``."""
    if out_file is not None:
        return original("connected_components", __name__, "cc3d")(
            data, max_labels, connectivity, return_N, delta, out_dtype, out_file, periodic_boundary, binary_image
        )
    array = as_host(data)
    if not 1 <= array.ndim <= 3:
        raise ValueError(f"an array of 1 to 3 axes is needed, not of {array.ndim}")
    number = _number(connectivity, array.ndim)
    if out_dtype is not None and np.dtype(out_dtype) not in (np.uint16, np.uint32, np.uint64):
        raise ValueError("out_dtype is uint16, uint32 or uint64")
    if delta < 0:
        raise ValueError("delta is 0 or more")
    array, turned = _in_c_order(array)
    binary = binary_image or array.dtype == np.bool_
    if binary and array.dtype.kind in "if":
        array = array != 0
    if delta and array.dtype == np.float16:
        raise TypeError("delta is not for arrays of float16; convert them to float32")
    array = as_floats(array)
    if array.size == 0:
        labels = np.zeros(array.shape, out_dtype or np.uint16)
        count = 0
    else:
        periodic = [periodic_boundary and size > 1 for size in reversed(array.shape)]

        def make(count):
            type_ = out_dtype or (np.uint16 if count < 2**16 else np.uint32)
            if count > np.iinfo(type_).max:
                raise ValueError(f"{count} labels do not fit {np.dtype(type_)}")
            return np.empty(array.shape, type_)

        labels, count = _core.label(array, make, number, not binary, float(delta), (periodic + [False, False])[:3])
    labels = labels.T if turned else labels
    return (labels, count) if return_N else labels


def statistics(out_labels: Any, no_slice_conversion: bool = False) -> dict[str, Any]:
    """Voxel counts, bounding boxes and centroids of labels; as ``cc3d.statistics``."""
    labels = as_host(out_labels)
    if labels.dtype == np.bool_:
        labels = labels.view(np.uint8)
    if labels.size == 0:
        return {"voxel_counts": None, "bounding_boxes": None, "centroids": None}
    labels, turned = _in_c_order(labels)
    ndim = labels.ndim
    if labels.dtype.kind == "i" and labels.min() < 0:
        raise ValueError("labels are not negative")
    table = _host.measure(labels, None, ("label", "area", "bbox", "centroid"), None, None)
    present = table["label"]
    highest = int(present.max(initial=0))
    if highest > labels.size:
        raise ValueError("labels are at most as large as there are elements")
    counts = np.zeros(highest + 1, np.uint32 if labels.size < 2**32 else np.uint64)
    boxes = np.zeros((highest + 1, ndim, 2), np.int64)
    centroids = np.full((highest + 1, ndim), np.nan)
    background = _host.measure(labels == 0, None, ("area", "bbox", "centroid"), None, None)
    for at, found in ((present, table), (slice(0, len(background["area"])), background)):
        counts[at] = found["area"]
        for axis in range(ndim):
            boxes[at, axis, 0], boxes[at, axis, 1] = found[f"bbox-{axis}"], found[f"bbox-{axis + ndim}"] - 1
            centroids[at, axis] = found[f"centroid-{axis}"]
    if turned:
        boxes, centroids = boxes[:, ::-1], np.ascontiguousarray(centroids[:, ::-1])
    missing = np.flatnonzero(counts == 0)
    if no_slice_conversion:
        type_ = np.uint16 if max(labels.shape, default=0) < 2**16 else np.uint32
        boxes = boxes.astype(type_)
        boxes[missing] = np.iinfo(type_).max, 0
        return {"voxel_counts": counts, "bounding_boxes": boxes.reshape(-1, 2 * ndim), "centroids": centroids}
    slices = [map(slice, boxes[:, axis, 0].tolist(), (boxes[:, axis, 1] + 1).tolist()) for axis in range(ndim)]
    boxes = list(zip(*slices))
    for label in missing.tolist():
        boxes[label] = None
    return {"voxel_counts": counts, "bounding_boxes": boxes, "centroids": centroids}


def _sizes_of(labels, count):
    return np.bincount(labels.reshape(-1, order="A"), minlength=int(count) + 1)


_CLEANED = frozenset(map(np.dtype, "?bBhHiIlLqQfd"))


def _size(size) -> int:
    """Returns a size rounded up to an integer of 64 bits."""
    return int(min(max(np.ceil(size), 0), 2.0**63))


def dust(
    img: Any,
    threshold: Any,
    connectivity: int = 26,
    in_place: bool = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
    invert: bool = False,
    return_N: bool = False,
) -> Any:
    """Remove components with fewer elements than `threshold`, or outside its range; as ``cc3d.dust``."""
    low, high = threshold if isinstance(threshold, (tuple, list)) else (threshold, np.inf)
    image = img if in_place else np.copy(img)
    array, _ = _in_c_order(image)
    is_mask = array.dtype == np.bool_ or (binary_image and array.dtype.kind == "u")
    fits = 1 <= array.ndim <= 3 and array.flags.c_contiguous and array.dtype in _CLEANED and (is_mask or not binary_image)
    fits = fits and (array.dtype.kind in "bu" or (array.dtype.kind == "i" and array.min(initial=0) >= 0))
    if fits and not (precomputed_ccl or invert):
        kept, _ = _core.clean(
            array, array, _number(connectivity, array.ndim), not is_mask, False, 0, _size(low), _size(high - 1), 0, False, None,
        )  # fmt: skip
        return (image, kept) if return_N else image
    if precomputed_ccl:
        labels, count = image, int(image.max(initial=0))
    else:
        labels, count = connected_components(img, connectivity=connectivity, return_N=True, binary_image=binary_image)
    sizes = _sizes_of(labels, count)
    removed = ~((low <= sizes) & (sizes < high))
    removed[0] = False
    number = int(removed.sum())
    if invert:
        removed = ~removed
        removed[0] = True
        number = count - number
    image[removed[labels]] = 0
    return (image, count - number) if return_N else image


def largest_k(
    img: Any,
    k: int,
    connectivity: int = 26,
    delta: float = 0,
    return_N: bool = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
) -> Any:
    """Keep the k largest components, numbered by size from the smallest; as ``cc3d.largest_k``.

    The order of components of equal size is undefined, as in cc3d.
    """
    assert k >= 0
    if k == 0:
        return np.zeros(img.shape, np.uint16, order="C" if img.flags.c_contiguous else "F")
    if precomputed_ccl:
        labels, count = np.copy(img, order="K"), int(img.max(initial=0))
    else:
        labels, count = connected_components(img, connectivity=connectivity, return_N=True, delta=delta, binary_image=binary_image)
    if count > k:
        sizes = _sizes_of(labels, count)[1:]
        if k == 1:
            labels, count = labels == np.argmax(sizes) + 1, 1
        else:
            kept = np.sort(np.argpartition(sizes, len(sizes) - k)[-k:])
            kept = kept[np.argsort(sizes[kept], kind="stable")] + 1
            map_ = np.zeros(count + 1, labels.dtype)
            map_[kept] = np.arange(1, k + 1)
            labels, count = map_[labels], k
    return (labels, count) if return_N else labels


def contacts(
    labels: Any, connectivity: int = 26, surface_area: bool = True, anisotropy: Sequence[float] = (1, 1, 1)
) -> dict[tuple[int, int], float]:
    """Return the labels that touch, with contact areas or numbers of neighbors; as ``cc3d.contacts``."""
    labels, turned = _in_c_order(as_host(labels))
    ndim = labels.ndim
    number = _number(connectivity, ndim)
    found = _host.contacts(labels, None if ndim == 1 else number, None)
    sizes = np.asarray(anisotropy, float)[: ndim if ndim > 1 else 3]
    faces = [found[f"faces-{axis}"] for axis in range(ndim)][:: -1 if turned else 1]
    if surface_area:
        values = sum(count * (np.prod(sizes) / size) for count, size in zip(faces, sizes))
    else:
        values = (sum(faces) + found["edges"] + found.get("corners", 0)).astype(float if ndim == 1 else int)
    return dict(zip(zip(found["label_a"].tolist(), found["label_b"].tolist()), np.asarray(values).tolist()))


def region_graph(labels: Any, connectivity: int = 26) -> set[tuple[int, int]]:
    """Return the pairs of labels that touch; as ``cc3d.region_graph``."""
    return set(contacts(labels, connectivity))


def __getattr__(name: str) -> Any:
    return original(name, __name__, "cc3d")
