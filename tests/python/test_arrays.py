"""Arrays that are read and written: the check of out=, the rule for labels, NaN, masks, and types that are refused."""

import array as standard_array
import ctypes
import itertools
import warnings

import numpy as np
import pytest
from conftest import fewer, random_array, refused, restrided

import gpuccl
from gpuccl._kinds import addresses, refuse_overlap

MASK = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 0]], bool)
LABELS = np.array([[1, 0, 2], [0, 0, 0], [3, 3, 0]])
WRITERS = {
    "label": lambda out: gpuccl.label(MASK, 1, out=out)[0],
    "values": lambda out: gpuccl.label(MASK, 1, values=True, out=out)[0],
    "stats": lambda out: gpuccl.label(MASK, 1, stats=True, out=out)[0],
    "packed": lambda out: gpuccl.label(np.packbits(MASK, -1, bitorder="little"), 1, packed_width=3, out=out)[0],
    "batch": lambda out: gpuccl.label(MASK[None], 1, batch=True, out=out[None])[0][0],
    "batch of values": lambda out: gpuccl.label(MASK[None], 1, batch=True, values=True, out=out[None])[0][0],
    "clean": lambda out: gpuccl.clean(LABELS.astype(out.dtype.newbyteorder("=")), 1, out=out),
}


@pytest.mark.parametrize("call", WRITERS.values(), ids=WRITERS)
def test_out_of_any_order_of_bytes_and_elements_is_written(random, call):
    for code in ("u1", "i2", ">u2", "<i4", ">i4", ">u4", "i8", ">i8", ">u8"):
        for _ in range(6):
            out = restrided(random, np.full(MASK.shape, 7, code))
            before = out.strides
            result = call(out)
            assert np.shares_memory(result, out) and out.strides == before
            assert np.array_equal(out, LABELS), (code, out.strides)
    for code in ("f2", ">f4", "f8"):
        out = np.full(MASK.shape, 7, code)
        gpuccl.clean(LABELS.astype(out.dtype.newbyteorder("=")), 1, out=out)
        assert np.array_equal(out, LABELS)


@pytest.mark.parametrize("code", ["?", "u1", "i2", "f2", "f4", "i8"])
def test_elements_in_another_order_than_rows_are_read_in_tiles(random, code):
    for shape in ((70, 130), (1, 66), (65, 3, 129), (5, 64, 70), (2, 200, 1)):
        array = (random.integers(1, 4, shape) * (random.random(shape) < 0.6)).astype(code)
        labels, cleaned = gpuccl.label(array)[0], gpuccl.clean(array, min_size=3)
        for axes in itertools.permutations(range(len(shape))):
            turned = np.ascontiguousarray(array.transpose(axes)).transpose(np.argsort(axes))
            for other in (turned, turned[::-1].copy("K")[::-1]):
                assert np.array_equal(gpuccl.label(other)[0], labels)
                assert np.array_equal(gpuccl.clean(other, min_size=3), cleaned)
                if code == "i8":
                    table = gpuccl.measure(other)
                    assert all(np.array_equal(table[name], column) for name, column in gpuccl.measure(array).items())


BASIC = ("label", "area", "bbox", "centroid", "extent", "equivalent_diameter_area")
OF_SAMPLES = ("intensity_min", "intensity_max", "intensity_mean", "intensity_std", "intensity_sum")


def total(crop, samples):
    return samples.sum()


