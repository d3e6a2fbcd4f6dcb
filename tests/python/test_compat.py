"""Random arrays through each shim, and through the package that it stands for."""

import itertools
import pathlib
import subprocess
import sys

import dask.array
import numpy as np
import pytest
from conftest import COUNT, fewer, random_array, refused
from scipy import ndimage
from skimage import measure as skimage_measure
from skimage import morphology

import gpuccl
from gpuccl.compat import cc3d as our_cc3d
from gpuccl.compat import dask_image as our_dask_image
from gpuccl.compat import scipy as our_scipy
from gpuccl.compat import skimage as our_skimage

INTEGERS = ("?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8")


def outcome(function, *arguments, **options):
    """The result, or the class of what was thrown."""
    try:
        return function(*arguments, **options)
    except (ValueError, TypeError, RuntimeError, OverflowError, IndexError) as error:
        return type(error)


def check_same(found, expected, types=True):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple) and len(found) == len(expected)
        for one, other in zip(found, expected):
            check_same(one, other, types)
    elif isinstance(expected, np.ndarray):
        assert isinstance(found, np.ndarray) and found.shape == expected.shape
        assert not types or found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    else:
        assert found == expected


def test_scipy_label(random):
    for _ in range(COUNT):
        array = random_array(random, (*INTEGERS, "f4", "f8"))  # SciPy takes no others
        structure = None
        if random.random() < 0.6:
            structure = ndimage.generate_binary_structure(array.ndim, int(random.integers(1, 4)))
        if random.random() < 0.05:
            structure = np.zeros((3,) * array.ndim)
        output = (None, None, None, np.int64, np.uint8, "array")[random.integers(6)]
        if isinstance(output, str):
            found, expected = np.zeros(array.shape, np.int32), np.zeros(array.shape, np.int32)
            check_same(outcome(our_scipy.label, array, structure, found),
                       outcome(ndimage.label, array, structure, expected))  # fmt: skip
            check_same(found, expected)
        else:
            check_same(outcome(our_scipy.label, array, structure, output),
                       outcome(ndimage.label, array, structure, output))  # fmt: skip


def test_scipy_label_of_four_axes(random):
    array = random.random((4, 3, 5, 2)) < 0.5
    check_same(our_scipy.label(array), ndimage.label(array))


@pytest.mark.filterwarnings("ignore")
def test_scipy_measures_of_labels(random):
    for _ in range(fewer(4)):
        ndim = int(random.integers(1, 4))
        shape = tuple(random.integers(random.integers(2), 20, ndim))
        labels = (random.integers(0, 6, shape) * random.integers(1, 3)).astype(("u1", "i4", "i8", "?")[random.integers(4)])
        samples = (random.random(shape) * 300 - 50 * random.integers(2)).astype(INTEGERS[random.integers(9)])
        samples = samples.astype("f4") if random.integers(5) == 0 else samples
        indices = (None, 3, np.int64(2), [1, 2, 3], range(1, 9), np.array([[1, 2], [3, 4]]), [0, 1], [], [2**63, 1])
        index = indices[random.integers(9)]
        if random.integers(9) == 0:
            labels = labels[:1] if random.integers(2) else labels[..., :2]
        for name in ("sum_labels", "mean", "maximum", "center_of_mass"):
            expected, found = (outcome(getattr(of, name), samples, labels, index) for of in (ndimage, our_scipy))
            assert type(found) is type(expected) or isinstance(expected, type), name
            np.testing.assert_array_equal(found, expected, name)
            assert getattr(found, "dtype", None) == getattr(expected, "dtype", None), name
        for most in (0, 3, 20):
            assert outcome(our_scipy.find_objects, labels, most) == outcome(ndimage.find_objects, labels, most)


def test_skimage_label(random):
    for _ in range(COUNT):
        array = random_array(random, INTEGERS)
        background = (None, None, 0, 1, 2, -1, 200)[random.integers(7)]
        connectivity = (None, *range(1, array.ndim + 2))[random.integers(array.ndim + 2)]
        arguments = (array, background, bool(random.integers(2)), connectivity)
        expected = outcome(skimage_measure.label, *arguments)
        check_same(outcome(our_skimage.label, *arguments), expected)


