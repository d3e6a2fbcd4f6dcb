"""Functions for ``jax.jit`` and ``jax.vmap``: they run on the CPU, as callbacks.

Arrays on a GPU are copied to the CPU and back. Outside of `jit`, :func:`gpuccl.label` labels them on their GPU. Nothing is
differentiated.

>>> import gpuccl.jax                                                  # doctest: +SKIP
>>> @jax.jit                                                           # doctest: +SKIP
... def objects(probabilities):
...     return gpuccl.jax.label(gpuccl.jax.clean(probabilities > 0.5, min_size=20))
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from . import _host
from ._kinds import pixels

__all__ = ["clean", "label"]


def label(array: Any, connectivity: int | None = None, *, values: bool = False) -> tuple[jax.Array, jax.Array]:
    """Label an array; as :func:`gpuccl.label`. Returns labels and the number of components, both of int32.

    `vmap` labels each image by itself.
    """
    pixels(connectivity, array.ndim)  # errors at once

    def one(image):
        return _host.label(np.asarray(image), connectivity, values, 0, None, None, None, None, None, None)[:2]

    return _call(one, (np.int32, array.shape), (np.int32, ()), array)


def clean(array: Any, connectivity: int | None = None, *, seeds: Any = None, **conditions: Any) -> jax.Array:
    """Remove components of a mask or segmentation; as :func:`gpuccl.clean`. `vmap` cleans each image by itself."""
    pixels(connectivity, array.ndim)
    names = ("values", "per_value", "largest", "min_size", "max_size", "fill_holes", "clear_border")
    unknown = set(conditions) - set(names)
    if unknown:
        raise TypeError(f"clean() has no argument {min(unknown)}")
    given = {"fill_holes": False, "clear_border": False, "per_value": False, **conditions}

    def one(image, mask=None):
        image = np.asarray(image)
        return (_host.clean(image, connectivity, *map(given.get, names), mask, None),)

    return _call(one, (array.dtype, array.shape), *(array,) if seeds is None else (array, seeds))[0]


def _call(function, *described):
    """Calls a function for each image. Pairs of type and shape describe its results, arrays are its arguments."""
    results = [jax.ShapeDtypeStruct(shape, type_) for type_, shape in (one for one in described if isinstance(one, tuple))]
    arrays = [jax.lax.stop_gradient(one) for one in described if not isinstance(one, tuple)]
    ndim = arrays[0].ndim

    def of_batch(*arrays):
        arrays = [np.asarray(one) for one in arrays]
        batch = arrays[0].shape[: arrays[0].ndim - ndim]
        made = [np.empty((*batch, *one.shape), one.dtype) for one in results]
        for place in np.ndindex(batch):
            for out, value in zip(made, function(*(one[place] for one in arrays))):
                out[place] = value
        return made

    return jax.pure_callback(of_batch, results, *arrays, vmap_method="broadcast_all")
