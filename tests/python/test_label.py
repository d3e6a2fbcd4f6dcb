"""label, measure, clean and contacts of arrays on the CPU, against SciPy, scikit-image and definitions."""

import concurrent.futures
import doctest
import functools
import gc
import math
import os
import pydoc
import resource
import subprocess
import sys
import warnings

import numpy as np
import pytest
from conftest import LONG, random_array, refused
from scipy import ndimage
from skimage import measure as skimage_measure
from skimage.morphology import convex_hull_image
from skimage.segmentation import relabel_sequential

import gpuccl
from gpuccl import _core


def structure(ndim, reach):
    return ndimage.generate_binary_structure(ndim, reach)


def same(a, b):
    return a.shape == b.shape and np.array_equal(a, b)


def test_examples_of_docstrings():
    import gpuccl._program

    results = doctest.testmod(gpuccl, extraglobs={"np": np, "gpuccl": gpuccl})
    assert results.attempted > 8 and results.failed == 0


def test_connectivity_is_a_number_of_neighbors_or_of_axes():
    image, volume = np.eye(3, dtype=bool), np.zeros((3, 3, 3), bool)
    volume[0, 0, 0] = volume[0, 1, 1] = volume[1, 2, 2] = True
    assert [gpuccl.label(image, c)[1] for c in (None, 1, 2, 4, 8)] == [1, 3, 1, 3, 1]
    assert [gpuccl.label(volume, c)[1] for c in (None, 1, 2, 3, 6, 18, 26)] == [1, 3, 2, 1, 3, 2, 1]
    assert [gpuccl.label(volume, c)[1] for c in (4, 8)] == [3, 2]
    for array, wrong in ((image, 6), (image, 3), (image, 0), (volume, 5), (np.ones(3), 2)):
        refused(ValueError, "connectivity", gpuccl.label, array, wrong)
    with pytest.raises(TypeError):
        gpuccl.label(image, "all")


def test_delta():
    ramp = np.array([1.0, 1.5, 2.0, 9.0, 0.0, 9.5])
    assert gpuccl.label(ramp, values=True, delta=0.5)[0].tolist() == [1, 1, 1, 2, 0, 3]
    assert gpuccl.label(ramp.astype("f2"), values=True, delta=0.5)[0].tolist() == [1, 1, 1, 2, 0, 3]
    for wrong in (-1, math.nan, math.inf, None, "1"):  # as --delta
        refused(ValueError, "delta is a number of at least 0", gpuccl.label, ramp, values=True, delta=wrong)


def test_periodic_axes_touch(random):
    for _ in range(100):
        ndim = int(random.integers(2, 4))
        mask = random.random(tuple(random.integers(2, 9, ndim))) < 0.4
        axes = [axis for axis in range(ndim) if random.random() < 0.6]
        reach = int(random.integers(1, ndim + 1))
        labels, count, table = gpuccl.label(mask, reach, periodic=axes, stats=True)
        letters = "".join("zyx"[3 - ndim + axis] for axis in axes)
        assert same(gpuccl.label(mask, reach, periodic=letters)[0], labels)
        tiled = np.pad(mask, [(1, 1) if axis in axes else (0, 0) for axis in range(ndim)], mode="wrap")
        inside = tuple(slice(1, -1) if axis in axes else slice(None) for axis in range(ndim))
        # No pair of neighbors in the padded array has two labels.
        padded = np.pad(labels, [(1, 1) if axis in axes else (0, 0) for axis in range(ndim)], mode="wrap")
        assert same(padded != 0, tiled)
        touching = gpuccl.contacts(padded, reach)
        assert len(touching["label_a"]) == 0 and count <= ndimage.label(mask, structure(ndim, reach))[1]
        first = [int(np.flatnonzero(padded[inside] == i + 1)[0]) for i in range(count)]
        assert first == sorted(first) and table["area"].sum() == mask.sum()


@pytest.mark.parametrize("values", [False, True])
def test_measures_across_borders_are_right_or_refused(values):
    for shape in ((16, 20), (8, 16, 20)):
        mask = np.zeros(shape, np.uint8)
        part = (slice(2, 5),) * (mask.ndim - 2)
        mask[(*part, slice(3, 7), slice(18, None))] = mask[(*part, slice(3, 5), slice(4))] = mask[(*part, slice(10, 12), slice(8, 12))] = 1
        samples = np.arange(mask.size, dtype=np.uint16).reshape(shape)
        not_measured = set()
        for name in (*_core.measures(), "num_pixels", "area_bbox", "centroid_local", "centroid_weighted_local", "inertia_tensor", "image", "coords", "slice"):
            more = {"intensity": samples} if name.startswith("intensity") or "weighted" in name else {}
            if name.endswith("_physical"):
                more["spacing"] = range(1, mask.ndim + 1)
            try:
                found = gpuccl.label(mask, values=values, periodic="x", stats=True, properties=name, **more)[2]
            except ValueError as error:
                assert "periodic" in str(error) or "volumes" in str(error) or "images" in str(error)
                not_measured.add(name)
                continue
            if name in ("x0", "x1", "cx", "wraps_x"):
                continue
            more = {key: np.roll(value, 6, -1) if key == "intensity" else value for key, value in more.items()}
            moved = gpuccl.label(np.roll(mask, 6, -1), values=values, stats=True, properties=name, **more)[2]
            for column, of_moved in zip(found.values(), moved.values()):
                np.testing.assert_array_equal(column, of_moved, name)
        right = {"area", "extent", "wraps_x", "border_y0", "border_sides", "centroid_local", "intensity_mean", "intensity_median"}
        wrong = {"perimeter", "euler_number", "axis_major_length", "inertia_tensor", "image", "coords", "slice", "cx_weighted", "border_x1", "wraps_y"}
        assert not right & not_measured and not_measured >= wrong | {"centroid_weighted_local", "solidity", "axis_minor_length_physical", "sphericity"}
    out = np.full(mask.shape, 7)
    with pytest.raises(ValueError, match="periodic: solidity is not measured across borders; use area, bbox"):
        gpuccl.label(mask, periodic="x", stats=True, properties=("area", "solidity"), out=out)
    assert (out == 7).all()
    refused(ValueError, "wraps_x needs periodic along that axis", gpuccl.label, mask, stats=True, properties="wraps_x")


