"""What napari.yaml contributes to napari: a widget that labels a layer."""

from typing import Literal

import numpy as np

import gpuccl


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
        Of 2 or 3 axes. Different labels of a labels layer do not connect.
    threshold : float
        Elements of an image above it are foreground.
    neighbors : str
        Whether elements connect that share a face only, or also those that share an edge or a corner.
    min_size : int
        Drop components of fewer elements.

    Returns
    -------
    tuple
        A labels layer with area and centroid of each component as features, at the place of the layer.
    """
    if not hasattr(layer.data, "ndim") and not getattr(layer, "multiscale", False):
        raise ValueError("the layer has no pixels: select an image or labels layer")
    data = np.asarray(layer.data[0]) if getattr(layer, "multiscale", False) else layer.data  # the finest scale
    if getattr(layer, "rgb", False):
        raise ValueError("the layer has colors: split its channels first")
    segmentation = hasattr(layer, "selected_label")
    connectivity = 1 if neighbors == "faces" else None
    array = data if segmentation else data > threshold
    if min_size > 1:
        array = gpuccl.clean(array, connectivity, values=segmentation, min_size=min_size)
    labels, _, table = gpuccl.label(array, connectivity, values=segmentation, stats=True)
    features = {"index": table.pop("label"), **table}
    place = ("scale", "translate", "rotate", "shear", "affine", "units", "axis_labels")
    meta = {name: getattr(layer, name) for name in place if hasattr(layer, name)}
    return labels, {"name": f"{layer.name} components", "features": features, **meta}, "labels"
