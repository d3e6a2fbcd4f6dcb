"""Labeling in the memory of a GPU, in the order of a stream.

A kind of array is described by a class with these functions, so that results, counts and workspaces come from the
library that the array is of, and stay in the order of its streams:

    find_stream(array)          the stream whose work an array waits for
    is_current(array)           whether use() with that stream changes nothing
    use(array, stream)          allocates and computes in that stream, as a context manager
    view(array, stream)         (address, device, shape, strides in bytes, typestr); no strides: without padding
    empty(shape, type, array)   a new array, i4, i8, u1 or f8
    like(array)                 a new C-contiguous array of the shape and type of another
    where(mask, array, number)  an array with the number where the mask is 0
    positive(array)             an array of integers with 0 for negative ones
    address(array)              of an array that empty() made
    workspace(bytes, array)     (owner, address) of memory for one call
    count_type()                i4 or i8, of the count of one image
    nonzero(array), widen(array), contiguous(array)
    finish(array)               what the caller gets
    finish_like(array, other)   what the caller gets of like(other)
    column(array)               what the caller gets of a table
    copy(array)                 a copy of that
    f8                          the type of floating-point numbers
    host(array)                 a NumPy array
    real(array)                 an array of f8
    ranks(array)                the values that occur, and an array of their indices
    integers(array)             an array of i8
"""

from __future__ import annotations

import contextlib
import functools
import math

import numpy as np

from . import _core
from ._host import check_match, contact_table, images_of, match_result
from ._kinds import addresses, library_of, need_cuda, on_device, pixels, refuse_overlap
from ._measures import WHOLE, Columns, check_intensity, columns_of, measure_channels

_VALUE_TYPES = {
    code: i for i, code in enumerate(("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"))
}
#: Type codes of label images.
LABELS = frozenset(code for code in ("b1", *_VALUE_TYPES) if code[0] != "f")
_BITS, _BYTES = -1, -2


def value_type(code: str) -> int:
    """Returns the ValueType of a type code."""
    type_ = _VALUE_TYPES.get("u1" if code == "b1" else code)
    if type_ is None:
        raise TypeError(f"values of {code} cannot be labeled")
    return type_


_NOTHING = contextlib.nullcontext()

#: Bytes of a DeviceComponent of gpuccl/device.hpp.
_COMPONENT = 64


def handle_of(stream) -> int:
    """The address of a stream: of an integer, or one of CuPy, PyTorch, Numba or anything with __cuda_stream__."""
    if isinstance(stream, int):
        return stream
    for name in ("ptr", "cuda_stream"):
        if isinstance(found := getattr(stream, name, None), int):
            return found
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return (protocol() if callable(protocol) else protocol)[1]
    if hasattr(stream, "handle"):
        return int(getattr(stream.handle, "value", stream.handle) or 0)
    raise TypeError(f"stream is an integer or a stream of CUDA, not {type(stream).__name__}")