def in_all_orders(array):
    """The array in all orders of axes, mirrored, with steps, and in parts of larger arrays in Fortran order."""
    for axes in itertools.permutations(range(array.ndim)):
        yield np.ascontiguousarray(array.transpose(axes)).transpose(np.argsort(axes))
    for part in (lambda n: slice(n), lambda n: slice(None, None, 2), lambda n: slice(n - 1, None, -1)):
        view = np.zeros([2 * n for n in array.shape], array.dtype, "F")[tuple(map(part, array.shape))]
        view[...] = array
        yield view


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_results_have_the_same_bits_in_every_order_of_axes(random, ndim):
    for turn in range(fewer(200)):
        shape = tuple(random.integers(1, (0, 200, 40, 14)[ndim] + 1, ndim))
        array = random.integers(0, 4, shape) * (random.random(shape) < random.choice([0.2, 0.5, 0.9]))
        array = array.astype(random.choice(["?", "u1", "u2", "i4", "i8", "f4", "f8"]))
        samples = random.integers(-(2**40), 2**40, shape).astype(random.choice(["i1", "i4", "i8", "f4"]))
        number = int(random.choice({1: [1], 2: [4, 8], 3: [4, 8, 6, 18, 26]}[ndim]))
        spacing = tuple(range(2, 2 + ndim))
        slices = ndim == 3 and number in (4, 8)
        wraps = {"periodic": [0], "properties": ("area", "bbox", "centroid", f"wraps_{'xyz'[ndim - 1]}", "border_sides")}
        calls = [
            lambda x, s: gpuccl.label(x, number),
            lambda x, s: gpuccl.label(x, number, values=True),
            lambda x, s: gpuccl.label(x, number, values=True, stats=True, properties=(*BASIC, "value")),
            lambda x, s: gpuccl.label(x, number, stats=True, intensity=s, properties=(*BASIC, *OF_SAMPLES)),
            lambda x, s: gpuccl.label(x, number, stats=True, spacing=spacing),
            lambda x, s: gpuccl.label(x, number, stats=True, properties=(*BASIC, "euler_number", "border_sides")),
            lambda x, s: gpuccl.label(x, number, out=np.empty(shape, "u2", "F"), stats=True, properties=("area", "euler_number")),
            lambda x, s: gpuccl.label(x, number, out=np.empty(shape, "i8", "F")),
            lambda x, s: gpuccl.label(x, number, out=np.empty(shape, "i8", "C")),
            lambda x, s: gpuccl.measure(gpuccl.label(x, number)[0], s, (*BASIC, *OF_SAMPLES)),
            lambda x, s: gpuccl.measure(gpuccl.label(x, number)[0], s, ("label", "centroid_weighted", "components")),
            lambda x, s: gpuccl.measure(x.astype(int), s / 3, ("moments_central", "moments_weighted", total)),
            lambda x, s: gpuccl.clean(x, number, largest=2),
            lambda x, s: gpuccl.clean(x, number, largest=2, values=False, out=np.empty(shape, x.dtype, "F")),
            lambda x, s: gpuccl.clean(x, number, min_size=3, values=False, seeds=s > 0),
            lambda x, s: gpuccl.clean(x, number, largest=2, values=x.dtype != bool, seeds=s > 2**20),
            lambda x, s: gpuccl.clean(x, number, values=True, largest=1, per_value=True),
            lambda x, s: gpuccl.clean(x, number, values=False, fill_holes=ndim > 1, clear_border=ndim > 1),
            lambda x, s: x if slices or min(shape) < 2 else gpuccl.label(x, number, values=True, stats=True, **wraps),
        ]
        for at, call in enumerate(calls):
            expected = call(array, samples)
            for other in in_all_orders(array):
                found = call(other, samples if turn % 2 else np.asfortranarray(samples))
                for one, two in zip(*((each if isinstance(each, tuple) else (each,)) for each in (expected, found))):
                    if isinstance(one, dict):
                        assert [column.tobytes() for column in one.values()] == [column.tobytes() for column in two.values()], (at, number)
                    else:
                        assert np.array_equal(one, two), (at, number, shape, other.strides)


def test_numbers_of_large_arrays_in_every_order_of_axes(random):
    """Arrays that several threads number, from few components that are everywhere to many small ones."""
    for shape, numbers in (((300_000,), [1]), ((900, 1100), [4, 8]), ((70, 130, 90), [6, 18, 26])):
        for number in numbers:
            for density in (0.1, 0.3, 0.5, 0.7):
                array = random.random(shape) < density
                periodic = None if random.integers(2) else [len(shape) - 1]
                expected, count = gpuccl.label(array, number, periodic=periodic)
                for other in in_all_orders(array):
                    labels, n = gpuccl.label(other, number, periodic=periodic)
                    assert n == count and np.array_equal(labels, expected), (number, density, periodic, other.strides)


def test_new_arrays_have_the_order_of_axes_of_the_array():
    volume = np.asfortranarray(np.random.default_rng(0).random((5, 6, 7)) < 0.3)
    for array in (volume, volume.transpose(1, 2, 0), volume[::-1, ::2], volume[0]):
        assert gpuccl.label(array)[0].strides == np.empty_like(array, np.int32).strides
        assert gpuccl.clean(array, min_size=2).strides == np.empty_like(array).strides
        assert gpuccl.label(array, stats=True)[0].strides == np.empty_like(array, np.int32).strides
    for labels in (gpuccl.label(volume, 8)[0], gpuccl.label(volume, stats=True, properties="euler_number")[0]):
        assert labels.flags.c_contiguous


