#!/usr/bin/env python3
"""The Python package on a GPU, by each library that is installed: PyTorch, CuPy, JAX, Numba.

gpu_test.py [--quick | --thorough] [--torch] [--emulated] [CASE...]: prints a line for each case. Exits with 1 if a case
fails, with 77 without a GPU. --torch: PyTorch alone; the others take minutes to start under compute-sanitizer. --emulated:
arrays as those of CuPy and Numba on the emulation of a GPU, without a GPU.
"""

import contextlib
import gc
import importlib
import itertools
import os
import re
import sys
import threading
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

import gpuccl
from gpuccl import _core

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # others need memory, too
QUICK = "--quick" in sys.argv
LIBRARIES = ("torch",) if "--torch" in sys.argv else ("torch", "cupy", "jax", "numba.cuda")
EMULATED = "--emulated" in sys.argv
CHOSEN = set(sys.argv[1:]) - {"--quick", "--thorough", "--torch", "--emulated"}
random = np.random.default_rng(1)
modules = {}
if EMULATED:
    import emulated_arrays

    modules, LIBRARIES = emulated_arrays.modules(), ()
for name in LIBRARIES:
    try:
        modules[name] = importlib.import_module(name)
    except Exception as error:  # a library that does not start is as one that is not there
        print(f"without {name}: {type(error).__name__}: {error}"[:150])
torch, cupy, jax = (modules.get(name) for name in ("torch", "cupy", "jax"))
if not _core.with_cuda or not ((torch and torch.cuda.is_available()) or cupy):
    print("skipped: no CUDA in this build, or no GPU")
    sys.exit(77)

CASES = []
EMULATED_CASES = {
    "every_kind_of_array", "types_and_values", "strides_are_not_copied_where_rows_are_whole", "tables", "measures",
    "cleaning", "contacts_and_matches", "nan_is_background", "batches_and_bits", "samples_of_all_types_and_channels",
    "labels_far_apart", "areas_of_components", "measures_without_waiting", "shapes_of_labels",
    "few_large_labels_take_little_memory", "arrays_on_two_devices_are_refused", "memory_is_read_with_any_pitch",
    "results_in_earlier_results", "what_dlpack_may_ask_for", "memory_that_is_lent", "cleaned_into_other_memory",
}  # fmt: skip


def case(needed=True):
    def add(function):
        if needed and (not CHOSEN or function.__name__ in CHOSEN):
            if not EMULATED or function.__name__ in EMULATED_CASES:
                CASES.append(function)
        return function

    return add