def test_packed_bits(random):
    for width in (0, 1, 7, 8, 9, 64, 100):
        mask = random.random((5, 6, width)) < 0.5
        bits = np.packbits(mask, axis=-1, bitorder="little")
        assert same(gpuccl.label(bits, packed_width=width)[0], gpuccl.label(mask)[0])
    refused(ValueError, "packed_width", gpuccl.label, np.zeros((3, 2), np.uint8), packed_width=17)


def test_batches(random):
    masks = random.random((5, 1, 12, 17)) < 0.5
    labels, counts = gpuccl.label(masks, batch=True)
    for i in range(5):
        expected, count = gpuccl.label(masks[i, 0])
        assert same(labels[i, 0], expected) and counts[i] == count
    assert same(gpuccl.label(masks[:, 0], batch=True)[0], labels[:, 0])
    volumes = random.random((2, 1, 4, 5, 6)) < 0.3
    labels, counts = gpuccl.label(volumes, batch=True, values=True)
    assert counts.tolist() == [gpuccl.label(volume[0])[1] for volume in volumes]
    refused(ValueError, "batch", gpuccl.label, np.zeros((2, 3, 4, 5)), batch=True)


def test_arrays_that_cannot_be_labeled():
    for wrong in (np.zeros(3, complex), np.array(["a"]), np.zeros(3, object), np.zeros(3, np.longdouble)):
        with pytest.raises((TypeError, ValueError, BufferError)):
            gpuccl.label(wrong)
    for wrong in (np.zeros(()), np.zeros((1, 1, 1, 1))):
        refused(ValueError, "axes", gpuccl.label, wrong)
    refused(ValueError, "stream", gpuccl.label, np.zeros((2, 2)), stream=1)
    refused(TypeError, "GPU", gpuccl.label_async, np.zeros((2, 2)))


def test_types_and_arguments_that_do_not_fit(tmp_path):
    image = np.ones((3, 4), np.uint8)
    for wrong, name in ((np.longdouble, "float128"), (object, "object"), ("M8[s]", "datetime64"), ("c16", "complex128")):
        refused(TypeError, f"not of {name}", gpuccl.label, image.astype(wrong))
    refused(TypeError, "label_file", gpuccl.label, tmp_path)
    refused(ValueError, "packed_width", gpuccl.label, image, values=True, packed_width=32)
    for function, more in ((gpuccl.measure, {}), (gpuccl.label, {"stats": True})):
        refused(ValueError, "add one, such as intensity_mean", function, image, intensity=image, properties=("label", "area"), **more)
    for axes in ("x0", True, (0.5,), ("xy",)):
        refused(ValueError, "no such axis", gpuccl.label, image, periodic=axes)
    assert gpuccl.label(np.array([[1, 0, 1]]), periodic=(-1,))[1] == 1


def test_help_of_label_fits_two_screens():
    lines = pydoc.plain(pydoc.render_doc(gpuccl.label)).splitlines()
    assert 60 < len(lines) <= 80


def test_remedies_of_usual_mistakes():
    real = np.random.default_rng(1).random((2, 1, 6, 6))
    for function in (gpuccl.clean, gpuccl.measure, gpuccl.contacts):
        refused(ValueError, "labels are integers: round the array, or pass a mask such as array > 0.5", function, real[0])
    way = r"not of 4; pass array\[:, 0\] of a batch \(N, 1, H, W\) with connectivity=8, and other images or volumes one by one$"
    for function in (gpuccl.clean, gpuccl.label):
        refused(ValueError, way, function, real > 0.5)
    assert same(gpuccl.clean((real > 0.5)[:, 0], 8, min_size=2)[1], gpuccl.clean(real[1, 0] > 0.5, min_size=2))


def test_sizes_are_integers():
    mask = np.pad(np.ones((5, 6), bool), 1)
    mask[2, 2] = mask[4, 4] = mask[4, 5] = False
    for name, least in (("largest", 1), ("min_size", 0), ("max_size", 0), ("fill_holes", 0)):
        for wrong in (least - 1, 1.5, 2**70, "2", *((True,) if name != "fill_holes" else ())):
            refused(ValueError, f"{name} is an integer from {least} to 2..64 - 1, not {wrong}", gpuccl.clean, mask, **{name: wrong})
    assert not gpuccl.clean(mask, max_size=0).any()
    assert same(gpuccl.clean(mask, min_size=np.uint8(5)), mask) and same(gpuccl.clean(mask, min_size=np.array(5)), mask)


