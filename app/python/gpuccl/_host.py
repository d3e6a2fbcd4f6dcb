"""Labeling in the memory of the CPU."""

from __future__ import annotations

import contextlib
import operator

import numpy as np

from . import _core
from ._kinds import Output, as_floats, as_host, as_labels, as_mask, check_axes, check_flags, check_number
from ._kinds import dims_of, like, periodic_axes, pixels
from ._measures import ChannelColumns, Columns, as_signed, channels_of, columns_of, sign_together

_MOST = 2**64 - 1


def areas_of(labels, images) -> np.ndarray:
    """Returns the area of each element's component. `labels`: those of each image begin at 1."""
    areas = np.empty_like(labels, np.int32 if labels.size < 2**31 else np.int64)
    for of_image, result in zip(labels, areas) if images else [(labels, areas)]:
        sizes = np.bincount(of_image.ravel("K").astype(np.int64, copy=False), minlength=1).astype(areas.dtype)
        sizes[0] = 0
        sizes.take(of_image, out=result)
    return areas


def label(array, connectivity, values, delta, periodic, packed_width, out, columns, spacing, intensity, areas=False):
    given = array
    array = as_host(array)
    if values:
        array = as_floats(array)
    shape = array.shape if packed_width is None else (*array.shape[:-1], packed_width)
    is_masked = np.ma.is_masked(intensity)
    if intensity is not None:
        check_axes(given, intensity, "intensity")
        intensity = as_samples(intensity)
    output = None
    ndim = array.ndim
    number = pixels(connectivity, ndim)
    names = columns_of(columns, ndim, spacing) if columns is not None else None
    wraps = periodic_axes(periodic, ndim, dims_of(given))
    if names:
        if "value" in names.wanted and not values:
            raise ValueError("the column value is that of connected values: add values=True")
        names.check_periodic(wraps)
    # Measures of shapes and real samples are added up by rows of the array.
    turned = packed_width is None and is_turned(array, number) and (names is None or _core.in_any_order(names.request(intensity)))
    if out is None:
        # 2^31 elements may have labels that int32 cannot represent.
        labels = np.empty_like(array, np.int32 if array.size < 2**31 else np.int64, "K" if turned else "C", False, shape)
    else:
        output = Output(out, shape, None, array, intensity, turned=turned)
        labels = output.array
    table = None
    if names is None and not values and periodic is None and packed_width is None:
        count, _ = _core.label(array, labels, number)  # other arguments take as long as labels of a small image
    else:
        bits = -1 if packed_width is None else packed_width
        request = names.request(intensity, is_masked) if names else None
        count, measured = _core.label(array, labels, number, bool(values), float(delta), wraps, bits, request)
        table = names.name(measured, labels, intensity) if names else None
    if output:
        output.finish()
    third = like(areas_of(labels, False), given, is_labels=True) if areas else table
    return (like(labels, given, is_labels=True) if out is None else out), count, third


def is_turned(array, number: int) -> bool:
    """Returns whether results may have the order of an array. Slices that are labeled separately are in C order."""
    return (array.ndim < 3 or number not in (4, 8)) and 0 not in array.strides


def label_batch(array, connectivity, values, delta, out, areas):
    given = array
    array = as_host(array)
    images, shape = images_of(array.shape)
    number = pixels(connectivity, len(shape))
    output = Output(out, array.shape, None, array, staged=True) if out is not None else None
    labels = output.array if output else np.empty(array.shape, np.int32)
    if values:
        array = as_floats(array)
    counts = np.empty(images, np.int64)
    # Views with any strides, without the axis of one channel.
    inside = (slice(None), 0) if array.ndim > len(shape) + 1 else (slice(None),)
    each, each_out = array[inside], labels[inside]
    for i in range(images):
        counts[i] = _core.label(each[i], each_out[i], number, bool(values), float(delta))[0]
    if output:
        output.finish()
    third = like(areas_of(labels, True), given, is_labels=True) if areas else None
    return (like(labels, given, is_labels=True) if out is None else out), like(counts, given), third