class _Torch:
    def __init__(self):
        import torch

        self.torch = torch
        self.codes = {
            torch.bool: "b1", torch.uint8: "u1", torch.int8: "i1", torch.int16: "i2", torch.int32: "i4",
            torch.int64: "i8", torch.float16: "f2", torch.bfloat16: "bf16", torch.float32: "f4", torch.float64: "f8",
        }  # fmt: skip
        for name, code in (("uint16", "u2"), ("uint32", "u4"), ("uint64", "u8")):
            if hasattr(torch, name):
                self.codes[getattr(torch, name)] = code
        self.types = {"i4": torch.int32, "i8": torch.int64, "u1": torch.uint8, "f8": torch.float64}
        self.new, self.byte, self.f8 = torch.empty, torch.uint8, torch.float64
        # Without the Stream object, which takes longer to make than labels of a small image.
        self.current = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
            lambda device: torch.cuda.current_stream(device).cuda_stream
        )

    def find_stream(self, array) -> int:
        return self.current(array.get_device())

    def is_current(self, array) -> bool:
        return True  # memory comes from the current stream of the array's device

    def use(self, array, stream: int):
        if stream == self.find_stream(array):
            return _NOTHING
        cuda = self.torch.cuda
        return cuda.stream(cuda.ExternalStream(stream, device=array.device))

    def view(self, array, stream):
        code = self.codes.get(array.dtype)
        if code is None:
            raise TypeError(f"an array of {array.dtype} cannot be labeled")
        strides = None
        if not array.is_contiguous():
            each = array.element_size()
            strides = tuple(stride * each for stride in array.stride())
        return array.data_ptr(), array.get_device(), array.shape, strides, code

    def empty(self, shape, code, array):
        return self.new(shape, dtype=self.types[code], device=array.device)

    def address(self, array) -> int:
        return array.data_ptr()

    def count_type(self) -> str:
        return "i8"

    def workspace(self, bytes_, array):
        memory = self.new((bytes_,), dtype=self.byte, device=array.device)
        return memory, memory.data_ptr()

    def nonzero(self, array):
        return array.abs() > 0 if array.is_floating_point() else array != 0  # NaN is background

    def widen(self, array):
        return array.float()

    def contiguous(self, array):
        return array.contiguous()

    def finish(self, array):
        return array

    def column(self, array):
        return array

    def copy(self, array):
        return array.clone()

    def host(self, array):
        return array.cpu().numpy()

    def real(self, array):
        return array.double()

    def integers(self, array):
        return array.long()

    def like(self, array):
        return self.new(array.shape, dtype=array.dtype, device=array.device)

    def positive(self, array):
        return array.clamp(min=0)

    def where(self, mask, array, number):
        return self.torch.where(mask != 0, array, number)

    def finish_like(self, array, other):
        return array

    def ranks(self, array):
        values, indices = self.torch.unique(array, return_inverse=True)
        return values.long(), indices


class _CuPy:
    def __init__(self):
        import cupy

        self.cupy = cupy
        self.types = {code: np.dtype(code) for code in ("i4", "i8", "u1", "f8")}
        self.new, self.allocate, self.f8 = cupy.ndarray, cupy.cuda.alloc, np.float64
        self.current, self.device = cupy.cuda.get_current_stream, cupy.cuda.runtime.getDevice

    def find_stream(self, array) -> int:
        return self.current(array.data.device_id).ptr

    def is_current(self, array) -> bool:
        return self.device() == array.data.device_id

    @contextlib.contextmanager
    def _in(self, device, stream):
        with self.cupy.cuda.Device(device), self.cupy.cuda.ExternalStream(stream, device):
            yield

    def use(self, array, stream: int):
        device = array.data.device_id
        if self.device() == device and self.current().ptr == stream:
            return _NOTHING
        return self._in(device, stream)

    def view(self, array, stream):
        data = array.data
        strides = None if array.flags.c_contiguous else array.strides
        return data.ptr, data.device_id, array.shape, strides, array.dtype.str[1:]

    def empty(self, shape, code, array):
        return self.new(shape, self.types[code])

    def address(self, array) -> int:
        return array.data.ptr

    def count_type(self) -> str:
        return "i8"

    def workspace(self, bytes_, array):
        memory = self.allocate(bytes_)
        return memory, memory.ptr

    def nonzero(self, array):
        return abs(array) > 0 if array.dtype.kind == "f" else array != 0  # NaN is background

    def widen(self, array):
        return array.astype(self.cupy.float32)

    def contiguous(self, array):
        return self.cupy.ascontiguousarray(array)

    def finish(self, array):
        return array

    def column(self, array):
        return array

    def copy(self, array):
        return array.copy()

    def host(self, array):
        return array.get()

    def real(self, array):
        return array.astype(np.float64)

    def integers(self, array):
        return array.astype(np.int64)

    def like(self, array):
        return self.new(array.shape, array.dtype)

    def positive(self, array):
        return self.cupy.maximum(array, 0)

    def where(self, mask, array, number):
        return self.cupy.where(mask != 0, array, array.dtype.type(number))

    def finish_like(self, array, other):
        return array

    def ranks(self, array):
        values, indices = self.cupy.unique(array, return_inverse=True)
        return values.astype(np.int64), indices.reshape(array.shape)