def test_ignored_arguments_are_refused():
    mask = np.ones((3, 3), bool)
    for more in (dict(properties=("area",)), dict(spacing=2), dict(intensity=mask)):
        refused(ValueError, "add stats=True", gpuccl.label, mask, **more)
    for more in (dict(delta=3), dict(stats=True, properties=("label", "value"))):
        refused(ValueError, "add values=True", gpuccl.label, mask, **more)
    for axes in ((0, 5), 2, -3, "z"):
        refused(ValueError, "no such axis", gpuccl.label, mask, periodic=axes)
    refused(ValueError, "periodic and delta", gpuccl.label, mask.astype(int), values=True, delta=1, periodic="x")
    refused(TypeError, "gpuccl.compat.scipy.label takes a structure", gpuccl.label, mask, np.ones((3, 3)))
    refused(TypeError, "gpuccl.label_file labels files", gpuccl.label, "cells.tif")
    refused(ValueError, "properties.. lists them", gpuccl.measure, mask, properties="all")
    labels = np.diag(range(5))
    for wrong in (["area"], "area", 2, np.ones(2)):
        for name in ("values", "batch", "stats", "areas"):
            way = "; name columns with properties=$" if name == "stats" else "; select values" if name == "values" else "$"
            refused(TypeError, f"(?s){name} is True or False, not .*{way}", gpuccl.label, mask, **{name: wrong})
        for name in ("pairs", "per_value", "distances", "regions"):
            refused(TypeError, f"{name} is True or False", gpuccl.match, labels, labels, **{name: wrong})
        for name in ("values", "per_value", "clear_border"):
            refused(TypeError, f"{name} is True or False", gpuccl.clean, labels, **{"largest": 1, name: wrong})
    for spacing in ("12", True, ("1", "2"), (True, 1)):
        for call in (gpuccl.contacts, gpuccl.measure, lambda x, **more: gpuccl.label(x, stats=True, **more)):
            refused(TypeError, "spacing is a number or a sequence of numbers, not", call, labels, spacing=spacing)
    for names in ("area", ("label", "area"), ["area"]):
        refused(TypeError, "intensity is an image, not .*; name columns with properties=", gpuccl.measure, labels, names)
    refused(TypeError, "connectivity is an integer, not bool", gpuccl.label, mask, True)
    refused(ValueError, "delta is a number of at least 0, not True", gpuccl.label, labels, values=True, delta=True)
    for wrong in ("0.5", True, 0, 1.5):
        refused(ValueError, "threshold is a number above 0 and up to 1", gpuccl.match, labels, labels, wrong)


def test_holes_of_one_element_are_not_all_holes():
    mask = np.ones((5, 9), bool)
    mask[2, 2] = mask[2, 5] = mask[2, 6] = False
    assert gpuccl.clean(mask, fill_holes=1).sum() == 43
    for every in (True, np.True_, 2, np.int64(2)):
        assert gpuccl.clean(mask, fill_holes=every).all()
    assert gpuccl.clean(mask, fill_holes=False).sum() == 42


def test_other_buffers():
    assert gpuccl.label(bytes([0, 1, 1, 0, 7]))[0].tolist() == [0, 1, 1, 0, 2]
    assert gpuccl.label([[1, 0], [0, 1]], 1)[1] == 2
    assert gpuccl.label(memoryview(bytearray(4)))[1] == 0


SAME = (
    "label", "area", "bbox", "centroid", "extent", "equivalent_diameter_area", "inertia_tensor",
    "inertia_tensor_eigvals", "axis_major_length", "axis_minor_length",
)  # fmt: skip


DERIVED = (
    "num_pixels", "area_bbox", "centroid_local", "slice", "image", "coords", "image_filled", "area_filled", "moments",
    "moments_central", "moments_normalized",
)  # fmt: skip
WEIGHTED = ("image_intensity", "moments_weighted", "moments_weighted_central", "moments_weighted_normalized")


