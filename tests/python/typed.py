"""Code of users, for the checkers of types; test_types.py runs them on it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import gpuccl
import gpuccl.dask
from gpuccl.compat import cc3d, scipy, skimage

mask: NDArray[np.bool_] = np.eye(3, dtype=np.bool_)
segmentation: NDArray[np.int64] = np.arange(9).reshape(3, 3)

labels, n = gpuccl.label(mask)
more: int = n + int(labels.max())
labels, n = gpuccl.label(mask, 1, out=np.empty(mask.shape, np.int32), periodic=(0, 1))
labels, n, table = gpuccl.label(mask, stats=True, spacing=(0.5, 0.5), properties=["area"])
area: NDArray[Any] = table["area"]
labels, counts = gpuccl.label(np.stack([mask, mask]), batch=True)
total = int(counts.sum())
result = gpuccl.label(mask, stats=bool(total))
labels_of_list, n = gpuccl.label([[1, 0], [0, 1]], values=True, delta=0.5)

cells: dict[str, NDArray[Any]] = gpuccl.measure(segmentation, mask, ("label", "intensity_mean"), spacing=np.array([1.0, 2.0]))
cleaned = gpuccl.clean(mask, min_size=5, fill_holes=True, seeds=mask)
pairs: dict[str, NDArray[Any]] = gpuccl.contacts(segmentation, 1)
scores = gpuccl.match(segmentation, segmentation)
f1 = float(scores["matching"][0]["f1"])
scores, overlaps = gpuccl.match(segmentation, segmentation, (0.5, 0.7), pairs=True)
iou: NDArray[Any] = overlaps["iou"]
path: str = gpuccl.program()
version: str = gpuccl.__version__

theirs = cc3d.connected_components(mask, connectivity=8)
theirs, count = cc3d.connected_components(mask, return_N=True)
boxes = cc3d.statistics(theirs)["bounding_boxes"]
each = list(cc3d.each(theirs))
theirs, count = scipy.label(mask)
regions = skimage.label(mask)
columns = skimage.regionprops_table(regions, properties=("label",))
gpuccl.free_memory()
