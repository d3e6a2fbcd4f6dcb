"""Functions within jit and vmap of JAX give the arrays of calls outside."""

import numpy as np
import pytest
from conftest import refused

jax = pytest.importorskip("jax")

import gpuccl  # noqa: E402
import gpuccl.jax  # noqa: E402


def test_jit_gives_the_labels_of_a_call(random):
    for _ in range(60):
        ndim = int(random.integers(1, 4))
        array = random.integers(0, 3, random.integers(1, 20, ndim)).astype(("?", "u1", "i4", "f4")[random.integers(4)])
        reach, values = int(random.integers(1, ndim + 1)), bool(random.integers(2))
        labels, count = jax.jit(lambda x, r=reach, v=values: gpuccl.jax.label(x, r, values=v))(array)
        expected, n = gpuccl.label(array, reach, values=values)
        assert isinstance(labels, jax.Array) and labels.dtype == np.int32 and count.shape == () and int(count) == n
        assert np.array_equal(labels, expected)
        cleaned = jax.jit(lambda x, r=reach: gpuccl.jax.clean(x, r, values=False, min_size=3))(array)
        expected = gpuccl.clean(array, reach, values=False, min_size=3)
        assert cleaned.dtype == array.dtype and np.array_equal(cleaned, expected)


@pytest.mark.filterwarnings("ignore:NaN is background", "ignore:negative labels are background")
def test_types_empty_arrays_and_conditions(random):
    names = ("?", "u1", "i1", "i2", "u4", "i4", "f2", "f4")
    for name in names * 2:
        array = (random.integers(-3, 4, (9, 20)) * (random.random((9, 20)) < 0.5)).astype(name)
        if name[0] == "f":
            array[0, :3] = np.nan
        for values in (False, True):
            labels, n = gpuccl.jax.label(array, values=values)
            expected, count = gpuccl.label(array, values=values)
            assert np.array_equal(labels, expected) and n == count
            options = {"min_size": 2, "fill_holes": not values, "clear_border": True, "max_size": 50}
            if not values or name[0] in "ui":
                cleaned = gpuccl.jax.clean(array, values=values, **options)
                expected = gpuccl.clean(array, values=values, **options)
                assert cleaned.dtype == array.dtype and np.array_equal(cleaned, expected)
    labels, n = gpuccl.jax.label(jax.numpy.ones((5,), jax.numpy.bfloat16), values=True)
    assert n == 1 and (labels == 1).all()
    for name in ("bfloat16", "float8_e4m3fn"):  # outside of jit, too
        real = jax.numpy.asarray([[1, 0, 2, 2]], name)
        for given in (real, np.asarray(real))[jax.default_backend() != "cpu":]:  # on a GPU labels are integers
            assert gpuccl.label(given, values=True)[1] == 2 and gpuccl.clean(given, min_size=2).dtype == real.dtype
            assert gpuccl.clean(given, min_size=2).tolist() == [[0, 0, 2, 2]]
    if jax.default_backend() == "cpu":  # on a GPU it is refused
        assert gpuccl.jax.clean(np.array([1, 1, 0, 2, 0, 1]), per_value=True, largest=1).tolist() == [1, 1, 0, 2, 0, 0]
    for shape in ((0,), (3, 0), (0, 2, 2)):
        labels, n = jax.jit(gpuccl.jax.label)(np.ones(shape, bool))
        assert labels.shape == shape and n == 0 and gpuccl.jax.clean(np.ones(shape, "i4")).shape == shape
        labels, counts = jax.vmap(gpuccl.jax.label)(np.ones((2, *shape), bool))
        assert labels.shape == (2, *shape) and counts.tolist() == [0, 0]
    assert jax.vmap(gpuccl.jax.label)(np.ones((0, 2, 2), bool))[0].shape == (0, 2, 2)


def test_vmap_of_leading_axes_takes_each_image_by_itself(random):
    masks = random.random((3, 4, 20, 30)) < 0.4
    labels, counts = jax.jit(jax.vmap(jax.vmap(gpuccl.jax.label)))(masks)
    assert labels.shape == masks.shape and counts.shape == (3, 4)
    for place in np.ndindex(3, 4):
        expected, n = gpuccl.label(masks[place])
        assert np.array_equal(labels[place], expected) and counts[place] == n
    seeds = random.random((20, 30)) < 0.05
    cleaned = jax.vmap(lambda x, s: gpuccl.jax.clean(x, seeds=s), in_axes=(1, None))(masks[0].swapaxes(0, 1), seeds)
    for i in range(4):
        assert np.array_equal(cleaned[i], gpuccl.clean(masks[0, i], seeds=seeds))


def test_large_arrays_and_gradients_do_not_stop(random):
    volume = jax.numpy.asarray(random.random((160, 200, 200), dtype=np.float32))

    @jax.jit
    def loss(x):
        labels, n = gpuccl.jax.label(gpuccl.jax.clean(x > 0.8, min_size=2))
        return (x * (labels > 0)).sum() / n

    value, gradient = jax.value_and_grad(loss)(volume)
    labels, n = gpuccl.label(gpuccl.clean(np.asarray(volume) > 0.8, min_size=2))
    np.testing.assert_allclose(value, (np.asarray(volume) * (labels > 0)).sum() / n, rtol=1e-3)
    assert np.array_equal(np.asarray(gradient) > 0, labels > 0)


def test_calls_outside_of_jit_are_compiled_once():
    before = gpuccl.jax._label._cache_size()
    for _ in range(3):
        gpuccl.jax.label(np.ones((3, 41), bool))
    assert gpuccl.jax._label._cache_size() == before + 1


def test_options_of_equal_value_and_other_type_are_told_apart():
    ring = np.zeros((12, 12), bool)
    ring[1:11, 1:11] = True
    ring[4:7, 4:7] = False
    for fill_holes in (True, 1, True, 9, 1, False, 0):
        cleaned = gpuccl.jax.clean(ring, fill_holes=fill_holes)
        assert np.array_equal(cleaned, gpuccl.clean(ring, fill_holes=fill_holes)), fill_holes
    gpuccl.jax.label(ring, 1)
    refused(TypeError, "connectivity", gpuccl.jax.label, ring, 1.0)
    gpuccl.jax.clean(ring, min_size=2)
    refused(ValueError, "min_size is an integer", gpuccl.jax.clean, ring, min_size=2.0)


def test_errors_come_when_the_function_is_traced():
    refused(ValueError, "connectivity of 2 axes", jax.jit(lambda x: gpuccl.jax.label(x, 6)), np.ones((2, 2), bool))
    for function in (gpuccl.label, gpuccl.measure, gpuccl.clean):
        refused(TypeError, "use label and clean of gpuccl.jax", jax.jit(function), np.ones((2, 2), int))
    refused(TypeError, "values is True or False, not 'x'", gpuccl.jax.label, np.ones((2, 2), bool), values="x")
    refused(TypeError, "smallest", gpuccl.jax.clean, np.ones((2, 2), bool), smallest=1)
    refused(ValueError, "fill_holes is for masks", gpuccl.jax.clean, np.ones((2, 2), int), fill_holes=True)
    refused(TypeError, "labels are integers, not float32", gpuccl.jax.clean, np.ones((2, 2), np.float32))
    refused(TypeError, "complex", gpuccl.jax.label, np.ones((2, 2), np.complex64))
