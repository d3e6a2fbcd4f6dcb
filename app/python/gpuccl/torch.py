"""Operators of PyTorch, for ``torch.compile``, ``torch.export`` and CUDA graphs.

``import gpuccl.torch`` registers ``torch.ops.gpuccl.label``, ``clean`` and ``measure``. They take tensors on the CPU and
on a GPU, and have no gradients. On a GPU, `label`, `clean`, and `measure` with `rows` do not wait.

>>> import gpuccl.torch                                                        # doctest: +SKIP
>>> @torch.compile(fullgraph=True)                                             # doctest: +SKIP
... def objects(probabilities):
...     mask = gpuccl.torch.clean(probabilities > 0.5, min_size=20, fill_holes=50)
...     return gpuccl.torch.label(mask)
"""

from typing import Optional  # whose names torch.library reads

import torch
from torch import Tensor

import gpuccl

from ._host import images_of
from ._measures import Columns

__all__ = ["clean", "label", "measure"]


@torch.library.custom_op("gpuccl::label", mutates_args=())
def label(
    array: Tensor, connectivity: Optional[int] = None, values: bool = False, batch: bool = False
) -> tuple[Tensor, Tensor]:
    """Label an array; as :func:`gpuccl.label`. Returns labels of int32, and the number of components of int64."""
    options = {"values": values, "batch": batch}
    if array.is_cuda:
        return gpuccl.label_async(array, connectivity, **options)
    labels = torch.empty(array.shape, dtype=torch.int32)
    return labels, torch.as_tensor(gpuccl.label(array, connectivity, out=labels, **options)[1], dtype=torch.int64)


@label.register_fake
def _(array, connectivity=None, values=False, batch=False):
    count = (images_of(array.shape)[0],) if batch else ()
    return array.new_empty(array.shape, dtype=torch.int32), array.new_empty(count, dtype=torch.int64)


@torch.library.custom_op("gpuccl::clean", mutates_args=())
def clean(
    array: Tensor,
    connectivity: Optional[int] = None,
    values: Optional[bool] = None,
    largest: Optional[int] = None,
    min_size: Optional[int] = None,
    max_size: Optional[int] = None,
    fill_holes: int = 0,
    clear_border: bool = False,
    seeds: Optional[Tensor] = None,
) -> Tensor:
    """Remove components of a mask or segmentation; as :func:`gpuccl.clean`.

    `fill_holes` is the size of the largest hole, and not True.
    """
    out = None if array.is_cuda else torch.empty(array.shape, dtype=array.dtype)  # in C order, as below
    result = gpuccl.clean(
        array, connectivity, values=values, largest=largest, min_size=min_size, max_size=max_size,
        fill_holes=fill_holes, clear_border=clear_border, seeds=seeds, out=out,
    )  # fmt: skip
    return torch.as_tensor(result)


@clean.register_fake
def _(array, *conditions, **more):
    return array.new_empty(array.shape)


def _names(properties: str) -> list[str]:
    return [name.strip() for name in properties.split(",")]


@torch.library.custom_op("gpuccl::measure", mutates_args=())
def measure(
    labels: Tensor,
    intensity: Optional[Tensor] = None,
    properties: str = "label,area",
    connectivity: Optional[int] = None,
    rows: Optional[int] = None,
) -> Tensor:
    """Measure the objects of a label image; as :func:`gpuccl.measure`.

    `properties` has names between commas. Returns the table as float64, a row for each column of
    :func:`gpuccl.measure` and a column for each object. Labels are exact up to 2**53. `intensity` has the shape of
    `labels`. With `rows`, labels up to this number are measured, and objects that do not occur are columns of 0 at the
    end: then the size is known, and CUDA graphs capture it.
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