PROPERTIES = (
    "label", "area", "num_pixels", "area_bbox", "bbox", "slice", "image", "coords", "centroid", "centroid_local", "extent", "equivalent_diameter_area", "inertia_tensor",
    "inertia_tensor_eigvals", "axis_major_length", "intensity_mean", "intensity_max", "intensity_min", "euler_number",
    "solidity", "area_convex", "feret_diameter_max", "perimeter", "perimeter_crofton",
)  # fmt: skip


@pytest.mark.filterwarnings("ignore")
def test_skimage_regionprops_table(random):
    for _ in range(fewer(20)):
        ndim = int(random.integers(2, 4))
        labels = random_array(random, ("u1", "i4", "u2"), ndim, values=6, strides=False)
        labels = np.abs(labels.astype(int)).astype(labels.dtype) % 10
        samples = random.integers(0, 300, labels.shape).astype(("u2", "f8")[random.integers(2)])
        known = PROPERTIES if ndim == 2 else PROPERTIES[: PROPERTIES.index("solidity")]
        names = [name for name in known if random.random() < 0.5]
        if not names or not labels.any():
            continue
        found = our_skimage.regionprops_table(labels, samples, names)
        expected = skimage_measure.regionprops_table(labels, samples, names)
        assert list(found) == list(expected)
        for name, column in expected.items():
            assert found[name].dtype.kind == column.dtype.kind, name
            if column.dtype == object:
                assert all(np.array_equal(one, other) for one, other in zip(found[name], column)), name
                continue
            np.testing.assert_allclose(found[name], column, rtol=1e-9, atol=1e-7, err_msg=name)


def test_skimage_regionprops_table_with_properties_of_its_own():
    labels = np.zeros((12, 12), int)
    labels[2:6, 2:6], labels[7:11, 3:9] = 1, 2
    arguments = {"properties": ("label", "area_filled", "moments_hu", "area"), "separator": "_"}
    arguments["extra_properties"] = [lambda image: image.sum() + 0.5]
    found = our_skimage.regionprops_table(labels, **arguments)
    expected = skimage_measure.regionprops_table(labels, **arguments)
    assert list(found) == list(expected) and all(np.array_equal(found[k], expected[k]) for k in expected)


@pytest.mark.filterwarnings("ignore")
def test_skimage_remove_small_objects(random):
    for _ in range(fewer(2)):
        array = random_array(random, ("?", "?", "u1", "i4"))
        size = int(random.integers(0, 9))
        options = {"connectivity": int(random.integers(1, array.ndim + 1))}
        if random.random() < 0.3:
            options["out"] = np.zeros(array.shape, array.dtype)
        expected = outcome(morphology.remove_small_objects, array, max_size=size, **options)
        if isinstance(expected, np.ndarray):
            expected = expected.copy()
        check_same(outcome(our_skimage.remove_small_objects, array, max_size=size, **options), expected)
        if array.dtype == np.bool_:
            check_same(our_skimage.remove_small_objects(array, size + 1, **options), expected)


cc3d = pytest.importorskip("cc3d")


def one_to_one(labels, others):
    """Whether labels differ in their numbers alone."""
    pairs = np.unique(np.stack([labels.reshape(-1), others.reshape(-1)]), axis=1)
    return all(len(np.unique(side)) == pairs.shape[1] for side in pairs) and pairs[:, 0].tolist() == [0, 0]


def is_wrong_itself(array, connectivity):
    """Whether cc3d 4.1 raises an error, or labels background or splits components, as it does in some planes."""
    if 1 not in array.shape:
        return False
    try:
        theirs = cc3d.connected_components(array, connectivity=connectivity)
    except RuntimeError:  # "maximum length exception"
        return True
    ours = our_cc3d.connected_components(array, connectivity=connectivity)
    return not one_to_one(np.pad(ours, 1), np.pad(theirs, 1))