def check_table(table, expected):
    for name, column in expected.items():
        assert name in table, name
        if column.dtype == object:
            assert all(np.array_equal(one, other) for one, other in zip(table[name], column, strict=True)), name
            continue
        if "_hu-" in name:  # of great numbers that cancel each other out
            np.testing.assert_allclose(table[name], column, rtol=1e-6, atol=1e-9, err_msg=name)
            continue
        np.testing.assert_allclose(table[name], column, rtol=1e-9, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("ndim", (2, 3))
def test_tables_are_those_of_regionprops(random, ndim):
    images_only = ("eccentricity",) if ndim == 2 else ()
    for _ in range(40):
        mask = random.random(tuple(random.integers(1, 20, ndim))) < 0.4
        labels, count, table = gpuccl.label(mask, stats=True, properties=SAME + images_only)
        assert list(table)[:2] == ["label", "area"] and len(table["label"]) == count
        if count:
            check_table(table, skimage_measure.regionprops_table(labels, properties=SAME + images_only))


@pytest.mark.parametrize("ndim", (2, 3))
def test_measures_of_labels_that_are_not_connected(random, ndim):
    for _ in range(40):
        shape = tuple(random.integers(1, 20, ndim))
        labels = random.integers(0, 5, shape) * 7
        intensity = random.integers(0, 1000, shape).astype(("u2", "i4", "f8")[random.integers(3)])
        names = SAME + ("intensity_mean", "intensity_min", "intensity_max", "centroid_weighted_local", *DERIVED)
        if labels.any():
            names += WEIGHTED + (("moments_hu", "moments_weighted_hu") if ndim == 2 else ())
            table = gpuccl.measure(labels, intensity, names)
            check_table(table, skimage_measure.regionprops_table(labels, intensity, properties=names))


def test_a_mask_is_measured_with_a_warning():
    import dask.array

    import gpuccl.dask

    mask = np.zeros((5, 5), bool)
    mask[0, ::2] = True
    for made, package in ((np.array, gpuccl), (dask.array.from_array, gpuccl.dask)):
        for array in (mask, mask.astype("u1"), mask * 255.0):
            for name in ("measure", "match", "outlines", "contacts"):
                if not hasattr(package, name) or (array.dtype != bool and (name == "contacts" or package is gpuccl.dask)):
                    continue
                given = [made(array)] * (2 if name == "match" else 1)
                with pytest.warns(UserWarning, match=r"one value, which is one object; label a mask first: labels, count =") as record:
                    getattr(package, name)(*given)
                assert [warning.filename for warning in record] == [__file__] * len(given)
        mask_of_remedy = {"mask": made(mask)}
        exec(str(record[0].message).rpartition(": ")[2], {"gpuccl": gpuccl}, mask_of_remedy)
        assert mask_of_remedy["count"] == 3 and package.measure(mask_of_remedy["labels"])["area"].tolist() == [1, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gpuccl.match(mask, mask, per_value=True)["classes"] and gpuccl.match(np.eye(5), np.diag(range(5)))
        gpuccl.match(mask * 1, np.diag(range(5)), min_size=2)
        assert gpuccl.match(mask * 0, mask * 0, empty="skip") is None
        gpuccl.dask.clean(dask.array.from_array(mask), largest=1, seeds=dask.array.from_array(mask)).compute()
        for array in (np.zeros((5, 5), bool), np.full((9, 9), 7), gpuccl.label(np.eye(9))[0], np.diag(range(5))):
            gpuccl.measure(array)
            gpuccl.outlines(array)


def test_samples_that_are_nan_are_counted_in_a_warning():
    import dask.array

    import gpuccl.dask

    labels = np.repeat([[0, 1, 2, 2]], 4, axis=0)
    image = np.where(np.eye(4) > 0, np.nan, 1)
    for code in ("f4", "f8", ">f8", "f2"):
        given = image.astype(code)
        for call in (
            lambda: gpuccl.measure(labels, given),
            lambda: gpuccl.measure(labels, [labels, given], ("label", "centroid_weighted")),
            lambda: gpuccl.label(labels, 1, values=True, stats=True, intensity=given),
            lambda: gpuccl.dask.measure(dask.array.from_array(labels, chunks=(2, 4)), dask.array.from_array(given, chunks=(2, 4))),
        ):
            with pytest.warns(UserWarning, match="^3 samples of components are NaN and are ignored$") as record:
                call()
            assert [warning.filename for warning in record] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gpuccl.measure(labels, np.where(labels == 0, np.nan, 1.0))
        gpuccl.measure(labels, np.ma.masked_invalid(image))
        gpuccl.label(labels, values=True, stats=True, intensity=np.ma.masked_invalid(image))
        assert gpuccl.measure(labels, image, ("intensity_mean", "intensity_nan"))["intensity_nan"].tolist() == [1, 2]


def test_functions_of_crops_and_the_list_of_properties(random):
    labels, image = random.integers(0, 9, (20, 30)), random.random((20, 30))

    def spread(crop, samples):
        return np.ptp(samples[crop])

    def rows(crop):
        return crop.any(axis=1)

    def total(crop, samples):  # also of elements outside of the object
        return samples.sum()

    def of_options(crop, *others, power=2, **more):
        return crop.sum() ** power

    functions = spread, rows, total, of_options
    table = gpuccl.measure(labels, image, ("label", spread, "area", *functions[1:]))
    assert list(table) == ["label", "spread", "area", "rows", "total", "of_options"]
    check_table(table, skimage_measure.regionprops_table(labels, image, ("label", "area"), extra_properties=functions))
    assert np.array_equal(gpuccl.measure(labels, properties=of_options)["of_options"], table["of_options"])
    channels = gpuccl.measure(labels, np.stack([image, -image], -1), (spread, rows))
    assert list(channels) == ["spread-0", "spread-1", "rows"] and np.array_equal(channels["spread-0"], table["spread"])
    for wrong in ({"properties": spread}, {"properties": "image_intensity"}, {"properties": "moments", "spacing": 2}):
        refused(ValueError, "intensity image|not measured", gpuccl.measure, labels, **wrong)
    def area(crop):
        return -1

    def total_of_crop(crop):
        return 0

    total_of_crop.__name__ = "total"
    for names, column in ((("area", area), "area"), ((area, "label", "area"), "area"), ((total, total_of_crop), "total")):
        with pytest.raises(ValueError, match=f"two properties have the column {column}; .* another __name__"):
            gpuccl.measure(labels, None if column == "area" else image, names)
    total_of_crop.__name__ = "other"  # the remedy
    assert list(gpuccl.measure(labels, image, (total, total_of_crop, "area", "area"))) == ["total", "other", "area"]
    assert len(gpuccl.measure(labels, properties=("inertia_tensor", "inertia_tensor-0-0"))) == 4  # one column of both
    refused(ValueError, "needs a __name__", gpuccl.measure, labels, properties=functools.partial(of_options, power=3))
    refused(ValueError, "is for images", gpuccl.measure, labels[None], properties="moments_hu")
    refused(ValueError, "across borders", gpuccl.label, labels, stats=True, periodic="x", properties=(rows, "area"))
    assert gpuccl.measure(labels * 0, image, ("moments_weighted", rows))["moments_weighted-3-3"].shape == (0,)
    known = gpuccl.properties()
    assert skimage_measure._regionprops.COL_DTYPES.keys() - known == {"coords_scaled", "image_convex"}  # docs/python.md has others
    assert {"sphericity", "value"} <= known.keys() and all(known.values())
    box = gpuccl.measure(labels, properties=("y1", "x1", "bbox"))  # the program's x1 is the last column
    assert box["y1"].tolist() == box["bbox-2"].tolist() and box["x1"].tolist() == box["bbox-3"].tolist()
    assert "half-open" in known["x1"] and "half-open" in known["z1"]
    volume, samples = random.integers(0, 3, (5, 6, 7)), random.integers(0, 99, (5, 6, 7), np.uint8)
    image = (image * 99).astype(np.uint8)
    for name in known:  # each can be measured, in images or in volumes
        with_samples = name.startswith(("intensity", "image_intensity")) or "weighted" in name
        of_label = name in ("cavities", "tunnels") or name.startswith("wraps")
        for array, more in ((labels, image), (volume, samples)):
            options = {"properties": name, "spacing": 1 if "physical" in name else None}
            try:
                if of_label:
                    periodic = name[-1] if name.startswith("wraps") else None
                    assert len(gpuccl.label(array, stats=True, periodic=periodic, **options)) == 3
                else:
                    assert gpuccl.measure(array, more if with_samples else None, **options)
                break
            except ValueError as error:
                assert array is labels and any(word in str(error) for word in ("images", "volumes", "axis", "axes")), (name, error)


@pytest.mark.filterwarnings("ignore:invalid value")  # of the object that is not finite itself
def test_remedies_for_arguments_that_are_absent(random):
    """The table of docs/python.md, where no other test has the line."""
    labels, samples = random.choice([0, 3, 7, 200], (50, 60)).astype(np.uint16), random.random((50, 60))
    table = gpuccl.measure(labels, properties=("label", "area", "coords", convex_hull_image))
    values, counts = np.unique(labels[labels > 0], return_counts=True)
    assert same(table["label"], values) and same(table["area"], counts)
    places = np.searchsorted(np.append(0, table["label"]), labels)
    assert same(places, relabel_sequential(labels)[0])
    theirs = skimage_measure.regionprops_table(labels, samples, ("coords_scaled", "image_convex", "intensity_median"), spacing=(2, 3))
    assert all(map(same, table["convex_hull_image"], theirs["image_convex"]))
    assert all(np.allclose(one * (2, 3), other) for one, other in zip(table["coords"], theirs["coords_scaled"]))

    def median(crop, inside):
        return np.median(inside[crop])

    assert same(gpuccl.measure(labels, samples, median)["median"], theirs["intensity_median"])
    volume, spacing = random.random((20, 30, 30)) < 0.2, (30, 5, 5)
    found, _, table = gpuccl.label(volume, stats=True, spacing=spacing)
    cleaned = gpuccl.clean(volume, min_size=math.ceil(20000 / math.prod(spacing)))
    assert same(cleaned, np.append(False, table["area"] >= 20000)[found]) and 0 < cleaned.sum() < volume.sum()
    code = "import os, gpuccl, numpy as np; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); threads = len(os.listdir('/proc/self/task'))"
    code += "; gpuccl.label(np.ones((3000, 3000), bool)); assert len(os.listdir('/proc/self/task')) == threads"
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})


