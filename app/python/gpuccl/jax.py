"""Functions for ``jax.jit`` and ``jax.vmap``, on the CPU and on a GPU.

XLA calls them by its foreign function interface (FFI). They read and write its memory in the order of its stream.
Nothing is differentiated. Needs JAX 0.6.2 or newer.

>>> import gpuccl.jax                                                  # doctest: +SKIP
>>> @jax.jit                                                           # doctest: +SKIP
... def objects(probabilities):
...     return gpuccl.jax.label(gpuccl.jax.clean(probabilities > 0.5, min_size=20))
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.buffer_callback import buffer_callback

import gpuccl

from ._device import Lent, label_into
from ._host import checked_sizes
from ._kinds import check_flags, pixels

__all__ = ["clean", "label"]


def label(array: Any, connectivity: int | None = None, *, values: bool = False) -> tuple[jax.Array, jax.Array]:
    """Label an array; as :func:`gpuccl.label`. Returns labels and the number of components, both of int32.

    `vmap` labels each image by itself.
    """
    check_flags(values=values)
    pixels(connectivity, jnp.ndim(array))  # before jit, which takes 1.0 and True for 1
    return _label(array, connectivity, bool(values))


@partial(jax.jit, static_argnums=(1, 2))
def _label(array, connectivity, values):
    if not values:
        array = _mask(array)
    elif array.dtype in (jnp.float16, jnp.bfloat16):
        array = array.astype(jnp.float32)

    def one(stream, labels, count, image):
        if stream is None:
            count[...] = gpuccl.label(image, connectivity, values=values, out=labels)[1]
        else:
            label_into(image, connectivity, values, labels, count, stream)

    if array.size == 0:
        return jnp.zeros(array.shape, np.int32), jnp.zeros((), np.int32)
    labels, count = _call(one, [(array.shape, np.int32), ((2,), np.int32)], array)  # which a GPU counts in 64 bits
    return labels, count[0]


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
) -> jax.Array:
    """Remove components of a mask or segmentation; as :func:`gpuccl.clean`. `vmap` cleans each image by itself."""
    pixels(connectivity, jnp.ndim(array))
    values = jnp.result_type(array) != bool if values is None else values
    options = (values, per_value, largest, min_size, max_size, fill_holes, clear_border)
    *_, fill_holes = checked_sizes(jnp.ndim(array), *options)  # True is a number, too, which jit takes for 1
    sizes = (largest, min_size, max_size, fill_holes)
    return _clean(array, seeds, connectivity, bool(values), bool(per_value), *sizes, bool(clear_border))


@partial(jax.jit, static_argnums=range(2, 10))
def _clean(array, seeds, connectivity, values, per_value, largest, min_size, max_size, fill_holes, clear_border):
    if array.size == 0:
        return array
    values = values and (per_value or array.dtype != bool)
    if values and array.dtype.kind not in "iu":
        raise TypeError(f"labels are integers, not {array.dtype}: convert them, or pass values=False for a mask")
    given = jax.lax.stop_gradient(array)
    image = jnp.maximum(given, 0).view(f"u{array.dtype.itemsize}") if values else _mask(array)

    def one(stream, cleaned, image, seeds=None):
        gpuccl.clean(
            image, connectivity, values=values, per_value=per_value, largest=largest, min_size=min_size, max_size=max_size,
            fill_holes=fill_holes, clear_border=clear_border, seeds=seeds, out=cleaned,
        )  # fmt: skip

    (cleaned,) = _call(one, [(image.shape, image.dtype)], image, *() if seeds is None else (_mask(seeds),))
    if values or array.dtype == bool:
        return cleaned.view(array.dtype)
    return jnp.where(cleaned, jnp.where(image, given, 1), 0).astype(array.dtype)


def _mask(array):
    if array.dtype.kind == "c":
        raise TypeError(f"an array of bool, integers or floating-point numbers is needed, not of {array.dtype}")
    return array if array.dtype == bool else (array != 0) & (array == array)  # NaN is background


def _call(function, results, *arrays):
    """Calls function(stream, *results, *arrays) for each image. Results have a shape and a type."""
    arrays = [jax.lax.stop_gradient(one) for one in arrays]
    ndims = [len(shape) for shape, _ in results] + [one.ndim for one in arrays]

    def of_batch(context, results, *arrays):
        buffers = [*results, *arrays]
        shapes = [tuple(buffer.shape) for buffer in buffers]
        batch = math.prod(shapes[0][: len(shapes[0]) - ndims[0]])
        shapes = [shape[len(shape) - ndim :] for shape, ndim in zip(shapes, ndims)]
        if buffers[0].__dlpack_device__()[0] == 1:
            wholes = [np.asarray(buffer).reshape(batch, *shape) for buffer, shape in zip(buffers, shapes)]
            for images in zip(*wholes):
                function(None, *(image[...] for image in images))  # of one axis: not a number
        else:
            stream = context.stream
            for place in range(batch):
                function(stream, *(Lent(buffer, shape, place, stream) for buffer, shape in zip(buffers, shapes)))

    described = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in results]
    return buffer_callback(of_batch, described, vmap_method="broadcast_all")(*arrays)
