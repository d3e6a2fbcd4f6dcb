"""The widget of napari.yaml, which labels a layer."""

from typing import Literal

import numpy as np

import gpuccl

#: Attributes for the place of a layer; a version of napari may lack some.
_PLACE = ("scale", "translate", "rotate", "shear", "affine", "units", "axis_labels")


def label_layer(
    layer: "napari.layers.Layer",  # noqa: F821
    threshold: float = 0,
    neighbors: Literal["all", "faces"] = "all",
    min_size: int = 1,
) -> "napari.types.LayerDataTuple":  # noqa: F821
    """Label the connected components of an image or labels layer.

    Parameters
    ----------
    layer : napari.layers.Image or napari.layers.Labels
        A layer with 2 or 3 axes. Different labels of a labels layer do not connect. The finest of several scales is used.
    threshold : float
        Elements of an image above the threshold are foreground.
    neighbors : str
        ``faces`` connects elements that share a face, ``all`` also those that share an edge or a corner.
    min_size : int
        Drop components with fewer elements.

    Returns
    -------
    tuple
        A labels layer in the place of the layer, with area and centroid of each component as features.
    """
    segmentation = hasattr(layer, "selected_label")
    if not segmentation and not hasattr(layer, "rgb"):
        raise ValueError(f"{layer.name} is not an image: choose an image or labels layer")
    if getattr(layer, "rgb", False):
        raise ValueError(f"{layer.name} has colors: split its channels first (Split RGB in its menu)")
    data = np.asarray(layer.data[0] if getattr(layer, "multiscale", False) else layer.data)
    if not 2 <= data.ndim <= 3:
        raise ValueError(f"{layer.name} has {data.ndim} axes: label an image of 2 or 3, such as Split Stack in its menu makes")
    connectivity = 1 if neighbors == "faces" else None
    array = data if segmentation else data > threshold
    if min_size > 1:
        array = gpuccl.clean(array, connectivity, values=segmentation, min_size=min_size)
    labels, _, table = gpuccl.label(array, connectivity, values=segmentation, stats=True)
    features = {"index": table.pop("label"), **table}
    meta = {"name": f"{layer.name} components", "features": features}
    for name in _PLACE:
        if (place := getattr(layer, name, None)) is not None:
            meta[name] = place
    return labels, meta, "labels"
