"""Labeling of dask arrays, which may be larger than memory.

Each chunk is labeled separately, components are merged across the faces of chunks, and chunks are labeled again with
their final numbers. Labels are those of the array in memory. One chunk and all faces are in memory at a time.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from . import _host
from ._kinds import as_host, pixels

__all__ = ["label"]


def label(array: Any, connectivity: int | None = None, *, values: bool = False) -> tuple[Any, int]:
    """Label the connected components of a dask array.

    Parameters
    ----------
    array : dask.array.Array
        An array of 1 to 3 axes, in chunks of any sizes.
    connectivity : int, optional
        As in :func:`gpuccl.label`, other than 4 and 8 in volumes.
    values : bool
        Connect elements with equal values other than 0.

    Returns
    -------
    labels : dask.array.Array of int64
        Components from 1 to n in raster order, as from :func:`gpuccl.label`. Computing it labels the chunks again.
        Its chunks are those of the array that have elements.
    n : int
        Number of components. It is computed at once, so the array is read.

    Examples
    --------
    >>> labels, n = gpuccl.dask.label(dask.array.from_zarr("cells.zarr"))  # doctest: +SKIP
    >>> labels.to_zarr("labels.zarr")                                      # doctest: +SKIP
    """
    import dask
    import dask.array as da

    if not isinstance(array, da.Array):
        raise TypeError(f"a dask array is needed, not {type(array).__name__}; gpuccl.label labels arrays in memory")
    number = pixels(connectivity, array.ndim)
    if array.ndim == 3 and number in (4, 8):
        raise ValueError("connectivity 4 and 8 label slices separately; label each slice instead")
    reach = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}[number] if array.ndim > 1 else 1
    if any(np.isnan(size) for sizes in array.chunks for size in sizes):
        raise ValueError("the sizes of chunks are unknown; call array.compute_chunk_sizes()")
    if array.size == 0:
        return da.zeros(array.shape, np.int64), 0
    # Chunks without elements, which dask makes when it selects, are not neighbors of others.
    full = [np.flatnonzero(sizes) for sizes in array.chunks]
    chunks = [[sizes[i] for i in some] for sizes, some in zip(array.chunks, full)]
    starts = [np.cumsum((0, *sizes))[:-1] for sizes in chunks]
    blocks = array.to_delayed()[np.ix_(*full)]
    places = list(np.ndindex(blocks.shape))
    first = {p: tuple(int(starts[axis][i]) for axis, i in enumerate(p)) for p in places}
    found = {p: dask.delayed(_look, pure=True)(blocks[p], connectivity, values, first[p], array.shape) for p in places}
    # Each pair of neighboring chunks is compared once, from the later chunk.
    sides = [s for s in itertools.product((-1, 0, 1), repeat=array.ndim) if s < (0,) * array.ndim]
    sides = [s for s in sides if sum(map(abs, s)) <= reach]
    pairs = []
    for p in places:
        for side in sides:
            q = tuple(i + d for i, d in zip(p, side))
            if q in found:
                pairs.append(((p, q), dask.delayed(_touching, pure=True)(found[p][1], found[q][1], side, reach)))
    numbers, touching = dask.compute([found[p][0] for p in places], [pair for _, pair in pairs])
    offsets = dict(zip(places, np.cumsum([0, *(len(some) for some in numbers)]).tolist()))
    sizes = {p: len(some) for p, some in zip(places, numbers)}
    united = np.concatenate([np.zeros(1, np.int64), *numbers])
    joined = [
        some + np.array([offsets[p], offsets[q]]) for ((p, q), _), some in zip(pairs, touching) if len(some)
    ]
    joined = np.concatenate(joined) if joined else np.empty((0, 2), np.int64)
    united, count = _unite(united, joined)

    def relabel(block, p):
        begin = offsets[p] + 1
        map_ = np.concatenate([np.zeros(1, np.int64), united[begin : begin + sizes[p]]])
        return dask.delayed(_relabel, pure=True)(block, connectivity, values, map_)

    made = np.empty(blocks.shape, object)
    for p in places:
        shape = tuple(chunks[axis][i] for axis, i in enumerate(p))
        made[p] = da.from_delayed(relabel(blocks[p], p), shape, np.int64)
    return da.block(made.tolist()), count


def _unite(places, pairs):
    """Returns the number of the component of each label, in the order of `places`, and the number of components.

    `places` are the first elements of the labels 0 to n, and `pairs` are labels that touch. Label 0 is background.
    """
    order = np.argsort(places[1:], kind="stable")
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    roots = np.arange(len(order))  # the smallest known rank of each component
    pairs = ranks[pairs - 1]
    while len(pairs):
        np.minimum.at(roots, pairs.max(axis=1), pairs.min(axis=1))
        while (shorter := roots[roots]).tobytes() != roots.tobytes():
            roots = shorter
        pairs = roots[pairs]
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    firsts, numbers = np.unique(roots, return_inverse=True)
    return np.concatenate([[0], numbers[ranks] + 1]), len(firsts)


def _label(block, connectivity, values):
    return _host.label(block, connectivity, values, 0, None, None, None, None, None, None)[:2]


def _look(block, connectivity, values, first, whole):
    """Returns the index in the array of the first element of each component of a chunk, and the faces of the chunk."""
    block = as_host(block)  # without a mask
    labels, count = _label(block, connectivity, values)
    flat = labels.reshape(-1)
    places = np.zeros(count, np.int64)
    if count:
        # Labels are in raster order, so each begins where the running maximum grows.
        highest = np.maximum.accumulate(flat)
        begins = np.flatnonzero(highest[1:] != highest[:-1]) + 1
        if flat[0]:
            begins = np.concatenate([[0], begins])
        place = np.unravel_index(begins, block.shape)
        places[:] = np.ravel_multi_index([at + f for at, f in zip(place, first)], whole)
    faces = {}
    for axis in range(block.ndim):
        for side in (0, -1):
            index = [slice(None)] * block.ndim
            index[axis] = slice(0, 1) if side == 0 else slice(-1, None)
            faces[axis, side] = (
                labels[tuple(index)].copy(),
                block[tuple(index)].copy() if values else None,
            )
    return places, faces


def _touching(faces, others, side, reach):
    """Returns the pairs of labels that touch between two chunks. `side` is the direction of the other chunk."""
    axis = next(i for i, d in enumerate(side) if d)
    mine, mine_values = faces[axis, 0 if side[axis] < 0 else -1]
    theirs, their_values = others[axis, -1 if side[axis] < 0 else 0]
    # Reduce both to the shared face, edge or corner.
    here, there = [], []
    for i, d in enumerate(side):
        here.append(slice(None) if i == axis or d == 0 else slice(0, 1) if d < 0 else slice(-1, None))
        there.append(slice(None) if i == axis or d == 0 else slice(-1, None) if d < 0 else slice(0, 1))
    mine, theirs = mine[tuple(here)], theirs[tuple(there)]
    if mine_values is not None:
        mine_values, their_values = mine_values[tuple(here)], their_values[tuple(there)]
    left = reach - sum(map(abs, side))  # number of shared axes along which neighbors may differ
    shared = [i for i, d in enumerate(side) if d == 0]
    pairs = []
    for shift in itertools.product((-1, 0, 1), repeat=len(shared)):
        if sum(map(abs, shift)) > left:
            continue
        a, b = [slice(None)] * mine.ndim, [slice(None)] * mine.ndim
        for i, d in zip(shared, shift):
            a[i] = slice(max(0, -d), mine.shape[i] - max(0, d))
            b[i] = slice(max(0, d), mine.shape[i] - max(0, -d))
        a, b = tuple(a), tuple(b)
        touch = (mine[a] != 0) & (theirs[b] != 0)
        if mine_values is not None:
            touch &= mine_values[a] == their_values[b]
        pairs.append(np.stack([mine[a][touch], theirs[b][touch]], axis=-1))
    return np.unique(np.concatenate(pairs).astype(np.int64).reshape(-1, 2), axis=0)


def _relabel(block, connectivity, values, map_):
    labels, _ = _label(block, connectivity, values)
    return map_[labels]