def test_measures_of_samples_are_rounded_and_have_a_range():
    labels, names = np.array([[1, 1, 2, 2]]), ("intensity_max", "intensity_std")
    table = gpuccl.measure(labels, np.array([[2**63 + 1, 5, 2**53 + 1, 7]], np.uint64), names)
    assert table["intensity_max"].dtype == float and table["intensity_max"].tolist() == [2.0**63, 2.0**53]
    table = gpuccl.measure(labels, np.array([[1e154, 5e154, 1e153, 5e153]]), names)
    assert np.isnan(table["intensity_std"][0]) and np.isclose(table["intensity_std"][1], 2e153)
    assert np.isnan(gpuccl.measure(labels, np.array([[np.inf, 1, 1, 1]]), names)["intensity_max"][0])


def test_samples_of_neighbors_are_0_in_crops_also_where_they_are_not_finite(random):
    """scikit-image multiplies by the crop, so that NaN and infinity of a neighbor remain."""

    def total(crop, samples):
        return samples.sum()

    names = ("image", "image_intensity", "moments_weighted", "moments_weighted_central", total)
    labels, samples = random.integers(0, 4, (9, 11)), random.random((9, 11))
    samples[labels == 2] = random.choice([np.nan, np.inf, -np.inf], (labels == 2).sum())
    for one in (1, 3):
        alone = np.where(labels == one, samples, 0)
        expected = skimage_measure.regionprops_table((labels == one) * one, alone, names[:-1], extra_properties=names[-1:])
        table = gpuccl.measure(np.where(labels == one, one, labels), samples, ("label", *names))
        check_table({name: column[table["label"] == one] for name, column in table.items()}, expected)
    for code in ("u1", "?", "f4", "i8"):
        crops = gpuccl.measure(labels, np.isfinite(samples).astype(code), "image_intensity")["image_intensity"]
        assert {crop.dtype for crop in crops} == {np.dtype(code)}


