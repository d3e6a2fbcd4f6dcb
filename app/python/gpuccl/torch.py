"""Operators of PyTorch, for ``torch.compile``, ``torch.export`` and CUDA graphs.

``import gpuccl.torch`` registers ``torch.ops.gpuccl.label``, ``clean`` and ``measure``. They take tensors on the CPU and
on a GPU, and have no gradients. On a GPU, `label`, `clean`, and `measure` with `rows` do not wait.

>>> import gpuccl.torch                                                        # doctest: +SKIP
>>> @torch.compile(fullgraph=True)                                             # doctest: +SKIP
... def objects(probabilities):
...     mask = gpuccl.torch.clean(probabilities > 0.5, min_size=20, fill_holes=50)
...     return gpuccl.torch.label(mask)
"""

import functools
from typing import Optional, Union  # whose names torch.library reads

import torch
from torch import Tensor
from torch.utils._pytree import tree_map_only

import gpuccl

from ._host import images_of
from ._measures import Columns

__all__ = ["clean", "label", "measure"]

#: A size is of all types of numbers, or torch.library would take True for 1, and not refuse it, or fill holes of any size.
Number = Union[int, float, bool]


def _operator(function):
    """Registers an operator. Returns a function with its help and signature, whose results need no gradients."""
    operator = torch.library.custom_op(f"gpuccl::{function.__name__}", function, mutates_args=())

    @functools.wraps(function)
    def call(*arguments, **options):
        arguments, options = tree_map_only(Tensor, Tensor.detach, (arguments, options))
        return operator(*arguments, **options)

    call.register_fake = operator.register_fake
    return call


@_operator
def label(array: Tensor, connectivity: Optional[int] = None, values: bool = False, batch: bool = False) -> tuple[Tensor, Tensor]:
    """Label an array; as :func:`gpuccl.label`. Returns labels of int32, and the number of components of int64.

    With `batch` these are N numbers, and each image is labeled from 1.
    """
    options = {"values": values, "batch": batch}
    if array.is_cuda:
        return gpuccl.label_async(array, connectivity, **options)
    labels = torch.empty(array.shape, dtype=torch.int32)
    return labels, torch.as_tensor(gpuccl.label(array, connectivity, out=labels, **options)[1], dtype=torch.int64)


@label.register_fake
def _(array, connectivity=None, values=False, batch=False):
    count = (images_of(array.shape)[0],) if batch else ()
    return array.new_empty(array.shape, dtype=torch.int32), array.new_empty(count, dtype=torch.int64)


@_operator
def clean(
    array: Tensor,
    connectivity: Optional[int] = None,
    values: Optional[bool] = None,
    largest: Optional[Number] = None,
    min_size: Optional[Number] = None,
    max_size: Optional[Number] = None,
    fill_holes: Number = False,
    clear_border: bool = False,
    seeds: Optional[Tensor] = None,
) -> Tensor:
    """Remove components of a mask or segmentation; as :func:`gpuccl.clean`.

    `fill_holes` is True, or the size of the largest hole. Sizes are integers. `seeds` has the shape of `array`.
    """
    result = gpuccl.clean(
        array, connectivity, values=values, largest=largest, min_size=min_size, max_size=max_size,
        fill_holes=fill_holes, clear_border=clear_border, seeds=seeds,
    )  # fmt: skip
    return torch.as_tensor(result).contiguous()  # as below


@clean.register_fake
def _(array, *conditions, **more):
    return array.new_empty(array.shape)


def _names(properties: str) -> list[str]:
    return [name.strip() for name in properties.split(",")]


@_operator
def measure(
    labels: Tensor,
    intensity: Optional[Tensor] = None,
    properties: str = "label,area",
    connectivity: Optional[int] = None,
    rows: Optional[int] = None,
) -> Tensor:
    """Measure the objects of a label image; as :func:`gpuccl.measure`.

    `properties` has names of :func:`gpuccl.properties` with commas between them. Returns the table as float64, a row for
    each column of :func:`gpuccl.measure` and a column for each object. Labels are exact up to 2**53. `intensity` has the
    shape of `labels`. With `rows`, labels up to this number are measured, and objects that do not occur are columns of 0
    at the end: then the size is known, and CUDA graphs capture it.
    """
    names = _names(properties)
    if rows is not None and labels.is_cuda:
        table, _ = gpuccl.measure_async(labels, intensity, names, rows=rows, connectivity=connectivity)
    else:
        if rows is not None:
            labels = torch.where(labels <= rows, labels, 0)
        table = gpuccl.measure(labels, intensity, names, connectivity=connectivity)
    found = torch.stack([torch.as_tensor(column).double() for column in table.values()])
    return found if rows is None else torch.nn.functional.pad(found, (0, rows - found.shape[1]))


@measure.register_fake
def _(labels, intensity=None, properties="label,area", connectivity=None, rows=None):
    columns = len(set(Columns(_names(properties), labels.ndim).names))
    objects = torch.library.get_ctx().new_dynamic_size() if rows is None else rows
    return labels.new_empty((columns, objects), dtype=torch.float64)
