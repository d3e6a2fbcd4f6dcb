"""``cc3d`` (connected-components-3d): ``import gpuccl.compat.cc3d as cc3d``.

Labels have the numbers of cc3d, which follow the order of memory: Fortran-ordered arrays are scanned with the first axis
fastest, and results are Fortran-ordered, too. The type of labels is the smallest of uint16, uint32 and uint64 that
holds all of them; cc3d's own guess may be wider. Results differ where cc3d 4.1's are not those of its documentation:
in images of two axes by 8-connectivity (labels of background, neighbors apart with a delta) and of values with
``binary_image=True`` by 4-connectivity; ``contacts(surface_area=False)`` by 26-connectivity, which counts pairs across
the edges of axes 1 and 2 twice.

Other names, such as ``each``, are cc3d's own.
"""

from __future__ import annotations

import numpy as np

from .. import _core, _host
from .._kinds import as_host

__all__ = ["connected_components", "statistics", "dust", "largest_k", "contacts", "region_graph"]

_NEIGHBORS = {1: {4: 8, 6: 8, 8: 8, 18: 8, 26: 8}, 2: {4: 4, 6: 4, 8: 8, 18: 8, 26: 8}, 3: {6: 6, 18: 18, 26: 26}}


def _number(connectivity: int, ndim: int) -> int:
    number = _NEIGHBORS.get(ndim, {}).get(connectivity)
    if number is None:
        raise ValueError(f"connectivity {connectivity} of an array of {ndim} axes is not supported")
    return number


def _in_c_order(array: np.ndarray) -> tuple[np.ndarray, bool]:
    """The array as it is in memory, and whether its axes were turned around for that."""
    turned = not array.flags.c_contiguous and array.flags.f_contiguous
    return (array.T if turned else array), turned