def blobs(shape, density=0.5, cell=1):
    small = random.random([-(-n // cell) for n in shape]) < density
    return np.kron(small, np.ones((cell,) * len(shape), bool))[tuple(slice(0, n) for n in shape)]


def kinds():
    """(name, to the device, back) of every library."""
    if torch:
        yield "torch", lambda a: torch.from_numpy(np.ascontiguousarray(a)).cuda(), lambda t: t.cpu().numpy()
    if cupy:
        yield "cupy", cupy.asarray, cupy.asnumpy
    if jax:
        yield "jax", jax.numpy.asarray, np.asarray
    if "numba.cuda" in modules:
        yield "numba", modules["numba.cuda"].to_device, np.asarray


def check(labels, count, array, **options):
    expected, expected_count = gpuccl.label(array, **options)
    assert count == expected_count, (count, expected_count)
    assert np.array_equal(labels, expected)


@case()
def every_kind_of_array():
    for name, put, get in kinds():
        for shape in ((1,), (300,), (7, 5), (64, 64), (480, 640), (333, 1000), (9, 33, 65), (1, 1, 1)):
            for connectivity in range(1, len(shape) + 1):
                mask = blobs(shape)
                labels, count = gpuccl.label(put(mask), connectivity)
                assert type(count) is int
                if name == "jax":
                    assert "jax" in type(labels).__module__, type(labels)
                elif name != "numba":
                    assert type(labels) is type(put(mask)), type(labels)
                check(get(labels), count, mask, connectivity=connectivity)


@case()
def types_and_values():
    for name, put, get in kinds():
        for type_ in (np.bool_, np.uint8, np.int8, np.int16, np.int32, np.float16, np.float32, np.uint16, np.int64):
            if name == "jax" and type_ is np.int64:
                continue  # 32 bits unless it is told otherwise
            array = (random.integers(0, 4, (70, 90)) * blobs((70, 90), 0.7)).astype(type_)
            if name != "numba" or type_ in (np.bool_, np.uint8, np.int8):
                labels, count = gpuccl.label(put(array))
                check(get(labels), count, array)
            if name != "numba" or type_ is not np.float16:
                labels, count = gpuccl.label(put(array), 1, values=True)
                check(get(labels), count, array, connectivity=1, values=True)
        ramp = random.random((50, 60)).astype(np.float32)
        labels, count = gpuccl.label(put(ramp), values=True, delta=0.1)
        check(get(labels), count, ramp, values=True, delta=0.1)


@case(torch or cupy)
def strides_are_not_copied_where_rows_are_whole():
    mask = blobs((100, 200))
    for name, put, get in kinds():
        if name in ("torch", "cupy"):
            whole = put(mask)
            for view in (np.s_[10:90:3, 20:180], np.s_[5:], np.s_[:, ::2], np.s_[:, 1:]):
                labels, count = gpuccl.label(whole[view])
                check(get(labels), count, mask[view])
            labels, count = gpuccl.label(whole.T)
            check(get(labels), count, mask.T)
    if cupy:
        labels, count = gpuccl.label(cupy.asarray(mask)[::-1, ::-1])
        check(cupy.asnumpy(labels), count, mask[::-1, ::-1])


@case()
def tables():
    for name, put, get in kinds():
        for mask in (blobs((200, 300)), blobs((20, 30, 40), 0.2), blobs((1024, 1024), 0.2)):  # the last: above 65,536
            labels, count, table = gpuccl.label(put(mask), 1, stats=True, spacing=(2.0,) * mask.ndim)
            _, _, expected = gpuccl.label(mask, 1, stats=True, spacing=(2.0,) * mask.ndim)
            check_table(name, table, expected)


def check_table(name, table, expected, rtol=0.0):
    assert table.keys() == expected.keys()
    for column in expected:
        found = table[column]
        if name in ("torch", "cupy"):
            assert type(found).__module__.partition(".")[0] == name
            found = found.cpu().numpy() if name == "torch" else found.get()
        assert found.dtype == expected[column].dtype, (column, found.dtype, expected[column].dtype)
        np.testing.assert_allclose(found, expected[column], rtol=rtol, err_msg=column)


MEASURED = ("label", "area", "bbox", "centroid", "extent", "equivalent_diameter_area")
SHAPES = (
    "axis_major_length", "axis_minor_length", "elongation", "inertia_tensor", "inertia_tensor_eigvals", "euler_number", "border_sides",
    "border_x0", "percolates_y",
)  # fmt: skip
OF_IMAGES = ("moments_central-2-0", "moments_central-1-1", "orientation", "eccentricity", "perimeter", "perimeter_crofton", "roundness")
HULLS = ("area_convex", "solidity", "feret_diameter_max", "feret_diameter_min")
OF_VOLUMES = ("moments_central-1-0-1", "axis_middle_length", "flatness", "surface_crofton", "surface_crofton_3", "sphericity", "border_z1")
OF_SAMPLES = ("intensity_sum", "intensity_mean", "intensity_min", "intensity_max", "intensity_std", "intensity_nan", "centroid_weighted")  # fmt: skip
OF_RANKS = ("intensity_median", "intensity_p5", "intensity_p25", "intensity_p75", "intensity_p95")


@case()
def measures():
    for name, put, get in kinds():
        if name == "numba":
            labels = random.integers(0, 40, (70, 90)).astype("i4")
            check_table(name, gpuccl.measure(put(labels), properties=MEASURED), gpuccl.measure(labels, properties=MEASURED))
            refused(TypeError, gpuccl.measure, put(labels.astype("u1")))
            continue
        types = ("i4", "i2", "u1", "u2") if name == "jax" else ("i4", "i8", "i2", "u2", "u1", "b1")
        for type_, shape in itertools.product(types, ((70, 90), (300, 400), (11, 20, 30), (50,))):
            labels = (random.integers(0, 40, shape) * blobs(shape, 0.6, 3)).astype(type_)
            check_table(name, gpuccl.measure(put(labels), properties=MEASURED), gpuccl.measure(labels, properties=MEASURED))
            for samples in ("u1", "i2", "i4", "f4"):
                image = random.integers(0, 100, shape).astype(samples)
                wanted = MEASURED + OF_SAMPLES
                check_table(
                    name, gpuccl.measure(put(labels), put(image), wanted), gpuccl.measure(labels, image, wanted),
                    1e-6 if samples == "f4" else 0.0,
                )  # fmt: skip
        view = put(labels)[::2] if name != "jax" else put(labels[::2])
        check_table(name, gpuccl.measure(view), gpuccl.measure(labels[::2]))
        sparse = (blobs((60, 70), 0.5, 4) * random.choice([7, 2**30, 2**31 - 1], (60, 70))).astype("i4")
        check_table(name, gpuccl.measure(put(sparse), spacing=0.5), gpuccl.measure(sparse, spacing=0.5))
        check_table(name, gpuccl.measure(put(sparse | 1)), gpuccl.measure(sparse | 1))
        channels = random.integers(0, 99, (60, 70, 2)).astype("u1")
        wanted = ("label", "intensity_mean", "area")
        check_table(name, gpuccl.measure(put(sparse), put(channels), wanted), gpuccl.measure(sparse, channels, wanted))
        for empty in (np.zeros((5, 6), "i4"), np.zeros((0, 6), "i4")):
            check_table(name, gpuccl.measure(put(empty)), gpuccl.measure(empty))
        for wrong, options in ((np.full((3, 3), -1, "i4"), {}), (sparse, dict(properties=("holes",))), (sparse, dict(properties=("intensity_mean",)))):  # fmt: skip
            refused(ValueError, gpuccl.measure, put(wrong), **options)
        refused(TypeError, gpuccl.measure, put(np.ones((3, 3), "f4")))


@case()
def shapes_of_labels():
    """Random label images; --thorough: 10,000."""
    try:
        from skimage.measure import regionprops_table as regions
    except ImportError:
        regions = None
    of_peer = ("label", "area", "axis_major_length", "axis_minor_length", "perimeter", "perimeter_crofton", "euler_number", "extent")
    rounds = 10000 if "--thorough" in sys.argv else 20 if EMULATED else 60 if QUICK else 600
    for i in range(rounds):
        ndim = 2 + i % 2
        shape = tuple(random.integers(1, 260, 2)) if ndim == 2 else tuple(random.integers(1, 60, 3))
        small = random.integers(0, random.integers(1, 300), [-(-n // 3) for n in shape]) * (random.random() < 0.95)
        labels = np.kron(small, np.ones((3,) * ndim, int))[tuple(slice(0, n) for n in shape)]
        labels = labels * blobs(shape, random.random(), int(random.integers(1, 8)))
        type_ = ("i4", "u2", "i8", "i2")[i // 2 % 4]
        if i % 9 == 0 and type_ in ("i4", "i8"):
            labels = labels * 7654321 % (2**31 - 1)  # sparse
        labels = labels.astype(type_)
        connectivity = int(random.integers(1, ndim + 1))
        names = MEASURED + SHAPES + (OF_IMAGES + HULLS if ndim == 2 else OF_VOLUMES)
        options = dict(properties=names, connectivity=connectivity)
        if i % 3 == 0:
            names = ("label", "area", "axis_major_length", "axis_minor_length", "elongation_physical", "euler_number")
            names += ("perimeter_crofton", "roundness_physical", *HULLS[1:]) if ndim == 2 else ("surface_crofton", "sphericity_physical")
            options = dict(properties=names, connectivity=connectivity, spacing=tuple(random.random(ndim) + 0.1))
        expected = gpuccl.measure(labels, **options)
        for name, put, get in kinds():
            if name in ("torch", "cupy") if i % 20 else name != "numba":
                if name == "jax" and type_ == "i8" or name == "torch" and type_ == "u2":
                    continue
                table = gpuccl.measure(put(labels), **options)
                check_table(name, table, expected)
        if regions and i % 10 == 0 and ndim == 2 and i % 3:
            theirs = regions(labels, properties=of_peer)
            for column in of_peer[: 6 if connectivity == 1 else 8]:
                np.testing.assert_allclose(expected[column], theirs[column], rtol=1e-9, atol=1e-5, err_msg=column)
    for name, put, get in kinds():
        if name in ("torch", "cupy"):
            mask = blobs((300, 200), 0.4, 3)
            wanted = MEASURED + SHAPES + OF_IMAGES
            labels, count, table = gpuccl.label(put(mask), 1, stats=True, properties=wanted)
            check_table(name, table, gpuccl.label(mask, 1, stats=True, properties=wanted)[2])


@case()
def samples_of_all_types_and_channels():
    for name, put, get in kinds():
        labels = (random.integers(0, 40, (70, 90)) * blobs((70, 90), 0.6, 3)).astype("i4")
        types = ("b1", "u1", "i2", "u4", "f2", "f4") if name in ("jax", "numba") else ("b1", "u1", "i2", "u4", "i8", "u8", "f2", "f4", "f8")
        images = []
        for type_ in types:
            image = random.integers(-(2**62), 2**62, labels.shape).astype("u8")
            image = image.view("i8") if type_ == "i8" else (image % 1000).astype(type_) if type_ != "u8" else image
            if name != "numba" or type_ != "f2":  # numba does not convert it
                images.append(image)
                wanted = ("label", *OF_SAMPLES)
                wanted += OF_RANKS if type_ in ("b1", "u1", "i2") else ()
                tolerance = 1e-6 if type_[0] == "f" else 0.0
                check_table(name, gpuccl.measure(put(labels), put(image), wanted), gpuccl.measure(labels, image, wanted), tolerance)
        images = (images * 3)[:16]
        wanted = ("label", "intensity_mean", "area", "intensity_max", "centroid_weighted_local", "bbox")
        expected = gpuccl.measure(labels, images, wanted)
        check_table(name, gpuccl.measure(put(labels), [put(image) for image in images], wanted), expected, 1e-6)
        assert f"intensity_max-{len(images) - 1}" in expected
        stack = np.stack([image for image in images if image.dtype == "u1"] * 3)
        if name != "numba":
            found = gpuccl.measure(put(labels), put(stack), wanted)
            check_table(name, found, gpuccl.measure(labels, stack, wanted))
        refused(TypeError, gpuccl.measure, put(labels), images[:1], wanted)
        refused(ValueError, gpuccl.measure, put(labels), put(labels), ("intensity_median",))
        refused(ValueError, gpuccl.measure, put(np.stack([labels] * 2)), None, ("solidity",))


@case(cupy and not EMULATED and cupy.cuda.runtime.memGetInfo()[0] > 48 << 30)
def more_than_2_31_pixels():
    height, width, cell = 65536, 32769, 32
    # Squares of 16x16, of which those of the last column are cut to one.
    y, x = (cupy.arange(n) % cell < cell // 2 for n in (height, width))
    mask = y[:, None] & x
    labels, count = gpuccl.label(mask)
    rows, columns = height // cell, -(-width // cell)
    assert count == rows * columns and mask.size > 2**31
    table = gpuccl.measure(labels, mask.view("u1"), (*MEASURED, *HULLS, "perimeter", "euler_number", "intensity_sum", "intensity_median"))
    square = gpuccl.measure(np.pad(np.ones((16, 16), "u1"), 1), None, (*HULLS, "perimeter"))
    last = cupy.arange(count) % columns == columns - 1  # labels are in the order of rows
    left, top = cell * (cupy.arange(count) % columns), cell * (cupy.arange(count) // columns)
    assert (table["area"] == cupy.where(last, 16, 256)).all() and (table["intensity_sum"] == table["area"]).all()
    assert (table["bbox-0"] == top).all() and (table["bbox-3"] == cupy.where(last, left + 1, left + 16)).all()
    assert (table["centroid-0"] == top + 7.5).all() and (table["centroid-1"] == cupy.where(last, left, left + 7.5)).all()
    assert (table["area_convex"] == table["area"]).all() and (table["euler_number"] == 1).all() and (table["intensity_median"] == 1).all()
    for name in ("feret_diameter_max", "feret_diameter_min", "perimeter"):
        assert (table[name][~last] == square[name][0]).all(), name
    cleaned = gpuccl.clean(mask, min_size=17)
    assert int(cleaned.sum(dtype="i8")) == rows * (columns - 1) * 256
    # The first and the last pixel alone.
    mask[:] = False
    mask[0, 0] = mask[-1, -1] = True
    labels, count, table = gpuccl.label(mask, stats=True)
    assert count == 2 and table["area"].tolist() == [1, 1] and table["bbox-1"].tolist() == [0, width - 1]


@case()
def labels_far_apart():
    for name, put, get in kinds():
        types = ("u4",) if name == "jax" else ("u4", "i8", "u8")
        for type_, shape in itertools.product(types, ((60, 70), (9, 20, 30), (300, 400))):
            if EMULATED and shape[0] == 300 and type_ != "u8":
                continue  # takes long
            most = int(np.iinfo(type_).max)
            ids = np.array([0, 7, 10**9, most - 1, most] + [10**12 % most + i for i in range(3)], np.uint64)
            if shape[0] == 300:  # more than there is room for
                ids = np.concatenate([ids, random.integers(2**30, 2**31, 90000).astype("u8")])
            labels = ids[random.integers(0, len(ids), shape)].astype(type_)
            image = random.integers(0, 99, shape).astype("u1")
            wanted = ("label", "area", "bbox", "intensity_mean")
            check_table(name, gpuccl.measure(put(labels), put(image), wanted), gpuccl.measure(labels, image, wanted))
            other = np.roll(labels, 1, -1)
            if name != "numba":
                check_table(name, gpuccl.contacts(put(labels)), gpuccl.contacts(labels))
            scores, pairs = gpuccl.match(labels, other, pairs=True)
            found, found_pairs = gpuccl.match(put(labels), put(other), pairs=True)
            assert repr(found) == repr(scores)
            check_table("numpy", found_pairs, pairs)
            if name != "numba" or type_ != "i8":
                for options in (dict(min_size=2), dict(largest=3)):
                    assert np.array_equal(get(gpuccl.clean(put(labels), **options)), gpuccl.clean(labels, **options))


@case()
def few_large_labels_take_little_memory():
    from gpuccl import _device

    class Ranked(_device._Labels):
        def set_highest(self, *arguments, **options):
            super().set_highest(*arguments, **options)
            ranked.append(self.ids is not None)

    kept, ranked = (_device._Labels, _device._MANY), []
    _device._Labels, _device._MANY = Ranked, 1 << 10
    try:
        for name, put, get in kinds():
            few = random.choice([0, 1, 20_000, 100_000], (300, 400))
            for labels, is_ranked in (
                (few, True), (np.arange(120_000).reshape(300, 400), False), (np.minimum(few, 15_000), False),
                (np.minimum(few, 15_001), True),
            ):  # fmt: skip
                labels = labels.astype("u4" if name == "numba" else "i4")
                ranked.clear()
                check_table(name, gpuccl.measure(put(labels)), gpuccl.measure(labels))
                assert ranked == [is_ranked], (name, labels.max(), ranked)
                if name != "numba":  # pairs have no row for each label
                    check_table(name, gpuccl.contacts(put(labels[:9])), gpuccl.contacts(labels[:9]))
                    assert ranked[1:] == [False]
    finally:
        _device._Labels, _device._MANY = kept


@case()
def areas_of_components():
    for name, put, get in kinds():
        for array, options in (
            (blobs((200, 300)), {}), (blobs((9, 20, 30), 0.2), {"connectivity": 1}), (blobs((600, 600), 0.2), {"connectivity": 1}),
            (random.integers(0, 3, (70, 90)).astype("u1"), {"values": True}),
            (blobs((6, 1, 50, 70)), {"batch": True}), (np.zeros((3, 4), bool), {}), (np.zeros((0, 4), bool), {}),
        ):  # fmt: skip
            labels, count, areas = gpuccl.label(array, areas=True, **options)
            found, number, sizes = gpuccl.label(put(array), areas=True, **options)
            assert np.array_equal(get(found), labels) and np.array_equal(get(sizes), areas)
            assert np.array_equal(get(number), count) if "batch" in options else number == count
        refused(ValueError, gpuccl.label, put(array), areas=True, stats=True)
    if EMULATED:  # int64 on the CPU
        large = modules["numba.cuda"].to_device(np.zeros((1, 1), bool))
        large.shape, large.ndim = (1 << 16, 1 << 15), 2
        with expect(ValueError) as raised:
            gpuccl.label(large, areas=True)
        assert "2^31" in str(raised[0])


@case(torch or cupy or EMULATED)
def measures_without_waiting():
    for name, put, get in kinds():
        labels = random.integers(0, 40, (70, 90)).astype("i4")
        image = random.integers(0, 99, (70, 90)).astype("u1")
        wanted = ("label", "area", "centroid", "intensity_mean")
        if name in ("jax", "numba"):
            refused(TypeError, gpuccl.measure_async, put(labels), rows=9)
            continue
        for rows in (30, 39, 200):
            expected = gpuccl.measure(np.where(labels <= rows, labels, 0), image, wanted)
            table, number = gpuccl.measure_async(put(labels), put(image), wanted, rows=rows)
            count = int(number)
            assert count == min(rows, 39) and all(len(column) == rows for column in table.values())
            check_table(name, {column: values[:count] for column, values in table.items()}, expected)
            assert not any(values[count:].any() for values in table.values())


@case()
def cleaning():
    for name, put, get in kinds():
        options = ({}, dict(min_size=5), dict(max_size=20), dict(min_size=3, largest=2), dict(largest=1), dict(clear_border=True))
        masks = (blobs((60, 80), 0.5, 2), blobs((300, 200), 0.4), blobs((9, 20, 30), 0.3), blobs((1, 20, 30), 0.4), np.zeros((5, 6), bool))
        for mask, connectivity in itertools.product(masks[::2] if EMULATED else masks, (None, 1, 8)):
            for one in (*options, dict(fill_holes=True), dict(fill_holes=3, min_size=4)):
                for array in (mask, mask * np.uint8(7), np.where(mask, 2.5, np.nan).astype("f4")):
                    if name == "numba" and array.dtype.kind == "f":
                        continue  # numba finds no nonzero elements
                    expected = None if array.dtype.kind == "f" else gpuccl.clean(array, connectivity, values=False, **one)
                    found = gpuccl.clean(put(array), connectivity, values=False, **one)
                    found = get(found)
                    if array.dtype.kind == "f":  # holes of numbers become 1
                        found, expected = found > 0, gpuccl.clean(mask, connectivity, **one)
                    assert np.array_equal(found, expected), (name, one, array.dtype)
            seeds = blobs(mask.shape, 0.05)
            found = gpuccl.clean(put(mask), connectivity, seeds=put(seeds))
            assert np.array_equal(get(found), gpuccl.clean(mask, connectivity, seeds=seeds))
            values = mask * random.integers(1, 4, mask.shape).astype("u4" if name == "numba" else "i4")
            if name != "numba":
                with warnings.catch_warnings(action="ignore"):  # negative values are background
                    expected = gpuccl.clean(values - 2, connectivity, min_size=3)
                assert np.array_equal(get(gpuccl.clean(put(values - 2), connectivity, min_size=3)), expected)
            for one in options:
                assert np.array_equal(get(gpuccl.clean(put(values), connectivity, **one)), gpuccl.clean(values, connectivity, **one))
        array = put(masks[0])
        refused(TypeError, gpuccl.clean, put(np.ones((4, 5), "f4")))
        refused(TypeError, gpuccl.clean, array, seeds=masks[0])
        if name in ("jax", "numba"):
            assert str(gpuccl.clean(array).dtype) == "bool"
            assert gpuccl.measure(gpuccl.label(array)[0])["label"][0] == 1
            if name == "numba":
                assert not torch or str(torch.from_dlpack(gpuccl.clean(array)).dtype) == "torch.bool"
            continue
        if name == "torch":
            half = put(masks[1]).to(torch.bfloat16)
            assert torch.equal(gpuccl.clean(half, values=False, min_size=4) != 0, gpuccl.clean(half != 0, min_size=4))
            assert gpuccl.clean(put(np.pad(np.zeros((1, 1), bool), 1, constant_values=True)).to(torch.bfloat16), values=False, fill_holes=True).sum() == 9
        assert gpuccl.clean(array, min_size=9, out=array) is array
        strided = put(np.ascontiguousarray(np.tile(masks[1], (1, 2))))
        for view in (strided[:, 7:200], strided[::2], strided[:, ::2]):
            assert np.array_equal(get(gpuccl.clean(view, min_size=9)), gpuccl.clean(get(view), min_size=9))
        assert np.array_equal(get(array), gpuccl.clean(masks[0], min_size=9))
        assert get(gpuccl.clean(put(np.ones(5, bool)), max_size=4)).sum() == 0
        for bad in (dict(per_value=True, largest=1), dict(largest=0), dict(seeds=put(masks[1])), dict(values=True, fill_holes=True)):
            refused(ValueError, gpuccl.clean, array, **bad)


@case()
def drop_in_functions_for_cupy():
    import cupy

    from gpuccl.compat import cupy as ours_cupy

    for mask in (blobs((60, 70), 0.5), blobs((9, 20, 30), 0.3)):
        from cupyx.scipy import ndimage

        array = cupy.asarray(mask)
        for structure in (None, np.ones((3,) * mask.ndim), cupy.ones((3,) * mask.ndim)):
            expected, count = ndimage.label(array, structure)
            found, number = ours_cupy.label(array, structure)
            assert number == count and found.dtype == expected.dtype and (found == expected).all()
        out = cupy.empty(mask.shape, np.int32)
        assert ours_cupy.label(array, output=out) == ndimage.label(array)[1]
        assert ours_cupy.label(array, output=np.int64)[0].dtype == np.int64  # CuPy's own
    assert ours_cupy.binary_fill_holes is ndimage.binary_fill_holes
    try:
        from cucim.skimage import measure, morphology
    except Exception:
        print("    without cuCIM", end=" ")
        return
    from gpuccl.compat import cucim as ours

    for mask in (blobs((60, 70), 0.5), blobs((9, 20, 30), 0.3)):
        labels = cupy.asarray(mask * random.integers(1, 3, mask.shape))
        for connectivity in (None, 1):
            expected, count = measure.label(labels, return_num=True, connectivity=connectivity)
            found, number = ours.label(labels, return_num=True, connectivity=connectivity)
            assert number == count and (found == expected).all()
        image = cupy.asarray(random.integers(0, 99, mask.shape).astype("u2"))
        wanted = ("label", "area", "bbox", "centroid", "extent", "intensity_mean", "intensity_std")
        expected = measure.regionprops_table(found, image, wanted, separator="_")
        table = ours.regionprops_table(found, image, wanted, separator="_")
        assert table.keys() == expected.keys()
        for name in table:
            assert np.allclose(table[name].get(), expected[name].get()), name
        assert "solidity" in ours.regionprops_table(found, properties=("solidity",))  # cuCIM's own
        for size in (dict(), dict(max_size=7)):
            expected = morphology.remove_small_objects(cupy.asarray(mask), **size)
            assert (ours.remove_small_objects(cupy.asarray(mask), **size) == expected).all()


@case()
def contacts_and_matches():
    for name, put, get in kinds():
        if name == "numba":
            continue
        for shape in ((300,), (120, 150), (9, 33, 65), (0, 5), (4, 4)):
            truth = (random.integers(0, 90, [-(-n // 3) for n in shape])).repeat(3, 0)[: shape[0]]
            truth = np.resize(truth, shape).astype(np.int32)
            prediction = np.roll(truth, 1, -1) * (random.random(shape) < 0.9)
            for scale in (1, 1 << 22):  # labels from 1 on, and sparse ones
                a, b = (truth * scale).astype(np.int32), (prediction * scale).astype(np.int32)
                for connectivity in range(1, len(shape) + 1):
                    expected = gpuccl.contacts(a, connectivity, spacing=(2.0,) * len(shape))
                    found = gpuccl.contacts(put(a), connectivity, spacing=(2.0,) * len(shape))
                    check_table(name, found, expected)
                for options in ({}, {"min_size": {"truth": 5, "prediction": 2}}, {"empty": 1}):
                    scores, pairs = gpuccl.match(a, b, (0.5, 0.7), pairs=True, **options)
                    found, found_pairs = gpuccl.match(put(a), put(b), (0.5, 0.7), pairs=True, **options)
                    assert repr(found) == repr(scores), (found, scores)
                    check_table("numpy", found_pairs, pairs)
        refused(ValueError, gpuccl.match, put(truth), put(prediction), distances=True)
        refused(ValueError, gpuccl.match, put(truth), put(prediction[1:]))
        refused(TypeError, gpuccl.match, put(truth), prediction)


class Foreign:
    """An array on the GPU of a library that gpuccl does not know."""

    def __init__(self, array, device=0):
        self.kept = modules["numba.cuda"].to_device(array) if EMULATED else torch.from_numpy(array).cuda()
        self.__cuda_array_interface__ = self.kept.__cuda_array_interface__ | {"stream": None}
        self.shape, self.ndim, self.dtype, self.device = array.shape, array.ndim, array.dtype, type("Device", (), {"id": device})
        if not EMULATED:
            torch.cuda.synchronize()


@case(torch or EMULATED)
def arrays_on_two_devices_are_refused():
    here, there = (Foreign(np.ones((4, 5), "i4"), device) for device in range(2))
    for call in (gpuccl.match, lambda a, b: gpuccl.measure(a, b, ("intensity_mean",))):
        with expect(ValueError) as raised:
            call(here, there)
        assert "devices 0 and 1" in str(raised[0]), raised


@case(EMULATED)
def memory_is_read_with_any_pitch():
    """Pitches of copies in two dimensions are below 2^31."""
    memory = np.empty((2 << 31) // 8 + 2, np.int64)  # pages that are not touched take no memory
    for rows, pitch, words in ((2, 1 << 31, 2), (3, (1 << 31) - 8, 1), (3, 16, 1), (2, 16, 2), (1, 1 << 31, 2), (1, 1 << 33, 1)):
        for row in range(rows):
            memory[row * pitch // 8 :][:words] = range(row * 10, row * 10 + words)
        found = np.frombuffer(_core.read(0, memory.ctypes.data, pitch, 8 * words, rows, 2), np.int64)
        assert found.tolist() == [row * 10 + i for row in range(rows) for i in range(words)], (rows, pitch)


@case(torch or EMULATED)
def results_in_earlier_results():
    """Other threads and streams wait for what is written, also where an earlier result is."""
    masks = [blobs((400, 500)).astype("u1") for _ in range(3)]
    labels, _ = gpuccl.label_async(Foreign(masks[0]))
    for mask, stream in itertools.product(masks, (None, 1 if EMULATED else torch.cuda.Stream())):
        array = Foreign(mask)
        if not EMULATED:
            with torch.cuda.stream(stream or torch.cuda.ExternalStream(2)):
                torch.cuda._sleep(100_000_000)
        found, count = gpuccl.label_async(array, out=labels, stream=stream)
        assert found is labels
        read = []
        thread = threading.Thread(target=lambda: read.append(np.asarray(labels)))
        thread.start()
        thread.join()
        check(read[0], int(count), mask)
        check(np.asarray(labels), int(count), mask)


@case(torch or EMULATED)
def what_dlpack_may_ask_for():
    labels, _ = gpuccl.label(Foreign(blobs((4, 5))))
    here = labels.__dlpack_device__()
    for asked in ({}, dict(copy=False), dict(dl_device=here), dict(max_version=(1, 1)), dict(copy=None, dl_device=None)):
        assert "dltensor" in repr(labels.__dlpack__(**asked))
    for asked in (dict(copy=True), dict(dl_device=(1, 0)), dict(dl_device=(2, 7))):
        refused(BufferError, labels.__dlpack__, **asked)


@case()
def nan_is_background():
    mask = np.where(blobs((40, 50)), 1, np.nan).astype("f4")
    for name, put, get in kinds():
        if name != "numba":
            labels, count = gpuccl.label(put(mask))
            check(get(labels), count, mask == 1)


@case()
def batches_and_bits():
    for name, put, get in kinds():
        masks = blobs((6, 1, 50, 70))
        labels, counts = gpuccl.label(put(masks), batch=True)
        expected, expected_counts = gpuccl.label(masks, batch=True)
        assert np.array_equal(get(labels), expected) and np.array_equal(get(counts), expected_counts)
        bits = np.packbits(masks[:, 0], axis=-1, bitorder="little")
        labels, count = gpuccl.label(put(bits), packed_width=70)
        check(get(labels), count, masks[:, 0])


@case(torch)
def torch_writes_where_it_is_told():
    mask = blobs((500, 600))
    x = torch.from_numpy(mask).cuda()
    out = torch.full((500, 608), -1, dtype=torch.int32, device="cuda")
    view = out[:, :600]
    address = view.data_ptr()
    labels, count = gpuccl.label(x, out=view)
    assert labels is view and labels.data_ptr() == address and bool((out[:, 600:] == -1).all())
    check(view.cpu().numpy(), count, mask)
    raised = 0
    for wrong in (
        torch.empty((500, 601), dtype=torch.int32, device="cuda"),
        torch.empty((500, 600), dtype=torch.int64, device="cuda"),
        torch.empty((600, 500), dtype=torch.int32, device="cuda").T,
    ):
        try:
            gpuccl.label(x, out=wrong)
        except ValueError as error:
            raised += "out=" in str(error)
    assert raised == 3
    for bad in (dict(connectivity=6), dict(periodic="x"), dict(stats=True, properties=("holes",))):
        refused(ValueError, gpuccl.label, x, **bad)
    refused(TypeError, gpuccl.label, x.to(torch.complex64), values=True)
    refused(TypeError, gpuccl.label, x, out=np.empty((500, 600), np.int32))
    refused(TypeError, gpuccl.contacts, x.float())


@case(torch)
def torch_runs_out_of_memory():
    x = torch.ones((1, 1), dtype=torch.bool, device="cuda")
    with expect(MemoryError, RuntimeError):  # PyTorch's errors are RuntimeErrors
        gpuccl.label(x.expand(2**20, 2**18))


@contextlib.contextmanager
def expect(*errors):
    raised = []
    try:
        yield raised
    except errors as error:
        raised.append(error)
        return
    raise AssertionError(f"no {errors}")


def refused(error, function, *arguments, **options):
    with expect(error):
        function(*arguments, **options)


def late_copy(x):
    """A copy that is there only after the stream has slept for a while."""
    copy = torch.zeros_like(x)
    torch.cuda._sleep(300_000_000)
    return copy.copy_(x)


@case(torch)
def a_producer_that_still_runs():
    mask = blobs((1080, 1920))
    stream = torch.cuda.Stream()
    x = torch.from_numpy(mask).cuda()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for _ in range(3):  # the first one allocates, which waits
            labels, count = gpuccl.label_async(late_copy(x))
            still_running = not stream.query()
    assert still_running, "the call waited"
    stream.synchronize()
    check(labels.cpu().numpy(), int(count), mask)
    late = late_copy(x)  # in the current stream, and another one is named
    stream.wait_stream(torch.cuda.current_stream())
    labels, count = gpuccl.label(late, stream=stream)
    check(labels.cpu().numpy(), count, mask)
    if cupy:
        with torch.cuda.stream(stream):
            shared = cupy.from_dlpack(late_copy(x.to(torch.uint8)))
        with cupy.cuda.ExternalStream(stream.cuda_stream):
            labels, count = gpuccl.label(shared)
        check(cupy.asnumpy(labels), count, mask)


@case(jax)
def jax_producer_that_still_runs():
    mask = blobs((1080, 1920))

    @jax.jit
    def late(x):
        big = jax.numpy.ones((2048, 2048))
        big = jax.lax.fori_loop(0, 200, lambda i, b: jax.numpy.clip(b @ b, 0, 1), big)
        return (x * big[0, 0]) > 0.5

    x = jax.numpy.asarray(mask).astype("float32")
    late(x).block_until_ready()
    for _ in range(5):
        labels, count = gpuccl.label_async(late(x))
        doubled = labels * 2  # JAX waits for ours
        check(np.asarray(doubled) // 2, int(count), mask)


@case(jax)
def jax_compiled():
    import gpuccl.jax

    for shape, reach in (((70,), 1), ((50, 301), 2), ((480, 640), 1), ((9, 33, 65), 3), ((9, 33, 65), 8)):
        masks = random.random((2, 3, *shape)) < 0.45
        labels, counts = jax.jit(jax.vmap(jax.vmap(lambda x, r=reach: gpuccl.jax.label(x, r))))(masks)
        assert labels.devices() == jax.numpy.ones(1).devices()
        for place in np.ndindex(2, 3):
            check(np.asarray(labels[place]), int(counts[place]), masks[place], connectivity=reach)
        options = {"min_size": 3, "largest": 50, **({"fill_holes": True} if len(shape) > 1 else {})}
        cleaned = jax.jit(jax.vmap(lambda x, r=reach, o=options: gpuccl.jax.clean(x, r, values=False, **o)))(masks[0])
        for one, mask in zip(cleaned, masks[0]):
            assert np.array_equal(one, gpuccl.clean(mask, reach, **options))
    for type_ in ("u1", "i1", "i2", "u4", "i4", "f2", "f4"):
        array = random.integers(0, 4, (50, 301)).astype(type_)
        labels, count = jax.jit(lambda x: gpuccl.jax.label(x, values=True))(array)
        check(np.asarray(labels), int(count), array, values=True)
        cleaned = gpuccl.jax.clean(array, values=False, min_size=9, seeds=array > 2, fill_holes=True)
        assert cleaned.dtype == array.dtype
        assert np.array_equal(cleaned, gpuccl.clean(array, values=False, min_size=9, seeds=array > 2, fill_holes=True))
    x = jax.numpy.asarray(blobs((1080, 1920)))
    step = jax.jit(lambda x: gpuccl.jax.label(jax.numpy.roll(x, 1, 0)))
    for _ in range(20):  # XLA's kernels before and after are in one stream
        x = step(x)[0] > 0
    check(*(np.asarray(one) for one in step(x)), np.roll(np.asarray(x), 1, 0))


@case(cupy)
def memory_that_is_lent():
    """Images of a batch in a buffer as XLA's, whose results are in others."""
    from gpuccl import _device

    class Buffer:
        def __init__(self, array):
            self.array = cupy.asarray(array)
            memory = {"data": (self.array.data.ptr, True), "shape": array.shape, "typestr": array.dtype.str, "version": 2}
            self.__cuda_array_interface__ = memory

        def __dlpack_device__(self):
            return 2, 0

        def part(self, place):
            return _device.Lent(self, self.array.shape[1:], place, 2)

    for shape in ((70,), (50, 301), (9, 33, 65), (3, 0)):
        for values in (False, True):
            array = random.integers(0, 3, (3, *shape)).astype("u2") if values else blobs((3, *shape))
            from_, labels, counts, cleaned = map(Buffer, (array, array.astype("i4"), np.zeros((3, 2), "i4"), np.zeros_like(array)))
            for place in range(3):
                _device.label_into(from_.part(place), None, values, labels.part(place), counts.part(place), 2)
                gpuccl.clean(from_.part(place), values=values, min_size=4, out=cleaned.part(place))
            for place in range(3):
                one = cupy.asnumpy(labels.array)[place]
                check(one, cupy.asnumpy(counts.array)[place, 0], array[place], values=values)
                expected = gpuccl.clean(array[place], values=values, min_size=4)
                assert np.array_equal(cupy.asnumpy(cleaned.array)[place], expected)


@case(cupy)
def cleaned_into_other_memory():
    mask = blobs((50, 301))
    x, expected = cupy.asarray(mask), gpuccl.clean(mask, min_size=4)
    wide = cupy.asarray(np.zeros((50, 602), bool))
    for out in (cupy.asarray(np.zeros_like(mask)), wide[:, :301], wide[:, ::2], x.copy()):
        assert gpuccl.clean(x, min_size=4, out=out) is out and np.array_equal(cupy.asnumpy(out), expected)
    assert gpuccl.clean(x, min_size=4, out=x) is x and np.array_equal(cupy.asnumpy(x), expected)
    large = cupy.asarray(np.vstack([mask, mask[:1]]))
    gpuccl.clean(large[:-1], min_size=4, out=large[1:])  # overlaps
    assert np.array_equal(cupy.asnumpy(large)[1:], expected)
    if "numba.cuda" in modules:
        x, out = map(modules["numba.cuda"].to_device, (mask, np.zeros_like(mask)))
        assert gpuccl.clean(x, min_size=4, out=out) is out and np.array_equal(next(back for name, _, back in kinds() if name == "numba")(out), expected)


@case(torch)
def torch_graph():
    masks = [torch.from_numpy(blobs((1080, 1920), d)).cuda() for d in (0.2, 0.5, 0.8)]
    x = masks[0].clone()
    gpuccl.label_async(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        labels, count = gpuccl.label_async(x)
    for mask in masks * 2:
        x.copy_(mask)
        graph.replay()
        check(labels.cpu().numpy(), int(count), mask.cpu().numpy())


@case(cupy)
def cupy_graph():
    masks = [cupy.asarray(blobs((480, 640), d)) for d in (0.2, 0.5)]
    x = masks[0].copy()
    stream = cupy.cuda.Stream(non_blocking=True)
    pool = cupy.cuda.MemoryPool()  # the graph's own, which keeps workspaces
    with stream, cupy.cuda.using_allocator(pool.malloc):
        gpuccl.label_async(x)
        stream.synchronize()
        stream.begin_capture()
        labels, count = gpuccl.label_async(x)
        graph = stream.end_capture()
    others = []
    for mask in masks * 2:
        x[...] = mask
        others += [cupy.full(1 << bits, 0xA5, np.uint8) for bits in range(9, 23)]  # not in the memory of the graph
        cupy.cuda.get_current_stream().synchronize()
        graph.launch(stream)
        stream.synchronize()
        check(cupy.asnumpy(labels), int(count), cupy.asnumpy(mask))
        assert all(bool((other == 0xA5).all()) for other in others)


@case(torch)
def two_threads_on_two_streams():
    masks = [blobs((700, 900), d) for d in (0.3, 0.5)]
    expected = [gpuccl.label(mask)[0] for mask in masks]
    failures = []

    def work(i):
        try:
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                x = torch.from_numpy(masks[i]).cuda()
                for _ in range(200):
                    labels, count = gpuccl.label(x)
                    if not np.array_equal(labels.cpu().numpy(), expected[i]):
                        failures.append(i)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


@case(torch and cupy)
def the_page():
    """The blocks of docs/python.md that need a GPU."""
    page = (Path(__file__).parents[2] / "docs/python.md").read_text()
    blocks = [b for b in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S) if "import torch" in b or "import cupy" in b]
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), {})


@case(torch)
def many_calls_without_growth():
    import resource

    x = torch.from_numpy(blobs((256, 256))).cuda()
    out = torch.empty((256, 256), dtype=torch.int32, device="cuda")
    calls = 20_000 if QUICK else 1_000_000
    for _ in range(2_000):
        gpuccl.label_async(x, out=out)
    torch.cuda.synchronize()
    gc.collect()
    device, host = torch.cuda.memory_reserved(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    allocations = torch.cuda.memory_stats()["num_alloc_retries"], torch.cuda.memory_stats()["segment.all.allocated"]
    begin = time.perf_counter()
    for i in range(calls):
        gpuccl.label_async(x, out=out)
        if i % 1000 == 0:
            torch.cuda.synchronize()
    torch.cuda.synchronize()
    print(f"    {calls} calls of 256x256: {(time.perf_counter() - begin) / calls * 1e6:.1f} us each")
    assert torch.cuda.memory_reserved() == device
    assert allocations == (torch.cuda.memory_stats()["num_alloc_retries"], torch.cuda.memory_stats()["segment.all.allocated"])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - host < 8192
    free = torch.cuda.mem_get_info()[0]
    if jax:
        y = jax.numpy.asarray(blobs((256, 256)))
        for i in range(calls // 100):
            gpuccl.label(y)
        assert free - torch.cuda.mem_get_info()[0] < 64 << 20
    gpuccl.free_memory()


failed = 0
for function in CASES:
    begin = time.perf_counter()
    try:
        function()
        result = "passed"
    except BaseException:
        traceback.print_exc()
        result, failed = "FAILED", failed + 1
    print(f"{function.__name__}: {result} ({time.perf_counter() - begin:.1f} s)", flush=True)
print(f"{len(CASES) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
