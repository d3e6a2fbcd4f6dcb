"""Labeling in the memory of the CPU."""

from __future__ import annotations

import numpy as np

from . import _core
from ._kinds import as_host, like, periodic_axes, pixels
from ._measures import Columns, as_signed, check_intensity, is_of_samples

_NO_SPACING = [0.0, 0.0, 0.0]
_MOST = 2**64 - 1


def _empty(shape, count_fits: bool = True) -> np.ndarray:
    return np.empty(shape, np.int32 if count_fits else np.int64)


def label(array, connectivity, values, delta, periodic, packed_width, out, columns, spacing, intensity):
    given = array
    array = as_host(array)
    if values and array.dtype == np.float16:
        array = array.astype(np.float32)
    shape = array.shape if packed_width is None else (*array.shape[:-1], packed_width)
    if out is None:
        # More than 2^31 elements may have labels that 32 bits with a sign do not hold.
        labels = _empty(shape, array.size < 2**31)
    else:
        labels = as_host(out)
        if labels.shape != shape:
            raise ValueError(f"out= has the shape {labels.shape}, the labels have {shape}")
    ndim = array.ndim
    number = pixels(connectivity, ndim)
    result = labels if out is None else out
    if columns is None and not values and periodic is None and packed_width is None:
        count = _core.label_mask(array, labels, number)
        return (like(result, given) if out is None else out), count, None
    names = Columns(columns, ndim, spacing) if columns is not None else None
    if names:
        check_intensity(intensity, columns)
    count, table = _core.label(
        array,
        labels,
        number,
        bool(values),
        float(delta),
        periodic_axes(periodic, ndim),
        -1 if packed_width is None else packed_width,
        names.wanted if names else [],
        names.spacing if names else _NO_SPACING,
        None if intensity is None else as_host(intensity),
    )
    return (like(result, given) if out is None else out), count, names.name(table) if names else None


def label_batch(array, connectivity, values, delta, out):
    given = array
    array = as_host(array)
    images, shape = images_of(array.shape)
    number = pixels(connectivity, len(shape))
    labels = _empty(array.shape) if out is None else as_host(out)
    if labels.shape != array.shape:
        raise ValueError(f"out= has the shape {labels.shape}, the labels have {array.shape}")
    if values and array.dtype == np.float16:
        array = array.astype(np.float32)
    counts = np.empty(images, np.int64)
    # A view, whatever the strides: the axis of one channel is left out.
    inside = (slice(None), 0) if array.ndim > len(shape) + 1 else (slice(None),)
    each, each_out = array[inside], labels[inside]
    for i in range(images):
        if values:
            counts[i] = _core.label(
                each[i], each_out[i], number, True, float(delta), [False] * 3, -1, [], _NO_SPACING, None
            )[0]
        else:
            counts[i] = _core.label_mask(each[i], each_out[i], number)
    return (like(labels, given) if out is None else out), like(counts, given)


def images_of(shape) -> tuple[int, tuple]:
    """How many images a batch has, and the shape of one: (N, H, W), (N, 1, H, W) or (N, 1, D, H, W)."""
    if len(shape) == 3:
        return shape[0], shape[1:]
    if len(shape) in (4, 5) and shape[1] == 1:
        return shape[0], shape[2:]
    raise ValueError(f"a batch has the shape (N, H, W), (N, 1, H, W) or (N, 1, D, H, W), not {tuple(shape)}")