class DeviceArray:
    """A C-contiguous array on a GPU, for libraries that import one by DLPack.

    It has ``__dlpack__`` and ``__cuda_array_interface__``; whoever takes it waits for the stream that writes it.
    """

    def __init__(self, shape, code: str, device: int, stream: int, input=None):
        self._input = input  # what may still be read when the caller has dropped it
        self.shape, self.ndim = tuple(shape), len(shape)
        self.dtype = np.dtype(code)
        self.device = device
        self._stream = stream
        # At least a count of 64 bits, whose lower half an array of 32 bits shows.
        self._memory = _core.Memory(device, max(8, math.prod(self.shape) * self.dtype.itemsize), stream)

    @property
    def address(self) -> int:
        return self._memory.address

    def hold(self, inputs) -> None:
        self._input = (self._input, inputs)

    def mark_ready(self) -> None:
        self._memory.mark_ready()

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if stream != -1:
            # 0 is not told from none by all: the default stream of the process.
            self._memory.let_wait(1 if stream in (None, 0) else handle_of(stream))
        owner = (self._memory, self._input)
        return _core.as_dlpack(owner, self.address, self.device, list(self.shape), self.dtype.kind, self.dtype.itemsize * 8)

    @property
    def __cuda_array_interface__(self) -> dict:
        return {
            "shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3,
            "strides": None, "stream": self._stream or 1,
        }  # fmt: skip

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        count = math.prod(self.shape) * self.dtype.itemsize
        host = np.frombuffer(_core.read(self.device, self.address, count, self._stream), self.dtype)
        return host.reshape(self.shape).astype(dtype or self.dtype)

    def __int__(self) -> int:
        return int(self.__array__())

    __index__ = __int__


