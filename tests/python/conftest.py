"""Random arrays of all kinds, shared by the tests. GPUCCL_LONG=1 takes 50 times as many."""

import os

import numpy as np
import pytest

collect_ignore = ["gpu_test.py"]  # a program of its own, for a machine with a GPU
LONG = bool(os.environ.get("GPUCCL_LONG"))
COUNT = 100_000 if LONG else 2_000
TYPES = ("?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8", "f2", ">i4", ">f8")


def fewer(part):
    """Returns the number of rounds of a slow test: COUNT in long runs, else COUNT // part."""
    return COUNT if LONG else COUNT // part


def random_shape(random, ndim):
    """Mostly small; sides from 0 to 70."""
    return tuple(int(random.integers(0, 71 if ndim < 3 else 15)) if random.random() < 0.9 else 1 for _ in range(ndim))


def restrided(random, array):
    """Copies elements to memory with other strides: steps, mirrored, turned axes, Fortran order."""
    way = random.integers(0, 6)
    if way == 0:
        wide = np.zeros([2 * n for n in array.shape], array.dtype)
        view = wide[tuple(slice(None, None, 2) for _ in array.shape)]
    elif way == 1:
        view = np.zeros_like(array, order="C")[tuple(slice(None, None, -1) for _ in array.shape)]
    elif way == 2:
        view = np.zeros(array.shape[::-1], array.dtype).T
    elif way == 3:
        view = np.zeros([n + 3 for n in array.shape], array.dtype)[tuple(slice(2, n + 2) for n in array.shape)]
    else:
        return array
    view[...] = array
    return view


def random_array(random, types=TYPES, ndim=None, values=None, strides=True):
    ndim = int(random.integers(1, 4)) if ndim is None else ndim
    shape = random_shape(random, ndim)
    values = int(random.integers(1, 5)) if values is None else values
    array = random.integers(1, values + 1, shape) * (random.random(shape) < random.random())
    if random.random() < 0.3 and all(shape):  # larger cells
        array = np.kron(array, np.ones((2,) * ndim, int))[tuple(slice(0, n) for n in shape)]
    array = array.astype(types[random.integers(len(types))])
    if array.dtype.kind in "if" and random.random() < 0.3:
        array = -array
    return restrided(random, array) if strides else array


def refused(error, match, function, *arguments, **options):
    """Requires that the call raises `error` with a message that `match` finds."""
    with pytest.raises(error, match=match):
        function(*arguments, **options)


@pytest.fixture
def random(request):
    import zlib

    return np.random.default_rng(zlib.crc32(request.node.name.encode()))
