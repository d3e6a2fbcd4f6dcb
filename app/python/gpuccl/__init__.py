"""Connected components of images and volumes, on the CPU and on NVIDIA GPUs.

The array decides where the work is done: NumPy arrays on the CPU, CUDA arrays (PyTorch, CuPy, JAX, or anything with
DLPack or ``__cuda_array_interface__``) on their GPU. Labels come as the same kind of array, in the same memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _core, _host
from ._kinds import on_device
from ._measures import DEFAULT as _DEFAULT
from ._program import label_file, program

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._measures import Names, Spacing, Table

    Axes = str | int | Sequence[int] | None
    Labels = NDArray[np.integer[Any]]

__version__: str = _core.__version__
__all__ = ["label", "label_async", "measure", "clean", "contacts", "match", "label_file", "free_memory", "program"]


@overload
def label(
    array: NDArray[Any], connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: Literal[False] = ..., packed_width: int | None = ...,
    stats: Literal[False] = ..., properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Labels, int]: ...  # fmt: skip
@overload
def label(
    array: NDArray[Any], connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: Literal[False] = ..., packed_width: int | None = ...,
    stats: Literal[True], properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Labels, int, Table]: ...  # fmt: skip
@overload
def label(
    array: NDArray[Any], connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: Literal[True], packed_width: int | None = ...,
    stats: Literal[False] = ..., properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Labels, NDArray[np.int64]]: ...  # fmt: skip
@overload
def label(
    array: Any, connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: Literal[False] = ..., packed_width: int | None = ...,
    stats: Literal[False] = ..., properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Any, int]: ...  # fmt: skip
@overload
def label(
    array: Any, connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: Literal[False] = ..., packed_width: int | None = ...,
    stats: Literal[True], properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Any, int, Table]: ...  # fmt: skip
@overload
def label(
    array: Any, connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: Literal[True], packed_width: int | None = ...,
    stats: Literal[False] = ..., properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., out: Any = ..., stream: Any = ...,
) -> tuple[Any, Any]: ...  # fmt: skip
@overload
def label(
    array: Any, connectivity: int | None = ..., *,
    values: bool = ..., delta: float = ..., periodic: Axes = ..., batch: bool = ..., packed_width: int | None = ...,
    stats: bool = ..., properties: Names = ..., spacing: Spacing = ..., intensity: Any = ..., out: Any = ..., stream: Any = ...,
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
    out: Any = None,
    stream: Any = None,
) -> tuple[Any, ...]:
    """Label the connected components of an image or volume.

    Parameters
    ----------
    array : array of 1 to 3 axes
        What is not 0 is foreground. bool, integers and floating-point numbers, of any strides.
    connectivity : int, optional
        How many neighbors an element has: 4 or 8, in volumes 6, 18 or 26; or, as in scikit-image, along how many axes
        neighbors may differ: 1, 2, 3. The default is all. 4 and 8 label the slices of a volume on their own, and
        number on from slice to slice.
    values : bool
        Elements connect when their values are equal and not 0, as in a segmentation.
    delta : float
        With `values`: also when they differ by at most so much.
    periodic : str or sequence of int, optional
        Axes whose opposite borders touch: letters, as in ``"xy"``, or numbers of axes. On the CPU only.
    batch : bool
        The array is several images: (N, H, W), (N, 1, H, W), or volumes, (N, 1, D, H, W). Each is labeled from 1 on,
        and the count is an array of N.
    packed_width : int, optional
        The array is of bits, 8 elements a byte, the lowest bit first, as ``numpy.packbits(mask, axis=-1,
        bitorder="little")`` makes them; so many elements of each row count.
    stats : bool
        Also return a table of the components.
    properties : sequence of str
        Its columns, with the names of scikit-image's ``regionprops_table``, or those of ``gpuccl list --measures``.
    spacing : float or sequence of float, optional
        From an element to the next, in the order of axes. Areas, centroids and lengths are in its unit.
    intensity : array, optional
        Samples of the same shape, for properties such as ``intensity_mean``. On the CPU only.
    out : array, optional
        Where labels are written: an array of integers of the same shape, on a GPU of 32 bits.
    stream : int or stream, optional
        The CUDA stream to work in. The default is the current one of the array's library.

    Returns
    -------
    labels : array of int32
        1 to n in raster order of each component's first element, 0 is background; `out`, if it is given. Of arrays of
        2**31 elements or more on the CPU int64.
    n : int
        How many components there are.
    table : dict of numpy.ndarray
        With `stats` only: a row for each component. Boxes are half-open.

    Raises
    ------
    ValueError
        An argument cannot be.
    TypeError
        The array is of another type than can be labeled.
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
    _check_values(values, delta, packed_width)
    if not stats and (properties is not _DEFAULT or spacing is not None or intensity is not None):
        raise ValueError("properties, spacing and intensity are for tables: add stats=True")
    columns = properties if stats else None
    if on_device(array):
        from . import _device

        if periodic is not None:
            raise ValueError("periodic is for arrays on the CPU")
        if intensity is not None:
            raise ValueError("intensity is for arrays on the CPU")
        labels, count, table = _device.label(
            array, connectivity, values, delta, batch, packed_width, out, stream, columns, spacing
        )
        return (labels, count, table) if stats else (labels, count)
    _check_host(out, stream)
    if batch:
        if stats or periodic is not None or packed_width is not None:
            raise ValueError("stats, periodic and packed_width are not for batches")
        return _host.label_batch(array, connectivity, values, delta, out)
    labels, count, table = _host.label(
        array, connectivity, values, delta, periodic, packed_width, out, columns, spacing, intensity
    )
    return (labels, count, table) if stats else (labels, count)


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
    """Enqueue the labeling of an array on a GPU, and wait for nothing.

    As :func:`label`, but the count stays on the GPU, so that the stream is not waited for. Can be captured into a CUDA
    graph of PyTorch or CuPy, whose allocator then keeps the workspace: call it once before.

    Returns
    -------
    labels : array of int32
    n : array of int64
        Of no axes, with `batch` of N; ``int(n)`` waits.

    Examples
    --------
    >>> mask = torch.rand(1080, 1920, device="cuda") > 0.5  # doctest: +SKIP
    >>> labels, n = gpuccl.label_async(mask)                # doctest: +SKIP
    """
    if not on_device(array):
        raise TypeError("label_async is for arrays in the memory of a GPU")
    _check_values(values, delta, packed_width)
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
    """Measure the labels of a label image, whether each is connected or not.

    Parameters
    ----------
    labels : array of integers
        0 is background; other values need not follow each other. Floating-point values must be integers.
    intensity : array, optional
        Samples of the same shape, for properties such as ``intensity_mean``, or with a last axis of channels: then
        each has columns of its own, ``intensity_mean-0`` and so on.
    properties : sequence of str
        As in :func:`label`, and ``components``, the number of connected pieces. Labels may touch: each is measured
        as if it were alone. ``cavities`` and ``tunnels`` are measured by ``label(stats=True)`` alone.
    connectivity : int, optional
        Of the Euler number and of connected pieces, as in :func:`label`.
    spacing : float or sequence of float, optional
        From an element to the next, in the order of axes.

    Returns
    -------
    dict of numpy.ndarray
        A row for each label, in ascending order. Labels are int64, or uint64 if one is 2**63 or more.

    Examples
    --------
    >>> labels = np.array([[7, 7, 0], [0, 0, 9]])
    >>> table = gpuccl.measure(labels, properties=("label", "area", "centroid"))
    >>> table["label"].tolist(), table["centroid-1"].tolist()
    ([7, 9], [0.5, 2.0])
    """
    _need_host(labels)
    return _host.measure(labels, intensity, properties, connectivity, spacing)


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
    """Drop components of a mask or of a segmentation, and keep the values of the others.

    Parameters
    ----------
    array : array of 1 to 3 axes
        A mask, or values of which equal ones connect.
    connectivity : int, optional
        As in :func:`label`.
    values : bool, optional
        Whether values connect when they are equal; the default is that of arrays which are not bool.
    per_value : bool
        `largest` is the number kept of each value.
    largest : int, optional
        Keep only so many of the largest components.
    min_size, max_size : int, optional
        Keep components of at least, and of at most, so many elements.
    fill_holes : bool or int
        Fill holes of a mask before, those of at most so many elements. Needs ``values=False``.
    clear_border : bool
        Drop components that touch the border.
    seeds : array, optional
        Keep only components with an element where this array, of the same shape, is not 0.
        ``clean(image > low, seeds=image > high)`` is hysteresis.
    out : array, optional
        Where the result is written: `array` itself may be.

    Returns
    -------
    array
        As `array`, with 0 where components were dropped.

    Examples
    --------
    >>> gpuccl.clean(np.array([1, 1, 0, 2, 0, 1]), per_value=True, largest=1)
    array([1, 1, 0, 2, 0, 0])
    """
    _need_host(array)
    return _host.clean(
        array, connectivity, values, per_value, largest, min_size, max_size, fill_holes, clear_border, seeds, out
    )


