"""Names of measures in scikit-image, and their names in the library."""

from __future__ import annotations

import difflib
import functools
import operator
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _crops
from ._kinds import is_chunked, on_device, warn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Name = str | Callable[..., Any]
    Names = Name | Sequence[Name]
    Spacing = float | Sequence[float] | NDArray[Any] | None
    Table = dict[str, NDArray[Any]]

#: Columns of bbox, by the number of axes.
_BOXES = {1: ("x0", "x1"), 2: ("y0", "x0", "y1", "x1"), 3: ("z0", "y0", "x0", "z1", "y1", "x1")}
_AXES = "zyx"
WHOLE = frozenset(
    {"euler_number", "holes", "cavities", "tunnels", "components", "border_sides", "intensity_nan"}
    | {f"border_{axis}{side}" for axis in "xyz" for side in "01"}
    | {f"{name}_{axis}" for axis in "xyz" for name in ("percolates", "wraps")}
)
_KNOWN = frozenset(_core.measures()) | {"label", "value"}
_PHYSICAL = frozenset(name[: -len("_physical")] for name in _KNOWN if name.endswith("_physical"))
#: Properties without a unit of length, which a spacing does not change.
_UNITLESS = frozenset({"label", "value", "bbox", "extent", "solidity", "num_pixels", "slice", "image", "coords", "image_filled"}) | WHOLE
#: Properties that are derived from other columns, and their definitions.
_DERIVED = {
    "label": "number of the object",
    "value": "value of the elements; of label() with values=True",
    "num_pixels": "number of elements",
    "area_bbox": "area of the bounding box",
    "centroid_local": "centroid from the start of the bounding box",
    "centroid_weighted_local": "centroid_weighted from the start of the bounding box",
    "bbox": "half-open bounding box",
    "centroid": "mean of the coordinates",
    "centroid_weighted": "mean of the coordinates, weighted by samples",
    "inertia_tensor": "inertia tensor about the centroid",
    "inertia_tensor_eigvals": "eigenvalues of the inertia tensor, in descending order",
    **_crops.DEFINITIONS,
}
DEFAULT = ("label", "area", "bbox", "centroid")
_NANS = "intensity_nan"


def _columns_of(name: str, ndim: int, physical: bool) -> list[tuple[str, str]]:
    """Returns the columns of a property, as pairs of column and measure."""
    axes = _AXES[-ndim:]
    if name == "bbox":
        return [(f"bbox-{i}", measure) for i, measure in enumerate(_BOXES[ndim])]
    if name in ("centroid", "centroid_weighted"):
        return [(f"{name}-{i}", f"c{axis}{name.removeprefix('centroid')}") for i, axis in enumerate(axes)]
    if name == "inertia_tensor":
        pairs = [(i, j) for i in range(ndim) for j in range(ndim)]
        return [(f"{name}-{i}-{j}", f"{name}-{min(i, j)}-{max(i, j)}") for i, j in pairs]
    if name == "inertia_tensor_eigvals":
        return [(f"{name}-{i}", f"{name}-{i}") for i in range(ndim)]
    if name in ("centroid_local", "centroid_weighted_local"):
        stem = name.removesuffix("_local")
        return [(f"{name}-{i}", f"{measure} {axis}0") for i, (axis, (_, measure)) in enumerate(zip(axes, _columns_of(stem, ndim, False)))]
    if callable(name) or name in _crops.DEFINITIONS:
        return [(column, " ".join(("label", *_BOXES[ndim]))) for column in _crops.columns_of(name, ndim)]
    if name == "area_bbox":
        return [(name, " ".join(_BOXES[ndim]))]
    if name == "num_pixels":
        return [(name, "area")]
    return [(name, f"{name}_physical" if physical and name in _PHYSICAL else name)]


def properties() -> dict[str, str]:
    """Return the names of all properties of tables, with their definitions.

    Which of them an array can have depends on its axes: images have a `perimeter`, volumes a `surface_crofton`.
    """
    return {**_DERIVED, **_core.measures(), **{f"{axis}1": f"End of the half-open bounding box along {axis}" for axis in "xyz"}}


