"""Labeling in the memory of a GPU, in the order of a stream.

Classes describe the arrays of a library, so that results, counts and workspaces come from it, and stay in the order of its
streams.
"""

from __future__ import annotations

import contextlib
import functools
import math
import operator

import numpy as np

from . import _core
from ._host import check_match, contact_table, images_of, match_result
from ._kinds import addresses, library_of, need_cuda, on_device, pixels, refuse_overlap
from ._measures import WHOLE, ChannelColumns, channels_of, columns_of, is_of_samples

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
        raise TypeError(f"arrays of {code} are not supported")
    return type_


_NOTHING = contextlib.nullcontext()

#: Labels up to this one, or up to one per 8 elements, are measured without ranks, although few of them may occur.
_MANY = 1 << 26

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


class _Library:
    """Functions that most libraries share.

    use(array, stream) allocates and computes in a stream, if is_current(array) is false. view(array, stream) returns
    address, device, shape, strides in bytes or none without padding, and type. split(block, integers, rows) returns the
    first rows of the columns of a table, integers first.
    """

    #: Bytes of memory that a table may keep without need.
    SMALL = 1 << 20
    unsigned = np.uint64

    def count_type(self) -> str:
        return "i8"  # i4 or i8, of the count of one image

    def finish(self, array):
        return array  # what the caller gets

    def finish_like(self, array, other):
        return array  # what the caller gets of like(other)

    def nonzero(self, array):
        return abs(array) > 0 if "float" in str(array.dtype) else array != 0  # NaN is background

    def widen(self, array):
        return self.cast(array, "float32")

    def integers(self, array):
        return self.cast(array, "int64")

    def real(self, array):
        return self.cast(array, "float64")

    def is_wasteful(self, block, rows) -> bool:
        columns, capacity = block.shape
        return 2 * rows < capacity and 8 * capacity * columns > self.SMALL


class _Torch(_Library):
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
        self.unsigned = getattr(torch, "uint64", None)
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

    def workspace(self, bytes_, array):
        memory = self.new((bytes_,), dtype=self.byte, device=array.device)
        return memory, memory.data_ptr()

    def cast(self, array, name):
        return array.to(getattr(self.torch, name))

    def contiguous(self, array):
        return array.contiguous()

    def split(self, block, integers, rows):
        wasteful = self.is_wasteful(block, rows)
        block = block[:, :rows]
        if wasteful:
            block = block.contiguous()
        return *block[:integers].unbind(0), *block[integers:].view(self.f8).unbind(0)

    def like(self, array):
        return self.new(array.shape, dtype=array.dtype, device=array.device)

    def positive(self, array):
        return array.clamp(min=0)

    def where(self, mask, array, number):
        return self.torch.where(mask != 0, array, number)


class _CuPy(_Library):
    def __init__(self):
        import cupy

        self.cupy = cupy
        self.types = {code: np.dtype(code) for code in ("i4", "i8", "u1", "f8")}
        self.new, self.allocate = cupy.ndarray, cupy.cuda.alloc
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

    def workspace(self, bytes_, array):
        memory = self.allocate(bytes_)
        return memory, memory.ptr

    def cast(self, array, name):
        return array.astype(name)

    def contiguous(self, array):
        return self.cupy.ascontiguousarray(array)

    def split(self, block, integers, rows):
        if self.is_wasteful(block, rows):
            block = block[:, :rows].copy()
        new, memory, pitch, i8, f8 = self.new, block.data, block.strides[0], self.types["i8"], self.types["f8"]
        return [new((rows,), i8 if i < integers else f8, memory + i * pitch) for i in range(len(block))]

    def like(self, array):
        return self.new(array.shape, array.dtype)

    def positive(self, array):
        return self.cupy.maximum(array, 0)

    def where(self, mask, array, number):
        return self.cupy.where(mask != 0, array, array.dtype.type(number))


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

    def mark_ready(self, stream: int) -> None:
        self._stream = stream
        self._memory.mark_ready(stream)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError(f"the array is shared where it is, on GPU {self.device}, and not copied")
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
        self._memory.let_wait(self._stream)  # which is another one in each thread
        host = np.frombuffer(_core.read(self.device, self.address, count, count, 1, self._stream), self.dtype)
        return host.reshape(self.shape).astype(dtype or self.dtype)

    def __int__(self) -> int:
        return int(self.__array__())

    __index__ = __int__