def as_samples(intensity) -> np.ndarray:
    """Returns an intensity image in the memory of the CPU; masked samples are NaN."""
    return as_floats(as_host(intensity, np.nan, "intensity"))


def images_of(shape) -> tuple[int, tuple]:
    """Returns the number of images of a batch and the shape of one."""
    if len(shape) == 3:
        return shape[0], shape[1:]
    if len(shape) in (4, 5) and shape[1] == 1:
        return shape[0], shape[2:]
    raise ValueError(f"a batch has the shape (N, H, W), (N, 1, H, W) or (N, 1, D, H, W), not {tuple(shape)}")


def measure(labels, intensity, properties, connectivity, spacing):
    check_axes(labels, intensity, "intensity")
    labels = as_labels(labels)
    number = pixels(connectivity, labels.ndim)
    columns = columns_of(properties, labels.ndim, spacing)
    if intensity is None:
        return columns.name(_core.measure(labels, number, columns.request(None)), labels)
    is_list = isinstance(intensity, (list, tuple)) and (not intensity or any(hasattr(image, "shape") for image in intensity))
    is_masked = any(map(np.ma.is_masked, intensity if is_list else [intensity]))
    images, numbered = channels_of(list(map(as_samples, intensity)) if is_list else as_samples(intensity), labels.shape)

    def of_channel(columns, samples):
        return columns.name(_core.measure(labels, number, columns.request(samples, is_masked)), labels, samples)

    if not numbered:
        return of_channel(columns, images[0])
    channels = ChannelColumns(properties, labels.ndim, spacing)
    return channels.join(of_channel(channels.others, None), [of_channel(channels.of_samples, image) for image in images])


def _size(name: str, number, default: int, least: int = 0) -> int:
    """Returns a number of elements or components."""
    if number is None:
        return default
    with contextlib.suppress(TypeError):  # of what is not an integer
        if not isinstance(number, (bool, np.bool_)) and least <= operator.index(number) <= _MOST:
            return operator.index(number)
    raise ValueError(f"{name} is an integer from {least} to 2**64 - 1, not {number}")


def checked_sizes(ndim, values, per_value, largest, min_size, max_size, fill_holes, clear_border):
    """Returns the sizes largest, min_size, max_size and fill_holes of clean() after checking its options."""
    check_flags(values=values, per_value=per_value, clear_border=clear_border)
    if per_value and not values:
        raise ValueError("per_value is for values, not for masks")
    if per_value and largest is None:
        raise ValueError("per_value selects the largest of each value: add largest=1")
    if isinstance(fill_holes, (bool, np.bool_)):
        fill_holes = _MOST if fill_holes else 0
    if values and fill_holes:
        raise ValueError("fill_holes is for masks, not for values; for a mask of integers add values=False")
    if ndim == 1 and (fill_holes or clear_border):
        raise ValueError("fill_holes and clear_border are for arrays of 2 and 3 axes")
    smallest, most = _size("min_size", min_size, 0), _size("max_size", max_size, _MOST)
    return _size("largest", largest, 0, 1), smallest, most, _size("fill_holes", fill_holes, 0)


def clean(array, connectivity, values, per_value, largest, min_size, max_size, fill_holes, clear_border, seeds, out):
    given = array
    check_axes(given, seeds, "seeds")
    array = as_host(array)
    if values is None:
        values = array.dtype != np.bool_
    sizes = checked_sizes(array.ndim, values, per_value, largest, min_size, max_size, fill_holes, clear_border)
    number = pixels(connectivity, array.ndim)
    turned = is_turned(array, number)
    output = Output(out, array.shape, array.dtype, array, turned=turned) if out is not None else None
    result = output.array if output else np.empty_like(array, None, "K" if turned else "C", False)
    is_half = array.dtype == np.float16 and values
    kept = np.empty(array.shape, np.float32) if is_half else result
    labels, marked = as_labels(array) if values else array, None if seeds is None else as_mask(seeds)
    _core.clean(labels, kept, number, bool(values), bool(per_value), *sizes, bool(clear_border), marked)
    if is_half:
        result[...] = kept
    if output:
        output.finish()
    return like(result, given) if out is None else out


