"""Functions within jit and vmap of JAX give the arrays of calls outside."""

import numpy as np
import pytest

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


def test_errors_come_when_the_function_is_traced():
    with pytest.raises(ValueError, match="connectivity of 2 axes"):
        jax.jit(lambda x: gpuccl.jax.label(x, 6))(np.ones((2, 2), bool))
    with pytest.raises(TypeError, match="no argument smallest"):
        gpuccl.jax.clean(np.ones((2, 2), bool), smallest=1)
