"""Connected components of images and volumes, on the CPU and on NVIDIA GPUs.

Arrays are labeled where they are: NumPy arrays on the CPU, CUDA arrays (PyTorch, CuPy, JAX, or any other with DLPack or
``__cuda_array_interface__``) on their GPU. Labels are an array of the same kind, in the same memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _core, _host
from ._kinds import check_flags, check_number, on_device
from ._measures import DEFAULT as _DEFAULT
from ._measures import chosen as _chosen
from ._measures import properties, warn_of_mask, warn_of_masks
from ._program import label_file, program

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._measures import Names, Spacing, Table

    Axes = str | int | Sequence[int] | None
    Labels = NDArray[np.integer[Any]]

__version__: str = _core.__version__
__all__ = ["label", "label_async", "measure", "measure_async", "clean", "contacts", "outlines", "match", "properties", "label_file", "free_memory", "program"]


@overload
def label(
    array: NDArray[Any], connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: Literal[False] = ..., packed_width: int | None = ...,
    stats: Literal[False] = ..., properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., areas: Literal[False] = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Labels, int]: ...  # fmt: skip
@overload
def label(
    array: NDArray[Any], connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: Literal[False] = ..., packed_width: int | None = ...,
    stats: Literal[True], properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., areas: Literal[False] = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Labels, int, Table]: ...  # fmt: skip
@overload
def label(
    array: NDArray[Any], connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: Literal[True], packed_width: int | None = ...,
    stats: Literal[False] = ..., properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., areas: Literal[False] = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Labels, NDArray[np.int64]]: ...  # fmt: skip
@overload
def label(
    array: Any, connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: Literal[False] = ..., packed_width: int | None = ...,
    stats: Literal[False] = ..., properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., areas: Literal[False] = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Any, int]: ...  # fmt: skip
@overload
def label(
    array: Any, connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: Literal[False] = ..., packed_width: int | None = ...,
    stats: Literal[True], properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., areas: Literal[False] = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Any, int, Table]: ...  # fmt: skip
@overload
def label(
    array: Any, connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: Literal[True], packed_width: int | None = ...,
    stats: Literal[False] = ..., properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., areas: Literal[False] = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Any, Any]: ...  # fmt: skip
@overload
def label(
    array: Any, connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: bool = ..., packed_width: int | None = ...,
    stats: bool = ..., properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., areas: bool = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Any, ...]: ...  # fmt: skip
def label(
    array: Any,
    connectivity: int | None = None,
    *,
    values: bool = False,
    delta: float = 0,
    periodic: Axes = None,
    batch: bool = False,
    packed_width: int | None = None,
    stats: bool = False,
    properties: Names = _DEFAULT,
    spacing: Spacing = None,
    intensity: Any = None,
    areas: bool = False,
    out: Any = None,
    stream: Any = None,
) -> tuple[Any, ...]:
    """Label the connected components of an image or volume.

    Parameters
    ----------
    array : array of 1 to 3 axes
        Nonzero elements are foreground. NaN is background, with a warning on the CPU; so are masked elements.
    connectivity : int, optional
        Number of neighbors (4 or 8; in volumes 6, 18 or 26), or along how many axes neighbors may differ (1, 2, 3) as
        in scikit-image. The default is all neighbors. In volumes, 4 and 8 label each slice separately; numbers continue
        from slice to slice.
    values : bool
        Connect elements with equal values other than 0, as in a segmentation.
    delta : float
        With `values`, also connect values that differ by at most `delta`.
    periodic : str or sequence of int, optional
        Axes whose opposite borders touch: letters such as ``"xy"``, numbers of axes, or names of dimensions of xarray
        such as ``"lon"``. CPU only.
    batch : bool
        The array contains several images: (N, H, W), (N, 1, H, W) or (N, 1, D, H, W). Each is labeled from 1.
    packed_width : int, optional
        The array contains bits, as from ``numpy.packbits(mask, axis=-1, bitorder="little")``; number of elements per row.
    stats : bool
        Also return a table of the components.
    properties : sequence of str or callable
        Columns of the table: names of :func:`properties`, or functions of an object's crop (and of its samples).
    spacing : float or sequence of float, optional
        Distance of elements along each axis, for areas, centroids and lengths in physical units.
    intensity : array, optional
        Samples of the same shape, for properties such as ``intensity_mean``. CPU only.
    areas : bool
        Also return an image with the area of each element's component, as SAM's post-processing needs. Not with `stats`.
    out : array, optional
        Array of integers in memory for the labels, with any strides and byte order; on a GPU of 32 bits. May be `array`.
    stream : int or stream, optional
        CUDA stream. The default is the current stream of the array's library.

    Returns
    -------
    labels : array of int32
        Components from 1 to n in raster order of their first elements; 0 is background. It is `out` if given,
        otherwise in the order of `array` in memory. Tables of shapes, and 4 and 8 in volumes, give C order. On the CPU
        int64 for arrays of 2**31 elements or more.
    n : int
        Number of components; with `batch` an array of N.
    table : dict of arrays
        Only with `stats`: a row for each component. Boxes are half-open.
    areas : array of int32
        Only with `areas`: the number of elements of each component, 0 in the background. An array as `labels`. Of int64
        for 2^31 elements or more, which a GPU does not take.

    Raises
    ------
    ValueError
        An argument is invalid.
    TypeError
        The type of an array is not supported.
    MemoryError
        There is not enough memory.

    Examples
    --------
    >>> import gpuccl, numpy as np
    >>> mask = np.array([[1, 0, 0, 1], [0, 0, 0, 1], [0, 1, 0, 0]])
    >>> labels, n = gpuccl.label(mask)
    >>> n
    3
    >>> labels
    array([[1, 0, 0, 2],
           [0, 0, 0, 2],
           [0, 3, 0, 0]], dtype=int32)
    >>> gpuccl.label(mask, stats=True)[2]["area"].tolist()
    [1, 2, 1]
    """
    _check_values(values, delta, packed_width, batch=batch, stats=stats, areas=areas)
    if periodic is not None and delta:
        raise ValueError("periodic and delta cannot be combined")
    if not stats and (properties is not _DEFAULT or spacing is not None or intensity is not None):
        raise ValueError("properties, spacing and intensity are for tables: add stats=True")
    if areas and stats:
        raise ValueError("areas are for labels without a table: leave out stats, or use the column area")
    columns = _chosen(properties, intensity) if stats else None
    if on_device(array):
        from . import _device

        if periodic is not None or intensity is not None:
            raise ValueError(f"{'intensity' if periodic is None else 'periodic'} is for arrays on the CPU")
        found = _device.label(array, connectivity, values, delta, batch, packed_width, out, stream, columns, spacing, areas)
        return found if stats or areas else found[:2]
    _check_host(out, stream)
    if batch:
        if stats or periodic is not None or packed_width is not None:
            raise ValueError("stats, periodic and packed_width are not for batches; measure() the labels of connectivity=8, which labels each image by itself")
        found = _host.label_batch(array, connectivity, values, delta, out, areas)
    else:
        found = _host.label(array, connectivity, values, delta, periodic, packed_width, out, columns, spacing, intensity, areas)
    return found if stats or areas else found[:2]


def label_async(
    array: Any,
    connectivity: int | None = None,
    *,
    values: bool = False,
    delta: float = 0,
    batch: bool = False,
    packed_width: int | None = None,
    out: Any = None,
    stream: Any = None,
) -> tuple[Any, Any]:
    """Label an array on a GPU without waiting.

    As :func:`label`, but the number of components stays on the GPU. Can be captured into a CUDA graph of PyTorch,
    which keeps the workspace, or of CuPy with a memory pool of its own, which you keep: call it once before.

    Returns
    -------
    labels : array of int32
    n : array of int64
        Without axes, or with `batch` N elements. ``int(n)`` waits for the GPU.

    Examples
    --------
    >>> mask = torch.rand(1080, 1920, device="cuda") > 0.5  # doctest: +SKIP
    >>> labels, n = gpuccl.label_async(mask)                # doctest: +SKIP
    """
    if not on_device(array):
        raise TypeError("label_async is for arrays in the memory of a GPU")
    _check_values(values, delta, packed_width, batch=batch)
    from . import _device

    return _device.label_async(array, connectivity, values, delta, batch, packed_width, out, stream)


def measure(
    labels: Any,
    intensity: Any = None,
    properties: Names = _DEFAULT,
    *,
    connectivity: int | None = None,
    spacing: Spacing = None,
) -> Table:
    """Measure the objects of a label image.

    Each label is one object, whether it is connected or not. Labels may touch.

    Parameters
    ----------
    labels : array of 1 to 3 axes
        Integers in any order; 0 is background. Floating-point numbers within 0.001 of an integer are rounded. Negative
        values and NaN are background. Both give a warning, and so does an only label in several pieces, as of a mask.
    intensity : array, optional
        Samples of the same shape, for properties such as ``intensity_mean``. The default properties are then also mean,
        minimum and maximum. With a last or first axis of channels, or as
        a list of arrays, each channel has its own columns: ``intensity_mean-0`` and so on.
    properties : sequence of str
        As in :func:`label`, and ``components``, the number of connected pieces; without ``cavities`` and ``tunnels``.
    connectivity : int, optional
        Connectivity of the Euler number and of pieces, as in :func:`label`.
    spacing : float or sequence of float, optional
        Distance of elements along each axis.

    Returns
    -------
    dict of arrays
        A row for each label, in ascending order. Labels are int64, or uint64 if one is 2**63 or more.

    Examples
    --------
    >>> labels = np.array([[7, 7, 0], [0, 0, 9]])
    >>> table = gpuccl.measure(labels, properties=("label", "area", "centroid"))
    >>> table["label"].tolist(), table["centroid-1"].tolist()
    ([7, 9], [0.5, 2.0])
    """
    table = _functions_for(labels).measure(labels, intensity, _chosen(properties, intensity), connectivity, spacing)
    warn_of_mask(labels, *table.values())
    return table


def measure_async(
    labels: Any,
    intensity: Any = None,
    properties: Names = _DEFAULT,
    *,
    rows: int,
    connectivity: int | None = None,
    spacing: Spacing = None,
) -> tuple[Table, Any]:
    """Measure labels up to `rows` on a GPU without waiting.

    As :func:`measure`, but the number of objects stays on the GPU. Can be captured into a CUDA graph, as
    :func:`label_async` and :func:`clean`. Takes arrays of PyTorch and CuPy.

    Parameters
    ----------
    labels, intensity, properties
        As in :func:`measure`.
    rows : int
        Number of rows of the table, and the largest label that is measured. Larger labels are background.
    connectivity, spacing
        As in :func:`measure`.

    Returns
    -------
    table : dict of arrays
        Columns of `rows` elements, first those of the objects, then 0.
    n : array of int64
        Number of objects, without axes.

    Examples
    --------
    >>> labels, n = gpuccl.label_async(mask)                  # doctest: +SKIP
    >>> table, n = gpuccl.measure_async(labels, rows=10_000)  # doctest: +SKIP
    """
    if not on_device(labels):
        raise TypeError("measure_async is for arrays in the memory of a GPU")
    from . import _device

    return _device.measure(labels, intensity, _chosen(properties, intensity), connectivity, spacing, rows)


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
    out: Any = None,
) -> Any:
    """Remove components of a mask or segmentation.

    The other elements keep their values.

    Parameters
    ----------
    array : array of 1 to 3 axes
        A mask, or labels as in :func:`measure`.
    connectivity : int, optional
        As in :func:`label`.
    values : bool, optional
        Connect equal values. The default is True, except for arrays of bool.
    per_value : bool
        Apply `largest` to each value separately.
    largest : int, optional
        Number of largest components to keep, at least 1.
    min_size, max_size : int, optional
        Keep components with at least, and with at most, this number of elements.
    fill_holes : bool or int
        First fill holes of a mask with 1, or with a number holes of at most that size. Needs ``values=False`` and 2 or 3
        axes.
    clear_border : bool
        Remove components that touch the border. Needs 2 or 3 axes.
    seeds : array, optional
        Keep components in which this array of the same shape has a nonzero element.
        ``clean(image > low, seeds=image > high)`` is hysteresis.
    out : array, optional
        Array in memory for the result, of the shape and type of `array`. May be `array`.

    Returns
    -------
    array
        An array as `array`, with 0 for removed components.

    Examples
    --------
    >>> gpuccl.clean(np.array([1, 1, 0, 2, 0, 1]), per_value=True, largest=1)
    array([1, 1, 0, 2, 0, 0])
    """
    if getattr(out, "requires_grad", False):
        raise ValueError("out= requires gradients, which clean() does not have; pass out.detach()")
    return _functions_for(array).clean(
        array, connectivity, values, per_value, largest, min_size, max_size, fill_holes, clear_border, seeds, out
    )


def contacts(labels: Any, connectivity: int | None = None, *, spacing: Spacing = None) -> Table:
    """List the labels of a label image that touch.

    Parameters
    ----------
    labels : array of 1 to 3 axes
        Labels as in :func:`measure`. Background touches nothing.
    connectivity : int, optional
        Elements that are neighbors, as in :func:`label`.
    spacing : float or sequence of float, optional
        Distance of elements along each axis. Adds the column ``area``, the area of shared faces.

    Returns
    -------
    dict of arrays
        A row for each pair with ``label_a < label_b``: the number of shared faces across each axis (``faces-0``, ...), of
        shared ``edges``, and in volumes of shared ``corners``. Labels have one type, as in :func:`measure`.

    Examples
    --------
    >>> table = gpuccl.contacts(np.array([[1, 1, 2], [1, 3, 2]]), connectivity=1)
    >>> list(zip(table["label_a"].tolist(), table["label_b"].tolist()))
    [(1, 2), (1, 3), (2, 3)]
    """
    warn_of_mask(labels)
    return _functions_for(labels).contacts(labels, connectivity, spacing)


def outlines(labels: Any) -> tuple[NDArray[np.integer[Any]], NDArray[np.int64], tuple[NDArray[np.int64], ...]]:
    """Return the polygons of the labels of an image.

    Polygons run along the edges of pixels: the pixel of row y and column x has the corners (x, y) to (x + 1, y + 1).
    They are those of ``gpuccl label --outlines``.

    Parameters
    ----------
    labels : array of 2 axes
        Labels as in :func:`measure`.

    Returns
    -------
    labels : array
        The labels in ascending order.
    points : array of int64
        Corners x, y of closed rings, one ring after the other. The first ring of a polygon is the outer one.
    offsets : tuple of three arrays of int64
        Where the rings begin in `points`, the polygons in the rings, and the labels in the polygons; and their ends.
        These are the arguments of ``shapely.from_ragged_array(shapely.GeometryType.MULTIPOLYGON, points, offsets)``.

    Examples
    --------
    >>> labels, points, (rings, polygons, objects) = gpuccl.outlines(np.array([[0, 3, 3]]))
    >>> labels.tolist(), points.tolist()
    ([3], [[1, 1], [1, 0], [3, 0], [3, 1], [1, 1]])
    >>> rings.tolist(), polygons.tolist(), objects.tolist()
    ([0, 5], [0, 1], [0, 1])
    """
    if on_device(labels):
        raise TypeError("labels are on a GPU; outlines() needs them in the memory of the CPU")
    found = _host.outlines(labels)
    warn_of_mask(labels, found[0])
    return found


@overload
def match(
    truth: Any, prediction: Any, threshold: float | Sequence[float] = ..., *, pairs: Literal[False] = ...,
    per_value: bool = ..., connectivity: int | None = ..., empty: float | None = ...,
    distances: bool = ..., spacing: Any = ..., tolerance: float | None = ..., min_size: Any = ..., regions: bool = ...,
) -> dict[str, Any]: ...  # fmt: skip
@overload
def match(
    truth: Any, prediction: Any, threshold: float | Sequence[float] = ..., *, pairs: Literal[False] = ...,
    per_value: bool = ..., connectivity: int | None = ..., empty: Literal["skip"],
    distances: bool = ..., spacing: Any = ..., tolerance: float | None = ..., min_size: Any = ..., regions: bool = ...,
) -> dict[str, Any] | None: ...  # fmt: skip
@overload
def match(
    truth: Any, prediction: Any, threshold: float | Sequence[float] = ..., *, pairs: Literal[True],
    per_value: bool = ..., connectivity: int | None = ..., empty: Any = ...,
    distances: bool = ..., spacing: Any = ..., tolerance: float | None = ..., min_size: Any = ..., regions: bool = ...,
) -> tuple[Any, Table]: ...  # fmt: skip
def match(
    truth: Any,
    prediction: Any,
    threshold: float | Sequence[float] = 0.5,
    *,
    pairs: bool = False,
    per_value: bool = False,
    connectivity: int | None = None,
    empty: Any = None,
    distances: bool = False,
    spacing: Any = None,
    tolerance: float | None = None,
    min_size: Any = 0,
    regions: bool = False,
) -> Any:
    """Match the objects of two label images, and score the second image.

    Each label is one object, whether it is connected or not. Label masks first. With `per_value`, values are classes, as
    in a semantic segmentation, and their components are the objects. Arrays on a GPU stay there, and only the pairs that
    overlap are read; `per_value`, `distances` and `regions` are for arrays on the CPU.

    Parameters
    ----------
    truth, prediction : array of 1 to 3 axes
        Labels as in :func:`measure`, of the same shape.
    threshold : float or sequence of float
        Minimum intersection over union of a match, above 0 and up to 1.
    pairs : bool
        Also return a table of the objects that overlap.
    per_value : bool
        Score each value separately; objects of different values do not match.
    connectivity : int, optional
        Connectivity of the components of values, as in :func:`label`. Needs `per_value`.
    empty : {None, 0, 1, "skip"}
        Scores of two images without objects, as ``gpuccl match --empty``: NaN, 0 or 1. ``"skip"`` returns None for them.
    distances : bool
        Measure exact distances between surfaces, of all objects together and of matches: ``hausdorff``,
        ``hausdorff_95`` and ``assd``. The surface of an object is its elements with a face neighbor outside of it.
    spacing : float or sequence of float, optional
        Distance between elements along each axis of the array, 1 by default. Needs `distances` or `regions`.
    tolerance : float, optional
        Add ``surface_dice`` (NSD), the fraction of distances up to this length. Needs `distances`.
    min_size : int or dict
        Leave out objects of fewer elements, in both images, or in those named: ``{"truth": 8, "prediction": 4}``.
    regions : bool
        Score the region of each true object, the elements nearest to it, as CC-Metrics does: the Dice coefficient, and
        with `distances` the distances in it.

    Returns
    -------
    scores : dict
        The keys of the report of ``gpuccl match``: ``objects``, ``foreground``, ``detection``, ``matching`` (a dict for
        each threshold, with the values of StarDist's ``matching``) and ``average_precision``. With `per_value` also
        ``classes``, a dict with these keys and ``value`` for each class, and ``class_mean``. With `distances` also
        ``distances``, whose ``foreground`` and ``matches`` are means over ``pairs``. A distance of no surface is NaN.
        With `per_value`, the mean over classes is ``class_mean`` instead of ``foreground``.
        With `regions` also ``regions``: their ``count``, and means over them.
    table : dict of numpy.ndarray
        Only with `pairs`: a row for each pair that overlaps, and for each object without overlap, whose partner is 0.
        ``matched`` is 1 for matches at the first threshold. ``truth_partners`` and ``prediction_partners`` are the
        numbers of objects that overlap each of the two. With `per_value`, the first column is ``value``, and
        objects are numbered as by ``label(values=True)``.

    Raises
    ------
    ValueError
        The shapes differ, a threshold is out of range, or a value is not an integer.

    Examples
    --------
    >>> truth = np.array([[1, 1, 0, 2], [1, 1, 0, 2]])
    >>> prediction = np.array([[5, 5, 0, 0], [5, 0, 0, 7]])
    >>> scores, table = gpuccl.match(truth, prediction, (0.5, 0.7), pairs=True)
    >>> [(score["true_positives"], score["f1"]) for score in scores["matching"]]
    [(2, 1.0), (1, 0.5)]
    >>> table["truth"].tolist(), table["prediction"].tolist(), table["iou"].tolist()
    ([1, 2], [5, 7], [0.75, 0.5])
    >>> classes = gpuccl.match(truth > 0, prediction > 0, per_value=True)["classes"]
    >>> [(one["value"], one["objects"]["truth"], one["matching"][0]["f1"]) for one in classes]
    [(1, 2, 1.0)]
    >>> gpuccl.match(truth, prediction, distances=True, tolerance=1)["distances"]["foreground"]["surface_dice"]
    1.0
    >>> gpuccl.match(truth, prediction, regions=True)["regions"]["count"]
    2
    """
    check_flags(pairs=pairs, per_value=per_value, distances=distances, regions=regions)
    if on_device(truth) != on_device(prediction):
        raise TypeError("one array is on a GPU and one is not: move one of them")
    found = _functions_for(truth).match(truth, prediction, threshold, pairs, per_value, connectivity, empty, distances, spacing, tolerance, min_size, regions)
    if not (per_value or distances or regions):  # which are also those of masks
        warn_of_masks(truth, prediction, found, min_size)
    return found


def free_memory() -> None:
    """Free the GPU memory that is cached for the next call.

    JAX and other libraries without an allocator for others need this cache. Arrays of PyTorch and CuPy, and workspaces
    for them, are in the memory of these libraries.
    """
    if _core.with_cuda:
        _core.free_memory()


def _functions_for(array: Any) -> Any:
    """Returns the module for arrays in the memory where this one is."""
    if not on_device(array):
        return _host
    from . import _device

    return _device


def _check_values(values: bool, delta: float, packed_width: int | None, **flags: bool) -> None:
    check_flags(values=values, **flags)
    check_number("delta", delta)
    if delta and not values:
        raise ValueError("delta is for values: add values=True")
    if values and packed_width is not None:
        raise ValueError("packed_width is for masks, not for values")


def _check_host(out: Any, stream: Any) -> None:
    if stream is not None:
        raise ValueError("stream is for arrays on a GPU")
    if out is not None and on_device(out):
        raise ValueError("out= is on a GPU, and the array is not")


# torch.compile does not read these functions: the graph breaks, and fullgraph=True raises an error with this text.
for _function in (label, label_async, measure, measure_async, clean, contacts, outlines, match):
    _text = "in compiled functions, use label, clean and measure of gpuccl.torch"
    _function.__dict__.update(_torchdynamo_disable=True, _torchdynamo_disable_msg=_text)