class Columns:
    """Columns of a table, and the measures that they need."""

    def __init__(self, properties, ndim: int, spacing=None):
        self.spacing = _spacing(spacing, ndim)
        physical = spacing is not None
        self._scales = dict(zip(_AXES[-ndim:], self.spacing[ndim - 1 :: -1])) if physical else {}
        self._pairs: list = []
        self._crops: dict = {}
        owners: dict = {}
        for name in names_of(properties):
            for _, measures in _columns_of(name, ndim, False):
                if not _KNOWN.issuperset(str(measures).split()):
                    nearest = difflib.get_close_matches(str(name), [*_KNOWN, *_DERIVED], 1)
                    hint = f"; did you mean {nearest[0]}?" if nearest else "; gpuccl.properties() lists them"
                    raise ValueError(f"no such property: {name}{hint}")
            is_unitless = callable(name) or name in _UNITLESS | _PHYSICAL | {"area", "area_bbox", "centroid", "centroid_local"}
            if physical and not is_unitless:
                if not name.endswith("_physical") and not name.startswith("intensity_"):
                    raise ValueError(f"{name} is not measured with a spacing")
            columns = _columns_of(name, ndim, physical)
            for column, _ in columns:
                if any(map(callable, (owners.setdefault(column, name), name))) and owners[column] != name:
                    raise ValueError(f"two properties have the column {column}; give the function another __name__")
            self._pairs += columns
            if callable(name) or name in _crops.DEFINITIONS:
                self._crops[name] = [column for column, _ in columns]

    @property
    def of_crops(self) -> list[str]:
        """Columns that need the array of labels."""
        return [column for name, columns in self._crops.items() if name != "slice" for column in columns]

    @property
    def names(self) -> list[str]:
        return [column for column, _ in self._pairs]

    def check_periodic(self, axes: Sequence[bool]) -> None:
        """Refuses columns that are not measured with these periodic axes x, y and z."""
        known = {"label", "value", *_core.measures_across_borders(axes)}
        for column, measures in self._pairs:
            is_place = any(axes) and any(column in columns for columns in self._crops.values())
            if known.issuperset(measures.split()) and not is_place:
                continue
            if column.startswith("wraps_"):
                raise ValueError(f"{column} needs periodic along that axis")
            if column.startswith("border_"):
                raise ValueError(f"{column} needs an axis that is not periodic")
            raise ValueError(
                f"periodic: {column} is not measured across borders; use area, bbox, centroid, extent, border, percolates, wraps or intensity"
            )

    @functools.cached_property
    def wanted(self) -> list[str]:
        return list(dict.fromkeys(measure for _, measures in self._pairs for measure in measures.split()))

    def request(self, samples, is_masked=False) -> tuple:
        """Returns a table as the library takes it. `samples`: an image, or None; name() warns of NaN, unless `is_masked`."""
        counts = not is_masked and getattr(samples, "dtype", np.dtype(int)).kind == "f" and any(map(is_of_samples, self.wanted))
        return [*self.wanted, *[_NANS][: counts and _NANS not in self.wanted]], self.spacing, samples

    def name(self, measured: dict, labels=None, samples=None) -> dict[str, np.ndarray]:
        """Returns a table with the names of columns, from one with the names of measures. `labels` and `samples`: the
        arrays that were measured."""
        if _NANS in measured and _NANS not in self.wanted and (nans := int(measured[_NANS].sum())):
            warn(f"{nans} samples of components are NaN and are ignored" if nans > 1 else "1 sample of a component is NaN and is ignored")
        of_crops = self._of_crops(measured, labels, samples)
        return {
            column: of_crops[column]
            if column in of_crops
            else self._derived(column, [measured[measure] for measure in measures.split()], measures)
            if " " in measures
            else self._value(measured[measures], measures)
            for column, measures in self._pairs
        }

    def _of_crops(self, measured: dict, labels, samples) -> dict[str, np.ndarray]:
        made: dict = {}
        slices = images = None
        for name, columns in self._crops.items():
            if slices is None:
                box = next(measures for column, measures in self._pairs if column == columns[0]).split()[1:]
                sides = [measured[side].tolist() for side in box]
                half = len(sides) // 2
                slices = list(zip(*(map(slice, begin, end) for begin, end in zip(sides[:half], sides[half:]))))
            if name != "slice" and images is None:
                if not isinstance(labels, np.ndarray):
                    raise ValueError(f"{columns[0]} needs labels in the memory of the CPU")
                is_real = labels.dtype.kind == "f"  # integers above 2^53 are not floating-point numbers
                ids = as_signed(measured["label"]).tolist()
                images = [np.equal(np.rint(labels[box]) if is_real else labels[box], number, order="C") for box, number in zip(slices, ids)]
            if samples is None and is_of_samples(name):
                raise ValueError(f"{columns[0]} needs an intensity image")
            made.update(zip(columns, _crops.measure(name, len(columns), slices, images, samples)))
        return made

    def _derived(self, column: str, values: list, measures: str):
        if "_local-" in column:
            return (values[0] - values[1]) * self._scales.get(measures[-2], 1)
        half = len(values) // 2
        sides = [end - begin for begin, end in zip(values[:half], values[half:])]
        return functools.reduce(operator.mul, [*sides, *self._scales.values()])

    def _value(self, values: np.ndarray, measure: str) -> np.ndarray:
        if measure in ("label", "value"):
            return as_signed(values)
        if measure in WHOLE and isinstance(values, np.ndarray) and not np.isnan(values).any():
            return values.astype(np.int64)
        if self._scales and len(measure) == 2 and measure[0] == "c":
            return values * self._scales[measure[1]]
        return values


