"""CuPy and Numba as gpuccl sees them, with arrays in the memory of the CPU, which is that of the emulated device."""

import ctypes
import sys
import types

import numpy as np


class Memory:
    """Where an array, or memory of an allocation, begins."""

    device_id = 0

    def __init__(self, owner, offset=0):
        self.owner, self.offset = owner, offset

    @property
    def ptr(self):
        return self.owner.ctypes.data + self.offset

    def __add__(self, offset):
        return Memory(self.owner, self.offset + offset)


class ndarray(np.ndarray):
    def __new__(cls, shape, dtype=float, memory=None):
        if memory is None:
            made = np.empty(shape, dtype).view(cls)
            made.view(np.ndarray).view(np.uint8)[...] = 0xA5  # what is in new memory may not be relied on
            return made
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        made = np.ndarray.__new__(cls, shape, dtype, (ctypes.c_char * size).from_address(memory.ptr))
        made.owner = memory.owner
        return made

    data = property(Memory)

    def get(self):
        return np.array(self)

    @property
    def __cuda_array_interface__(self):
        return self.__array_interface__ | {"stream": 2}


def like_cupy(function):
    return lambda *arguments: function(*arguments).view(ndarray)


def alloc(size):
    owner = np.full(size + 256, 0xA5, np.uint8)
    return Memory(owner, -owner.ctypes.data % 256)


class NumbaArray:
    def __init__(self, array):
        self._array = np.ascontiguousarray(array)
        self.shape, self.ndim, self.dtype = self._array.shape, self._array.ndim, self._array.dtype

    @property
    def __cuda_array_interface__(self):
        return self._array.__array_interface__

    def __array__(self, dtype=None, copy=None):
        return np.array(self._array, dtype)

    def __getitem__(self, index):
        view = NumbaArray.__new__(NumbaArray)
        view._array = self._array[index]
        view.shape, view.ndim, view.dtype = view._array.shape, view._array.ndim, view._array.dtype
        return view


def modules():
    """Returns the modules cupy and numba.cuda, which are registered."""
    cupy, numba, cuda = (types.ModuleType(name) for name in ("cupy", "numba", "numba.cuda"))
    ndarray.__module__, NumbaArray.__module__ = "cupy", "numba.cuda"
    cupy.ndarray, cupy.maximum, cupy.float32 = ndarray, np.maximum, np.float32
    cupy.asarray, cupy.ascontiguousarray, cupy.where = map(like_cupy, (np.array, np.ascontiguousarray, np.where))
    cupy.asnumpy = np.array
    stream = types.SimpleNamespace(ptr=2)
    cupy.cuda = types.SimpleNamespace(
        alloc=alloc, get_current_stream=lambda device=0: stream, runtime=types.SimpleNamespace(getDevice=lambda: 0)
    )
    cuda.to_device = NumbaArray
    found = {"cupy": cupy, "numba": numba, "numba.cuda": cuda}
    sys.modules.update(found)
    return found