def contacts(labels: Any, connectivity: int | None = None, *, spacing: Spacing = None) -> Table:
    """Find which labels of a label image touch.

    Parameters
    ----------
    labels : array of integers
        0 touches nothing.
    connectivity : int, optional
        Which elements are neighbors, as in :func:`label`.
    spacing : float or sequence of float, optional
        From an element to the next, in the order of axes; adds the column ``area``, of faces.

    Returns
    -------
    dict of numpy.ndarray
        A row for each pair: ``label_a < label_b``, the number of faces across each axis (``faces-0``, ...), of
        ``edges`` and of ``corners`` that they share.

    Examples
    --------
    >>> table = gpuccl.contacts(np.array([[1, 1, 2], [1, 3, 2]]), connectivity=1)
    >>> list(zip(table["label_a"].tolist(), table["label_b"].tolist()))
    [(1, 2), (1, 3), (2, 3)]
    """
    _need_host(labels)
    return _host.contacts(labels, connectivity, spacing)


@overload
def match(
    truth: Any, prediction: Any, threshold: float | Sequence[float] = ..., *, pairs: Literal[False] = ...,
    per_value: bool = ..., connectivity: int | None = ...,
) -> dict[str, Any]: ...  # fmt: skip
@overload
def match(
    truth: Any, prediction: Any, threshold: float | Sequence[float] = ..., *, pairs: Literal[True],
    per_value: bool = ..., connectivity: int | None = ...,
) -> tuple[dict[str, Any], Table]: ...  # fmt: skip
def match(
    truth: Any,
    prediction: Any,
    threshold: float | Sequence[float] = 0.5,
    *,
    pairs: bool = False,
    per_value: bool = False,
    connectivity: int | None = None,
) -> dict[str, Any] | tuple[dict[str, Any], Table]:
    """Match the objects of two label images, and score the second against the first.

    Each value other than 0 is one object, whether its elements are connected or not. Label masks first.
    With `per_value`, values are classes, as in a semantic segmentation, and their components are the objects.

    Parameters
    ----------
    truth, prediction : array of 1 to 3 axes
        Label images of the same shape.
    threshold : float or sequence of float
        Minimum intersection over union of a match, above 0 and up to 1.
    pairs : bool
        Also return a table of the objects that overlap.
    per_value : bool
        Score each value by itself; objects of different values do not match.
    connectivity : int, optional
        Of the components of values, as in :func:`label`.

    Returns
    -------
    scores : dict
        With the keys of the report of ``gpuccl match``: ``objects``, ``foreground``, ``detection``, ``matching``
        (a dict for each threshold, with the values of StarDist's ``matching``) and ``average_precision``.
        With `per_value` also ``classes``, a dict of the same keys and ``value`` for each, and ``class_mean``.
    table : dict of numpy.ndarray
        With `pairs` only: a row for each pair that overlaps, and for each object without overlap, whose partner is 0.
        ``matched`` is 1 for matches at the first threshold. With `per_value` the first column is ``value``, and
        objects are the components of all values, numbered as ``label(values=True)`` numbers them.

    Raises
    ------
    ValueError
        The shapes differ, a threshold is out of range, or a value is negative or not an integer.

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
    """
    _need_host(truth)
    _need_host(prediction)
    return _host.match(truth, prediction, threshold, pairs, per_value, connectivity)


def free_memory() -> None:
    """Give memory of GPUs back that is kept for the next call.

    That is what JAX and other libraries need without an allocator of their own; arrays of PyTorch and CuPy and all
    that is done with them are in the memory of these.
    """
    if _core.with_cuda:
        _core.free_memory()


def _need_host(array: Any) -> None:
    if on_device(array):
        raise TypeError("this is done on the CPU: move the array there")


def _check_values(values: bool, delta: float, packed_width: int | None) -> None:
    if delta and not values:
        raise ValueError("delta is for values: add values=True")
    if values and packed_width is not None:
        raise ValueError("packed_width is for masks, not for values")


def _check_host(out: Any, stream: Any) -> None:
    if stream is not None:
        raise ValueError("stream is for arrays on a GPU")
    if out is not None and on_device(out):
        raise ValueError("out= is on a GPU, and the array is not")