def contacts(labels, connectivity, spacing):
    labels = as_labels(labels)
    found = _core.contacts(labels, pixels(connectivity, labels.ndim))
    return contact_table(sign_together(found, "label_a", "label_b"), labels.ndim, spacing)


def outlines(labels):
    found = _core.outlines(as_labels(labels))
    offsets = found["rings"], found["polygons"], found["objects"]
    return as_signed(found["label"]), found["points"].reshape(-1, 2), offsets


def contact_table(found, ndim, spacing, real=np.float64) -> dict:
    """Returns the columns of contacts() from those of the library. `real` makes floating-point numbers of integers."""
    axes = "zyx"[-ndim:]
    table = {name: found[name] for name in ("label_a", "label_b")}
    for i, axis in enumerate(axes):
        table[f"faces-{i}"] = found[f"faces_{axis}"]
    table["edges"] = found["edges"]
    if ndim == 3:
        table["corners"] = found["corners"]
    if spacing is not None:
        sizes = Columns((), ndim, spacing).spacing[ndim - 1 :: -1]
        volume = float(np.prod(sizes))
        table["area"] = sum(real(table[f"faces-{i}"]) * (volume / size) for i, size in enumerate(sizes))
    return table


def check_match(threshold, per_value, connectivity, empty, distances, spacing, tolerance, min_size, regions=False):
    """Returns thresholds, the scores of images without objects, and both smallest sizes of match()."""
    if empty not in (None, 0, 1, "skip"):
        raise ValueError(f"empty is None, 0, 1 or 'skip', not {empty!r}")
    if connectivity is not None and not per_value:
        raise ValueError("connectivity is for classes: add per_value=True")
    if not distances and tolerance is not None:
        raise ValueError("tolerance is for distances: add distances=True")
    if not distances and not regions and spacing is not None:
        raise ValueError("spacing is for distances and regions: add distances=True or regions=True")
    if tolerance is not None:
        check_number("tolerance", tolerance)
    smallest = min_size if isinstance(min_size, dict) else {"truth": min_size, "prediction": min_size}
    if not set(smallest) <= {"truth", "prediction"}:
        raise ValueError(f"min_size is a number of elements, or one for truth and for prediction, not {min_size!r}")
    smallest = {image: _size(f"min_size of {image}", size, 0) for image, size in smallest.items()}
    thresholds = np.atleast_1d(threshold).tolist()
    for one in thresholds:
        check_number("threshold", one, "above 0 and up to 1")
    of_empty = np.nan if empty in (None, "skip") else empty
    return thresholds, of_empty, [smallest.get("truth", 0), smallest.get("prediction", 0)]


def match_result(scores, table, pairs, empty):
    if empty == "skip" and not any(scores["objects"].values()):
        scores = None
    if not pairs:
        return scores
    return scores, sign_together({name: as_signed(column) for name, column in table.items()}, "truth", "prediction")


def match(truth, prediction, threshold, pairs, per_value, connectivity, empty, distances, spacing, tolerance, min_size, regions):
    thresholds, of_empty, smallest = check_match(
        threshold, per_value, connectivity, empty, distances, spacing, tolerance, min_size, regions
    )
    check_axes(truth, prediction, "prediction")
    truth = as_labels(truth, "truth")
    of_classes = pixels(connectivity, truth.ndim) if per_value else 0
    sizes = Columns((), truth.ndim, 1 if spacing is None else spacing).spacing if distances or regions else None
    scores, table = _core.match(
        truth, as_labels(prediction, "prediction"), thresholds, bool(pairs), of_classes, of_empty, sizes, tolerance, smallest,
        bool(distances), bool(regions),
    )
    return match_result(scores, table, pairs, empty)
