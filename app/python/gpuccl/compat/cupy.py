"""``cupyx.scipy.ndimage.label``: ``from gpuccl.compat.cupy import label``.

Arrays with more than three axes, structures other than those of ``generate_binary_structure``, and outputs other than
int32 are passed on to CuPy.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from .. import label as label_array
from . import original
from .scipy import reach_of

__all__ = ["label"]

_CUPY = "cupyx.scipy.ndimage"


def label(input: Any, structure: Any = None, output: Any = None) -> Any:
    """Label features in an array; as ``cupyx.scipy.ndimage.label``."""
    given = isinstance(output, cupy.ndarray)
    type_ = np.int32 if output is None else output.dtype if given else np.dtype(output)
    reach = reach_of(input, structure) if isinstance(input, cupy.ndarray) and input.size else None
    takes = not given or (output.shape == input.shape and output.flags.c_contiguous)
    if reach is None or input.dtype.kind not in "buif" or type_ != np.int32 or not takes:
        return original("label", __name__, _CUPY)(input, structure, output)
    mask = input != 0 if input.dtype.kind == "f" else input  # NaN is labeled
    labels, count = label_array(mask, reach if input.ndim > 1 else None, out=output if given else None)
    return count if given else (labels, count)


def __getattr__(name: str) -> Any:
    return original(name, __name__, _CUPY)