def test_cc3d_connected_components(random):
    compared = wrong = 0
    for _ in range(COUNT):
        array = random_array(random, (*INTEGERS, "f4", "f8"), int(random.integers(2, 4)), strides=False)
        if array.size == 0:  # cc3d returns zeros of the type of the input
            continue
        array = np.abs(array) if array.dtype.kind in "if" else array
        if random.random() < 0.4:
            array = np.asfortranarray(array)
        connectivity = ((4, 8), (6, 18, 26))[array.ndim - 2]
        options = {"connectivity": connectivity[random.integers(len(connectivity))], "return_N": True}
        if random.random() < 0.2:
            options["binary_image"] = True
        elif random.random() < 0.2 and array.dtype != np.bool_:
            options["delta"] = 1
        if random.random() < 0.3:
            options["out_dtype"] = np.uint32
        found, count = our_cc3d.connected_components(array, **options)
        compared += 1
        planar = array.ndim == 2 or 1 in array.shape
        try:
            expected, expected_count = cc3d.connected_components(array, **options)
        except RuntimeError:  # "maximum length exception"
            assert planar
            wrong += 1
            continue
        assert found.flags.c_contiguous == expected.flags.c_contiguous
        if planar and (options["connectivity"] in (8, 18, 26) or "binary_image" in options):
            padded, others = np.pad(found, 1), np.pad(expected, 1)
            if not one_to_one(padded, others):  # documented: cc3d labels background, or splits components
                wrong += 1
                continue
        assert count == expected_count
        by_blocks = array.ndim == 2 and options["connectivity"] == 8 and (array.dtype == "?" or "binary_image" in options)
        if not by_blocks:  # documented: cc3d numbers by blocks of 2x2 elements
            check_same(found, expected, types="out_dtype" in options)
    assert wrong < compared / 5


def test_cc3d_numbers_of_periodic_images(random):
    compared = 0
    for _ in range(fewer(4)):
        array = random.integers(0, 3, tuple(random.integers(2, 20, 2))).astype(("?", "u1")[random.integers(2)])
        connectivity = 4 if array.dtype == "?" else (4, 8)[random.integers(2)]
        found, expected = (
            package.connected_components(array, connectivity=connectivity, periodic_boundary=True)
            for package in (our_cc3d, cc3d)
        )
        if one_to_one(np.pad(found, 1), np.pad(expected, 1)):
            check_same(found, expected, types=False)
            compared += 1
    assert compared > fewer(4) / 2


def test_cc3d_numbers_of_large_masks(random):
    mask = random.random((1500, 1202)) < 0.1
    found = our_cc3d.connected_components(mask, connectivity=8)
    assert one_to_one(found, cc3d.connected_components(mask, connectivity=8))
    check_same(found, ndimage.label(mask, np.ones((3, 3)))[0], types=False)
    assert found.dtype == np.uint32 and found.max() > 2**16
    few = np.kron(mask[:100, :76], np.ones((4, 4), bool))  # cc3d labels background of some odd sizes
    expected = ndimage.label(few, np.ones((3, 3)))[0]
    check_same(our_cc3d.connected_components(few, connectivity=8), expected.astype(np.uint16))
    wide = our_cc3d.connected_components(few.T, connectivity=8, out_dtype=np.uint64)
    check_same(wide, expected.T.astype(np.uint64))
    refused(ValueError, "do not fit uint16", our_cc3d.connected_components, mask, connectivity=8, out_dtype=np.uint16)


def test_calls_that_are_passed_on(random, tmp_path):
    labels = random.integers(0, 4, (5, 6, 7)).astype(np.uint16)
    assert [label for label, _ in our_cc3d.each(labels)] == [1, 2, 3]
    check_same(our_cc3d.voxel_connectivity_graph(labels), cc3d.voxel_connectivity_graph(labels))
    mapped = our_cc3d.connected_components(labels, out_file=str(tmp_path / "labels"))
    check_same(np.asarray(mapped), cc3d.connected_components(labels))
    assert (tmp_path / "labels").stat().st_size > 0
    assert our_scipy.minimum is ndimage.minimum
    assert our_skimage.regionprops is skimage_measure.regionprops
    assert our_skimage.binary_dilation is morphology.binary_dilation
    for module in (our_cc3d, our_scipy, our_skimage):
        with pytest.raises(AttributeError, match="no_such_function"):
            module.no_such_function
    some_negative = labels.astype(int) - 1
    found, expected = (m.regionprops_table(some_negative) for m in (our_skimage, skimage_measure))
    assert list(found) == list(expected) and all(np.array_equal(found[k], expected[k]) for k in expected)