@pytest.mark.parametrize("call", WRITERS.values(), ids=WRITERS)
def test_out_that_does_not_fit_is_refused(call):
    read_only = np.zeros((3, 3), np.int32)
    read_only.flags.writeable = False
    repeated = np.lib.stride_tricks.as_strided(np.zeros(9, np.int32), (3, 3), (4, 4), writeable=True)
    for out, reason in (
        (np.zeros((3, 4), np.int32), "shape"),
        (np.zeros((3, 3, 1), np.int32), "shape"),
        (read_only, "read-only"),
        (np.broadcast_to(np.int32(0), (3, 3)), "read-only"),
        (repeated, "one address"),
    ):
        refused(ValueError, reason, call, out)


def test_out_of_labels_is_an_array_of_integers():
    for code in ("?", "f4", "c8", "M8[s]", "S4"):
        for more in ({}, {"values": True}, {"stats": True}):
            refused(ValueError, "labels need integers, such as int32", gpuccl.label, MASK, out=np.zeros(MASK.shape, code), **more)
    for code in ("?", "u2", "f4", ">i8"):
        refused(ValueError, "the result has int32", gpuccl.clean, LABELS.astype("i4"), out=np.zeros(LABELS.shape, code))


def test_out_that_is_too_small_for_the_labels_names_a_type_and_is_not_written():
    many = np.zeros((520, 520), bool)
    many[::2, ::2] = True
    few = many[:40, :40]
    for mask, code, wanted in ((few, "u1", "uint16"), (few, "i1", "uint16"), (many, ">u2", "int32"), (many, "i2", "int32")):
        shape = mask.shape
        for order in "CF":
            for label in (
                lambda out: gpuccl.label(mask, out=out),
                lambda out: gpuccl.label(mask, values=True, out=out),
                lambda out: gpuccl.label(np.stack([mask, mask]), batch=True, out=np.stack([out, out])),
                lambda out: gpuccl.label(mask[None], batch=True, out=out[None]),
            ):
                out = np.full(shape, 7, code, order)
                refused(ValueError, f"too small for [0-9]+ labels; use an array of {wanted}", label, out)
                assert (out == 7).all()


class Chunked:
    """An array that is not in memory, as those of zarr and h5py are."""

    shape, dtype, chunks = (3, 3), np.dtype("i4"), (1, 3)

    def __array__(self, dtype=None, copy=None):
        return np.zeros(self.shape, self.dtype)

    def __setitem__(self, index, values):
        raise AssertionError


def test_out_in_memory_of_other_objects():
    dask = pytest.importorskip("dask.array")
    for out in ([[0] * 3] * 3, dask.zeros((3, 3), dtype="i4"), Chunked(), 3, "labels", np.ma.zeros((3, 3), np.int32)):
        for call in (gpuccl.label, gpuccl.clean, lambda array, out: gpuccl.label(array[None], batch=True, out=out)):
            refused(TypeError, "out= is .*; it must be an array in memory", call, MASK, out=out)
    for out in (standard_array.array("i", [7] * 5), (ctypes.c_int16 * 5)(), memoryview(bytearray(5))):
        assert gpuccl.label([1, 0, 1, 1, 0], out=out)[0] is out
        assert list(out) == [1, 0, 2, 2, 0]
    refused(ValueError, "read-only", gpuccl.label, [1, 0], out=b"ab")
    matrix = np.asmatrix(np.zeros((3, 3), np.int32))
    assert gpuccl.label(MASK, 1, out=matrix)[0] is matrix and np.array_equal(matrix, LABELS)


def test_holes_are_filled_with_1_of_any_type():
    ring = np.array([[3, 3, 3, 3], [3, 0, 0, 3], [3, 3, 3, 3]])
    filled = np.where(ring == 0, 1, ring)
    for code in ("u1", "i1", "u2", ">i2", "i4", "u4", "i8", "u8", "f2", "f4", ">f4", "f8"):
        for values in (ring, np.stack([ring, ring])):
            array = np.array(values, code)
            wanted = np.where(values == 0, 1, values)
            out = np.zeros_like(array)
            assert np.array_equal(gpuccl.clean(array, 8, values=False, fill_holes=True, out=out), wanted), code
            assert np.array_equal(gpuccl.clean(array, 8, values=False, fill_holes=2), wanted), code
    for code in ("f2", "f4", "f8"):  # NaN and -0 are background
        array = np.array(ring, code)
        array[1, 1:3] = np.nan, -0.0
        with pytest.warns(UserWarning, match="NaN is background"):
            assert np.array_equal(gpuccl.clean(array, values=False, fill_holes=True), filled), code
    assert gpuccl.clean(ring > 0, fill_holes=True).all()
    for code in ("u1", "i4", "f4"):
        with pytest.raises(ValueError, match="fill_holes is for masks, not for values; for a mask of integers add values=False"):
            gpuccl.clean(np.array(ring, code), fill_holes=True)


