"""Labeling, measuring, matching and cleaning of dask arrays, which may be larger than memory.

Chunks are processed where they are, in any scheduler of dask. Faces of chunks and tables of their objects are joined. A
few chunks, all faces and all tables are in memory at a time. Results are those of the array in memory. A DataArray of
xarray that contains a dask array is taken, too; labels and cleaned arrays are then DataArrays with its coordinates.
"""

from __future__ import annotations

import itertools
import math
import operator
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _host
from . import label as label_in_memory
from ._kinds import as_floats, as_host, as_labels, as_mask, check_axes, check_flags, dims_of, is_chunked, like, periodic_axes, pixels
from ._measures import DEFAULT as _DEFAULT
from ._measures import Columns, chosen, sign_together, warn_of_mask, warn_of_masks

if TYPE_CHECKING:
    from ._measures import Names, Spacing, Table

__all__ = ["label", "measure", "match", "clean", "contacts"]


def label(
    array: Any, connectivity: int | None = None, *, values: bool = False, periodic: Any = None, lazy: bool = False
) -> tuple[Any, Any]:
    """Label the connected components of a dask array.

    Parameters
    ----------
    array : dask.array.Array
        An array of 1 to 3 axes, in chunks of any sizes.
    connectivity : int, optional
        As in :func:`gpuccl.label`, other than 4 and 8 in volumes.
    values : bool
        Connect elements with equal values other than 0.
    periodic : str or sequence of int, optional
        Axes whose opposite borders touch, as in :func:`gpuccl.label`.
    lazy : bool
        Return `n` as a dask array without axes, and compute nothing.

    Returns
    -------
    labels : dask.array.Array
        Of int32, or of int64 if there are 2**31 labels or more (with `lazy`, if there may be). Components from 1 to n in
        raster order, as from :func:`gpuccl.label`. Computing it labels the chunks again.
        Its chunks are those of the array that have elements.
    n : int, or dask.array.Array with `lazy`
        Number of components. An int is computed at once, so the array is read.

    Examples
    --------
    >>> labels, n = gpuccl.dask.label(dask.array.from_zarr("cells.zarr"), lazy=True)  # doctest: +SKIP
    >>> dask.compute(labels.to_zarr("labels.zarr", compute=False), n)                 # doctest: +SKIP
    """
    import dask.array as da
    from dask.delayed import Delayed
    from dask.graph_manipulation import bind

    check_flags(values=values, lazy=lazy)
    given = array
    array = array.data if dims_of(array) else array
    chunks = _Chunks(array)
    number = pixels(connectivity, array.ndim)
    if array.ndim == 3 and number in (4, 8):
        raise ValueError("connectivity 4 and 8 label slices separately; label each slice instead")
    reach = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}[number] if array.ndim > 1 else 1
    wraps = periodic_axes(periodic, array.ndim, dims_of(given))[array.ndim - 1 :: -1]
    if array.size == 0:
        return like(da.zeros(array.shape, dtype=np.int32), given, is_labels=True), da.zeros((), dtype=np.int64) if lazy else 0
    if any(wrap and size == 1 for wrap, size in zip(wraps, array.shape)):
        raise ValueError("an axis of one element cannot be periodic")
    tasks = _Tasks()
    numbers_of = {p: i for i, p in enumerate(chunks.places)}
    found = {p: tasks.add(_look, chunks.keys[p], connectivity, values, chunks.start(p), array.shape) for p in chunks.places}
    firsts = [tasks.add(operator.getitem, found[p], 0) for p in chunks.places]
    faces = {p: tasks.add(operator.getitem, found[p], 1) for p in chunks.places}
    # Each pair of neighboring chunks is compared once, from the later chunk.
    sides = [s for s in itertools.product((-1, 0, 1), repeat=array.ndim) if s < (0,) * array.ndim]
    sides = [s for s in sides if sum(map(abs, s)) <= reach]
    pairs, touching = [], []
    for i, p in enumerate(chunks.places):
        near = []
        for side in sides:
            q = [at + d for at, d in zip(p, side)]
            q = tuple(at % n if wrap else at for at, n, wrap in zip(q, chunks.counts, wraps))
            if q in found:
                pairs.append((i, numbers_of[q]))
                near.append((list(side), faces[q]))
        if near:
            touching.append(tasks.add(_touching_all, faces[p], *map(list, zip(*near)), reach))
    numbers = tasks.add(_number, firsts, np.array(pairs, np.int64).reshape(-1, 2), touching)
    if lazy:
        later = Delayed(numbers, tasks.graph(chunks), layer=tasks.name)
        array = bind(array, later)  # other keys, so that no chunk stays in memory until its second use
        count = _array(later, (), np.int64, lambda name: {(name,): (np.asarray, (operator.getitem, numbers, -1))})
    else:
        later, numbers = None, tasks.compute([numbers], chunks)[0]
        count = int(numbers[-1])
    final = _Chunks(array)
    most = math.prod((size + 1) // 2 for size in array.shape) if reach == array.ndim and not values else array.size
    code = np.dtype(np.int32 if (most if lazy else count) < 2**31 else np.int64)
    maps = {p: (operator.getitem, numbers, i) if lazy else numbers[i] for i, p in enumerate(final.places)}
    labels = final.map(lambda p, block: (_relabel, block, connectivity, values, maps[p], code), code, later)
    return like(labels, given, is_labels=True), count


def measure(
    labels: Any,
    intensity: Any = None,
    properties: Names = _DEFAULT,
    *,
    connectivity: int | None = None,
    spacing: Spacing = None,
) -> Table:
    """Measure the objects of a dask array of labels.

    Parameters
    ----------
    labels : dask.array.Array
        Labels as in :func:`gpuccl.measure`, in chunks of any sizes. Axes have less than 2**31 elements.
    intensity : dask.array.Array, optional
        Samples of the same shape. Chunks of real samples must be whole along all axes but the first (in 1D: one chunk),
        because such samples are added in the order of the array.
    properties, connectivity, spacing
        As in :func:`gpuccl.measure`, without ``components``, ``holes`` of images, and what needs crops.

    Returns
    -------
    dict of numpy.ndarray
        The table of :func:`gpuccl.measure`. It is computed at once. Hulls, Feret diameters, radii, percentiles and real
        samples read the arrays twice.

    Examples
    --------
    >>> table = gpuccl.dask.measure(labels, properties=("label", "area", "perimeter"))  # doctest: +SKIP
    """
    table = _measure(labels, intensity, chosen(properties, intensity), connectivity, spacing)
    warn_of_mask(labels, *table.values())
    return table


def _measure(labels, intensity, properties, connectivity=None, spacing=None) -> Table:
    labels, intensity = _arrays(labels, intensity, "intensity")
    _Chunks(labels, "measure")
    number = pixels(connectivity, labels.ndim)
    columns = Columns(properties, labels.ndim, spacing)
    if columns.of_crops:
        raise ValueError(f"{columns.of_crops[0]} needs labels in memory; use gpuccl.measure(labels[slice].compute(), ...)")
    if intensity is not None:
        _Chunks(intensity, "measure")
    sample = None if intensity is None else _host.as_samples(np.empty((1,), intensity.dtype))
    request = columns.request(sample)
    around, needs_objects, in_order = _core.needs_of_block(number, request)
    labels = labels.rechunk(tuple(_thick(sizes, 2 * around) for sizes in labels.chunks))
    chunks = _Chunks(labels)
    sampled = None if intensity is None else chunks.like(intensity, "intensity")
    both = [chunks] if intensity is None else [chunks, sampled]
    rest = range(min(1, labels.ndim - 1), labels.ndim)
    if in_order and any(chunks.counts[axis] > 1 for axis in rest):
        raise ValueError(
            "real samples are added in the order of the array: rechunk labels and intensity to "
            f"{dict.fromkeys(rest, -1)}, or convert the samples to integers"
        )

    def share(p, tasks):
        block = chunks.with_before(tasks, p, 2 * around, as_labels)
        samples = None if intensity is None else sampled.with_before(tasks, p, 2 * around, _as_samples)
        return block, chunks.place(p, around), number, *request[:2], samples, known.get(p)

    whole = _sizes(labels.shape)
    known: dict = {}
    found = _compute(_measure_block, share, *both)
    if needs_objects:
        objects = _rows(_core.join_blocks(found, whole, number, None))
        for p, one in zip(chunks.places, found):
            known[p] = objects[np.searchsorted(objects[:, 1], _rows(one)[:, 1])].ravel()
        found = _compute(_measure_block, share, *both)
    return columns.name(_core.join_blocks(found, whole, number, request))


def match(
    truth: Any,
    prediction: Any,
    threshold: float | Sequence[float] = 0.5,
    *,
    pairs: bool = False,
    empty: Any = None,
    min_size: Any = 0,
    per_value: bool = False,
    connectivity: int | None = None,
    distances: bool = False,
    spacing: Any = None,
    tolerance: float | None = None,
    regions: bool = False,
) -> Any:
    """Match the objects of two dask arrays of labels, and score the second array.

    Parameters
    ----------
    truth, prediction : dask.array.Array
        Labels as in :func:`gpuccl.measure`, of the same shape.
    threshold, pairs, empty, min_size
        As in :func:`gpuccl.match`. The other arguments need whole images in memory, and raise an error.

    Returns
    -------
    scores : dict
        The scores of :func:`gpuccl.match`. They are computed at once.
    table : dict of numpy.ndarray
        Only with `pairs`.

    Examples
    --------
    >>> gpuccl.dask.match(truth, prediction)["average_precision"]  # doctest: +SKIP
    """
    check_flags(pairs=pairs)
    whole_only = {"per_value": per_value, "connectivity": connectivity, "distances": distances, "spacing": spacing}
    whole_only |= {"tolerance": tolerance, "regions": regions}
    for name in (name for name, value in whole_only.items() if value is not None and value is not False):
        raise ValueError(f"{name} needs the whole images; use gpuccl.match(truth.compute(), ...), or gpuccl match for files")
    thresholds, of_empty, smallest = _host.check_match(threshold, False, None, empty, False, None, None, min_size)
    given = truth, prediction
    truth, prediction = _arrays(truth, prediction, "prediction")
    chunks = _Chunks(truth, "match")
    others = chunks.like(prediction, "prediction")
    whole = _sizes(truth.shape)
    found = _compute(_overlaps, lambda p, _: (chunks.keys[p], others.keys[p], _sizes(chunks.start(p), 0), whole), chunks, others)
    tables = {name: [one[name] for one in found] for name in ("truth", "prediction", "pixels", "first")}
    ids, ranks = {}, {}
    for name in ("truth", "prediction"):
        ids[name], places = np.unique(np.concatenate([np.zeros(1, np.uint64), *tables[name]]), return_inverse=True)
        ranks[name] = places[1:].astype(np.int64)
    none = np.zeros(0, np.int64)
    counts, firsts = (np.concatenate([none, *tables[name]]) for name in ("pixels", "first"))
    scores, table = _core.match_overlaps(ranks["truth"], ranks["prediction"], counts, firsts, thresholds, bool(pairs), of_empty, smallest)
    for name in ids if pairs else ():
        table[name] = ids[name][table[name]]
    warn_of_masks(*given, scores, min_size)
    return _host.match_result(scores, table, pairs, empty)


def clean(
    array: Any,
    connectivity: int | None = None,
    *,
    values: bool | None = None,
    per_value: bool = False,
    largest: int | None = None,
    min_size: int | None = None,
    max_size: int | None = None,
    fill_holes: bool | int = False,
    clear_border: bool = False,
    seeds: Any = None,
) -> Any:
    """Remove components of a dask array.

    Parameters
    ----------
    array : dask.array.Array
        A mask, or labels that are integers. Axes have less than 2**31 elements.
    connectivity, values, per_value, largest, min_size, max_size, fill_holes, clear_border
        As in :func:`gpuccl.clean`. In volumes, slices cannot be cleaned separately.
    seeds : dask.array.Array, optional
        As in :func:`gpuccl.clean`.

    Returns
    -------
    dask.array.Array
        An array as `array`, with 0 for removed components. Which components remain is computed at once.

    Examples
    --------
    >>> cells = gpuccl.dask.clean(image > 90, min_size=50, fill_holes=True)  # doctest: +SKIP
    """
    import dask.array as da

    given = array
    array, seeds = _arrays(array, seeds, "seeds")
    _Chunks(array, "clean")
    number = pixels(connectivity, array.ndim)
    values = array.dtype != np.bool_ if values is None else values
    if values and array.dtype.kind not in "bui":
        raise TypeError(f"labels in chunks are integers, not {array.dtype}; convert them, or add values=False for a mask")
    sizes = _host.checked_sizes(array.ndim, values, per_value, largest, min_size, max_size, fill_holes, clear_border)
    objects = array.map_blocks(_positive if values else as_mask, dtype=array.dtype if values else bool)
    if sizes[3]:
        outside = label(~objects, {4: 8, 8: 4, 6: 26}.get(number, 6))[0]
        objects = objects | _where(outside, _selected(outside, _objects(outside), max_size=sizes[3], clear_border=True))
    labels = label(objects, connectivity, values=values)[0]
    rows = _objects(labels)
    if seeds is not None:
        seeds = _Chunks(labels).like(seeds, "seeds").array.map_blocks(as_mask, dtype=bool)
        rows = rows[_measure(labels, seeds, ("intensity_max",))["intensity_max"] > 0]
    of_rows = None
    if per_value:
        chunks = _Chunks(labels)
        others = chunks.like(objects, "array")
        found = _compute(_overlaps, lambda p, _: (chunks.keys[p], others.keys[p], [0] * 3, [1] * 3), chunks, others)
        of_labels = {}
        for one in found:
            pairs = one["pixels"] > 0
            of_labels.update(zip(one["truth"][pairs].tolist(), one["prediction"][pairs].tolist()))
        of_rows = np.array([of_labels[number] for number in rows[:, 1].tolist()], np.uint64)
    kept = _selected(labels, rows, per_value, *sizes[:3], clear_border, of_rows)
    cleaned = da.map_blocks(_fill, array.rechunk(labels.chunks), _where(labels, kept), dtype=array.dtype)
    meta = getattr(given, "_meta", None)
    if _is_cupy(meta):
        import cupy

        cleaned = cleaned.map_blocks(cupy.asarray, meta=meta)
    return like(cleaned, given)


def contacts(labels: Any, connectivity: int | None = None, *, spacing: Spacing = None) -> Table:
    """List the labels of a dask array that touch.

    Parameters
    ----------
    labels : dask.array.Array
        Labels as in :func:`gpuccl.measure`, in chunks of any sizes.
    connectivity, spacing
        As in :func:`gpuccl.contacts`.

    Returns
    -------
    dict of numpy.ndarray
        The table of :func:`gpuccl.contacts`. It is computed at once.

    Examples
    --------
    >>> table = gpuccl.dask.contacts(labels, spacing=(2, 0.5, 0.5))  # doctest: +SKIP
    """
    warn_of_mask(labels)
    labels, _ = _arrays(labels)
    chunks = _Chunks(labels, "contacts")
    number = pixels(connectivity, labels.ndim)
    found = _compute(_contacts, lambda p, tasks: (chunks.with_before(tasks, p, 1, as_labels), [at > 0 for at in p], number), chunks)
    return _host.contact_table(sign_together(_added(found), "label_a", "label_b"), labels.ndim, spacing)


def _arrays(array, other=None, name: str = "") -> list:
    """Returns the arrays of DataArrays, whose axes must be the same. `name` is the argument of the second.

    Chunks of CuPy are copied to the CPU.
    """
    check_axes(array, other, name)
    arrays = [one.data if dims_of(one) else one for one in (array, other)]
    if is_chunked(array) and other is not None and not is_chunked(other):
        first = {"intensity": "labels", "prediction": "truth"}.get(name, "array")
        have_dims = dims_of(array) and dims_of(other)
        way = f"{name}.chunk({first}.chunksizes)" if have_dims else f"dask.array.from_array({name}, chunks={first}.chunks)"
        way = f"use {way}" if hasattr(other, "shape") else "pass one array, such as one channel"
        raise TypeError(f"a dask array is needed, not {type(other).__name__}, as {name}; {way}")
    on_gpu = [_is_cupy(getattr(one, "_meta", None)) for one in arrays]
    return [one.map_blocks(_on_host, meta=np.empty((0,) * one.ndim, one.dtype)) if gpu else one for one, gpu in zip(arrays, on_gpu)]


class _Chunks:
    """The chunks of a dask array that have elements. Others, which dask makes when it selects, are not neighbors."""

    def __init__(self, array: Any, caller: str = "label"):
        import dask.array as da

        if not isinstance(array, da.Array):
            ways = {"str": "open a Zarr with dask.array.from_zarr()", "Array": "wrap it with dask.array.from_array()"}
            way = ways.get(type(array).__name__, f"gpuccl.{caller} takes arrays in memory")
            raise TypeError(f"a dask array is needed, not {type(array).__name__}; {way}")
        if any(np.isnan(size) for sizes in array.chunks for size in sizes):
            raise ValueError("the sizes of chunks are unknown; call array.compute_chunk_sizes()")
        pixels(None, array.ndim)
        if caller in ("measure", "clean") and max(array.shape) >= 2**31:
            raise ValueError(f"gpuccl.dask.{caller} takes axes of less than 2**31 elements; select a part of {array.shape}")
        full = [np.flatnonzero(sizes) for sizes in array.chunks]
        self.array = array
        self.chunks = [[sizes[i] for i in some] for sizes, some in zip(array.chunks, full)]
        self.starts = [np.cumsum((0, *sizes))[:-1].tolist() for sizes in self.chunks]
        self.counts = tuple(map(len, self.chunks))
        self.places = list(np.ndindex(self.counts))
        self.keys = {p: (array.name, *(int(some[i]) for some, i in zip(full, p))) for p in self.places}

    def start(self, p):
        return tuple(self.starts[axis][i] for axis, i in enumerate(p))

    def shape(self, p):
        return tuple(self.chunks[axis][i] for axis, i in enumerate(p))

    def map(self, task, dtype, *more) -> Any:
        """Returns the array of task(p, block), a function and its arguments, for each chunk. `more`: what tasks need."""
        import dask.array as da

        if not self.places:
            return da.zeros(self.array.shape, dtype=dtype)
        depend = [self.array, *(one for one in more if one is not None)]
        return _array(depend, tuple(map(tuple, self.chunks)), dtype, lambda name: {(name, *p): task(p, self.keys[p]) for p in self.places})

    def like(self, other: Any, name: str) -> _Chunks:
        """Returns the chunks of another array of the same shape."""
        _Chunks(other, "match" if name == "prediction" else "measure")
        if other.shape != self.array.shape:
            raise ValueError(f"{name} has the shape {other.shape}, not {self.array.shape}")
        return _Chunks(other.rechunk(self.array.chunks))

    def place(self, p, around: int) -> list[list[int]]:
        """Returns where with_before(p, 2 * around) begins, and the first and last element whose neighbors are there."""
        start = self.start(p)
        end = [at + n for at, n in zip(start, self.shape(p))]
        has_next = [i + 1 < n for i, n in zip(p, self.counts)]
        origin = [at - (2 * around if i else 0) for at, i in zip(start, p)]
        first = [at - (around if i else 0) for at, i in zip(start, p)]
        last = [at - 1 - (around if more else 0) for at, more in zip(end, has_next)]
        return [_sizes(origin, 0), _sizes(first, 0), _sizes(last, 0), _sizes(self.array.shape)]

    def with_before(self, tasks: _Tasks, p, thick: int, convert):
        """Returns a converted chunk, with the last `thick` layers of the chunks before it along each axis."""
        sides, layers = [], []
        for side in itertools.product(*((0, 1) if i else (0,) for i in p)) if thick else ():
            q = tuple(i - d for i, d in zip(p, side))
            if q != p:
                sides.append(list(side))
                layers.append(tasks.once((self.array.name, q), _last_layers, self.keys[q], thick, convert))
        return tasks.add(_with_before, self.keys[p], sides, layers, thick, convert)


class _Tasks:
    """A graph of tasks. To build it takes a fraction of the time of dask.delayed."""

    def __init__(self) -> None:
        self.name = f"gpuccl-{uuid.uuid4().hex}"
        self._tasks: dict = {}
        self._once: dict = {}

    def add(self, function, *arguments):
        key = f"{function.__name__}-{self.name}-{len(self._tasks)}"
        self._tasks[key] = (function, *arguments)
        return key

    def once(self, what, function, *arguments):
        if what not in self._once:
            self._once[what] = self.add(function, *arguments)
        return self._once[what]

    def graph(self, *chunks: _Chunks):
        from dask.highlevelgraph import HighLevelGraph

        return HighLevelGraph.from_collections(self.name, self._tasks, [one.array for one in chunks])

    def compute(self, keys: list, *chunks: _Chunks) -> Sequence:
        import dask.array as da
        from dask.base import compute_as_if_collection

        return compute_as_if_collection(da.Array, self.graph(*chunks), keys)


def _compute(function, arguments, chunks: _Chunks, *others: _Chunks) -> Sequence:
    """Returns the results of function(*arguments(p, tasks)) for each chunk."""
    tasks = _Tasks()
    return tasks.compute([tasks.add(function, *arguments(p, tasks)) for p in chunks.places], chunks, *others)


def _array(depend, chunks, dtype, tasks) -> Any:
    """Returns the array whose chunks are made by tasks(name)."""
    import dask.array as da
    from dask.highlevelgraph import HighLevelGraph

    name = f"gpuccl-{uuid.uuid4().hex}"
    depend = depend if isinstance(depend, list) else [depend]
    meta = depend[0]._meta if _is_cupy(getattr(depend[0], "_meta", None)) else np.empty((0,) * len(chunks))
    graph = HighLevelGraph.from_collections(name, tasks(name), depend)
    return da.Array(graph, name, chunks, dtype=dtype, meta=meta.astype(dtype))


def _sizes(shape, rest: int = 1) -> list[int]:
    """Returns sizes or coordinates of axes as those along x, y and z."""
    return ([int(n) for n in shape[::-1]] + [rest, rest])[:3]


def _thick(sizes, least: int) -> tuple[int, ...]:
    """Joins chunks along an axis until each has `least` elements."""
    joined = [0]
    for size in sizes:
        if joined[-1] < least or size < 1:
            joined[-1] += size
        else:
            joined.append(size)
    if len(joined) > 1 and joined[-1] < least:
        joined[-2:] = [sum(joined[-2:])]
    return tuple(joined)


def _rows(words: np.ndarray) -> np.ndarray:
    """Returns the words of objects without sums, one object a row; the second word is the label."""
    return words.reshape(-1, int(words[0]) if len(words) else 2)


def _objects(labels) -> np.ndarray:
    """Returns the objects of labels, one a row, in ascending order."""
    chunks = _Chunks(labels)
    number = pixels(None, labels.ndim)

    def share(p, tasks):
        return chunks.with_before(tasks, p, 0, as_labels), chunks.place(p, 0), number, [], [0.0] * 3, None, None

    return _rows(_core.join_blocks(_compute(_measure_block, share, chunks), _sizes(labels.shape), number, None))


def _selected(labels, rows, per_value=False, largest=0, min_size=0, max_size=2**64 - 1, clear_border=False, values=None) -> np.ndarray:
    """Returns for the labels 0 to n of dask.label() whether they are kept."""
    sizes = largest, min_size, max_size
    kept = np.zeros(int(rows[:, 1].max(initial=0)) + 1, bool)
    shape = _sizes(labels.shape)
    kept[rows[:, 1]] = _core.select_blocks(rows.ravel(), shape, labels.ndim < 3, bool(per_value), *sizes, bool(clear_border), values)
    return kept


def _where(labels, kept):
    """Returns where labels are kept. Labels above those that have an entry are not."""
    from dask.delayed import delayed

    kept = delayed(kept)
    return _Chunks(labels).map(lambda p, block: (_is_kept, block, kept.key), bool, kept)


def _is_kept(block, kept):
    return kept[np.where(block < len(kept), block, 0)]


def _positive(block):
    return np.where(block > 0, as_host(block), 0).astype(block.dtype)


def _fill(block, kept):
    """Returns a chunk with 0 where elements are not kept, and 1 where holes are."""
    block = as_host(block)
    return np.where(kept, np.where(as_mask(block), block, np.ones((), block.dtype)), np.zeros((), block.dtype))


def _as_samples(block):
    if isinstance(block, np.ma.MaskedArray):
        raise TypeError("intensity has masked elements; fill them with dask.array.ma.filled(intensity)")
    return _host.as_samples(block)


def _last_layers(block, thick, convert):
    """Returns the last layers of a chunk along each axis."""
    block = convert(block)
    return [np.take(block, range(max(0, n - thick), n), axis) for axis, n in enumerate(block.shape)]


def _with_before(block, sides, layers, thick, convert):
    block = convert(block)
    before = dict(zip(map(tuple, sides), layers))
    more = [thick if any(side[axis] for side in before) else 0 for axis in range(block.ndim)]
    whole = np.empty([n + m for n, m in zip(block.shape, more)], block.dtype) if before else block
    for side, layers in before.items():
        axis = side.index(1)
        part = tuple(slice(-thick, None) if d and i != axis else slice(None) for i, d in enumerate(side))
        whole[tuple(slice(0, m) if d else slice(m, None) for d, m in zip(side, more))] = layers[axis][part]
    if before:
        whole[tuple(slice(m, None) for m in more)] = block
    return whole


def _measure_block(labels, place, number, wanted, spacing, samples, known):
    return _core.measure_block(labels, place, number, (wanted, spacing, samples), known)


def _overlaps(truth, prediction, origin, whole):
    return _core.overlaps_of_block(as_labels(truth), as_labels(prediction), origin, whole)


def _contacts(block, has_before, number):
    """Returns the contacts of a chunk and across its first faces, without those of the layers before it."""
    tables = []
    for side in itertools.product(*((0, 1) if has else (0,) for has in has_before)):
        table = _core.contacts(block[tuple(slice(0, 1) if d else slice(None) for d in side)], number)
        if sum(side) % 2:
            table = {name: column if name.startswith("label") else -column for name, column in table.items()}
        tables.append(table)
    return _added(tables)


def _added(tables):
    """Adds up tables of contacts."""
    names = [f"faces_{axis}" for axis in "xyz"] + ["edges", "corners"]
    pairs = [np.concatenate([np.zeros(0, np.uint64), *(one[f"label_{side}"] for one in tables)]) for side in "ab"]
    order = np.lexsort(pairs[::-1])
    pairs = np.stack(pairs)[:, order]
    begins = np.flatnonzero(np.any(np.diff(pairs, axis=1, prepend=pairs[:, :1]), axis=0) | (np.arange(len(order)) == 0))
    columns = [np.concatenate([np.zeros(0, np.int64), *(one[name] for one in tables)])[order] for name in names]
    sums = np.array([np.add.reduceat(column, begins) if len(order) else column for column in columns])
    kept = sums.any(axis=0)
    return dict(zip(("label_a", "label_b", *names), (*pairs[:, begins][:, kept], *sums[:, kept])))


def _number(firsts, pairs, touching):
    """Returns the final numbers of the labels of each chunk, and last the number of components.

    `firsts` are the first elements of the labels of each chunk, `pairs` the chunks whose labels `touching` contains.
    """
    begins = np.cumsum([0, *map(len, firsts)])
    joined = [some + begins[both] for both, some in zip(pairs, itertools.chain(*touching)) if len(some)]
    joined = np.concatenate(joined) if joined else np.empty((0, 2), np.int64)
    united, count = _unite(np.concatenate([np.zeros(1, np.int64), *firsts]), joined)
    return [*(np.append(0, united[a + 1 : b + 1]) for a, b in itertools.pairwise(begins)), np.int64(count)]


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


def _label(block, dtype, connectivity, values, *arguments):
    """Returns an array for labels, and what _core.label_block() returns after writing it."""
    block = as_floats(as_host(block))  # without a mask
    labels = np.empty(block.shape, dtype)
    return labels, _core.label_block(block, labels, pixels(connectivity, block.ndim), bool(values), *arguments)


def _look(block, connectivity, values, first, whole):
    """Returns the index in the array of the first element of each component of a chunk, and the faces of the chunk."""
    if _is_cupy(block):
        labels, places = _look_on_device(block, connectivity, values, first, whole)
    else:
        labels, places = _label(block, np.int32, connectivity, values, _sizes(first, 0), _sizes(whole), None)
        block = as_host(block)
    faces = {}
    for axis in range(block.ndim):
        for side in (0, -1):
            index = [slice(None)] * block.ndim
            index[axis] = slice(0, 1) if side == 0 else slice(-1, None)
            faces[axis, side] = tuple(
                _on_host(one[tuple(index)]).copy() if one is not None else None for one in (labels, block if values else None)
            )
    return places.view(np.int64), faces


def _look_on_device(block, connectivity, values, first, whole, library=None):
    """Does what _label() does on the CPU. First elements and faces are copied to the CPU."""
    if library is None:
        import cupy as library
    labels, count = label_in_memory(block, connectivity, values=values)
    firsts = library.full(count + 1, labels.size, np.uint64)  # CuPy has no minimum.at of int64
    places = library.flatnonzero(labels)
    library.minimum.at(firsts, labels.ravel()[places], places.astype(np.uint64))
    places = np.unravel_index(_on_host(firsts)[1:].astype(np.int64), block.shape)
    return labels, np.ravel_multi_index([at + start for at, start in zip(places, first)], whole).astype(np.int64)


def _is_cupy(array) -> bool:
    return type(array).__module__.partition(".")[0] == "cupy"


def _on_host(array):
    return array.get() if _is_cupy(array) else array


def _touching_all(faces, sides, others, reach):
    return [_touching(faces, other, tuple(side), reach) for side, other in zip(sides, others)]


def _touching(faces, others, side, reach):
    """Returns the pairs of labels that touch between two chunks. `side` is the direction of the other chunk."""
    axis = next(i for i, d in enumerate(side) if d)
    # The shared face, edge or corner, as two layers of one array.
    here = tuple(slice(None) if i == axis or d == 0 else slice(0, 1) if d < 0 else slice(-1, None) for i, d in enumerate(side))
    there = tuple(slice(None) if i == axis or d == 0 else slice(-1, None) if d < 0 else slice(0, 1) for i, d in enumerate(side))
    near = faces[axis, 0 if side[axis] < 0 else -1], others[axis, -1 if side[axis] < 0 else 0]
    mine, theirs, *values = (one[part] for pair in zip(*near) if pair[0] is not None for one, part in zip(pair, (here, there)))
    most = int(mine.max())
    labels = np.concatenate([mine, np.where(theirs, theirs + np.int64(most), 0)], axis).astype(np.uint32)
    left = reach - sum(map(abs, side))  # number of shared axes along which neighbors may differ
    found = _core.contacts(labels, pixels(left + 1, labels.ndim))
    pairs = np.stack([found["label_a"], found["label_b"]], axis=-1).astype(np.int64)
    pairs = pairs[(pairs[:, 0] <= most) & (pairs[:, 1] > most)]
    if values:
        of_label = np.zeros(int(labels.max()) + 1, values[0].dtype)
        of_label[labels] = np.concatenate(values, axis)
        pairs = pairs[of_label[pairs[:, 0]] == of_label[pairs[:, 1]]]
    return pairs - [0, most]


def _relabel(block, connectivity, values, map_, dtype):
    if _is_cupy(block):
        import cupy

        return cupy.asarray(map_.astype(dtype))[label_in_memory(block, connectivity, values=values)[0]]
    return _label(block, dtype, connectivity, values, [0] * 3, [1] * 3, map_)[0]