class _Other(_Library):
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
        if not self.is_jax:
            raise TypeError("an array of bool or uint8, C-contiguous along its last axis, is needed")
        return super().nonzero(array)

    def cast(self, array, name):
        if not self.is_jax:
            raise TypeError(f"arrays of this library are not converted: pass one of {name}")
        return array.astype(self.dtype_of(np.dtype(name)))

    def contiguous(self, array):
        if not self.is_jax:
            raise TypeError("an array that is C-contiguous is needed")
        return array.copy()

    def finish(self, array):
        array.mark_ready(self.stream)
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

    def split(self, block, integers, rows):
        columns, capacity = block.shape
        host = np.frombuffer(_core.read(self.device, block.address, 8 * capacity, 8 * rows, columns, self.stream), np.int64)
        host = host.reshape(columns, rows).copy()  # which can be written
        return *host[:integers], *host[integers:].view(np.float64)

    def real(self, array):
        return array.astype(np.float64)  # a column of split()


class Lent:
    """An array in the memory of another library, which lends it for work in a stream. Buffers of XLA have several images.
    """

    def __init__(self, buffer, shape, place: int, stream: int):
        interface = buffer.__cuda_array_interface__
        self.shape, self.ndim, self.dtype = shape, len(shape), np.dtype(interface["typestr"])
        self.address = interface["data"][0] + place * math.prod(shape) * self.dtype.itemsize
        self.stream, self._device = stream, buffer.__dlpack_device__()
        self.__cuda_array_interface__ = {**interface, "shape": shape, "data": (self.address, False)}

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


class _OfLent(_Other):
    def find_stream(self, array) -> int:
        return array.stream


@functools.cache
def _known(type_):
    library = type_.__module__.partition(".")[0]
    return {"torch": _Torch, "cupy": _CuPy}[library]() if library in ("torch", "cupy") else None


def _kind_of(array):
    if isinstance(array, Lent):
        return _OfLent(False)
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


def _run(array, connectivity, values, delta, batch, packed_width, out, stream, work):
    """Prepares a call of work(kind, plan, array, at), and returns the labels and its result.

    `at`: device, stream, and the addresses of image, labels and workspace, as the functions of a plan take them.
    """
    need_cuda()
    kind = _kind_of(array)
    if stream is None:
        stream = kind.find_stream(array)
        context = _NOTHING if kind.is_current(array) else kind.use(array, stream)
    else:
        stream = handle_of(stream)
        context = kind.use(array, stream)
    with context:
        address, device, shape, strides, code = kind.view(array, stream)
        out_strides = out_shape = None
        if out is not None:
            out_address, out_shape, out_strides = _view_of_out(kind, device, stream, out)
        options = (connectivity, bool(values), float(delta), bool(batch), packed_width, out_strides)
        plan = _plan(shape, strides, code, *options, None)
        while plan.convert is not None:
            array = getattr(kind, plan.convert)(array)
            address, device, shape, strides, code = kind.view(array, stream)
            plan = _plan(shape, strides, code, *options, plan.convert)
        if out is None:
            labels = kind.empty(plan.out_shape, "i4", array)
            out_address = kind.address(labels)
        elif out_shape != plan.out_shape:
            raise ValueError(f"out= has the shape {out_shape}, the labels have {plan.out_shape}")
        else:
            labels = out
            refuse_overlap(addresses(out_address, out_shape, out_strides, "i4"), addresses(address, shape, strides, code))
        workspace, at = kind.workspace(plan.workspace_bytes, array)
        result = work(kind, plan, array, (device, stream, address, out_address, at))
    if isinstance(out, DeviceArray):
        out.mark_ready(stream)
    return labels if out is not None else kind.finish(labels), result