class _Other:
    """An array with DLPack (JAX) or __cuda_array_interface__ (Numba)."""

    #: A stream that does not wait for all others, as the process's default stream does.
    PER_THREAD = 2

    def __init__(self, is_jax: bool):
        self.is_jax = is_jax
        self.capsule = None
        if is_jax:
            import jax

            self.dtype_of, self.from_dlpack = jax.dtypes.canonicalize_dtype, jax.dlpack.from_dlpack

    def find_stream(self, array) -> int:
        return self.PER_THREAD

    def is_current(self, array) -> bool:
        return False

    def use(self, array, stream):
        self.stream = stream
        return _NOTHING

    def view(self, array, stream):
        interface = None if self.is_jax else getattr(array, "__cuda_array_interface__", None)
        if interface is not None:
            before = interface.get("stream")
            address = interface["data"][0]
            shape, strides, code = tuple(interface["shape"]), interface.get("strides"), interface["typestr"]
            if code[0] == ">":
                raise TypeError("an array in this machine's byte order is needed")
            self.device = getattr(getattr(array, "device", None), "id", None)
            if not isinstance(self.device, int):
                self.device = array.__dlpack_device__()[1] if hasattr(array, "__dlpack_device__") else 0
            if before is not None:
                _core.wait_for(self.device, stream, before)
            return address, self.device, shape, strides, code[1:]
        self.capsule = array.__dlpack__(stream=stream)
        address, self.device, shape, strides, kind, bits = _core.look_at(self.capsule)
        code = {0: "i", 1: "u", 2: "f", 6: "b"}.get(kind, "bf" if kind == 4 else None)
        if code is None:
            raise TypeError("an array of bool, integers or floating-point numbers is needed")
        return address, self.device, shape, tuple(s * bits // 8 for s in strides), f"{code}{bits // 8}"

    def empty(self, shape, code, array):
        return DeviceArray(shape, code, self.device, self.stream, (array, self.capsule))

    def count_type(self) -> str:
        # JAX makes 32 bits of 64, by a kernel, unless it is told otherwise.
        return "i4" if self.is_jax and self.dtype_of(np.int64) == np.int32 else "i8"

    def address(self, array) -> int:
        return array.address

    def workspace(self, bytes_, array):
        memory = self.empty((bytes_,), "u1", array)
        return memory, memory.address

    def nonzero(self, array):
        if not hasattr(type(array), "__ne__") or not self.is_jax:
            raise TypeError("an array of bool or uint8, C-contiguous along its last axis, is needed")
        return (array < 0) | (array > 0)  # NaN is background

    def widen(self, array):
        if not self.is_jax:
            raise TypeError("values of half precision: convert them to float32")
        return array.astype("float32")

    def contiguous(self, array):
        if not self.is_jax:
            raise TypeError("an array that is C-contiguous is needed")
        return array.copy()

    def finish(self, array):
        array.mark_ready()
        return self.from_dlpack(array) if self.is_jax else array

    def like(self, array):
        size = np.dtype(array.dtype).itemsize
        return self.empty(array.shape, f"i{size}" if self.is_jax else np.dtype(array.dtype).str[1:], array)

    def positive(self, array):
        if not self.is_jax:
            raise TypeError("labels of this library are cleaned if they are unsigned")
        import jax

        return jax.numpy.maximum(array, 0)

    def where(self, mask, array, number):
        import jax  # nonzero() has refused other libraries

        return jax.numpy.where(mask != 0, array, array.dtype.type(number))

    def finish_like(self, array, other):
        finished = self.finish(array)
        if not self.is_jax:
            return finished
        import jax

        return finished != 0 if other.dtype == bool else jax.lax.bitcast_convert_type(finished, other.dtype)

    def column(self, array):
        return np.asarray(array)

    copy, host, real, f8 = np.copy, column, np.float64, np.float64

    def integers(self, array):
        if not self.is_jax:
            raise TypeError("labels of 16, 32 or 64 bits are needed")
        return array.astype(self.dtype_of(np.int64))

    def ranks(self, array):
        if not self.is_jax:
            raise TypeError("sparse labels of this library are not measured: view them as CuPy or PyTorch do")
        import jax

        values, indices = jax.numpy.unique(array, return_inverse=True)
        return np.asarray(values).astype(np.int64), indices.reshape(array.shape)


@functools.cache
def _known(type_):
    library = type_.__module__.partition(".")[0]
    return {"torch": _Torch, "cupy": _CuPy}[library]() if library in ("torch", "cupy") else None


def _kind_of(array):
    return _known(type(array)) or _Other(library_of(array) in ("jax", "jaxlib"))


def _pitches(shape, strides, each: int):
    """Pitches of rows and slices, in bytes; None if elements do not follow each other as the library needs it."""
    if strides is None:
        return 0, 0
    width = shape[-1]
    strides = strides[-len(shape) :]
    if width > 1 and strides[-1] != each:
        return None
    row = 0
    if len(shape) > 1 and shape[-2] > 1:
        row = strides[-2]
        if row < width * each:
            return None
    slice_ = 0
    if len(shape) > 2 and shape[-3] > 1:
        slice_ = strides[-3]
        if slice_ < (row or width * each) * max(1, shape[-2]):
            return None
    return row, slice_


class _Plan:
    """How arrays of one shape, layout and type are labeled."""

    __slots__ = ("convert", "native", "workspace_bytes", "out_shape", "images", "ndim", "extent", "number")


@functools.lru_cache(1024)
def _plan(shape, strides, code, connectivity, values, delta, batch, packed_width, out_strides, converted) -> _Plan:
    """Returns the plan. If its `convert` is not None, that function of the kind of array comes first, then another plan."""
    plan = _Plan()
    plan.convert = None
    plan.images, each_shape = images_of(shape) if batch else (1, shape)
    ndim = plan.ndim = len(each_shape)
    number = pixels(connectivity, ndim)
    if values:
        if code in ("f2", "bf16", "bf2"):
            plan.convert = "widen"
            return plan
        type_ = value_type(code)
    else:
        type_ = _BYTES if packed_width is None else _BITS
        if code not in ("b1", "u1", "i1"):
            if packed_width is not None:
                raise TypeError("packed bits are an array of uint8")
            plan.convert = "nonzero"
            return plan
    size = int(code[1:])
    pitches = _pitches(each_shape, strides, size)
    if pitches is None:
        if converted != "contiguous":
            plan.convert = "contiguous"
            return plan
        pitches = (0, 0)  # of axes of one element
    extent = (each_shape[-1], *reversed(each_shape[:-1]))
    plan.out_shape = tuple(shape)
    if packed_width is not None:
        if extent[0] != (packed_width + 7) // 8:
            raise ValueError("packed_width does not fit the last axis, which has a byte for 8 elements")
        extent = (packed_width, *extent[1:])
        plan.out_shape = (*shape[:-1], packed_width)
    if max(extent, default=0) >= 2**31:
        raise ValueError("an axis has 2^31 elements or more")
    label_pitches = _pitches(plan.out_shape[-ndim:], out_strides, 4)
    if label_pitches is None:
        raise ValueError("out= has elements of a row that do not follow each other")
    image_pitch = labels_pitch = 0
    if batch:
        image_pitch = strides[0] if strides else math.prod(each_shape) * size
        labels_pitch = out_strides[0] if out_strides else math.prod(extent) * 4
    plan.number, plan.extent = number, (*extent, 1, 1)[:3]
    plan.native = _core.Plan(
        number, type_, delta, plan.extent, pitches, label_pitches, plan.images, image_pitch, labels_pitch
    )
    plan.workspace_bytes = max(256, plan.native.workspace_bytes)
    return plan


class Labeling:
    """One call: its results, and what is in the stream when it is made."""

    __slots__ = (
        "kind", "device", "stream", "labels", "count", "components", "ndim", "extent", "number", "keep",
    )  # fmt: skip

    def __init__(self, array, connectivity, values, delta, batch, packed_width, out, stream, wait=False, capacity=0):
        """`wait`: the count is an integer. Else it is in memory of the device."""
        need_cuda()
        kind = self.kind = _kind_of(array)
        if stream is None:
            stream = kind.find_stream(array)
            context = _NOTHING if kind.is_current(array) else kind.use(array, stream)
        else:
            stream = handle_of(stream)
            context = kind.use(array, stream)
        self.stream = stream
        with context:
            address, device, shape, strides, code = kind.view(array, stream)
            self.device = device
            out_strides = out_shape = None
            if out is not None:
                out_address, out_shape, out_strides = self._view_of_out(out)
            options = (connectivity, bool(values), float(delta), bool(batch), packed_width, out_strides)
            plan = _plan(shape, strides, code, *options, None)
            while plan.convert is not None:
                array = getattr(kind, plan.convert)(array)
                address, device, shape, strides, code = kind.view(array, stream)
                plan = _plan(shape, strides, code, *options, plan.convert)
            if out is None:
                self.labels = kind.empty(plan.out_shape, "i4", array)
                out_address = kind.address(self.labels)
            elif out_shape != plan.out_shape:
                raise ValueError(f"out= has the shape {out_shape}, the labels have {plan.out_shape}")
            else:
                self.labels = out
            if out is not None:
                refuse_overlap(addresses(out_address, out_shape, out_strides, "i4"), addresses(address, shape, strides, code))
            workspace, at = kind.workspace(plan.workspace_bytes, array)
            if wait:
                self.count = plan.native.label_and_wait(device, stream, address, out_address, at)
            else:
                one = not batch and not capacity
                self.count = kind.empty((plan.images,) if batch else (), kind.count_type() if one else "i8", array)
                components = 0
                if capacity:
                    self.components = kind.empty((capacity * _COMPONENT,), "u1", array)
                    components = kind.address(self.components)
                plan.native.label(
                    device, stream, address, out_address, at, kind.address(self.count), components, capacity
                )
        self.ndim, self.extent, self.number = plan.ndim, plan.extent, plan.number
        self.keep = (array, workspace)

    def _view_of_out(self, out):
        if not on_device(out):
            raise TypeError(f"out= is {type(out).__name__}; it must be an array on a GPU")
        kind = _kind_of(out)
        if type(kind) is not type(self.kind):
            raise TypeError("out= is an array of another library than the input")
        if library_of(out) in ("jax", "jaxlib"):
            raise TypeError("arrays of JAX are not written: out= is for other libraries")
        if isinstance(kind, _Other) and getattr(out, "__cuda_array_interface__", {"data": (0, False)})["data"][1]:
            raise ValueError("out= is read-only")
        address, device, shape, strides, code = kind.view(out, self.stream)
        if device != self.device:
            raise ValueError(f"out= is on device {device}, the array on {self.device}")
        if code not in ("i4", "u4"):
            raise ValueError(f"out= has the type {code}; labels on a GPU need int32 or uint32")
        return address, tuple(shape), strides

    def read(self, array, type_) -> np.ndarray:
        """Contents of an array of this call, when its stream has written it."""
        count = array.nbytes if hasattr(array, "nbytes") else int(np.prod(array.shape)) * array.dtype.itemsize
        return np.frombuffer(_core.read(self.device, self.kind.address(array), int(count), self.stream), type_)


def label_async(array, connectivity, values, delta, batch, packed_width, out, stream):
    call = Labeling(array, connectivity, values, delta, batch, packed_width, out, stream)
    finish = call.kind.finish
    return (finish(call.labels) if out is None else out), finish(call.count)


def label(array, connectivity, values, delta, batch, packed_width, out, stream, columns, spacing):
    if columns is None:
        call = Labeling(array, connectivity, values, delta, batch, packed_width, out, stream, not batch)
        if batch:
            call.read(call.count, np.int64)
        labels = call.kind.finish(call.labels) if out is None else out
        return labels, call.kind.finish(call.count) if batch else call.count, None
    if batch:
        raise ValueError("stats is not for batches; measure() the labels of connectivity=8, which labels each image by itself")
    capacity = 1 << 16
    call = Labeling(array, connectivity, values, delta, False, packed_width, out, stream, capacity=capacity)
    names = columns_of(columns, call.ndim, spacing)
    check_measured(names)
    count = int(call.read(call.count, np.int64)[0])
    labels = call.labels
    if not _measured(True).issuperset(names.wanted):  # these are sums over labels
        labels = call.kind.finish(labels) if out is None else out
        return labels, count, measure(labels, None, columns, connectivity, spacing)
    if count > capacity:  # again, with room for all
        call = Labeling(array, connectivity, values, delta, False, packed_width, labels, stream, capacity=count)
    with call.kind.use(call.keep[0], call.stream):
        table = make_table(
            call.kind, call.keep[0], names, call.number, count,
            lambda made: _core.device_table(
                call.device, call.stream, call.kind.address(call.components), count,
                call.extent, call.number, names.spacing, made,
            ),
        )  # fmt: skip
    return call.kind.finish(labels) if out is None else out, count, table


_ENDS = frozenset({"x1", "y1", "z1"})


@functools.cache
def _integers(connectivity: int) -> frozenset:
    """Returns the measures that are integers. Images have no sides along z: these are missing."""
    sides = WHOLE if connectivity > 8 or connectivity == 6 else (name for name in WHOLE if "_z" not in name)
    return frozenset({"label", "area", *sides} | {f"{axis}{side}" for axis in "xyz" for side in "01"})


@functools.cache
def _measured(of_components=False) -> frozenset:
    return frozenset(_core.measured_on_device(of_components))


def check_measured(names: Columns) -> None:
    if unknown := set(names.wanted) - _measured():
        raise ValueError(f"not measured on a GPU: {', '.join(sorted(unknown))}; move the array to the CPU")


#: Bytes of memory that a table may keep without need.
_SMALL = 1 << 20


def make_table(kind, array, names: Columns, connectivity: int, capacity: int, write, count=None) -> dict:
    """Makes a table. `write` enqueues columns of `capacity` rows; count() returns how many of these there are.

    All columns are in one array, integers first, then bounds of boxes, then numbers: libraries take longer to make an
    array than the kernel to write it.
    """
    whole = _integers(connectivity)
    wanted = sorted(names.wanted, key=lambda name: (name not in whole, name in _ENDS))
    integers = sum(name in whole for name in wanted)
    ends = sum(name in _ENDS for name in wanted)
    block = kind.empty((len(wanted), capacity), "i8", array)
    if capacity:
        at = kind.address(block)
        write([(name, at + 8 * capacity * i, name in whole) for i, name in enumerate(wanted)])
    rows = count() if count else capacity
    if rows is None:
        return None
    block = kind.column(block)
    if 2 * rows < capacity and 8 * capacity * len(wanted) > _SMALL:
        block = kind.copy(block[:, :rows])
    if ends:
        block[integers - ends : integers, :rows] += 1  # boxes are half-open
    columns = [*block[:integers, :rows], *block[integers:].view(kind.f8)[:, :rows]]
    return names.name(dict(zip(wanted, columns)))


def measure(labels, intensity, properties, connectivity, spacing):
    need_cuda()
    kind = _kind_of(labels)
    stream = kind.find_stream(labels)
    with kind.use(labels, stream):
        check_intensity(intensity, properties)
        image = _Labels(kind, labels, stream, connectivity)
        if intensity is None or intensity.shape == labels.shape:
            return image.measure(columns_of(properties, labels.ndim, spacing), intensity)
        if intensity.shape[:-1] != labels.shape:
            raise ValueError(f"intensity has the shape {intensity.shape}, the labels have {labels.shape}")

        def of_channel(columns, channel):
            return image.measure(columns, None if channel is None else intensity[..., channel])

        return measure_channels(properties, labels.ndim, spacing, intensity.shape[-1], of_channel)


class _Labels:
    """A label image that is measured: labels from 1 to not far above the number of elements."""

    def __init__(self, kind, labels, stream, connectivity):
        self.kind, self.stream = kind, stream
        self.number = pixels(connectivity, labels.ndim)
        _, self.device, _, _, code = kind.view(labels, stream)
        if code[0] not in "iub" or code.startswith("bf"):
            raise TypeError(f"labels are integers, not {code}")
        if code in ("b1", "u1", "i1"):
            labels = kind.integers(labels)
        elements = math.prod(labels.shape)
        self.extent = (labels.shape[-1], *reversed(labels.shape[:-1]), 1, 1)[:3]
        self.labels, self.largest, self.ids, self.elements = labels, None, None, elements

    def find_largest(self, highest=None):
        """Sets the largest label. Sparse labels are replaced by ranks, whose labels `ids` has.

        `highest`: as highest_label() finds it, if that is known.
        """
        kind, elements = self.kind, self.elements
        if self.largest is not None:
            return
        view, labels = self._view(self.labels) if elements else ((0, 0, (0, 0)), self.labels)
        if highest is None and elements:
            memory = kind.empty((), "i8", labels)
            highest = _core.highest_label(self.device, self.stream, view, self.extent, kind.address(memory))
        self.largest = highest or 0
        bits = 8 << view[1] % 4
        if view[1] >= _VALUE_TYPES["i1"] and self.largest >> (bits - 1):
            raise ValueError(f"labels are not negative; one is {self.largest - (1 << bits)}")
        if self.largest > min(max(elements, 1 << 20), 2**32 - 2):
            # libraries do little with unsigned integers
            is_unsigned = view[1] < _VALUE_TYPES["i1"]
            if is_unsigned and self.largest >> (31 if kind.count_type() == "i4" else 63):
                raise ValueError(f"a label is {self.largest}, which integers of this library do not hold: move the array to the CPU")
            self.ids, labels = kind.ranks(kind.integers(labels) if is_unsigned else labels)
            self.largest = len(self.ids) - 1
            if int(self.ids[0]) != 0:  # no background: ranks from 1 on
                labels, self.largest = labels + 1, len(self.ids)
            self.labels = labels

    def _view(self, array):
        """Returns (address, type, pitches), and the array that is there."""
        for _ in range(3):
            address, device, shape, strides, code = self.kind.view(array, self.stream)
            if code in ("f2", "bf16", "bf2"):
                array = self.kind.widen(array)
            elif (pitches := _pitches(shape, strides, int(code[1:]))) is None:
                array = self.kind.contiguous(array)
            else:
                if device != self.device:
                    raise ValueError(f"arrays are on the devices {self.device} and {device}")
                return (address, _VALUE_TYPES["u1" if code == "b1" else code], pitches), array
        raise ValueError("elements of a row do not follow each other")

    def measure(self, names: Columns, samples) -> dict:
        check_measured(names)
        kind = self.kind
        labels, keep = self._view(self.labels)
        if samples is None:
            of_samples, keep_samples = (0, 0, (0, 0)), None
        else:
            if type(_kind_of(samples)) is not type(kind):
                raise TypeError("intensity is an array of another library than labels")
            of_samples, keep_samples = self._view(samples)
            if of_samples[1] in (_VALUE_TYPES["u8"], _VALUE_TYPES["i8"], _VALUE_TYPES["f8"]):
                raise TypeError("samples of 64 bits are not measured on a GPU; convert them to int32 or float32")
        # Few labels are a good guess: then nothing waits for the search of the largest one.
        if isinstance(kind, _Other):  # its tables are read, all rows of them
            self.find_largest()
        largest = self.largest
        if largest is None:
            largest = min(self.elements, max(1 << 12, self.elements >> 9))
        size = max(256, _core.device_measure_workspace_bytes(largest, samples is not None, self.number, list(names.wanted)))
        workspace, address = kind.workspace(size, keep)
        found = kind.empty((2,), "i8", keep)

        def write(columns):
            _core.device_measure(
                self.device, self.stream, labels, of_samples, self.extent, largest, self.number,
                names.spacing, columns, kind.address(found), kind.address(found) + 8, address, size,
            )  # fmt: skip

        def rows():
            if not largest:
                return 0
            count, highest = np.frombuffer(_core.read(self.device, kind.address(found), 16, self.stream), np.uint64)
            self.find_largest(int(highest))
            return int(count) if self.largest == highest <= largest else None

        table = make_table(kind, keep, names, self.number, largest, write, rows)
        if table is None:
            return self.measure(names, samples)
        if "label" in table:
            table["label"] = self.named(table["label"])
        return table

    def named(self, labels, ids=None):
        """Returns the labels of the image that the labels 1 to `largest` stand for. `ids`: a copy of its ids."""
        ids = self.ids if ids is None else ids
        return labels if ids is None else ids[labels - (1 - (len(ids) - self.largest))]

    def pairs(self, others) -> list:
        """Returns the columns of pairs of labels: both labels, and counts.

        Of overlaps with `others`, the last is the first element; without, contacts.
        """
        kind = self.kind
        for image in (self, others) if others else (self,):
            image.find_largest()
        labels, keep = self._view(self.labels)
        of_others, keep_others = self._view(others.labels) if others else ((0, 0, (0, 0)), None)
        largest = max(self.largest, others.largest if others else 0)
        capacity = min(max(1 << 14, 2 * largest), 1 << 20)
        while True:
            columns = [kind.empty((capacity,), "i8", keep) for _ in range(4 if others else 7)]
            places = [kind.address(column) for column in columns]
            if not others:
                places.insert(3, 0)
            count = kind.empty((), "i8", keep)
            size = _core.device_pairs_workspace_bytes(capacity, others is None)
            workspace, address = kind.workspace(size, keep)
            _core.device_pairs(
                self.device, self.stream, labels, of_others, self.extent, self.number, largest,
                places, capacity, kind.address(count), address, size,
            )  # fmt: skip
            rows = int(np.frombuffer(_core.read(self.device, kind.address(count), 8, self.stream), np.int64)[0])
            if rows <= capacity:
                return [kind.column(column)[:rows] for column in columns]
            capacity = max(rows, 4 * capacity)


def contacts(labels, connectivity, spacing) -> dict:
    need_cuda()
    kind = _kind_of(labels)
    stream = kind.find_stream(labels)
    with kind.use(labels, stream):
        image = _Labels(kind, labels, stream, connectivity)
        columns = image.pairs(None)
        names = ("label_a", "label_b", "faces_x", "faces_y", "faces_z", "edges", "corners")
        found = dict(zip(names, (*map(image.named, columns[:2]), *columns[2:])))
        return contact_table(found, labels.ndim, spacing, kind.real)


def match(truth, prediction, threshold, pairs, per_value, connectivity, empty, distances, spacing, tolerance, min_size, regions):
    need_cuda()
    if per_value or distances or regions:
        raise ValueError("per_value, distances and regions are for arrays on the CPU")
    thresholds, of_empty, smallest = check_match(
        threshold, per_value, connectivity, empty, distances, spacing, tolerance, min_size, regions
    )
    kind = _kind_of(truth)
    if type(_kind_of(prediction)) is not type(kind):
        raise TypeError("prediction is an array of another library than truth")
    if tuple(truth.shape) != tuple(prediction.shape):
        raise ValueError("truth and prediction have different shapes")
    stream = kind.find_stream(truth)
    with kind.use(truth, stream):
        images = [_Labels(kind, image, stream, None) for image in (truth, prediction)]
        columns = [kind.host(column) for column in images[0].pairs(images[1])]
        scores, table = _core.match_overlaps(*columns, thresholds, pairs, of_empty, smallest)
        for name, image in zip(("truth", "prediction"), images):
            if table and image.ids is not None:
                found = table[name].astype(np.int64)
                table[name] = np.where(found == 0, 0, image.named(found, kind.host(image.ids)))
    return match_result(scores, table, pairs, empty)
