"""Arrays of all libraries: checks, conversions and connectivity."""

from __future__ import annotations

import functools
import operator
import os
import sys
import types
import warnings

import numpy as np

from . import _core

#: Number of neighbors, by the axes of the array and those along which neighbors differ at most.
_BY_AXES = {1: {1: 8}, 2: {1: 4, 2: 8}, 3: {1: 6, 2: 18, 3: 26}}


def library_of(array) -> str:
    """Returns the name of the library that defines the type of an array, or a type that it is derived from."""
    kind = type(array)
    return "numpy" if kind is np.ndarray else library_of_type(kind)


@functools.cache
def library_of_type(kind) -> str:
    names = [base.__module__.partition(".")[0] for base in kind.__mro__]
    return next((name for name in names if name in ("torch", "cupy", "jax", "jaxlib", "xarray", "dask")), names[0])


def warn(text: str) -> None:
    """Warns at the line that calls the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "gpuccl":
        frame, level = frame.f_back, level + 1
    warnings.warn(text, UserWarning, stacklevel=level)


def is_narrow(array) -> bool:
    """Returns whether an array has floating-point numbers of 8 or 16 bits that NumPy lacks, which float32 represents."""
    return str(getattr(array, "dtype", None)).removeprefix("torch.").startswith(("bfloat16", "float8"))


def pixels(connectivity, ndim: int) -> int:
    """Returns the connectivity as a number of neighbors: 4, 8, 6, 18 or 26."""
    try:
        if isinstance(connectivity, bool):
            raise TypeError
        return _pixels(connectivity if connectivity is None else operator.index(connectivity), ndim)
    except TypeError:
        kind = type(connectivity).__name__
        raise TypeError(f"connectivity is an integer, not {kind}; gpuccl.compat.scipy.label takes a structure") from None


@functools.lru_cache(64)
def _pixels(connectivity, ndim: int) -> int:
    if not 1 <= ndim <= 3:
        way = "; pass array[:, 0] of a batch (N, 1, H, W) with connectivity=8, and other images or volumes one by one" if ndim == 4 else ""
        raise ValueError(f"an array of 1 to 3 axes is needed, not of {ndim}{way}")
    if connectivity is None:
        return _BY_AXES[ndim][ndim]
    number = connectivity
    if number in _BY_AXES[ndim]:
        return _BY_AXES[ndim][number]
    # In volumes, 4 and 8 label each slice separately.
    if number in {1: (), 2: (4, 8), 3: (4, 8, 6, 18, 26)}[ndim]:
        return number
    allowed = {1: "1", 2: "1, 2, 4 or 8", 3: "1, 2, 3, 6, 18, 26, or of each slice 4 or 8"}[ndim]
    raise ValueError(f"connectivity of {ndim} axes is {allowed}, not {number}")


def check_number(name: str, number, limits="of at least 0") -> None:
    """Refuses an argument that is not a number of at least 0. `limits`: those that the message names."""
    try:
        is_number = not isinstance(number, bool) and bool(0 <= number < np.inf)
    except (TypeError, ValueError):
        is_number = False
    if not is_number:
        raise ValueError(f"{name} is a number {limits}, not {number!r}")


def check_flags(**flags) -> None:
    """Refuses flags that are neither True nor False."""
    for name, flag in flags.items():
        if flag is not None and not (np.ndim(flag) == 0 and isinstance(np.asarray(flag).item(), int) and flag in (0, 1)):
            way = {"stats": "; name columns with properties=", "values": "; select values with numpy.isin()"}.get(name, "")
            raise TypeError(f"{name} is True or False, not {flag!r}{way}")


def periodic_axes(periodic, ndim: int, dims: tuple = ()) -> list[bool]:
    """Returns whether x, y and z are periodic. `periodic` contains letters, numbers of axes of the array, or names of
    its `dims`."""
    chosen = [False, False, False]
    if periodic is None:
        return chosen
    if isinstance(periodic, str):
        named, letters = [name.strip() for name in periodic.split(",")], periodic.replace(",", "")
        periodic = list(letters) if set(letters) <= set("xyz") and not set(named) <= set(dims) else named
    for axis in np.atleast_1d(periodic).tolist():
        if axis in dims:
            place = ndim - 1 - dims.index(axis)
        elif isinstance(axis, str):
            place = "xyz".find(axis) if len(axis) == 1 else -1
        else:
            is_axis = isinstance(axis, (int, np.integer)) and not isinstance(axis, bool) and -ndim <= axis < ndim
            place = ndim - 1 - int(axis) % ndim if is_axis else -1
        if not 0 <= place < ndim:
            letters, last = "xyz"[:ndim], ndim - 1
            names = f", names of {dims}" if dims else ""
            raise ValueError(f"no such axis to be periodic: {axis}; axes are letters of {letters!r}{names}, or 0 to {last}")
        chosen[place] = True
    return chosen


def dims_of(array) -> tuple:
    """Returns the names of the axes of an array of xarray."""
    if library_of(array) != "xarray":
        return ()
    if not hasattr(array, "dtype"):
        raise TypeError("an array is needed, not a Dataset; pass one of its variables: dataset['name']")
    return array.dims


def check_axes(array, other, name: str) -> None:
    """Refuses a second array of xarray, the argument `name`, whose axes are not those of the first. It may have an axis of
    channels more, or be a list of them."""
    dims, others = dims_of(array), dims_of(other)
    for i, one in enumerate(other if dims and isinstance(other, (list, tuple)) else ()):
        check_axes(array, one, f"{name}[{i}]")
    if not dims or not others:
        return
    if others[: len(dims)] != dims:
        names = ", ".join([*map(repr, dims), *["..."][: len(others) - len(dims)]])
        way = f"use {name}.transpose({names})" if set(dims) <= set(others) else f"use {name}.data if these are the same axes"
        raise ValueError(f"{name} has the dims {others}, the first array has {dims}: {way}")
    for dim in dims:
        pair = [each.coords[dim].variable for each in (array, other) if dim in getattr(each, "coords", ())]
        if len(pair) == 2 and not pair[0].equals(pair[1]):
            way = f'{name}.reindex_like(first, method="nearest", tolerance=...), or {name}.data if its elements are in the same order'
            is_angle = dim.lower().startswith("lon") or str(pair[0].attrs.get("units", "")).startswith("degree")
            if is_angle and all(one.dtype.kind in "iuf" and one.size and -180 <= one.min() and one.max() <= 360 for one in pair):
                mine, theirs = (bool(one.max() > 180) - bool(one.min() < 0) for one in pair)  # 1 of 0 to 360, -1 of -180 to 180
                if mine * theirs < 0:
                    wrapped = f"{name}.{dim} % 360" if mine > 0 else f"({name}.{dim} + 180) % 360 - 180"
                    way = f'{name}.assign_coords({dim}={wrapped}).sortby("{dim}")'
            raise ValueError(f"{name} has other coordinates along {dim} than the first array: use {way}")


def on_device(array) -> bool:
    """Returns whether an array is in the memory of a GPU."""
    library = library_of(array)
    if library == "numpy":
        return False
    if library == "torch":
        return array.is_cuda
    if library in ("jax", "jaxlib"):
        if not hasattr(array, "__dlpack_device__"):
            raise TypeError("arrays in jax.jit and jax.vmap have no elements yet; use label and clean of gpuccl.jax")
        return array.__dlpack_device__()[0] == 2
    return hasattr(array, "__cuda_array_interface__") or (hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] == 2)


def is_chunked(array) -> bool:
    """Returns whether an array is a dask array, also in a DataArray."""
    return library_of(array) in ("dask", "xarray") and getattr(array, "chunks", None) is not None


def need_cuda() -> None:
    if not _core.with_cuda:
        raise RuntimeError("this gpuccl was built without CUDA: move the array to the CPU, or install a build with it")


def as_host(array, masked=0, name="array") -> np.ndarray:
    """Returns an array in the memory of the CPU as a NumPy array, without a copy if possible.

    `masked` is the value of masked elements (numpy.ma), `name` the argument.
    """
    if type(array) is np.ndarray:
        if array.dtype.isbuiltin == 2 and is_narrow(array):  # of ml_dtypes
            return array.astype(np.float32)
        if not array.dtype.isnative:
            return array.astype(array.dtype.newbyteorder("="))
        return array
    library = library_of(array)
    if library == "torch":
        return (array.float() if is_narrow(array) else array).detach().numpy()
    if isinstance(array, (bytes, bytearray)):
        return np.frombuffer(array, np.uint8)
    if isinstance(array, (str, os.PathLike)):
        raise TypeError("an array is needed, not the name of a file; gpuccl.label_file labels files")
    dims_of(array)  # refuses a Dataset
    if is_chunked(array):
        raise TypeError(f"{name} is a dask array, not in memory; use the functions of gpuccl.dask, or {name}.compute()")
    if isinstance(array, np.ma.MaskedArray):
        if masked is np.nan and np.ma.is_masked(array):
            array = array.astype(np.result_type(array.dtype, np.float32))
        return as_host(np.asarray(array.filled(masked) if np.ma.is_masked(array) else array.data))
    if isinstance(array, tuple) and len(array) > 1 and isinstance(array[1], (int, np.integer)):
        raise TypeError("an array is needed, not the result of label; unpack it: labels, count = gpuccl.label(image)")
    result = np.asarray(array)
    if result.dtype == object and not isinstance(array, np.ndarray):
        raise TypeError(f"an array of numbers is needed, not {_name(array)}")
    return as_host(result)


def as_floats(array: np.ndarray) -> np.ndarray:
    """Returns an array whose half precision is replaced by single precision."""
    return array.astype(np.float32) if array.dtype == np.float16 else array


def as_labels(array, name="labels") -> np.ndarray:
    """Returns a label image in the memory of the CPU."""
    array = as_host(array, name=name)
    if array.dtype.kind not in "buif":
        raise TypeError(f"labels are integers, not {array.dtype}")
    return as_floats(array)


def as_mask(array) -> np.ndarray:
    """Returns which elements are not 0; NaN is 0."""
    array = as_host(array, name="seeds")
    return (array != 0) & (array == array) if array.dtype.kind == "f" else array != 0


class Output:
    """The array of ``out=``, checked. `array` is what the library writes; finish() completes ``out=``."""

    def __init__(self, out, shape, dtype, input, *others, staged=False, turned=False):
        """Raises an error if `out` does not fit.

        `dtype` is the type that is needed; None stands for all integers. `input` may be `out` itself. No other array
        may share memory with it. `staged`: write to a copy, so that `out` does not change before an error.
        `turned`: arrays in Fortran order can be written, too.
        """
        if is_narrow(out):
            raise ValueError(f"out= has the type {out.dtype}, which NumPy lacks; leave it out, and copy the result")
        if library_of(out) == "torch":
            given = out.detach().numpy()
        else:
            try:
                if isinstance(out, np.ma.MaskedArray):
                    raise TypeError
                given = np.asarray(out if isinstance(out, np.ndarray) else memoryview(out))
            except TypeError:
                raise TypeError(f"out= is {_name(out)}; it must be an array in memory, such as a NumPy array") from None
        if given.shape != shape:
            raise ValueError(f"out= has the shape {given.shape}, the result has {shape}")
        if dtype is None and given.dtype.kind not in "ui":
            raise ValueError(f"out= has the type {given.dtype}; labels need integers, such as int32")
        if dtype is not None and given.dtype.newbyteorder("=") != dtype:
            raise ValueError(f"out= has the type {given.dtype}, the result has {dtype}")
        if not given.flags.writeable:
            raise ValueError("out= is read-only")
        if _repeats(given):
            raise ValueError("out= has several elements at one address; use a copy")
        refuse_overlap(given, input, *others)
        self._given = given
        flags = given.flags
        in_order = flags.c_contiguous or (turned and flags.f_contiguous)
        is_direct = in_order and flags.aligned and given.dtype.isnative and not staged
        self.array = given if is_direct else np.empty(shape, np.int64 if dtype is None else dtype)

    def finish(self) -> None:
        if self.array is self._given:
            return
        limits = np.iinfo(self._given.dtype) if self._given.dtype.kind in "ui" else None
        if limits is not None and self._given.dtype.itemsize < self.array.dtype.itemsize:
            need_room(self._given.dtype, int(self.array.max(initial=0)))
        self._given[...] = self.array


def need_room(dtype, count: int) -> None:
    """Raises an error if a type of integers is too small for so many labels."""
    if count > np.iinfo(dtype).max:
        wider = next(code for code in ("uint16", "int32", "int64") if count <= np.iinfo(code).max)
        raise ValueError(f"out= is too small for {count} labels; use an array of {wider}")


def _name(array) -> str:
    kind = type(array)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def _repeats(array: np.ndarray) -> bool:
    """Returns whether several elements of an array may have one address."""
    if array.size == 0:
        return False
    end = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape) if size > 1):
        if stride < end:
            return True
        end += stride * (size - 1)
    return False


def refuse_overlap(out: np.ndarray, input, *others) -> None:
    """Raises an error if `out` shares memory with an array, unless it is `input` itself."""
    inputs = [(input, True), *((other, False) for other in others)]
    if any(overlap(out, each) and not (may_be and _same(out, each)) for each, may_be in inputs):
        raise ValueError("out= overlaps an input; use another array")


def addresses(address: int, shape, strides, code: str) -> np.ndarray:
    """Returns an array whose elements cannot be read, such as those of a GPU, for refuse_overlap()."""
    memory = {"data": (address, False), "shape": tuple(shape), "strides": strides, "typestr": f"|V{code.lstrip('bfiuc')}", "version": 3}
    return np.asarray(types.SimpleNamespace(__array_interface__=memory))


def overlap(a, b) -> bool:
    """Returns whether two arrays may share memory."""
    if not isinstance(b, np.ndarray):
        return False
    try:
        return np.shares_memory(a, b, max_work=100_000)
    except np.exceptions.TooHardError:
        return True


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.ctypes.data == b.ctypes.data and a.strides == b.strides and a.itemsize == b.itemsize


def like(result: np.ndarray, array, is_labels=False):
    """Returns a result as an array of the library of `array`."""
    library = library_of(array)
    narrow = result.dtype == np.float32 and is_narrow(array)  # of clean()
    if narrow and library != "torch":
        result = result.astype(array.dtype)
    if library == "xarray" and result.shape == array.shape:
        made = array.copy(data=result)  # with its coordinates
        if is_labels:  # these are another quantity, without units
            made.name, made.attrs = None, {}
        return made
    if library == "torch":
        import torch

        return torch.from_numpy(result).to(array.dtype if narrow else None)
    if library in ("jax", "jaxlib"):
        import jax

        return jax.numpy.asarray(result)
    return result