def _view_of_out(kind, device, stream, out):
    if not on_device(out):
        raise TypeError(f"out= is {type(out).__name__}; it must be an array on a GPU")
    if library_of(out) in ("jax", "jaxlib"):
        raise TypeError("arrays of JAX are not written: out= is for other libraries")
    of_out = _kind_of(out)
    if type(of_out) is not type(kind):
        raise TypeError("out= is an array of another library than the input")
    address, device_of_out, shape, strides, code = of_out.view(out, stream)
    check_out(kind, out, device_of_out, device)
    if code not in ("i4", "u4"):
        raise ValueError(f"out= has the type {code}; labels on a GPU need int32 or uint32")
    return address, tuple(shape), strides


def check_out(kind, out, device_of_out, device):
    if isinstance(kind, _Other) and getattr(out, "__cuda_array_interface__", {"data": (0, False)})["data"][1]:
        raise ValueError("out= is read-only")
    if device_of_out != device:
        raise ValueError(f"out= is on device {device_of_out}, the array on {device}")


def _counts(kind, plan, array, at, batch):
    count = kind.empty((plan.images,) if batch else (), "i8" if batch else kind.count_type(), array)
    plan.native.label(*at, kind.address(count))
    return count


def label_async(array, connectivity, values, delta, batch, packed_width, out, stream):
    def work(kind, plan, array, at):
        return kind.finish(_counts(kind, plan, array, at, batch))

    return _run(array, connectivity, values, delta, batch, packed_width, out, stream, work)


def label_into(array, connectivity, values, labels, count, stream):
    """Labels without waiting. `count` is 64 bits."""

    def work(kind, plan, array, at):
        plan.native.label(*at, count.address)

    _run(array, connectivity, values, 0, False, None, labels, stream, work)


def label(array, connectivity, values, delta, batch, packed_width, out, stream, columns, spacing, areas=False):
    if areas and math.prod(array.shape[:-1]) * (packed_width or math.prod(array.shape[-1:])) >= 2**31:
        raise ValueError("areas of 2^31 elements or more are not counted on a GPU: move the array to the CPU")

    def with_areas(kind, plan, array, at):
        if out is not None and at[2] == at[3]:
            raise ValueError("out= is the array, which areas need: use another array")
        counts, sizes = kind.empty((plan.images,), "i8", array), kind.empty(plan.out_shape, "i4", array)
        elements = math.prod(plan.extent)
        capacity = min(elements, max(1 << 16, elements >> 6))
        while True:
            components, address = kind.workspace(capacity * _COMPONENT, array)
            table, of_table = kind.workspace(4 * (capacity + 1), array)
            plan.native.label_areas(*at, kind.address(counts), address, capacity, of_table, kind.address(sizes))
            found = np.frombuffer(_core.read(at[0], kind.address(counts), 8 * plan.images, 8 * plan.images, 1, at[1]), np.int64)
            if found.max(initial=0) <= capacity:
                return (kind.finish(counts) if batch else int(found[0])), kind.finish(sizes)
            capacity = int(found.max())

    def wait(kind, plan, array, at):
        if not batch:
            return plan.native.label_and_wait(*at)
        count = _counts(kind, plan, array, at, batch)
        _core.read(at[0], 0, 0, 0, 0, at[1])  # waits
        return kind.finish(count)

    def with_table(kind, plan, array, at):
        layout = _layout(columns, plan.number, plan.ndim, spacing, 0, False)
        if not layout.is_of_components:  # but sums over labels
            return plan.native.label_and_wait(*at), None
        capacity = min(_few(math.prod(plan.extent)), 1 << 16)
        components, address = kind.workspace((capacity + 1) * _COMPONENT, array)
        block = kind.empty((layout.size, capacity), "i8", array)
        count = plan.native.label_table(*at, address, capacity, layout.native, layout.spacing, kind.address(block))
        return count, (layout.name(kind.split(block, layout.integers, count)) if count <= capacity else None)

    options = (array, connectivity, values, delta, batch, packed_width, out, stream)
    if areas:
        labels, (count, sizes) = _run(*options, with_areas)
        return labels, count, sizes
    if columns is None:
        return *_run(*options, wait), None
    if batch:
        raise ValueError("stats is not for batches; measure() the labels of connectivity=8, which labels each image by itself")
    labels, (count, table) = _run(*options, with_table)
    if table is None:  # also if there was no room for all
        table = measure(labels, None, columns, connectivity, spacing)
    return labels, count, table


