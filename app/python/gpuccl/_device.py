"""Labeling, measuring, matching and cleaning in the memory of a GPU, in the order of a stream.

`Arrays` describes the arrays of a library, so that results, counts and workspaces come from it, and stay in the order of
its streams. Each function begins a call with _begin(), and gets elements that kernels can read from _prepare().
"""

from __future__ import annotations

import contextlib
import functools
import math
import operator
from typing import Any, NamedTuple, Protocol

import numpy as np

from . import _core
from ._host import check_match, checked_sizes, contact_table, images_of, match_result
from ._kinds import addresses, library_of, library_of_type, need_cuda, on_device, overlap, pixels, refuse_overlap
from ._measures import WHOLE, ChannelColumns, channels_of, columns_of, hashable, is_of_samples

_VALUE_TYPES = {code: i for i, code in enumerate(("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"))}
_BITS, _BYTES = -1, -2
_MASKS, _HALF = ("b1", "u1", "i1"), ("f2", "bf2")
#: What filled holes become, for elements that are not integers.
_ONES = {"f2": 0x3C00, "bf2": 0x3F80, "f4": 0x3F800000, "f8": 0x3FF << 52}
_NOTHING = contextlib.nullcontext()
_NO_VIEW = (0, 0, (0, 0))

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


class View(NamedTuple):
    """The elements of an array in the memory of a GPU."""

    array: Any
    address: int
    device: int
    shape: tuple
    strides: tuple | None  # in bytes; None: without padding
    code: str  # type, such as f4

    @property
    def size(self) -> int:
        return int(self.code.lstrip("bfiuc"))

    def pitches(self, batch=False):
        """Returns the pitches of rows and slices; None if the library cannot read the elements."""
        return _pitches(images_of(self.shape)[1] if batch else self.shape, self.strides, self.size)

    def native(self, type_=None) -> tuple:
        """Returns the view as the library takes it, by default with the type of its elements."""
        return self.address, _value_type(self.code) if type_ is None else type_, self.pitches()

    def elements(self) -> tuple:
        """Returns the view as one of unsigned integers of the elements' size."""
        return self.native((1, 2, 4, 8).index(self.size))

    def memory(self):
        return addresses(self.address, self.shape, self.strides, self.code)


def _value_type(code: str) -> int:
    type_ = _VALUE_TYPES.get("u1" if code == "b1" else code)
    if type_ is None:
        raise TypeError(f"arrays of {code} are not supported")
    return type_


class Arrays(Protocol):
    """Arrays of a library. Functions without a body differ by library; the others are those of most libraries."""

    xp: Any  # its module of functions
    unsigned: Any = np.uint64

    def use(self, array, stream: int | None) -> tuple[int, Any]:
        """Returns a stream, by default the current one of the array's device, and a context: calls within it allocate and
        compute in the stream."""
        ...

    def view(self, array, stream: int) -> View: ...

    def empty(self, shape, code, array):
        """Returns a new array of a type or type code, on the device of `array`."""
        ...

    def address(self, array) -> int: ...

    def workspace(self, bytes_: int, array) -> tuple[Any, int]:
        """Returns memory and its address."""
        ...

    def cast(self, array, name: str): ...

    def split(self, block, integers: int, rows: int):
        """Returns the first rows of the columns of a table, integers first."""
        ...

    def convert(self, array, way: str):
        """Returns an array that is converted: nonzero, positive, contiguous, or a type."""
        if way == "nonzero":
            return abs(array) > 0 if "float" in str(array.dtype) else array != 0  # NaN is background
        if way == "positive":
            return array * (array > 0)
        return array.copy() if way == "contiguous" else self.cast(array, way)

    def fill(self, mask, array):
        """Returns an array with 1 outside of a mask."""
        return self.xp.where(mask != 0, array, getattr(array.dtype, "type", int)(1))

    def like(self, view: View):
        return self.empty(view.shape, view.array.dtype, view.array)

    def count_type(self) -> str:
        return "i8"  # i4 or i8, of the count of one image

    def finish(self, array, like=None):
        return array  # what the caller gets, of the type of `like`

    @staticmethod
    def is_wasteful(block, rows) -> bool:
        """Returns whether a table keeps much memory without need."""
        columns, capacity = block.shape
        return 2 * rows < capacity and 8 * capacity * columns > 1 << 20