def test_cc3d_statistics(random):
    for _ in range(fewer(10)):
        array = random_array(random, ("u1", "u2", "u4"), int(random.integers(2, 4)), values=7, strides=False)
        if array.size < 8:
            continue
        if random.random() < 0.4:
            array = np.asfortranarray(array)
        found, expected = our_cc3d.statistics(array), cc3d.statistics(array)
        np.testing.assert_array_equal(found["voxel_counts"], expected["voxel_counts"])
        assert found["bounding_boxes"] == expected["bounding_boxes"]
        np.testing.assert_allclose(found["centroids"], expected["centroids"], rtol=1e-6)
        boxes = our_cc3d.statistics(array, no_slice_conversion=True)["bounding_boxes"]
        np.testing.assert_array_equal(boxes, cc3d.statistics(array, no_slice_conversion=True)["bounding_boxes"])


def test_cc3d_statistics_of_many_labels(random):
    for shape in ((700, 900), (60, 90, 130)):
        labels = gpuccl.label(random.random(shape) < 0.1)[0]
        found, expected = our_cc3d.statistics(labels), cc3d.statistics(labels.astype(np.uint32))
        assert len(found["bounding_boxes"]) > 2**13 and found["bounding_boxes"] == expected["bounding_boxes"]
        check_same(found["voxel_counts"], expected["voxel_counts"])
        check_same(found["centroids"], expected["centroids"])
    for wrong in (np.array([[-1, 2]]), np.array([[9, 0]]), np.array([[0.5]])):
        refused(ValueError, "labels are", our_cc3d.statistics, wrong)


def test_cc3d_dust_keeps_negative_values_and_fractions():
    for small, type_ in ((-1, "i4"), (-1, "f4"), (0.5, "f4")):
        array = np.array([[[small, small, small, 0, 2]]], type_)
        kept, count = our_cc3d.dust(array, 2, connectivity=6, return_N=True)
        assert kept.dtype == array.dtype and kept.ravel().tolist() == [small, small, small, 0, 0] and count == 1


def test_cc3d_dust(random):
    for _ in range(fewer(4)):
        array = random_array(random, ("?", "u1", "u4"), 3, strides=False)
        if array.size == 0:
            continue
        threshold = int(random.integers(0, 6))
        options = {"threshold": threshold if random.random() < 0.7 else (threshold, threshold + 4)}
        options["connectivity"] = (6, 18, 26)[random.integers(3)]
        options["invert"], options["return_N"] = bool(random.integers(2)), bool(random.integers(2))
        if random.random() < 0.3:
            array = np.asfortranarray(array)
        if is_wrong_itself(array, options["connectivity"]):
            continue
        found, expected = our_cc3d.dust(array, **options), cc3d.dust(array, **options)
        check_same(found, expected)
        found = found[0] if options["return_N"] else found
        assert not np.shares_memory(found, array)
        in_place = array.copy(order="K")
        our_cc3d.dust(in_place, **options, in_place=True)
        check_same(in_place, found)


def test_cc3d_largest_k(random):
    for _ in range(fewer(4)):
        array = random_array(random, ("?", "u1", "u4"), 3, strides=False)
        if array.size == 0:
            continue
        k = int(random.integers(0, 5))
        if is_wrong_itself(array, 26):
            continue
        sizes = np.sort(np.bincount(cc3d.connected_components(array).reshape(-1))[1:])
        if len(set(sizes[-k - 1 :])) != len(sizes[-k - 1 :]):
            continue  # which of several of one size, cc3d does not say
        check_same(our_cc3d.largest_k(array, k), cc3d.largest_k(array, k), types=False)


def test_cc3d_contacts(random):
    for _ in range(fewer(10)):
        array = random_array(random, ("u1", "u4"), 3, values=7, strides=False)
        if array.size == 0:
            continue
        if random.random() < 0.4:
            array = np.asfortranarray(array)
        connectivity = (6, 18, 26)[random.integers(3)]
        for options in ({"anisotropy": (3, 1, 2)}, {"surface_area": False}):
            if connectivity == 26 and "surface_area" in options:
                continue  # cc3d counts some edges twice
            found = our_cc3d.contacts(array, connectivity, **options)
            expected = cc3d.contacts(array, connectivity, **options)
            assert found.keys() == expected.keys()
            np.testing.assert_allclose([found[pair] for pair in expected], list(expected.values()), rtol=1e-6)


def test_scipy_labels_nan():
    image = np.array([[1, np.nan, 0], [0, 0, 2.0]])
    for code in ("f4", "f8"):
        check_same(our_scipy.label(image.astype(code)), ndimage.label(image.astype(code)))


