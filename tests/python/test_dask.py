"""Arrays in chunks of any sizes: the labels of the whole."""

import numpy as np
import pytest
from conftest import LONG

import gpuccl

da = pytest.importorskip("dask.array")


def random_chunks(random, size):
    cuts = np.sort(random.integers(0, size + 1, int(random.integers(0, 4))))
    return tuple(int(n) for n in np.diff([0, *cuts, size]))  # some are 0


def test_chunks_of_any_sizes(random):
    import gpuccl.dask

    for _ in range(2_000 if LONG else 100):
        ndim = int(random.integers(1, 4))
        shape = tuple(random.integers(1, (60, 30, 12)[ndim - 1], ndim))
        values = bool(random.integers(2))
        array = random.integers(1, 4, shape) * (random.random(shape) < random.random())
        if random.integers(2):
            array = np.ma.masked_array(array, random.random(shape) < 0.2)
        reach = int(random.integers(1, ndim + 1))
        chunked = da.from_array(array, chunks=tuple(random_chunks(random, size) for size in shape))
        labels, count = gpuccl.dask.label(chunked, reach, values=values)
        expected, expected_count = gpuccl.label(array, reach, values=values)
        assert labels.chunks == tuple(tuple(n for n in sizes if n) for sizes in chunked.chunks) and labels.dtype == np.int64
        assert count == expected_count
        np.testing.assert_array_equal(labels.compute(scheduler="sync"), expected)


def test_volumes_whose_components_are_longer_than_chunks(random):
    import gpuccl.dask

    volume = random.random((70, 50, 80)) < 0.32  # about where faces connect all of it
    wall = np.zeros((34, 40, 36), bool)
    wall[:, ::2], wall[:, 1::4, 0], wall[:, 3::4, -1] = True, True, True  # one component, there and back through all chunks
    for array, reach in ((volume, 1), (volume, 3), (wall, 1)):
        for chunks in (32, (70, 7, 110)):
            chunked = da.from_array(array, chunks=chunks)
            labels, count = gpuccl.dask.label(chunked, reach)
            expected, expected_count = gpuccl.label(array, reach)
            assert count == expected_count and (array is not wall or count == 1)
            np.testing.assert_array_equal(labels.compute(), expected)
            some = tuple(slice(n // 3, n // 2) for n in array.shape)
            np.testing.assert_array_equal(labels[some].compute(), expected[some])  # of these chunks alone


def test_arrays_that_dask_cannot_label():
    import gpuccl.dask

    with pytest.raises(TypeError, match="a dask array is needed, not ndarray"):
        gpuccl.dask.label(np.ones((2, 2)))
    volume = da.zeros((4, 4, 4), chunks=2)
    with pytest.raises(ValueError, match="slices"):
        gpuccl.dask.label(volume, 8)
    unknown = da.from_array(np.arange(9))
    with pytest.raises(ValueError, match="chunks"):
        gpuccl.dask.label(unknown[unknown > 4])


def test_chains_of_chunks_are_united():
    """Labels 1 to n, in an order that is far from that of their first elements, touch in a chain or in a star."""
    n = 5000
    random = np.random.default_rng(4)
    places = np.concatenate([[0], random.permutation(n)])
    chain = random.permutation(n).reshape(-1, 1) + 1
    for pairs, count in (
        (np.hstack([chain[:-1], chain[1:]]), 1),
        (np.hstack([chain[:-1], np.full((n - 1, 1), chain[-1, 0])]), 1),
        (np.hstack([chain[:-1:2], chain[1::2]]), n // 2),
        (np.empty((0, 2), np.int64), n),
    ):
        numbers, found = gpuccl.dask._unite(places, pairs)
        assert found == count and numbers[0] == 0 and numbers.max() == count
        assert all(numbers[a] == numbers[b] for a, b in pairs)
        firsts = [places[1:][numbers[1:] == number].min() for number in range(1, min(count, 200) + 1)]
        assert firsts == sorted(firsts)
