"""Removal of components in the memory of a GPU."""

from __future__ import annotations

import functools
import math

from . import _core, _device
from ._host import checked_sizes
from ._kinds import addresses, library_of, need_cuda, on_device, overlap, pixels

_MASK = -2  # of bytes, as in _device
_NOTHING = (0, 0, (0, 0))
#: What filled holes become, for elements that are not integers.
_ONES = {"f2": 0x3C00, "bf16": 0x3F80, "bf2": 0x3F80, "f4": 0x3F800000, "f8": 0x3FF << 52}


@functools.lru_cache(256)
def _cleaning(*conditions):
    return _core.Cleaning(*conditions)


class _Image:
    """An array whose elements the library can read or write, if necessary as a copy."""

    def __init__(self, kind, array, stream):
        address, self.device, shape, strides, code = kind.view(array, stream)
        size = 2 if code in ("bf16", "bf2") else int(code[1:])
        pitches = _device._pitches(shape, strides, size)
        if pitches is None:
            array = kind.contiguous(array)
            address, strides, pitches = kind.view(array, stream)[0], None, (0, 0)
        if size not in (1, 2, 4, 8) or code[0] == "c":
            raise TypeError(f"an array of {array.dtype} cannot be cleaned")
        self.array, self.address, self.pitches, self.code, self.size = array, address, pitches, code, size
        self.memory = addresses(address, shape, strides, code)

    @property
    def elements(self):
        """The array as unsigned integers of its elements' size."""
        return self.address, (1, 2, 4, 8).index(self.size), self.pitches

    @property
    def mask(self):
        return self.address, _MASK, self.pitches


def _mask_of(kind, image: _Image, stream) -> _Image:
    return image if image.code in ("b1", "u1", "i1") else _Image(kind, kind.nonzero(image.array), stream)


def clean(array, connectivity, values, per_value, largest, min_size, max_size, fill_holes, clear_border, seeds, out):
    need_cuda()
    kind = _device._kind_of(array)
    if values is None:
        values = str(array.dtype) not in ("bool", "torch.bool")
    largest, *sizes = checked_sizes(
        array.ndim, values, per_value, largest, min_size, max_size, fill_holes, clear_border
    )
    if per_value:
        raise ValueError("per_value is for arrays on the CPU")
    for name, other in (("seeds", seeds), ("out", out)):
        if other is not None and (not on_device(other) or library_of(other) != library_of(array)):
            raise TypeError(f"{name}= is not an array of the input's library on a GPU")
        if other is not None and tuple(other.shape) != tuple(array.shape):
            raise ValueError(f"{name}= has another shape than the array")
    if out is not None and library_of(out) in ("jax", "jaxlib"):
        raise TypeError("arrays of JAX are not written: out= is for other libraries")
    if out is not None and out.dtype != array.dtype:
        raise ValueError(f"out= is of {out.dtype}, the array of {array.dtype}")
    number = pixels(connectivity, array.ndim)
    stream = kind.find_stream(array)
    with kind.use(array, stream):
        source = _Image(kind, array, stream)
        if values:
            image = source
            if image.code not in _device.LABELS:
                raise TypeError(f"labels are integers, not {array.dtype}: convert them, or pass values=False for a mask")
            if image.code[0] == "i":  # as on the CPU, negative ones are background
                image = _Image(kind, kind.positive(image.array), stream)
            type_ = _device.value_type(image.code)
            view = (image.address, type_, image.pitches)
        else:
            image, type_ = _mask_of(kind, source, stream), _MASK
            view = image.mask
            if sizes[2] and source.code in _ONES:  # numbers that are 0 or NaN become 1
                source = _Image(kind, kind.where(image.array, source.array, 1), stream)
        marked = None if seeds is None else _mask_of(kind, _Image(kind, seeds, stream), stream)
        if marked is not None and marked.device != source.device:
            raise ValueError(f"arrays are on the devices {source.device} and {marked.device}")
        target = None if out is None else _target(kind, out, source, [source, image, marked], stream)
        result = kind.like(array) if target is None else out
        address, pitches = target or (kind.address(result), (0, 0))
        written = (address, source.elements[1], pitches)
        if math.prod(array.shape):
            cleaning = _cleaning(
                number, type_, (array.shape[-1], *reversed(array.shape[:-1]), 1, 1)[:3], (sizes[2], *sizes[:2]),
                min(largest, 2**32 - 1), bool(clear_border), marked is not None,
            )  # fmt: skip
            workspace, at = kind.workspace(max(256, cleaning.workspace_bytes), array)
            cleaning.clean(
                source.device, stream, view, marked.mask if marked else _NOTHING, source.elements,
                _ONES.get(source.code, 1), written, at,
            )  # fmt: skip
        if isinstance(result, _device.DeviceArray):  # kernels may still read the others
            result.hold((image, source, marked))
        if target is not None:
            if isinstance(out, _device.DeviceArray):
                out.mark_ready(stream)
            return out
        result = kind.finish_like(result, array)
        if out is None:
            return result
        out[...] = result
        return out


def _target(kind, out, source, images, stream):
    """Returns address and pitches of ``out=``, or none if the result is copied there, because they do not fit or overlap."""
    address, device, shape, strides, code = kind.view(out, stream)
    _device.check_out(kind, out, device, source.device)
    memory = addresses(address, shape, strides, code)
    pitches = _device._pitches(shape, strides, source.size)
    if pitches is not None and not any(one and overlap(memory, one.memory) for one in images):
        return address, pitches
    if not hasattr(out, "__setitem__"):
        raise TypeError(f"{type(out).__name__} cannot be assigned to, and overlaps an input or has strides: use another array as out=")
    return None