@functools.lru_cache(64)
def _known_columns(properties, ndim: int, spacing) -> Columns:
    return Columns(properties, ndim, spacing)


def names_of(properties) -> tuple:
    names = (properties,) if isinstance(properties, str) or callable(properties) else tuple(properties)
    for name in names:
        if not isinstance(name, str) and not callable(name):
            raise ValueError(f"no such property: {name!r}; give names or functions")
    return names


def hashable(properties, spacing) -> tuple:
    """Returns properties and a spacing as keys of what is kept for the next call."""
    return names_of(properties), _numbers(spacing)


def columns_of(properties, ndim: int, spacing) -> Columns:
    """Returns the columns of a table, which are kept for the next call."""
    names, spacing = hashable(properties, spacing)
    return _known_columns(names, ndim, spacing)


def as_signed(values: np.ndarray) -> np.ndarray:
    """Returns labels as int64 if they fit, because differences of uint64 are not negative."""
    is_unsigned = isinstance(values, np.ndarray) and values.dtype == np.uint64
    return values.view(np.int64) if is_unsigned and values.max(initial=0) < 2**63 else values


def sign_together(table: dict, *names: str) -> dict:
    """Gives columns of labels one type, int64 if all labels fit. NumPy stacks int64 and uint64 as floating-point numbers."""
    columns = {name: as_signed(table[name]) for name in names}
    if any(column.dtype == np.uint64 for column in columns.values()):
        columns = {name: column.astype(np.uint64) for name, column in columns.items()}
    table.update(columns)
    return table


def warn_of_mask(labels, *columns, name="labels") -> None:
    """Warns if labels are a mask, which is one object: of type bool, or in memory one object in several pieces. `columns`: of
    the table of objects, if there is one."""
    is_mask = str(getattr(labels, "dtype", None)) in ("bool", "torch.bool") and (not columns or len(columns[0]))
    if not is_mask and columns and len(columns[0]) == 1 and not is_chunked(labels) and not on_device(labels):
        is_mask = sys.modules[__package__].label(np.ma.filled(np.ma.asarray(labels), 0) != 0)[1] > 1
    if is_mask:
        label = "gpuccl.dask.label" if is_chunked(labels) else "gpuccl.label"
        warn(f"{name}: one value, which is one object; label a mask first: labels, count = {label}(mask)")


def warn_of_masks(truth, prediction, found, min_size) -> None:
    """Warns if both images of match() may be masks. `found`: its result."""
    scores = found[0] if isinstance(found, tuple) else found
    columns = [(1,)] if scores and not min_size and set(scores["objects"].values()) == {1} else []
    for name, image in (("truth", truth), ("prediction", prediction)):
        warn_of_mask(image, *columns, name=name)