def test_overlaps_are_found_by_addresses_alone():
    def at(address, shape, strides=None, code="i4"):
        return addresses(address, shape, strides, code)

    array = at(1 << 40, (4, 5))
    for other in (at((1 << 40) + 80, (4, 5)), at((1 << 40) + 4, (4, 5), (40, 8)), at(1 << 40, (0, 5))):
        if other.strides == (40, 8):
            refuse_overlap(at(1 << 40, (4, 5), (40, 8)), other)  # in between
        else:
            refuse_overlap(array, other)
    refuse_overlap(array, at(1 << 40, (4, 5)))
    for other in (at((1 << 40) + 4, (4, 5)), at(1 << 40, (4, 5), (40, 8)), at(1 << 40, (80,), None, "u1")):
        refused(ValueError, "overlaps", refuse_overlap, array, other)
    refused(ValueError, "overlaps", refuse_overlap, array, at(1 << 20, (1,)), array)


def test_out_may_be_the_array_and_no_other_overlap(random):
    for _ in range(100):
        array = np.abs(random_array(random, ("u1", "i4", "i8", ">i4"), ndim=2, values=3))
        for call in (
            lambda array, out: gpuccl.clean(array, 1, min_size=3, out=out),
            lambda array, out: gpuccl.label(array, 1, values=True, out=out)[0],
        ):
            same = array.copy()
            try:
                expected = call(array, None)
                assert np.array_equal(call(same, same), expected)
            except ValueError as error:  # more components than the type holds
                assert "too small" in str(error)
    memory = np.zeros((10, 12), np.int32)
    memory[2:8, 2:9] = 1
    volume = np.zeros((4, 10, 12), np.int32)
    for array, out in ((memory[:-1], memory[1:]), (memory[:, 1:], memory[:, :-1]), (memory, memory[::-1])):
        for call in (gpuccl.clean, gpuccl.label):
            refused(ValueError, "overlaps", call, array, out=out)
    refused(ValueError, "overlaps", gpuccl.label, volume[:-1], batch=True, out=volume[1:])
    refused(ValueError, "overlaps", gpuccl.label, memory > 0, stats=True, properties="intensity_mean", intensity=memory, out=memory)
    both = np.zeros((6, 2, 5), np.int32)
    both[:, 0] = 1
    assert gpuccl.label(both[:, 0], out=both[:, 1])[1] == 1 and (both == 1).all()  # they do not overlap


def test_nan_is_background_with_a_warning(random):
    image = np.array([[1, np.nan, 0], [0, 0, 2.0]])
    for code in ("f2", "f4", "f8", ">f8"):
        for more in ({}, {"values": True}, {"stats": True}):
            with pytest.warns(UserWarning, match="NaN is background"):
                assert gpuccl.label(image.astype(code), 1, **more)[1] == 2
        with pytest.warns(UserWarning, match="NaN"):
            assert gpuccl.label(np.stack([image, image]).astype(code), 1, batch=True)[1].tolist() == [2, 2]
        for negative in (np.float64(np.nan), -np.float64(np.nan)):
            with pytest.warns(UserWarning, match="NaN"):
                assert not gpuccl.label(np.full((3, 70), negative, code))[0].any()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            numbers = np.array([np.inf, -np.inf, 0, -0.0, np.finfo(code).smallest_subnormal, -1]).astype(code)
            assert gpuccl.label(numbers)[0].tolist() == [1, 1, 0, 0, 2, 2]
    with pytest.warns(UserWarning, match="NaN"):
        assert gpuccl.clean(image, values=False).tolist() == [[1, 0, 0], [0, 0, 2]]
    assert not gpuccl.clean(MASK, 1, seeds=np.full(MASK.shape, np.nan)).any()


def test_the_warning_names_the_caller():
    calls = (
        lambda image: gpuccl.label(image),
        lambda image: gpuccl.label(image, values=True),
        lambda image: gpuccl.label(image[None], batch=True),
        gpuccl.measure,
        gpuccl.clean,
        gpuccl.contacts,
        lambda image: gpuccl.match(image, image),
    )
    for call in calls:
        with pytest.warns(UserWarning, match="NaN") as found:
            call(np.array([[1, np.nan]]))
        assert found[0].filename == __file__


