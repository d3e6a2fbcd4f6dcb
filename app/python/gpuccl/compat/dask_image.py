"""``dask_image.ndmeasure.label``: ``from gpuccl.compat.dask_image import label``.

Labels are int32, in raster order. Arrays with more than three axes, structures other than those of
``generate_binary_structure``, and arrays of 2**31 elements or more are passed on to dask-image.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dask
from . import original
from .scipy import reach_of

__all__ = ["label"]

_NDMEASURE = "dask_image.ndmeasure"


def label(image: Any, structure: Any = None, wrap_axes: Any = None) -> tuple[Any, Any]:
    """Label features in a dask array; as ``dask_image.ndmeasure.label``. `n` is a dask array without axes."""
    import dask.array as da

    image = da.asarray(image)
    reach = reach_of(image, structure)
    if reach is None or image.dtype.kind not in "buif" or not 0 < image.size < 2**31:
        return original("label", __name__, _NDMEASURE)(image, structure, wrap_axes)
    axes = [axis for axis in wrap_axes or () if image.shape[axis] > 1]
    mask = image != 0 if image.dtype.kind == "f" else image  # NaN is labeled
    labels, count = dask.label(mask, reach, periodic=axes or None, lazy=True)
    return labels.astype(np.int32), count


def __getattr__(name: str) -> Any:
    return original(name, __name__, _NDMEASURE)