@functools.cache
def _integers(connectivity: int) -> frozenset:
    """Returns the measures that are integers. Images have no sides along z: these are missing."""
    sides = WHOLE if connectivity > 8 or connectivity == 6 else (name for name in WHOLE if "_z" not in name)
    return frozenset({"label", "area", *sides} | {f"{axis}{side}" for axis in "xyz" for side in "01"})


@functools.cache
def _measured(of_components: bool, in_volume: bool) -> frozenset:
    return frozenset(_core.measured_on_device(of_components, in_volume))


class _Layout:
    """The columns of a table in one block of memory: libraries take longer to make an array than the kernel to write it."""

    def __init__(self, properties, connectivity, ndim, spacing, channels, numbered):
        self.columns, self.channels = columns_of(properties, ndim, spacing), channels
        self.of_channels = ChannelColumns(properties, ndim, spacing) if numbered else None
        self.spacing = self.columns.spacing
        wanted = self.columns.wanted
        in_volume = connectivity in (6, 18, 26)
        if unknown := set(wanted) - _measured(False, in_volume):
            where = "on a GPU in volumes" if _measured(False, False).issuperset(unknown) else "on a GPU"
            raise ValueError(f"not measured {where}: {', '.join(sorted(unknown))}; move the array to the CPU")
        self.keys = [(name, i) for name in wanted for i in range(max(1, channels) if is_of_samples(name) else 1)]
        whole = _integers(connectivity)
        self.keys.sort(key=lambda key: key[0] not in whole)
        self.integers = sum(name in whole for name, _ in self.keys)
        self.is_of_components = _measured(True, in_volume).issuperset(wanted)
        self.size = len(self.keys)
        self.native = _core.Layout([name for name, _ in self.keys], [i for _, i in self.keys], self.integers)

    def name(self, arrays, labels=None) -> dict:
        """Returns the table of the columns in a block. `labels`: instead of its own."""
        found = dict(zip(self.keys, arrays))
        if labels is not None and ("label", 0) in found:
            found["label", 0] = labels
        if not self.of_channels:
            return self.columns.name({name: array for (name, _), array in found.items()})
        others, of_samples = self.of_channels.others, self.of_channels.of_samples
        tables = [
            of_samples.name({name: found[name, i if is_of_samples(name) else 0] for name in of_samples.wanted})
            for i in range(self.channels)
        ]
        return self.of_channels.join(others.name({name: found[name, 0] for name in others.wanted}), tables)


@functools.lru_cache(64)
def _known_layout(*arguments):
    return _Layout(*arguments)


def _layout(properties, connectivity, ndim, spacing, channels, numbered):
    properties = (properties,) if isinstance(properties, str) or callable(properties) else tuple(properties)
    if spacing is not None and not isinstance(spacing, (int, float)):
        spacing = tuple(np.atleast_1d(spacing).tolist())
    return _known_layout(properties, connectivity, ndim, spacing, channels, numbered)


def measure(labels, intensity, properties, connectivity, spacing, rows=None):
    """`rows`: of the table, which is not waited for, and whose number is returned too."""
    need_cuda()
    kind = _kind_of(labels)
    if rows is not None:
        if isinstance(kind, _Other):
            raise TypeError("tables of this library are read, which waits: use measure()")
        if not 1 <= operator.index(rows) < 2**32 - 1:
            raise ValueError(f"rows is a number of labels from 1 to 2**32 - 2, not {rows}")
    stream = kind.find_stream(labels)
    with kind.use(labels, stream):
        samples, numbered = channels_of(intensity, labels.shape)
        image = _Labels(kind, labels, stream, connectivity)
        layout = _layout(properties, image.number, labels.ndim, spacing, len(samples), numbered)
        return image.measure(layout, samples, rows)


