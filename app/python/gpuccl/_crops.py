"""Properties that are computed from the crop of each object, with the names and values of scikit-image."""

from __future__ import annotations

import inspect
import itertools

import numpy as np

from . import _core

_MOMENTS = {
    f"moments{weighted}{kind}": f"{kind[1:] or 'raw'} moments to order 3{text}"
    for weighted, text in (("", ""), ("_weighted", ", of samples"))
    for kind in ("", "_central", "_normalized", "_hu")
}
#: Definitions of the properties.
DEFINITIONS = {
    "slice": "bounding box as slices",
    "image": "crop of the bounding box: whether elements belong to the object",
    "coords": "coordinates of the elements",
    "image_filled": "image with its holes filled",
    "area_filled": "number of elements with holes filled",
    "image_intensity": "crop of the samples, 0 outside of the object",
    **_MOMENTS,
}


def columns_of(name, ndim: int) -> list[str]:
    """Returns the columns of a property; that of a function has its name."""
    if callable(name):
        if not hasattr(name, "__name__"):
            raise ValueError(f"{name} needs a __name__, which is that of its column")
        return [name.__name__]
    if name.endswith("_hu"):
        if ndim != 2:
            raise ValueError(f"{name} is for images, not for arrays of {ndim} axes")
        return [f"{name}-{i}" for i in range(7)]
    if name in _MOMENTS:
        return ["-".join(map(str, (name, *place))) for place in itertools.product(range(4), repeat=ndim)]
    return [name]


def takes_samples(function) -> bool:
    """Returns whether a function needs the crop and its samples."""
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    return sum(one.default is one.empty and one.kind in kinds for one in inspect.signature(function).parameters.values()) > 1


def measure(name, count: int, slices: list, images: list, samples) -> list[np.ndarray]:
    """Returns the `count` columns of a property of objects with these boxes and crops. `samples`: None without an image."""
    if callable(name):
        both = zip(images, _inside(slices, images, samples)) if takes_samples(name) else zip(images)
        values = [name(*arguments) for arguments in both]
        is_number = all(isinstance(value, (bool, int, float, np.number, np.bool_)) for value in values)
        return [np.array(values) if is_number else _column(values)]
    if name == "slice":
        return [_column(slices)]
    if name == "image":
        return [_column(images)]
    if name == "coords":
        return [_column([np.argwhere(image) + [side.start for side in box] for image, box in zip(images, slices)])]
    if name == "image_filled":
        return [_column(list(map(_filled, images)))]
    if name == "area_filled":
        return [np.array([np.count_nonzero(_filled(image)) for image in images], np.int64)]
    if "weighted" in name or name == "image_intensity":
        images = _inside(slices, images, samples)
        if name == "image_intensity":
            return [_column(images)]
    kind = name.rpartition("_")[2]
    rows = [_moments(image.astype(float), kind).ravel() for image in images]
    return list(np.array(rows).T) if rows else [np.zeros(0)] * count


def _inside(slices: list, images: list, samples) -> list[np.ndarray]:
    """Returns the samples of each crop, 0 outside of its object, also where those of its neighbors are not finite."""
    return [np.ascontiguousarray(np.where(image, samples[box], samples.dtype.type(0))) for box, image in zip(slices, images)]


def _column(values: list) -> np.ndarray:
    column = np.empty(len(values), object)
    column[:] = values
    return column


def _filled(image: np.ndarray) -> np.ndarray:
    if image.ndim == 1:
        return np.ones_like(image)
    filled = np.empty(image.shape, bool)
    _core.clean(image, filled, 4 if image.ndim == 2 else 6, False, False, 0, 0, 2**64 - 1, 2**64 - 1, False, None)
    return filled


def _moments(image: np.ndarray, kind: str) -> np.ndarray:
    raw = _about(image, np.zeros(image.ndim))
    if kind not in ("central", "normalized", "hu"):
        return raw
    with np.errstate(invalid="ignore", divide="ignore"):
        ones = np.eye(image.ndim, dtype=int)
        central = _about(image, [raw[tuple(one)] / raw[(0,) * image.ndim] for one in ones])
        if kind == "central":
            return central
        orders = np.indices(central.shape).sum(axis=0)
        nu = np.where(orders < 2, np.nan, central / central[(0,) * image.ndim] ** (orders / image.ndim + 1))
    return _hu(nu) if kind == "hu" else nu


def _about(image: np.ndarray, center) -> np.ndarray:
    """Returns the moments of orders 0 to 3 along each axis."""
    for at in center:
        powers = (np.arange(image.shape[0]) - at)[:, None] ** np.arange(4)
        image = np.tensordot(image, powers, (0, 0))
    return image


def _hu(nu: np.ndarray) -> np.ndarray:
    """Returns the seven invariants of M.-K. Hu, Visual pattern recognition by moment invariants, 1962."""
    a, b = nu[3, 0] + nu[1, 2], nu[2, 1] + nu[0, 3]
    c, d = nu[3, 0] - 3 * nu[1, 2], 3 * nu[2, 1] - nu[0, 3]
    difference, product = nu[2, 0] - nu[0, 2], 4 * nu[1, 1]
    p, q = a * (a * a - 3 * b * b), b * (3 * a * a - b * b)
    return np.array([
        nu[2, 0] + nu[0, 2], difference**2 + product * nu[1, 1], c * c + d * d, a * a + b * b, c * p + d * q,
        difference * (a * a - b * b) + product * a * b, d * p - c * q,
    ])  # fmt: skip
