"""The manifest of the napari plugin is valid, and its command labels layers."""

import importlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import refused

import gpuccl
from gpuccl._napari import label_layer

MANIFEST = Path(gpuccl.__file__).parent / "napari.yaml"


def image(data, **more):
    return SimpleNamespace(**{"data": np.asarray(data), "name": "cells", "scale": np.ones(np.ndim(data)), "rgb": False} | more)


def test_manifest():
    npe2 = pytest.importorskip("npe2")
    manifest = npe2.PluginManifest.from_file(MANIFEST)
    manifest.validate_imports()
    (widget,) = manifest.contributions.widgets
    (command,) = manifest.contributions.commands
    module, _, name = command.python_name.partition(":")
    assert widget.command == command.id and getattr(importlib.import_module(module), name) is label_layer


def test_an_image_is_labeled_above_the_threshold():
    data = np.array([[9, 0, 5], [0, 9, 0], [0, 0, 2]])
    labels, meta, kind = label_layer(image(data, rgb=False), threshold=4)
    assert kind == "labels" and meta["name"] == "cells components"
    np.testing.assert_array_equal(labels, [[1, 0, 1], [0, 1, 0], [0, 0, 0]])
    assert meta["features"]["index"].tolist() == [1] and meta["features"]["area"].tolist() == [3]
    assert label_layer(image(data), threshold=4, neighbors="faces")[0].max() == 3


def test_labels_that_differ_do_not_connect_and_small_ones_are_dropped():
    data = np.array([[1, 1, 2, 0, 2, 2]])
    layer = image(data, selected_label=1)
    del layer.rgb
    assert label_layer(layer)[0].tolist() == [[1, 1, 2, 0, 3, 3]]
    assert label_layer(layer, min_size=2)[0].tolist() == [[1, 1, 0, 0, 2, 2]]


def test_other_layers_are_refused():
    refused(ValueError, "cells has colors", label_layer, image(np.zeros((4, 4, 3)), rgb=True))
    refused(ValueError, "cells has 4 axes.*Split Stack", label_layer, image(np.zeros((2, 2, 4, 4))))
    points = image(np.zeros((4, 2)))
    del points.rgb
    refused(ValueError, "cells is not an image", label_layer, points)


def test_labels_are_where_the_image_is():
    place = {"translate": np.array([10.0, 20.0]), "units": ("micrometer",) * 2, "axis_labels": ("y", "x")}
    scales = [np.eye(8), np.eye(4)]
    labels, meta, _ = label_layer(SimpleNamespace(
        data=scales, multiscale=True, rgb=False, name="cells", scale=np.array([2.0, 3.0]), **place))  # fmt: skip
    assert labels.shape == (8, 8) and labels.max() == 1
    assert meta["scale"].tolist() == [2, 3] and all(meta[name] is value for name, value in place.items())


def test_layers_of_napari():
    layers = pytest.importorskip("napari.layers")
    place = {
        "scale": (2, 3), "translate": (10, 20), "rotate": 30, "shear": [0.2], "affine": np.diag([1.0, 2, 1]),
        "units": ("um", "um"), "axis_labels": ("row", "column"),
    }  # fmt: skip
    for layer in (layers.Image(np.eye(8), **place), layers.Image([np.eye(8), np.eye(4)], multiscale=True, **place),
                  layers.Labels(np.eye(8, dtype=int), **place)):  # fmt: skip
        data, meta, _ = label_layer(layer)
        made = layers.Labels(data, **meta)
        corners = np.array([[0, 0], [0, 7], [7, 0], [7, 7]])
        for corner in corners:
            np.testing.assert_allclose(made.data_to_world(corner), layer.data_to_world(corner))
        assert made.units == layer.units and made.axis_labels == layer.axis_labels
    for other in (layers.Points(np.zeros((3, 2))), layers.Shapes()):
        refused(ValueError, "is not an image", label_layer, other)