def _few(elements: int) -> int:
    return max(1, min(elements, max(1 << 12, elements >> 9)))


class _Labels:
    """A label image that is measured, or compared with another one."""

    def __init__(self, kind, labels, stream, connectivity):
        self.kind, self.stream = kind, stream
        self.number = pixels(connectivity, labels.ndim)
        _, self.device, shape, _, code = found = kind.view(labels, stream)
        if code[0] not in "iub" or code.startswith("bf"):
            raise TypeError(f"labels are integers, not {code}")
        if code in ("b1", "u1", "i1"):
            labels, found = kind.integers(labels), None
        self.extent = (shape[-1], *reversed(shape[:-1]), 1, 1)[:3]
        self.elements = math.prod(shape)
        self.view, self.array = self._view(labels, found)
        self.largest, self.ids = (None, None) if self.elements else (0, None)

    def _view(self, array, found=None):
        """Returns (address, type, pitches), and the array that is there. `found`: view() of the array."""
        for _ in range(3):
            address, device, shape, strides, code = found or self.kind.view(array, self.stream)
            found = None
            if code in ("f2", "bf16", "bf2"):
                array = self.kind.widen(array)
            elif (pitches := _pitches(shape, strides, int(code[1:]))) is None:
                array = self.kind.contiguous(array)
            else:
                if device != self.device:
                    raise ValueError(f"arrays are on the devices {self.device} and {device}")
                return (address, value_type(code), pitches), array
        raise ValueError("elements of a row do not follow each other")

    def _memory(self, bytes_):
        """Returns memory for one call and its address, with room for two words behind `bytes_`, and these bytes."""
        bytes_ = max(256, bytes_ + -bytes_ % 8)
        return *self.kind.workspace(bytes_ + 16, self.array), bytes_

    def set_highest(self, highest, has_rows=False) -> None:
        """Sets the largest label. Those that are far apart are replaced by their ranks, whose labels `ids` has.

        `has_rows`: each label up to the largest one takes memory, so large images have ranks before, if few labels occur.
        """
        bits = 8 << self.view[1] % 4
        if self.view[1] >= _VALUE_TYPES["i1"] and highest >> (bits - 1):
            raise ValueError(f"labels are not negative; one is {highest - (1 << bits)}")
        self.largest = highest
        most = min(max(self.elements, 1 << 20), 2**32 - 2)
        if highest <= (min(most, max(_MANY, self.elements >> 3)) if has_rows else most):
            return
        self.is_unsigned = highest >= 2**63
        capacity = max(1 << 16, self.elements >> 9) if highest <= most else 1 << 16
        while True:
            ranks = self.kind.empty(self.extent[::-1], "i4", self.array)
            self.ids = self.kind.empty((1, capacity + 1), "i8", self.array)
            memory, at, size = self._memory(_core.device_pairs_workspace_bytes(capacity, False))
            self.largest = _core.rank_labels(
                self.device, self.stream, self.view, self.extent, self.kind.address(ranks), self.kind.address(self.ids),
                capacity, at + size, at, size,
            )  # fmt: skip
            if self.largest <= capacity:
                break
            if highest <= most:  # many labels occur
                self.largest, self.ids = highest, None
                return
            capacity = max(self.largest, 4 * capacity)
        self.array, self.view = ranks, (self.kind.address(ranks), _VALUE_TYPES["u4"], (0, 0))

    def guessed(self) -> int:
        """Returns the largest label. Few are a good guess: then nothing waits for the search of the largest one."""
        return _few(self.elements) if self.largest is None else self.largest

    def find_largest(self) -> None:
        if self.largest is None:
            memory, at, size = self._memory(0)
            self.set_highest(_core.highest_label(self.device, self.stream, self.view, self.extent, at + size))

    def measure(self, layout, samples, rows):
        kind = self.kind
        views, keep = [], []
        for image in samples:
            if not on_device(image) or type(_kind_of(image)) is not type(kind):
                raise TypeError("intensity is an array of another library, or in other memory, than labels")
            view, array = self._view(image)
            views.append(view)
            keep.append(array)
        while True:
            known = rows if rows is not None else self.largest
            largest = max(1, self.guessed() if rows is None else rows)
            types = [view[1] for view in views]
            memory, at, size = self._memory(layout.native.workspace_bytes(self.extent, largest, self.number, types))
            block = kind.empty((layout.size, largest), "i8", self.array)
            counts = at + size
            if rows is not None:
                words = kind.empty((2,), "i8", self.array)
                counts = kind.address(words)
            found = layout.native.measure(
                self.device, self.stream, self.view, views, self.extent, largest, self.number, layout.spacing,
                kind.address(block), counts, at, size, rows is None,
            )  # fmt: skip
            if rows is not None:
                return layout.name(kind.split(block, layout.integers, rows)), words[0]
            if known is None:
                self.set_highest(found[1], has_rows=True)
            if self.largest <= largest and (known is not None or self.ids is None):
                ids = None if self.ids is None else self.signed(kind.split(self.ids, 1, self.largest + 1)[0][1:])
                return layout.name(kind.split(block, layout.integers, found[0]), ids)

    def signed(self, ids):
        """Returns columns of the labels of ranks, which may be above those of int64."""
        return ids.view(self.kind.unsigned) if self.is_unsigned else ids

    def pairs(self, others):
        """Returns the columns of pairs of labels, a block, and their number: both labels, and counts.

        Of overlaps with `others`, the last is the first element; without, contacts.
        """
        kind = self.kind
        if others and others.device != self.device:
            raise ValueError(f"arrays are on the devices {self.device} and {others.device}")
        for image in (self, others) if others else ():
            image.find_largest()
        capacity = 1 << 14
        while True:
            known = self.largest
            largest = max(self.guessed(), others.largest if others else 0)
            capacity = max(capacity, min(largest if known is None else 2 * largest, 1 << 20))
            block = kind.empty((4 if others else 7, capacity), "i8", self.array)
            memory, at, size = self._memory(_core.device_pairs_workspace_bytes(capacity, others is None))
            count, highest = _core.device_pairs(
                self.device, self.stream, self.view, others.view if others else (0, 0, (0, 0)), self.extent,
                self.number, largest, kind.address(block), capacity, at + size, at, size,
            )  # fmt: skip
            if known is None:
                self.set_highest(highest)
            if self.largest > largest or (known is None and self.ids is not None):
                continue
            if count <= capacity:
                return block, count
            capacity = max(count, 4 * capacity)


