"""Removal of components in the memory of a GPU, for PyTorch and CuPy."""

from __future__ import annotations

import math

from . import _device
from ._host import checked_sizes
from ._kinds import need_cuda, pixels

_COMPLEMENTARY = {2: 2, 4: 8, 8: 4, 6: 26, 18: 6, 26: 6}


class _Components:
    """Components of a mask or of values, with their sizes. Arrays have an entry for each component."""

    def __init__(self, array, number: int, values: bool):
        connectivity = number if array.ndim > 1 else None
        self.labels, self.count, self._table = _device.label(
            array, connectivity, values, 0, False, None, None, None, ("area", "bbox"), None
        )
        self.area, self._number = self._table["area"], number

    def at_border(self):
        """Returns which components touch the border, in 2D that of the slice."""
        ndim, shape = self.labels.ndim, self.labels.shape
        border = self.area < 0
        for i in range(ndim):
            if ndim == 3 and i == 0 and self._number in (4, 8):
                continue
            border |= (self._table[f"bbox-{i}"] == 0) | (self._table[f"bbox-{i + ndim}"] == shape[i])
        return border

    def drawn(self, library, keep):
        """Returns the mask of the components that are kept."""
        if not self.count:
            return self.labels > 0
        entries = library.concatenate((self.area[:1] < 0, keep))
        mask = library.empty_like(self.labels, dtype=keep.dtype)
        if math.prod(self.labels.shape):
            _device.relabel(self.labels, entries, mask)
        return mask


def _is_set(array):
    return (array != 0) & (array == array)  # NaN is background


def clean(array, connectivity, values, per_value, largest, min_size, max_size, fill_holes, clear_border, seeds, out):
    need_cuda()
    kind = _device._kind_of(array)
    library = kind.library
    if library is None:
        raise TypeError("arrays of this library are not cleaned on a GPU; view them as CuPy or PyTorch arrays")
    if values is None:
        values = str(array.dtype) not in ("bool", "torch.bool")
    largest, min_size, max_size, fill_holes = checked_sizes(
        array.ndim, values, per_value, largest, min_size, max_size, fill_holes, clear_border
    )
    if per_value:
        raise ValueError("per_value is for arrays on the CPU")
    for name, other in (("seeds", seeds), ("out", out)):
        if other is not None and type(_device._kind_of(other)) is not type(kind):
            raise TypeError(f"{name}= is an array of another library than the input")
        if other is not None and tuple(other.shape) != tuple(array.shape):
            raise ValueError(f"{name}= has another shape than the array")
    if out is not None and out.dtype != array.dtype:
        raise ValueError(f"out= is of {out.dtype}, the array of {array.dtype}")
    number = pixels(connectivity, array.ndim)
    with kind.use(array, kind.find_stream(array)):
        base, mask = array, array
        if fill_holes:
            is_set = _is_set(array)
            holes = _Components(~is_set, _COMPLEMENTARY[number], False)
            mask = is_set | holes.drawn(library, ~holes.at_border() & (holes.area <= min(fill_holes, 2**63 - 1)))
            base = library.where(is_set, array, library.ones_like(array))
        found = _Components(mask, number, values)
        keep = (found.area >= min(min_size, 2**63 - 1)) & (found.area <= min(max_size, 2**63 - 1))
        if clear_border:
            keep &= ~found.at_border()
        if seeds is not None and found.count:
            seeded = library.concatenate((keep[:1], keep)) & False
            seeded[found.labels[_is_set(seeds)]] = True
            keep &= seeded[1:]
        if largest:
            first = keep & False
            first[kind.descending(found.area * keep)[:largest]] = True
            keep &= first
        result = found.drawn(library, keep)
        if result.dtype != base.dtype:
            result = library.where(result, base, library.zeros_like(base))
        if out is None:
            return result
        out[...] = result
        return out