def measure(labels, intensity, properties, connectivity, spacing):
    labels = as_host(labels)
    if labels.dtype.kind not in "buif":
        raise TypeError(f"labels are integers, not {labels.dtype}")
    if labels.dtype == np.float16:
        labels = labels.astype(np.float32)
    number = pixels(connectivity, labels.ndim)
    columns = Columns(properties, labels.ndim, spacing)
    check_intensity(intensity, properties)
    if intensity is None:
        return columns.name(_core.measure(labels, number, columns.wanted, columns.spacing, None))
    intensity = as_host(intensity)
    if intensity.dtype == np.float16:
        intensity = intensity.astype(np.float32)
    if intensity.shape == labels.shape:
        return columns.name(_core.measure(labels, number, columns.wanted, columns.spacing, intensity))
    if intensity.shape[:-1] != labels.shape:
        raise ValueError(f"intensity has the shape {intensity.shape}, the labels have {labels.shape}")
    names = (properties,) if isinstance(properties, str) else tuple(properties)
    of_samples = Columns([name for name in names if is_of_samples(name)], labels.ndim, spacing)
    others = Columns([name for name in names if not is_of_samples(name)], labels.ndim, spacing)
    table = others.name(_core.measure(labels, number, others.wanted, others.spacing, None))
    channels = [
        of_samples.name(_core.measure(labels, number, of_samples.wanted, of_samples.spacing, intensity[..., channel]))
        for channel in range(intensity.shape[-1])
    ]
    result = {}
    for name in names:
        for column in Columns(name, labels.ndim, spacing).names:
            if not is_of_samples(name):
                result[column] = table[column]
                continue
            for channel, measured in enumerate(channels):
                result[f"{column}-{channel}"] = measured[column]
    return result


def _whole(name: str, number, default: int) -> int:
    """A number of elements or components."""
    if number is None:
        return default
    if not isinstance(number, (int, np.integer)) or not 0 <= number <= _MOST:
        raise ValueError(f"{name} is an integer from 0 to 2**64 - 1, not {number}")
    return int(number)


def clean(array, connectivity, values, per_value, largest, min_size, max_size, fill_holes, clear_border, seeds, out):
    given = array
    array = as_host(array)
    if values is None:
        values = array.dtype != np.bool_
    if array.dtype == np.float16 and values:
        raise TypeError("values of half precision: convert them to float32")
    if per_value and not values:
        raise ValueError("per_value is for values, not for masks")
    result = np.empty(array.shape, array.dtype) if out is None else as_host(out)
    if isinstance(fill_holes, (bool, np.bool_)):
        fill_holes = _MOST if fill_holes else 0
    _core.clean(
        array,
        result,
        pixels(connectivity, array.ndim),
        values,
        per_value,
        _whole("largest", largest, 0),
        _whole("min_size", min_size, 0),
        _whole("max_size", max_size, _MOST),
        _whole("fill_holes", fill_holes, 0),
        clear_border,
        None if seeds is None else as_host(seeds) != 0,
    )
    return like(result, given) if out is None else out


def contacts(labels, connectivity, spacing):
    labels = as_host(labels)
    if labels.dtype.kind not in "bui":
        raise TypeError(f"labels are integers, not {labels.dtype}")
    number = pixels(connectivity, labels.ndim)
    found = _core.contacts(labels, number)
    axes = "zyx"[-labels.ndim :]
    table = {name: as_signed(found[name]) for name in ("label_a", "label_b")}
    for i, axis in enumerate(axes):
        table[f"faces-{i}"] = found[f"faces_{axis}"]
    table["edges"] = found["edges"]
    if labels.ndim == 3:
        table["corners"] = found["corners"]
    if spacing is not None:
        sizes = Columns((), labels.ndim, spacing).spacing[labels.ndim - 1 :: -1]
        whole = float(np.prod(sizes))
        table["area"] = sum(table[f"faces-{i}"] * (whole / size) for i, size in enumerate(sizes))
    return table


def match(truth, prediction, threshold, pairs, per_value, connectivity):
    if connectivity is not None and not per_value:
        raise ValueError("connectivity is for classes: add per_value=True")
    thresholds = [float(one) for one in np.atleast_1d(threshold)]
    truth = as_host(truth)
    of_classes = pixels(connectivity, truth.ndim) if per_value else 0
    scores, table = _core.match(truth, as_host(prediction), thresholds, pairs, of_classes)
    return (scores, {name: as_signed(column) for name, column in table.items()}) if pairs else scores