def contacts(labels, connectivity, spacing) -> dict:
    need_cuda()
    kind = _kind_of(labels)
    stream = kind.find_stream(labels)
    with kind.use(labels, stream):
        image = _Labels(kind, labels, stream, connectivity)
        block, count = image.pairs(None)
        if image.ids is not None:
            _core.name_labels(
                image.device, stream, kind.address(block), 2, block.shape[1], count, kind.address(image.ids), image.largest + 1
            )
        names = ("label_a", "label_b", "faces_x", "faces_y", "faces_z", "edges", "corners")
        found = dict(zip(names, kind.split(block, len(names), count)))
        if image.ids is not None:
            found.update({name: image.signed(found[name]) for name in names[:2]})
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

    def on_host(image, block, rows):
        columns, capacity = block.shape
        words = _core.read(image.device, kind.address(block), 8 * capacity, 8 * rows, columns, stream)
        return np.frombuffer(words, np.int64).reshape(columns, rows)

    with kind.use(truth, stream):
        images = [_Labels(kind, image, stream, None) for image in (truth, prediction)]
        columns = on_host(images[0], *images[0].pairs(images[1]))
        scores, table = _core.match_overlaps(*columns, thresholds, pairs, of_empty, smallest)
        for name, image in zip(("truth", "prediction"), images):
            if table and image.ids is not None:
                ids = on_host(image, image.ids, image.largest + 1)[0].view(np.uint64)
                table[name] = ids[table[name].astype(np.int64)]
    return match_result(scores, table, pairs, empty)