class _Torch(Arrays):
    def __init__(self):
        import torch

        self.xp = torch
        names = {"bool": "b1", "float16": "f2", "bfloat16": "bf2", "float32": "f4", "float64": "f8"}
        names |= {f"{sign}int{8 * size}": f"{sign or 'i'}{size}" for sign in ("", "u") for size in (1, 2, 4, 8)}
        self.codes = {getattr(torch, name): code for name, code in names.items() if hasattr(torch, name)}
        self.types = {"i4": torch.int32, "i8": torch.int64, "u1": torch.uint8, "f8": torch.float64}
        self.new, self.byte, self.f8 = torch.empty, torch.uint8, torch.float64
        self.unsigned = getattr(torch, "uint64", None)
        # Without the Stream object, which takes longer to make than labels of a small image.
        self.current = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
            lambda device: torch.cuda.current_stream(device).cuda_stream
        )

    def use(self, array, stream):
        current = self.current(array.get_device())  # whose memory is that of the array's device
        if stream is None or stream == current:
            return current, _NOTHING
        cuda = self.xp.cuda
        return stream, cuda.stream(cuda.ExternalStream(stream, device=array.device))

    def view(self, array, stream):
        code = self.codes.get(array.dtype)
        if code is None:
            raise TypeError(f"an array of {array.dtype} cannot be labeled; convert it, as with array.float()")
        strides = None
        if not array.is_contiguous():
            each = array.element_size()
            strides = tuple(stride * each for stride in array.stride())
        return View(array, array.data_ptr(), array.get_device(), array.shape, strides, code)

    def empty(self, shape, code, array):
        return self.new(shape, dtype=self.types.get(code, code), device=array.device)

    def address(self, array) -> int:
        return array.data_ptr()

    def workspace(self, bytes_, array):
        memory = self.new((bytes_,), dtype=self.byte, device=array.device)
        return memory, memory.data_ptr()

    def cast(self, array, name):
        return array.to(getattr(self.xp, name))

    def convert(self, array, way):
        return array.contiguous() if way == "contiguous" else super().convert(array, way)

    def split(self, block, integers, rows):
        wasteful = self.is_wasteful(block, rows)
        block = block[:, :rows]
        if wasteful:
            block = block.contiguous()
        return *block[:integers].unbind(0), *block[integers:].view(self.f8).unbind(0)


class _CuPy(Arrays):
    def __init__(self):
        import cupy

        self.xp = cupy
        self.types = {code: np.dtype(code) for code in ("i4", "i8", "u1", "f8")}
        self.new, self.allocate = cupy.ndarray, cupy.cuda.alloc
        self.current, self.device = cupy.cuda.get_current_stream, cupy.cuda.runtime.getDevice

    @contextlib.contextmanager
    def _in(self, device, stream):
        with self.xp.cuda.Device(device), self.xp.cuda.ExternalStream(stream, device):
            yield

    def use(self, array, stream):
        device = array.data.device_id
        current = self.current(device).ptr
        if self.device() == device and stream in (None, current):
            return current, _NOTHING
        stream = current if stream is None else stream
        return stream, self._in(device, stream)

    def view(self, array, stream):
        data = array.data
        strides = None if array.flags.c_contiguous else array.strides
        return View(array, data.ptr, data.device_id, array.shape, strides, array.dtype.str[1:])

    def empty(self, shape, code, array):
        return self.new(shape, self.types.get(code, code))

    def address(self, array) -> int:
        return array.data.ptr

    def workspace(self, bytes_, array):
        memory = self.allocate(bytes_)
        return memory, memory.ptr

    def cast(self, array, name):
        return array.astype(name)

    def split(self, block, integers, rows):
        if self.is_wasteful(block, rows):
            block = block[:, :rows].copy()
        new, memory, pitch, i8, f8 = self.new, block.data, block.strides[0], self.types["i8"], self.types["f8"]
        return [new((rows,), i8 if i < integers else f8, memory + i * pitch) for i in range(len(block))]


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