@pytest.mark.parametrize("values", (False, True))
def test_areas_are_those_of_each_component(random, values):
    for ndim in (1, 2, 3):
        array = random_array(random, ("u1", "i4", "f4"), ndim, 3)
        labels, count, areas = gpuccl.label(array, values=values, areas=True)
        expected, number = gpuccl.label(array, values=values)
        assert count == number and np.array_equal(labels, expected) and areas.dtype == labels.dtype
        sizes = np.bincount(labels.ravel(), minlength=1)
        assert np.array_equal(areas, np.where(labels > 0, sizes[labels], 0))
    masks = random.random((4, 1, 20, 30)) < 0.5
    out = np.empty(masks.shape, ">i2")
    labels, counts, areas = gpuccl.label(masks, batch=True, areas=True, out=out)
    assert labels is out and areas.shape == masks.shape
    for mask, of_mask in zip(masks[:, 0], areas[:, 0]):
        assert np.array_equal(of_mask, gpuccl.label(mask, areas=True)[2])
    refused(ValueError, "without a table", gpuccl.label, masks[0, 0], areas=True, stats=True)


def test_measures_of_several_channels_and_pieces(random):
    labels = random.integers(0, 6, (20, 30))
    channels = random.random((20, 30, 3))
    names = ("label", "intensity_mean", "area", "intensity_max", "centroid_weighted")
    table = gpuccl.measure(labels, channels, names)
    for same in (list(np.moveaxis(channels, -1, 0)), np.moveaxis(channels, -1, 0)):
        assert all(np.array_equal(column, table[name]) for name, column in gpuccl.measure(labels, same, names).items())
    refused(ValueError, "intensity has the shape", gpuccl.measure, labels, channels[1:], names)
    expected = skimage_measure.regionprops_table(labels, channels, properties=names)
    assert list(table) == list(expected)
    check_table(table, expected)
    wrong = {
        r"intensity\[1\] has the shape .20, 29., the labels have .20, 30.": [labels, labels[:, 1:]],
        r"intensity\[0\] has the shape .30,., the labels have .20, 30.": list(labels),
        "intensity has no channels: leave it out": [],
        "intensity has no channels": channels[..., :0],
        "no channels": np.ones((0, 20, 30)),
    }
    for message, given in wrong.items():
        refused(ValueError, message, gpuccl.measure, labels, given, ("label", "intensity_mean"))
    for given in (wrong["no channels"], []):
        refused(ValueError, "intensity", gpuccl.label, labels, stats=True, intensity=given, properties=("label", "intensity_mean"))
    pieces = gpuccl.measure(labels, properties=("label", "components"), connectivity=1)
    for label, count in zip(pieces["label"], pieces["components"]):
        assert count == skimage_measure.label(labels == label, connectivity=1).max()
    refused(ValueError, "shape", gpuccl.measure, labels, np.ones((20, 29, 3)), names)


def test_measures_with_a_spacing(random):
    labels = random.integers(0, 5, (9, 8, 7))
    names = ("label", "area", "bbox", "centroid", "equivalent_diameter_area", "area_bbox", "centroid_local", "num_pixels")
    table = gpuccl.measure(labels, properties=names, spacing=(3, 0.5, 2))
    check_table(table, skimage_measure.regionprops_table(labels, properties=names, spacing=(3, 0.5, 2)))
    check_table(gpuccl.measure(labels, properties=names, spacing=np.array([3, 0.5, 2])), table)
    check_table(gpuccl.measure(labels, spacing=np.array(2)), gpuccl.measure(labels, spacing=2))
    check_table(gpuccl.contacts(labels, spacing=np.array(2)), gpuccl.contacts(labels, spacing=2))
    check_table(gpuccl.measure(labels, labels, iter(("area", "intensity_max"))), gpuccl.measure(labels, labels, ("area", "intensity_max")))
    refused(ValueError, "spacing", gpuccl.measure, labels, properties=("inertia_tensor",), spacing=2)
    for wrong in ((1, 2), -1, (1, 1, math.nan)):  # test_program compares limits
        refused(ValueError, "spacing", gpuccl.measure, labels, spacing=wrong)


def test_crops_of_components_and_of_rounded_labels(random):
    mask = random.random((8, 9, 10)) < 0.2
    labels, _, table = gpuccl.label(mask, stats=True, properties=("label", *DERIVED))
    check_table(table, skimage_measure.regionprops_table(labels, properties=("label", *DERIVED)))
    with pytest.warns(UserWarning, match="rounded"):
        found = gpuccl.measure(labels + 0.0004, properties=("label", "coords"))
    assert all(np.array_equal(one, other) for one, other in zip(found["coords"], table["coords"], strict=True))
    refused(ValueError, "did you mean area_bbox", gpuccl.measure, labels, properties="areabbox")