def chosen(properties, intensity):
    """Returns the properties; the default ones of an intensity image, too. Refuses an image that none of them needs."""
    if isinstance(intensity, str) or (isinstance(intensity, (list, tuple)) and {*map(type, intensity)} == {str}):
        raise TypeError(f"intensity is an image, not {intensity!r}; name columns with properties=")
    if properties is DEFAULT and intensity is not None:
        return (*DEFAULT, "intensity_mean", "intensity_min", "intensity_max")
    names = names_of(properties)
    if intensity is not None and not any(map(is_of_samples, names)):
        Columns(names, 2)  # refuses unknown names
        raise ValueError("no property needs intensity; add one, such as intensity_mean")
    return names


def channels_of(intensity, shape) -> tuple[list, bool]:
    """Returns the images of samples for labels of a shape, and whether columns have the numbers of channels."""
    if intensity is None:
        return [], False
    if isinstance(intensity, (list, tuple)):
        images = list(intensity)
        for channel, image in enumerate(images):
            given = tuple(getattr(image, "shape", ()))
            if given != tuple(shape):
                raise ValueError(f"intensity[{channel}] has the shape {given}, the labels have {tuple(shape)}")
    elif intensity.shape == shape:
        return [intensity], False
    elif intensity.shape[:-1] == shape:
        images = [intensity[..., channel] for channel in range(intensity.shape[-1])]
    elif intensity.shape[1:] == shape:
        images = [intensity[channel] for channel in range(intensity.shape[0])]
    else:
        raise ValueError(f"intensity has the shape {tuple(intensity.shape)}, the labels have {tuple(shape)}")
    if not images:
        raise ValueError("intensity has no channels: leave it out, or give an image of samples for each channel")
    return images, True


class ChannelColumns:
    """Columns of a table with several channels: those without samples, those of each channel, and their order."""

    def __init__(self, properties, ndim: int, spacing):
        names = names_of(properties)
        self.others = Columns([name for name in names if not is_of_samples(name)], ndim, spacing)
        self.of_samples = Columns([name for name in names if is_of_samples(name)], ndim, spacing)
        self._order = [(column, is_of_samples(name)) for name in names for column in Columns(name, ndim, spacing).names]

    def join(self, table: dict, tables: list) -> dict:
        """Returns the table of all columns. `tables`: of the channels."""
        result = {}
        for column, is_of_channel in self._order:
            if not is_of_channel:
                result[column] = table[column]
            for channel, measured in enumerate(tables if is_of_channel else ()):
                result[f"{column}-{channel}"] = measured[column]
        return result


def is_of_samples(name) -> bool:
    """Returns whether a property needs an intensity image."""
    if callable(name):
        return _crops.takes_samples(name)
    return str(name).startswith(("intensity_", "image_intensity")) or "_weighted" in str(name)


def _numbers(spacing):
    """Returns a spacing, which may be an array or tensor, also on a GPU, as a number or numbers."""
    if spacing is None:
        return None
    is_one = np.isscalar(spacing) or getattr(spacing, "ndim", 1) == 0
    sizes = (spacing,) if is_one else tuple(spacing)
    if any(isinstance(size, (str, bytes, bool, np.bool_)) for size in sizes):
        raise TypeError(f"spacing is a number or a sequence of numbers, not {spacing!r}")
    return float(spacing) if is_one else tuple(map(float, sizes))


def _spacing(spacing, ndim: int) -> list[float]:
    """Returns the spacing along x, y and z; 0 if unknown."""
    if spacing is None:
        return [0.0, 0.0, 0.0]
    spacing = _numbers(spacing)
    sizes = [float(spacing)] * ndim if np.isscalar(spacing) else list(spacing)
    if len(sizes) != ndim or not all(1e-80 <= size <= 1e80 for size in sizes):  # as --spacing
        raise ValueError(f"spacing is a number from 1e-80 to 1e80 for each of {ndim} axes")
    return (sizes[::-1] + [1.0, 1.0])[:3]