@pytest.mark.filterwarnings("ignore")
def test_skimage_remove_small_objects_has_one_meaning_for_masks_and_labels():
    mask = np.array([[1, 1, 0, 1, 0, 1, 1, 1]], bool)
    labels = np.array([[1, 1, 0, 2, 0, 3, 3, 3]])
    for sizes, kept in (({"min_size": 2}, 5), ({"min_size": 1.5}, 5), ({"max_size": 1.5}, 5), ({"max_size": 2}, 3),
                        ({"max_size": 0}, 6), ({"min_size": 0}, 6), ({"min_size": 3.2}, 0)):  # fmt: skip
        assert (our_skimage.remove_small_objects(mask, **sizes) != 0).sum() == kept, sizes
        assert (our_skimage.remove_small_objects(labels, **sizes) != 0).sum() == kept, sizes
    for size in (1.5, 2, 2.9):
        check_same(our_skimage.remove_small_objects(mask, max_size=size), morphology.remove_small_objects(mask, max_size=size))
    square = np.zeros((20, 30), int)
    square[1:9, 1:9], square[10:18, 10:19] = 1, 2
    for image in (square > 0, square):
        check_same(our_skimage.remove_small_objects(image), morphology.remove_small_objects(image))


def test_cc3d_of_rare_arrays():
    for shape in ((0, 3), (0,), (0, 2, 3)):
        empty = np.zeros(shape, np.uint16)
        assert our_cc3d.statistics(empty) == cc3d.statistics(empty)
    line = np.array([1, 1, 2, 0, 3, 4], np.uint16)
    for options in ({}, {"surface_area": False}, {"connectivity": 6}, {"anisotropy": (2, 3, 4)}):
        found, expected = our_cc3d.contacts(line, **options), cc3d.contacts(line, **options)
        assert found == expected and {type(value) for value in found.values()} == {type(value) for value in expected.values()}
    assert our_cc3d.region_graph(line) == cc3d.region_graph(line)
    signed = np.array([[[1, -1, 0], [0, 0, -2]]])
    for code in ("i1", "i4", "f4"):
        options = {"binary_image": True, "connectivity": 6}
        check_same(our_cc3d.connected_components(signed.astype(code), **options),
                   cc3d.connected_components(signed.astype(code), **options))  # fmt: skip
    half = np.ones((2, 2), np.float16)
    for module in (cc3d, our_cc3d):
        refused(TypeError, "float16", module.connected_components, half, delta=0.5)


def test_suite_of_scipy_passes():
    """SciPy installs its tests. Others are run as docs/python.md says."""
    here = str(pathlib.Path(__file__).parent)
    command = "import sys, pytest; sys.path.insert(0, sys.argv.pop(1)); sys.exit(pytest.main(sys.argv[1:]))"
    options = ["-q", "-p", "peers", "-p", "no:cacheprovider", "-W", "ignore", "--rootdir", here]
    run = subprocess.run(
        [sys.executable, "-c", command, here, *options, "--pyargs", "scipy.ndimage.tests.test_measurements"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0 and " passed" in run.stdout, run.stdout[-3000:] + run.stderr[-2000:]


def test_dask_image_label(random):
    for _ in range(fewer(40)):
        array = random_array(random, ("?", "u1", "i4", "f4"), strides=False)
        if array.size == 0:
            continue
        reach = int(random.integers(1, array.ndim + 1))
        structure = ndimage.generate_binary_structure(array.ndim, reach)
        chunks = dask.array.from_array(array, tuple(int(random.integers(1, n + 1)) if n < 9 else n // 2 for n in array.shape))
        labels, count = our_dask_image.label(chunks, structure)
        expected, n = ndimage.label(array, structure)
        check_same(labels.compute(scheduler="sync"), expected)
        assert labels.dtype == expected.dtype and count.compute(scheduler="sync") == n
        for axes in itertools.combinations(range(array.ndim), min(2, array.ndim)):
            long = [axis for axis in axes if array.shape[axis] > 1]
            labels, count = our_dask_image.label(chunks, structure, axes)
            expected = gpuccl.label(array, reach, periodic=long or None)
            check_same((labels.compute(scheduler="sync"), int(count.compute(scheduler="sync"))), expected)