def connected_components(
    data,
    max_labels=-1,
    connectivity=26,
    return_N=False,
    delta=0,
    out_dtype=None,
    out_file=None,
    periodic_boundary=False,
    binary_image=False,
):
    """Label an image of two or three axes; as ``cc3d.connected_components``."""
    if out_file is not None:
        return _cc3d().connected_components(
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
        array = array > 0
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    if array.size == 0:
        labels = np.zeros(array.shape, out_dtype or np.uint16)
        count = 0
    else:
        periodic = [periodic_boundary and size > 1 for size in reversed(array.shape)]
        labels = np.empty(array.shape, np.uint32)
        count, _ = _core.label(
            array, labels, number, not binary, float(delta), (periodic + [False, False])[:3], -1, [],
            [0.0, 0.0, 0.0], None,
        )  # fmt: skip
        if binary and number == 8:
            labels = _number_by_blocks(labels, count)
        type_ = out_dtype or (np.uint16 if count < 2**16 else np.uint32)
        if count > np.iinfo(type_).max:
            raise ValueError(f"{count} labels do not fit {np.dtype(type_)}")
        labels = labels.astype(type_, copy=False)
    labels = labels.T if turned else labels
    return (labels, count) if return_N else labels


def _number_by_blocks(labels, count):
    """Numbers in the order in which blocks of 2x2 elements are met, as cc3d scans masks by 8-connectivity."""
    if labels.ndim != 2 or count == 0:
        return labels
    blocks = np.pad(labels, [(0, size % 2) for size in labels.shape])
    blocks = blocks.reshape(blocks.shape[0] // 2, 2, blocks.shape[1] // 2, 2).max(axis=(1, 3)).reshape(-1)
    first = np.empty(count + 1, np.int64)
    first[blocks[::-1]] = np.arange(len(blocks))[::-1]  # the first is written last
    map_ = np.zeros(count + 1, labels.dtype)
    map_[np.argsort(first[1:]) + 1] = np.arange(1, count + 1)
    return map_[labels]


def statistics(out_labels, no_slice_conversion=False):
    """Voxel counts, bounding boxes and centroids of labels; as ``cc3d.statistics``."""
    labels = as_host(out_labels)
    if labels.dtype == np.bool_:
        labels = labels.view(np.uint8)
    ndim = labels.ndim
    table = _host.measure(labels, None, ("label", "area", "bbox", "centroid"), None, None)
    highest = int(table["label"].max(initial=0))
    if highest > labels.size:
        raise ValueError("labels are at most as large as there are voxels")
    counts = np.zeros(highest + 1, np.uint32 if labels.size < 2**32 else np.uint64)
    counts[table["label"]] = table["area"]
    centroids = np.full((highest + 1, ndim), np.nan)
    lows = np.full((highest + 1, ndim), -1, np.int64)
    highs = np.full((highest + 1, ndim), -1, np.int64)
    for axis in range(ndim):
        centroids[table["label"], axis] = table[f"centroid-{axis}"]
        lows[table["label"], axis] = table[f"bbox-{axis}"]
        highs[table["label"], axis] = table[f"bbox-{ndim + axis}"]
    background = _host.measure((labels == 0).view(np.uint8), None, ("area", "bbox", "centroid"), None, None)
    if len(background["area"]):
        counts[0] = background["area"][0]
        for axis in range(ndim):
            centroids[0, axis] = background[f"centroid-{axis}"][0]
            lows[0, axis], highs[0, axis] = background[f"bbox-{axis}"][0], background[f"bbox-{ndim + axis}"][0]
    if no_slice_conversion:
        type_ = np.uint16 if max(labels.shape, default=0) < 2**16 else np.uint32
        boxes = np.empty((highest + 1, 2 * ndim), type_)
        missing = highs < 0
        boxes[:, 0::2] = np.where(missing, np.iinfo(type_).max, lows)
        boxes[:, 1::2] = np.where(missing, 0, highs - 1)
    else:
        boxes = [
            None if high[0] < 0 else tuple(map(slice, low, high)) for low, high in zip(lows.tolist(), highs.tolist())
        ]
    return {"voxel_counts": counts, "bounding_boxes": boxes, "centroids": centroids}


def _sizes_of(labels, count):
    return np.bincount(labels.reshape(-1, order="A"), minlength=int(count) + 1)


def dust(
    img,
    threshold,
    connectivity=26,
    in_place=False,
    binary_image=False,
    precomputed_ccl=False,
    invert=False,
    return_N=False,
):
    """Remove components of fewer elements than `threshold`, or outside of it; as ``cc3d.dust``."""
    image = img if in_place else np.copy(img)
    if precomputed_ccl:
        labels, count = image, int(image.max(initial=0))
    else:
        labels, count = connected_components(img, connectivity=connectivity, return_N=True, binary_image=binary_image)
    sizes = _sizes_of(labels, count)
    low, high = threshold if isinstance(threshold, (tuple, list)) else (threshold, np.inf)
    removed = ~((low <= sizes) & (sizes < high))
    removed[0] = False
    number = int(removed.sum())
    if invert:
        removed = ~removed
        removed[0] = True
        number = count - number
    image[removed[labels]] = 0
    return (image, count - number) if return_N else image


def largest_k(img, k, connectivity=26, delta=0, return_N=False, binary_image=False, precomputed_ccl=False):
    """The k largest components, numbered by size from the smallest of them; as ``cc3d.largest_k``.

    Which of several of one size are kept, and how they follow each other, is not said by cc3d, either.
    """
    assert k >= 0
    if k == 0:
        return np.zeros(img.shape, np.uint16, order="C" if img.flags.c_contiguous else "F")
    if precomputed_ccl:
        labels, count = np.copy(img, order="K"), int(img.max(initial=0))
    else:
        labels, count = connected_components(
            img, connectivity=connectivity, return_N=True, delta=delta, binary_image=binary_image
        )
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


def contacts(labels, connectivity=26, surface_area=True, anisotropy=(1, 1, 1)):
    """Which labels touch, and their contact area or number of neighboring elements; as ``cc3d.contacts``."""
    labels = as_host(labels)
    ndim = labels.ndim
    found = _host.contacts(labels, _number(connectivity, ndim), None)
    pairs = zip(found["label_a"].tolist(), found["label_b"].tolist())
    sizes = np.asarray(anisotropy, float)[:ndim]
    faces = [found[f"faces-{axis}"] for axis in range(ndim)]
    if surface_area:
        values = sum(count * (np.prod(sizes) / size) for count, size in zip(faces, sizes))
    else:
        values = sum(faces) + found["edges"] + found.get("corners", 0)
    return dict(zip(pairs, np.asarray(values).tolist()))


def region_graph(labels, connectivity=26):
    """The pairs of labels that touch; as ``cc3d.region_graph``."""
    return set(contacts(labels, connectivity))


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_cc3d(), name)


def _cc3d():
    import cc3d

    return cc3d