@pytest.mark.parametrize("code", ["u1", "i4", "u8", "f4"])
def test_outlines_enclose_the_pixels_of_each_label(random, code):
    for _ in range(40):
        labels = random_array(random, (code,), 2, values=int(random.integers(1, 9)))
        labels = abs(labels)
        ids, points, (rings, polygons, objects) = gpuccl.outlines(labels)
        assert np.array_equal(ids, np.unique(labels[labels != 0]))
        assert points.shape == (rings[-1], 2) and len(rings) - 1 == polygons[-1] and len(polygons) - 1 == objects[-1]
        for i, label in enumerate(ids):
            inside = np.zeros((labels.shape[0], labels.shape[1] + 1), bool)
            for ring in range(polygons[objects[i]], polygons[objects[i + 1]]):
                line = points[rings[ring] : rings[ring + 1]]
                assert (line[0] == line[-1]).all()
                for (x, y), (x2, y2) in zip(line[:-1], line[1:]):
                    assert (x == x2) != (y == y2)
                    inside[min(y, y2) : max(y, y2), x] ^= True  # an edge along y
            filled = np.logical_xor.accumulate(inside, axis=1)[:, :-1]
            assert np.array_equal(filled, labels == label)
    refused(ValueError, "two axes", gpuccl.outlines, np.zeros((2, 3, 4), np.uint8))


def test_perimeters_of_labels_that_touch(random):
    labels = ndimage.zoom(random.integers(0, 6, (15, 15)), 4, order=0)
    labels[random.random(labels.shape) < 0.1] = 3
    names = ("label", "perimeter", "perimeter_crofton", "euler_number")
    check_table(gpuccl.measure(labels * 3, properties=names), {
        **skimage_measure.regionprops_table(labels * 3, properties=names)
    })  # fmt: skip
    table = gpuccl.measure(labels, properties=("euler_number", "holes", "components", "inscribed_radius"))
    assert (table["holes"] == table["components"] - table["euler_number"]).all()
    radii = [ndimage.distance_transform_edt(np.pad(labels == i, 1)).max() for i in range(1, 6)]
    np.testing.assert_allclose(table["inscribed_radius"], radii, rtol=1e-12)
    refused(ValueError, "label", gpuccl.measure, np.ones((3, 3, 3), int), properties=("cavities",))
    refused(ValueError, "property", gpuccl.measure, labels, properties=("beauty",))


def test_labels_of_any_size():
    labels = np.array([[2**63, 0], [5, 2**63]], np.uint64)
    table = gpuccl.measure(labels, properties=("label", "area"))
    assert table["label"].tolist() == [5, 2**63] and table["area"].tolist() == [1, 2]
    def elements(crop):
        return crop.sum()

    names = ("label", "area", "bbox", "image", "coords", "area_filled", "moments", elements)
    for start in (2**53, 2**60, 2**62, 2**63 - 2, 2**64 - 4):  # neighbors that no floating-point number tells apart
        for code in ("u8", "i8")[: 1 + (start < 2**63 - 2)]:
            small = np.array([[1, 2, 1], [3, 0, 2], [1, 1, 3]], np.uint64)
            near = np.where(small > 0, small + np.uint64(start), small).astype(code)
            found, expected = gpuccl.measure(near, properties=names), gpuccl.measure(small, properties=names)
            assert [number - start for number in found["label"].tolist()] == expected["label"].tolist()
            check_table({**found, "label": expected["label"]}, expected)
            assert found["moments-0-0"].tolist() == found["elements"].tolist() == found["area"].tolist() == [4, 2, 2]
    with pytest.warns(UserWarning, match="NaN is background"):
        real = gpuccl.measure(np.array([[7.0, np.nan], [0, 2]], np.float32))
    assert real["label"].tolist() == [2, 7] and real["label"].dtype == np.int64
    refused(TypeError, "integers", gpuccl.measure, np.array([1j]))


def test_clean_by_definition(random):
    for _ in range(200):
        array = np.abs(random_array(random, types=("?", "u1", "i4", "f8"), ndim=2))
        if array.size == 0:
            continue
        values = array.dtype != np.bool_
        labels, count, table = gpuccl.label(array, values=values, stats=True)
        smallest, largest = int(random.integers(0, 5)), int(random.integers(1, 4))
        kept = [i for i in range(1, count + 1) if table["area"][i - 1] >= smallest]
        kept = sorted(sorted(kept, key=lambda i: -table["area"][i - 1])[:largest])
        expected = np.where(np.isin(labels, kept), array, np.zeros((), array.dtype))
        assert same(gpuccl.clean(array, min_size=smallest, largest=largest), expected)
        out = np.ascontiguousarray(array)
        assert gpuccl.clean(out, min_size=smallest, largest=largest, out=out) is out and same(out, expected)
    holes = np.pad(np.ones((5, 5), bool), 1)
    holes[3, 3] = holes[1, 3] = False
    filled = gpuccl.clean(holes, 1, fill_holes=True)
    assert same(filled, ndimage.binary_fill_holes(holes, structure(2, 2))) and filled.sum() == holes.sum() + 1
    refused(ValueError, "holes", gpuccl.clean, holes.astype(int), fill_holes=True)
    assert gpuccl.clean(holes, clear_border=True).any() and not gpuccl.clean(holes[1:], clear_border=True).any()