READERS = {
    "measure": lambda labels: gpuccl.measure(labels, properties=("label", "area")),
    "contacts": lambda labels: gpuccl.contacts(labels, 1),
    "match": lambda labels: gpuccl.match(labels, np.ones((2, 3), int), pairs=True)[1],
    "classes": lambda labels: gpuccl.match(np.ones((2, 3), int), labels, pairs=True, per_value=True)[1],
    "clean": lambda labels: {"kept": gpuccl.clean(labels, 1, min_size=2) != 0},
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_labels_follow_one_rule(read):
    plain = np.array([[6, 6, 0], [0, 70, 0]])
    expected = read(plain)
    near = np.array([[5.9999999986, 6.0004, -0.0], [0, 69.9995, 0]])
    cases = [(near.astype(code), "rounded") for code in ("f4", "f8", ">f8")]
    cases += [(np.where(plain == 0, -1, plain).astype(code), "negative") for code in ("i1", "i2", "i4", "i8", "f2", "f4", "f8")]
    cases += [(np.where(plain == 0, np.nan, plain).astype(code), "NaN") for code in ("f2", "f4", "f8")]
    for labels, reason in cases:
        with pytest.warns(UserWarning, match=reason):
            found = read(labels)
        for name, column in expected.items():
            assert np.array_equal(found[name], column) and found[name].dtype == column.dtype, (labels, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for code in ("u1", "i1", "u2", "i4", "u8", ">i8", "f2", "f4", "f8"):
            found = read(plain.astype(code))
            assert all(np.array_equal(found[name], column) for name, column in expected.items())
    for wrong in (1.5, 5.99, 6.002, np.inf, -0.5):
        refused(ValueError, "labels are integers", read, np.full((2, 3), wrong))
    for code, most in (("f4", 2**24), ("f8", 2**53)):
        read(np.full((2, 3), most, code))
        refused(ValueError, "skips integers", read, np.full((2, 3), most * 2, code))


def test_large_labels_are_distinct():
    for code, labels in (("u8", (2**63, 2**64 - 1, 5)), ("i8", (2**40, 2**62, 1)), ("f8", (2**53, 2**52 + 1, 2**32))):
        image = np.array([labels], code)
        table = gpuccl.contacts(image)
        low, high = sorted(labels[:2])
        assert (low, high) in zip(table["label_a"].tolist(), table["label_b"].tolist())
        assert sorted(gpuccl.measure(image)["label"].tolist()) == sorted(labels)


def test_masked_elements_are_background():
    masked = np.ma.masked_equal(np.array([[1, 9, 1], [9, 9, 1]]), 9)
    assert gpuccl.label(masked)[0].tolist() == [[1, 0, 2], [0, 0, 2]]
    assert gpuccl.label(masked, values=True)[1] == gpuccl.label(masked[None], batch=True)[1][0] == 2
    assert gpuccl.measure(masked)["area"].tolist() == [3]
    assert len(gpuccl.contacts(masked)["label_a"]) == 0
    assert gpuccl.match(masked, masked)["objects"]["truth"] == 1
    assert gpuccl.clean(masked, min_size=2).tolist() == [[0, 0, 1], [0, 0, 1]]
    assert gpuccl.clean(np.ones((2, 3), bool), seeds=np.ma.masked_all((2, 3), int)).sum() == 0
    assert gpuccl.label(np.ma.array([1, 1]))[1] == 1
    samples = np.ma.masked_equal(np.array([[4, 9, 6], [0, 0, 8]]), 9)
    found = gpuccl.measure(np.ones((2, 3), int), samples, ("intensity_max", "intensity_mean"))
    assert found["intensity_max"].tolist() == [8] and found["intensity_mean"].tolist() == [3.6]


@pytest.mark.parametrize("shape", [(40, 90), (5, 12, 40)])
def test_types_of_labels_and_samples_change_nothing(random, shape):
    """Longer types are read in another way than those of at most 32 bits, and other samples than those of 16."""
    for kind, least, most in (("i1", -3, 127), ("u1", 0, 255), ("i2", -3, 32000), ("u2", 0, 65000), ("i4", -3, 10**9), ("u4", 0, 4 * 10**9)):  # fmt: skip
        ids = random.permutation(np.linspace(least, most, 12).astype(kind))
        one, other = (ids[random.integers(0, 12, shape) * random.integers(0, 2, shape)] for _ in range(2))
        for labels in (one, one[::-1], np.repeat(one, 2, -1)[..., ::2]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # negative labels
                found = [gpuccl.contacts(labels), gpuccl.match(labels, other, 0.05, pairs=True)]
                expected = [gpuccl.contacts(labels.astype("i8")), gpuccl.match(labels.astype("i8"), other.astype("i8"), 0.05, pairs=True)]  # fmt: skip
            assert repr(found) == repr(expected)
        samples = random.integers(least, min(most, 2**31 - 1), shape).astype(kind)
        for length in (1, 3, 4, 7, 40):  # of runs
            labels = np.broadcast_to(np.arange(shape[-1]) // length % 5, shape)
            tables = [gpuccl.measure(labels, samples.astype(t), OF_SAMPLES + ("centroid_weighted",)) for t in (kind, "i4")]
            assert repr(tables[0]) == repr(tables[1])


def test_arrays_that_are_not_in_memory_or_not_numbers_are_named():
    dask = pytest.importorskip("dask.array")
    sparse = pytest.importorskip("scipy.sparse")
    functions = (gpuccl.label, gpuccl.measure, gpuccl.clean, gpuccl.contacts, lambda array: gpuccl.match(array, array))
    chunks = dask.ones((2, 2), dtype=int)
    calls = {
        "array": lambda: gpuccl.label(chunks),
        "labels": lambda: gpuccl.measure(chunks),
        "intensity": lambda: gpuccl.measure(np.eye(2), chunks),
        "seeds": lambda: gpuccl.clean(np.eye(2), seeds=chunks),
        "truth": lambda: gpuccl.match(chunks, np.eye(2)),
        "prediction": lambda: gpuccl.match(np.eye(2), chunks),
    }
    for name, call in calls.items():
        refused(TypeError, f"{name} is a dask array, not in memory; use the functions of gpuccl.dask, or {name}.compute", call)
    for function in functions:
        refused(TypeError, "use the functions of gpuccl.dask", function, chunks)
        pair = gpuccl.label(np.eye(3))
        for wrong, name in ((None, "NoneType"), (sparse.eye(3), "scipy"), ({}, "dict"), (object(), "object"), (pair, "unpack")):
            refused(TypeError, name, function, wrong)
        refused(TypeError, "integers|numbers", function, np.array([1j]))


def test_arrays_of_one_axis_have_no_holes_and_borders():
    line = np.array([0, 1, 0, 1, 1])
    for more in ({"clear_border": True}, {"values": False, "fill_holes": True}, {"values": False, "fill_holes": 2}):
        refused(ValueError, "2 and 3 axes", gpuccl.clean, line, **more)
    assert gpuccl.clean(line, largest=1).tolist() == [0, 0, 0, 1, 1]
    assert gpuccl.clean(line[None], clear_border=True).any() == False  # noqa: E712


def test_per_value_needs_largest():
    refused(ValueError, "add largest=1", gpuccl.clean, LABELS, per_value=True)


def test_properties_that_do_not_exist_name_the_nearest():
    for wrong, nearest in (("arae", "area"), ("centriod", "centroid"), ("perimter", "perimeter"), ("bboxx", "bbox")):
        for spacing in (None, 1):
            with pytest.raises(ValueError, match=f"no such property: {wrong}; did you mean {nearest}?"):
                gpuccl.measure(LABELS, properties=("label", wrong), spacing=spacing)
    for wrong in (None, {"area": 1}, 3):
        refused(ValueError, f"no such property: {wrong}", gpuccl.measure, LABELS, properties=(wrong,))


def test_columns_are_of_int64_and_float64():
    samples = np.ones(LABELS.shape)
    tables = (
        gpuccl.measure(LABELS, samples, ("label", "area", "bbox", "centroid", "euler_number", "intensity_mean")),
        gpuccl.contacts(np.array([[1, 2]]), spacing=2),
        gpuccl.label(MASK, stats=True)[2],
        gpuccl.match(LABELS, LABELS, pairs=True, per_value=True)[1],
    )
    for table in tables:
        for name, column in table.items():
            assert type(column[0]) in (np.int64, np.float64), name
    large = gpuccl.measure(np.array([2**63], np.uint64))["label"]
    assert type(large[0]) is np.uint64


@pytest.mark.parametrize("chunks", [None, 1])
def test_both_columns_of_labels_have_one_type(chunks):
    module, take = gpuccl, np.asarray
    if chunks:
        module, array = pytest.importorskip("gpuccl.dask"), pytest.importorskip("dask.array")
        take = lambda labels: array.from_array(labels, chunks=chunks)  # noqa: E731
    for highest, kind in ((2**63 - 1, np.int64), (2**63, np.uint64), (2**64 - 1, np.uint64)):
        low, high = np.array([[1, 2]], np.uint64), np.array([[1, highest]], np.uint64)
        touching = module.contacts(take(high))
        both = np.stack([touching["label_a"], touching["label_b"]])
        assert both.dtype == kind and both.tolist() == [[1], [highest]]
        for truth, prediction in ((low, high), (high, low)):
            table = module.match(take(truth), take(prediction), pairs=True)[1]
            both = np.stack([table["truth"], table["prediction"]])
            assert both.dtype == kind and set(both[:, 1:].ravel().tolist()) == {2, highest}
        none = module.match(take(high * 0), take(high), pairs=True)[1]
        assert none["truth"].dtype == none["prediction"].dtype == kind


def test_connectivity_is_an_integer_in_any_order_of_calls():
    for ndim in (1, 2, 3):
        array = np.ones((3,) * ndim, bool)
        for _ in range(2):
            for wrong in (1.0, np.float64(1), "1", 1 + 0j):
                refused(TypeError, "connectivity", gpuccl.label, array, wrong)
            assert gpuccl.label(array, 1)[1] == gpuccl.label(array, np.int8(1))[1] == 1


class OnDevice:
    """An array whose interface is that of an array on a GPU."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3}


def test_out_on_a_gpu_is_checked_before_anything_is_enqueued(monkeypatch):
    monkeypatch.setattr(gpuccl._core, "with_cuda", True)
    read_only = np.zeros(MASK.shape, np.int32)
    read_only.flags.writeable = False
    for label in (gpuccl.label, gpuccl.label_async):
        for out in ([1], np.zeros(MASK.shape, np.int32), 5):
            refused(TypeError, "must be an array on a GPU", label, OnDevice(MASK), out=out)
        for code in ("?", "i8", "f4"):
            refused(ValueError, "int32 or uint32", label, OnDevice(MASK), out=OnDevice(np.zeros(MASK.shape, code)))
        refused(ValueError, "read-only", label, OnDevice(MASK), out=OnDevice(read_only))


def test_bools_of_numpy_are_bools():
    import gpuccl.dask

    labels = np.random.default_rng(1).integers(0, 4, (20, 30))
    chunks = pytest.importorskip("dask.array").from_array(labels, chunks=7)
    of_clean = {"values": True, "per_value": True, "clear_border": True, "largest": 1}
    for function, arguments, options in (
        (gpuccl.label, (labels,), {"values": True, "stats": True}),
        (gpuccl.label, (labels[np.newaxis],), {"values": True, "batch": True}),
        (gpuccl.clean, (labels,), of_clean),
        (gpuccl.clean, (labels,), {"values": False, "fill_holes": True}),
        (gpuccl.match, (labels, labels), {"pairs": True, "per_value": True, "distances": True, "regions": True}),
        (gpuccl.dask.label, (chunks,), {"values": True}),
        (gpuccl.dask.clean, (chunks,), of_clean),
        (gpuccl.dask.match, (chunks, chunks), {"pairs": True}),
    ):
        expected = function(*arguments, **options)
        found = function(*arguments, **{name: np.bool_(x) if type(x) is bool else x for name, x in options.items()})
        for one, other in zip(*(result if isinstance(result, tuple) else (result,) for result in (found, expected))):
            one, other = (np.asarray(each) if hasattr(each, "shape") else each for each in (one, other))
            np.testing.assert_equal(one, other)


def test_xarray_names_axes_and_keeps_coordinates():
    xarray = pytest.importorskip("xarray")
    mask = np.random.default_rng(1).random((3, 20, 30)) < 0.3
    grid = xarray.DataArray(mask, {"lat": np.arange(20) - 10.0, "lon": np.arange(30) * 12.0}, ("time", "lat", "lon"), "rain")
    grid.attrs["units"] = "mm"
    grid.lat.attrs["units"] = "degrees_north"
    for periodic, axes in (("lon", [2]), ("lat,lon", [1, 2]), (["lon", "time"], [2, 0]), ("xy", [1, 2]), (1, [1])):
        labels, count = gpuccl.label(grid, periodic=periodic)
        expected, expected_count = gpuccl.label(mask, periodic=axes)
        assert isinstance(labels, xarray.DataArray) and labels.dims == grid.dims and count == expected_count
        assert labels.coords.identical(grid.coords) and (labels.values == expected).all()
        assert labels.name is None and not labels.attrs and labels.lat.attrs
    cleaned = gpuccl.clean(grid, min_size=5)
    assert cleaned.attrs == grid.attrs and cleaned.name == "rain"
    assert cleaned.coords.identical(grid.coords) and (cleaned.values == gpuccl.clean(mask, min_size=5)).all()
    refused(ValueError, "no such axis to be periodic: depth; axes are letters of 'xyz', names of .*lon", gpuccl.label, grid, periodic=["depth"])
    for array, name in ((grid, "longitude"), (mask, "longitude"), (grid, "lon,latitude"), (grid, "zl")):
        refused(ValueError, f"no such axis to be periodic: {name.rpartition(',')[2]}; axes are letters of 'xyz'", gpuccl.label, array, periodic=name)
    assert gpuccl.label(grid, periodic="lon,y")[1] == gpuccl.label(mask, periodic="xy")[1]
    refused(TypeError, "array is a dask array", gpuccl.label, grid.chunk())
    from gpuccl import dask

    dataset = grid.to_dataset(name="name")
    for call in (gpuccl.label, gpuccl.clean, dask.label, lambda x: gpuccl.measure(grid.astype(int), x, "intensity_mean")):
        refused(TypeError, r"not a Dataset; pass one of its variables: dataset\['name'\]", call, dataset)


def test_second_arrays_of_xarray_have_the_same_axes():
    xarray = pytest.importorskip("xarray")
    values = np.random.default_rng(1).integers(0, 4, (6, 6))
    grid = xarray.DataArray(values, {"lat": np.arange(6) - 3.0, "lon": np.arange(6) * 60}, ("lat", "lon"))
    calls = {
        "intensity": lambda one, other: gpuccl.measure(one, other, ("label", "intensity_mean")),
        "intensity ": lambda one, other: gpuccl.label(one, stats=True, intensity=other, properties="intensity_mean")[2],
        "seeds": lambda one, other: {"": np.asarray(gpuccl.clean(one, seeds=other))},
        "prediction": lambda one, other: gpuccl.match(one, other, pairs=True)[1],
    }
    for name, call in calls.items():
        name = name.strip()
        with pytest.raises(ValueError, match=f"{name} has the dims .'lon', 'lat'., the first array has .'lat', 'lon'.: use {name}.transpose.'lat', 'lon'.$"):
            call(grid, grid.T)
        refused(ValueError, f"{name} has the dims .'y', 'lon'.*use {name}.data", call, grid, grid.rename(lat="y"))
        for moved in (grid[::-1], grid.assign_coords(lat=grid.lat + 1)):
            refused(ValueError, f"{name} has other coordinates along lat .*{name}.reindex_like.*{name}.data", call, grid, moved)
        expected = call(values, values)
        for right in (grid, grid.T.transpose("lat", "lon"), grid[::-1].reindex_like(grid), grid.drop_vars("lat"), values):
            np.testing.assert_equal(call(grid, right), expected)
        rounded = grid.assign_coords(lat=grid.lat + 1e-9)
        refused(ValueError, r'reindex_like\(first, method="nearest", tolerance=...\)', call, grid, rounded)
        np.testing.assert_equal(call(grid, rounded.reindex_like(grid, method="nearest", tolerance=1e-6)), expected)
        np.testing.assert_equal(call(grid, grid[::-1].data), call(values, values[::-1]))
    wide = xarray.DataArray(np.arange(12.0)[None] % 5, {"lon": np.arange(12) * 30.0}, ("lat", "lon"))
    around = wide.assign_coords(lon=(wide.lon + 180) % 360 - 180).sortby("lon")
    for one, intensity in ((wide, around), (around, wide)):
        with pytest.raises(ValueError, match=r"other coordinates along lon than the first array: use intensity.assign_coords") as error:
            gpuccl.measure(one, intensity)
        wrapped = eval(str(error.value).rpartition(": use ")[2], {"intensity": intensity})
        np.testing.assert_equal(gpuccl.measure(one, wrapped), gpuccl.measure(one, one))
    for given, message in (([grid, grid.T], "dims"), ((grid, grid, grid[::-1]), "other coordinates along lat")):
        refused(ValueError, rf"intensity\[{len(given) - 1}\] has .*{message}", calls["intensity"], grid, given)
    listed = calls["intensity"](grid, [grid, grid.T.transpose("lat", "lon"), grid[::-1].data])
    np.testing.assert_equal(listed, calls["intensity"](values, [values, values, values[::-1]]))
    channels = grid.expand_dims(c=2, axis=-1)
    assert list(calls["intensity"](grid, channels)) == ["label", "intensity_mean-0", "intensity_mean-1"]
    refused(ValueError, "intensity.transpose.'lat', 'lon', ....", calls["intensity"], grid, channels.transpose("lon", "lat", "c"))