class _Other(Arrays):
    """Arrays with DLPack (JAX) or __cuda_array_interface__ (Numba), in one call."""

    #: A stream that does not wait for all others, as the process's default stream does.
    PER_THREAD = 2
    REFUSED = {
        "nonzero": "an array of bool or uint8, C-contiguous along its last axis, is needed",
        "contiguous": "an array that is C-contiguous is needed",
        "positive": "labels of this library are cleaned if they are unsigned",
    }

    def __init__(self, is_jax: bool):
        self.is_jax = is_jax
        self.capsule = None
        if is_jax:
            import jax

            self.jax, self.xp, self.dtype_of = jax, jax.numpy, jax.dtypes.canonicalize_dtype

    def use(self, array, stream):
        if stream is None:
            stream = array.stream if isinstance(array, Lent) else self.PER_THREAD
        self.stream = stream
        return stream, _NOTHING

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
            return View(array, address, self.device, shape, strides, code[1:])
        self.capsule = array.__dlpack__(stream=stream)
        address, self.device, shape, strides, kind, bits = _core.look_at(self.capsule)
        code = {0: "i", 1: "u", 2: "f", 6: "b"}.get(kind, "bf" if kind == 4 else None)
        if code is None:
            raise TypeError("an array of bool, integers or floating-point numbers is needed")
        return View(array, address, self.device, shape, tuple(s * bits // 8 for s in strides), f"{code}{bits // 8}")

    def empty(self, shape, code, array):
        return DeviceArray(shape, code, self.device, self.stream, (array, self.capsule))

    def address(self, array) -> int:
        return array.address

    def workspace(self, bytes_, array):
        memory = self.empty((bytes_,), "u1", array)
        return memory, memory.address

    def cast(self, array, name):
        type_ = np.dtype(name)
        return array.astype(type_ if isinstance(array, np.ndarray) else self.dtype_of(type_))  # a column of split() or of JAX

    def convert(self, array, way):
        if not self.is_jax:
            raise TypeError(self.REFUSED.get(way, f"arrays of this library are not converted: pass one of {way}"))
        return super().convert(array, way)

    def like(self, view):
        return self.empty(view.shape, f"i{view.size}" if self.is_jax else view.code, view.array)

    def count_type(self) -> str:
        # JAX makes 32 bits of 64, by a kernel, unless it is told otherwise.
        return "i4" if self.is_jax and self.dtype_of(np.int64) == np.int32 else "i8"

    def finish(self, array, like=None):
        array.mark_ready(self.stream)
        if not self.is_jax:
            return array
        array = self.jax.dlpack.from_dlpack(array)
        if like is None:
            return array
        return array != 0 if like.dtype == bool else self.jax.lax.bitcast_convert_type(array, like.dtype)

    def split(self, block, integers, rows):
        columns, capacity = block.shape
        host = np.frombuffer(_core.read(self.device, block.address, 8 * capacity, 8 * rows, columns, self.stream), np.int64)
        host = host.reshape(columns, rows).copy()  # which can be written
        return *host[:integers], *host[integers:].view(np.float64)


@functools.cache
def _known(type_):
    library = library_of_type(type_)
    return {"torch": _Torch, "cupy": _CuPy}[library]() if library in ("torch", "cupy") else None


def _arrays_of(array) -> Arrays:
    return _known(type(array)) or _Other(library_of(array) in ("jax", "jaxlib"))


def _begin(array, stream=None) -> tuple:
    """Returns the arrays of the array's library, the stream of a call, and the context of its work."""
    need_cuda()
    arrays = _arrays_of(array)
    return arrays, *arrays.use(array, None if stream is None else handle_of(stream))


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


def _mask(view):
    return None if view.code in _MASKS else "nonzero"


def _packed(view):
    if view.code not in _MASKS:
        raise TypeError("packed bits are an array of uint8")


def _values(view):
    return "float32" if view.code in _HALF else None


def _labels(view):
    if view.code[0] not in "iub" or view.code in _HALF:
        raise TypeError(f"labels are integers, not {view.code}")
    return "int64" if view.code in _MASKS else None


def _elements(view):
    if view.code[0] == "c" or view.size not in (1, 2, 4, 8):
        raise TypeError(f"an array of {view.array.dtype} cannot be cleaned")


def _positive(view):
    if view.code != "b1" and view.code[0] not in "iu":
        raise TypeError(f"labels are integers, not {view.array.dtype}: convert them, or pass values=False for a mask")
    return "positive" if view.code[0] == "i" else None  # as on the CPU, negative ones are background


def _prepare(arrays: Arrays, array, stream, way_of, batch=False) -> View:
    """Returns elements that the library can read, if necessary of a copy. way_of(view) is their conversion or None."""
    view = arrays.view(array, stream)
    if way := way_of(view):
        view = arrays.view(arrays.convert(array, way), stream)
    if view.strides and view.pitches(batch) is None:
        view = arrays.view(arrays.convert(view.array, "contiguous"), stream)._replace(strides=None)
    return view


def _one_device(view: View, other: View) -> View:
    if other.device != view.device:
        raise ValueError(f"arrays are on the devices {view.device} and {other.device}")
    return other


def _is_foreign(arrays: Arrays, other, is_out=False) -> bool:
    """Returns whether calls for `arrays` cannot read an array. JAX reads others by DLPack, which Numba lacks."""
    reads = is_out or not getattr(arrays, "is_jax", False) or hasattr(other, "__dlpack__")
    return type(_arrays_of(other)) is not type(arrays) or not reads


def _check_library(arrays: Arrays, name: str, other) -> None:
    if not on_device(other):
        raise TypeError(f"{name}= is {type(other).__name__}; it must be an array on a GPU")
    if name == "out" and library_of(other) in ("jax", "jaxlib"):
        raise TypeError("arrays of JAX are not written: out= is for other libraries")
    if _is_foreign(arrays, other, name == "out"):
        raise TypeError(f"{name}= is an array of another library than the input")


def _view_out(arrays: Arrays, view: View, stream, out) -> View:
    of_out = _arrays_of(out).view(out, stream)
    if isinstance(arrays, _Other) and getattr(out, "__cuda_array_interface__", {"data": (0, False)})["data"][1]:
        raise ValueError("out= is read-only")
    if of_out.device != view.device:
        raise ValueError(f"out= is on device {of_out.device}, the array on {view.device}")
    return of_out


class _Plan(NamedTuple):
    """How arrays of one shape, layout and type are labeled."""

    native: Any
    workspace_bytes: int
    out_shape: tuple
    images: int
    ndim: int
    extent: tuple
    number: int


@functools.lru_cache(1024)
def _plan(shape, strides, code, connectivity, values, delta, batch, packed_width, out_strides) -> _Plan:
    images, each_shape = images_of(shape) if batch else (1, shape)
    ndim, size = len(each_shape), int(code[1:])
    number = pixels(connectivity, ndim)
    type_ = _value_type(code) if values else _BYTES if packed_width is None else _BITS
    pitches = _pitches(each_shape, strides, size)
    extent = (each_shape[-1], *reversed(each_shape[:-1]))
    out_shape = tuple(shape)
    if packed_width is not None:
        if extent[0] != (packed_width + 7) // 8:
            raise ValueError("packed_width does not fit the last axis, which has a byte for 8 elements")
        extent = (packed_width, *extent[1:])
        out_shape = (*shape[:-1], packed_width)
    if max(extent, default=0) >= 2**31:
        raise ValueError("an axis has 2^31 elements or more")
    label_pitches = _pitches(out_shape[-ndim:], out_strides, 4)
    if label_pitches is None:
        raise ValueError("out= has elements of a row that do not follow each other")
    image_pitch = labels_pitch = 0
    if batch:
        image_pitch = strides[0] if strides else math.prod(each_shape) * size
        labels_pitch = out_strides[0] if out_strides else math.prod(extent) * 4
    extent = (*extent, 1, 1)[:3]
    native = _core.Plan(number, type_, delta, extent, pitches, label_pitches, images, image_pitch, labels_pitch)
    return _Plan(native, max(256, native.workspace_bytes), out_shape, images, ndim, extent, number)


def _run(array, connectivity, values, delta, batch, packed_width, out, stream, work):
    """Prepares a call of work(arrays, plan, array, at), and returns the labels and its result.

    `at`: device, stream, and the addresses of image, labels and workspace, as the functions of a plan take them.
    """
    arrays, stream, context = _begin(array, stream)
    with context:
        view = _prepare(arrays, array, stream, _values if values else _mask if packed_width is None else _packed, batch)
        of_out = None
        if out is not None:
            _check_library(arrays, "out", out)
            of_out = _view_out(arrays, view, stream, out)
            if of_out.code not in ("i4", "u4"):
                raise ValueError(f"out= has the type {of_out.code}; labels on a GPU need int32 or uint32")
        plan = _plan(*view[3:], connectivity, bool(values), float(delta), bool(batch), packed_width, of_out and of_out.strides)
        if of_out is None:
            labels = arrays.empty(plan.out_shape, "i4", view.array)
            address = arrays.address(labels)
        elif tuple(of_out.shape) != plan.out_shape:
            raise ValueError(f"out= has the shape {tuple(of_out.shape)}, the labels have {plan.out_shape}")
        else:
            labels, address = out, of_out.address
            refuse_overlap(of_out.memory(), view.memory())
        workspace, at = arrays.workspace(plan.workspace_bytes, view.array)
        result = work(arrays, plan, view.array, (view.device, stream, view.address, address, at))
    if isinstance(out, DeviceArray):
        out.mark_ready(stream)
    return labels if out is not None else arrays.finish(labels), result


def _counts(arrays, plan, array, at, batch):
    count = arrays.empty((plan.images,) if batch else (), "i8" if batch else arrays.count_type(), array)
    plan.native.label(*at, arrays.address(count))
    return count


def label_async(array, connectivity, values, delta, batch, packed_width, out, stream):
    def work(arrays, plan, array, at):
        return arrays.finish(_counts(arrays, plan, array, at, batch))

    return _run(array, connectivity, values, delta, batch, packed_width, out, stream, work)


def label_into(array, connectivity, values, labels, count, stream):
    """Labels without waiting. `count` is 64 bits."""

    def work(arrays, plan, array, at):
        plan.native.label(*at, count.address)

    _run(array, connectivity, values, 0, False, None, labels, stream, work)


def label(array, connectivity, values, delta, batch, packed_width, out, stream, columns, spacing, areas=False):
    if areas and math.prod(array.shape[:-1]) * (packed_width or math.prod(array.shape[-1:])) >= 2**31:
        raise ValueError("areas of 2^31 elements or more are not counted on a GPU: move the array to the CPU")

    def with_areas(arrays, plan, array, at):
        if out is not None and at[2] == at[3]:
            raise ValueError("out= is the array, which areas need: use another array")
        counts, sizes = arrays.empty((plan.images,), "i8", array), arrays.empty(plan.out_shape, "i4", array)
        elements = math.prod(plan.extent)
        capacity = min(elements, max(1 << 16, elements >> 6))
        while True:
            components, address = arrays.workspace(capacity * _COMPONENT, array)
            table, of_table = arrays.workspace(4 * (capacity + 1), array)
            plan.native.label_areas(*at, arrays.address(counts), address, capacity, of_table, arrays.address(sizes))
            found = _on_host(arrays, counts, (1, plan.images), plan.images, at[0], at[1])[0]
            if found.max(initial=0) <= capacity:
                return (arrays.finish(counts) if batch else int(found[0])), arrays.finish(sizes)
            capacity = int(found.max())

    def wait(arrays, plan, array, at):
        if not batch:
            return plan.native.label_and_wait(*at)
        count = _counts(arrays, plan, array, at, batch)
        _core.read(at[0], 0, 0, 0, 0, at[1])  # waits
        return arrays.finish(count)

    def with_table(arrays, plan, array, at):
        layout = _layout(columns, plan.number, plan.ndim, spacing, 0, False)
        if not layout.is_of_components:  # but sums over labels
            return plan.native.label_and_wait(*at), None
        capacity = min(_few(math.prod(plan.extent)), 1 << 16)
        components, address = arrays.workspace((capacity + 1) * _COMPONENT, array)
        block = arrays.empty((layout.size, capacity), "i8", array)
        count = plan.native.label_table(*at, address, capacity, layout.native, layout.spacing, arrays.address(block))
        return count, (layout.name(arrays.split(block, layout.integers, count)) if count <= capacity else None)

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


def _on_host(arrays, block, shape, rows, device, stream) -> np.ndarray:
    """Returns the first rows of columns of int64 in the memory of the CPU. `shape`: of the block."""
    columns, capacity = shape
    words = _core.read(device, arrays.address(block), 8 * capacity, 8 * rows, columns, stream)
    return np.frombuffer(words, np.int64).reshape(columns, rows)


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


_known_layout = functools.lru_cache(64)(_Layout)


def _layout(properties, connectivity, ndim, spacing, *channels):
    names, lengths = hashable(properties, spacing)
    return _known_layout(names, connectivity, ndim, lengths, *channels)


def measure(labels, intensity, properties, connectivity, spacing, rows=None):
    """`rows`: of the table, which is not waited for, and whose number is returned too."""
    arrays, stream, context = _begin(labels)
    if rows is not None:
        if isinstance(arrays, _Other):
            raise TypeError("tables of this library are read, which waits: use measure()")
        if not 1 <= operator.index(rows) < 2**32 - 1:
            raise ValueError(f"rows is a number of labels from 1 to 2**32 - 2, not {rows}")
    with context:
        samples, numbered = channels_of(intensity, labels.shape)
        image = _Labels(arrays, labels, stream, connectivity)
        layout = _layout(properties, image.number, labels.ndim, spacing, len(samples), numbered)
        return image.measure(layout, samples, rows)


def _few(elements: int) -> int:
    return max(1, min(elements, max(1 << 12, elements >> 9)))


class _Labels:
    """A label image that is measured, or compared with another one."""

    def __init__(self, arrays, labels, stream, connectivity):
        self.arrays, self.stream = arrays, stream
        self.number = pixels(connectivity, labels.ndim)
        self.view = _prepare(arrays, labels, stream, _labels)
        self.native, self.array = self.view.native(), self.view.array
        shape = self.view.shape
        self.extent = (shape[-1], *reversed(shape[:-1]), 1, 1)[:3]
        self.elements = math.prod(shape)
        self.largest, self.ids = (None, None) if self.elements else (0, None)
        self.at = self.view.device, stream

    def _memory(self, bytes_):
        """Returns memory for one call, and as its arguments two words, and a workspace of `bytes_` and these bytes."""
        bytes_ = max(256, bytes_ + -bytes_ % 8)
        memory, at = self.arrays.workspace(bytes_ + 16, self.array)
        return memory, (at + bytes_, at, bytes_)

    def set_highest(self, highest, has_rows=False) -> None:
        """Sets the largest label. Those that are far apart are replaced by their ranks, whose labels `ids` has.

        `has_rows`: each label up to the largest one takes memory, so large images have ranks before, if few labels occur.
        """
        arrays = self.arrays
        bits = 8 << self.native[1] % 4
        if self.native[1] >= _VALUE_TYPES["i1"] and highest >> (bits - 1):
            raise ValueError(f"labels are not negative; one is {highest - (1 << bits)}")
        self.largest = highest
        most = min(max(self.elements, 1 << 20), 2**32 - 2)
        if highest <= (min(most, max(_MANY, self.elements >> 3)) if has_rows else most):
            return
        self.is_unsigned = highest >= 2**63
        capacity = max(1 << 16, self.elements >> 9) if highest <= most else 1 << 16
        while True:
            ranks = arrays.empty(self.extent[::-1], "i4", self.array)
            self.ids = arrays.empty((1, capacity + 1), "i8", self.array)
            of_ranks, of_ids = arrays.address(ranks), arrays.address(self.ids)
            memory, words = self._memory(_core.device_pairs_workspace_bytes(capacity, False))
            self.largest = _core.rank_labels(*self.at, self.native, self.extent, of_ranks, of_ids, capacity, *words)
            if self.largest <= capacity:
                break
            if highest <= most:  # many labels occur
                self.largest, self.ids = highest, None
                return
            capacity = max(self.largest, 4 * capacity)
        self.array, self.native = ranks, (of_ranks, _VALUE_TYPES["u4"], (0, 0))

    def guessed(self) -> int:
        """Returns the largest label. Few are a good guess: then nothing waits for the search of the largest one."""
        return _few(self.elements) if self.largest is None else self.largest

    def find_largest(self) -> None:
        if self.largest is None:
            memory, (word, *_) = self._memory(0)
            self.set_highest(_core.highest_label(*self.at, self.native, self.extent, word))

    def measure(self, layout, samples, rows):
        arrays = self.arrays
        views = []
        for image in samples:
            if not on_device(image) or type(_arrays_of(image)) is not type(arrays):
                raise TypeError("intensity is an array of another library, or in other memory, than labels")
            views.append(_one_device(self.view, _prepare(arrays, image, self.stream, _values)))
        images = [view.native() for view in views]
        while True:
            known = rows if rows is not None else self.largest
            largest = max(1, self.guessed() if rows is None else rows)
            types = [type_ for _, type_, _ in images]
            memory, words = self._memory(layout.native.workspace_bytes(self.extent, largest, self.number, types))
            block = arrays.empty((layout.size, largest), "i8", self.array)
            if rows is not None:
                counts = arrays.empty((2,), "i8", self.array)
                words = (arrays.address(counts), *words[1:])
            found = layout.native.measure(
                *self.at, self.native, images, self.extent, largest, self.number, layout.spacing, arrays.address(block), *words, rows is None
            )
            if rows is not None:
                return layout.name(arrays.split(block, layout.integers, rows)), counts[0]
            if known is None:
                self.set_highest(found[1], has_rows=True)
            if self.largest <= largest and (known is not None or self.ids is None):
                ids = None if self.ids is None else self.signed(arrays.split(self.ids, 1, self.largest + 1)[0][1:])
                return layout.name(arrays.split(block, layout.integers, found[0]), ids)

    def signed(self, ids):
        """Returns columns of the labels of ranks, which may be above those of int64."""
        return ids.view(self.arrays.unsigned) if self.is_unsigned else ids

    def pairs(self, others):
        """Returns the columns of pairs of labels, a block, and their number: both labels, and counts.

        Of overlaps with `others`, the last is the first element; without, contacts.
        """
        if others:
            _one_device(self.view, others.view)
            self.find_largest()
            others.find_largest()
        capacity = 1 << 14
        while True:
            known = self.largest
            largest = max(self.guessed(), others.largest if others else 0)
            capacity = max(capacity, min(largest if known is None else 2 * largest, 1 << 20))
            block = self.arrays.empty((4 if others else 7, capacity), "i8", self.array)
            memory, words = self._memory(_core.device_pairs_workspace_bytes(capacity, others is None))
            count, highest = _core.device_pairs(
                *self.at, self.native, others.native if others else _NO_VIEW, self.extent, self.number, largest,
                self.arrays.address(block), capacity, *words,
            )  # fmt: skip
            if known is None:
                self.set_highest(highest)
            if self.largest > largest or (known is None and self.ids is not None):
                continue
            if count <= capacity:
                return block, count
            capacity = max(count, 4 * capacity)


def contacts(labels, connectivity, spacing) -> dict:
    arrays, stream, context = _begin(labels)
    with context:
        image = _Labels(arrays, labels, stream, connectivity)
        block, count = image.pairs(None)
        if image.ids is not None:
            of_ids = arrays.address(image.ids)
            _core.name_labels(*image.at, arrays.address(block), 2, block.shape[1], count, of_ids, image.largest + 1)
        names = ("label_a", "label_b", "faces_x", "faces_y", "faces_z", "edges", "corners")
        found = dict(zip(names, arrays.split(block, len(names), count)))
        if image.ids is not None:
            found.update({name: image.signed(found[name]) for name in names[:2]})
        return contact_table(found, labels.ndim, spacing, lambda column: arrays.cast(column, "float64"))


def match(truth, prediction, threshold, pairs, per_value, connectivity, empty, distances, spacing, tolerance, min_size, regions):
    arrays, stream, context = _begin(truth)
    if per_value or distances or regions:
        raise ValueError("per_value, distances and regions are for arrays on the CPU")
    options = (per_value, connectivity, empty, distances, spacing, tolerance, min_size, regions)
    thresholds, of_empty, smallest = check_match(threshold, *options)
    if _is_foreign(arrays, prediction):
        raise TypeError("prediction is an array of another library than truth")
    if tuple(truth.shape) != tuple(prediction.shape):
        raise ValueError("truth and prediction have different shapes")
    with context:
        images = [_Labels(arrays, image, stream, None) for image in (truth, prediction)]
        block, count = images[0].pairs(images[1])
        columns = _on_host(arrays, block, block.shape, count, *images[0].at)
        scores, table = _core.match_overlaps(*columns, thresholds, pairs, of_empty, smallest)
        for name, image in zip(("truth", "prediction"), images):
            if table and image.ids is not None:
                ids = _on_host(arrays, image.ids, image.ids.shape, image.largest + 1, *image.at)[0].view(np.uint64)
                table[name] = ids[table[name].astype(np.int64)]
    return match_result(scores, table, pairs, empty)


@functools.lru_cache(256)
def _cleaning(*conditions):
    return _core.Cleaning(*conditions)


def clean(array, connectivity, values, per_value, largest, min_size, max_size, fill_holes, clear_border, seeds, out):
    arrays, stream, context = _begin(array)
    if values is None:
        values = str(array.dtype) not in ("bool", "torch.bool")
    options = (values, per_value, largest, min_size, max_size, fill_holes, clear_border)
    largest, smallest, most, holes = checked_sizes(array.ndim, *options)
    if per_value:
        raise ValueError("per_value is for arrays on the CPU")
    for name, other in (("seeds", seeds), ("out", out)):
        if other is not None:
            _check_library(arrays, name, other)
            if tuple(other.shape) != tuple(array.shape):
                raise ValueError(f"{name}= has another shape than the array")
    if out is not None and out.dtype != array.dtype:
        raise ValueError(f"out= is of {out.dtype}, the array of {array.dtype}")
    number = pixels(connectivity, array.ndim)
    with context:
        source = _prepare(arrays, array, stream, _elements)
        image = _prepare(arrays, source.array, stream, _positive if values else _mask)
        type_ = _value_type(image.code) if values else _BYTES
        if holes and source.code in _ONES:  # numbers that are 0 or NaN become 1
            source = _prepare(arrays, arrays.fill(image.array, source.array), stream, _elements)
        marked = None if seeds is None else _one_device(source, _prepare(arrays, seeds, stream, _mask))
        target = None if out is None else _target(arrays, out, source, [source, image, marked], stream)
        result = arrays.like(source) if target is None else out
        written, size, _ = source.elements()
        written = (arrays.address(result), size, (0, 0)) if target is None else (target.address, size, target.pitches())
        if math.prod(array.shape):
            extent = (array.shape[-1], *reversed(array.shape[:-1]), 1, 1)[:3]
            sizes = (holes, smallest, most)
            cleaning = _cleaning(number, type_, extent, sizes, min(largest, 2**32 - 1), bool(clear_border), seeds is not None)
            workspace, at = arrays.workspace(max(256, cleaning.workspace_bytes), array)
            seen = marked.native(_BYTES) if marked else _NO_VIEW
            ones = _ONES.get(source.code, 1)
            cleaning.clean(source.device, stream, image.native(type_), seen, source.elements(), ones, written, at)
        if isinstance(result, DeviceArray):  # kernels may still read the others
            result.hold((image, source, marked))
        if target is not None:
            if isinstance(out, DeviceArray):
                out.mark_ready(stream)
            return out
        result = arrays.finish(result, array)
        if out is None:
            return result
        out[...] = result
        return out


def _target(arrays, out, source, images, stream) -> View | None:
    """Returns the view of ``out=``, or none if the result is copied there, because it does not fit or overlaps an input."""
    view = _view_out(arrays, source, stream, out)
    if view.pitches() is not None and not any(one and overlap(view.memory(), one.memory()) for one in images):
        return view
    if not hasattr(out, "__setitem__"):
        raise TypeError(f"{type(out).__name__} cannot be assigned to, and overlaps an input or has strides: use another array as out=")
    return None