def test_seeds_are_hysteresis(random):
    filters = pytest.importorskip("skimage.filters")
    for _ in range(200):
        image = random.random(tuple(random.integers(1, 30, int(random.integers(1, 4)))))
        low, high = np.sort(random.random(2))
        expected = filters.apply_hysteresis_threshold(image, low, high)
        assert same(gpuccl.clean(image > low, 1, seeds=image > high), expected)
    array, seeds = np.array([[1, 1, 0, 2, 2], [0, 0, 0, 1, 1]]), np.zeros((2, 5))
    seeds[1, 4] = -0.5  # any value but 0
    assert gpuccl.clean(array, seeds=seeds).tolist() == [[0] * 5, [0, 0, 0, 1, 1]]
    assert gpuccl.clean(array, seeds=seeds, min_size=3).tolist() == [[0] * 5] * 2
    assert gpuccl.clean(array[:0], seeds=seeds[:0]).shape == (0, 5)
    refused(ValueError, "seeds has another shape", gpuccl.clean, array, seeds=seeds[:1])


def test_contacts_by_definition(random):
    for _ in range(50):
        labels = random.integers(0, 4, tuple(random.integers(1, 6, 3))) * 10
        expected = {}
        for place in np.ndindex(labels.shape):
            for shift in np.ndindex(3, 3, 3):
                step = np.array(shift) - 1
                other = tuple(np.array(place) + step)
                if tuple(step) <= (0, 0, 0) or not all(0 <= i < n for i, n in zip(other, labels.shape)):
                    continue
                pair = tuple(sorted((labels[place], labels[other])))
                if pair[0] == 0 or pair[0] == pair[1]:
                    continue
                kind = f"faces-{int(np.flatnonzero(step)[0])}" if abs(step).sum() == 1 else ("edges", "corners")[
                    abs(step).sum() - 2]  # fmt: skip
                expected.setdefault(pair, {}).setdefault(kind, 0)
                expected[pair][kind] += 1
        table = gpuccl.contacts(labels)
        found = {}
        for i, pair in enumerate(zip(table["label_a"], table["label_b"])):
            kinds = {k: int(table[k][i]) for k in ("faces-0", "faces-1", "faces-2", "edges", "corners")}
            found[pair] = {k: n for k, n in kinds.items() if n}
        assert found == expected


def test_threads_label_at_once(random):
    masks = [random.random((200, 300)) < 0.5 for _ in range(8)]
    expected = [ndimage.label(mask)[0] for mask in masks]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            for (labels, _), wanted in zip(pool.map(lambda mask: gpuccl.label(mask, 1), masks), expected):
                assert same(labels, wanted)


def test_many_calls_take_no_more_memory(random):
    mask = random.random((64, 64)) < 0.5
    out = np.empty(mask.shape, np.int32)

    def calls(count):
        for _ in range(count):
            gpuccl.label(mask)
            gpuccl.label(mask, out=out)
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    gpuccl.label(mask, stats=True)
    before = calls(500)
    assert calls(50_000 if LONG else 2_000) - before < 4096  # KiB
    for _ in range(200):
        gpuccl.label(mask, stats=True)
        with pytest.raises(ValueError):
            gpuccl.label(mask, 7)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8192


def test_an_array_without_memory():
    """More than there can be is an error of memory, not the end of the process."""
    huge = np.broadcast_to(np.ones(1, np.uint8), (2**30, 2**10, 2**10))
    for function in (gpuccl.label, gpuccl.contacts, gpuccl.measure, gpuccl.clean):
        with pytest.raises(MemoryError):
            function(huge)


def test_a_stack_of_one_slice_is_measured_as_any_stack():
    mask = np.array([[1, 0, 1], [1, 0, 0]], np.uint8)
    samples = mask * 3.0
    names = ("bbox", "centroid", "z1", "cz", "area", "centroid_weighted")
    for stack in (mask[None], np.stack([mask, mask])):
        for connectivity in (4, 8):
            intensity = np.stack([samples] * len(stack))
            _, n, table = gpuccl.label(stack, connectivity, stats=True)
            assert table["bbox-0"].tolist() == [i // 2 for i in range(n)] and n == 2 * len(stack)
            labels, _, table = gpuccl.label(stack, connectivity, stats=True, properties=names, intensity=intensity)
            again = gpuccl.measure(labels, intensity, names, connectivity=connectivity)
            for measured in (table, again):
                assert measured["centroid-0"].tolist() == (measured["z1"] - 1).tolist() == table["bbox-0"].tolist()
                assert measured["centroid_weighted-0"].tolist() == measured["cz"].tolist()
            with pytest.raises(ValueError, match="surface_crofton is measured in volumes only"):
                gpuccl.measure(labels, None, "surface_crofton", connectivity=connectivity)


def test_labels_in_several_slices_of_a_stack_have_no_hull():
    labels = np.zeros((3, 10, 10), np.int32)
    labels[0, 2:5, 2:5] = labels[2, 4:7, 1:4] = 1
    labels[1, 2:5, 2:5] = 2
    names = ("area", "area_convex", "solidity", "feret_diameter_max", "feret_diameter_min")
    table = gpuccl.measure(labels, properties=names, connectivity=8)
    assert list(table["area"]) == [18, 9]
    assert table["area_convex"][1] == 9 and table["solidity"][1] == 1
    assert all(np.isnan(table[name][0]) and table[name][1] > 0 for name in names[1:])
